// Scene S1: passes that were timed, what the user said before, and the figures that are printed elsewhere.
//
// What stood in the description that was written by hand, and which message has it now (TellsEveryPassWithItsNumbersInBothLanguages):
//
//     "64 tokens (marked): 19.200 ms (median 21.120), 9.60×, 0.300 ms per token, 7 % of that rate"
//                                       chart.pass {model} {bits} {tokens} {marked} {ms} {median} {repeats} {times} {each} {share}
//     "A plain read of 2.0 MB: 2.0 GB/s, so reading alone takes 1.000 ms"     fact.read {model} {size} {rate} {ms}
//     "The product kernel in cache: 50 billion multiply-adds a second"         fact.product {model} {rate}
//     "smollm2-135m, 269 MB of weights", "random weights of …"                 fact.model {model} {form} {weights}, fact.random
//     "read from memory, at 90 % …", "stays in the cache of 32 MB: …"          fact.limit:memory, arithmetic, cached, read {share} {cache}
//     {rows} "1 token: 20.00 ms; 8 tokens: 1.00×", "up to 8 tokens …", "in doubt: …"  fact.time {one} {tokens} {times}, fact.cheap
//     {tokens}, fact.doubt {why} "smollm2-135m in Q4_0: not measured, …"                                  fact.form_unmeasured,
//     fact.unmeasured, fact.problem {problem} "Said: 4×" question.prediction:chosen {times} "Published: …: 85 % (wrong in its source)"
//     details.figure {claim} {value} {standing}
#include <gtest/gtest.h>

#include <cmath>

#include "engine/lab/pass_times.h"
#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/in_words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/shared/pass_times.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "tests/shared/unowned.h"
#include "ui/format.h"

namespace speclens {
namespace {

using test::made_passes;

// Where anything is drawn, as far as the clip in force lets it be seen.
class EdgeCanvas final : public ui::Canvas {
  public:
    float top = 1e9F, bottom = -1e9F;
    void fill(ui::Rect r, ui::Color, float) override { see(r.y), see(r.bottom()); }
    void outline(ui::Rect r, const ui::Stroke&, float) override { see(r.y), see(r.bottom()); }
    void line(ui::Vec2 a, ui::Vec2 b, const ui::Stroke&) override { see(a.y), see(b.y); }
    void polyline(std::span<const ui::Vec2> points, const ui::Stroke&, bool) override {
        for (const ui::Vec2 p : points) see(p.y);
    }
    void fill_convex(std::span<const ui::Vec2> points, ui::Color) override {
        for (const ui::Vec2 p : points) see(p.y);
    }
    void disc(ui::Vec2 at, float r, ui::Color) override { see(at.y - r), see(at.y + r); }
    void ring(ui::Vec2 at, float r, const ui::Stroke&) override { see(at.y - r), see(at.y + r); }
    void hatch(ui::Rect r, ui::Color, float, float) override { see(r.y), see(r.bottom()); }
    void print(ui::Vec2 at, std::string_view, ui::Font, float, ui::Color, ui::Align) override { see(at.y); }
    float printed_width(std::string_view words, ui::Font font, float size) const override {
        return steady_fonts().width(words, font, size);
    }
    void push_clip(ui::Rect r) override { clips_.push_back(r); }
    void pop_clip() override { clips_.pop_back(); }

