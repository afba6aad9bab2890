// States of large programs, made and filled quickly: for measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/run/run.h"

namespace stencil::tune {

// Bytes of all levels of all fields; nothing where they are not known, or too many to count.
std::optional<int64_t> bytes_of_fields(const ir::Program& program, const runtime::Params& params);

// Memory for the fields of one state at a time, kept from one to the next: pages of gigabytes take
// longer to get than a run takes.
class FieldMemory {
 public:
  FieldMemory() = default;
  FieldMemory(const FieldMemory&) = delete;
  FieldMemory& operator=(const FieldMemory&) = delete;
  ~FieldMemory();

  // A state of the program whose fields lie here, with unspecified values, until the next call for
  // another program or other params: states of the same share their fields. Fails with what does
  // not hold at these params (code ""), or with R052.
  Result<reference::State> lay_out(const ir::Program& program, const runtime::Params& params);

 private:
  bool provide(size_t bytes);

  std::byte* memory_ = nullptr;
  size_t size_ = 0;
};

// Back to step 0, every level of every field with reproducible values: floats in [0, 1) (half and
// bfloat from 0.5), integers 0 or 1, places of points anywhere in the domains of their sets. The
// same in every state of a program.
void fill(const ir::Program& program, reference::State& state);

// The same for runs that are timed: as the program begins, for time may depend on values. Random
// coefficients make schemes unstable, and a division of numbers that are not finite takes several
// times as long. What the program gives no initial values is random, but for fields that it
// changes: these are zero where others have some. `noise`: fields that change have a thousandth of
// their largest value in addition, at random. A GPU takes less power for zeros than for what comes
// of them. On a CPU noise that decays would become denormal, and slow, where the program has zeros.
void fill_as_begun(const ir::Program& program, reference::State& state, bool noise);

}  // namespace stencil::tune
