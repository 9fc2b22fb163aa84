// Models that are loaded once for several commands.
#pragma once

namespace speclens::cli {

// From now on load() gives the models that were loaded last, as long as the same are asked for. Heads and a draft model that one
// command named stay loaded for the others.
void share_models();

} // namespace speclens::cli
