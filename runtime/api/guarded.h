// Ensures that no exception leaves the library.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "stencil/result.h"

namespace stencil::api {

// Runs the body of a public function and turns exceptions into failures: R046 for std::bad_alloc,
// R075 (a bug) for all others.
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
