// A diagnosis as an examination would end with it.
#pragma once

#include "engine/doctor/diagnosis.h"

namespace speclens::test {

// As engine/doctor/variants.cpp says them.
inline Diagnosis made_diagnosis(const std::string& drafter, Diagnosis::Verdict verdict = Diagnosis::Verdict::healthy) {
    constexpr SaidOf<"drafters"> kSaid;
    Diagnosis d;
    d.drafter = drafter, d.head = "head", d.target = "micro target";
    d.k = 4, d.places = 2004, d.texts = 37;
    d.kept = 2.31;
    d.kept_at = {0.81, 0.62, 0.5, 0.38};
    d.ranks = {1624, 160, 80, 40, 40, 20, 20, 18, 2};
    d.variants = {{.variant = {"all tapped layers one deeper",
                               R"({"dflash_config":{"target_layer_ids":[2,6,10]}})",
                               {kSaid("variant.taps"_t, "deeper"_v = true)}},
                   .kept = 2.14,
                   .difference = {.mean = -0.17, .low = -0.21, .high = -0.13, .texts = 37}},
                  {.variant = {"rotary base 500000",
                               R"({"rope_theta":500000.0})",
                               {kSaid("variant.base"_t, "base"_v = 500000.0, "targets"_v = false)}},
                   .kept = 2.63,
                   .difference = {.mean = 0.32, .low = 0.27, .high = 0.37, .texts = 37},
                   .better = verdict == Diagnosis::Verdict::mends || verdict == Diagnosis::Verdict::uncertain},
                  {.variant = {"d2t holds ids", R"({"d2t_holds":"ids"})"}, .refused = "d2t holds offsets"}};
    d.planned = 3;
    d.least_told = 0.12;
    d.verdict = verdict;
    if (d.variants[1].better) {
        d.winner = d.variants[1];
        d.fresh_places = 1006, d.fresh_texts = 19;
        d.fresh_kept = 2.28, d.fresh_kept_changed = 2.59;
        d.fresh = {.mean = 0.31, .low = 0.24, .high = 0.38, .texts = 19};
    }
    return d;
}

} // namespace speclens::test
