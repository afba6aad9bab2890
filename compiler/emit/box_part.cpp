#include "compiler/emit/box_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit/driver.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/writer.h"
#include "compiler/support/shape.h"

namespace stencil::emit {

namespace {

using HaloDepth = std::vector<std::array<int64_t, 2>>;

// "{{4, 4}, {4, 4}}": below and above, outermost dimension first.
std::string halo_text(const HaloDepth& halo) {
  std::vector<std::string> items;
  for (const auto& [below, above] : halo) items.push_back(fmt::format("{{{}, {}}}", below, above));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

// "4+4 x 4+4", as in the comment at the top of a file.
std::string halo_widths(const HaloDepth& halo) {
  std::vector<std::string> items;
  for (const auto& [below, above] : halo) items.push_back(fmt::format("{}+{}", below, above));
  return fmt::format("{}", fmt::join(items, " x "));
}

std::string halo_name(const kernel::Module& module, size_t rank) {
  return fmt::format("{}_halo[{}][2]", module.name, rank);
}

// "y", "y and x"; "" for none.
std::string wrapping_axes(const BoxPart& box) {
  std::vector<std::string> axes;
  for (size_t d = 0; d < box.wraps.size(); ++d) {
    if (box.wraps[d]) axes.push_back(kAxes[box.wraps.size() - 1 - d]);
  }
  return fmt::format("{}", fmt::join(axes, " and "));
}

// Writes the comment on how boxes of a decomposed run are used.
void describe_boxes_in_use(Text& out, const BoxPart& box, const HostApi& api, bool device) {
  const std::string& name = box.module.name;
  out.comment(
      fmt::format("Boxes of the grid, for programs that distribute it over processes. Each process "
                  "owns a box, and its arrays hold the box and a halo around it: {}_halo points "
                  "below and above in each dimension, outermost first, clipped to the grid. "
                  "{}_box_memory() returns the points of an array, which is dense and row-major.",
                  name, name));
  if (const std::string axes = wrapping_axes(box); !axes.empty()) {
    out.comment(fmt::format(
        "In {} the grid is periodic: the halo also extends beyond the grid, where it holds copies "
        "of the points at the opposite side. Coordinates continue across the edge.",
        axes));
  }
  const auto slots = [&](size_t a) {
    const kernel::Array& array = box.module.plan.arrays[a];
    return fmt::format("{}: {} pointers; [0] points to the newest of {} level(s)", array.name,
                       api.slots_constant(a), array.levels);
  };
  out.comment(
      "An array that changes has several buffers of this size, and is passed as an array of "
      "pointers to them. Each step rotates the pointers. Buffers beyond the array's levels must "
      "start with the values of [0]:");
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    if (api.has_slots(a)) out.comment("  " + slots(a));
  }
  out.comment(
      fmt::format("After {0}_init_box(), or once all memory is initialised, {0}_run_box{1}() runs "
                  "up to {0}_box_steps steps, the first of which has index first_step. The points "
                  "of the box then have the same bits as in a run of the whole grid. Before the "
                  "next call, the caller must fill in the halo from the boxes that own its points:",
                  name, device ? "_device" : ""));
  for (const BoxPart::Filled& filled : box.filled) {
    for (const Pointer& pointer : api.pointers()) {
      if (pointer.array != filled.array || pointer.level != filled.level) continue;
      out.comment(
          fmt::format("  {}: {} points below+above", pointer.name, halo_widths(filled.halo)));
    }
  }
  if (box.filled.empty()) out.comment("  nothing: no point reads another");
  std::vector<std::string> kept, whole;
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    const kernel::Array& array = box.module.plan.arrays[a];
    if (!api.in_memory(a)) whole.push_back(array.name);
    if (api.in_memory(a) && !array.written) kept.push_back(array.name);
  }
  if (!kept.empty()) {
    out.comment(fmt::format("Coefficients keep their halo: {}.", fmt::join(kept, ", ")));
  }
  if (!box.left_out.empty()) {
    out.comment(fmt::format("Not evaluated, because they combine the points of all boxes: {}.",
                            fmt::join(box.left_out, ", ")));
  }
  if (!whole.empty()) {
    out.comment(
        fmt::format("Complete, and the same in all processes: {}.", fmt::join(whole, ", ")));
  }
}

void declare_struct(Text& out, const std::string& name, const std::vector<std::string>& members) {
  out.open(fmt::format("typedef struct {} {{", name));
  for (const std::string& member : members) out.line(member);
  out.close(fmt::format("}} {};", name));
  out.blank();
}

// Declares the types, with the names that the file uses.
void declare_types_of(Text& out, const BoxPart& box, const HostApi& api, Names& names) {
  const size_t rank = box.halo.size();
  const std::string& name = box.module.name;
  out.comment("A box: its first and its last points, outermost dimension first.");
  declare_struct(out, api.box_type(), {fmt::format("int low[{}], high[{}];", rank, rank)});
  std::vector<std::string> members;
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    if (!api.in_memory(a)) continue;
    members.push_back(
        fmt::format("{} {};", api.box_type(), names.spell(box.module.plan.arrays[a].name)));
  }
  out.comment("The points that arrays have in memory.");
  declare_struct(out, api.memory_type(), members);
  out.comment(
      "The largest number of steps of a call, and the numbers of pointers of arrays that change.");
  std::vector<std::string> constants = {fmt::format("{}_box_steps = {}", name, box.steps)};
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    if (!api.has_slots(a)) continue;
    constants.push_back(
        fmt::format("{} = {}", api.slots_constant(a), box.module.plan.arrays[a].copies));
  }
  out.line(fmt::format("enum {{ {} }};", comma_list(constants)));
  out.blank();
}

