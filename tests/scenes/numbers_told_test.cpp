// Scene S16 in words and as data: each figure with its numbers, in both languages.
//
// What stood in the description that was written by hand, and which message has it now:
//
//     shown: … of …, with “…”, that stand against another, …      subtitle.pairs {shown} {all}; subtitle.shown {shown} {query} {disputed}
//     {wrong} {method} first the 9 that count differently, the … that name most    subtitle.shown {counting} {repeatable} … figures stand
//     against another one, miss their source      title.disputed, wrong.title {figures} … of … figures name enough to be repeated
//     here.title {repeatable} {figures}
//     "> 4.86 tokens, eagle3: claim (conditions); disputed"       table.row {marked} {value} {method} {claim} {conditions} {disputed}
//     "; wrong in its source: …; printed …, right …"              table.row:wrong {reason} {printed} {right}
//     "arXiv:…, Figure 1, 2026-05; second-hand: …"                figure.citation {identifier} {place} {date}; figure.standing {reason}
//     "Against ID: why"                                           details.against {value} {id} {why}
//     "EAGLE-3. Takes: …; Published: 2025, …; Served by: …"       shared.kin.drafter, takes, sequential, keeps, published {year} {source},
//     served
//
// And what tests looked for on the screen: "41 of 545" is controls.position:one {at} {of}, "value ↑" table.sorted {column} {falling},
// "Takes: ", "One after the other: ", "Served by: " the shared.kin above, "Against " details.against, "another number" title.pairs, "with
// “spec-bench”", "that stand against another", "that are wrong in their source", "first the 9 that count differently" and "that name most
// of their conditions" subtitle.shown, "the published figures are not at hand" shared.figures.none.
#include <gtest/gtest.h>

#include <cctype>
#include <span>

#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/words.h"
#include "tests/shared/numbers_bench.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "ui/language/language.h"

