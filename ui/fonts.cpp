#include "ui/fonts.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <unordered_map>

#include "kernels/error.h"

namespace speclens::ui {

namespace {

struct Wanted {
    const char* name;
    std::vector<const char*> files;    // the font itself
    std::vector<const char*> fallback; // for its missing glyphs, and instead of it
};

// Where Debian has them, then others: Fedora names a folder after its package, Arch has one for all of TrueType (both
// untested). The plain names are for a user's own folder and for the portable archive.
const std::array<Wanted, 4>& wanted_fonts() {
    static const std::array<Wanted, 4> kWanted = {{
        {"Inter Regular",
         {"opentype/inter/Inter-Regular.otf", "truetype/inter/Inter-Regular.ttf", "inter/Inter-Regular.otf",
          "rsms-inter-fonts/Inter-Regular.otf", "Inter-Regular.otf", "Inter-Regular.ttf"},
         {"truetype/dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans.ttf", "TTF/DejaVuSans.ttf", "dejavu-sans-fonts/DejaVuSans.ttf",
          "DejaVuSans.ttf"}},
        {"Inter SemiBold",
         {"opentype/inter/Inter-SemiBold.otf", "truetype/inter/Inter-SemiBold.ttf", "inter/Inter-SemiBold.otf",
          "rsms-inter-fonts/Inter-SemiBold.otf", "Inter-SemiBold.otf", "Inter-SemiBold.ttf"},
         {"truetype/dejavu/DejaVuSans-Bold.ttf", "dejavu/DejaVuSans-Bold.ttf", "TTF/DejaVuSans-Bold.ttf",
          "dejavu-sans-fonts/DejaVuSans-Bold.ttf", "DejaVuSans-Bold.ttf"}},
        {"JetBrains Mono Regular",
         {"truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", "jetbrains-mono/JetBrainsMono-Regular.ttf", "TTF/JetBrainsMono-Regular.ttf",
          "jetbrains-mono-fonts/JetBrainsMono-Regular.otf", "JetBrainsMono-Regular.ttf"},
         {"truetype/dejavu/DejaVuSansMono.ttf", "dejavu/DejaVuSansMono.ttf", "TTF/DejaVuSansMono.ttf",
          "dejavu-sans-mono-fonts/DejaVuSansMono.ttf", "DejaVuSansMono.ttf"}},
        {"JetBrains Mono Medium",
         {"truetype/jetbrains-mono/JetBrainsMono-Medium.ttf", "jetbrains-mono/JetBrainsMono-Medium.ttf", "TTF/JetBrainsMono-Medium.ttf",
          "jetbrains-mono-fonts/JetBrainsMono-Medium.otf", "JetBrainsMono-Medium.ttf"},
         {"truetype/dejavu/DejaVuSansMono.ttf", "dejavu/DejaVuSansMono.ttf", "TTF/DejaVuSansMono.ttf",
          "dejavu-sans-mono-fonts/DejaVuSansMono.ttf", "DejaVuSansMono.ttf"}},
    }};
    return kWanted;
}

bool is_mono(Font font) { return font == Font::mono || font == Font::mono_medium; }

} // namespace

std::vector<std::string> FontSet::search_folders() {
    std::vector<std::string> folders = {"/usr/share/fonts", "/usr/local/share/fonts"};
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != 0) folders.push_back(std::string(data) + "/fonts");
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) folders.push_back(std::string(home) + "/.local/share/fonts");
    // Those of a portable archive come last: what the system has is of the system's version.
    std::error_code failed;
    if (const auto program = std::filesystem::read_symlink("/proc/self/exe", failed); !failed)
        folders.push_back((program.parent_path().parent_path() / "share" / "speclens" / "fonts").string());
    return folders;
}

// What the system was asked for. Measuring text is const, and pictures may be drawn on several threads.
struct FontSet::More {
    FindFonts ask;
    std::mutex mutex;
    std::map<std::pair<std::string, int>, std::unique_ptr<FontFace>> opened; // null: not usable
    std::unordered_map<char32_t, Glyph> known;                               // also those that nobody has
    int in_vain = 0;