void declare_entries(Text& out, const HostApi& api, const Dialect& dialect) {
  out.comment(
      "Returns the grid. The result is NULL or an error message, as for all functions below.");
  out.line(api.grid_signature() + ";");
  out.blank();
  out.comment("Returns the points of the arrays.");
  out.line(api.box_memory_signature() + ";");
  out.blank();
  out.comment(
      "Writes the initial values to arrays of a box in host memory, including their halos.");
  out.line(api.init_signature() + ";");
  out.blank();
  if (dialect.has_device()) {
    out.comment("Runs on arrays in device memory. Asynchronous: the work is queued on the stream.");
    out.line(api.device_signature("_device", dialect) + ";");
  } else {
    out.comment("Runs; rotates the pointers.");
    out.line(api.run_signature() + ";");
  }
  out.blank();
}

}  // namespace

void declare_boxes_in_place(Text& out, const BoxPart& box, const Dialect& dialect) {
  Names names = Names(box.module, dialect).for_host(box.module);
  const HostApi api(box.module, names, &box);
  declare_types_of(out, box, api, names);
  out.line("extern \"C\" {");
  declare_entries(out, api, dialect);
  out.line("}");
  out.blank();
}

void declare_boxes(Text& out, const BoxPart& box, const Dialect& dialect) {
  Names names = Names(box.module, dialect).for_host(box.module);
  const HostApi api(box.module, names, &box);
  describe_boxes_in_use(out, box, api, dialect.has_device());
  out.blank();
  declare_types_of(out, box, api, names);
  out.comment("The width of the halo, below and above, outermost dimension first.");
  out.line(fmt::format("extern const int {};", halo_name(box.module, box.halo.size())));
  out.blank();
  declare_entries(out, api, dialect);
}

BoxText box_part(const BoxPart& box, const Dialect& dialect) {
  const kernel::Module& module = box.module;
  Names names(module, dialect);
  WriterOptions options;
  options.exported = false;
  Writer writer(module, dialect, names, options);
  for (const kernel::Kernel& kernel : module.kernels) writer.kernel(kernel);
  Names host_names = names.for_host(module);
  const HostApi api(module, host_names, &box);
  ExpressionPrinter expressions(cpp_dialect(), module, host_names);

  Text host;
  const std::string name_space = host_names.fresh(module.name + "_boxes");
  InitialValues initial{&box.initial, {}};
  if (!box.initial.kernels.empty()) {
    initial.kernels = host_module(host, host_names.fresh(module.name + "_initial_values"),
                                  box.initial, false, {}, dialect);
  }
  box_driver(host, module, api, host_names, expressions, dialect, initial);

  Text out;
  out.blank();
  out.comment("--- Boxes of the grid ---");
  out.comment("");
  for (const std::string& line : module.header) out.comment(line);
  out.comment("");
  describe_boxes_in_use(out, box, api, dialect.has_device());
  out.blank();
  out.line("extern \"C\" {");
  const std::string halo = halo_name(module, box.halo.size());
  out.line(fmt::format("extern const int {};", halo));
  out.line(fmt::format("const int {} = {};", halo, halo_text(box.halo)));
  out.line("}");
  out.blank();
  out.line(fmt::format("namespace {} {{", name_space));
  out.blank();
  out.verbatim(writer.constants(host.str()));
  out.verbatim(writer.text());
  out.verbatim(host.str());
  out.line(fmt::format("}}  // namespace {}", name_space));
  return {out.str(), writer.expressions().helpers(), expressions.helpers(),
          writer.expressions().uses_double()};
}

}  // namespace stencil::emit
