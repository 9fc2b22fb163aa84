// `speclens lossless N`: Law 2 on N texts, long enough for a third round even where every draft token stays. On a
// table the exact distribution of whole texts is known and both kinds of decoding are tested against it; on a model,
// speculative texts are tested against plain ones.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/values.h"
#include "engine/base/json.h"
#include "engine/base/statistics.h"
#include "engine/batch/batch_settings.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/toy_texts.h"
#include "engine/model/table_json.h"
#include "engine/models/model_names.h"
#include "engine/rules/verify.h"
#include "engine/rules/wrong_rules.h"
#include "kernels/backend.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr int kFewest = 8;            // degrees of freedom of a test that can be believed
constexpr double kFalseAlarm = 0.001; // of the whole command; divided by the number of tests
constexpr double kMostTexts = 300000; // beyond this many possible texts the exact distribution is not listed

std::shared_ptr<const Models> built_in(const Options& options) {
    auto models = std::make_shared<Models>();
    models->backend = make_backend(options.backend, {.threads = options.threads});
    const TablePair tables = toy_tables();
    models->target_table = tables.target;
    models->draft_table = tables.draft;
    return models;
}

constexpr long kRare = 5; // a kind of text that was drawn less often is

struct Draws {
    Counts texts;
    double rounds = 0;
    int fewest_rounds = 1 << 30;
    double drafted = 0; // share of the texts in which a draft token was judged
};

Draws draw(const std::shared_ptr<const Models>& models, RunSettings settings, std::int64_t samples, std::uint64_t first_seed,
           ProgressBar& bar) {
    Draws draws;
    for (std::int64_t i = 0; i < samples; ++i) {
        if (i % 64 == 0) bar.show("drawing texts with " + settings.drafter, static_cast<double>(i), static_cast<double>(samples), "texts");
        settings.seed = first_seed + static_cast<std::uint64_t>(i);
        const Sample sample = measure(models, settings);
        ++draws.texts[sample.output];
        draws.rounds += sample.rounds;
        draws.fewest_rounds = std::min(draws.fewest_rounds, sample.rounds);
        draws.drafted += std::ranges::any_of(sample.judged_at, [](int rounds) { return rounds > 0; });
    }
    draws.rounds /= static_cast<double>(samples);
    draws.drafted /= static_cast<double>(samples);
    return draws;
}

// How the texts are spread: over kinds that were drawn often, and over rare ones.
struct Spread {
    int kinds = 0;    // drawn often
    double share = 0; // of the texts that are of these
};

Spread spread_of(const Counts& texts) {
    Spread spread;
    double often = 0, all = 0;
    for (const auto& [text, count] : texts) {
        all += static_cast<double>(count);
        if (count < kRare) continue;
        often += static_cast<double>(count);
        ++spread.kinds;
    }
    spread.share = all > 0 ? often / all : 0;
    return spread;
}

// Drafters, and the least share of texts in which the target judged a draft token of theirs.
using Idle = std::map<std::string, double>;

// Texts without a draft token are plain decoding's, whatever the rule: a test of these says nothing.
// Where nobody asked for these drafters by name, the others were tested all the same.
std::string idle_text(const Idle& idle, bool asked) {
    std::string text;
    for (const auto& [drafter, share] : idle)
        text += share > 0 ? "Too few guesses to tell: " + drafter + " guessed in " + number(100 * share, 1) + " % of its texts only.\n"
                          : "Nothing was guessed by " + drafter + ", so nothing of it was tested.\n";
    if (!asked) return text + "The line below is not about them: try --drafter with each, and a larger --max-tokens.\n";
    return text + "Use a larger --max-tokens, another prompt, or --drafter with one that guesses.\n";
}

// Why a test with few degrees of freedom says nothing, and what to do.
std::string undecided_text(const Spread& spread, std::int64_t samples) {
    if (spread.share < 0.5)
        return "Too few texts to tell: " + percent(1 - spread.share, 1) + " of them are of a kind that was drawn fewer than " +
               std::to_string(kRare) + " times.\nUse ten times as many, all else as it is: N = " + std::to_string(10 * samples) +
               ". Or let there be fewer kinds of text: --top-k 3 --max-tokens 4,\nwhich tests the same rules on a smaller distribution.\n";
    return "Too few kinds of text to tell: " + percent(spread.share, 1) + " of them are " +
           (spread.kinds == 1 ? "the same" : "one of " + std::to_string(spread.kinds)) +
           ". More of them would not help.\nUse a higher --temp, a larger --max-tokens, or a prompt that can "
           "go "
           "on in more ways.\n";
}

