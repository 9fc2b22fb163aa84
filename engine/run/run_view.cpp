#include "engine/run/run_view.h"

#include <algorithm>

namespace speclens {
namespace {

class Folder {
  public:
    explicit Folder(RunView& view) : view_(view) {}
    void add(const Trace& trace, std::size_t index, const EventTimes& times) {
        index_ = index;
        times_ = times;
        std::visit(*this, trace[index]);
    }

    void operator()(const Header& e) {
        view_.header = &e;
        view_.prompt_tokens = static_cast<int>(e.prompt.size());
        for (int id : e.prompt) view_.tokens.push_back({id, Origin::prompt, -1, -1});
    }
    void operator()(const Prefill& e) {
        view_.phase = Phase::prefill;
        view_.prefill_tokens += e.tokens;
        view_.prefill_ms += times_.ms;
    }
    void operator()(const Drafted& e) {
        RoundSummary& c = round(e.round);
        view_.phase = Phase::draft;
        const int index = static_cast<int>(c.drafts.size());
        const int parent = e.parent >= 0 && e.parent < index ? e.parent : -1; // a hostile file may say anything
        c.tree = c.tree || parent != index - 1;
        c.drafts.push_back({.draft = &e,
                            .parent = parent,
                            .depth = 1 + (parent < 0 ? 0 : c.drafts[parent].depth),
                            .ms = times_.ms,
                            .head_ms = times_.aside});
        c.draft_ms += times_.ms + times_.aside;
        c.head_ms += times_.aside;
    }
    void operator()(const Verified& e) {
        RoundSummary& c = round(e.round);
        view_.phase = Phase::verify;
        c.verify = &e;
        c.verify_ms += times_.ms;
        c.draft_ms += times_.aside;
        c.empty_draft_ms += times_.aside;
    }
    void operator()(const Checked& e) {
        RoundSummary& c = round(e.round);
        view_.phase = Phase::accept;
        if (e.index < 0 || e.index >= static_cast<int>(c.drafts.size())) return; // a hostile file
        DraftSlot& slot = c.drafts[static_cast<std::size_t>(e.index)];
        slot.check = &e;
        c.last_judged = e.index;
        slot.state = e.accepted ? DraftSlot::State::accepted : DraftSlot::State::rejected;
        if (e.accepted) {
            ++c.accepted;
            c.path.push_back(e.index);
        }
        if (e.prefix_coefficient) return; // of a block every draft token is judged, whatever became of those before it
        if (e.accepted) {
            // The siblings that come after it, and what was drafted below them.
            discard_if(c, [&](const DraftSlot& other) { return &other > &slot && other.parent == slot.parent; });
        } else {
            discard_if(c, [](const DraftSlot&) { return false; });
        }
    }
    void operator()(const TargetToken& e) {
        RoundSummary& c = round(e.round);
        view_.phase = Phase::resample;
        c.resample = &e;
        discard_if(c, [](const DraftSlot&) { return true; });
    }
    void operator()(const Committed& e) {
        RoundSummary& c = round(e.round);
        view_.phase = Phase::commit;
        c.commit = &e;
        c.accept_ms = times_.aside;
        c.other_ms = times_.aside + times_.ms;
        for (std::size_t i = 0; i < e.tokens.size(); ++i) {
            const bool from_draft = static_cast<int>(i) < e.accepted_drafts;
            const int index = !from_draft ? -1 : i < c.path.size() ? c.path[i] : static_cast<int>(i);
            view_.tokens.push_back({e.tokens[i], from_draft ? Origin::accepted : own_origin(c), e.round, index});
        }
        ++view_.rounds;
        view_.plain_passes += c.plain_pass();
        view_.drafted += static_cast<int>(c.drafts.size());
        view_.accepted_drafts += e.accepted_drafts;
        view_.output_tokens += static_cast<int>(e.tokens.size());
        view_.total_ms += c.total_ms();
    }
    void operator()(const Stopped& e) {
        view_.phase = Phase::stopped;
        view_.stopped = &e;
    }
    void operator()(const Failed& e) {
        view_.phase = Phase::failed;
        view_.failed = &e;
    }
    void operator()(const Commanded&) {}