  private:
    void see(float y) {
        for (const ui::Rect& clip : clips_) y = std::clamp(y, clip.y, clip.bottom());
        top = std::min(top, y), bottom = std::max(bottom, y);
    }
    std::vector<ui::Rect> clips_;
};

// Time of several tokens by that of one, as it is told.
void expect_pass_factor(const Said& figure, double times, bool doubt = false) {
    EXPECT_EQ(figure.id(), "bottleneck.words.figure");
    EXPECT_NEAR(test::real(figure, "times"), times, 1e-9);
    EXPECT_EQ(test::whole(figure, "doubt"), doubt);
}
std::vector<ui::ToldMessage> told_at(SceneInput input, int beat) {
    input.beat = beat;
    return find_scene("bottleneck")->make()->told(input);
}

std::vector<PassTimes> made_forms() { return {test::passes_in_form(DType::q8_0, 0.53), test::passes_in_form(DType::q4_0, 0.28)}; }

struct Bottleneck {
    std::vector<Command> sent;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Bottleneck(bool measured, ui::Rect screen = {0, 0, 1600, 1000}, bool beside = false, bool forms = false) {
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("bottleneck", port, screen);
        bench->controller.figures =
            std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
        published.status.state = EngineStatus::State::idle;
        published.status.model = "bundle S";
        published.status.ready_drafters = {"none", "small"};
        if (measured) published.passes = std::make_shared<const PassTimes>(made_passes());
        if (beside) published.passes_beside = std::make_shared<const PassTimes>(test::passes_of_a_shape());
        if (forms) published.passes_forms = std::make_shared<const std::vector<PassTimes>>(made_forms());
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    void finish_measuring() {
        published.passes = std::make_shared<const PassTimes>(made_passes());
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
};

TEST(BottleneckScene, NamesItsSourcesWhole) {
    const Bottleneck window(true);
    EXPECT_TRUE(window.bench->shows("Share of a decoding step spent computing on an"));
    EXPECT_TRUE(window.bench->shows("A100")) << window.bench->words;
}

TEST(BottleneckScene, CountsWhatAPassCosts) {
    Bottleneck window(true);
    window.beat(kQuestionBeat + 2);
    BottleneckState state;
    BottleneckModel m = bottleneck_model(window.input(), state);
    ASSERT_TRUE(m.measured());
    EXPECT_EQ(m.marked, 8);
    EXPECT_NEAR(m.factor(8), 1.2, 1e-9);
    EXPECT_NEAR(m.factor(64), 9.6, 1e-9);
    EXPECT_NEAR(m.rate(64), 64e6 / 19.2e-3 / 1e9, 1e-9);
    EXPECT_NEAR(m.rate(1) / m.best_rate(), 0.01, 1e-9) << "the product kernel in cache is the best there is";
    state.rows = 63; // between two that were measured
    EXPECT_EQ(bottleneck_model(window.input(), state).marked, 32);
    EXPECT_TRUE(window.bench->shows("Eight tokens at once cost 1.20× the time of one"));
    EXPECT_TRUE(window.bench->shows("2.40 ms against 8 × 2.00 = 16.00 ms: 6.67×"));
    EXPECT_TRUE(window.bench->shows("up to 8 tokens a pass costs less than two"));
    window.bench->key(ui::Key::up);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40× the time of one")) << window.bench->words;
    const std::string words = find_scene("bottleneck")->make()->describe(window.input());
    EXPECT_NE(
        words.find("64 tokens: 19.200 ms, lower quartile of 20 passes, median 21.120; 9.60×, 0.300 ms per token, " + ui::percent(0.07)),
        std::string::npos)
        << words;
    EXPECT_NE(words.find(": 85 %, cannot be right"), std::string::npos) << words;
}

// Whatever was measured, all points lie in the chart, and a median far above stays at its edge.
TEST(BottleneckScene, DrawsNothingOutsideItsChart) {
    for (const double ms : {0.2, 40.0, 400.0}) {
        PassTimes times = made_passes(), shape = test::passes_of_a_shape();
        times.passes[2].ms = ms;
        times.passes[2].median = 9000;
        Bottleneck window(true);
        SceneInput input = window.input();
        input.passes = test::unowned(times);
        input.passes_beside = test::unowned(shape);
        BottleneckState state;
        const BottleneckModel m = bottleneck_model(input, state);
        EXPECT_LT(cost_range(m).low, std::min(1.0, ms / 2));
        EXPECT_GT(cost_range(m).high, std::max(64.0, ms / 2));
        EdgeCanvas canvas;
        ui::WidgetState widgets;
        ui::Input mouse;
        ui::Ui ui(canvas, mouse, ui::theme(ui::ThemeKind::dark), widgets, {0, 0, 1600, 1000});
        std::vector<SceneCommand> out;
        for (const ui::Rect area : {ui::Rect{300, 200, 900, 300}, ui::Rect{300, 200, 400, 160}}) {
            draw_bottleneck_chart({input, m, state, ui, out}, area);
            draw_bottleneck_facts({input, m, state, ui, out}, area);
            EXPECT_GE(canvas.top, area.y) << ms;
            EXPECT_LE(canvas.bottom, area.bottom()) << ms;
            canvas.top = 1e9F, canvas.bottom = -1e9F;
        }
    }
}

// Every number that is drawn, or behind what is drawn: passes, what they are held against, and what is printed.
TEST(BottleneckScene, TellsEveryPassWithItsNumbersInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const int beat : {2, kFormsBeat}) {
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + " beat " + std::to_string(beat));
            Bottleneck window(true, {0, 0, 1600, 1000}, true, true);
            window.beat(beat);
            const SceneInput input = window.input();
            const BottleneckModel m = bottleneck_model(input, {});
            const std::vector<ui::ToldMessage> told = told_at(input, beat);
            const std::vector<const PassTimes*> models = m.all();
            std::vector<const PassTimes*> measured = models;
            for (const PassTimes* of : m.forms)
                if (of != measured.front()) measured.push_back(of);
            EXPECT_EQ(measured.size(), beat == kFormsBeat ? 4U : 2U);
            std::size_t passes = 0;
            for (const PassTimes* of : measured) {
                const bool form = std::ranges::find(models, of) == models.end();
                for (const PassTime& pass : of->passes) {
                    const auto found = std::ranges::find_if(told, [&](const ui::ToldMessage& one) {
                        const Said& said = one.message.said;
                        return said.text == "chart.pass" && test::words(said, "model") == of->model &&
                               test::whole(said, "bits") == (form ? bits_of(of->form) : 0) && test::whole(said, "tokens") == pass.rows;
                    });
                    ASSERT_NE(found, told.end()) << of->model << " " << pass.rows;
                    const Said& said = found->message.said;
                    EXPECT_EQ(test::whole(said, "marked"), pass.rows == m.marked);
                    EXPECT_EQ(test::real(said, "ms"), pass.ms);
                    EXPECT_EQ(test::real(said, "median"), pass.median);
                    EXPECT_EQ(test::whole(said, "repeats"), pass.repeats);
                    EXPECT_EQ(test::real(said, "each"), pass.ms / pass.rows);
                    EXPECT_EQ(test::real(said, "share"), std::min(1.0, of->arithmetic_share(pass)));
                    expect_pass_factor(test::inner(said, "times"), pass.ms / of->passes.front().ms);
                    for (const double number : {pass.ms, pass.median, pass.ms / pass.rows})
                        EXPECT_NE(found->message.find(ui::number(number, 3)), std::string::npos) << found->message;
                    ++passes;
                }
            }
            EXPECT_EQ(test::all_said(told, "bottleneck.chart.pass").size(), passes) << "each once";
            for (const Said& said : test::all_said(told, "bottleneck.fact.read")) {
                const PassTimes* of = test::words(said, "model") == "bundle S" ? m.times : m.beside;
                const auto same = std::ranges::find(measured, test::real(said, "size"), &PassTimes::read_bytes);
                ASSERT_NE(same, measured.end());
                EXPECT_EQ(test::real(said, "rate"), of->bandwidth_gbs);
                EXPECT_EQ(test::real(said, "ms"), (*same)->floor_ms());
            }
            for (const Said& said : test::all_said(told, "bottleneck.fact.product"))
                EXPECT_EQ(test::real(said, "rate"), (test::words(said, "model") == "bundle S" ? m.times : m.beside)->product_rate);
            EXPECT_EQ(test::all_said(told, "bottleneck.fact.read").size(), measured.size());
            EXPECT_EQ(test::all_said(told, "bottleneck.fact.product").size(), measured.size());
            std::vector<Said> figures;
            for (const PublishedFigure* figure : printed_shares(input.figures)) {
                const Said standing{"bottleneck",
                                    figure->standing == Standing::wrong     ? "details.standing:wrong"
                                    : figure->standing == Standing::derived ? "details.standing:derived"
                                                                            : "details.standing:as_said",
                                    {}};
                figures.push_back({"bottleneck",
                                   "details.figure",
                                   {{"claim", std::vector<Said>{claim_said(*figure)}},
                                    {"value", std::vector<Said>{value_said(*figure)}},
                                    {"standing", std::vector<Said>{standing}}}});
            }
            EXPECT_EQ(figures.size(), 4U);
            EXPECT_EQ(test::all_said(told, "bottleneck.details.figure"), figures);
        }
}

TEST(BottleneckScene, GivesBothSharesOfTheBestRate) {
    Bottleneck window(true);
    SceneInput input = window.input();
    PassTimes times = made_passes();
    times.product_rate = std::nan(""); // there was no memory for it
    input.passes = test::unowned(times);
    input.beat = 2;
    const Message text = bottleneck_story(input, bottleneck_model(input, {}), {}).text;
    EXPECT_EQ(text.said.id(), "bottleneck.many.text:wide");
    EXPECT_NEAR(test::real(text.said, "rate"), 2.4 / 16, 1e-9);
    EXPECT_NEAR(test::real(text.said, "wide_rate"), 1, 1e-9);
    EXPECT_NE(text.find("ran at " + ui::percent(0.15) + " of the best rate seen, now at " + ui::percent(1)), std::string::npos) << text;
}

// What is said of the loaded model and of a real shape, by made-up times of a quiet and a busy machine.
struct Told {
    PassTimes own = test::passes_in_cache(), shape = test::passes_of_a_shape();
    Bottleneck window{true};
    SceneInput input = window.input();
    Told() {
        input.passes = test::unowned(own);
        input.passes_beside = test::unowned(shape);
    }
    [[nodiscard]] BottleneckModel model(int beat) {
        input.beat = beat;
        return bottleneck_model(input, {});
    }
    [[nodiscard]] StageTitle title(int beat = 3) { return bottleneck_title(model(beat)); }
    [[nodiscard]] Story story(int beat) { return bottleneck_story(input, model(beat), {}); }
    [[nodiscard]] std::vector<ui::ToldMessage> told(int beat = 3) { return told_at(input, beat); }
    [[nodiscard]] std::string words(int beat = 3) { return in_words(told(beat)); }
};

TEST(BottleneckScene, SaysWhatTheTinyModelIsAndShowsARealShapeBesideIt) {
    Told told;
    EXPECT_EQ(told.model(3).focus, &told.shape);
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 1.00× the time of one at 269 MB, 6.25× at 2.0 MB");
    EXPECT_NE(told.title().subtitle.find("smollm2-135m and bundle S, 64 tokens"), std::string::npos);
    EXPECT_EQ(told.title().subtitle.find("doubt"), std::string::npos);
    const std::string words = told.words();
    for (const std::string& fact : std::initializer_list<std::string>{
             "smollm2-135m, 269 MB of weights", "random weights of a real shape: speed right, text meaningless",
             "read from memory, at " + ui::percent(0.9) + " of the bandwidth", "1 token: 20.00 ms; 8 tokens: 1.00×",
             "up to 8 tokens a pass costs less than two", "bundle S, 2.0 MB of weights",
             "stays in the cache of 32 MB: bound by arithmetic from 3 tokens on", "8 tokens: 6.25×",
             "up to 2 tokens a pass costs less than two"})
        EXPECT_NE(words.find(fact), std::string::npos) << fact << "\n" << words;
    const Said beside = test::inner(told.story(2).text.said, "beside");
    EXPECT_EQ(test::words(beside, "model"), "bundle S");
    EXPECT_EQ(test::real(beside, "size"), 2e6);
    expect_pass_factor(test::inner(beside, "times"), 4.9 / 0.4); // of 16 tokens
    EXPECT_EQ(test::whole(beside, "cached"), 1);
    EXPECT_EQ(test::whole(beside, "arithmetic"), 1);
    const Said bend = told.story(3).text.said;
    EXPECT_EQ(bend.id(), "bottleneck.full.text:bend");
    EXPECT_EQ(test::whole(bend, "tokens"), 8);
    EXPECT_EQ(test::words(bend, "model"), "smollm2-135m");
    EXPECT_EQ(test::whole(bend, "other_tokens"), 2);
    EXPECT_EQ(test::words(bend, "other"), "bundle S");
    EXPECT_EQ(told.story(4).heading.said.id(), "bottleneck.guessing.heading:pays");
    const std::vector<Said> costs = test::list(told.story(4).text.said, "costs");
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_EQ(test::words(costs[0], "model"), "smollm2-135m");
    expect_pass_factor(test::inner(costs[0], "times"), 1);
    EXPECT_EQ(test::words(costs[1], "model"), "bundle S");
    expect_pass_factor(test::inner(costs[1], "times"), 1.3 / 0.4);
    EXPECT_NE(told.story(4).text.find("1.00× in smollm2-135m, 3.25× in bundle S"), std::string::npos) << told.story(4).text;
}

// What is read faster than a plain read of as many bytes has no share of its bandwidth, and no cause that was measured.
TEST(BottleneckScene, NamesNoShareOfTheBandwidthAboveAllOfIt) {
    Told told;
    for (const double gbs : {told.shape.bandwidth_gbs, told.shape.bandwidth_gbs * 0.7}) {
        told.shape.bandwidth_gbs = gbs;
        const bool cached = told.shape.read_share(told.shape.passes.front()) > 1;
        EXPECT_NE(told.words().find(cached ? "faster than a plain read" : "at " + ui::percent(0.9) + " of the bandwidth"),
                  std::string::npos);
    }
    EXPECT_EQ(told.words().find("% of the bandwidth"), std::string::npos) << told.words();
}

// Eight tokens take no less than one, and no more than eight: where times in doubt say otherwise no ratio is told, beside a curve that
// shows the times, and nothing that would explain it.
TEST(BottleneckScene, TellsNoRatioThatCannotBe) {
    Told told;
    told.shape.other_cores = told.own.other_cores = 1.7;
    for (PassTime& pass : told.shape.passes)
        if (pass.rows > 1) pass.ms = pass.median = 0.8 * told.shape.passes.front().ms;
    EXPECT_EQ(factor_words(told.shape, 8), "in doubt");
    const std::string words = told.words();
    EXPECT_NE(words.find("8 tokens: in doubt"), std::string::npos) << words;
    for (const char* never : {"0.80×", " 6.25×"}) EXPECT_EQ(words.find(never), std::string::npos) << never << '\n' << words;
    for (const Message& line : model_facts(told.shape, 8))
        for (const char* cause : {"bottleneck.fact.limit:memory", "bottleneck.fact.limit:arithmetic", "bottleneck.fact.limit:cached",
                                  "bottleneck.fact.limit:read", "bottleneck.fact.cheap"})
            EXPECT_NE(line.said.id(), cause);
    SceneBench& bench = *told.window.bench;
    told.window.published.passes = test::unowned(told.own);
    told.window.published.passes_beside = test::unowned(told.shape);
    bench.controller.observe(told.window.published, bench.time);
    told.window.beat(2);
    EXPECT_EQ(bench.words.find("10.00×"), std::string::npos) << bench.words;
    EXPECT_NE(bench.words.find(": ~"), std::string::npos) << bench.words;
}

// Nothing is promised that no chart shows.
TEST(BottleneckScene, PromisesAGainOnlyWhereFourRowsCostLessThanTwoPasses) {
    Told told;
    told.input.passes_beside = nullptr;
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 6.25× the time of one");
    EXPECT_EQ(told.story(4).heading.said.id(), "bottleneck.guessing.heading:costs");
    EXPECT_EQ(test::whole(told.story(4).text.said, "in_doubt"), 0);
    expect_pass_factor(test::inner(test::inner(told.story(4).text.said, "costs"), "times"), 1.3 / 0.4);
    EXPECT_NE(told.story(4).text.find("3.25× in bundle S. Four rows cost two passes or more"), std::string::npos) << told.story(4).text;
    told.input.passes = nullptr;
    EXPECT_TRUE(told.story(4).text.starts_with("Recorded elsewhere")) << "nothing was measured here: " << told.story(4).text;
}

TEST(BottleneckScene, NoHeadlineUsesTimesInDoubt) {
    Told told;
    told.shape.other_cores = 1.3;
    EXPECT_EQ(told.model(3).focus, &told.own);
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 6.25× the time of one at 2.0 MB");
    EXPECT_NE(told.title().subtitle.find("in doubt: other programs kept 1.3 cores busy"), std::string::npos);
    EXPECT_EQ(told.story(4).heading.said.id(), "bottleneck.guessing.heading:costs") << "not by the shape's times";
    const Said why = test::inner(test::only_said(told.told(), "bottleneck.fact.doubt"), "why");
    EXPECT_EQ(why.id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(why, "cores"), 1.3);
    told.own.passes[3].median = 2 * told.own.passes[3].ms;
    EXPECT_EQ(told.title().title, "What a pass costs: timing in doubt");
    EXPECT_EQ(test::whole(told.story(4).text.said, "in_doubt"), 1) << told.story(4).text;
    EXPECT_EQ(told.story(2).text.said.id(), "bottleneck.words.measure_again");
}

TEST(BottleneckScene, SaysWhyTheRealShapeIsNotThere) {
    Told told;
    PassTimes none;
    none.model = "smollm2-135m";
    none.problem = "out of memory: need 300 MiB, 12 MiB available";
    told.input.passes_beside = test::unowned(none);
    EXPECT_EQ(test::words(test::only_said(told.told(), "bottleneck.fact.unmeasured"), "model"), "smollm2-135m");
    EXPECT_EQ(test::words(test::only_said(told.told(), "bottleneck.fact.problem"), "problem"), none.problem);
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 6.25× the time of one");
}

TEST(BottleneckScene, ShowsHowFarItIsAndCanBeStopped) {
    Bottleneck window(true);
    window.beat(3);
    window.published.status.timed_model = "smollm2-135m";
    window.published.status.timed = 0.6;
    window.bench->controller.observe(window.published, window.bench->time);
    window.bench->settle();
    EXPECT_TRUE(window.bench->shows("timing passes of smollm2-135m, " + ui::percent(0.6))) << window.bench->words;
    window.bench->key(ui::Key::m);
    EXPECT_TRUE(window.sent.empty()) << "it is under way";
    window.bench->key(ui::Key::escape);
    ASSERT_EQ(window.sent.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<Cancel>(window.sent.back()));
}

TEST(BottleneckScene, DoubtsAPassThatAWiderOneOutran) {
    Bottleneck window(true);
    PassTimes times = made_passes();
    SceneInput input = window.input();
    input.passes = test::unowned(times);
    input.beat = 2;
    const auto told = [&] { return in_words(told_at(input, 2)); };
    EXPECT_EQ(told().find("in doubt"), std::string::npos);
    times.passes[0].ms = times.passes[0].median = 5; // one token slower than two
    EXPECT_NE(told().find("timing in doubt"), std::string::npos);
    EXPECT_NE(told().find("These times are in doubt"), std::string::npos);
    EXPECT_EQ(test::inner(test::only_said(told_at(input, 2), "bottleneck.fact.doubt"), "why").id(), "bottleneck.doubt.outrun");
}

TEST(BottleneckScene, MeasuresOnDemand) {
    Bottleneck window(false);
    EXPECT_TRUE(window.bench->shows("One token or many: what does a pass cost?"));
    window.bench->key(ui::Key::m);
    ASSERT_EQ(window.sent.size(), 1u);
    const auto* asked = std::get_if<MeasurePasses>(&window.sent.back());
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->beside, kRealShape);
}

// The question is about sixteen tokens, and so is the answer; a width that the user chose stays.
TEST(BottleneckScene, AnswersForAsManyTokensAsItAsksAbout) {
    Bottleneck window(true);
    SceneInput input = window.input();
    for (const int beat : {kQuestionBeat, kQuestionBeat + 1}) {
        input.beat = beat;
        EXPECT_EQ(bottleneck_model(input, {}).marked, kAsked) << beat;
        EXPECT_EQ(bottleneck_model(input, {.rows = 4}).marked, 4) << beat;
    }
    window.beat(kQuestionBeat + 1);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("The same 16 tokens")) << window.bench->words;
}

