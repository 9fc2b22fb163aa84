// The icon, drawn at every size that desktops ask for: a lens over a row of draft tokens, the last of which is rejected.
// Runs while the packages are built and needs no fonts: `speclens_icon FOLDER` writes FOLDER/16x16/apps/speclens.png … and
// FOLDER/scalable/apps/speclens.svg.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "files/atomic_file.h"
#include "kernels/error.h"
#include "ui/pictures/png.h"
#include "ui/theme.h"

namespace {

using speclens::ui::Color;
using speclens::ui::Rect;
using speclens::ui::Vec2;

constexpr float kSide = 64; // of the square that everything below is measured in

// A shape is what lies within half its stroke of its outline; without a stroke it is filled.
struct Shape {
    enum class Kind : std::uint8_t { box, disc, line } kind = Kind::box;
    Rect box{};       // of a box; a disc fills it; a line goes from its corner x, y to the corner right, bottom
    float radius = 0; // of a box's corners
    float stroke = 0;
    Color color{};
};

// How far the point is from the outline, negative inside.
float distance(const Shape& s, Vec2 p) {
    const Vec2 center = s.box.center();
    if (s.kind == Shape::Kind::disc) return std::hypot(p.x - center.x, p.y - center.y) - s.box.w / 2;
    if (s.kind == Shape::Kind::line) {
        const Vec2 along{s.box.w, s.box.h}, from{p.x - s.box.x, p.y - s.box.y};
        const float share = std::clamp((from.x * along.x + from.y * along.y) / (along.x * along.x + along.y * along.y), 0.0F, 1.0F);
        return std::hypot(from.x - share * along.x, from.y - share * along.y);
    }
    const float x = std::abs(p.x - center.x) - s.box.w / 2 + s.radius, y = std::abs(p.y - center.y) - s.box.h / 2 + s.radius;
    return std::hypot(std::max(x, 0.0F), std::max(y, 0.0F)) + std::min(std::max(x, y), 0.0F) - s.radius;
}

bool covers(const Shape& s, Vec2 p) {
    const float d = distance(s, p);
    return s.stroke > 0 ? std::abs(d) <= s.stroke / 2 : d <= 0;
}

// Few pixels carry two tokens, more carry three.
std::vector<Shape> shapes(bool small) {
    using enum Shape::Kind;
    using speclens::ui::Role;
    const auto& dark = speclens::ui::theme(speclens::ui::ThemeKind::dark);
    const float thick = small ? 6 : 4;
    const Rect lens = {8.5F, 8.5F, 39, 39};
    std::vector<Shape> all = {{box, {2, 2, 60, 60}, 14, 0, dark.bg},
                              {line, {43, 43, 10.5F, 10.5F}, 0, thick + 3, dark.ink},
                              {disc, lens, 0, 0, dark.raised},
                              {disc, lens, 0, thick, dark.ink}};
    const int tokens = small ? 2 : 3;
    const float width = small ? 11 : 8.5F, height = small ? 15 : 13, gap = small ? 2.5F : 2;
    float x = lens.center().x - (static_cast<float>(tokens) * (width + gap) - gap) / 2;
    for (int i = 0; i < tokens; ++i, x += width + gap) {
        const bool last = i + 1 == tokens;
        const float edge = small ? 3.5F : 2.25F, in = last ? edge / 2 : 0; // a rejected token is an outline, as in the window
        all.push_back({box, Rect{x, lens.center().y - height / 2, width, height}.inset(in, in), 2, last ? edge : 0,
                       dark.role(last ? Role::rejected : Role::accepted)});
    }
    return all;
}

speclens::ui::Image picture(const std::vector<Shape>& all, int pixels) {
    constexpr int kSamples = 8; // each way in a pixel
    speclens::ui::Image image{pixels, pixels, {}};
    for (int i = 0; i < pixels * pixels; ++i) {
        std::array<int, 4> sum{}; // red, green and blue of the samples that something covers, and their number
        for (int s = 0; s < kSamples * kSamples; ++s) {
            const auto at = [&](int pixel, int sample) {
                return (static_cast<float>(pixel) + (static_cast<float>(sample) + 0.5F) / kSamples) * kSide / static_cast<float>(pixels);
            };
            const Vec2 p{at(i % pixels, s % kSamples), at(i / pixels, s / kSamples)};
            const auto top = std::find_if(all.rbegin(), all.rend(), [&](const Shape& shape) { return covers(shape, p); });
            if (top == all.rend()) continue;
            sum[0] += top->color.r, sum[1] += top->color.g, sum[2] += top->color.b, ++sum[3];
        }
        for (int c = 0; c < 3; ++c)
            image.rgba.push_back(static_cast<std::uint8_t>(sum[3] == 0 ? 0 : (sum[static_cast<std::size_t>(c)] + sum[3] / 2) / sum[3]));
        image.rgba.push_back(static_cast<std::uint8_t>(sum[3] * 255 / (kSamples * kSamples)));
    }
    return image;
}

std::string number(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", static_cast<double>(value));
    return text.data();
}

std::string svg_of(const Shape& s) {
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", s.color.r, s.color.g, s.color.b);
    const auto is = [](const char* name, float value) { return " " + std::string(name) + "=\"" + number(value) + "\""; };
    const std::string paint = s.stroke > 0 ? " fill=\"none\" stroke=\"" + std::string(hex.data()) + "\"" + is("stroke-width", s.stroke)
                                           : " fill=\"" + std::string(hex.data()) + "\"";
    const Vec2 center = s.box.center();
    switch (s.kind) {
    case Shape::Kind::disc: return "<circle" + is("cx", center.x) + is("cy", center.y) + is("r", s.box.w / 2) + paint + "/>";
    case Shape::Kind::line:
        return "<line" + is("x1", s.box.x) + is("y1", s.box.y) + is("x2", s.box.right()) + is("y2", s.box.bottom()) + paint +
               " stroke-linecap=\"round\"/>";
    case Shape::Kind::box: break;
    }
    return "<rect" + is("x", s.box.x) + is("y", s.box.y) + is("width", s.box.w) + is("height", s.box.h) + is("rx", s.radius) + paint + "/>";
}

std::string drawing(const std::vector<Shape>& all) {
    const std::string side = number(kSide);
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + side + "\" height=\"" + side + "\" viewBox=\"0 0 " + side +
                      " " + side + "\">\n";
    for (const Shape& shape : all) svg += "  " + svg_of(shape) + "\n";
    return svg + "</svg>\n";
}

void write_icons(const std::filesystem::path& folder) {
    for (const int pixels : {16, 22, 24, 32, 48, 64, 128, 256, 512}) {
        const std::string size = std::to_string(pixels);
        const std::filesystem::path place = folder / (size + "x" + size) / "apps";
        std::filesystem::create_directories(place);
        speclens::ui::write_png((place / "speclens.png").string(), picture(shapes(pixels < 32), pixels));
    }
    std::filesystem::create_directories(folder / "scalable" / "apps");
    speclens::AtomicFile file(folder / "scalable" / "apps" / "speclens.svg");
    file.write(drawing(shapes(false)));
    file.commit();
}

} // namespace

int main(int count, char** arguments) try {
    if (count != 2) {
        std::fputs("usage: speclens_icon FOLDER\n", stderr);
        return 2;
    }
    write_icons(arguments[1]);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "speclens_icon: %s\n", e.what());
    return 3;
}