  private:
    // Discards the drafts that are still open and that `gone` names, and all that hang below a lost one.
    template <typename Gone>
    static void discard_if(RoundSummary& c, const Gone& gone) {
        for (DraftSlot& slot : c.drafts) {
            if (slot.state != DraftSlot::State::drafted) continue;
            const bool lost_parent = slot.parent >= 0 && (c.drafts[slot.parent].state == DraftSlot::State::rejected ||
                                                          c.drafts[slot.parent].state == DraftSlot::State::discarded);
            if (lost_parent || gone(slot)) slot.state = DraftSlot::State::discarded;
        }
    }

    static Origin own_origin(const RoundSummary& c) {
        if (!c.resample) return Origin::plain;
        switch (c.resample->from) {
        case TargetToken::From::residual: return Origin::residual;
        case TargetToken::From::bonus: return Origin::bonus;
        case TargetToken::From::target: break;
        }
        return Origin::plain;
    }

    // The running cycle; a new number opens a new one.
    RoundSummary& round(int number) {
        if (view_.round_list.empty() || view_.round_list.back().round != number) {
            RoundSummary next;
            next.round = number;
            next.first_event = index_;
            if (!view_.round_list.empty()) next.start_ms = view_.round_list.back().start_ms + view_.round_list.back().total_ms();
            view_.round_list.push_back(std::move(next));
        }
        view_.round_list.back().end_event = index_ + 1;
        return view_.round_list.back();
    }

    RunView& view_;
    std::size_t index_ = 0;
    EventTimes times_; // of the event
};

} // namespace

int RoundSummary::own_slot() const {
    for (int i = static_cast<int>(drafts.size()); i-- > 0;)
        if (drafts[i].state == DraftSlot::State::rejected && drafts[i].parent == end_of_path()) return i;
    return static_cast<int>(drafts.size());
}

std::size_t RoundSummary::judged_in_order() const {
    if (tree) return 0;
    std::size_t judged = 0;
    while (judged < drafts.size() && drafts[judged].check)
        if (!drafts[judged++].check->accepted) break;
    return judged;
}

std::vector<int> RoundSummary::reading_order() const {
    // Each draft joins the end of its parent's branch: right before the next draft that is not deeper.
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(drafts.size()); ++i) {
        auto at = order.begin();
        int depth = 0;
        if (drafts[i].parent >= 0) {
            at = std::find(order.begin(), order.end(), drafts[i].parent) + 1;
            depth = drafts[drafts[i].parent].depth;
        }
        while (at != order.end() && drafts[*at].depth > depth) ++at;
        order.insert(at, i);
    }
    return order;
}

bool no_room_for_draft(const RunView& whole, const RoundSummary& round) {
    const Header* header = whole.header;
    if (!header || header->k == 0 || header->drafter == kNoDrafter || !round.drafts.empty()) return false;
    const auto before = std::count_if(whole.tokens.begin(), whole.tokens.end(), [&](const OutputToken& token) {
        return token.origin != Origin::prompt && token.round < round.round;
    });
    if (header->max_tokens - before == 1) return true;
    // The round's one token was the last that the context held: there was no slot for a draft token beside it.
    return whole.stopped && whole.stopped->reason == Stopped::kContextFull && whole.round_list.back().round == round.round;
}

bool starts_empty(const Header& header) { return header.tier == "TABLE" && header.prompt_text.empty(); }

RunView fold(const Trace& trace, std::size_t count) {
    RunView view;
    fold_on(view, trace, count);
    return view;
}

void fold_on(RunView& view, const Trace& trace, std::size_t count) {
    const std::uint64_t revision = trace.times_revision(); // before the times: newer ones are folded next time
    const std::shared_ptr<const TraceTimes> times = trace.times();
    if (view.times_revision != revision) view = RunView(); // what was folded has older times
    view.times_revision = revision;
    Folder folder(view);
    for (const std::size_t end = std::min(count, trace.size()); view.events < end; ++view.events)
        folder.add(trace, view.events,
                   times && view.events < times->events.size() ? times->events[view.events] : own_times(trace[view.events]));
}

std::size_t next_round_end(const Trace& trace, std::size_t cursor) {
    for (std::size_t i = cursor; i < trace.size(); ++i)
        if (std::holds_alternative<Committed>(trace[i])) return i + 1;
    return trace.size();
}

std::size_t previous_round_end(const Trace& trace, std::size_t cursor) {
    cursor = std::min(cursor, trace.size());
    for (std::size_t i = cursor; i-- > 1;)
        if (std::holds_alternative<Committed>(trace[i - 1])) return i;
    return std::min<std::size_t>(cursor, 1);
}

} // namespace speclens
