// Builds the tables of point weights that a plan's kernels read.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "stencil/result.h"

namespace stencil::runtime {

// `value` evaluates an expression over constants and params; `put` fills scratch memory of the
// plan. The points must already be checked. Fails as `put` does.
Status place_points(const kernel::Plan& plan, const kernel::PointSet& set,
                    const reference::State& state,
                    const std::function<std::optional<int64_t>(const kernel::Expr&)>& value,
                    const std::function<Status(int, std::span<const std::byte>)>& put);

}  // namespace stencil::runtime
