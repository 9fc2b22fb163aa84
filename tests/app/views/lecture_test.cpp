// Lectures, glossary and quiz: what they say and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "app/cli/lecture.h"
#include "app/cli/setup.h"
#include "app/views/glossary.h"
#include "app/views/lecture.h"
#include "app/views/quiz.h"
#include "app/views/shown_round.h"
#include "engine/models/models.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens::cli {
namespace {

std::filesystem::path lecture_file(const std::string& text) {
    const std::filesystem::path file = test::fresh_folder() / "a.lec.toml";
    std::ofstream(file) << text;
    return file;
}

std::string lecture_refusal(const std::string& text) {
    try {
        (void)load_lecture(lecture_file(text));
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST(Lecture, ReadsWhatATeacherWrites) {
    const Lecture lecture = load_lecture(lecture_file(R"(
title = "Guessing"
about = "For everyone."
page_about = "For readers."
[[step]]
title = "One"
link = "speclens://loop?at=12&k=3"
minutes = 2.5
notes = """First line.
Second."""
page_notes = "To read."
round = true
[[step]]
title = "Two"
link = "speclens://S9/4"
minutes = 3
)"));
    EXPECT_EQ(lecture.title, "Guessing");
    ASSERT_EQ(lecture.steps.size(), 2U);
    EXPECT_EQ(lecture.steps[0].link.at, 12U);
    EXPECT_EQ(lecture.steps[0].notes, "First line.\nSecond.");
    EXPECT_EQ(lecture.steps[0].page_notes, "To read.");
    EXPECT_TRUE(lecture.steps[0].round);
    EXPECT_FALSE(lecture.steps[1].round);
    EXPECT_EQ(lecture.page_about, "For readers.");
    EXPECT_DOUBLE_EQ(lecture.minutes(), 5.5);
}

TEST(Lecture, SaysWhatIsWrongAndWhere) {
    const std::string step = "[[step]]\ntitle = \"a\"\nlink = \"speclens://loop\"\n";
    const auto says = [&](const std::string& text, const std::string& part) {
        const std::string said = lecture_refusal(text);
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    says("", "no title");
    says("title = \"t\"\n", "no [[step]]");
    says("title = \"t\"\nstep = 3\n", "no [[step]]");
    says("title = \"t\"\nstep = [3]\n", "a step is no table");
    says("title = 4\n" + step, "line 1: title is not a text");
    says("title = \"t\"\nminutes = 3\n" + step, "line 2: 'minutes' means nothing here");
    says("title = \"t\"\n[[step]]\ntitle = \"a\"\n", "no link");
    says("title = \"t\"\n" + step + "minuets = 1\n", "line 5: 'minuets' means nothing here");
    says("title = \"t\"\n" + step + "minutes = -1\n", "line 5: minutes is no number of minutes");
    says("title = \"t\"\n" + step + "minutes = nan\n", "minutes is no number of minutes");
    says("title = \"t\"\n" + step + "round = 1\n", "line 5: round is neither true nor false");
    says("title = \"t\"\n" + step + "round = true\n", "line 5: round is of a step that leads to a place in a run");
    says("title = \"t\"\n[[step]]\ntitle = \"a\"\nlink = \"speclens://loop?x=1\"\n", "line 4: link: 'x' is no part");
    const std::string place = "title = \"t\"\n[[step]]\ntitle = \"a\"\nlink = \"speclens://loop?at=13\"\n";
    says(place + "find = \"refusal\"\n", "line 5: find is 'refusal', and a run can show: guesses, kept, refused");
    says(place + "found_notes = \"Say this.\"\n", "line 5: found_notes belong to a find");
    says(place + "recorded = \"../a.jsonl\"\n", "line 5: recorded names a file, which lies in the folder 'recorded'");
    says(place + "recorded = \"a.jsonl\"\n", "line 5: there is no recorded/a.jsonl");
    says("title = \"t\n" + step, "line 1: ");
    EXPECT_THROW((void)load_lecture("/nowhere/a.lec.toml"), Error);
    EXPECT_THROW((void)find_lecture("nowhere.lec.toml"), Error);
}

TEST(Lecture, NamesNoFoldersAndNoScenesThatAreNotThere) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    for (const char* link : {"speclens://loop?model=/x", "speclens://loop?drafter=small=/x", "speclens://nowhere", "speclens://loop?k=x"}) {
        const auto file = lecture_file("title = \"t\"\n[[step]]\ntitle = \"The step\"\nlink = \"" + std::string(link) + "\"\n");
        try {
            (void)lecture_view(parse({file.string()}), file);
            ADD_FAILURE() << link;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("step 1 (The step): "), std::string::npos) << error.what();
        }
    }
}

// A window may have another model by the time: who reads a link for it says which one it is of, and opens nothing.
TEST(ViewReader, SaysOfWhichModelALinkOrALectureIs) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    const ViewReader read = view_reader(parse({"--threads", "1"}));
    EXPECT_EQ(read.link("speclens://loop?k=3").model, "tiny");
    EXPECT_EQ(read.link("speclens://loop?k=3").settings.k, 3);
    EXPECT_EQ(read.link("speclens://loop?model=tiny").model, "tiny");
    EXPECT_EQ(read.link("speclens://loop?model=smollm2&k=3").model, "smollm2");
    EXPECT_EQ(read.link("speclens://loop?model=smollm2&k=3").settings.k, 3);
    EXPECT_EQ(read.link("speclens://loop?model=mine").model, "mine") << "opened in this window, perhaps";
    EXPECT_THROW((void)read.link("speclens://loop?model=/x/y.gguf"), Error) << "a place is nobody's to name but the user's";
    EXPECT_THROW((void)read.link("speclens://loop?model=http://127.0.0.1:8000"), Error);
    EXPECT_THROW((void)read.link("speclens://loop?drafter=small=/x"), Error) << "nor does a head's folder open";
    const auto file = lecture_file("title = \"t\"\n[[step]]\ntitle = \"One\"\nlink = \"speclens://loop\"\n"
                                   "[[step]]\ntitle = \"Two\"\nlink = \"speclens://loop?model=smollm2\"\n");
    const LectureView lecture = read.lecture(file.string());
    ASSERT_EQ(lecture.steps.size(), 2U);
    EXPECT_EQ(lecture.steps[0].view.model, "tiny");
    EXPECT_EQ(lecture.steps[1].view.model, "smollm2");
    const LectureView elsewhere = lecture_view(parse({file.string(), "--model", (assets_folder() / "models/small").string()}), file);
    EXPECT_EQ(elsewhere.steps[0].view.model, "tiny") << "the window decides what of it is played on the model that is loaded";
    EXPECT_EQ(elsewhere.steps[1].view.model, "smollm2");
}

TEST(Lecture, ThoseOfTheProgramCanBeGoneThrough) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    ASSERT_FALSE(shipped_lectures().empty());
    for (const auto& file : shipped_lectures()) {
        const LectureView view = lecture_view(parse({file.filename().string()}), file);
        EXPECT_GE(view.steps.size(), 8U) << file;
        for (const LectureView::Step& step : view.steps) {
            EXPECT_FALSE(step.notes.empty()) << step.title;
            EXPECT_GT(step.minutes, 0) << step.title;
        }
    }
}

// A question is told before its answer, and where a step may find nothing measured its notes name the key.
TEST(Lecture, TheFirstLessonAsksBeforeItTells) {
    const Lecture lesson = load_lecture(assets_folder() / "lectures" / "first-lesson.lec.toml");
    const auto at = [&](const std::string& scene, int beat) {
        return std::ranges::find_if(lesson.steps,
                                    [&](const Lecture::Step& step) { return step.link.scene == scene && step.link.beat == beat; });
    };
    ASSERT_NE(at("bottleneck", 3), lesson.steps.end());
    EXPECT_LT(at("bottleneck", 1), at("bottleneck", 2));
    EXPECT_EQ(at("bottleneck", 2) + 1, at("bottleneck", 3));
    for (const Lecture::Step& step : lesson.steps) {
        const bool measures =
            step.link.scene == "speedup" || step.link.scene == "failures" || (step.link.scene == "bottleneck" && step.link.beat > 1);
        if (measures) {
            EXPECT_NE(step.notes.find("ress M"), std::string::npos) << step.title;
        }
    }
}

// What a step measures is measured anew by a key, which its notes name; of what the forms of the weights do there is a step of its own.
TEST(Lecture, ARealPairNamesTheKeyOfWhatItMeasures) {
    const std::filesystem::path english = assets_folder() / "lectures" / "real-pair.lec.toml";
    for (const auto& [language, measure, forms] :
         {std::tuple{"en", "press M", "B for the forms"}, {"de", "M drücken", "B für die Formate"}}) {
        const Lecture lecture = load_lecture(lecture_in(language, english));
        int measuring = 0, of_forms = 0;
        for (const Lecture::Step& step : lecture.steps) {
            const std::string& scene = step.link.scene;
            if (scene != "speedup" && scene != "failures" && scene != "bottleneck") continue;
            ++measuring;
            EXPECT_NE(step.notes.find(measure), std::string::npos) << step.title;
            if (scene != "bottleneck" || step.link.beat != 6) continue;
            ++of_forms;
            EXPECT_NE(step.notes.find(forms), std::string::npos) << step.notes;
            EXPECT_NE(step.notes.find("--weights keep"), std::string::npos) << step.notes;
            EXPECT_FALSE(step.page_notes.empty()) << step.title;
        }
        EXPECT_GT(measuring, 5) << lecture.title;
        EXPECT_EQ(of_forms, 1) << lecture.title;
    }
}

// docs/lectures.md says how long each takes.
TEST(Lecture, ThoseOfTheProgramTakeAsLongAsTheirPageSays) {
    std::stringstream page;
    page << std::ifstream(std::filesystem::path(SPEC_SOURCE_DIR) / "docs/lectures.md").rdbuf();
    for (const auto& file : shipped_lectures()) {
        double minutes = 0;
        for (const Lecture::Step& step : load_lecture(file).steps) minutes += step.minutes;
        const std::string name = file.filename().string(),
                          line = "* `" + name.substr(0, name.find('.')) + "`, " + std::to_string(static_cast<int>(minutes)) + " minutes, ";
        EXPECT_NE(page.str().find(line), std::string::npos) << line;
    }
}

// Whoever reads a page of it can press no key, and is in no room.
TEST(Lecture, ThoseOfTheProgramHaveWordsForReaders) {
    for (const auto& english : shipped_lectures())
        for (const char* language : {"en", "de"}) {
            const Lecture lecture = load_lecture(lecture_in(language, english));
            EXPECT_EQ((lecture.page_about.empty() ? lecture.about : lecture.page_about).find("the loaded model"), std::string::npos)
                << lecture.title;
            for (const Lecture::Step& step : lecture.steps) {
                const std::string& words = step.page_notes.empty() ? step.notes : step.page_notes;
                for (const char* key : {"press", "Press", "arrow", "Pfeil", "Taste", "↑", "(M", "M misst", "drücken", "with N", "Mit N",
                                        "with B", "Mit B", "F5", "C draws"})
                    EXPECT_EQ(words.find(key), std::string::npos) << step.title << ": " << words;
            }
        }
    const Lecture lesson = load_lecture(assets_folder() / "lectures" / "first-lesson.lec.toml");
    EXPECT_TRUE(std::ranges::any_of(lesson.steps, &Lecture::Step::round));
}

// A handout is drawn with the model that is loaded: a round is found in its run, what it lacks comes from the run that was kept, and one
// place of one run is on the model alone that it was written on.
TEST(Lecture, IsDrawnOnWhateverModelIsLoaded) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    const std::string head = "title = \"t\"\n[[step]]\ntitle = \"a\"\nlink = \"speclens://loop?at=13&drafter=small&k=4&temp=0.8&seed=9"
                             "&prompt=A%20fox%20and%20a%20fox%20and%20a%20fox%20and\"\n";
    const auto drawn = [&](const std::filesystem::path& file) {
        std::vector<std::pair<FrameRequest, Subject>> steps;
        each_step(parse({"render", file.string(), "--all", "x", "--threads", "1", "--no-timing", "--model",
                         (assets_folder() / "models/small").string()}),
                  load_lecture(file),
                  [&](std::size_t, const FrameRequest& request, const Subject& subject) { steps.emplace_back(request, subject); });
        return steps;
    };
    // That model has no draft model, so another drafter guesses; a round of several guesses is found in its run.
    const auto found = drawn(lecture_file(head + "find = \"guesses\"\n"));
    ASSERT_EQ(found.size(), 1U);
    const Trace& trace = *found[0].second.trace;
    EXPECT_EQ(trace.header()->drafter, "lookup");
    EXPECT_EQ(found[0].first.cursor, place_that_shows(Shows::guesses, fold(trace, trace.size())).value_or(0));
    EXPECT_NE(found[0].first.cursor, 13U);