// Who measured before the lesson, or draws a handout, still asks before it is told.
TEST(BottleneckScene, ShowsNoTimesBeforeTheAnswer) {
    Bottleneck window(true);
    for (const int beat : {0, kQuestionBeat}) {
        window.beat(beat);
        for (const char* told : {"Time of a pass", "2.40", "4.80", "1.20"})
            EXPECT_FALSE(window.bench->shows(told)) << beat << ": " << window.bench->words;
        const std::string words = find_scene("bottleneck")->make()->describe(window.input());
        EXPECT_EQ(words.find("2.40"), std::string::npos) << words;
    }
    EXPECT_TRUE(window.bench->shows("Sixteen tokens in one pass: how much longer?")) << window.bench->words;
    window.beat(0);
    EXPECT_TRUE(window.bench->shows("the warehouse, all of it")) << window.bench->words;
    window.beat(kQuestionBeat);
    window.bench->key(ui::Key::m);
    EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×")) << window.bench->words;
    window.beat(0);
    window.beat(kQuestionBeat);
    EXPECT_FALSE(window.bench->shows("2.40")) << "the next room is asked again";
}

TEST(BottleneckScene, DrawsAPictureBeforeAnythingIsMeasured) {
    Bottleneck window(false);
    EXPECT_TRUE(window.bench->shows("the walk, for every token")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("will stand here"));
    window.beat(kQuestionBeat);
    for (int i = 0; i < std::ssize(kSayings); ++i) EXPECT_TRUE(window.bench->shows(said_aloud(i))) << said_aloud(i);
}

