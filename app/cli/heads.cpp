#include "app/cli/heads.h"

#include <algorithm>
#include <cmath>

#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/cycle.h"
#include "engine/run/gallery.h"
#include "engine/run/run.h"

namespace speclens::cli {
namespace {

std::string tap_text(const std::vector<int>& taps, int layers) {
    if (taps == std::vector<int>{layers}) return "the last state after the final norm";
    std::string text = taps.size() == 1 ? "hidden state after layer" : "hidden states after layers";
    for (const int tap : taps) text += tap == kTapEmbedding ? " embedding" : " " + std::to_string(tap);
    return text;
}

std::string layers_text(int layers) { return std::to_string(layers) + (layers == 1 ? " layer" : " layers"); }

// Follows the greedy text from `prompt` for one round of draft tokens at a time.
class Follower final : public Drafter {
  public:
    Follower(std::unique_ptr<Drafter> inner, std::span<const int> text) : inner_(std::move(inner)), text_(text) {}
    [[nodiscard]] std::vector<int> taps() const override { return inner_->taps(); }
    void begin(std::span<const int> sequence) override { inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        std::vector<std::pair<int, int>> known;
        const std::size_t at = request.sequence.size();
        for (std::size_t i = 0; at + i < text_.size(); ++i) known.emplace_back(static_cast<int>(i), text_[at + i]);
        DraftRequest forced = request;
        forced.force = known;
        forced.siblings = Siblings::none;
        Draft draft = inner_->draft(forced);
        proposed += draft.nodes.size();
        return draft;
    }
    std::size_t proposed = 0;

  private:
    std::unique_ptr<Drafter> inner_;
    std::span<const int> text_;
};

// Lets the target write alone, and asks `inner` for one draft token behind every token.
class Onlooker final : public Drafter {
  public:
    explicit Onlooker(std::unique_ptr<Drafter> inner) : inner_(std::move(inner)) {}
    [[nodiscard]] std::vector<int> taps() const override { return inner_->taps(); }
    void begin(std::span<const int> sequence) override { inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        DraftRequest one = request;
        one.k = 1;
        const Draft draft_token = inner_->draft(one);
        first_drafts.emplace_back(request.sequence.size(), draft_token.nodes.empty() ? -1 : draft_token.nodes.front().token);
        return {};
    }
    std::vector<std::pair<std::size_t, int>> first_drafts; // behind so many tokens