    const auto with_run = lecture_file(head + "find = \"kept\"\nrecorded = \"moon.jsonl\"\n");
    std::filesystem::create_directory(with_run.parent_path() / "recorded");
    std::filesystem::copy(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/traces/mixed.jsonl",
                          with_run.parent_path() / "recorded/moon.jsonl");
    const auto kept = drawn(with_run);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].second.trace->header()->model, "toy target") << "the run that was kept";
    EXPECT_EQ(kept[0].first.cursor, 13U) << "is the one that the place is of";

    try {
        (void)drawn(lecture_file(head));
        ADD_FAILURE() << "one place of one run";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("\"a\" shows a place in a run of tiny"), std::string::npos) << error.what();
        EXPECT_NE(error.remedy().find("--model tiny"), std::string::npos);
        EXPECT_NE(error.remedy().find("find"), std::string::npos);
    }
}

// What a step shows was measured twice once, so a handout's picture and its words did not agree.
TEST(Lecture, AStepIsMeasuredOnce) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    const auto file = lecture_file("title = \"t\"\n[[step]]\ntitle = \"a\"\nlink = \"speclens://bottleneck/3\"\n");
    int steps = 0;
    each_step(parse({"render", file.string(), "--all", "x", "--presenter", "--threads", "1"}), load_lecture(file),
              [&](std::size_t step, const FrameRequest& request, const Subject& subject) {
                  EXPECT_EQ(step, 0U);
                  ++steps;
                  const auto picture = test::fresh_folder() / "a.svg";
                  draw(request, subject, picture);
                  std::stringstream drawn;
                  drawn << std::ifstream(picture).rdbuf();
                  const std::string words = in_words(request, subject);
                  const std::size_t end = words.find("×.", words.find("Beat 3")), begin = words.rfind(' ', end) + 1;
                  ASSERT_NE(end, std::string::npos) << words;
                  const std::string times = words.substr(begin, end - begin);
                  EXPECT_NE(drawn.str().find(times), std::string::npos) << times << " in words: " << words;
              });
    EXPECT_EQ(steps, 1);
}

