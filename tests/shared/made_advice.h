// Advice as a measurement would end with it.
#pragma once

#include "engine/advice/advice.h"

namespace speclens::test {

// Drafters whose acceptance and costs are round numbers: 10 ms a plain token.
inline Advice made_advice(bool complete = true) {
    Advice advice;
    advice.model = "bundle S";
    advice.prompts = 60, advice.planned = 240;
    advice.shortest = 20, advice.longest = 130;
    advice.plain_ms = 10;
    advice.clock = 0.02;
    advice.complete = complete;
    struct Made {
        const char* name;
        double stays, draft_ms;
        int longest;
    };
    for (const Made& made :
         {Made{"small", 0.9, 2, 7}, Made{"eagle3", 0.85, 1, 7}, Made{"medusa", 0.6, 0.2, 4}, Made{"lookup", 0.2, 0, 7}}) {
        AdviceDrafter drafter{made.name, "token", {}, {}, ""};
        double tokens = 1, kept = 1;
        for (int k = 1; k <= made.longest; ++k) {
            drafter.judged.push_back(static_cast<int>(1000 * kept));
            kept *= made.stays;
            drafter.kept.push_back(static_cast<int>(1000 * kept));
            tokens += kept;
            AdviceCell cell;
            cell.drafter = made.name, cell.k = k, cell.tokens_per_round = tokens;
            cell.draft_ms = k * made.draft_ms, cell.verify_ms = 10 + 0.8 * k, cell.other_ms = 0.3;
            cell.speed_up = tokens * 10 / cell.round_ms();
            cell.low = cell.speed_up * 0.93, cell.high = cell.speed_up * 1.07;
            cell.prompts = k == made.longest ? 60 : 15, cell.worked_out = k != made.longest;
            advice.cells.push_back(cell);
        }
        advice.drafters.push_back(drafter);
    }
    return advice;
}

} // namespace speclens::test
