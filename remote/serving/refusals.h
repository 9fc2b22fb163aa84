// What our server answers where it does not answer: a status and OpenAI's error object, also where the
// library refuses by itself and would send nothing, since clients look for the reason in the body.
#pragma once

#include <httplib.h>

#include <map>
#include <string>

#include "remote/serving/completion_request.h"

namespace speclens {

inline constexpr std::size_t kMostRequestBytes = 8'000'000;

// 503: the server is full, and may have room in so many seconds; it is about to end.
[[nodiscard]] Refused too_many(int retry_seconds);
[[nodiscard]] Refused stops();

void refuse(httplib::Response& response, const Refused& refused);
[[nodiscard]] std::string error_event(const Refused& refused); // the same in a stream that has begun with 200

using Addresses = std::map<std::string, std::string>; // and the method of each: GET or POST

// 405 where the address has another method, which the library does not tell from an unknown address.
[[nodiscard]] bool refuse_method(const Addresses& addresses, const httplib::Request& request, httplib::Response& response);
// Puts words to a refusal of the library's.
void explain_refusal(const Addresses& addresses, const httplib::Request& request, httplib::Response& response);

} // namespace speclens