// Who guesses, who checks and why that can pay is said before a round is looked at, and a round before it is judged.
TEST(Lecture, TheFirstLessonSaysWhoGuessesBeforeItJudges) {
    const Lecture lesson = load_lecture(assets_folder() / "lectures" / "first-lesson.lec.toml");
    const auto scene = [&](const std::string& name) {
        return std::ranges::find(lesson.steps, name, [](const Lecture::Step& step) { return step.link.scene; });
    };
    const auto round = scene("loop");
    ASSERT_NE(round, lesson.steps.end());
    ASSERT_NE(round, lesson.steps.begin());
    EXPECT_EQ((round - 1)->link.scene, "bottleneck");
    EXPECT_EQ((round - 1)->link.beat, 5) << "why guessing can pay";
    for (const char* word : {"small model, the draft", "target", "one pass"})
        EXPECT_NE((round - 1)->notes.find(word), std::string::npos) << word;
    EXPECT_EQ(round->link.at, 6U) << "four guesses, none of them checked";
    EXPECT_EQ((round + 1)->link.at, 13U) << "the same round at its end";
    EXPECT_EQ((round + 1)->link.options, round->link.options);
}

// On a single draft the match rule may keep more than the token rule; on average it does not.
TEST(Glossary, ComparesRulesOnAverageOnly) {
    for (const GlossaryEntry& entry : load_glossary(assets_folder() / "glossary.json"))
        if (entry.term == "match rule") {
            EXPECT_NE(entry.text.find("on average never keeps more"), std::string::npos) << entry.text;
            return;
        }
    ADD_FAILURE() << "no such entry";
}

