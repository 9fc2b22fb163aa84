// The keys of config.json that each kind of head is read by, beside those of its layers (engine/model/config_keys.h): at the top, and in
// the section that a dialect keeps them in.
#pragma once

#include "engine/model/config_keys.h"

namespace speclens {

[[nodiscard]] KeyList eagle3_keys();  // EAGLE-3 and DART; section eagle_config
[[nodiscard]] KeyList block_keys();   // DFlash, Domino, DSpark; section dflash_config
[[nodiscard]] KeyList dflash2_keys(); // those and the convolutions' and the selector's
[[nodiscard]] KeyList medusa_keys();
[[nodiscard]] KeyList mtp_keys();

// Throws Error naming a key that is not known: refuse_unread() over the whole file and its sections.
void refuse_unread_keys(const Fields& fields, KeyList head);

} // namespace speclens
