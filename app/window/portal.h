// The file dialog of the desktop portal (org.freedesktop.portal.FileChooser): each desktop's own, and the only one in a
// sandbox. Spoken to through libsystemd, which is looked for when it is needed; nothing here is linked with it.
#pragma once

#include "app/window/file_dialog.h"

namespace speclens {

// There is a session bus, a portal that it can start, and the library to speak to it.
[[nodiscard]] bool portal_there();
// Blocks until somebody has chosen, or `closing` (a file descriptor) can be read, which closes the dialog.
[[nodiscard]] FileAnswer ask_portal(const FileQuestion& question, int closing);
// The patterns of a question's files, as all dialogs take them.
[[nodiscard]] std::vector<std::string> file_patterns(FileQuestion::For what);
// "file:///a%20folder/run.jsonl" as a path; empty: it is none of this machine.
[[nodiscard]] std::string path_of_uri(const std::string& uri);

} // namespace speclens
