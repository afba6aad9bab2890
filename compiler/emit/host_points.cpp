// Sets of points in written host programs: fill the kernels' lookup tables before the first step.
#include <fmt/format.h>

#include "compiler/emit/host_writer.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

void HostWriter::operator()(const host_ir::Place& place) {
  const kernel::PointSet& set = plan_.point_sets[static_cast<size_t>(place.set)];
  const std::string low = host_.numbers(set.name + "_low", set.low);
  const std::string high = host_.numbers(set.name + "_high", set.high);
  const std::string first = host_.numbers(set.name + "_first", set.first);
  const std::string last = host_.numbers(set.name + "_last", set.last);
  std::vector<std::string> places, tables;
  std::vector<kernel::Expr> sizes;
  for (int a = 0; a < kernel::arrays_of(set); ++a) {
    places.push_back(copies_[set.arrays + a].slots[0]);
  }
  for (int table : {set.slabs, set.starts, set.columns, set.numbers, set.weights, set.entries,
                    set.firsts, set.counts}) {
    tables.push_back(scratch_[table] + ".pointer");
    sizes.push_back(plan_.scratch[table].elements);
  }
  const std::string at = names_.fresh(set.name + "_places");
  out_.line(fmt::format("const double* const {}[] = {{{}}};", at, comma_list(places)));
  const std::string to = names_.fresh(set.name + "_tables");
  out_.line(fmt::format("void* const {}[] = {{{}}};", to, comma_list(tables)));
  const std::string elements = host_.numbers(set.name + "_sizes", sizes);
  const std::string points = names_.fresh(set.name + "_set");
  out_.line(
      fmt::format("const stencil_point_set {} = {{{}}};", points,
                  comma_list({std::to_string(set.low.size()), low, high, first, last,
                              std::to_string(set.width), host_.text(set.points), "NULL", "NULL"})));
  std::vector<std::string> arguments = {
      points, string_literal(set.name), std::to_string(kernel::arrays_of(set)), at, elements, to};
  if (device_) arguments.push_back(api_.stream());
  out_.line(fmt::format("if (const char* error = stencil_fill<{}>({})) return error;",
                        cpp_dialect().type(set.weight), comma_list(arguments)));
}

}  // namespace stencil::emit
