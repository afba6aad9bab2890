// Error messages for fatal signals.
#pragma once

namespace stencil::tool {

// Installs handlers for fatal signals (abort, invalid addresses). If a third-party library causes
// the signal, the message names the library, temporary files are removed, and the exit status is 3.
// A fault in stencilc is reported as such, and the process ends as it would without the handler.
void announce_death();

}  // namespace stencil::tool
