// Allocates and fills states of large programs quickly, for measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/run/run.h"

namespace stencil::tune {

// Bytes of all levels of all fields; nullopt if unknown or on overflow.
std::optional<int64_t> bytes_of_fields(const ir::Program& program, const runtime::Params& params);

// Memory for the fields of one state, reused for the next: faulting in gigabytes of pages takes
// longer than a run.
class FieldMemory {
 public:
  FieldMemory() = default;
  FieldMemory(const FieldMemory&) = delete;
  FieldMemory& operator=(const FieldMemory&) = delete;
  ~FieldMemory();

  // A state of the program with its fields in this memory and unspecified values, valid until a
  // call for another program or other params; states of the same program and params share their
  // fields. Fails if checks fail at these params (code ""), or with R052.
  Result<reference::State> lay_out(const ir::Program& program, const runtime::Params& params);

 private:
  bool provide(size_t bytes);

  std::byte* memory_ = nullptr;
  size_t size_ = 0;
};

// Resets to step 0 and fills all levels of all fields with reproducible values: floats in [0, 1)
// (half and bfloat from 0.5), integers 0 or 1, points anywhere in their domains. All states of a
// program get the same values.
void fill(const ir::Program& program, reference::State& state);

// Like fill(), but for timed runs, whose time may depend on values. Uses the program's initial
// values: random coefficients can make schemes unstable, and division of non-finite numbers takes
// several times as long. Fields without initial values are random. There is one exception: if other
// fields have initial values, fields that steps change start at zero.
//
// `noise`: adds random values of a thousandth of the largest value to fields that change. On a GPU
// this avoids the lower power consumption of computing with zeros. On a CPU the noise would decay
// to subnormal values where the program has zeros, and slow the run down.
void fill_as_begun(const ir::Program& program, reference::State& state, bool noise);

}  // namespace stencil::tune
