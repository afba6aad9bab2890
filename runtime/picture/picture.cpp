// The texts of a figure come from program and state: names, sizes, positions, the step.
#include "runtime/picture/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/support/shape.h"
#include "compiler/support/try.h"
#include "runtime/picture/ticks.h"

namespace stencil::runtime {
namespace {

// "z = 0.5 (index 48)" for each dimension outside the plane.
std::vector<std::string> places(const ir::Program& program, const ir::Field& declared,
                                const std::vector<ir::AxisValue>& axes,
                                const reference::FieldData& field, int64_t start) {
  std::vector<std::string> out;
  const std::vector<int64_t> corner = field.point(start);
  for (int d = 0; d < field.rank() - 2; ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t index = corner[i];
    std::string text = ir::axis_name(program, declared, i) + " = ";
    if (ir::indices_are_coordinates(program, declared) || declared.dimension(i) < 0) {
      text += std::to_string(index);
    } else {
      text += fmt::format("{} (index {})", print_number(axes[i].at(index)), index);
    }
    out.push_back(text);
  }
  return out;
}

std::string span_of(const Census& census) {
  if (census.finite == 0) return "no finite value";
  if (census.least == census.greatest) return "all values " + print_number(census.least);
  // Significant digits: more than kFewest only if the two numbers would look equal.
  constexpr int kFewest = 4, kMost = 17;
  std::string least, greatest;
  for (int digits = kFewest; digits <= kMost && least == greatest; ++digits) {
    least = print_number(census.least, digits);
    greatest = print_number(census.greatest, digits);
  }
  return fmt::format("values {} to {}", least, greatest);
}

std::string box_of(const reference::FieldData& field) {
  return fmt::format("{} points", fmt::join(field.extents, " \u00d7 "));
}

Labels labels_of(const ir::Program& program, const reference::State& state,
                 const Selection& shown) {
  const ir::Field& field = program.fields[shown.field];
  const auto component = static_cast<size_t>(std::max(shown.component, 0));
  const size_t rank = field.box.ranges.size();
  Labels labels;
  labels.indices = ir::indices_are_coordinates(program, field);
  labels.type = field.components[component].type;
  const auto label = [&](size_t d) {
    const bool step = field.dimension(d) == ir::kTime;
    if (step && ir::is_record(program, shown.field)) return std::string("row");
    return ir::axis_name(program, field, d) + (step ? " (step)" : labels.indices ? " (index)" : "");
  };
  labels.across = label(rank - 1);
  if (rank > 1) labels.down = label(rank - 2);
  labels.notes.push_back(program.name);
  labels.notes.push_back(box_of(state.fields[shown.field]));
  return labels;
}

}  // namespace

std::string Shot::title() const {
  return fmt::format("{} at step {}", name, step);
}

Result<Shot> shot_of(const ir::Program& program, const reference::State& state,
                     const Selection& shown, const std::vector<int64_t>& plane,
                     const ImageOptions& options) {
  const reference::FieldData& field = state.fields[shown.field];
  const int component = std::max(shown.component, 0), rank = field.rank();
  const ir::Field& declared = program.fields[shown.field];
  const auto axes = ir::axes_of(program, declared,
                                ir::axis_values(program, state.integer_params, state.real_params));
  Shot shot{state.step,
            {},
            {},
            {},
            declared.name + declared.components[component].path,
            labels_of(program, state, shown)};
  if (options.cube) {
    Cube cube;
    for (size_t d = 0; d < 3 && rank == 3; ++d) {
      cube.points[d] = field.extents[d];
      cube.spacing[d] = axes[d].spacing;
      cube.names[d] = ir::axis_name(program, declared, d);
    }
    cube.flip = options.flip;
    shot.values = TRY(faces_of(field, component, cube));
    shot.cube = std::move(cube);
    shot.labels.across = shot.labels.down = "";
    shot.notes.push_back("three faces");
    return shot;
  }
  if (options.plain) {
    shot.values = TRY(slice_of(field, component, plane, axes));
    return shot;
  }
  if (rank == 1) {
    const auto profile = TRY(profile_of(field, component, axes[0]));
    if (profile.per_interval > 1) {
      shot.notes.push_back(
          fmt::format("minimum to maximum of every {} points", profile.per_interval));
    }
    shot.values = profile;
    return shot;
  }
  const auto start = TRY(plane_start(field, plane));
  const auto down = static_cast<size_t>(rank - 2), across = down + 1;
  const Area area =
      area_of(field.extents[down], field.extents[across], axes[down].spacing, axes[across].spacing);
  shot.area = area;
  shot.values = TRY(slice_of(field, component, plane, axes, area.points_down, area.points_across));
  for (std::string& place : places(program, declared, axes, field, start)) {
    shot.labels.notes.push_back(std::move(place));
  }
  if (area.points_down * area.points_across > 1) {
    shot.notes.push_back(
        fmt::format("means of {} \u00d7 {} points", area.points_down, area.points_across));
  }
  if (!area.to_scale) shot.notes.push_back("not to scale");
  return shot;
}

Result<Image> draw(const Shot& shot, const ImageOptions& options) {
  const auto* const slice = std::get_if<Slice>(&shot.values);
  if (options.plain && shot.cube) {
    return draw_cube(*slice, *shot.cube, shot.labels, options.range, true).image;
  }
  if (options.plain) return render(*slice, options);
  Labels labels = shot.labels;
  labels.title = shot.title();
  const auto span = std::visit([](const auto& of) { return span_of(of.census); }, shot.values);
  labels.notes.push_back(span);
  labels.notes.insert(labels.notes.end(), shot.notes.begin(), shot.notes.end());
  if (shot.cube) return draw_cube(*slice, *shot.cube, labels, options.range, false).image;
  if (slice) return draw_plane(*slice, shot.area, labels, options.range, options.flip).image;
  return draw_profile(std::get<Profile>(shot.values), labels, options.range).image;
}

Result<Image> picture_of(const ir::Program& program, const reference::State& state,
                         const Selection& shown, const std::vector<int64_t>& plane,
                         const ImageOptions& options) {
  const auto shot = TRY(shot_of(program, state, shown, plane, options));
  return draw(shot, options);
}

}  // namespace stencil::runtime
