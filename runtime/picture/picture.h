// The picture of a field's component, with its texts.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/io/selection.h"
#include "runtime/picture/figure.h"
#include "runtime/picture/figure_cube.h"
#include "runtime/picture/figure_plane.h"
#include "runtime/picture/figure_profile.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

// What a picture shows: the values of a plane or a line at one step, and its texts.
struct Shot {
  int64_t step = 0;
  std::variant<Slice, Profile> values;  // a Profile for the figure of a field of rank 1
  Area area = {};                       // of a Slice in a figure
  std::optional<Cube> cube = {};        // the Slice has the faces of this box
  std::string name;                     // of the component
  Labels labels;                        // the notes up to the range of values; no title
  std::vector<std::string> notes = {};  // those after it

  Census& census() {
    return std::visit([](auto& of) -> Census& { return of.census; }, values);
  }
  std::string title() const;
};

// The values of a plane (as for slice_of()) of a component's newest level; for a field of rank 1
// those of the line. With `options.cube` those of three faces. R030.
Result<Shot> shot_of(const ir::Program& program, const reference::State& state,
                     const Selection& shown, const std::vector<int64_t>& plane,
                     const ImageOptions& options);

// Draws a figure with title, axes and colour bar, or a line plot. If `options.plain`, draws only
// the data. The options must be those of shot_of(), but for the range. R030.
Result<Image> draw(const Shot& shot, const ImageOptions& options);

// Both at once.
Result<Image> picture_of(const ir::Program& program, const reference::State& state,
                         const Selection& shown, const std::vector<int64_t>& plane,
                         const ImageOptions& options);

}  // namespace stencil::runtime
