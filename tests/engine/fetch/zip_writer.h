// Archives for tests, made by libzip.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zip.h>

namespace speclens::test {

struct ZipMember {
    std::string name, bytes;
    zip_int32_t method = ZIP_CM_DEFLATE; // or ZIP_CM_STORE
};

inline void write_zip(const std::filesystem::path& file, const std::vector<ZipMember>& members) {
    zip_t* zip = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    ASSERT_NE(zip, nullptr);
    for (const ZipMember& member : members) {
        zip_source_t* source = zip_source_buffer(zip, member.bytes.data(), member.bytes.size(), 0);
        const zip_int64_t index = zip_file_add(zip, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
        ASSERT_GE(index, 0) << zip_strerror(zip);
        ASSERT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), member.method, 0), 0);
    }
    ASSERT_EQ(zip_close(zip), 0) << zip_strerror(zip);
}

} // namespace speclens::test
