#include "engine/batch/lockstep.h"

#include <algorithm>
#include <utility>

#include "kernels/error.h"

namespace speclens {

#if defined(__EMSCRIPTEN__) // a program has one stack, which nobody can leave and come back to: each work runs as if it were alone
constexpr bool kFibers = false;
#else
constexpr bool kFibers = true;
#endif

bool Lockstep::Request::same_weights(const Request& other) const {
    return swiglu == other.swiglu && std::ranges::equal(parts, other.parts, [](const Projection& a, const Projection& b) {
               return a.weight.data == b.weight.data && a.weight.rows == b.weight.rows && a.bias.data == b.bias.data;
           });
}

void Lockstep::run(std::span<const std::function<void()>> works) {
    if (works.size() < 2 || !kFibers || !backend_.gather_products(this)) {
        for (const auto& work : works) work();
        return;
    }
    struct Off {
        Backend& backend;
        ~Off() { backend.gather_products(nullptr); }
    } off{backend_};
    while (places_.size() < works.size()) places_.push_back(std::make_unique<Place>());
    const auto go = [&](Place& place, const std::function<void()>& how) {
        current_ = &place;
        how();
        current_ = nullptr;
    };
    for (std::size_t i = 0; i < works.size(); ++i) {
        Place& place = *places_[i];
        place.failure = nullptr;
        go(place, [&] {
            place.fiber.start([&place, work = &works[i]] {
                try {
                    (*work)();
                } catch (...) {
                    place.failure = std::current_exception();
                }
            });
        });
    }
    for (std::vector<Place*> group = largest_group(works.size()); !group.empty(); group = largest_group(works.size())) {
        make(group);
        for (Place* place : group) place->waits = false;
        for (Place* place : group) go(*place, [&] { place->fiber.resume(); });
    }
    for (std::size_t i = 0; i < works.size(); ++i)
        if (places_[i]->failure) std::rethrow_exception(std::exchange(places_[i]->failure, nullptr));
}

void Lockstep::apart(const std::function<void()>& work) {
    const bool before = std::exchange(apart_, true);
    try {
        work();
    } catch (...) {
        apart_ = before;
        throw;
    }
    apart_ = before;
}

void Lockstep::matmul(const Tensor& x, std::span<const Projection> parts) { wait({.x = x, .parts = {parts.begin(), parts.end()}}); }

void Lockstep::matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) {
    wait({.x = x, .parts = {{gate, {}, out}, {up, {}, {}}}, .swiglu = true});
}

void Lockstep::wait(Request request) {
    ++asked_;
    if (apart_ || !current_) {
        ++made_;
        return compute(request);
    }
    Place& place = *current_;
    place.request = std::move(request);
    place.waits = true;
    Fiber::pause();
}

// Those that ask for the same as most others: so works that are a step behind catch up.
std::vector<Lockstep::Place*> Lockstep::largest_group(std::size_t works) {
    std::vector<Place*> best;
    for (std::size_t i = 0; i < works; ++i) {
        if (!places_[i]->waits) continue;
        std::vector<Place*> group;
        for (std::size_t j = 0; j < works; ++j)
            if (places_[j]->waits && places_[j]->request.same_weights(places_[i]->request)) group.push_back(places_[j].get());
        if (group.size() > best.size()) best = std::move(group);
    }
    return best;
}

void Lockstep::make(std::span<Place* const> group) {
    while (!group.empty()) {
        std::int64_t rows = 0;
        std::size_t count = 0;
        for (; count < group.size() && (count == 0 || rows + group[count]->request.x.rows <= backend_.max_rows()); ++count)
            rows += group[count]->request.x.rows;
        ++made_;
        if (count == 1)
            compute(group.front()->request);
        else
            make_joined(group.first(count), rows);
        group = group.subspan(count);
    }
}

void Lockstep::make_joined(std::span<Place* const> group, std::int64_t rows) {
    const Request& first = group.front()->request;
    Request joined = first;
    joined.x = scratch(0, rows, first.x.cols);
    std::int64_t at = 0;
    for (const Place* place : group) {
        backend_.copy(place->request.x, joined.x.slice(at, place->request.x.rows));
        at += place->request.x.rows;
    }
    for (std::size_t p = 0; p < joined.parts.size(); ++p)
        if (!first.parts[p].out.empty()) joined.parts[p].out = scratch(1 + p, rows, first.parts[p].out.cols);
    compute(joined);
    at = 0;
    for (const Place* place : group) {
        const std::int64_t own = place->request.x.rows;
        for (std::size_t p = 0; p < joined.parts.size(); ++p)
            if (!first.parts[p].out.empty()) backend_.copy(joined.parts[p].out.slice(at, own), place->request.parts[p].out);
        at += own;
    }
}

void Lockstep::compute(const Request& request) {
    backend_.gather_products(nullptr);
    if (request.swiglu)
        backend_.matmul_swiglu(request.x, request.parts[0].weight, request.parts[1].weight, request.parts[0].out);
    else
        backend_.matmul(request.x, request.parts);
    backend_.gather_products(this);
}

Tensor Lockstep::scratch(std::size_t number, std::int64_t rows, std::int64_t cols) {
    if (scratch_.size() <= number) scratch_.resize(number + 1);
    Buffer& buffer = scratch_[number];
    if (buffer.view().size() < rows * cols) {
        buffer = Buffer(); // give the old one back first
        buffer = Buffer(backend_, DType::f32, 1, rows * cols);
    }
    return {buffer.view().data, DType::f32, rows, cols};
}

} // namespace speclens
