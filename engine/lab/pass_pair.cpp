#include "engine/lab/pass_pair.h"

#include <utility>

#include "engine/lab/random_shape.h"
#include "kernels/error.h"

namespace speclens {

PassPair::PassPair(std::shared_ptr<const Models> models, std::string beside, std::function<bool()> go_on)
    : models_(std::move(models)), shape_(std::move(beside)), go_on_(std::move(go_on)) {
    if (!models_->target)
        throw Error(models_->scorer ? "a server's passes cannot be timed from here" : "a table has no passes to time",
                    "Load a model.");
    model_ = models_->target_name();
    two_ = !shape_.empty() && models_->target->bytes.per_token < Model::weight_bytes(geometry(shape_)) / 2;
    measurement_ = std::make_unique<PassMeasurement>(*models_, window_passes(*models_));
}

double PassPair::done() const {
    const double now = measurement_ ? measurement_->done() : 0;
    if (!two_) return own_ ? 1 : now;
    return own_ ? beside_ ? 1 : 0.5 + now / 2 : now / 2;
}

bool PassPair::step() {
    if (!measurement_) {
        if (own_ && (!two_ || beside_)) return false;
        make_weights();
        return true;
    }
    if (measurement_->step()) return true;
    PassTimes times = measurement_->result();
    measurement_.reset();
    if (!own_) {
        own_ = std::make_shared<const PassTimes>(std::move(times));
        model_ = two_ ? shape_ : model_;
    } else {
        times.random_weights = true;
        beside_ = std::make_shared<const PassTimes>(std::move(times));
        models_.reset();
    }
    return true;
}

void PassPair::make_weights() {
    Progress progress;
    progress.report = [this](const std::string&, double, double, const std::string&) {
        if (go_on_ && !go_on_()) throw Cancelled{};
    };
    PassTimes none;
    none.model = shape_;
    none.random_weights = true;
    try {
        const std::shared_ptr<const Models> made = random_shape(models_->backend, shape_, 1, progress);
        measurement_ = std::make_unique<PassMeasurement>(*made, window_passes(*made));
        models_ = made;
        return;
    } catch (const Error& error) {
        none.problem = error.what();
    } catch (const Cancelled&) {
        none.problem = "it was stopped";
    }
    beside_ = std::make_shared<const PassTimes>(std::move(none));
}

} // namespace speclens
