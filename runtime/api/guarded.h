// Exceptions end where the library does.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "stencil/result.h"

namespace stencil::api {

// A public function's body: what it throws becomes a failure. R046, and R075 for what is a bug.
template <class T, class Body>
Result<T> guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Failure{"R046", "not enough memory", "use smaller sizes (-D)"};
  } catch (const std::exception& exception) {
    return Failure{"R075", std::string("internal error: ") + exception.what(),
                   "this is a bug of the library; please report the program"};
  }
}

}  // namespace stencil::api
