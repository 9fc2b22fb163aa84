// A draft model with another tokenizer: two made vocabularies, each with tokens that the other lacks. The map of their tokens, texts of one
// in ids of the other, and both promises of a lossless drafter: by ids and by text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/run.h"
#include "engine/text/vocabulary_map.h"
#include "tests/shared/foreign.h"
#include "tests/shared/model_support.h"
#include "tests/shared/statistics.h"
#include "tests/shared/texts.h"

namespace speclens::test {
namespace {

constexpr const char* kTexts[] = {"The river was quiet, and the old bridge held.\n  Twelve 12 34!",
                                  "caf\xc3\xa9 \xf0\x9f\x8c\x8a na\xc3\xafve \xe6\xb0\xb4", "qzxqzx  a", ""};

TEST(TwoVocabularies, JoinsTokensOfTheSameBytesAndEndsByWhatTheyAreFor) {
    const auto map = both();
    int common = 0;
    for (int id = 0; id < draft_tokenizer()->size(); ++id) {
        const int ours = map->to_target(id);
        if (ours < 0) continue;
        ++common;
        EXPECT_EQ(map->to_draft(ours), id);
        EXPECT_EQ(target_tokenizer()->bytes_of(ours), draft_tokenizer()->bytes_of(id));
    }
    EXPECT_EQ(common, map->common());
    EXPECT_GT(common, 256);
    EXPECT_LT(common, draft_tokenizer()->size()) << "the draft has tokens of its own";
    EXPECT_LT(common, target_tokenizer()->size()) << "and so has the target";
    EXPECT_EQ(map->to_target(draft_tokenizer()->id_of("qzx")), -1);
    EXPECT_EQ(map->to_draft(stop_of(*target_tokenizer())), stop_of(*draft_tokenizer()));
    EXPECT_TRUE(map->is_draft_stop(stop_of(*draft_tokenizer())));
}

TEST(TwoVocabularies, SpellsEveryTextAndBack) {
    const auto map = both();
    for (const char* text : kTexts) {
        DraftSpelling spelling(map);
        const std::vector<int> ids = spelling.ids(target_tokenizer()->encode(text));
        EXPECT_EQ(draft_tokenizer()->decode(ids), text);
        EXPECT_EQ(ids, draft_tokenizer()->encode(text)) << "as the draft reads it anywhere";
        EXPECT_EQ(target_tokenizer()->decode(map->as_target(ids, true)), text);
    }
}

TEST(TwoVocabularies, LeavesOutAnUnfinishedCharacterAndTheLastTokenWhereMoreMayCome) {
    const auto map = both();
    std::vector<int> wave = draft_tokenizer()->encode("a \xf0\x9f\x8c\x8a");
    while (draft_tokenizer()->bytes_of(wave.back()).size() > 1) wave.pop_back(); // bytes of the character are tokens of one
    ASSERT_GT(wave.size(), 2u);
    wave.pop_back();
    EXPECT_EQ(target_tokenizer()->decode(map->as_target(wave, true)), "a") << "the blank's token could have merged with what comes";
    const std::vector<int> words = draft_tokenizer()->encode("the bridge held");
    const std::vector<int> whole = map->as_target(words, true), open = map->as_target(words, false);
    EXPECT_EQ(open, std::vector<int>(whole.begin(), whole.end() - 1));
}

// However a text came to grow, its ids are the same: rounds, forks and batches must not differ.
TEST(TwoVocabularies, SpellingIsAFunctionOfTheTextAlone) {
    const auto map = both();
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<int> sequence;
        const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(target_tokenizer()->size())); };
        DraftSpelling grown(map);
        for (int i = 0; i < 300; ++i) {
            sequence.push_back(any());
            if (random() % 4 != 0) continue;
            DraftSpelling fresh(map);
            ASSERT_EQ(grown.ids(sequence), fresh.ids(sequence)) << i;
        }
        grown.begin();
        DraftSpelling fresh(map);
        const std::span<const int> start = std::span(sequence).first(150);
        EXPECT_EQ(grown.ids(start), fresh.ids(start));
    }
}

