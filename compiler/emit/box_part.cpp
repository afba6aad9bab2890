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

// Describes how boxes of a decomposed run are used.
void describe_boxes_in_use(Declarations& out, const BoxPart& box, const HostApi& api, bool device) {
  const std::string& name = box.module.name;
  const auto note = [&](std::string text, std::optional<std::string> fortran = {}) {
    out.push_back(Note{std::move(text), std::move(fortran)});
  };
  note(
      fmt::format("Boxes of the grid, for programs that distribute it over processes. Each process "
                  "owns a box, and its arrays hold the box and a halo around it: {}_halo points "
                  "below and above in each dimension, outermost first, clipped to the grid. "
                  "{}_box_memory() returns the points of an array, which is dense and row-major.",
                  name, name),
      fmt::format("Boxes of the grid, for programs that distribute it over processes. Each process "
                  "owns a box, and its arrays hold the box and a halo around it: {}_halo points "
                  "below and above in each dimension, clipped to the grid. {}_box_memory() returns "
                  "the points of an array, which is dense. Here, too, the dimensions of halos and "
                  "boxes are in the order of the program: the last one is the first dimension of a "
                  "Fortran array.",
                  name, name));
  if (const std::string axes = wrapping_axes(box); !axes.empty()) {
    note(fmt::format(
        "In {} the grid is periodic: the halo also extends beyond the grid, where it holds copies "
        "of the points at the opposite side. Coordinates continue across the edge.",
        axes));
  }
  note(
      "An array that changes has several buffers of this size, and is passed as an array of "
      "pointers to them. Each step rotates the pointers. Buffers beyond the array's levels must "
      "start with the values of [0]:",
      "An array that changes has several buffers of this size, and is passed as an array of their "
      "addresses. Each step rotates the addresses. Buffers beyond the array's levels must start "
      "with the values of (1):");
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    if (!api.has_slots(a)) continue;
    const kernel::Array& array = box.module.plan.arrays[a];
    const auto slots = [&](const char* newest) {
      return fmt::format("  {}: {} pointers; {} points to the newest of {} level(s)", array.name,
                         api.slots_constant(a), newest, array.levels);
    };
    note(slots("[0]"), slots("(1)"));
  }
  note(
      fmt::format("After {0}_init_box(), or once all memory is initialised, {0}_run_box{1}() runs "
                  "up to {0}_box_steps steps, the first of which has index first_step. The points "
                  "of the box then have the same bits as in a run of the whole grid. Before the "
                  "next call, the caller must fill in the halo from the boxes that own its points:",
                  name, device ? "_device" : ""));
  for (const BoxPart::Filled& filled : box.filled) {
    for (const Pointer& pointer : api.pointers()) {
      if (pointer.array != filled.array || pointer.level != filled.level) continue;
      const auto depth = [&](const std::string& pointed) {
        return fmt::format("  {}: {} points below+above", pointed, halo_widths(filled.halo));
      };
      note(depth(pointer.name),
           depth(fmt::format("{}({})", box.module.plan.arrays[pointer.array].name,
                             pointer.level + 1)));
    }
  }
  if (box.filled.empty()) note("  nothing: no point reads another");
  std::vector<std::string> kept, whole;
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    const kernel::Array& array = box.module.plan.arrays[a];
    if (!api.in_memory(a)) whole.push_back(array.name);
    if (api.in_memory(a) && !array.written) kept.push_back(array.name);
  }
  if (!kept.empty()) {
    note(fmt::format("Coefficients keep their halo: {}.", fmt::join(kept, ", ")));
  }
  if (!box.left_out.empty()) {
    note(fmt::format("Not evaluated, because they combine the points of all boxes: {}.",
                     fmt::join(box.left_out, ", ")));
  }
  if (!whole.empty()) {
    note(fmt::format("Complete, and the same in all processes: {}.", fmt::join(whole, ", ")));
  }
}

void declare_types_of(Declarations& out, const BoxPart& box, const HostApi& api) {
  for (Structure& structure : api.box_structures()) out.push_back(std::move(structure));
  out.push_back(Note{
      "The largest number of steps of a call, and the numbers of pointers of arrays that change."});
  Constants constants{{{box.module.name + "_box_steps", box.steps}}};
  for (size_t a = 0; a < box.module.plan.arrays.size(); ++a) {
    if (!api.has_slots(a)) continue;
    constants.values.emplace_back(api.slots_constant(a), box.module.plan.arrays[a].copies);
  }
  out.push_back(constants);
  out.push_back(Gap{});
}

void declare_entries(Declarations& out, const HostApi& api, const Dialect& dialect) {
  const auto entry = [&](const char* note, EntryPoint declared) {
    out.push_back(Note{note});
    out.push_back(std::move(declared));
    out.push_back(Gap{});
  };
  entry("Returns the grid. The result is NULL or an error message, as for all functions below.",
        api.box_grid());
  entry("Returns the points of the arrays.", api.box_memory());
  entry("Writes the initial values to arrays of a box in host memory, including their halos.",
        api.init());
  if (dialect.has_device()) {
    entry("Runs on arrays in device memory. Asynchronous: the work is queued on the stream.",
          api.device_run("_device"));
  } else {
    entry("Runs; rotates the pointers.", api.run());
  }
}

}  // namespace

void declare_boxes_in_place(Text& out, const BoxPart& box, const Dialect& dialect) {
  Names names = Names(box.module, dialect).for_host(box.module);
  const HostApi api(box.module, names, &box);
  Declarations types, entries;
  declare_types_of(types, box, api);
  declare_entries(entries, api, dialect);
  declare_in_c(out, types, box.module, dialect);
  out.line("extern \"C\" {");
  declare_in_c(out, entries, box.module, dialect);
  out.line("}");
  out.blank();
}

Declarations box_declarations(const BoxPart& box, const Dialect& dialect) {
  Names names = Names(box.module, dialect).for_host(box.module);
  const HostApi api(box.module, names, &box);
  Declarations out;
  describe_boxes_in_use(out, box, api, dialect.has_device());
  out.push_back(Gap{});
  declare_types_of(out, box, api);
  out.push_back(Note{"The width of the halo, below and above, outermost dimension first."});
  out.push_back(HaloWidths{box.module.name + "_halo", box.halo});
  out.push_back(Gap{});
  declare_entries(out, api, dialect);
  return out;
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
  Declarations use;
  describe_boxes_in_use(use, box, api, dialect.has_device());
  declare_in_c(out, use, module, dialect);
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
