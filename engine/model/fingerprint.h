// Which model this is, whatever the file is called and however its matrices are quantised.
#pragma once

#include <string>

#include "engine/model/model.h"

namespace speclens {

// Sixteen hexadecimal digits of the geometry, the bytes of all tokens and the norms rounded to bf16. No secret and no proof:
// it tells releases apart, not forgeries. Waits for the backend.
[[nodiscard]] std::string fingerprint(const Model& model);

} // namespace speclens
