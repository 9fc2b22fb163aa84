#include "app/cli/slides.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "app/cli/lecture.h"
#include "app/cli/output.h"
#include "app/cli/subject.h"
#include "app/cli/terminal.h"
#include "app/frontend/share.h"
#include "app/views/link.h"
#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr int kWidth = 1280, kHeight = 720; // where no size is asked for
constexpr int kDefaultSlides = 24;          // of a scene that has more, where nobody says which

constexpr SaidOf<"shared"> shared_said;
constexpr SaidOf<"pages"> page_said;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 Inter, "DejaVu Sans", system-ui, sans-serif; background: Canvas; color: CanvasText; }
header, section > * { max-width: 80rem; margin-left: auto; margin-right: auto; }
header { padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 1rem 0 .25rem; }
h2 { font-size: 1.15rem; margin: .5rem auto; }
main { display: flex; align-items: flex-start; overflow-x: auto; scroll-snap-type: x mandatory; overscroll-behavior-x: contain; }
section { flex: 0 0 100%; min-width: 0; scroll-snap-align: start; scroll-snap-stop: always; padding: 0 1rem 1rem; outline: none; }
img { display: block; width: 100%; height: auto; border: 1px solid GrayText; border-radius: 4px; }
nav { display: flex; gap: 1rem; align-items: center; padding: .5rem 0; }
nav a, nav span.off { padding: .6rem 1.2rem; border: 1px solid GrayText; border-radius: 4px; text-decoration: none; color: inherit; }
nav span.off { visibility: hidden; }
.notes, pre { white-space: pre-wrap; }
.small, pre { font-size: 14px; overflow-wrap: anywhere; }
pre { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; }
)";

// Turns by key; everything else is the browser's own.
constexpr const char* kScript = R"(
const slides = [...document.querySelectorAll('section')], main = document.querySelector('main');
const now = () => Math.round(main.scrollLeft / main.clientWidth);
const go = (to) => {
  const slide = slides[Math.max(0, Math.min(slides.length - 1, to))];
  history.replaceState(null, '', '#' + slide.id);
  main.scrollTo({ left: slide.offsetLeft - main.offsetLeft, behavior: 'instant' });
  slide.focus({ preventScroll: true });
};
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { ArrowRight: now() + 1, PageDown: now() + 1, ArrowLeft: now() - 1, PageUp: now() - 1, Home: 0, End: slides.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
});
document.addEventListener('click', (event) => {
  const link = event.target.closest('nav a');
  if (!link) return;
  event.preventDefault();
  go(slides.findIndex((slide) => '#' + slide.id === link.getAttribute('href')));
});
)";

std::string step_link(const std::string& words, std::size_t to, std::size_t count, const char* rel) {
    if (to < 1 || to > count) return "<span class=\"off\">" + escaped(words) + "</span>";
    return "<a href=\"#s" + std::to_string(to) + "\" rel=\"" + rel + "\">" + escaped(words) + "</a>";
}

std::string section(const Slide& slide, std::size_t number, std::size_t count) {
    const std::string n = std::to_string(number);
    std::string out = "<section id=\"s" + n + "\" tabindex=\"-1\" aria-labelledby=\"t" + n + "\">\n<h2 id=\"t" + n + "\">" + n + ". " +
                      escaped(slide.title) + "</h2>\n<img src=\"data:image/png;base64," + base64(slide.picture) + "\" alt=\"" +
                      escaped(slide.title) + "\" aria-describedby=\"w" + n + "\">\n<nav>" +
                      step_link("← " + message(shared_said("buttons.back"_t)), number - 1, count, "prev") + "<span>" +
                      escaped(message(page_said("page.step"_t, "step"_v = number, "of"_v = count))) + "</span>" +
                      step_link(message(shared_said("buttons.next"_t)) + " →", number + 1, count, "next") + "</nav>\n";
    if (!slide.notes.empty()) out += "<p class=\"notes\">" + escaped(slide.notes) + "</p>\n";
    out += "<details open><summary class=\"small\">" + escaped(message(page_said("page.words"_t))) + "</summary><pre id=\"w" + n + "\">" +
           escaped(slide.words) + "</pre></details>\n<p class=\"small\">" + escaped(slide.made);
    if (!slide.link.empty()) out += " · <a href=\"" + escaped(slide.link) + "\">" + escaped(slide.link) + "</a>";
    return out + "</p>\n</section>\n";
}

Slide slide_of(FrameRequest request, const Subject& subject) {
    request.kept = true;
    Slide slide;
    slide.words = in_words(request, subject);
    slide.title = frame_title(request, subject);
    slide.made = made_words(request, subject.trace.get());
    slide.picture = frame_picture(request, subject);
    return slide;
}

std::string scene_title(const std::string& name) {
    const std::vector<SceneName> names = scene_names();
    return std::ranges::find(names, name, &SceneName::name)->title;
}

// A page is looked at small, and has no use for a picture of menus.
Options for_page(const Options& options) {
    Options own = options;
    own.presenter = true;
    if (!own.has("--size")) own.width = kWidth, own.height = kHeight;
    return own;
}

std::size_t bytes_of(const Slide& slide) { return slide.picture.size() / 3 * 4 + slide.words.size() + slide.notes.size(); }

[[noreturn]] void too_large(std::size_t pictures, std::size_t bytes) {
    char size[32];
    std::snprintf(size, sizeof size, "%.1f MB", static_cast<double>(bytes) / 1e6);
    throw Error(std::to_string(pictures) + " pictures make a page of " + size + ", and 3 MB is the most",
                "Show fewer of them with --frames A:B, or give a smaller --size.", Exit::usage);
}