TEST(Translated, GreedyTextIsThePlainTextForEveryK) {
    const auto models = foreign_models();
    EXPECT_EQ(models->why_not("small"), "");
    EXPECT_EQ(models->why_not("small_tree"), "other tokens");
    RunSettings plain = foreign(false, 0, 0);
    plain.drafter = "none";
    const std::vector<int> expected = finished(models, plain)->sequence();
    for (const bool by_text : {false, true})
        for (const int k : {1, 2, 3, 7}) {
            int drafted = 0;
            const auto run = finished(models, foreign(by_text, k, 0));
            for (std::size_t i = 0; i < run->trace().size(); ++i) drafted += std::holds_alternative<Drafted>(run->trace()[i]);
            EXPECT_EQ(run->sequence(), expected) << (by_text ? "by text, K " : "by ids, K ") << k;
            EXPECT_GT(drafted, 5);
            EXPECT_NE(run->trace().header()->notice.find("another tokenizer"), std::string::npos);
        }
}

// What of texts is counted: the first token, the second, and both by their remainders. Whole texts are too many: random weights are hardly
// sure of anything, and that is why target and draft agree often enough for a rule to have something to keep.
struct Counts {
    std::map<std::string, long> first, second, both;
    void saw(std::span<const int> text) {
        const auto [a, b] = ends(text);
        ++first[std::to_string(a)], ++second[std::to_string(b)], ++both[pair(a, b)];
    }
    [[nodiscard]] static std::pair<int, int> ends(std::span<const int> text) {
        return {text[0], text.size() > 1 ? text[1] : -1};
    } // -1: it has ended
    [[nodiscard]] static std::string pair(int a, int b) { return std::to_string(a % 7) + " " + std::to_string(b % 7); }
};
struct Expected {
    std::map<std::string, double> first, second, both;
    Expected(const Models& models, const std::vector<int>& prompt, const Sampling& sampling) {
        const auto decoder = make_model_decoder(models.target, 64);
        const auto behind = [&](std::span<const int> tokens) {
            return Distribution(
                decoder->forward({.tokens = tokens, .logits_from = static_cast<int>(tokens.size()) - 1}).distribution(0, sampling));
        };
        const Distribution one = behind(prompt);
        for (int a = 0; a < static_cast<int>(one.size()); ++a) {
            const double p = one[static_cast<std::size_t>(a)];
            first[std::to_string(a)] += p;
            if (std::ranges::count(models.target->config.stops, a) > 0) {
                add(a, -1, p);
                continue;
            }
            decoder->truncate(static_cast<int>(prompt.size()));
            const Distribution two = behind(std::span(&a, 1));
            for (int b = 0; b < static_cast<int>(two.size()); ++b) add(a, b, p * two[static_cast<std::size_t>(b)]);
        }
    }
    void add(int a, int b, double p) { second[std::to_string(b)] += p, both[Counts::pair(a, b)] += p; }
};

TEST(Translated, WritesTheTargetsDistributionUnderEveryRuleForChains) {
    const auto models = foreign_models();
    const Sampling sampling{.temperature = 1};
    const Expected expected(*models, foreign(false, 3, 1).prompt.token_ids, sampling);
    constexpr long kUsual = 2000;
    const std::optional<long> samples = texts_of_a_rule(kUsual);
    ASSERT_TRUE(samples) << "SPEC_LAW2_TEXTS must be an integer of at least " << kUsual;
    for (const bool by_text : {false, true})
        for (const RuleInfo& rule : rule_list()) {
            if (rule.greedy_only || !rule.lossless() || !can_judge(rule, *find_drafter("small")) || rule.siblings != Siblings::none)
                continue;
            RunSettings settings = foreign(by_text, 3, 1);
            settings.rule = rule.name;
            settings.sampling = sampling;
            settings.max_tokens = 3;
            settings.trace_top = 0;
            settings.timing = false;
            Counts counts;
            SampledTexts sampled;
            for (long i = 0; i < *samples; ++i) {
                settings.seed = static_cast<std::uint64_t>(i) + 1;
                speclens::Run run(models, settings);
                run.finish();
                counts.saw(std::span(run.sequence()).subspan(settings.prompt.token_ids.size()));
                sampled.count(fold(run.trace(), run.trace().size()));
            }
            const std::string name = std::string(rule.name) + (by_text ? " by text" : " by ids");
            const Fit first = fit(expected.first, counts.first, *samples), second = fit(expected.second, counts.second, *samples),
                      both = fit(expected.both, counts.both, *samples);
            for (const Fit& got : {first, second, both}) EXPECT_GT(got.p_value, 1e-6) << name << " TV " << got.total_variation;
            // A guess by text counts as certain, so it stays as seldom as the target draws it; a sample is matched as seldom.
            const bool seldom = by_text || std::string_view(rule.name) == "match";
            EXPECT_TRUE(seldom ? sampled.kept > 0 : sampled.judged(*samples))
                << name << " kept " << sampled.kept << ", refusals " << sampled.refusals;
            EXPECT_GT(sampled.refusals, 0) << name;
            if (*samples > kUsual)
                std::printf("%s: p %.3f %.3f %.3f, %.4f drafts kept and %.4f refused a text\n", name.c_str(), first.p_value, second.p_value,
                            both.p_value, static_cast<double>(sampled.kept) / static_cast<double>(*samples),
                            static_cast<double>(sampled.refusals) / static_cast<double>(*samples));
        }
}

