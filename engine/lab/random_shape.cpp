#include "engine/lab/random_shape.h"

#include <utility>

#include "engine/model/model.h"
#include "engine/models/models.h"
#include "kernels/backend.h"

namespace speclens {

std::shared_ptr<Models> random_shape(std::shared_ptr<Backend> backend, const std::string& name, std::uint64_t seed,
                                     const Progress& progress, DType form, Precision precision) {
    auto models = std::make_shared<Models>();
    models->backend = std::move(backend);
    models->target = Model::random(*models->backend, geometry(name), name, seed, progress, form, precision);
    return models;
}

} // namespace speclens
