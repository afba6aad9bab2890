// Counting NaN and infinities on a GPU.
#pragma once

#include <optional>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/devices/accelerator.h"
#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// Accelerator::count_non_finite by a kernel on the stream; the stream's context must be current.
// nullopt if the driver cannot load the kernel; then count elsewhere. R043, R044.
Result<std::optional<NonFiniteCount>> count_non_finite(
    Context context, Stream stream, Address memory, Scalar type,
    const std::vector<Accelerator::Rows>& pieces);

}  // namespace stencil::runtime::cuda
