// Why a drafter cannot run and what of a run is not as it was asked for: the English that programs read is what pictures say in English,
// and German has all of it.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/pass_pair.h"
#include "engine/model/frequent.h"
#include "engine/model/scorer.h"
#include "engine/run/prepared_run.h"
#include "engine/run/prompt_tokens.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "engine/text/id_list.h"
#include "engine/text/vocabulary_map.h"
#include "scenes/shared/told.h"
#include "tests/shared/whole_bundle.h"

namespace speclens {
namespace {

// A server that knows its tokens and nothing else.
class SilentScorer final : public Scorer {
  public:
    SilentScorer() { vocabulary_.size = 512; }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
    [[nodiscard]] int listed() const override { return 20; }
    [[nodiscard]] int capacity() const override { return 256; }
    [[nodiscard]] std::vector<TopEntries> score(std::span<const int>, int, Wire&) const override { return {}; }

  private:
    std::string name_ = "silent";
    Vocabulary vocabulary_;
};

std::set<std::string> ids_that_agree(const Models& models) {
    std::set<std::string> ids;
    for (const DrafterInfo& info : drafter_list()) {
        const ToldReason why = models.why_not(info.name);
        if (why.empty()) continue;
        EXPECT_EQ(message(why.said).words(), why) << info.name;
        ids.insert(why.said.id());
    }
    return ids;
}

TEST(ToldReasons, OfDraftersAreTheirMessages) {
    const auto called = [](std::initializer_list<const char*> names) {
        std::set<std::string> ids;
        for (const char* name : names) ids.insert(std::string("shared.why_not.") + name);
        return ids;
    };
    EXPECT_EQ(ids_that_agree({}), called({"table_states", "table_layers", "no_draft"}));
    Models bare = *test::whole_bundle();
    EXPECT_TRUE(ids_that_agree(bare).empty());
    bare.draft = nullptr;
    bare.networks.clear();
    EXPECT_EQ(ids_that_agree(bare), called({"no_head", "no_draft"}));
    bare.target = nullptr;
    bare.scorer = std::make_shared<SilentScorer>();
    EXPECT_EQ(ids_that_agree(bare), called({"server_states", "server_layers", "server_tree", "no_draft"}));
}

// Its messages, in order, and that they are its words.
void expect_messages(const RunNotice& notice, const std::vector<std::string>& ids, const std::string& begin = "") {
    std::vector<std::string> said;
    std::string words = begin;
    for (const Said& one : notice.messages()) {
        words += (said.empty() ? "" : "; ") + message(one).words();
        said.push_back(one.id());
    }
    EXPECT_EQ(said, ids);
    EXPECT_EQ(words, notice);
}

// What a run on the built-in model says of itself.
void expect_notice(const RunSettings& settings, const std::vector<std::string>& ids, bool off) {
    const Header header = *Run(test::whole_bundle(), settings).trace().header();
    expect_messages(header.notice, ids, off ? "speculation is off: " : "");
    EXPECT_EQ(header.why_off().has_value(), off);
    if (off) {
        EXPECT_EQ(*header.why_off(), header.notice.said);
    }
}

TEST(ToldReasons, OfARunAreItsMessages) {
    RunSettings settings;
    settings.drafter = "small";
    settings.timing = false;
    expect_notice(settings, {}, false);
    settings.k = 0;
    expect_notice(settings, {"shared.note.k_zero"}, true);
    settings.k = 4;
    settings.k_auto = true;
    settings.sampling.temperature = 1;
    settings.rule = "token";
    expect_notice(settings, {"shared.note.k_auto"}, false);
    settings.rule = "typical";
    expect_notice(settings, {"shared.note.k_auto"}, false);
}

RunSettings with_small() {
    RunSettings settings;
    settings.drafter = "small";
    settings.timing = false;
    settings.prompt.token_ids = {1, 2, 3};
    settings.max_tokens = 1;
    return settings;
}

// A draft model with another tokenizer, which has half of these tokens.
Models with_half_of_the_tokens(const Models& models) {
    Models foreign = models;
    const std::vector<int>& stops = models.draft->config.stops;
    foreign.vocabularies =
        std::make_shared<VocabularyMap>(models.tokenizer, stops, models.vocab() / 2, models.tokenizer, stops, models.draft->config.vocab);
    return foreign;
}

TEST(ToldReasons, OfADraftModelWithAnotherTokenizerAreItsMessage) {
    const Models foreign = with_half_of_the_tokens(*test::whole_bundle());
    const int all = foreign.draft->config.vocab;
    ASSERT_LT(foreign.vocabularies->common(), all);
    RunSettings settings = with_small();
    const RunNotice notice = prepared_run(foreign, settings).plan.notice;
    expect_messages(notice, {"shared.note.tokenizer"});
    EXPECT_EQ(notice, "the draft model has another tokenizer: " + std::to_string(foreign.vocabularies->common()) + " of its " +
                          std::to_string(all) + " tokens are the target's too");
}

TEST(ToldReasons, OfAServerThatTellsItsLikeliestAreTheirMessage) {
    Models served = *test::whole_bundle();
    served.target = nullptr;
    served.scorer = std::make_shared<SilentScorer>();
    RunSettings settings = with_small();
    settings.sampling = {.temperature = 1};
    PreparedRun run = prepared_run(served, settings);
    expect_messages(run.plan.notice, {"shared.note.listed"});
    EXPECT_EQ(run.settings.sampling.top_k, 20);
    served.vocabularies = with_half_of_the_tokens(served).vocabularies; // what else is said hides nothing
    run = prepared_run(served, settings);
    expect_messages(run.plan.notice, {"shared.note.tokenizer", "shared.note.listed"});
    EXPECT_EQ(run.settings.sampling.top_k, 20);
    served.vocabularies = nullptr;
    settings.sampling.temperature = 0;
    expect_messages(prepared_run(served, settings).plan.notice, {});
}

TEST(ToldReasons, OfTheIdsThatADraftRanksAreTheirMessages) {
    auto some = std::make_shared<Models>(*test::whole_bundle());
    some->frequent = nullptr;
    RunSettings settings = with_small();
    settings.options.fr_spec = 48;
    expect_messages(speclens::Run(some, settings).trace().header()->notice, {"shared.note.lowest_ids"});

    const auto ranking = [&](int first) {
        IdList list{.name = "some.ids"};
        for (int id = first; id < first + 40; ++id) list.ids.push_back(id);
        some->small_ids = std::make_shared<FrequentIds>(some->vocab(), some->stops(), list);
        return some;
    };
    settings.options.fr_spec = 0;
    settings.options.small_ids = 16;
    speclens::Run base(ranking(20), settings);
    base.finish();
    expect_messages(base.trace().header()->notice, {});
    expect_messages(speclens::Run(ranking(90), settings, base.trace(), Fork{}).trace().header()->notice, {"shared.note.other_ids"});
    expect_messages(speclens::Run(ranking(20), settings, base.trace(), Fork{}).trace().header()->notice, {});
}

TEST(ToldReasons, OfAChatThatIsAskedAsTextAreItsMessage) {
    auto plain = std::make_shared<Models>(*test::whole_bundle());
    plain->chat.problem = "there is no chat template";
    RunSettings settings = with_small();
    settings.prompt.token_ids.clear();
    settings.prompt.text = "Hi";
    settings.prompt.chat = settings.prompt.chat_if_possible = true;
    const ToldReason why = prompt_tokens(*plain, settings.prompt).notice;
    EXPECT_EQ(message(why.said).words(), why);
    EXPECT_EQ(why.said.id(), "shared.note.as_text");
}

TEST(ToldReasons, OfAMeasurementThatWasStoppedIsItsMessage) {
    PassPair pair(test::whole_bundle(), "qwen3-0.6b", [] { return false; });
    while (pair.step()) {
    }
    ASSERT_TRUE(pair.beside());
    EXPECT_EQ(pair.beside()->problem, "it was stopped");
    EXPECT_EQ(message(pair.beside()->problem.said).words(), pair.beside()->problem);
    EXPECT_EQ(pair.beside()->problem.said.id(), "shared.why_not.stopped");
}

TEST(ToldReasons, OfASavedRunStandAsTheyAre) {
    Header header;
    EXPECT_TRUE(header.notice.messages().empty());
    EXPECT_FALSE(header.why_off());
    header.notice = "speculation is off: K = 0";
    ASSERT_TRUE(header.why_off());
    EXPECT_EQ(message(header.why_off()->at(0)).words(), "K = 0");
    header.notice = "the draft model has another tokenizer";
    EXPECT_FALSE(header.why_off());
    header.notice.add({"K = 0", SaidOf<"shared">()("note.k_zero"_t)});
    EXPECT_EQ(header.notice, "the draft model has another tokenizer; K = 0");
    EXPECT_EQ(message(header.notice.messages().at(0)).words(), "the draft model has another tokenizer");
    EXPECT_EQ(header.notice.messages().at(1).id(), "shared.note.k_zero");
}

TEST(ToldReasons, GermanHasThem) {
    const StoryBook german = load_stories(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/stories", "de", "");
    const StoryBook& english = stories();
    int texts = 0;
    for (const auto& [text, cases] : story_shapes()["shared"].texts) {
        if (!text.starts_with("why_not.") && !text.starts_with("note.")) continue;
        ++texts;
        if (text == "note.as_it_is" || text == "note.k_zero") continue;
        EXPECT_NE(german.text("shared", text).source(), english.text("shared", text).source()) << text;
    }
    EXPECT_GE(texts, 16);
}

} // namespace
} // namespace speclens
