// Last words.
#pragma once

namespace stencil::tool {

// From here on a signal that ends the process because of a fault (abort, an address that is none)
// says in which library of somebody else's it was, and leaves no temporary files. The exit status
// is 3 then; a fault of our own is reported as such and ends as it would have.
void announce_death();

}  // namespace stencil::tool
