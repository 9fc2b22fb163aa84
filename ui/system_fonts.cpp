#include "ui/system_fonts.h"

#if defined(__EMSCRIPTEN__)
#include "ui/browser_glyphs.h"
#else
#include <dlfcn.h>
#endif

#include <memory>
#include <type_traits>

namespace speclens::ui {

#if defined(__EMSCRIPTEN__) // files are hidden from a page, and what they draw is not
std::vector<FontFile> system_fonts_for(char32_t) { return {{kBrowserFonts, 0}}; }
#else
namespace {

// What is used of fontconfig, as its manual declares it: version 2 has kept these since 2003.
struct FcPattern;
struct FcCharSet;
struct FcConfig;
struct FcFontSet {
    int nfont, sfont;
    FcPattern** fonts;
};
constexpr int kTrue = 1, kMatchPattern = 0, kResultMatch = 0;

struct Fontconfig {
    int (*init)();
    FcPattern* (*pattern_create)();
    void (*pattern_destroy)(FcPattern*);
    FcCharSet* (*charset_create)();
    void (*charset_destroy)(FcCharSet*);
    int (*charset_add)(FcCharSet*, unsigned);
    int (*charset_has)(const FcCharSet*, unsigned);
    int (*add_charset)(FcPattern*, const char*, const FcCharSet*);
    int (*add_bool)(FcPattern*, const char*, int);
    int (*add_string)(FcPattern*, const char*, const unsigned char*);
    int (*get_charset)(const FcPattern*, const char*, int, FcCharSet**);
    int (*get_bool)(const FcPattern*, const char*, int, int*);
    int (*get_integer)(const FcPattern*, const char*, int, int*);
    int (*get_string)(const FcPattern*, const char*, int, unsigned char**);
    int (*substitute)(FcConfig*, FcPattern*, int);
    void (*default_substitute)(FcPattern*);
    FcFontSet* (*sort)(FcConfig*, FcPattern*, int, FcCharSet**, int*);
    void (*fontset_destroy)(FcFontSet*);

    // Never closed: its caches live as long as the program.
    static const Fontconfig* load() {
        static const std::unique_ptr<const Fontconfig> kLoaded = [] {
            std::unique_ptr<Fontconfig> made;
            void* library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
            if (library == nullptr) return made;
            made = std::make_unique<Fontconfig>();
            bool all = true;
            const auto bind = [&](auto& function, const char* name) {
                void* found = dlsym(library, name);
                all = all && found != nullptr;
                function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
            };
            bind(made->init, "FcInit");
            bind(made->pattern_create, "FcPatternCreate");
            bind(made->pattern_destroy, "FcPatternDestroy");
            bind(made->charset_create, "FcCharSetCreate");
            bind(made->charset_destroy, "FcCharSetDestroy");
            bind(made->charset_add, "FcCharSetAddChar");
            bind(made->charset_has, "FcCharSetHasChar");
            bind(made->add_charset, "FcPatternAddCharSet");
            bind(made->add_bool, "FcPatternAddBool");
            bind(made->add_string, "FcPatternAddString");
            bind(made->get_charset, "FcPatternGetCharSet");
            bind(made->get_bool, "FcPatternGetBool");
            bind(made->get_integer, "FcPatternGetInteger");
            bind(made->get_string, "FcPatternGetString");
            bind(made->substitute, "FcConfigSubstitute");
            bind(made->default_substitute, "FcDefaultSubstitute");
            bind(made->sort, "FcFontSort");
            bind(made->fontset_destroy, "FcFontSetDestroy");
            if (!all || made->init() != kTrue) made.reset();
            return made;
        }();
        return kLoaded.get();
    }
};

bool has(const Fontconfig& fc, const FcPattern* font, char32_t code_point) {
    FcCharSet* covered = nullptr;
    int outline = kTrue;
    if (fc.get_charset(font, "charset", 0, &covered) != kResultMatch || covered == nullptr) return false;
    // Fonts of bitmaps, as of coloured emoji, have no outline to draw.
    if (fc.get_bool(font, "outline", 0, &outline) == kResultMatch && outline != kTrue) return false;
    return fc.charset_has(covered, code_point) == kTrue;
}

} // namespace

std::vector<FontFile> system_fonts_for(char32_t code_point) {
    constexpr std::size_t kMost = 4; // not every one can be read
    std::vector<FontFile> files;
    const Fontconfig* fc = Fontconfig::load();
    if (fc == nullptr) return files;
    FcPattern* wanted = fc->pattern_create();
    FcCharSet* characters = fc->charset_create();
    fc->charset_add(characters, code_point);
    fc->add_charset(wanted, "charset", characters);
    fc->add_bool(wanted, "outline", kTrue);
    fc->add_string(wanted, "family", reinterpret_cast<const unsigned char*>("sans-serif"));
    fc->substitute(nullptr, wanted, kMatchPattern);
    fc->default_substitute(wanted);
    int result = kResultMatch;
    if (FcFontSet* sorted = fc->sort(nullptr, wanted, kTrue, nullptr, &result)) {
        for (int i = 0; i < sorted->nfont && files.size() < kMost; ++i) {
            unsigned char* path = nullptr;
            int index = 0;
            if (!has(*fc, sorted->fonts[i], code_point) || fc->get_string(sorted->fonts[i], "file", 0, &path) != kResultMatch ||
                path == nullptr)
                continue;
            if (fc->get_integer(sorted->fonts[i], "index", 0, &index) != kResultMatch) index = 0;
            // The upper half names an instance of a variable font.
            files.push_back({reinterpret_cast<const char*>(path), index & 0xFFFF});
        }
        fc->fontset_destroy(sorted);
    }
    fc->charset_destroy(characters);
    fc->pattern_destroy(wanted);
    return files;
}
#endif

} // namespace speclens::ui
