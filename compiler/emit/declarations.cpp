#include "compiler/emit/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit/dialect.h"
#include "compiler/emit/sizes.h"

namespace stencil::emit {

using kernel::Expr;

namespace {

// Describes the entry point for arrays with padded rows.
void add_padded_run(Declarations& out, const kernel::Module& module, const HostApi& api) {
  out.push_back(Gap{});
  out.push_back(Note{
      fmt::format("The kernels work on arrays with padded rows; {}_run_device copies dense arrays "
                  "to such\narrays and back. This function takes arrays that are padded already:",
                  module.name)});
  for (const Pointer& pointer : api.pointers()) {
    const kernel::Array& array = module.plan.arrays[pointer.array];
    const SizeStyle as_declared{[](const std::string& name) { return name; }};
    const std::string lead = array.row_lead
                                 ? fmt::format(", a row's first point is element {}",
                                               size_text(module, array.row_lead, as_declared))
                                 : "";
    out.push_back(ArrayNote{pointer.name, array.type, kernel::stored_extents(array), lead});
  }
  out.push_back(Note{"Arrays start at multiples of 32 bytes. Padding is overwritten."});
  out.push_back(api.device_run("_padded"));
}

void add_params(Declarations& out, const kernel::Module& module, const HostApi& api) {
  if (!api.has_params()) return;
  bool derived = false, open = false;
  for (const kernel::Parameter& parameter : module.plan.parameters) {
    derived |= parameter.derived != nullptr;
    open |= !parameter.derived && !parameter.real_default && !parameter.integer_default;
  }
  std::string text = "The defaults. ";
  if (derived) {
    text +=
        "A member that is derived from others starts unset (NaN; for an integer, its smallest "
        "value): entry points compute it from the others. ";
  }
  if (open) text += "A member without a default starts unset, and the caller must set it. ";
  text.pop_back();
  out.push_back(Note{text});
  out.push_back(api.default_params());
  out.push_back(Gap{});
  out.push_back(Note{
      derived ? "Computes the derived members that are not set. Returns NULL or an error message."
              : "Returns NULL, or an error message if a member is unset or not finite."});
  out.push_back(api.derive_params());
  out.push_back(Gap{});
}

void add_arrays(Declarations& out, const kernel::Module& module, const HostApi& api) {
  out.push_back(Note{"Arrays are dense and row-major (last index contiguous):",
                     "Arrays are dense. The order of indices is reversed: A[i,j] of the program is "
                     "A(j,i) here. Dimensions:"});
  const std::vector<Argument> arguments = api.arrays();
  for (size_t p = 0; p < arguments.size(); ++p) {
    const Pointer& pointer = api.pointers()[p];
    const kernel::Array& array = module.plan.arrays[pointer.array];
    const std::string age =
        pointer.level == 0 ? "" : fmt::format(", {} step(s) back", pointer.level);
    const bool named = pointer.level == 0 && arguments[p].known_extents;
    out.push_back(ArrayNote{pointer.name, array.type, arguments[p].extents,
                            age + (array.written ? "" : ", read only"),
                            named ? api.shape_constant(pointer.array) : ""});
  }
  out.push_back(Gap{});
}

void add_run(Declarations& out, const HostApi& api) {
  out.push_back(Note{
      "The result replaces the contents of the arrays. Returns NULL on success, or an error "
      "message that\nis valid until the next call of this thread. It is an error if an array is "
      "NULL, or if\ntwo arrays overlap and either is written.",
      "The result replaces the contents of the arrays. Returns NULL on success, or an error "
      "message that is valid until the next call of this thread. It is an error if two arrays "
      "overlap and either is written."});
  if (api.has_params()) {
    out.push_back(Note{fmt::format("{} may be NULL, for the defaults.", api.params()), ""});
  }
  if (api.has_results()) {
    out.push_back(
        Note{fmt::format("{} may be NULL. Reductions start without values.", api.results()),
             "Reductions start without values."});
  }
  out.push_back(api.run());
}

void add_device_runs(Declarations& out, const kernel::Module& module, const HostApi& api) {
  out.push_back(Gap{});
  out.push_back(
      Note{"The same on device pointers. Asynchronous: the work is queued on the stream."});
  if (api.has_results()) {
    out.push_back(Note{
        "The call waits for the stream whenever it evaluates the stop condition, and at its end if "
        "it\nreturns results."});
  }
  out.push_back(api.device_run("_device"));
  if (kernel::is_padded(module.plan)) add_padded_run(out, module, api);
}

void add_packed_run(Declarations& out, const HostApi& api) {
  out.push_back(Gap{});
  out.push_back(Note{
      "The same with packed arguments. `arrays` points to the pointers in the order above, "
      "`parameters` to pointers to the values of the params in the order of their structure. The "
      "pointer of a param that is not given is NULL; if none is given, `parameters` may be NULL. "
      "Steps are counted from first_step.",
      "The same with packed arguments. `arrays` holds the addresses of the arrays in the order "
      "above, `parameters` those of the values of the params in the order of their structure. The "
      "address of a param that is not given is NULL. Steps are counted from first_step."});
  if (api.has_results()) {
    out.push_back(Note{fmt::format(
        "The last pointer of arrays points to the results (not NULL), from which the run "
        "continues:\nthose of the previous call, or zeros. {} counts the steps of this call.",
        api.steps_done())});
  }
  out.push_back(api.packed_run());
}

}  // namespace

Declarations declarations_of(const kernel::Module& module, const HostApi& api,
                             const Dialect& dialect) {
  Declarations out;
  for (Structure& structure : api.structures()) out.push_back(std::move(structure));
  add_params(out, module, api);
  add_arrays(out, module, api);
  out.push_back(Note{
      "Writes the initial values to arrays in host memory; zeros where the program has none."});
  out.push_back(api.init());
  out.push_back(Gap{});
  add_run(out, api);
  if (dialect.has_device()) {
    add_device_runs(out, module, api);
  } else {
    add_packed_run(out, api);
  }
  out.push_back(Gap{});
  return out;
}

namespace {

struct CPrinter {
  Text& out;
  const kernel::Module& module;
  const Dialect& dialect;
  SizeStyle sizes;

  void operator()(const Note& note) const { out.comment(note.text); }
  void operator()(const ArrayNote& array) const {
    std::string extents;
    for (const Expr& extent : array.extents) {
      extents += fmt::format("[{}]", size_text(module, extent, sizes));
    }
    out.comment(fmt::format("  {}{}{}", array.name, extents, array.remark));
  }
  void operator()(const Structure& structure) const { declare_in_c(out, structure); }
  void operator()(const Constants& constants) const {
    std::vector<std::string> items;
    for (const auto& [name, value] : constants.values) {
      items.push_back(fmt::format("{} = {}", name, value));
    }
    out.line(fmt::format("enum {{ {} }};", comma_list(items)));
  }
  void operator()(const HaloWidths& halo) const {
    out.line(fmt::format("extern const int {}[{}][2];", halo.name, halo.widths.size()));
  }
  void operator()(const EntryPoint& entry) const {
    out.line(device_text(c_signature(entry), dialect) + ";");
  }
  void operator()(const Gap&) const { out.blank(); }
};

}  // namespace

void declare_in_c(Text& out, const Declarations& declarations, const kernel::Module& module,
                  const Dialect& dialect) {
  Names names = Names(module, dialect).for_host(module);
  const SizeStyle sizes{[&](const std::string& name) { return names.spell(name); }};
  for (const Declaration& each : declarations) {
    std::visit(CPrinter{out, module, dialect, sizes}, each);
  }
}

}  // namespace stencil::emit
