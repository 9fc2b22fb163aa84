// Works that make the same products at about the same time, side by side: each runs on its own until it asks the backend for a
// product, and once all of them wait, those with the same weights are made as one. So the drafters of many texts read their
// weights once for all, while each drafter is written, and proposes, as if it were alone: a row of a product has the same bits
// in any company (kernels/backend.h). What is no product is done one work after the other.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch/fiber.h"
#include "kernels/backend.h"

namespace speclens {

class Lockstep final : public ProductGatherer {
  public:
    explicit Lockstep(Backend& backend) : backend_(backend) {}

    // All of them to their ends; one alone runs as ever. Rethrows what the first of them threw, when all have ended.
    void run(std::span<const std::function<void()>> works);
    // Within a work: `apart` makes its products at once, so that nobody else gets a turn in the middle.
    void apart(const std::function<void()>& work);

    // Since the beginning: products that were asked for, and how many were made of them.
    [[nodiscard]] long asked() const { return asked_; }
    [[nodiscard]] long made() const { return made_; }

  private:
    struct Request {
        Tensor x;
        std::vector<Projection> parts; // of matmul_swiglu: gate and up, and where it goes in the first
        bool swiglu = false;
        [[nodiscard]] bool same_weights(const Request& other) const;
    };
    struct Place {
        Fiber fiber;
        Request request;
        bool waits = false;
        std::exception_ptr failure;
    };

    void matmul(const Tensor& x, std::span<const Projection> parts) override;
    void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) override;
    void wait(Request request);
    [[nodiscard]] std::vector<Place*> largest_group(std::size_t works);
    void make(std::span<Place* const> group);
    void make_joined(std::span<Place* const> group, std::int64_t rows);
    void compute(const Request& request);
    [[nodiscard]] Tensor scratch(std::size_t number, std::int64_t rows, std::int64_t cols);

    Backend& backend_;
    std::vector<std::unique_ptr<Place>> places_; // kept, with their stacks
    Place* current_ = nullptr;
    bool apart_ = false;
    std::vector<Buffer> scratch_; // joined inputs, then the outputs of every part
    long asked_ = 0, made_ = 0;
};

} // namespace speclens