namespace speclens {
namespace {

using test::Listed;
using test::said_in;

Said of_figure(std::string_view text, std::vector<SaidValue> values) { return {"numbers", text, std::move(values)}; }

// The value as it must be told, made of what the file has.
void expect_value(const Said& value, const PublishedFigure& figure) {
    constexpr const char* kForms[] = {"exact", "about", "up_to", "below", "over", "range", "list"};
    EXPECT_EQ(value.id(), std::string("numbers.figure.value:") + kForms[static_cast<int>(figure.form)]) << figure.id;
    if (figure.form == Form::list) {
        EXPECT_EQ(test::whole(value, "values"), std::ssize(figure.values)) << figure.id;
        return;
    }
    EXPECT_EQ(test::real(value, "value"), figure.values.front()) << figure.id;
    if (figure.form == Form::range) {
        EXPECT_EQ(test::real(value, "to"), figure.values.back()) << figure.id;
    }
    EXPECT_EQ(test::list(value, "unit").size(), figure.unit == "fraction" ? 0U : 1U) << figure.id;
}

// Of a list every number, else the value.
void expect_values(const std::vector<Said>& values, const PublishedFigure& figure) {
    if (figure.form != Form::list) {
        ASSERT_EQ(values.size(), 1U) << figure.id;
        return expect_value(values[0], figure);
    }
    std::vector<Said> numbers;
    for (const double value : figure.values) numbers.push_back(of_figure("figure.number", {{"value", value}}));
    EXPECT_EQ(values, numbers) << figure.id;
}

Said words_of_figure(std::string_view text, const std::string& words) { return {"published", text, {{"english", words}}}; }

std::vector<Said> conditions_in(const PublishedFigure& figure) {
    std::vector<Said> list;
    for (const std::string& name :
         {figure.variant, figure.model.value_or(""), figure.dataset.value_or(""), figure.hardware.value_or(""), figure.engine.value_or("")})
        if (!name.empty()) list.push_back(words_of_figure("figure.condition", name));
    if (figure.batch) list.push_back(of_figure("figure.condition:batch", {{"requests", std::int64_t{*figure.batch}}}));
    if (figure.budget) list.push_back(of_figure("figure.condition:budget", {{"tokens", std::int64_t{*figure.budget}}}));
    if (figure.temperature) list.push_back(of_figure("figure.condition:temperature", {{"temperature", *figure.temperature}}));
    return list;
}

// As the language that is spoken writes a number.
std::string written_number(double value) {
    std::string text = published_number(value);
    const std::size_t point = text.find('.');
    if (point != std::string::npos) text[point] = ui::language().decimal;
    if (std::min(point, text.size()) == 4) text.insert(1, "\u2009"); // a source's 1280 is 1 280
    return text;
}

void expect_row(const Message& row, const NumbersModel& m, std::size_t i) {
    const PublishedFigure& figure = *m.rows[i];
    const bool wrong = figure.standing == Standing::wrong;
    EXPECT_EQ(row.said.id(), wrong ? "numbers.table.row:wrong" : "numbers.table.row:as_printed");
    EXPECT_EQ(test::whole(row.said, "marked"), static_cast<int>(i) == m.selected);
    EXPECT_EQ(test::whole(row.said, "of_beat"), static_cast<int>(i) < m.of_beat);
    expect_value(test::inner(row.said, "value"), figure);
    EXPECT_EQ(test::words(row.said, "method"), figure.method);
    EXPECT_EQ(test::english(row.said, "claim"), figure.claim);
    EXPECT_EQ(test::list(row.said, "conditions"), conditions_in(figure)) << row;
    const auto writes = [&](const std::string& words) { EXPECT_NE(row.find(words), std::string::npos) << words << "\n" << row; };
    writes(figure.method + ": " + message(claim_said(figure)).words());
    if (static_cast<int>(i) == m.selected) writes("> ");
    if (figure.form != Form::list) writes(written_number(figure.values.front()));
    if (figure.form == Form::range) writes("–" + written_number(figure.values.back()));
    for (const auto& name : {figure.model, figure.dataset, figure.hardware, figure.engine})
        writes(name ? message(words_of_figure("figure.condition", *name)).words() : "");
    if (figure.batch) writes("atch " + std::to_string(*figure.batch)); // batch, Batch
    if (figure.budget) writes(std::to_string(*figure.budget) + (ui::language().name == "de" ? " Draft-Token" : " draft tokens"));
    if (figure.temperature) writes("T=" + written_number(*figure.temperature));
    if (!wrong) {
        EXPECT_EQ(test::whole(row.said, "disputed"), !figure.conflicts.empty());
        return;
    }
    EXPECT_EQ(test::english(row.said, "reason"), figure.reason);
    writes(message(reason_said(figure).front()));
    expect_values(test::list(row.said, "printed"), figure);
    if (const PublishedFigure* right = right_figure(*m.figures, figure)) {
        expect_values(test::list(row.said, "right"), *right);
        for (const PublishedFigure* one : {&figure, right})
            for (const double value : one->values) writes(written_number(value));
    } else {
        EXPECT_TRUE(test::list(row.said, "right").empty()) << row;
    }
}

TEST(NumbersScene, TellsEveryFigureWithItsNumbersInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        for (int beat = 0; beat < kNumbersBeats; ++beat) {
            SCOPED_TRACE(std::string(language) + " beat " + std::to_string(beat));
            Listed list;
            list.beat(beat);
            NumbersState state;
            int at = -1;
            follow_numbers_beat(list.input(), state, at);
            const NumbersModel m = numbers_model(list.input(), state);
            std::vector<Message> rows;
            int drawn = 0;
            for (const ui::ToldMessage& one : list.told())
                if (one.message.said.text.starts_with("table.row:")) {
                    rows.push_back(one.message);
                    drawn += one.how == ui::Canvas::Told::drawn;
                }
            ASSERT_EQ(rows.size(), m.rows.size());
            EXPECT_GE(drawn, 6);
            EXPECT_LE(drawn, 30) << "those that the table has room for";
            for (std::size_t i = 0; i < rows.size(); ++i) expect_row(rows[i], m, i);
        }
    }
}

TEST(NumbersScene, TellsHowManyFiguresThereAre) {
    Listed list;
    const std::shared_ptr<const Published> published = list.bench->controller.figures;
    const std::span<const PublishedFigure> figures = published->figures();
    const auto all = std::ssize(figures), repeatable = std::ssize(figures_of_beat(*published, kRepeatBeat));
    const auto disputed = std::ranges::count_if(figures, [](const PublishedFigure& one) { return !one.conflicts.empty(); });
    const auto wrong = std::ranges::count_if(figures, [](const PublishedFigure& one) { return one.standing == Standing::wrong; });
    EXPECT_EQ(test::whole(list.said("subtitle.pairs"), "shown"), 6);
    EXPECT_EQ(test::whole(list.said("subtitle.pairs"), "all"), all);
    const auto shown = [&](int beat, std::int64_t rows, std::int64_t counting, std::int64_t repeated) {
        list.beat(beat);
        const Said subtitle = list.said("subtitle.shown"), position = list.said("controls.position:one");
        EXPECT_EQ(test::whole(subtitle, "shown"), rows) << beat;
        EXPECT_EQ(test::whole(subtitle, "disputed"), beat == kDisputedBeat) << beat;
        EXPECT_EQ(test::whole(subtitle, "wrong"), beat == kWrongBeat) << beat;
        EXPECT_EQ(test::whole(subtitle, "counting"), counting) << beat;
        EXPECT_EQ(test::whole(subtitle, "repeatable"), repeated) << beat;
        EXPECT_EQ(test::whole(position, "of"), rows) << beat;
    };
    shown(kCountingBeat, all, 9, 0);
    EXPECT_TRUE(list.says("counting.title"));
    shown(kDisputedBeat, disputed, 0, 0);
    EXPECT_EQ(test::whole(list.said("title.disputed"), "figures"), disputed);
    EXPECT_EQ(test::whole(list.said("disputed.text"), "figures"), disputed);
    shown(kWrongBeat, wrong, 0, 0);
    EXPECT_EQ(test::whole(list.said("wrong.title"), "figures"), wrong);
    EXPECT_EQ(test::whole(list.said("wrong.text"), "figures"), wrong);
    shown(kRepeatBeat, all, 0, repeatable);
    EXPECT_EQ(test::whole(list.said("here.title"), "repeatable"), repeatable);
    EXPECT_EQ(test::whole(list.said("here.title"), "figures"), all);
    list.beat(0);
    for (int i = 1; i < kFigureFilters; ++i) list.bench->key(ui::Key::c); // from the pairs round to all
    const Said title = list.said("conditions.title");
    EXPECT_EQ(test::whole(title, "figures"), all);
    EXPECT_EQ(test::whole(title, "sources"), std::ssize(published->sources()));
    EXPECT_EQ(test::whole(title, "disputed"), disputed);
    EXPECT_EQ(test::whole(title, "wrong"), wrong);
}

// What the details say of one figure.
std::vector<ui::ToldMessage> details_of(Listed& list, const std::string& id, float height = 1100) {
    SceneInput input = list.input();
    input.details = {0, 0, 500, height};
    NumbersState state;
    state.selected = id;
    const NumbersModel m = numbers_model(input, state);
    ui::RecordCanvas canvas(scene_fonts(), input.details);
    const ui::Input nothing;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, input.details);
    draw_numbers_details({input, m, state, ui, true});
    return canvas.told();
}