struct Pair {
    std::string drafter, rule;
};

// The rows of the table, and what they come to.
class Verdicts {
  public:
    // `possible`: kinds of text of the exact distribution; 0: it is not known. `pairs`: what will be added, and
    // "none". `draws`: what a test with that many texts a side tells differences with, as least_distance.
    // `asked`: for one drafter by name.
    Verdicts(int possible, int tests, double draws, const std::vector<Pair>& pairs, bool asked)
        : few_(possible > 0 ? std::min(kFewest, possible - 1) : kFewest), tests_(tests), draws_(draws), asked_(asked) {
        for (const Pair& pair : pairs) {
            drafter_ = std::max(drafter_, static_cast<int>(pair.drafter.size()) + 1);
            rule_ = std::max(rule_, static_cast<int>(pair.rule.size()) + 1);
        }
    }

    void add(const std::string& drafter, const std::string& rule, const Draws& draws, const DistributionTest& test) {
        const bool good = test.p_value >= least(), few = test.degrees < few_;
        const double hidden = least_distance(test.degrees, least(), draws_);
        // The most wrong of rules changes no other texts than those with a draft token.
        const bool idle = drafter != kNoDrafter && (draws.drafted == 0 || (!few && draws.drafted < hidden));
        ++done_;
        passed_ = passed_ && good;
        if (few && !idle && good && !undecided_) undecided_ = spread_of(draws.texts);
        if (idle && good) {
            double& share = idle_.try_emplace(drafter, draws.drafted).first->second;
            share = std::min(share, draws.drafted);
        }
        if (!idle) hidden_ = std::max(hidden_, hidden);
        counted_ = counted_ || (drafter != kNoDrafter && !idle && !few);
        std::string verdict = few ? "undecided" : "ok";
        if (idle) verdict = draws.drafted > 0 ? "few guesses" : "nothing guessed";
        if (!good) verdict = "DIFFERS";
        json_.push_back({{"drafter", drafter},
                         {"rule", drafter == kNoDrafter ? OrderedJson(nullptr) : OrderedJson(rule)},
                         {"rounds_per_text", draws.rounds},
                         {"fewest_rounds", draws.fewest_rounds},
                         {"texts_with_drafts", draws.drafted},
                         {"total_variation", test.total_variation},
                         {"chi_square", test.chi_square},
                         {"degrees", test.degrees},
                         {"p_value", test.p_value},
                         {"verdict", good ? verdict : "differs"}});
        rows_ += "  " + pad(drafter, drafter_) + pad(rule, rule_) +
                 pad_left(number(draws.rounds, 2) + " (≥ " + std::to_string(draws.fewest_rounds) + ")", 17) +
                 pad_left(number(test.total_variation, 4), 17) + pad_left(number(test.chi_square, 1), 13) +
                 pad_left(std::to_string(test.degrees), 9) + pad_left(number(test.p_value, 4), 10) + "   " + verdict + "\n";
    }

    [[nodiscard]] int count() const { return done_; }
    [[nodiscard]] bool passed() const { return passed_ && decided(); }
    // Behind `facts`, which say what was tested.
    [[nodiscard]] std::string json(OrderedJson facts) const {
        facts["verdict"] = !passed_ ? "differs" : !decided() ? "undecided" : "no difference";
        facts["complete"] = done_ == tests_;
        facts["least_p_value"] = least(); // below it is a difference
        facts["found_at_least"] = passed_ && decided() && hidden_ < 1 ? OrderedJson(hidden_) : OrderedJson(nullptr);
        facts["tests"] = json_;
        return facts.dump(2, BadUtf8::replaced) + "\n";
    }
    [[nodiscard]] std::string table() const {
        return "  " + pad("drafter", drafter_) + pad("rule", rule_) + pad_left("rounds per text", 17) + pad_left("total variation", 17) +
               pad_left("chi-square", 13) + pad_left("degrees", 9) + pad_left("p-value", 10) + "\n" + rows_;
    }
    [[nodiscard]] std::string words(std::int64_t samples) const {
        std::string text = idle_.empty() ? "" : idle_text(idle_, !others_counted()) + "\n";
        if (undecided_) text += undecided_text(*undecided_, samples) + "\n";
        if (done_ < tests_) text += "Interrupted after " + std::to_string(done_) + " of " + std::to_string(tests_) + " tests.\n";
        text += finding() + ": a p-value below " + number(least(), tests_ == 1 ? 3 : 6) +
                (tests_ == 1 ? "" : " (" + number(kFalseAlarm, 3) + " divided by " + std::to_string(tests_) + " tests)") +
                " counts as a difference. Total variation\n"
                "shrinks with more samples; it is the sampling noise when the distributions agree.\n";
        // A test that finds nothing says how large that nothing may be.
        if (passed_ && decided() && hidden_ < 1)
            text += "A true one of " + number(std::ceil(hidden_ * 1000) / 1000, 3) +
                    ", rare texts taken as one kind, would be found nine times in ten.\n";
        return text;
    }