// A presenter has no controls and a laptop keeps them in a drawer: the answer is chosen with keys, and the
// story names them.
TEST(BottleneckScene, IsAnsweredByKeysBeforeItIsMeasured) {
    for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1366, 768, "1366x768"}, Size{1600, 1000, "1600x1000"}})
        for (const bool presenter : {false, true}) {
            const float scale = presenter ? presenter_scale({s.w, s.h}) : 1;
            Bottleneck window(false, {0, 0, s.w / scale, s.h / scale});
            window.bench->controller.window = {s.w, s.h};
            if (presenter) window.bench->key(ui::Key::f5);
            window.beat(kQuestionBeat);
            const std::string what = std::string(s.name) + (presenter ? " presenter: " : ": ");
            const SceneInput input = window.input();
            const std::string story = bottleneck_story(input, bottleneck_model(input, {}), {}).text;
            EXPECT_NE(story.find("Choose with ↑ ↓, then press M."), std::string::npos) << what << story;
            EXPECT_TRUE(window.bench->shows("↑")) << what << window.bench->words;
            window.bench->key(ui::Key::down);
            window.bench->key(ui::Key::down);
            window.bench->key(ui::Key::m);
            window.finish_measuring();
            EXPECT_TRUE(window.bench->shows("You said 4×, the nearest")) << what << window.bench->words;
            EXPECT_TRUE(window.bench->shows("Sixteen tokens at once cost 2.40×")) << what << window.bench->words;
        }
}

