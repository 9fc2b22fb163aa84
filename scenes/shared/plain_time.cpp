#include "scenes/shared/plain_time.h"

#include "scenes/shared/told.h"

namespace speclens {

Message no_plain_words(const SceneInput& input) {
    const Header* run = input.whole ? input.whole->header : nullptr;
    if (run && run->tier == "REMOTE") return shared_says("words.no_plain:server"_t);
    if (run && run->tier == "TABLE") return shared_says("words.untimed:table"_t);
    return run && run->tier == "RECORDED" ? shared_says("words.no_plain:recorded"_t) : shared_says("words.no_plain:unmeasured"_t);
}

bool without_passes(const SceneInput& input) {
    const Header* run = input.whole ? input.whole->header : nullptr;
    return run && (run->tier == "REMOTE" || run->tier == "TABLE");
}

bool timed_by_task(const SceneInput& input) { return input.passes && input.by_task(""); }

Message untimed_passes(const SceneInput& input) {
    if (!without_passes(input)) return {};
    return input.whole->header->tier == "TABLE" ? shared_says("words.untimed:table"_t) : shared_says("words.untimed:server"_t);
}

double plain_ms(const SceneInput& input) {
    if (without_passes(input)) return 0;
    if (input.plain.ms_per_token > 0) return input.plain.ms_per_token;
    if (input.trace && input.trace->plain_ms() > 0) return input.trace->plain_ms();
    return input.status ? input.status->plain_ms_per_token : 0;
}

} // namespace speclens
