// Launches in written host programs: block counts, shared memory, arguments, and descriptors of the
// memory from which kernels copy boxes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit/host_writer.h"
#include "compiler/emit/writer.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;

void HostWriter::block_counts() {
  kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
    if (!device_ && is_single_block(module_, kernel_of(launch))) return;
    std::string& blocks = blocks_[&launch];
    if (const auto* known = std::get_if<kernel::IntegerLiteral>(&launch.blocks->kind)) {
      blocks = std::to_string(known->value);
    } else {
      blocks = names_.fresh(kernel_of(launch).name + "_blocks");
      out_.line(fmt::format("const int64_t {} = {};", blocks, host_.text(launch.blocks)));
    }
    const int64_t shared = dynamic_shared_bytes(kernel_of(launch), module_, dialect_);
    if (!device_ || shared == 0) return;
    const std::string name = names_.spell(kernel_of(launch).name);
    host_.device_line(
        fmt::format("STENCIL_TRY(\"reserving {1} bytes of shared memory for {0}\",{2}"
                    "$apiFuncSetAttribute({0},{2}$apiFuncAttributeMaxDynamicSharedMemorySize,"
                    "{2}{1}));",
                    name, shared, soft_space(1)));
  });
}

void HostWriter::operator()(const host_ir::Launch& launched) {
  const kernel::Launch& launch = *launched.launch;
  const kernel::Kernel& kernel = kernel_of(launch);
  const std::string& blocks = blocks_[&launch];
  const auto memory = [&](const kernel::ArrayArgument& argument) {
    const auto index = static_cast<size_t>(argument.array);
    if (argument.slot != kernel::kScratch) return copies_[index].slots[argument.slot];
    return fmt::format("({}*){}.pointer", cpp_dialect().type(plan_.scratch[index].type),
                       scratch_[index]);
  };
  std::vector<std::string> arguments = host_ir::arguments_of(
      launched, {memory, [&](int parameter) { return api_.parameter_name(parameter); },
                 [&](const Expr& step) { return variables_.step_argument(step); },
                 [&](const Expr& count) { return variables_.text(count); }, ""});
  const std::string name = names_.spell(kernel.name);
  if (!device_) {
    if (!is_single_block(module_, kernel)) arguments.push_back(blocks);
    out_.line(fmt::format("{}({});", name, comma_list(arguments)));
    return;
  }
  const int64_t shared = dynamic_shared_bytes(kernel, module_, dialect_);
  const auto [x, y, z] = kernel::hardware_threads(kernel);
  const auto* known = std::get_if<kernel::IntegerLiteral>(&launch.blocks->kind);
  const bool always = known && known->value > 0;
  const bool scope = !always || !launch.bulk_sources.empty();
  if (scope) out_.open(always ? "{" : fmt::format("if ({} > 0) {{", blocks));
  for (size_t s = 0; s < launch.bulk_sources.size(); ++s) {
    arguments.push_back(tensor_map(launch, s));
  }
  out_.line(fmt::format("{}<<<{}{}, dim3({}, {}, {}), {}, {}>>>({});", name,
                        known ? "" : "(unsigned)", blocks, x, y, z, shared, api_.stream(),
                        comma_list(arguments)));
  host_.device_line(fmt::format("STENCIL_TRY(\"launching {}\", $apiGetLastError());", name));
  if (scope) out_.close();
}

// Describes the memory from which a kernel copies boxes; returns the name of the descriptor.
std::string HostWriter::tensor_map(const kernel::Launch& launch, size_t source) {
  const kernel::ArrayArgument& described = launch.bulk_sources[source];
  const size_t a = static_cast<size_t>(described.array);
  const Array& array = plan_.arrays[a];
  const kernel::BulkSource& boxes = kernel_of(launch).bulk_sources[source];
  const std::string name = names_.fresh(boxes.name);
  const std::string& slot = copies_[a].slots[described.slot];
  std::vector<std::string> extents;
  for (const Expr& extent : kernel::stored_extents(array)) extents.push_back(host_.text(extent));
  out_.line(fmt::format("stencil_tensor_map {};", name));
  out_.open(fmt::format(
      "if (const char* error = stencil_describe({}) {{",
      comma_list({"&" + name, string_literal(array.name), slot, "{" + comma_list(extents) + "}",
                  fmt::format("{{{}}}", fmt::join(boxes.box, ", "))}) +
          ")"));
  out_.line("return error;");
  out_.close();
  return name;
}

}  // namespace stencil::emit