// Whoever turns the page before this machine is timed sees another machine's times, and reads that they are.
TEST(BottleneckScene, ShowsRecordedTimesUntilThereAreLiveOnes) {
    const RecordedPasses* shape = recorded_passes(kRealShape);
    ASSERT_NE(shape, nullptr);
    Bottleneck window(false);
    for (const int beat : {0, kQuestionBeat}) {
        window.beat(beat);
        EXPECT_FALSE(window.bench->shows("RECORDED")) << "the question is open";
        EXPECT_EQ(bottleneck_model(window.input(), {}).times, nullptr);
    }
    for (const int beat : {2, 3, 4}) {
        window.beat(beat);
        EXPECT_TRUE(window.bench->shows("RECORDED")) << window.bench->words;
        EXPECT_TRUE(window.bench->shows("recorded on " + shape->machine + ", " + shape->date)) << window.bench->words;
        EXPECT_FALSE(window.bench->shows("will stand here")) << window.bench->words;
        const BottleneckModel m = bottleneck_model(window.input(), {});
        ASSERT_TRUE(m.measured());
        EXPECT_FALSE(m.timed_here());
        const Story story = bottleneck_story(window.input(), m, {});
        EXPECT_TRUE(story.text.starts_with("Recorded elsewhere")) << story.text;
        EXPECT_EQ(story.text.find("Measure to see"), std::string::npos) << story.text;
        EXPECT_FALSE(story.task_done) << "this machine is still to be timed";
        EXPECT_EQ(bottleneck_title(m).title.find("doubt"), std::string::npos) << bottleneck_title(m).title;
        EXPECT_NE(in_words(told_at(window.input(), beat)).find("Data: RECORDED"), std::string::npos);
    }
    window.bench->key(ui::Key::b);
    EXPECT_TRUE(window.sent.empty()) << "fewer bytes are held against this machine's own times";
    window.published.status.timed_model = "bundle S";
    window.published.status.timed = 0.5;
    window.bench->controller.observe(window.published, window.bench->time);
    window.bench->settle();
    EXPECT_TRUE(window.bench->shows("now timing passes of bundle S")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("The loaded model is being timed: these are others")) << "no figure of those stands in the title";
    window.published.status.timed_model.clear();
    window.finish_measuring();
    EXPECT_FALSE(window.bench->shows("ecorded")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("LIVE"));
    window.beat(kFormsBeat);
    EXPECT_TRUE(window.bench->shows("press B")) << window.bench->words;
}

