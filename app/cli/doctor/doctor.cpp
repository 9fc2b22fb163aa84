// `speclens check --doctor`: why a head accepts what it does (engine/doctor/examination.h), as a table and as JSON.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/cli/commands.h"
#include "app/cli/heads.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/doctor/examination.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"

namespace speclens::cli {
namespace {

std::string signed_number(double value) { return (value < 0 ? "−" : "+") + number(std::abs(value), 2); }
std::string interval(const PairedDifference& d) {
    return signed_number(d.mean) + " [" + signed_number(d.low) + ", " + signed_number(d.high) + "]";
}

const char* word_of(Diagnosis::Verdict verdict) {
    switch (verdict) {
    case Diagnosis::Verdict::mends: return "mends";
    case Diagnosis::Verdict::uncertain: return "uncertain";
    case Diagnosis::Verdict::weak: return "weak";
    case Diagnosis::Verdict::healthy: return "healthy";
    case Diagnosis::Verdict::open: break;
    }
    return "open";
}

std::string verdict_words(const Diagnosis& d) {
    switch (d.verdict) {
    case Diagnosis::Verdict::mends:
        return "It is read in another way than it was trained: " + d.winner->variant.what + ". On " + std::to_string(d.fresh_places) +
               " places of fresh prompts it keeps " + number(d.fresh_kept_changed, 2) + " guesses a round instead of " +
               number(d.fresh_kept, 2) + ": " + interval(d.fresh) + ".";
    case Diagnosis::Verdict::uncertain:
        return "One variant was better (" + d.winner->variant.what + "), and was not on fresh prompts: " + interval(d.fresh) +
               " guesses a round at " + std::to_string(d.fresh_places) + " places. That is no reason to change the config.";
    case Diagnosis::Verdict::weak:
        return "No variant reads it better: the head is weak for this target and these texts, or was trained for another model or on "
               "other text.";
    case Diagnosis::Verdict::healthy: return "No variant reads it better: it is read as it was trained.";
    case Diagnosis::Verdict::open: break;
    }
    return "";
}

class Report {
  public:
    Report(const Diagnosis& diagnosis, const DraftNetwork& head, const Terminal& terminal) : d_(diagnosis), terminal_(terminal) {
        row("head", d_.drafter + ": " + describe_head(head));
        row("texts", grouped(d_.places) + " places in " + std::to_string(d_.texts) + " texts that " + d_.target + " wrote, " +
                         std::to_string(d_.k) + " guesses at each");
        row("kept", number(d_.kept, 2) + " guesses a round, read as config.json says");
        places();
        ranks();
        variants();
        row("verdict", verdict_words(d_),
            d_.verdict == Diagnosis::Verdict::mends     ? Tone::rejected
            : d_.verdict == Diagnosis::Verdict::healthy ? Tone::accepted
                                                        : Tone::strong);
        if (d_.verdict == Diagnosis::Verdict::mends) row("config.json", d_.winner->variant.line(), Tone::strong);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    void row(const std::string& what, const std::string& words, Tone tone = Tone::plain) {
        text_ += terminal_.paint(tone, beside(what, 14, words, terminal_.prose_width()));
    }
    void places() {
        std::string head, shares;
        for (std::size_t i = 0; i < d_.kept_at.size(); ++i) {
            head += pad_left(std::to_string(i + 1), 7);
            shares += pad_left(percent(d_.kept_at[i], 1), 7);
        }
        text_ += pad("guess", 14) + head + "\n" + pad("  is kept", 14) + shares + "\n";
    }
    void ranks() {
        const double all = std::accumulate(d_.ranks.begin(), d_.ranks.end(), 0.0);
        std::string head, shares;
        for (int bin = 0; bin < kRankBins; ++bin) {
            const std::string words = rank_words(bin);
            const int width = std::max(7, columns(words) + 2);
            head += pad_left(words, width);
            shares += pad_left(percent(static_cast<double>(d_.ranks[static_cast<std::size_t>(bin)]), all), width);
        }
        text_ += pad("rank", 14) + head + terminal_.paint(Tone::muted, "   of the target's choice, first guess") + "\n";
        text_ += pad("  share", 14) + shares + "\n";
    }
    void variants() {
        int widest = 0;
        const std::vector<const TriedVariant*> listed = d_.ranked();
        for (const TriedVariant* one : listed) widest = std::max(widest, columns(one->variant.what));
        const auto refused = std::ranges::count_if(d_.variants, [](const TriedVariant& one) { return !one.refused.empty(); });
        text_ += pad("read otherwise", widest + 4) + pad_left("kept", 6) + "   difference, 95 % interval\n";
        for (const TriedVariant* one : listed)
            text_ += terminal_.paint(one->better ? Tone::rejected : Tone::plain,
                                     "  " + pad(one->variant.what, widest + 2) + pad_left(number(one->kept, 2), 6) + "   " +
                                         interval(one->difference) + (one->better ? "   better" : "")) +
                     "\n";
        std::string notes;
        const auto note = [&](const std::string& words) { notes += (notes.empty() ? "" : "; ") + words; };
        if (refused > 0) note(counted(static_cast<int>(refused), "other variant") + " cannot be: the tensors say otherwise");
        if (d_.pairs > 0) note(counted(d_.pairs, "pair") + " looked at");
        if (d_.least_told > 0) note("a gain below " + number(d_.least_told, 2) + " guesses a round would often have gone unnoticed");
        if (d_.plain_places > 0)
            note("asked as plain text instead of as a chat it keeps " + number(d_.plain_kept, 2) + " guesses a round, at " +
                 std::to_string(d_.plain_places) + " places, as a chat " + number(d_.chat_kept, 2));
        if (!notes.empty()) row("", notes + ".", Tone::muted);
    }

    const Diagnosis& d_;
    Terminal terminal_;
    std::string text_;
};

OrderedJson difference_json(const PairedDifference& d) {
    return {{"mean", d.mean}, {"low", d.low}, {"high", d.high}, {"p", d.p_value}, {"texts", d.texts}};
}

OrderedJson variant_json(const TriedVariant& one) {
    OrderedJson json = {{"what", one.variant.what}, {"config", Json::parse(one.variant.changes)}};
    if (!one.refused.empty()) {
        json["refused"] = one.refused;
        return json;
    }
    json["kept"] = one.kept;
    json["difference"] = difference_json(one.difference);
    json["better"] = one.better;
    return json;
}

OrderedJson diagnosis_json(const Diagnosis& d) {
    OrderedJson json = {{"schema", "speclens-doctor/1"},
                        {"target", d.target},
                        {"drafter", d.drafter},
                        {"head", d.head},
                        {"k", d.k},
                        {"places", d.places},
                        {"texts", d.texts},
                        {"kept", d.kept},
                        {"kept_at", d.kept_at},
                        {"ranks", OrderedJson::object()},
                        {"variants", OrderedJson::array()},
                        {"pairs", d.pairs},
                        {"least_told", d.least_told},
                        {"verdict", word_of(d.verdict)}};
    for (int bin = 0; bin < kRankBins; ++bin) json["ranks"][rank_words(bin)] = d.ranks[static_cast<std::size_t>(bin)];
    for (const TriedVariant& one : d.variants) json["variants"].push_back(variant_json(one));
    if (d.winner) {
        json["winner"] = variant_json(*d.winner);
        json["fresh"] = {{"places", d.fresh_places},
                         {"texts", d.fresh_texts},
                         {"kept", d.fresh_kept},
                         {"kept_changed", d.fresh_kept_changed},
                         {"difference", difference_json(d.fresh)}};
    }
    if (d.plain_places > 0) json["plain_text"] = {{"places", d.plain_places}, {"kept", d.plain_kept}, {"kept_as_chat", d.chat_kept}};
    return json;
}

} // namespace

Exit doctor(const Options& options) {
    if (options.drafters.size() != 1 || find_drafter(options.drafters.front().name)->chained())
        throw Error(
            "--doctor examines one head" + std::string(options.drafters.empty() ? ", and none was named" : ""),
            "Name it: speclens check --drafter NAME=HEAD --doctor, NAME one of eagle3, dflash, dflash2, domino, dspark; without =HEAD "
            "the one that comes with the model.",
            Exit::usage);
    std::optional<ResultFile> file; // before anything is measured: can it be written?
    if (!options.json.empty()) file.emplace(options.json);
    const std::shared_ptr<const Models> models = load(options);
    ExaminationPlan plan;
    plan.drafter = options.drafters.front().name;
    if (const std::string problem = models->why_not(plan.drafter); !problem.empty() && models->target)
        throw Error("--doctor: " + problem, "Name the folder of a head: --drafter " + plan.drafter + "=HEAD.", Exit::usage);
    if (options.prompts.empty()) {
        plan.prompts = examination_prompts(*models);
    } else {
        for (ListedPrompt& prompt : prompts_of(options, *models)) plan.prompts.push_back(std::move(prompt.ask));
    }
    const std::shared_ptr<const DraftNetwork> head = models->network(plan.drafter);
    Examination examination(models, std::move(plan));
    ProgressBar bar;
    while (examination.step()) {
        stop_if_interrupted();
        bar.show("examining", examination.done(), examination.total(), "places");
    }
    bar.clear();
    const Diagnosis& diagnosis = *examination.diagnosis();
    if (options.json != "-") print(Report(diagnosis, *head, standard_terminal(options.color)).text());
    if (file) {
        file->write(diagnosis_json(diagnosis).dump(2) + "\n");
        file->commit();
    }
    return diagnosis.verdict == Diagnosis::Verdict::mends ? Exit::failed : Exit::ok;
}

} // namespace speclens::cli