  private:
    std::unique_ptr<Drafter> inner_;
};

// Short greedy texts, so that they are about many things.
std::vector<RunSettings> texts_to_draft(const Models& models) {
    constexpr int kTokens = 32, kTextsOfIds = 2 * kMtpPlaces / kTokens;
    RunSettings base;
    base.drafter = kNoDrafter;
    base.k = 0;
    base.max_tokens = kTokens;
    std::vector<RunSettings> texts;
    if (!models.tokenizer) {
        for (int i = 0; i < kTextsOfIds; ++i) {
            texts.push_back(base);
            texts.back().prompt.token_ids = {i % models.vocab(), (i + 1) % models.vocab(), (i + 2) % models.vocab()};
        }
        return texts;
    }
    std::vector<GalleryPrompt> prompts = load_gallery(gallery_file(assets_folder(), !models.bundle.empty()));
    ask_as_text_if_needed(prompts, models.chat);
    for (const GalleryPrompt& prompt : prompts) {
        RunSettings text = base;
        text.prompt = prompt_of(prompt, false);
        texts.push_back(text);
    }
    if (texts.empty()) texts.push_back(base);
    return texts;
}

// Whether the MTP head's draft token was right, at every place of `texts` until there are enough.
std::vector<bool> right_drafts(const std::shared_ptr<const Models>& models, const std::vector<RunSettings>& texts, bool raw,
                               const std::function<void(int)>& progress) {
    std::vector<bool> right;
    DrafterOptions options;
    options.mtp_raw = raw;
    for (const RunSettings& text : texts) {
        const std::vector<int> prompt = prompt_tokens(*models, text.prompt).ids;
        const auto target =
            make_model_decoder(models->target, std::min(models->holds(), static_cast<int>(prompt.size()) + text.max_tokens));
        Onlooker onlooker(find_drafter("mtp")->make({*target, nullptr, models->network("mtp"), options}));
        CycleSettings settings;
        settings.k = 1;
        settings.max_tokens = text.max_tokens;
        settings.trace_top = 0;
        settings.stops = models->stops();
        Trace trace([](int) { return std::string(); });
        trace.append(Header{});
        Cycle cycle(*target, onlooker, *find_rule("greedy"), settings, trace, prompt, static_cast<int>(prompt.size()));
        while (cycle.step()) {
        }
        for (const auto& [place, token] : onlooker.first_drafts) {
            if (place >= cycle.sequence().size()) continue;
            right.push_back(token == cycle.sequence()[place]);
            if (std::ssize(right) == kMtpPlaces) return right;
        }
        progress(static_cast<int>(right.size()));
    }
    return right;
}

} // namespace

std::string describe_head(const DraftNetwork& network) {
    const DraftConfig& c = network.config;
    std::string text = c.architecture.empty() ? name_of(c.method) : c.architecture;
    const auto add = [&](const std::string& part) { text += ", " + part; };
    switch (c.method) {
    case DraftConfig::Method::dart:
        add(std::to_string(c.masks) + " masks: up to " + std::to_string(c.most_drafts()) + " guesses in a row");
        add(network.ngrams
                ? std::to_string(network.ngrams->nodes()) + " n-grams of up to " + std::to_string(network.ngrams->order()) + " tokens"
                : "no n-grams beside it (drafts with --ngram-weight 0 only)");
        [[fallthrough]];
    case DraftConfig::Method::eagle3:
        add(layers_text(c.layer.layers));
        add(std::to_string(c.draft_vocab) + " of " + std::to_string(c.layer.vocab) + " ids");
        if (c.norm_before_residual) add("norm before the residual");
        if (c.fc_norm) add("a norm for every tap");
        if (c.norm_before_fc) add("a norm for all taps together");
        if (c.norm_output) add("goes on from normed states");
        break;
    case DraftConfig::Method::mtp: add(layers_text(c.layer.layers) + std::string(", used again for every guess")); break;
    case DraftConfig::Method::medusa:
        add(std::to_string(c.medusa_heads) + " heads" + (c.shared_head ? " on the target's output matrix" : ""));
        break;
    default:
        add(layers_text(c.layer.layers));
        add("block " + std::to_string(c.block) + ": up to " + std::to_string(c.most_drafts()) + " guesses, " +
            (c.anchor_aligned ? "row k for the token k + 1 after the anchor" : "row k for the token k after the anchor"));
        add(c.own_mask ? "a mask of its own" : "mask token " + std::to_string(c.mask_id));
        if (c.gru > 0 && c.method == DraftConfig::Method::domino)
            add("GRU " + std::to_string(c.gru) + ", rank " + std::to_string(c.rank) + ", " + std::to_string(c.prefix) + " uncorrected");
        if (c.draft_vocab > 0)
            add(std::to_string(c.draft_vocab) + " of " + std::to_string(c.layer.vocab) + " ids" +
                (c.gathers_head ? " on the target's output matrix" : ""));
        if (const auto narrow = std::ranges::count_if(c.windows, [](int window) { return window > 0; }); narrow > 0)
            add(std::to_string(narrow) + " of them with a window of " + std::to_string(*std::ranges::max_element(c.windows)) +
                " positions");
        if (c.markov_rank > 0 && c.method == DraftConfig::Method::dspark)
            add("Markov rank " + std::to_string(c.markov_rank) +
                (c.markov == DraftConfig::Markov::gated ? ", gated"
                 : c.markov == DraftConfig::Markov::rnn ? ", recurrent"
                                                        : ""));
        if (c.confidence) add("confidence head");
        if (c.method == DraftConfig::Method::dflash2)
            add("convolutions over " + std::to_string(c.conv_taps) + " rows, a selector of rank " + std::to_string(c.selector_rank) +
                " among " + std::to_string(c.candidates) + " ids");
    }
    add(tap_text(c.taps, network.target->config.layers));
    add(megabytes(static_cast<double>(network.bytes.stored())));
    if (network.bytes.tables > 0) add(megabytes(static_cast<double>(network.bytes.tables)) + " of tables worked out from it");
    return text;
}

std::string head_problem(const std::shared_ptr<const Models>& models, const std::string& drafter) {
    RunSettings plain;
    plain.drafter = kNoDrafter;
    plain.k = 0;
    plain.max_tokens = 20;
    plain.trace_top = 0;
    if (!models->tokenizer) plain.prompt.token_ids = {0, 1, 2};
    Run reference(models, plain);
    reference.finish();
    const std::vector<int> text = reference.sequence();
    const auto prompt = reference.trace().header()->prompt;

    const auto target = make_model_decoder(models->target, 256);
    const int k = std::min(4, models->network(drafter)->config.most_drafts());
    Follower follower(find_drafter(drafter)->make({*target, nullptr, models->network(drafter), {}}), text);
    CycleSettings settings;
    settings.k = k;
    settings.max_tokens = static_cast<int>(text.size() - prompt.size());
    settings.trace_top = 0;
    Trace trace([](int) { return std::string(); });
    trace.append(Header{});
    Cycle cycle(*target, follower, *find_rule("greedy"), settings, trace, prompt, static_cast<int>(prompt.size()));
    while (cycle.step()) {
    }
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i])) accepted += static_cast<std::size_t>(commit->accepted_drafts);
    if (cycle.sequence() != text) return "greedy text changes with it";
    if (accepted != follower.proposed)
        return "the target rejects its own text: " + std::to_string(accepted) + " of " + std::to_string(follower.proposed) + " kept";
    return "";
}