// While they are drawn: nobody waits for the last one to hear that they are too many.
void add(std::vector<Slide>& slides, Slide slide, std::size_t all) {
    slides.push_back(std::move(slide));
    std::size_t bytes = 0;
    for (const Slide& one : slides) bytes += bytes_of(one);
    if (bytes > kMostPageBytes) too_large(all, bytes / slides.size() * all);
}

std::vector<Slide> slides_of_scene(const Options& options, const SceneWord& word) {
    const ManyFrames many = many_frames(options, word, "a page");
    const Subject& subject = many.subject;
    const std::vector<int> places =
        slide_places(many.first, many.last, options.has("--frames") ? many.last - many.first + 1 : kDefaultSlides);
    const std::size_t all = places.size();
    if (!options.has("--frames") && static_cast<int>(all) < many.count)
        say("of " + std::to_string(many.count) + " places the page shows " + std::to_string(all) + ", evenly; --frames A:B shows others");
    const auto draw_at = [&](int beat) {
        const FrameRequest request = request_for(options, {word.scene, beat}, subject);
        Slide slide = slide_of(request, subject);
        slide.link = link_to(options, request, subject);
        return slide;
    };
    std::vector<Slide> slides;
    ProgressBar bar;
    // One of the middle says how large they will be.
    if (const std::size_t bytes = all > static_cast<std::size_t>(kDefaultSlides) ? bytes_of(draw_at(places[all / 2])) * all : 0;
        bytes > kMostPageBytes / 4 * 5)
        too_large(all, bytes);
    for (const int beat : places) {
        stop_if_interrupted();
        bar.show("drawing", static_cast<double>(slides.size()), static_cast<double>(all), "frames");
        add(slides, draw_at(beat), all);
    }
    return slides;
}

// What it says to readers: nobody stands beside them.
std::string for_readers(const std::string& page, const std::string& told) { return page.empty() ? told : page; }

std::vector<Slide> slides_of_lecture(const Options& options, const Lecture& lecture) {
    std::vector<Slide> slides;
    ProgressBar bar;
    bar.show("drawing", 0, static_cast<double>(lecture.steps.size()), "steps");
    std::size_t before = lecture.steps.size(); // the step of the last slide
    each_step(
        options, lecture,
        [&](std::size_t i, const FrameRequest& request, const Subject& subject) {
            const Lecture::Step& step = lecture.steps[i];
            Slide slide = slide_of(request, subject);
            slide.title = step.round ? step.title + ": " + slide.title : step.title;
            if (i != before) slide.notes = for_readers(step.page_notes, step.notes);
            before = i;
            Link link = step.link;
            if (step.round) link.at = request.cursor;
            slide.link = to_text(link, options.links_to);
            add(slides, std::move(slide), std::max(slides.size() + 1, lecture.steps.size()));
            bar.show("drawing", static_cast<double>(i + 1), static_cast<double>(lecture.steps.size()), "steps");
        },
        true);
    return slides;
}

} // namespace

std::string made_words(const FrameRequest& request, const Trace* trace) {
    if (request.race)
        for (const RaceLane& lane : request.race->lanes)
            if (lane.trace) trace = lane.trace.get();
    const Header* header = trace ? trace->header() : nullptr;
    if (!header) return "";
    std::string words = (header->tier == "LIVE" ? "RECORDED" : header->tier) + " · " + header->model;
    if (!header->drafter_model.empty()) words += " + " + header->drafter_model;
    for (const std::string* part : {&header->weights, &header->machine, &header->date})
        if (!part->empty()) words += " · " + *part;
    return words;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

std::string base64(const std::string& bytes) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) out += i + j <= bytes.size() ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

std::string slides_page(const std::string& title, const std::string& about, const std::vector<Slide>& slides) {
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"" + ui::language().name +
        "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n<title>" +
        escaped(title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<header><h1>" + escaped(title) + "</h1>\n";
    if (!about.empty()) page += "<p class=\"notes\">" + escaped(about) + "</p>\n";
    page += "</header>\n<main>\n";
    for (std::size_t i = 0; i < slides.size(); ++i) page += section(slides[i], i + 1, slides.size());
    page += std::string("</main>\n<script>") + kScript + "</script>\n</body>\n</html>\n";
    if (page.size() > kMostPageBytes) too_large(slides.size(), page.size());
    return page;
}

std::vector<int> slide_places(int first, int last, int most) {
    const int count = last - first + 1, shown = std::min(count, most);
    std::vector<int> places;
    for (int i = 0; i < shown; ++i) places.push_back(shown == 1 ? first : first + (count - 1) * i / (shown - 1));
    return places;
}

Exit render_slides(const Options& asked) {
    const Options options = for_page(asked);
    std::string title, about;
    std::vector<Slide> slides;
    if (is_lecture_file(options.words[0])) {
        const Lecture lecture = load_lecture(find_lecture(options.words[0]));
        title = lecture.title;
        about = for_readers(lecture.page_about, lecture.about);
        slides = slides_of_lecture(options, lecture);
    } else {
        const SceneWord word = scene_word(options.words[0]);
        slides = slides_of_scene(options, word);
        title = "SpecLens: " + scene_title(word.scene);
    }
    const std::string page = slides_page(title, about, slides);
    ResultFile file(options.output);
    file.write(page);
    file.commit();
    return Exit::ok;
}

} // namespace speclens::cli
