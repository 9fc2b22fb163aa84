// The page in browsers without a screen, served by the program itself: the same frames as the program's,
// keys, a finger, a small screen, one thread. Words and pixels, never times. Only ./test --web builds
// the page; SPECLENS_WEB_PROGRAMS is its folder.
#include <gtest/gtest.h>

#include <httplib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/views/lecture.h"
#include "engine/base/json.h"
#include "remote/serving/page_server.h"
#include "tests/app/cli/support.h"
#include "tests/web/browser.h"

namespace speclens::test {
namespace {

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

// Words without the lines that say what was timed: those are of this browser. Whether a task was done is of what went before.
std::string untimed(const std::string& text) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Task (done): ")) line.erase(4, 7);
        if (!line.empty() && !has(line, " ms") && !has(line, "Speed-up of the run")) result += line + "\n";
    }
    return result;
}

const std::string kOptions = "?drafter=eagle3&k=4&temp=0.8&seed=7&max-tokens=48";

std::string described_here(const std::string& link) {
    Start start;
    start.arguments = {"describe", "speclens://" + link};
    start.environment = {{"SPECLENS_ISA", "portable"}};
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return untimed(outcome.out);
}

std::string page_files() {
    const char* programs = std::getenv("SPECLENS_WEB_PROGRAMS");
    if (programs == nullptr) throw std::runtime_error("SPECLENS_WEB_PROGRAMS is not set: run ./test --web");
    return std::string(programs) + "/page";
}

// What a first visit fetches before the first picture.
TEST(PageFiles, AreSixteenMegabytesAtFirst) {
    const std::string folder = page_files();
    const auto size = [&](const std::string& file) { return std::filesystem::file_size(std::filesystem::path(folder) / file); };
    const auto parts = Json::parse(read_file(folder + "/parts.json"));
    std::uintmax_t bytes = size("index.html") + size("page.js") + size("parts.json") + size("speclens.wasm.gz") + size("speclens.js.gz");
    std::vector<std::string> first;
    for (const auto& part : parts.at("parts")) {
        if (!part.at("first").get<bool>()) continue;
        bytes += size(part.at("file").get<std::string>()) + size(part.at("exponents").get<std::string>());
        first.push_back(part.at("name").get<std::string>());
    }
    EXPECT_EQ(first, (std::vector<std::string>{"texts", "models"}));
    EXPECT_LE(bytes, 16'000'000U);
}

