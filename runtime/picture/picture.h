// A component of a field as an image: what it is called, and how it is drawn.
#pragma once

#include "compiler/reference/state.h"
#include "runtime/io/selection.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

// The plane (as slice_of() takes it) of a component's newest level: a figure with title, axes and
// colour bar, of a field of rank 1 a line; or if `options.plain` the data alone, a point a box of
// pixels. R030.
Result<Image> picture_of(const ir::Program& program, const reference::State& state,
                         const Selection& shown, const std::vector<int64_t>& plane,
                         const ImageOptions& options);

}  // namespace stencil::runtime