TEST(Glossary, ThatOfTheProgramIsShortSortedAndLeadsSomewhere) {
    const std::vector<GlossaryEntry> glossary = load_glossary(assets_folder() / "glossary.json");
    ASSERT_GE(glossary.size(), 40U);
    std::string before;
    for (const GlossaryEntry& entry : glossary) {
        std::string lower = entry.term;
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        EXPECT_LT(before, lower);
        before = lower;
        EXPECT_LE(std::count(entry.text.begin(), entry.text.end(), ' '), 59) << entry.term;
        if (!scene_names().empty()) {
            EXPECT_EQ(scene_called(entry.scene), entry.scene) << entry.term;
        }
    }
}

TEST(Glossary, HasAsManyWordsAsTheDocumentsSay) {
    std::stringstream page;
    page << std::ifstream(std::filesystem::path(SPEC_SOURCE_DIR) / "docs" / "window.md").rdbuf();
    const std::string words = std::to_string(load_glossary(assets_folder() / "glossary.json").size()) + " words of the field";
    const std::string questions = std::to_string(load_quiz(assets_folder() / "quiz.json").size()) + " questions";
    EXPECT_NE(page.str().find(words), std::string::npos) << words;
    EXPECT_NE(page.str().find(questions), std::string::npos) << questions;
}