class Page : public ::testing::TestWithParam<Browser::Kind> {
  protected:
    void SetUp() override {
        if (in_firefox() && !Browser::has_firefox()) GTEST_SKIP() << "there is no firefox-esr here";
        server_ = std::make_unique<PageServer>(page_files(), "127.0.0.1", 0);
        address_ = "http://127.0.0.1:" + std::to_string(server_->bind()) + "/";
        thread_ = std::thread([this] { server_->serve(); });
    }
    void TearDown() override {
        browser.reset();
        if (server_) server_->stop();
        if (thread_.joinable()) thread_.join();
    }
    // Opens the page at what follows its address, and waits for its first picture.
    void open(const std::string& rest = "", int width = 1280, int height = 720) { open_at(address_ + rest, width, height); }
    void open_at(const std::string& address, int width = 1280, int height = 720) {
        browser = std::make_unique<Browser>(GetParam(), width, height);
        browser->open(address);
        ASSERT_TRUE(browser->becomes("self.Module && Module.page && Module.page.began")) << told();
    }
    std::string told() {
        return browser->value("document.getElementById('said').textContent + ' ' + (self.Module && Module.page.told || '')").dump();
    }
    static bool in_firefox() { return GetParam() == Browser::Kind::firefox; }
    std::string words() { return browser->value("Module.page.words").get<std::string>(); }
    bool says(const std::string& text) { return browser->becomes("Module.page.words.includes(" + Json(text).dump() + ")"); }
    void drop(const std::string& name, const std::string& text) {
        browser->execute(
            "const data = new DataTransfer(); data.items.add(new File([" + Json(text).dump() + "], " + Json(name).dump() +
            ")); document.getElementById('canvas').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));");
    }
    // What is fetched from now on waits for let_heads_come().
    void hold_heads() {
        browser->execute(R"js(const script = document.createElement('script');
            script.textContent = `(() => {
                const real = self.fetch, held = new Promise((go) => { Module.page.let_go = go; });
                self.fetch = (name) => {
                    Module.page.held = name;
                    return held.then(() => real(name));
                };
            })()`;
            document.head.append(script);)js");
    }
    void let_heads_come() { browser->execute("Module.page.let_go()"); }
    // The words of the program itself for this link, but what was timed.
    void expect_words_of(const std::string& link) {
        const std::string expected = described_here(link);
        ASSERT_NE(expected, "");
        for (int i = 0; i < 1200 && untimed(words()) != expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(untimed(words()), expected) << link;
    }
    void expect_drawn(const std::string& name) {
        const Browser::Look look = browser->look(in_firefox() ? name + "-firefox" : name);
        EXPECT_GT(look.colours, 50) << name;
        EXPECT_GT(look.drawn, 3) << name;
    }

    std::unique_ptr<Browser> browser;

  private:
    std::unique_ptr<PageServer> server_;
    std::thread thread_;
    std::string address_;
};

TEST_P(Page, ShowsItsFirstFrame) {
    open();
    EXPECT_EQ(browser->value("crossOriginIsolated"), true);
    EXPECT_EQ(browser->value("typeof PThread"), "object");
    EXPECT_EQ(browser->value("document.getElementById('cover').hidden"), true);
    EXPECT_TRUE(browser->becomes("Module.page.words.length > 40"));
    browser->press("\uE00C"); // any key skips the opening
    EXPECT_TRUE(says("Race.")) << words();
    expect_drawn("first");
}

TEST_P(Page, ShowsTheFrameOfALinkAsTheProgramDoes) {
    open("#loop/2" + kOptions);
    for (const std::string scene : {"loop/2", "accept-rule/2", "eagle3/1", "numbers/1", "bottleneck/1"}) {
        browser->execute("location.hash = '#" + scene + kOptions + "'");
        const std::string name = scene.substr(0, scene.find('/'));
        ASSERT_TRUE(browser->becomes("Module.page.shown && Module.page.shown.startsWith('#" + name + "')")) << words();
        if (name == "loop" || name == "accept-rule") expect_words_of(scene + kOptions); // the others tell what was timed, or the cursor
        expect_drawn(name);
    }
}

TEST_P(Page, BeginsWithoutALinkThatItCannotFollowAndSaysSo) {
    open("#loop/2?model=SomebodysOwn&fingerprint=0123456789abcdef");
    EXPECT_EQ(browser->value("document.getElementById('cover').hidden"), true);
    EXPECT_TRUE(says("of another model than the one that is loaded: SomebodysOwn")) << words();
    expect_drawn("other-model");
}

TEST_P(Page, IsSteppedWithKeys) {
    open("#loop/1" + kOptions);
    ASSERT_TRUE(says("One guess made")) << words();
    browser->press("\uE014"); // right
    EXPECT_TRUE(says("Two guesses made")) << words();
    browser->press("\uE012"); // left
    EXPECT_TRUE(says("One guess made")) << words();
    browser->press("?");
    expect_drawn("keys");
}

TEST_P(Page, IsDraggedWithAPointerAndWithAFinger) {
    for (const bool finger : {false, true}) {
        open("#accept-rule/1" + kOptions);
        ASSERT_TRUE(says("position 3 of round 6")) << words();
        browser->drag(192, 209, 192, 150, finger); // the first handle of the target
        EXPECT_TRUE(says("Data: TABLE, edited")) << words();
        expect_drawn(finger ? "dragged-with-a-finger" : "dragged");
    }
}

TEST_P(Page, HandsOverWhatIsSaved) {
    open("#loop/2" + kOptions);
    ASSERT_TRUE(says("Two guesses made")) << words();
    // A run that still goes on is saved as far as it is.
    const std::string stop = R"js((Module.page.trace.match(/"kind":"stop".*"hash":"(\w+)"/) || [])[1])js";
    for (int i = 0; i < 50; ++i) {
        browser->execute("Module.page.saved = null");
        browser->press_with_control("s");
        ASSERT_TRUE(browser->becomes("Module.page.saved && Module.page.saved.name.endsWith('.jsonl')"));
        browser->execute("Module.page.trace = Module.FS.readFile(Module.page.saved.path, { encoding: 'utf8' })");
        if (browser->value(stop + " !== undefined") == true) break;
    }
    Start start;
    start.arguments = {"run", "--drafter", "eagle3", "--k", "4", "--temp", "0.8", "--seed", "7", "--max-tokens", "48"};
    start.environment = {{"SPECLENS_ISA", "portable"}};
    const std::string run = speclens(start).out, hash = browser->value(stop + " || ''").get<std::string>();
    EXPECT_EQ(hash.size(), 16u);
    EXPECT_TRUE(has(run, hash.c_str())) << "the page's trace is not the program's: " << hash << "\n" << run;
}

TEST_P(Page, SharesTheRoundOnScreen) {
    open("#loop/2" + kOptions);
    ASSERT_TRUE(says("Two guesses made")) << words();
    browser->press_with_control("e", /*shift=*/true);
    for (const char* file : {"round.gif", "card.png"})
        EXPECT_TRUE(browser->becomes("(Module.page.files || []).includes('" + std::string(file) + "')")) << told();
    EXPECT_TRUE(browser->becomes("Module.page.clipboard.startsWith('speclens://loop')"));
    EXPECT_EQ(browser->value("Module.page.addressOf(Module.page.clipboard)"), browser->value("location.href"));
    EXPECT_EQ(browser->value("(Module.page.files || []).length"), 2) << "the link is in the address";
}

TEST_P(Page, ComputesTheSameWithOneThread) {
    open("?one#loop/2" + kOptions);
    EXPECT_EQ(browser->value("typeof PThread"), "undefined"); // as the compiler calls what starts threads
    expect_words_of("loop/2" + kOptions);
    expect_drawn("one-thread");
}

TEST_P(Page, FitsAPhoneAndIsSteppedWithAFinger) {
    open("#loop/1" + kOptions, 390, 844);
    EXPECT_EQ(browser->value("document.documentElement.scrollWidth <= innerWidth"), true);
    EXPECT_EQ(browser->value("[innerWidth, innerHeight].join()"), "390,844");
    ASSERT_TRUE(says("One guess made")) << words();
    expect_drawn("phone");
    browser->drag(340, 12, 340, 12, /*touch=*/true);   // the next part of the window: words and buttons
    browser->drag(255, 778, 255, 778, /*touch=*/true); // Next
    EXPECT_TRUE(says("Two guesses made")) << words();
    expect_drawn("phone-words");
}

TEST_P(Page, IsEnlargedAndShiftedWithTwoFingers) {
    open("#loop/1" + kOptions, 390, 844);
    ASSERT_TRUE(says("One guess made")) << words();
    const Browser::Look before = browser->look("two-fingers-before");
    browser->two_fingers(200, 300, 80, 200, 300, 160);
    // Preferences keep the zoom that was chosen: they are twice as far apart.
    EXPECT_TRUE(browser->becomes("Object.keys(localStorage).some((key) => /\"zoom\": ?(1\\.9|2)/.test(localStorage[key]))"))
        << browser->value("JSON.stringify(localStorage)");
    browser->two_fingers(300, 300, 80, 60, 300, 80);
    EXPECT_NE(browser->look("two-fingers").drawn, before.drawn);
    EXPECT_TRUE(says("One guess made")) << "nothing was pressed: " << words();
}

TEST_P(Page, TakesWhatTheKeyboardOfAPhoneWrites) {
    open("#loop/1" + kOptions, 390, 844);
    ASSERT_TRUE(says("One guess made")) << words();
    EXPECT_EQ(browser->value("document.activeElement.id"), "canvas");
    browser->execute("Module.page.touched = true");
    browser->press_with_control("k"); // the palette asks for text
    ASSERT_TRUE(browser->becomes("document.activeElement.id === 'typed'"));
    const auto writes = [&](const std::string& text) {
        browser->execute("const field = document.getElementById('typed'); field.value = " + Json(text).dump() +
                         "; field.dispatchEvent(new Event('input'));");
    };
    writes("  loop again");
    ASSERT_TRUE(browser->becomes("Module.page.text === ''"));
    writes("  numbers"); // all of it is taken back
    ASSERT_TRUE(browser->becomes("Module.page.text === ''"));
    browser->press("\uE007");
    EXPECT_TRUE(browser->becomes("Module.page.shown && Module.page.shown.startsWith('#numbers')")) << words();
    EXPECT_TRUE(browser->becomes("document.activeElement.id === 'canvas'"));
}

TEST_P(Page, OpensWhatIsDroppedAndKeepsAModelWhereItMay) {
    open("#loop/1" + kOptions);
    ASSERT_TRUE(says("One guess made")) << words();
    drop("mixed.jsonl", read_file(SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl"));
    EXPECT_TRUE(says("Data: RECORDED")) << words();
    EXPECT_EQ(browser->value("document.getElementById('strip').hidden"), true);
    drop("toy.gguf", "GGUF, but no model");
    const std::string strip = "document.getElementById('strip_words').textContent";
    ASSERT_TRUE(browser->becomes(strip + ".includes('toy.gguf stays on this device')")) << browser->value(strip);
    browser->execute("document.querySelector('#strip button').click()");
    ASSERT_TRUE(browser->becomes(strip + ".includes('toy.gguf is in this browser')")) << browser->value(strip);
    browser->reload();
    ASSERT_TRUE(browser->becomes(strip + ".includes('toy.gguf is in this browser')")) << told();
    browser->execute("document.querySelectorAll('#strip button')[1].click()"); // delete
    browser->reload();
    ASSERT_TRUE(browser->becomes("self.Module && Module.page && Module.page.began")) << told();
    EXPECT_EQ(browser->value("document.getElementById('strip').hidden"), true);
}

TEST_P(Page, OpensWhatIsDroppedWhileModelsAreLoaded) {
    open("#loop/1" + kOptions); // the first picture is there before the models are
    drop("toy.gguf", "GGUF, but no model");
    EXPECT_TRUE(says("toy.gguf")) << words();
}

// Whoever looks at a round, or followed a link, is not taken from it when heads come that a start leaves out.
TEST_P(Page, StaysWhereItIsWhenHeadsComeLater) {
    open("#loop/2" + kOptions);
    ASSERT_TRUE(says("Two guesses made")) << words();
    hold_heads();
    browser->press_with_control("k"); // the palette lists drafters
    ASSERT_TRUE(browser->becomes("Module.page.held")) << "nothing was asked for";
    const std::string strip = "document.getElementById('strip_words').textContent";
    EXPECT_TRUE(browser->becomes(strip + ".startsWith('Fetching more heads (dart, dflash, dflash2, domino, dspark, medusa, mtp): 0 %')"))
        << browser->value(strip);
    browser->press("\uE00C");
    browser->execute("location.hash = '#accept-rule/2" + kOptions + "'");
    expect_words_of("accept-rule/2" + kOptions);
    browser->execute("location.hash = '#loop/2?model=SomebodysOwn&fingerprint=0123456789abcdef'");
    const std::string complaint = "of another model than the one that is loaded: SomebodysOwn";
    ASSERT_TRUE(says(complaint)) << words();
    let_heads_come();
    ASSERT_TRUE(browser->becomes("document.getElementById('strip').hidden"));
    // What waits for one of them is obeyed after they were loaded.
    browser->press("8");
    ASSERT_TRUE(browser->becomes("Module.page.shown.includes('drafter=dflash')")) << words();
    EXPECT_EQ(browser->value("Module.page.shown.startsWith('#accept-rule')"), true);
    browser->execute("location.hash = '#accept-rule/2" + kOptions + "'");
    expect_words_of("accept-rule/2" + kOptions);
}

TEST_P(Page, FetchesTheHeadThatALinkNames) {
    const std::string link = "loop/1?drafter=dflash&k=4&temp=0&seed=7&max-tokens=24";
    open("#loop/2" + kOptions);
    ASSERT_TRUE(says("Two guesses made")) << words();
    hold_heads();
    browser->execute("location.hash = '#" + link + "'");
    ASSERT_TRUE(browser->becomes("(Module.page.held || '').startsWith('dflash.')"));
    EXPECT_TRUE(has(words(), "Two guesses made")) << words();
    let_heads_come();
    ASSERT_TRUE(browser->becomes("Module.page.shown.includes('drafter=dflash')")) << words();
    expect_words_of(link);
}

TEST_P(Page, GoesThroughALecture) {
    open("#numbers/1");
    const int drawn = browser->value("Module.page.frame_ms.length").get<int>();
    browser->press_with_control("o");
    ASSERT_TRUE(browser->becomes("Module.page.frame_ms.length >= " + std::to_string(drawn + 2))); // the list is there
    browser->press("Guess cheaply\uE007");
    const Lecture lecture = load_lecture(SPEC_SOURCE_DIR "/assets/lectures/first-lesson.lec.toml");
    for (std::size_t step = 0; step < lecture.steps.size(); ++step) {
        if (step > 0) browser->press("\uE00F"); // page down
        const std::string link = to_text(lecture.steps[step].link), scene = lecture.steps[step].link.scene;
        ASSERT_TRUE(browser->becomes("Module.page.shown && Module.page.shown.startsWith('#" + scene + "')")) << link << ": " << words();
        if (scene == "loop" || scene == "accept-rule") expect_words_of(link.substr(std::string("speclens://").size()));
        expect_drawn("lecture-" + std::to_string(step + 1));
    }
    browser->press("\uE00E"); // page up: a race, one of whose heads came later
    ASSERT_TRUE(browser->becomes("Module.page.shown.startsWith('#race')")) << words();
    EXPECT_TRUE(says("Lane 4, Domino")) << words();
    EXPECT_EQ(browser->value("Module.page.words.includes('head is loaded')"), false) << words();
}

// A host of static files that sends neither of the two headers.
class PlainHost {
  public:
    PlainHost() : address_("http://127.0.0.1:") {
        if (!server_.set_mount_point("/", page_files())) throw std::runtime_error(page_files() + " is no folder");
        address_ += std::to_string(server_.bind_to_any_port("127.0.0.1")) + "/";
        thread_ = std::thread([this] { server_.listen_after_bind(); });
    }
    ~PlainHost() {
        server_.stop();
        thread_.join();
    }
    PlainHost(const PlainHost&) = delete;
    PlainHost& operator=(const PlainHost&) = delete;
    [[nodiscard]] const std::string& address() const { return address_; }

  private:
    httplib::Server server_;
    std::string address_;
    std::thread thread_;
};

TEST_P(Page, GetsItsThreadsByAServiceWorkerWhereTheHostSendsNoHeaders) {
    const PlainHost host;
    open_at(host.address() + "#loop/2" + kOptions);
    ASSERT_TRUE(browser->becomes("crossOriginIsolated && self.Module && Module.page && Module.page.began")) << told();
    EXPECT_EQ(browser->value("typeof PThread"), "object");
    EXPECT_EQ(browser->value("document.getElementById('strip').hidden"), true);
    expect_words_of("loop/2" + kOptions);
    browser.reset();
}

// No service worker either: one thread, and a clock of coarse steps, which is said.
TEST_P(Page, SaysHowCoarseItsClockIs) {
    open("?one#loop/2" + kOptions);
    EXPECT_EQ(browser->value("document.getElementById('strip').hidden"), true) << "isolated";
    const PlainHost host;
    open_at(host.address() + "?one#loop/2" + kOptions);
    EXPECT_EQ(browser->value("crossOriginIsolated"), false);
    const std::string step = in_firefox() ? "1.0 ms" : "0.1 ms";
    const std::string strip = "document.getElementById('strip_words').textContent";
    EXPECT_TRUE(browser->becomes(strip + ".includes(\"browser's clock goes in steps of " + step + "\")")) << browser->value(strip);
    EXPECT_TRUE(browser->becomes("Module.page.stage.clientHeight < innerHeight")) << "it covers nothing";
    browser.reset(); // before its host
}

TEST_P(Page, KeepsPreferencesAndTheLinkOverAReload) {
    open("#loop/2" + kOptions);
    ASSERT_TRUE(browser->becomes("Module.page.shown && Module.page.shown.startsWith('#loop')"));
    const std::string shown = browser->value("location.hash").get<std::string>();
    browser->press_with_control("="); // zoom in
    ASSERT_TRUE(browser->becomes("Object.keys(localStorage).some((key) => key.endsWith('preferences.json'))"));
    browser->reload();
    ASSERT_TRUE(browser->becomes("self.Module && Module.page && Module.page.began")) << told();
    EXPECT_TRUE(browser->becomes("location.hash === " + Json(shown).dump())) << browser->value("location.hash");
    EXPECT_NE(
        browser->value("Module.FS.readFile('/home/config/speclens/preferences.json', {encoding: 'utf8'})").get<std::string>().find("zoom"),
        std::string::npos);
}

TEST_P(Page, SpeaksTheLanguageThatIsAskedFor) {
    open("?language=de#loop/2" + kOptions);
    EXPECT_TRUE(says("Zwei Vorschläge gemacht")) << words();
    expect_drawn("german");
}

// Devanagari, which none of the page's own fonts has: ./test --web installs a font that has it.
TEST_P(Page, WritesOtherScriptsWithTheBrowsersFonts) {
    EXPECT_TRUE(std::filesystem::exists("/usr/share/fonts/truetype/lohit-devanagari")) << "install fonts-lohit-deva";
    open("#loop/1?drafter=small&k=4&temp=0&seed=7&max-tokens=24&prompt=%E0%A4%A8%E0%A4%AE");
    ASSERT_TRUE(browser->becomes("Module.page.glyphs.includes(0x928) && Module.page.glyphs.includes(0x92E)")) << words();
    EXPECT_EQ(browser->value("Module.page.hasGlyph(0x928)"), true);
    EXPECT_EQ(browser->value("Module.page.hasGlyph(0xE000)"), false) << "nobody's character";
    EXPECT_EQ(browser->value("Module.page.hasGlyph(0x13000)"), false) << "no font here has hieroglyphs";
    EXPECT_EQ(browser->value("Module.page.hasGlyph(0x1F600)"), false) << "a picture in colours";
    expect_drawn("devanagari");
}

INSTANTIATE_TEST_SUITE_P(In, Page, ::testing::Values(Browser::Kind::chromium, Browser::Kind::firefox),
                         [](const ::testing::TestParamInfo<Browser::Kind>& browser) {
                             return browser.param == Browser::Kind::firefox ? "Firefox" : "Chromium";
                         });

} // namespace
} // namespace speclens::test
