// Propagates failures to the caller.
#pragma once

#include <utility>

#include "stencil/result.h"

// The value of a Result. If the Result is a failure, the enclosing function returns that failure;
// its return type is a Result.
//
//   const auto text = TRY(read_file(path, kLongest));
//   TRY(check_flags(text));
//
// This is a statement expression, which GCC and Clang support. The value is moved out of a
// temporary and copied from a variable.
#define TRY(...)                                                  \
  __extension__({                                                 \
    auto&& stencil_tried = (__VA_ARGS__);                         \
    if (!stencil_tried.ok()) return stencil_tried.failure();      \
    std::forward<decltype(stencil_tried)>(stencil_tried).value(); \
  })