  private:
    [[nodiscard]] double least() const { return kFalseAlarm / tests_; }
    [[nodiscard]] std::string finding() const {
        if (!passed_) return "A distribution DIFFERS";
        if (!decided()) return "UNDECIDED, although no difference was found";
        return done_ < tests_ ? "No difference until then" : "No difference was found";
    }
    [[nodiscard]] bool others_counted() const { return !asked_ && counted_; }
    [[nodiscard]] bool decided() const { return !undecided_ && (idle_.empty() || others_counted()); }

    int drafter_ = 11, rule_ = 10; // widths of columns
    int few_, tests_, done_ = 0;
    double draws_, hidden_ = 0;                    // hidden_: the largest distance that a test could miss
    bool asked_, passed_ = true, counted_ = false; // counted_: a drafter's draft tokens were enough for a test
    Idle idle_;                                    // whose draft tokens were too few for a test
    OrderedJson json_ = OrderedJson::array();      // the same rows
    std::optional<Spread> undecided_;              // of the first texts with which a test could not have found a difference
    std::string rows_;
};

// The distribution of whole texts, by walking every text that the table can produce.
class ExactTexts {
  public:
    ExactTexts(const std::shared_ptr<const TableModel>& table, const Sampling& sampling, int length)
        : table_(table), sampling_(sampling), length_(length), decoder_(make_table_decoder(table, 1, length + 8)) {}
    [[nodiscard]] ExactDistribution distribution() {
        walk(0, 1);
        return std::move(distribution_);
    }

  private:
    void walk(int last, double p) {
        const int depth = static_cast<int>(text_.size());
        const bool ended = depth > 0 && std::find(table_->stops.begin(), table_->stops.end(), last) != table_->stops.end();
        if (ended || depth == length_) {
            distribution_[text_] = p;
            return;
        }
        const std::vector<int> token{last};
        const Distribution next = decoder_->forward({.tokens = token}).distribution(0, sampling_);
        for (int id = 0; id < table_->vocab; ++id) {
            if (next[static_cast<std::size_t>(id)] <= 0) continue;
            text_.push_back(id);
            walk(id, p * next[static_cast<std::size_t>(id)]);
            text_.pop_back();
        }
        decoder_->truncate(depth);
    }

    std::shared_ptr<const TableModel> table_;
    Sampling sampling_;
    int length_ = 0;
    std::unique_ptr<Decoder> decoder_;
    std::vector<int> text_;
    ExactDistribution distribution_;
};

std::vector<Pair> pairs_of(const Options& options, const Models& models, bool table_only) {
    std::vector<Pair> pairs;
    std::vector<const DrafterInfo*> drafters;
    for (const DrafterInfo& drafter : drafter_list()) drafters.push_back(&drafter);
    if (!options.drafters.empty() && find_drafter(options.drafters[0].name)->chained()) drafters = {find_drafter(options.drafters[0].name)};
    for (const DrafterInfo* const one : drafters) {
        const DrafterInfo& drafter = *one;
        const std::string name = drafter.name;
        const bool asked = !options.drafters.empty() && options.drafters[0].name == name;
        if (asked && !models.why_not(name).empty())
            throw Error("the drafter '" + name + "' cannot run: " + models.why_not(name),
                        table_only ? "Give --model " + std::string(kBuiltInModel) + " to test it on the built-in model."
                                   : "See: speclens check");
        if (name == kNoDrafter || (!options.drafters.empty() && !asked) || !models.why_not(name).empty()) continue;
        for (const RuleInfo& rule : rule_list())
            if (!rule.greedy_only && can_judge(rule, drafter) && (options.has("--rule") ? options.run.rule == rule.name : rule.lossless()))
                pairs.push_back({name, rule.name});
    }
    return pairs;
}

const char* badge_line(const Models& models) {
    if (models.target_table) return "   [TABLE]\n";
    return models.scorer ? "   [REMOTE]\n" : "   [LIVE]\n";
}

