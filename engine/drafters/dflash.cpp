// DFlash (Z Lab 2026): every row of the block is drawn by itself, so the guesses of one block do not know each other.
#include "engine/drafters/block.h"

namespace speclens {

std::unique_ptr<Drafter> make_dflash(DrafterArgs args) { return std::make_unique<BlockDrafter>(args); }

}  // namespace speclens
