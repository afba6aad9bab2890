// Scalar arguments of kernels and values of reductions, as bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "runtime/devices/accelerator.h"

namespace stencil::runtime {

template <class T>
ScalarBytes bytes_of(T value) {
  ScalarBytes out{};
  std::memcpy(out.bytes, &value, sizeof value);
  out.size = sizeof value;
  return out;
}

template <class T>
T from_bytes(const ScalarBytes& scalar) {
  T value{};
  std::memcpy(&value, scalar.bytes, sizeof value);
  return value;
}

// A reduction's value in the type of the reduction.
ScalarBytes bytes_of(Scalar type, const reference::ReductionValue& value);
void set_value(Scalar type, const ScalarBytes& bytes, reference::ReductionValue& value);

// The scalar argument of a launch: for a tile of `count` steps from step `step` on, starting at
// block `first_block`.
struct TilePosition {
  int64_t step, count, first_block;
};
ScalarBytes scalar_argument(const kernel::ScalarValue& value, const kernel::Plan& plan,
                            const reference::State& state, const TilePosition& at);

}  // namespace stencil::runtime
