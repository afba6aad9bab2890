// The picture of a field's component, with its texts.
#pragma once

#include "compiler/reference/state.h"
#include "runtime/io/selection.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

// Draws a plane (as for slice_of()) of a component's newest level as a figure with title, axes and
// colour bar; for a field of rank 1, a line plot. If `options.plain`, draws only the data. R030.
Result<Image> picture_of(const ir::Program& program, const reference::State& state,
                         const Selection& shown, const std::vector<int64_t>& plane,
                         const ImageOptions& options);

}  // namespace stencil::runtime
