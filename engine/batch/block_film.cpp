#include "engine/batch/block_film.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/base/lists.h"
#include "engine/batch/batch_engine.h"
#include "engine/models/models.h"

namespace speclens {
namespace {

int blocks_of(int positions) { return BlockTable::blocks_for(positions, PagedModel::kBlock); }

template <class Of>
double mean_over(const std::vector<FilmRound>& rounds, const Of& of) {
    return rounds.empty() ? 0 : sum_over<double>(rounds, of) / static_cast<double>(rounds.size());
}

} // namespace

int FilmText::for_drafts() const {
    if (lane.did != BatchLane::Did::decoded || during.empty()) return 0;
    return static_cast<int>(during.size()) - blocks_of(before + 1);
}

int FilmText::taken() const { return std::max(0, static_cast<int>(during.size()) - blocks_of(before)); }

int FilmRound::used(bool in_pass) const {
    const std::vector<int>& holders = in_pass ? during : after;
    return static_cast<int>(std::ranges::count_if(holders, [](int of) { return of > 0; }));
}

int FilmRound::preempted() const {
    return static_cast<int>(std::ranges::count(texts, BatchLane::Did::preempted, [](const FilmText& text) { return text.lane.did; }));
}

int FilmRound::for_drafts() const {
    return std::accumulate(texts.begin(), texts.end(), 0, [](int sum, const FilmText& text) { return sum + text.for_drafts(); });
}

double FilmRound::estimated() const {
    double drafts = 0;
    for (const FilmText& text : texts)
        if (!text.during.empty()) drafts += text.lane.drafted();
    return drafts / PagedModel::kBlock;
}

double BlockFilm::mean_for_drafts() const {
    return mean_over(rounds, [](const FilmRound& round) { return round.for_drafts(); });
}

double BlockFilm::mean_estimated() const {
    return mean_over(rounds, [](const FilmRound& round) { return round.estimated(); });
}

int BlockFilm::lengths() const {
    std::set<int> lengths;
    for (const FilmRound& round : rounds)
        for (const FilmText& text : round.texts)
            if (!text.during.empty() && text.lane.drafted() > 0) lengths.insert(text.before);
    return static_cast<int>(lengths.size());
}

BlockFilmRecorder::BlockFilmRecorder(std::shared_ptr<const Models> models, std::span<const RunSettings> texts,
                                     const BatchSettings& settings, int rounds)
    : engine_(std::make_unique<BatchEngine>(models, settings)), rounds_(rounds) {
    film_.blocks = settings.blocks;
    film_.texts = settings.texts;
    film_.asked = static_cast<int>(texts.size());
    film_.block_bytes = PagedModel::block_bytes(*models->target);
    if (!texts.empty()) film_.drafter = texts.front().drafter, film_.k = texts.front().k;
    engine_->before_pass([this] { note_pass(); });
    for (const RunSettings& text : texts) engine_->submit(text);
}

BlockFilmRecorder::~BlockFilmRecorder() = default;

bool BlockFilmRecorder::step() {
    if (std::ssize(film_.rounds) >= rounds_) return false;
    round_ = {};
    if (!engine_->step()) return false;
    note_end();
    film_.rounds.push_back(std::move(round_));
    return true;
}

std::vector<int> BlockFilmRecorder::holders() const {
    std::vector<int> holders;
    for (int block = 0; block < engine_->pool().blocks(); ++block) holders.push_back(engine_->pool().holders(block));
    return holders;
}

// All blocks of the pass are taken, and nothing is written yet.
void BlockFilmRecorder::note_pass() {
    round_.during = holders();
    for (const int number : engine_->scheduler().in_flight()) {
        FilmText& text = round_.texts.emplace_back();
        text.lane.text = number;
        text.before = engine_->length_of(number);
        const std::span<const int> blocks = engine_->blocks_of(number);
        text.during.assign(blocks.begin(), blocks.end());
    }
}

void BlockFilmRecorder::note_end() {
    if (round_.during.empty()) round_.during = holders(); // nobody had rows
    for (const BatchLane& lane : engine_->round().lanes) {
        auto found = std::ranges::find(round_.texts, lane.text, [](const FilmText& text) { return text.lane.text; });
        if (found == round_.texts.end()) { // it lost its blocks before the pass
            found = std::ranges::find_if(round_.texts, [&](const FilmText& text) { return text.lane.text > lane.text; });
            found = round_.texts.insert(found, FilmText{});
        }
        found->lane = lane;
        found->kept = lane.left ? 0 : engine_->length_of(lane.text);
        const std::span<const int> blocks = engine_->blocks_of(lane.text);
        found->after.assign(blocks.begin(), blocks.end());
    }
    round_.after = holders();
    round_.waiting = static_cast<int>(engine_->scheduler().waiting().size());
    round_.copied = engine_->round().copied_blocks;
    round_.shared_tokens = engine_->round().shared_tokens;
}

} // namespace speclens
