// The built-in models with all their heads, loaded once.
#pragma once

#include <memory>

#include "engine/models/models.h"

namespace speclens::test {

inline std::shared_ptr<const Models> whole_bundle() {
    static const std::shared_ptr<const Models> models = std::make_shared<Models>(load_models({}));
    return models;
}

} // namespace speclens::test
