// Where there is one stack only: nobody makes a fiber there (lockstep.cpp).
#include "engine/batch/fiber.h"
#include "kernels/error.h"

namespace speclens {

Fiber::Fiber() { CHECK(false, "there are no fibers here"); }

Fiber::~Fiber() = default;

void Fiber::start(std::function<void()>) {}
void Fiber::resume() {}
void Fiber::pause() {}

} // namespace speclens