TEST(Glossary, FindsWordsByTheirOtherNames) {
    const std::vector<GlossaryEntry> glossary = parse_glossary(R"([
        {"term": "draft length", "also": ["K", "gamma"], "text": "x", "see": "speedup/2"},
        {"term": "tokens per round", "also": ["tau"], "text": "x", "see": "race"},
        {"term": "tau leaping", "text": "x", "see": "loop"}])",
                                                               "g.json");
    EXPECT_EQ(glossary[0].beat, 2);
    EXPECT_EQ(glossary[0].scene, "speedup");
    EXPECT_EQ(glossary[1].beat, 0);
    const auto first = [&](const char* query) {
        const auto found = glossary_matches(glossary, query);
        return found.empty() ? "" : found[0]->term;
    };
    EXPECT_EQ(first("GAMMA"), "draft length");
    EXPECT_EQ(first("tau"), "tokens per round"); // exactly, before a beginning
    EXPECT_EQ(first("nothing"), "");
    EXPECT_EQ(glossary_matches(glossary, "").size(), 3U);
}

TEST(Glossary, RefusesWhatIsNone) {
    for (const char* json :
         {"", "{}", "[1]", "[{}]", R"([{"term": "a", "text": "b"}])", R"([{"term": "a", "text": "b", "see": "x/0"}])",
          R"([{"term": "a", "text": "b", "see": "x/1y"}])", R"([{"term": "", "text": "b", "see": "x"}])",
          R"([{"term": "a", "text": "b", "see": "x", "also": "c"}])", R"([{"term": "a", "text": "b", "see": "x", "also": [1]}])"})
        EXPECT_THROW((void)parse_glossary(json, "g.json"), Error) << json;
}

TEST(Quiz, ThatOfTheProgramAsksAboutEverySceneWithAStory) {
    const std::vector<QuizQuestion> quiz = load_quiz(assets_folder() / "quiz.json");
    EXPECT_GE(quiz.size(), 20U);
    std::map<int, int> answers;
    std::set<std::string> scenes;
    for (const QuizQuestion& q : quiz) {
        ++answers[q.answer];
        scenes.insert(q.scene);
        EXPECT_EQ(std::set<std::string>(q.choices.begin(), q.choices.end()).size(), q.choices.size()) << q.question;
        if (!scene_names().empty()) {
            EXPECT_EQ(scene_called(q.scene), q.scene) << q.question;
        }
    }
    for (const auto& [answer, count] : answers)
        EXPECT_LE(2 * static_cast<std::size_t>(count), quiz.size()) << "the answer is too often " << answer;
    for (const SceneName& scene : scene_names())
        if (scene.name != "race" && scene.name != "server") {
            EXPECT_TRUE(scenes.contains(scene.name)) << scene.name;
        }
}

TEST(Quiz, CountsFirstAnswersOnly) {
    const std::vector<QuizQuestion> quiz = parse_quiz(R"([
        {"see": "loop", "question": "a", "choices": ["x", "y"], "answer": 1, "why": "w"},
        {"see": "race", "question": "b", "choices": ["x", "y"], "answer": 0, "why": "w"}])",
                                                      "q.json");
    QuizRound round;
    EXPECT_FALSE(round.running());
    round.begin(quiz.size(), 1);
    round.answer(1);
    round.answer(0); // too late
    EXPECT_EQ(round.right(quiz), 0);
    round.go(1); // around the end
    EXPECT_EQ(round.at(), 0U);
    round.answer(1);
    EXPECT_EQ(round.right(quiz), 1);
    EXPECT_EQ(round.answered(), 2);
    round.go(-1);
    EXPECT_EQ(round.at(), 1U);
    EXPECT_EQ(round.given(), 1);
}

TEST(Quiz, RefusesWhatIsNone) {
    const std::string good = R"("see": "loop", "question": "a", "why": "w", )";
    for (const std::string& entry :
         {std::string(), good + R"("choices": ["x"], "answer": 0)", good + R"("choices": ["x", "y"], "answer": 2)",
          good + R"("choices": ["x", "y"], "answer": -1)", good + R"("choices": ["x", 3], "answer": 0)", good + R"("choices": ["x", "y"])",
          std::string(R"("see": "loop/x", "question": "a", "why": "w", "choices": ["x", "y"], "answer": 0)")})
        EXPECT_THROW((void)parse_quiz("[{" + entry + "}]", "q.json"), Error) << entry;
    EXPECT_THROW((void)parse_quiz("{}", "q.json"), Error);
}

} // namespace speclens::cli