// Arrows and the stepper choose a width: Tab does not stop at marks, which draw no ring.
TEST(BottleneckScene, TabStopsAtControlsOnly) {
    Bottleneck window(true);
    window.beat(kQuestionBeat + 1);
    const auto id = [&](const std::string& name) { return id_in(*window.bench, "bottleneck", name); };
    const std::set<ui::Id> stops = tab_stops(*window.bench);
    EXPECT_TRUE(stops.contains(id("measure")));
    for (const PassTime& pass : made_passes().passes) EXPECT_FALSE(stops.contains(id("pass " + std::to_string(pass.rows)))) << pass.rows;
}

TEST(BottleneckScene, HoldsWhatWasSaidAgainstWhatWasMeasured) {
    Bottleneck window(true);
    BottleneckState state;
    const BottleneckModel m = bottleneck_model(window.input(), state);
    EXPECT_EQ(verdict_words(m, state), "");
    state.said = 1;
    const Said said = verdict_words(m, state).said;
    EXPECT_EQ(test::whole(said, "said"), 4);
    EXPECT_EQ(test::whole(said, "nearest"), 1);
    expect_pass_factor(test::inner(said, "times"), 2.4);
    EXPECT_EQ(verdict_words(m, state), "You said 4×, the nearest: it is 2.40×.");
    state.said = 2;
    EXPECT_EQ(verdict_words(m, state), "You said 16×: it is 2.40×.");
    EXPECT_EQ(verdict_words(BottleneckModel{}, state), "") << "nothing was measured";
    window.bench->controller.perform({SceneCommand{SetBeat{1}}}, 0);
    window.bench->settle();
    window.bench->click(window.bench->find("16×"));
    window.bench->settle();
    EXPECT_TRUE(window.bench->shows("You said 16×")) << window.bench->words;
}

