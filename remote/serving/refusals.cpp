#include "remote/serving/refusals.h"

#include "engine/base/json_read.h"

namespace speclens {
namespace {

// The library holds forms to less, and curl -d calls every body a form unless told otherwise.
std::string too_large(const std::string& type) {
    const std::string most = std::to_string(kMostRequestBytes) + " bytes";
    if (!type.starts_with("application/x-www-form-urlencoded")) return "the body is too large: it may have " + most;
    return "a form is too large: it may have " + std::to_string(CPPHTTPLIB_FORM_URL_ENCODED_PAYLOAD_MAX_LENGTH) +
           " bytes; with Content-Type: application/json the body may have " + most;
}

} // namespace

Refused too_many(int retry_seconds) {
    return {503, "too many requests wait already; there may be room in " + std::to_string(retry_seconds) + " s", retry_seconds};
}

Refused stops() { return {503, "the server stops"}; }

void refuse(httplib::Response& response, const Refused& refused) {
    if (refused.retry_seconds > 0) response.set_header("Retry-After", std::to_string(refused.retry_seconds));
    Json body = {{"error",
                  {{"message", refused.why},
                   {"type", refused.status == 404  ? "NotFoundError"
                            : refused.status < 500 ? "BadRequestError"
                                                   : "InternalServerError"},
                   {"code", refused.status}}}};
    if (refused.kind == ErrorKind::unknown_token) body["error"]["kind"] = kUnknownToken;
    response.status = refused.status;
    response.set_content(body.dump(-1, BadUtf8::replaced), "application/json");
}

std::string error_event(const Refused& refused) {
    return "data: " + Json({{"error", {{"message", refused.why}, {"code", refused.status}}}}).dump(-1, BadUtf8::replaced) + "\n\n";
}

bool refuse_method(const Addresses& addresses, const httplib::Request& request, httplib::Response& response) {
    const auto address = addresses.find(request.path);
    if (address == addresses.end()) return false;
    const bool reads = address->second == "GET"; // then HEAD is answered, too
    if (request.method == address->second || (reads && request.method == "HEAD")) return false;
    response.set_header("Allow", reads ? "GET, HEAD" : address->second);
    refuse(response, {405, request.path + " answers " + (reads ? "GET and HEAD" : "POST") + ", not " + request.method});
    return true;
}

void explain_refusal(const Addresses& addresses, const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return; // ours
    if (refuse_method(addresses, request, response)) return;
    std::string known;
    for (const auto& [path, method] : addresses) known += (known.empty() ? "" : ", ") + path;
    std::string why = "the request cannot be read: a method, an address, headers, and a body with its Content-Length are expected";
    if (response.status == 404) why = "no such address; this server has " + known;
    if (response.status == 413) why = too_large(request.get_header_value("Content-Type"));
    if (response.status >= 500) why = "the server failed over this request";
    refuse(response, {response.status, why});
}

} // namespace speclens
