// The head doctor: why does a head accept what it does? The target writes texts of its own; at every place of them the head guesses,
// read as its config.json says and in every way of variants.h, each on the same places. A variant is named when it keeps more guesses
// in a row by a paired test over texts (paired.h), corrected for everything that was tried, by at least kLeastGain, and again on texts of
// prompts that nothing was chosen on. So a healthy head gets an alarm less than once in a hundred, however many variants there are.
//
// Two faults at once: where a variant makes the target's choice likelier without being the whole answer, it is tried together with those
// of other keys, first on a part of the texts, the best of them on all. Every such pair counts as tried.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/doctor/diagnosis.h"

namespace speclens {

struct ExaminationPlan {
    std::string drafter;              // whose head is examined, a chain or a tree with one
    int tokens = 2000;                // places that every variant is scored at, at least
    int fresh = 1000;                 // and of fresh prompts
    int longest = 64;                 // tokens of an answer
    std::vector<Prompt> prompts = {}; // every third is kept back as fresh; none: texts from made-up ids, for models without a tokenizer
};
// Prompts for these models: of assets/prompts, which no shipped head was trained on, in an order that mixes their kinds.
[[nodiscard]] std::vector<Prompt> examination_prompts(const Models& models);

class Examination {
  public:
    // Throws Error: no such head, one without variants, a target that is elsewhere, too few prompts.
    Examination(std::shared_ptr<const Models> models, ExaminationPlan plan);
    ~Examination();

    bool step();                                                                        // a small piece; false: it is over
    [[nodiscard]] std::shared_ptr<const Diagnosis> diagnosis() const { return shown_; } // never null; a new one when there is more to see
    [[nodiscard]] std::size_t revision() const { return revision_; }                    // grows with it
    [[nodiscard]] int done() const;                                                     // places written or read, of so many
    [[nodiscard]] int total() const;
    [[nodiscard]] std::optional<double> left_seconds() const; // empty until a place was read in each way

  private:
    using Task = std::function<bool()>; // a piece of it; false: it is over
    struct Reading {                    // of the head in one way
        Variant variant;
        std::string refused;
        HeadScore score; // on the texts to choose by
    };

    void write(std::vector<Prompt> prompts, int tokens, std::vector<OwnText>& into);
    void read(const std::vector<OwnText>& texts, const Variant& variant, std::function<void(Reading)> then);
    void plan_pairs();
    void plan_full_pairs();
    void judge();
    void confirm(const TriedVariant& winner);
    void conclude();
    void show();
    [[nodiscard]] TriedVariant tried(const Reading& reading) const;

    std::shared_ptr<const Models> models_;
    ExaminationPlan plan_;
    std::shared_ptr<const DraftNetwork> head_;
    std::vector<Variant> variants_;
    std::vector<OwnText> texts_, part_, fresh_, plain_;
    std::deque<Task> tasks_;
    Reading as_it_is_;
    std::vector<Reading> singles_, screened_, pairs_;
    std::optional<HeadScore> fresh_as_it_is_;
    Diagnosis diagnosis_;
    std::shared_ptr<const Diagnosis> shown_;
    std::size_t revision_ = 0;
    int written_ = 0, to_write_ = 0, read_ = 0, to_read_ = 0;
    double writing_ms_ = 0, reading_ms_ = 0;
};

} // namespace speclens