// ---- the same shape in fewer bytes ----

struct InForms : Told {
    std::vector<PassTimes> forms = made_forms();
    InForms() { input.passes_forms = test::unowned(forms); }
    [[nodiscard]] std::string words() { return Told::words(kFormsBeat); }
    [[nodiscard]] StageTitle title() { return bottleneck_title(model(kFormsBeat)); }
    [[nodiscard]] std::string text() { return story(kFormsBeat).text; }
};

TEST(BottleneckForms, HoldsOneShapeInSeveralFormsAgainstEachOther) {
    InForms told;
    const BottleneckModel m = told.model(kFormsBeat);
    ASSERT_EQ(m.forms.size(), 3u);
    EXPECT_EQ(m.forms[0], &told.shape) << "most bytes first";
    EXPECT_EQ(m.forms[2]->form, DType::q4_0);
    EXPECT_EQ(m.clock(*m.forms[2]), 20) << "all by one token in 16 bits";
    EXPECT_LT(cost_range(m).low, 0.38);
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 1.00× the time of one in 16 bits, 1.75× in 8, 2.89× in 4");
    EXPECT_EQ(told.title().short_title, "Eight at once: 1.00× in 16 bits, 1.75× in 8, 2.89× in 4");
    EXPECT_EQ(told.title().subtitle, "smollm2-135m in 16, 8 and 4 bits, 64 tokens before the pass");
    EXPECT_EQ(told.title().tier, ui::Tier::live);
    EXPECT_EQ(bottleneck_title(bottleneck_model(told.input, {.rows = 1})).title,
              "One token takes 0.63× the time of 16 bits in 8 bits, 0.38× in 4");
    const std::string text = told.text();
    EXPECT_NE(text.find("In 4 bits smollm2-135m reads 75 MB a pass instead of 269 MB. One token takes 7.60 ms instead of "
                        "20.00, eight at once 2.89× that instead of 1.00×. Fewer bytes make plain decoding faster and "
                        "checking relatively dearer"),
              std::string::npos)
        << text;
    const std::string words = told.words();
    for (const char* fact : {"8 bits (Q8_0), 143 MB of weights", "4 bits (Q4_0), 75 MB of weights", "bundle S, 2.0 MB"})
        EXPECT_NE(words.find(fact), std::string::npos) << fact << "\n" << words;
    const Said timed = told.story(kFormsBeat).text.said;
    EXPECT_EQ(test::whole(timed, "bits"), 4);
    EXPECT_EQ(test::real(timed, "fewer"), 269e6 * 0.28);
    EXPECT_EQ(test::real(timed, "more"), 269e6);
    EXPECT_EQ(test::whole(timed, "rows"), 8);
    EXPECT_NEAR(test::real(timed, "fewer_ms"), 7.6, 1e-9);
    EXPECT_EQ(test::real(timed, "more_ms"), 20);
    EXPECT_NEAR(test::real(timed, "fewer_times"), 22 / 7.6, 1e-9);
    EXPECT_EQ(test::real(timed, "more_times"), 1);
    EXPECT_EQ(test::inner(timed, "finding").id(), "bottleneck.words.bytes:dearer");
    for (int beat = 0; beat < kBottleneckBeats; ++beat) EXPECT_EQ(told.model(beat).forms.empty(), beat != kFormsBeat) << beat;
}

TEST(BottleneckForms, SaysNothingByTimesInDoubt) {
    InForms told;
    told.forms[1].other_cores = 1.3;
    EXPECT_EQ(told.title().title, "Eight tokens at once cost 1.00× the time of one in 16 bits, 1.75× in 8");
    EXPECT_NE(told.title().subtitle.find("in doubt: other programs kept 1.3 cores busy"), std::string::npos);
    EXPECT_NE(told.text().find("In 8 bits"), std::string::npos) << told.text();
    EXPECT_EQ(told.text().find("2.89"), std::string::npos) << told.text();
    told.forms[0].passes[3].median = 2 * told.forms[0].passes[3].ms;
    EXPECT_EQ(told.title().title, "What fewer bytes do: timing in doubt");
    EXPECT_EQ(told.story(kFormsBeat).text.said.id(), "bottleneck.forms.text:in_doubt");
    EXPECT_NE(told.words().find("in doubt"), std::string::npos);
}

