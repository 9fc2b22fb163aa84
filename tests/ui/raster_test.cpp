// Pictures without a window: exact shapes, the same bytes every time, and files that are whole or untouched.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/resource.h>
#include <unistd.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_GIF
#include <stb_image.h>

#include "tests/shared/temp_folder.h"
#include "tests/ui/desk.h"
#include "ui/file_write.h"
#include "ui/headless.h"
#include "ui/pictures/gif.h"
#include "ui/pictures/png.h"
#include "ui/tokens.h"

namespace speclens::ui {
namespace {

constexpr Color kBlack{0, 0, 0}, kWhite{255, 255, 255};

Color at(const Image& image, int x, int y) {
    const std::size_t i = (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
    return {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2], image.rgba[i + 3]};
}

std::uint64_t fingerprint(const Image& image) {
    std::uint64_t h = 0xCBF29CE484222325U;
    for (const std::uint8_t byte : image.rgba) h = (h ^ byte) * 0x100000001B3U;
    return h;
}

Image picture(int w, int h, float zoom, const std::function<void(Canvas&)>& draw) {
    HeadlessFrame frame(test_fonts());
    draw(frame.begin(w, h, zoom, kBlack));
    return frame.end();
}

void everything(Canvas& c) {
    const Theme& t = theme(ThemeKind::dark);
    float x = 4;
    for (const Role role : kRoles) {
        chip(c, t, {x, 4, 90, 32}, token_label(" word"), {.role = role});
        x += 94;
    }
    c.text({4, 60}, "Sphinx of black quartz, judge my vow — .63 ≥ .40", Font::text, 15, t.ink);
    c.text({4, 84}, "0123456789", Font::mono, 17, t.muted);
}

TEST(Raster, FillsExactPixels) {
    const Image image = picture(10, 10, 1, [](Canvas& c) { c.fill({2, 3, 4, 2}, kWhite); });
    int lit = 0;
    for (int y = 0; y < 10; ++y)
        for (int x = 0; x < 10; ++x) {
            const bool inside = x >= 2 && x < 6 && y >= 3 && y < 5;
            EXPECT_EQ(at(image, x, y), inside ? kWhite : kBlack) << x << "," << y;
            lit += inside ? 1 : 0;
        }
    EXPECT_EQ(lit, 8);
}

TEST(Raster, HairlinesAreOneFullPixelAtEveryZoom) {
    for (const float zoom : {1.0F, 1.25F, 2.0F}) {
        const Image image = picture(40, 40, zoom, [](Canvas& c) {
            c.line({0, 10.5F}, {30, 10.5F}, {kWhite, 1});
            c.outline({2, 2, 10, 6}, {kWhite, 1});
        });
        for (int y = 0; y < 40; ++y) {
            const Color c = at(image, 15, y);
            EXPECT_TRUE(c == kWhite || c == kBlack) << "grey line at zoom " << zoom;
        }
    }
}

TEST(Raster, NeighbouringTrianglesShareNoPixelAndLeaveNoGap) {
    // A translucent fan: a pixel drawn twice would be brighter, a gap darker.
    const Image image = picture(64, 64, 1, [](Canvas& c) {
        c.fill_convex(std::array{Vec2{3.3F, 4.1F}, Vec2{60.2F, 8.7F}, Vec2{57.9F, 58.2F}, Vec2{6.6F, 55.5F}}, kWhite.alpha(0.5F));
    });
    for (int y = 12; y < 52; ++y)
        for (int x = 10; x < 54; ++x) EXPECT_EQ(at(image, x, y), (Color{128, 128, 128})) << x << "," << y;
}

TEST(Raster, ClipsCutExactly) {
    const Image image = picture(20, 20, 1, [](Canvas& c) {
        c.push_clip({5, 5, 10, 10});
        c.push_clip({0, 0, 8, 20});
        c.fill({0, 0, 20, 20}, kWhite);
        c.pop_clip();
        c.pop_clip();
    });
    EXPECT_EQ(at(image, 5, 5), kWhite);
    EXPECT_EQ(at(image, 7, 14), kWhite);
    EXPECT_EQ(at(image, 8, 10), kBlack);
    EXPECT_EQ(at(image, 4, 10), kBlack);
    EXPECT_EQ(at(image, 6, 15), kBlack);
}

TEST(Raster, ShapesMatchTheGoldenPicture) {
    const Image image = picture(64, 48, 1, [](Canvas& c) {
        c.fill({4, 4, 20, 12}, {200, 40, 40});
        c.fill({10, 8, 30, 20}, Color{40, 200, 40}.alpha(0.5F));
        c.outline({30, 4, 24, 16}, {kWhite, 2});
        c.line({2.5F, 30}, {2.5F, 44}, {kWhite, 1});
        c.hatch({34, 24, 24, 18}, {90, 90, 255});
        c.outline({6, 22, 24, 22}, {kWhite, 1.5F, 5, 3}, 4);
    });
    EXPECT_EQ(at(image, 5, 5), (Color{200, 40, 40}));
    EXPECT_EQ(at(image, 12, 10), (Color{120, 120, 40}));
    EXPECT_EQ(at(image, 30, 12), kWhite);
    EXPECT_EQ(fingerprint(image), 0x46186879b2734567U) << "0x" << std::hex << fingerprint(image);
}

TEST(Raster, TwoContextsGiveTheSameBytes) {
    const Image a = picture(700, 100, 1, everything), b = picture(700, 100, 1, everything);
    EXPECT_EQ(a, b);
    // A used glyph cache, filled in another order, changes nothing.
    HeadlessFrame frame(test_fonts());
    frame.begin(300, 100, 2, kBlack).text({0, 40}, "vow my judge 9876543210", Font::mono, 17, kWhite);
    (void)frame.end();
    everything(frame.begin(700, 100, 1, kBlack));
    EXPECT_EQ(frame.end(), a);
}

TEST(Raster, TextIsDrawnWhereItWasMeasured) {
    const Image image = picture(200, 40, 1, [](Canvas& c) { c.text({10, 30}, "HHHH", Font::text_bold, 26, kWhite); });
    int left = 200, right = 0, top = 40, bottom = 0;
    for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 200; ++x)
            if (at(image, x, y).r > 100) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
    EXPECT_EQ(bottom, 29); // stands on the baseline
    EXPECT_NEAR(top, 30 - 0.727 * 26, 1.5);
    EXPECT_GE(left, 10);
    EXPECT_LE(right, 10 + static_cast<int>(test_fonts().width("HHHH", Font::text_bold, 26)));
}

TEST(Raster, ManyZoomStepsDoNotExhaustTheGlyphTexture) {
    HeadlessFrame frame(test_fonts());
    const auto page = [&](float zoom) {
        Canvas& c = frame.begin(400, 300, zoom, kBlack);
        for (int i = 0; i < 6; ++i)
            c.text({0, 40.0F + 20 * static_cast<float>(i)}, "The quick brown fox jumps over the lazy dog 0123456789",
                   kFonts[static_cast<std::size_t>(i) % 4], 20, kWhite);
        return frame.end();
    };
    const Image fresh = page(1);
    for (float zoom = 1; zoom <= 6; zoom += 0.05F) (void)page(zoom);
    EXPECT_EQ(page(1), fresh);
}

TEST(Png, RoundTripKeepsEveryPixel) {
    const Image image = picture(120, 90, 1, everything);
    const std::vector<std::uint8_t> bytes = encode_png(image);
    int w = 0, h = 0, channels = 0;
    stbi_uc* back = stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &w, &h, &channels, 4);
    ASSERT_NE(back, nullptr);
    ASSERT_EQ(w, 120);
    ASSERT_EQ(h, 90);
    EXPECT_TRUE(std::equal(image.rgba.begin(), image.rgba.end(), back));
    stbi_image_free(back);
}

