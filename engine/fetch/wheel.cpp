#include "engine/fetch/wheel.h"

#include <memory>

#include <zip.h>

#include "kernels/error.h"

namespace speclens {

namespace {

constexpr const char* kRemedy = "Fetch it again. If it stays so, the package is not the one that is expected.";

[[noreturn]] void fail(const std::filesystem::path& archive, const std::string& what) {
    throw Error(archive.filename().string() + ": " + what, kRemedy, Exit::mismatch);
}

// libzip finds the first of equal names, other readers the last one: two would be two different files.
zip_uint64_t only_index(zip_t* zip, const std::filesystem::path& archive, const std::string& member) {
    zip_int64_t found = -1;
    for (zip_int64_t i = 0, count = zip_get_num_entries(zip, 0); i < count; ++i) {
        const char* name = zip_get_name(zip, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
        if (!name || name != member) continue;
        if (found >= 0) fail(archive, "has " + member + " twice");
        found = i;
    }
    if (found < 0) fail(archive, "has no " + member);
    return static_cast<zip_uint64_t>(found);
}

} // namespace

void read_member(const std::filesystem::path& archive, const std::string& member, std::uint64_t limit,
                 const std::function<void(std::string_view bytes)>& take) {
    int problem = 0;
    const std::unique_ptr<zip_t, void (*)(zip_t*)> zip(zip_open(archive.c_str(), ZIP_RDONLY, &problem), zip_discard);
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, problem);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        fail(archive, "cannot be read as a zip archive: " + why);
    }
    const zip_uint64_t index = only_index(zip.get(), archive, member);
    zip_stat_t stat;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
        fail(archive, member + " cannot be looked at");
    if (stat.encryption_method != ZIP_EM_NONE) fail(archive, member + " is encrypted");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
        fail(archive, member + " is packed by method " + std::to_string(stat.comp_method) + ", only stored and deflated are read");
    const std::string too_large = member + " is larger than the " + std::to_string(limit) + " bytes it may have";
    if (stat.size > limit) fail(archive, too_large);

    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(zip.get(), index, 0), zip_fclose);
    if (!file) fail(archive, member + " cannot be opened: " + zip_strerror(zip.get()));
    std::string block(std::size_t{1} << 20, '\0');
    std::uint64_t all = 0;
    for (;;) {
        const zip_int64_t got = zip_fread(file.get(), block.data(), block.size());
        if (got < 0) fail(archive, member + " is damaged: " + zip_file_strerror(file.get()));
        if (got == 0) break;
        all += static_cast<std::uint64_t>(got);
        if (all > limit) fail(archive, too_large);
        take({block.data(), static_cast<std::size_t>(got)});
    }
    if (all != stat.size) fail(archive, member + " ends too early");
}

} // namespace speclens