// By ids its distribution has all mass on the common tokens: what only the target has can never be drafted.
TEST(Translated, DraftsOnlyWhatBothHave) {
    const auto models = foreign_models();
    RunSettings settings = foreign(false, 3, 1);
    settings.trace_top = -1;
    const auto run = finished(models, settings);
    for (std::size_t i = 0; i < run->trace().size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&run->trace()[i])) {
            EXPECT_GE(models->vocabularies->to_draft(drafted->token), 0);
            double mass = 0;
            for (const TopEntries::Entry& entry : drafted->top.entries) {
                EXPECT_GE(models->vocabularies->to_draft(entry.id), 0);
                mass += std::exp(entry.logp);
            }
            EXPECT_NEAR(mass, 1, 1e-6);
        }
}

// Mistral or Llama 2 with a small draft of today: the target's tokens are SentencePiece's, with a blank in front of words and bytes for
// what it does not know, the draft's are byte-level.
TEST(Translated, ASentencePieceTargetTakesAByteLevelDraft) {
    const auto target = Tokenizer::load(golden("tokenizers") / "llama2.json");
    const auto models = models_of(target, draft_tokenizer());
    int shared = 0;
    for (int id = 0; id < draft_tokenizer()->size(); ++id) {
        const int ours = models->vocabularies->to_target(id);
        if (ours < 0 || draft_tokenizer()->is_special(id)) continue;
        ++shared;
        EXPECT_EQ(target->bytes_of(ours), draft_tokenizer()->bytes_of(id)) << id;
    }
    EXPECT_GT(shared, 100);
    const auto settings_of = [&](bool by_text, int k) {
        RunSettings settings = foreign(by_text, k, 0);
        settings.prompt.token_ids = target->encode("The river was quiet, and the old");
        return settings;
    };
    RunSettings plain = settings_of(false, 0);
    plain.drafter = "none";
    const std::vector<int> expected = finished(models, plain)->sequence();
    for (const bool by_text : {false, true})
        for (const int k : {1, 4}) {
            SCOPED_TRACE((by_text ? "by text, K " : "by ids, K ") + std::to_string(k));
            const auto run = finished(models, settings_of(by_text, k));
            int drafted = 0;
            for (std::size_t i = 0; i < run->trace().size(); ++i) drafted += std::holds_alternative<Drafted>(run->trace()[i]);
            EXPECT_EQ(run->sequence(), expected);
            EXPECT_GT(drafted, 0);
        }
}

TEST(Translated, ByTextIsRefusedWhereTheTokensAreTheSame) {
    RunSettings settings = greedy("small", 3);
    settings.options.by_text = true;
    expect_error([&] { speclens::Run run(micro_models(1), settings); }, {"--by-text", "the target's tokens"});
    settings = foreign(false, 3, 0);
    settings.options.fr_spec = 20;
    expect_error([&] { speclens::Run run(foreign_models(), settings); }, {"FR-Spec"});
}

} // namespace
} // namespace speclens::test