// A drawing of few colours stays as it is, smaller than with all of them; of many the nearest are taken.
TEST(Png, FewColoursKeepADrawing) {
    Image drawing{300, 200, std::vector<std::uint8_t>(300 * 200 * 4, 255)};
    const auto paint = [&](int x, int y, std::array<std::uint8_t, 3> colour) {
        std::copy(colour.begin(), colour.end(), drawing.rgba.begin() + 4 * (y * drawing.width + x));
    };
    for (int y = 20; y < 90; ++y)
        for (int x = 10; x < 290; ++x) paint(x, y, {static_cast<std::uint8_t>(x % 7 * 8), 120, static_cast<std::uint8_t>(y % 5 * 40)});
    const auto few = encode_png_with_few_colours(drawing);
    EXPECT_LT(few.size(), encode_png(drawing).size());
    int w = 0, h = 0, channels = 0;
    stbi_uc* back = stbi_load_from_memory(few.data(), static_cast<int>(few.size()), &w, &h, &channels, 4);
    ASSERT_NE(back, nullptr) << stbi_failure_reason();
    ASSERT_EQ((std::array<int, 2>{w, h}), (std::array<int, 2>{300, 200}));
    EXPECT_TRUE(std::equal(drawing.rgba.begin(), drawing.rgba.end(), back));
    stbi_image_free(back);

    Image many{256, 64, std::vector<std::uint8_t>(256 * 64 * 4, 255)};
    for (int i = 0; i < 256 * 64; ++i) {
        auto* p = many.rgba.data() + 4 * static_cast<std::ptrdiff_t>(i);
        p[0] = static_cast<std::uint8_t>(i), p[1] = static_cast<std::uint8_t>(255 - i), p[2] = static_cast<std::uint8_t>(i >> 8 << 2);
    }
    const auto near = encode_png_with_few_colours(many);
    back = stbi_load_from_memory(near.data(), static_cast<int>(near.size()), &w, &h, &channels, 4);
    ASSERT_NE(back, nullptr) << stbi_failure_reason();
    double sum = 0;
    for (std::size_t i = 0; i < many.rgba.size(); ++i) sum += std::abs(int{many.rgba[i]} - int{back[i]});
    EXPECT_LT(sum / static_cast<double>(many.rgba.size()), 20);
    stbi_image_free(back);
}