// Only what can be told apart is told.
TEST(BottleneckForms, ClaimsNoMoreThanTheTimesTell) {
    InForms told;
    told.forms.pop_back();
    PassTimes& eight = told.forms.front();
    for (std::size_t i = 0; i < eight.passes.size(); ++i) {
        eight.passes[i].ms = told.shape.passes[i].ms * 0.6;
        eight.passes[i].median = eight.passes[i].ms * 1.05;
    }
    EXPECT_NE(told.text().find("that checking became dearer cannot be told"), std::string::npos) << told.text();
    for (std::size_t i = 0; i < eight.passes.size(); ++i) eight.passes[i].ms = eight.passes[i].median = told.shape.passes[i].ms;
    EXPECT_NE(told.text().find("That fewer bytes make plain decoding faster cannot be told"), std::string::npos) << told.text();
}

// A large model that is loaded in few bits: its own times beside random weights of its shape, and its form is named.
TEST(BottleneckForms, ComparesALargeLoadedModelWithItsOwnShape) {
    InForms told;
    told.own = test::passes_in_form(DType::q4_1, 0.3);
    told.own.model = "SmolLM2", told.own.random_weights = false;
    told.input.passes_beside = nullptr;
    EXPECT_TRUE(told.model(kFormsBeat).forms.empty()) << "of another shape";
    for (PassTimes& of : told.forms) of.model = "SmolLM2";
    told.forms[1] = test::passes_of_a_shape(), told.forms[1].model = "SmolLM2";
    const BottleneckModel m = told.model(kFormsBeat);
    ASSERT_EQ(m.forms.size(), 3u);
    EXPECT_EQ(m.forms.back(), &told.own);
    EXPECT_EQ(told.title().subtitle, "SmolLM2 in 16, 8 and 4 bits, 64 tokens before the pass");
    EXPECT_EQ(form_facts(m, told.own)[0], "4 bits (Q4_1), 81 MB of weights");
    EXPECT_EQ(form_facts(m, told.own)[1], "SmolLM2");
    EXPECT_NE(told.words().find("4 bits (Q4_1), 81 MB of weights"), std::string::npos) << told.words();
}

TEST(BottleneckForms, SaysWhyAFormIsNotThere) {
    InForms told;
    for (PassTimes& of : told.forms) of.passes.clear(), of.problem = "the backend cuda keeps no Q8_0 matrices of this shape";
    EXPECT_NE(told.title().subtitle.find("could not be timed: the backend cuda keeps no Q8_0"), std::string::npos);
    const std::vector<Said> missing = test::all_said(told.told(kFormsBeat), "bottleneck.fact.form_unmeasured");
    ASSERT_EQ(missing.size(), 2U);
    EXPECT_EQ(test::words(missing[0], "form"), "Q8_0");
    EXPECT_EQ(test::words(missing[1], "form"), "Q4_0");
    for (const Said& problem : test::all_said(told.told(kFormsBeat), "bottleneck.fact.problem"))
        EXPECT_EQ(test::words(problem, "problem"), told.forms[0].problem);
    EXPECT_NE(told.text().find("could not be timed"), std::string::npos) << told.text();
}

TEST(BottleneckForms, AreTimedOnDemandAndShownThen) {
    Bottleneck window(false);
    window.beat(2);
    window.bench->key(ui::Key::b);
    EXPECT_TRUE(window.sent.empty()) << "there is nothing to hold them against";
    window.finish_measuring();
    window.bench->key(ui::Key::b);
    ASSERT_EQ(window.sent.size(), 1u);
    const auto* asked = std::get_if<MeasurePasses>(&window.sent.back());
    ASSERT_TRUE(asked);
    EXPECT_TRUE(asked->forms);
    EXPECT_EQ(asked->beside, kRealShape);
    window.bench->settle();
    EXPECT_EQ(window.input().beat, kFormsBeat);
    EXPECT_TRUE(window.bench->shows("press B to time bundle S in other forms")) << window.bench->words;
    window.bench->click(window.bench->find("In fewer bytes"));
    EXPECT_EQ(window.sent.size(), 2u);
}

TEST(BottleneckForms, AreDrawnOnOneClock) {
    Bottleneck window(true, {0, 0, 1600, 1000}, true, true);
    window.beat(kFormsBeat);
    for (const char* shown : {"Time of a pass, by that of one token in 16 bits", "8 bits (Q8_0), 143 MB of weights",
                              "1 token: 7.60 ms, 0.38× of 16 bits; 8 tokens: 2.89×",
                              "One token, and 8 tokens at once, on one clock, smollm2-135m", "7.60 → 22.00 ms, 2.89×"})
        EXPECT_TRUE(window.bench->shows(shown)) << shown << "\n" << window.bench->words;
    window.beat(kFormsBeat - 1);
    EXPECT_FALSE(window.bench->shows("Q8_0")) << window.bench->words;
}

TEST(BottleneckScene, NothingCollidesWhereEverythingIsShown) {
    for (const bool measured : {true, false})
        for (const Size& s : kSizes) {
            Bottleneck window(measured, {0, 0, s.w, s.h}, measured, measured);
            for (int beat = 0; beat < kBottleneckBeats; ++beat) {
                window.beat(beat);
                look(*window.bench, std::string("bottleneck ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
            }
        }
}

} // namespace
} // namespace speclens