void expect_kin(const std::vector<ui::ToldMessage>& told, const DrafterInfo& drafter) {
    const auto words = [&](const char* id, const char* name) { return test::words(said_in(told, id, "shared"), name); };
    const auto said = [&](const char* id, const char* name) { return test::inner(said_in(told, id, "shared"), name); };
    EXPECT_EQ(said("kin.drafter", "drafter"), drafter.title);
    if (drafter.kin.year == 0) return; // one of a user's own
    EXPECT_EQ(said("kin.takes", "takes"), drafter.kin.takes);
    EXPECT_EQ(said("kin.sequential", "sequential"), drafter.kin.sequential);
    EXPECT_EQ(said("kin.keeps", "keeps"), drafter.kin.keeps);
    EXPECT_EQ(test::whole(said_in(told, "kin.published", "shared"), "year"), drafter.kin.year);
    EXPECT_EQ(words("kin.published", "source"), drafter.kin.source);
    EXPECT_EQ(words("kin.served", "engines"), served_words(drafter.kin));
}

// Where it comes from, how it stands to its source, what speaks against it, and what the method is; also where there is no room.
TEST(NumbersScene, TellsWhatIsKnownOfEveryFigure) {
    Listed list;
    const std::shared_ptr<const Published> figures = list.bench->controller.figures;
    std::size_t number = 0;
    for (const PublishedFigure& figure : figures->figures()) {
        SCOPED_TRACE(figure.id);
        const std::vector<ui::ToldMessage> told = details_of(list, figure.id, number++ % 2 == 0 ? 1100 : 90);
        ASSERT_FALSE(told.empty());
        expect_value(told.front().message.said, figure);
        EXPECT_EQ(test::words(said_in(told, "details.method"), "method"), figure.method);
        EXPECT_EQ(test::english(said_in(told, "details.method"), "variant"), figure.variant);
        EXPECT_EQ(test::english(said_in(told, "details.claim"), "claim"), figure.claim);
        EXPECT_EQ(test::list(said_in(told, "details.conditions"), "conditions"), conditions_in(figure));
        const PublishedSource& source = figures->source_of(figure);
        SaidValue place{"place", std::vector<Said>()};
        if (figure.place) place.is = std::vector<Said>{words_of_figure("figure.place", *figure.place)};
        const SaidValue date = figure.date ? SaidValue{"date", *figure.date} : SaidValue{"date"};
        EXPECT_EQ(said_in(told, "figure.citation"), of_figure("figure.citation", {{"identifier", source.identifier}, place, date}));
        constexpr const char* kStandings[] = {"as_published", "second_hand", "derived", "wrong"};
        const Said standing = said_in(told, std::string("figure.standing:") + kStandings[static_cast<int>(figure.standing)]);
        EXPECT_EQ(test::english(standing, "reason"), figure.reason);
        if (figure.form == Form::list) {
            EXPECT_EQ(test::english(said_in(told, "figure.series"), "at"), figure.at);
        }
        std::vector<Said> against;
        for (const ui::ToldMessage& one : told)
            if (one.message.said.text == "details.against") against.push_back(one.message.said);
        ASSERT_EQ(against.size(), figure.conflicts.size());
        for (std::size_t i = 0; i < against.size(); ++i) {
            EXPECT_EQ(test::words(against[i], "id"), figure.conflicts[i].with);
            EXPECT_EQ(test::english(against[i], "why"), figure.conflicts[i].why);
            expect_value(test::inner(against[i], "value"), *figures->find(figure.conflicts[i].with));
        }
        if (const DrafterInfo* drafter = drafter_of_figures(figure.method)) expect_kin(told, *drafter);
    }
}

