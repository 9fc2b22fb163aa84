// Why a drafter cannot run and what of a run is not as it was asked for: the English that programs read is what pictures say in English,
// and German has all of it.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/model/scorer.h"
#include "engine/run/run.h"
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

// What a run on the built-in model says of itself, in order, and what it is in words.
void expect_notice(const RunSettings& settings, const std::vector<std::string>& ids, bool off) {
    const Header header = *Run(test::whole_bundle(), settings).trace().header();
    std::vector<std::string> said;
    std::string words = off ? "speculation is off: " : "";
    for (const Said& one : header.notice.messages()) {
        words += (said.empty() ? "" : "; ") + message(one).words();
        said.push_back(one.id());
    }
    EXPECT_EQ(said, ids);
    EXPECT_EQ(words, header.notice);
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
