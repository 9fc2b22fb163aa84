#include "engine/lab/pass_pair.h"

#include <utility>

#include "engine/model/precision.h"
#include "engine/models/models.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

double bytes_per_value(DType form) {
    const Block block = block_of(form);
    return static_cast<double>(block.bytes) / static_cast<double>(block.values);
}

// Whether a picture of both would show two forms, not one twice: Q4_1 and Q4_0 are as good as the same.
bool other_bytes(DType a, DType b) {
    const double ratio = bytes_per_value(a) / bytes_per_value(b);
    return ratio > 1.2 || ratio < 1 / 1.2;
}

} // namespace

PassPair::PassPair(std::shared_ptr<const Models> models, const MeasurePasses& asked, std::function<bool()> go_on)
    : models_(std::move(models)), of_forms_(asked.forms), go_on_(std::move(go_on)) {
    if (!models_->target)
        throw Error(models_->scorer ? "a server's passes cannot be timed from here" : "a table has no passes to time", "Load a model.");
    const Model& target = *models_->target;
    const Subject own{.name = models_->target_name(),
                      .model = models_->target_name(),
                      .config = target.config,
                      .form = target.forms().front(),
                      .loaded = true};
    // By the weights that both have in one form: a large model of few bits needs no other beside it.
    const bool two = !asked.beside.empty() && Model::weight_bytes(target.config) < Model::weight_bytes(geometry(asked.beside)) / 2;
    const Subject shape = two ? Subject{.name = asked.beside, .model = asked.beside, .config = geometry(asked.beside)} : own;
    if (of_forms_) {
        for (const DType form : {DType::bf16, DType::q8_0, DType::q4_0})
            if (other_bytes(form, shape.form))
                subjects_.push_back({shape.model + " in " + name_of(form), shape.model, shape.config, form, false});
        return;
    }
    subjects_.push_back(own);
    if (two) subjects_.push_back(shape);
}

double PassPair::done() const {
    if (complete_) return 1;
    const double now = measurement_ ? measurement_->done() : 0;
    return (static_cast<double>(at_) + now) / static_cast<double>(subjects_.size());
}

std::optional<double> PassPair::left_seconds() const {
    const std::optional<double> now = measurement_ ? measurement_->left_ms() : std::nullopt;
    if (!now) return {};
    const auto more = static_cast<double>(subjects_.size() - at_ - 1);
    return *now / 1000 + more * window_passes(*models_).seconds;
}

int PassPair::widths() const {
    if (complete_) return 0;
    const int each = measurement_ ? measurement_->widths() : static_cast<int>(window_passes(*models_).rows.size());
    return each * static_cast<int>(subjects_.size());
}

int PassPair::widths_done() const {
    return complete_ || !measurement_ ? 0 : measurement_->widths() * static_cast<int>(at_) + measurement_->widths_done();
}

bool PassPair::step() {
    if (complete_) return false;
    if (!measurement_)
        begin();
    else if (!measurement_->step())
        answer(measurement_->result());
    return true;
}

void PassPair::stop() {
    if (complete_) return;
    if (measurement_ && measurement_->widths_done() > 1) {
        PassTimes part = measurement_->result();
        part.stopped = true; // there were to be more repeats at least
        answer(std::move(part));
    }
    measurement_.reset();
    complete_ = true;
}

void PassPair::answer(PassTimes times) {
    measurement_.reset();
    times.model = subjects_[at_].model;
    times.random_weights = !subjects_[at_].loaded;
    if (of_forms_) {
        auto more = forms_ ? std::make_shared<std::vector<PassTimes>>(*forms_) : std::make_shared<std::vector<PassTimes>>();
        more->push_back(std::move(times));
        forms_ = std::move(more);
    } else {
        (subjects_[at_].loaded ? own_ : beside_) = std::make_shared<const PassTimes>(std::move(times));
    }
    complete_ = at_ + 1 == subjects_.size();
    if (complete_)
        models_.reset();
    else
        ++at_;
}

void PassPair::begin() {
    const Subject& subject = subjects_[at_];
    const auto check = [this] {
        if (go_on_ && !go_on_()) throw Cancelled{};
    };
    const auto reading = [&](int) { check(); };
    if (subject.loaded) {
        try {
            measurement_ = std::make_unique<PassMeasurement>(*models_, window_passes(*models_), reading);
        } catch (const Cancelled&) { // somebody waits, perhaps for the end of this
        }
        return;
    }
    Progress progress;
    progress.report = [&](const std::string&, double, double, const std::string&) { check(); };
    PassTimes none;
    none.form = subject.form;
    try {
        if (!models_->backend->keeps(subject.form, subject.config.hidden))
            throw Error("the backend " + models_->backend->name() + " keeps no " + name_of(subject.form) + " matrices of this shape",
                        "Time them with --backend cpu.");
        Models made;
        made.backend = models_->backend;
        // The built-in model is f32 by a rule of its own; a shape stands for a real model.
        const Precision precision = models_->bundle.empty() ? models_->precision() : default_precision(*made.backend);
        made.target = Model::random(*made.backend, subject.config, subject.model, 1, progress, subject.form, precision);
        measurement_ = std::make_unique<PassMeasurement>(made, window_passes(made), reading);
        return;
    } catch (const Error& error) {
        none.problem = error.what();
    } catch (const Cancelled&) {
        none.problem = {"it was stopped", SaidOf<"shared">()("why_not.stopped"_t)};
    }
    answer(std::move(none));
}

} // namespace speclens