TEST(Gif, PlaysEveryFrameInTheColoursItHas) {
    Image first{40, 30, std::vector<std::uint8_t>(40 * 30 * 4, 255)};
    const auto paint = [](Image& image, int x, int y, std::array<std::uint8_t, 3> colour) {
        std::copy(colour.begin(), colour.end(), image.rgba.begin() + 4 * (y * image.width + x));
    };
    for (int x = 5; x < 20; ++x) paint(first, x, 7, {200, 30, 40});
    Image second = first;
    for (int y = 10; y < 14; ++y) paint(second, 33, y, {16, 120, 240});
    const std::vector<GifFrame> frames = {{first, 1500}, {second, 700}, {second, 700}, {first, 20}};
    const std::vector<std::uint8_t> bytes = encode_gif(frames);
    int w = 0, h = 0, count = 0, channels = 0;
    int* delays = nullptr;
    stbi_uc* back = stbi_load_gif_from_memory(bytes.data(), static_cast<int>(bytes.size()), &delays, &w, &h, &count, &channels, 4);
    ASSERT_NE(back, nullptr) << stbi_failure_reason();
    ASSERT_EQ((std::array<int, 3>{w, h, count}), (std::array<int, 3>{40, 30, 4}));
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(delays[i], frames[static_cast<std::size_t>(i)].ms);
        const auto& wanted = frames[static_cast<std::size_t>(i)].image.rgba;
        EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), back + static_cast<std::size_t>(i) * wanted.size())) << "frame " << i;
    }
    stbi_image_free(back);
    stbi_image_free(delays);
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 6), "GIF89a");
}

TEST(Gif, ManyColoursStayNear) {
    Image image{256, 64, std::vector<std::uint8_t>(256 * 64 * 4, 255)};
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 256; ++x) {
            auto* p = image.rgba.data() + 4 * (y * 256 + x);
            p[0] = static_cast<std::uint8_t>(x), p[1] = static_cast<std::uint8_t>(255 - x), p[2] = static_cast<std::uint8_t>(4 * y);
        }
    const std::vector<GifFrame> frames = {{image, 100}};
    const std::vector<std::uint8_t> bytes = encode_gif(frames);
    int w = 0, h = 0, channels = 0;
    stbi_uc* back = stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &w, &h, &channels, 4);
    ASSERT_NE(back, nullptr);
    double sum = 0;
    for (std::size_t i = 0; i < image.rgba.size(); ++i) sum += std::abs(int{image.rgba[i]} - int{back[i]});
    EXPECT_LT(sum / static_cast<double>(image.rgba.size()), 20);
    stbi_image_free(back);
}

TEST(Gif, RefusesWhatItCannotHold) {
    EXPECT_THROW((void)encode_gif({}), std::runtime_error);
    const Image small{2, 2, std::vector<std::uint8_t>(16)}, other{3, 2, std::vector<std::uint8_t>(24)};
    EXPECT_THROW((void)encode_gif(std::vector<GifFrame>{{small}, {other}}), std::runtime_error);
    EXPECT_THROW((void)encode_gif(std::vector<GifFrame>{{Image{}}}), std::runtime_error);
}

TEST(Png, FailedWritesNameTheFileAndLeaveTheOldOne) {
    const test::TempFolder folder;
    const std::string path = folder / "picture.txt";
    write_file(path, std::string_view("old"));
    EXPECT_THROW(write_file(folder / "missing" / "x.txt", std::string_view("new")), std::runtime_error);
    try {
        write_file("/dev/full/x", std::string_view("new"));
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/full/x"), std::string::npos);
    }
    write_file(path, std::string_view("newer"));
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "newer");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}),
              1); // no temporary files left
}

// In a folder of everybody's, somebody else may put a link where the unfinished file is expected.
TEST(Png, NoLinkIsFollowedThatWaitsForTheUnfinishedFile) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "picture.txt", victim = folder / "victim";
    write_file(victim, std::string_view("untouched"));
    const std::string own = std::to_string(getpid());
    for (const std::string& name : {path.string() + ".part" + own, path.string() + "." + own + ".part"})
        std::filesystem::create_symlink(victim, name);
    write_file(path, std::string_view("new"));
    std::string text, other;
    std::ifstream(path) >> text;
    std::ifstream(victim) >> other;
    EXPECT_EQ(text, "new");
    EXPECT_EQ(other, "untouched");
    EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST(Png, AFullDiskIsAnErrorAndTheOldFileStays) {
    const test::TempFolder folder;
    const std::string path = folder / "picture.txt";
    write_file(path, std::string_view("old"));
    // A limit on file sizes fails in the middle of a write, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit low{4096, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
    EXPECT_THROW(write_file(path, std::string(100000, 'x')), std::runtime_error);
    setrlimit(RLIMIT_FSIZE, &before);
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

} // namespace
} // namespace speclens::ui