    [[nodiscard]] static Glyph in(const FontFace& face, char32_t code_point) {
        const int index = face.glyph(code_point);
        return index != 0 ? Glyph{&face, index, face.advance(index)} : Glyph{};
    }
    [[nodiscard]] Glyph search(char32_t code_point) {
        constexpr int kMostInVain = 500;        // questions: noise of bytes must not stop the window
        for (const auto& [file, face] : opened) // one font has a whole script
            if (const Glyph found = face ? in(*face, code_point) : Glyph{}; found.face != nullptr) return found;
        if (in_vain >= kMostInVain) return {};
        for (const FontFile& file : ask(code_point)) {
            const auto [at, first] = opened.try_emplace({file.path, file.index});
            if (first) at->second = FontFace::open(file.path, file.index);
            if (const Glyph found = at->second ? in(*at->second, code_point) : Glyph{}; found.face != nullptr) return found;
        }
        ++in_vain;
        return {};
    }
    [[nodiscard]] Glyph find(char32_t code_point) {
        const std::lock_guard lock(mutex);
        const auto [at, first] = known.try_emplace(code_point);
        if (first) at->second = search(code_point);
        return at->second;
    }
};

FontSet::FontSet() : FontSet(search_folders(), system_fonts_for) {}
FontSet::~FontSet() = default;

FontSet::FontSet(const std::vector<std::string>& folders, FindFonts more) {
    std::map<std::string, const FontFace*> opened;
    const auto open_first = [&](const std::vector<const char*>& files, std::string& path) -> const FontFace* {
        for (const std::string& folder : folders)
            for (const char* file : files) {
                path = folder + "/" + file;
                if (const auto known = opened.find(path); known != opened.end()) return known->second;
                if (auto face = FontFace::open(path)) {
                    faces_.push_back(std::move(face));
                    return opened[path] = faces_.back().get();
                }
            }
        path.clear();
        return nullptr;
    };
    for (std::size_t i = 0; i < kFonts.size(); ++i) {
        const Wanted& want = wanted_fonts()[i];
        Chain& chain = chains_[i];
        std::string path, other;
        if (const FontFace* face = open_first(want.files, path)) chain.faces.push_back(face);
        report_[i] = {want.name, path, !path.empty()};
        // The plain sans closes every chain: it has the most symbols.
        for (const auto& files : {want.fallback, wanted_fonts()[0].fallback})
            if (const FontFace* face = open_first(files, other)) {
                if (report_[i].path.empty()) report_[i].path = other;
                if (chain.faces.empty() || chain.faces.back() != face) chain.faces.push_back(face);
            }
        if (chain.faces.empty())
            throw Error(std::string("no usable font for ") + want.name, "Install fonts-inter, fonts-jetbrains-mono and fonts-dejavu-core.");
    }
    if (more) {
        more_ = std::make_unique<More>();
        more_->ask = std::move(more);
    }
    for (Chain& chain : chains_)
        for (std::size_t c = 0; c < chain.common.size(); ++c) chain.common[c] = find(chain, static_cast<char32_t>(c));
}

FontSet::Glyph FontSet::find(const Chain& chain, char32_t code_point) const {
    for (const FontFace* face : chain.faces)
        if (const int index = face->glyph(code_point); index != 0) {
            Glyph found{face, index, face->advance(index)};
            // A stand-in keeps the cell of a mono font unless it is much wider.
            const bool mono = &chain == &chains_[2] || &chain == &chains_[3];
            const float cell = mono ? chain.faces[0]->advance(chain.faces[0]->glyph('0')) : 0;
            if (mono && found.advance > cell * 0.5F && found.advance < cell * 1.1F) found.advance = cell;
            return found;
        }
    // The first ones are looked up for everybody; what is not there among them is no letter.
    return more_ && code_point >= chain.common.size() ? more_->find(code_point) : Glyph{};
}

FontSet::Glyph FontSet::glyph(Font font, char32_t code_point) const {
    const Chain& chain = chains_[static_cast<std::size_t>(font)];
    return code_point < chain.common.size() ? chain.common[code_point] : find(chain, code_point);
}

float FontSet::width(std::string_view utf8, Font font, float size) const {
    double em = 0;
    each_glyph(utf8, font, [&em](char32_t, const Glyph& g) { em += static_cast<double>(g.advance); });
    return static_cast<float>(em * static_cast<double>(size));
}

std::string FontSet::shown(std::string_view utf8, Font font) const {
    std::string out;
    out.reserve(utf8.size());
    each_glyph(utf8, font, [&out](char32_t c, const Glyph&) { append(out, c); });
    return out;
}

const char* FontSet::family(Font font) {
    return is_mono(font) ? "JetBrains Mono, DejaVu Sans Mono, monospace" : "Inter, DejaVu Sans, sans-serif";
}

int FontSet::weight(Font font) {
    switch (font) {
    case Font::text_bold: return 600;
    case Font::mono_medium: return 500;
    default: return 400;
    }
}

} // namespace speclens::ui