MtpStates::Wants MtpStates::wants() const {
    const int apart = only_before - only_after, decided = only_before + only_after;
    if (std::abs(apart) <= std::max(0.01 * places, 1.96 * std::sqrt(decided))) return Wants::unknown;
    return apart > 0 ? Wants::before_norm : Wants::after_norm;
}

MtpStates mtp_states(const std::shared_ptr<const Models>& models, const std::function<void(int)>& progress) {
    const std::vector<RunSettings> texts = texts_to_draft(*models);
    const std::vector<bool> after = right_drafts(models, texts, false, [&](int done) {
        if (progress) progress(done);
    });
    const std::vector<bool> before = right_drafts(models, texts, true, [&](int done) {
        if (progress) progress(static_cast<int>(after.size()) + done);
    });
    MtpStates states;
    states.places = static_cast<int>(std::min(after.size(), before.size())); // the same: the text is the target's
    for (std::size_t i = 0; std::cmp_less(i, states.places); ++i) {
        states.both += after[i] && before[i];
        states.only_after += after[i] && !before[i];
        states.only_before += !after[i] && before[i];
    }
    return states;
}

std::pair<std::string, std::string> mtp_verdict(const MtpStates& states) {
    const std::string shares = "first guesses right: " + number(100 * states.after_norm(), 1) + " % with the state after the final norm, " +
                               number(100 * states.before_norm(), 1) + " % with the one before it, at " + std::to_string(states.places) +
                               " places; ";
    switch (states.wants()) {
    case MtpStates::Wants::after_norm: return {shares + "it wants the one after, as it is fed", ""};
    case MtpStates::Wants::before_norm:
        return {shares + "it wants the one before", "It seems to be trained on the state before the norm: add --mtp-raw."};
    case MtpStates::Wants::unknown: break;
    }
    return {shares + "which one it wants cannot be told: " + std::to_string(states.only_after) + " places speak for the one, " +
                std::to_string(states.only_before) + " for the other",
            ""};
}

} // namespace speclens::cli