// The right rule that judges what `mistake` judges.
const RuleInfo& right_for(const RuleInfo& mistake) {
    if (mistake.siblings != Siblings::none) return *find_rule("tree_topk");
    if (mistake.kind == RuleKind::block) return *find_rule("block");
    return *find_rule(mistake.kind == RuleKind::match ? "match" : "token");
}

Draws draw_toy(const RuleInfo& rule, std::uint64_t seed, std::int64_t samples, ProgressBar& bar) {
    Draws draws;
    draws.drafted = 1;
    for (std::int64_t i = 0; i < samples; ++i) {
        if (i % 4096 == 0) {
            stop_if_interrupted();
            bar.show(std::string("drawing texts by ") + rule.name, static_cast<double>(i), static_cast<double>(samples), "texts");
        }
        const ToyText text = toy_text(rule, seed, static_cast<long>(i));
        ++draws.texts[text.tokens];
        draws.rounds += text.rounds;
        draws.fewest_rounds = std::min(draws.fewest_rounds, text.rounds);
    }
    draws.rounds /= static_cast<double>(samples);
    return draws;
}

// The result to the terminal, to a file, or both.
void hand_over(const Options& options, std::optional<ResultFile>& json, const std::string& text, const std::string& data) {
    if (options.json != "-") print_results(text);
    if (!json) return;
    json->write(data);
    json->commit();
}

OrderedJson test_facts(const Options& options, const std::string& model, std::int64_t samples, int length, int k, std::size_t exact) {
    return {{"schema", "speclens-lossless/1"},
            {"model", model},
            {"seed", options.run.seed},
            {"texts", samples},
            {"max_tokens", length},
            {"k", k},
            {"possible_texts", exact > 0 ? OrderedJson(exact) : OrderedJson(nullptr)}};
}

// A rule that is wrong on purpose, beside the right one: does the test see it?
Exit find_mistake(const Options& options, std::int64_t samples, std::optional<ResultFile>& json) {
    for (const char* other : {"--model", "--drafter", "--rule", "--k", "--temp", "--max-tokens", "--prompt", "--token-ids"})
        if (options.has(other))
            throw Error(std::string(other) + " does nothing beside --mistake, which is tested on the built-in table",
                        "Leave one of them out.", Exit::usage);
    const RuleInfo& mistake =
        *std::ranges::find(wrong_rules(), options.mistake, [](const RuleInfo& rule) { return std::string(rule.name); });
    const RuleInfo& right = right_for(mistake);
    Verdicts verdicts(static_cast<int>(exact_texts().size()), 2, static_cast<double>(samples),
                      {{"table", right.name}, {"table", mistake.name}}, true);
    ProgressBar bar;
    for (const RuleInfo* rule : {&right, &mistake}) {
        const Draws draws = draw_toy(*rule, options.run.seed, samples, bar);
        verdicts.add("table", rule->name, draws, against_distribution(draws.texts, exact_texts()));
    }
    bar.clear();
    OrderedJson facts = test_facts(options, "built-in table", samples, kToyTokens, kToyDrafts, exact_texts().size());
    facts["mistake"] = mistake.name;
    hand_over(options, json,
              "SpecLens lossless · built-in table · seed " + std::to_string(options.run.seed) + "   [TABLE]\n" + std::to_string(samples) +
                  " texts of " + std::to_string(kToyTokens) + " tokens by each rule, K = " + std::to_string(kToyDrafts) +
                  "; compared with the exact distribution of all " + std::to_string(exact_texts().size()) + " possible texts\n" +
                  mistake.name + ", wrong on purpose: " + message(mistake.title) + ". " + message(mistake.about) + "\n\n" +
                  verdicts.table() + "\n" + verdicts.words(samples),
              verdicts.json(std::move(facts)));
    return verdicts.passed() ? Exit::ok : Exit::failed;
}

} // namespace