TEST(NumbersScene, TellsAListInFull) {
    Listed list;
    const PublishedFigure& figure = *list.input().figures->find("dynamo-speedup-70");
    const Said series = said_in(details_of(list, figure.id), "figure.series");
    const std::vector<Said> values = test::list(series, "values");
    ASSERT_EQ(values.size(), figure.values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], of_figure("figure.listed", {{"value", figure.values[i]},
                                                         {"times", std::int64_t{1}},
                                                         {"label", std::vector<Said>{words_of_figure("figure.at", figure.labels[i])}}}));
}

// Numbers have a point and full precision in every language.
TEST(NumbersScene, IsToldAsData) {
    const test::Speaking speaking("de");
    Listed list;
    list.beat(kWrongBeat);
    const Json json = Json::parse(words_json("numbers", kWrongBeat, list.told()));
    EXPECT_EQ(json["schema"], "speclens-words/1");
    EXPECT_EQ(json["language"], "de");
    int rows = 0, drawn = 0;
    for (const Json& one : json["messages"]) {
        if (one["id"] != "numbers.table.row:wrong" || one["values"]["value"]["id"] != "numbers.figure.value:exact") continue;
        ++rows;
        drawn += one["drawn"] == true;
        EXPECT_EQ(one["region"], "stage");
        const Json& value = one["values"]["value"];
        EXPECT_TRUE(value["values"]["value"].is_number()) << one;
        if (value["values"]["value"] == 2.21) {
            EXPECT_EQ(value["text"], "2,21×");
        }
    }
    EXPECT_GT(rows, 5);
    EXPECT_GT(drawn, 5);
}

// In English a message has the words that the command line writes; only thousands stand apart, and a comma inside an item ends none.
TEST(Numbers, MessagesOfAFigureAreWhatTheCommandLineWrites) {
    const auto without = [](std::string text, const std::string& marks) {
        std::erase_if(text, [&](char c) { return marks.find(c) != std::string::npos; });
        return text;
    };
    const std::string thin = "\u2009", ends = ",;";
    const std::shared_ptr<const Published> figures = test::shipped_figures();
    for (const PublishedFigure& figure : figures->figures()) {
        const auto alike = [&](const std::string& words, const std::string& line, const std::string& marks = "") {
            EXPECT_EQ(without(words, marks), without(line, marks)) << figure.id;
        };
        alike(message(value_said(figure)), published_value(figure), thin);
        if (figure.form == Form::list) alike(message(series_said(figure)), published_series(figure), thin + ends);
        std::string conditions;
        for (const Said& one : conditions_said(figure)) conditions += (conditions.empty() ? "" : " ") + message(one).words();
        alike(conditions, published_conditions(figure), ends);
        alike(message(citation_said(figure, figures->source_of(figure))), published_citation(figure, figures->source_of(figure)));
        std::string standing = published_standing(figure) + ".";
        standing.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(standing.front())));
        alike(message(standing_said(figure)), standing);
    }
}

} // namespace
} // namespace speclens