Exit command_lossless(const Options& options) {
    const std::int64_t samples = whole("N", options.words[0], 100, 100000000);
    std::optional<ResultFile> json; // before anything is drawn: can it be written?
    if (!options.json.empty()) json.emplace(options.json);
    if (!options.mistake.empty()) return find_mistake(options, samples, json);
    if (options.temperature().value_or(1) == 0 || options.run.rule == "greedy")
        throw Error("at temperature 0 there is one text and nothing to count", "Use: speclens compare --temp 0", Exit::usage);
    if (!options.drafters.empty() && options.drafters[0].name == kNoDrafter)
        throw Error("none is plain decoding: there is nothing to test", "Use --drafter with one that guesses.", Exit::usage);
    const bool table_only = !options.has("--model") && !options.prompt && options.run.prompt.token_ids.empty();
    const std::shared_ptr<const Models> models = table_only ? built_in(options) : load(options);
    if (!options.drafters.empty() && options.has("--rule"))
        if (const DrafterInfo* drafter = find_drafter(options.drafters[0].name);
            drafter && !can_judge(*find_rule(options.run.rule), *drafter))
            throw tree_error(options.run.rule);
    const std::vector<Pair> pairs = pairs_of(options, *models, table_only);
    std::vector<std::string> names;
    for (const Pair& pair : pairs) names.push_back(pair.drafter);
    check_drafter_options(options, names.empty() ? std::vector<std::string>{kNoDrafter} : names, models->layers());
    if (pairs.empty()) throw Error("no drafter can run with these models", "See: speclens check");

    const int k = options.k().value_or(options.run.options.tree_depth > 0 ? options.run.options.tree_depth : 2);
    if (k == 0) throw Error("K = 0 is plain decoding: there is nothing to test", "Use --k 1 or more.", Exit::usage);
    const int length = options.max_tokens().value_or(2 * (k + 1) + 1); // a third round even if everything is accepted
    // Where every draft token stays, the target's own token still follows.
    if (length < 2)
        throw Error("a text of one token has no room for a guess: there is nothing to test", "Use --max-tokens 2 or more.", Exit::usage);
    const auto settings_of = [&](const std::string& drafter, const std::string& rule) {
        RunSettings settings = run_settings(options, drafter, 1);
        settings.k = drafter == kNoDrafter ? 0 : k;
        settings.rule = rule;
        settings.max_tokens = length;
        settings.trace_top = 0;
        settings.timing = false;
        return settings;
    };
    const RunSettings plain_settings = settings_of(kNoDrafter, "token");

    ExactDistribution exact;
    const double texts = std::pow(static_cast<double>(std::max(1, models->vocab())), length);
    const bool known = models->target_table && texts <= kMostTexts;
    if (known) exact = ExactTexts(models->target_table, plain_settings.sampling, length).distribution();

    ProgressBar bar;
    const std::uint64_t seed = options.run.seed << 40; // every set of draws has its own dice
    const Draws plain = draw(models, plain_settings, samples, seed, bar);
    const int tests = static_cast<int>(pairs.size()) + (known ? 1 : 0);
    Verdicts verdicts(known ? static_cast<int>(exact.size()) : 0, tests, static_cast<double>(samples) / (known ? 1 : 2), pairs,
                      !options.drafters.empty());
    std::string text = "SpecLens lossless · " + (table_only ? std::string("built-in table") : models->target_name()) + " · temperature " +
                       number(plain_settings.sampling.temperature, 2) + ", seed " + std::to_string(options.run.seed) + badge_line(*models);
    text += std::to_string(samples) + " texts of at most " + std::to_string(length) + " tokens, K = " + std::to_string(k) + "; " +
            (known ? "compared with the exact distribution of all " + std::to_string(exact.size()) + " possible texts"
                   : "compared with as many texts of plain decoding, other dice") +
            "\n\n";
    if (known) verdicts.add(kNoDrafter, "–", plain, against_distribution(plain.texts, exact));
    std::uint64_t set = 1;
    bool was_interrupted = false;
    try {
        for (const Pair& pair : pairs) {
            const Draws draws = draw(models, settings_of(pair.drafter, pair.rule), samples, seed + (set++ << 32), bar);
            verdicts.add(pair.drafter, pair.rule, draws,
                         known ? against_distribution(draws.texts, exact) : against_draws(draws.texts, plain.texts));
        }
    } catch (const Interrupted&) { // what was tested is told
        was_interrupted = true;
    }
    bar.clear();
    if (was_interrupted && verdicts.count() == 0) throw Interrupted();
    text += verdicts.table() + "\n" + verdicts.words(samples);
    if (const RuleInfo& rule = *find_rule(options.run.rule); options.has("--rule") && !keeps_target(rule, options.run.rule_params))
        text += std::string("The rule ") + rule.name + " does not promise the target's distribution" +
                (rule.is_cascade() ? ": its output follows a mixture of the draft's and the target's.\n" : ".\n");
    OrderedJson facts =
        test_facts(options, table_only ? "built-in table" : models->target_name(), samples, length, k, known ? exact.size() : 0);
    facts["temperature"] = plain_settings.sampling.temperature;
    hand_over(options, json, text, verdicts.json(std::move(facts)));
    if (was_interrupted) throw Interrupted();
    return verdicts.passed() ? Exit::ok : Exit::failed;
}

} // namespace speclens::cli
