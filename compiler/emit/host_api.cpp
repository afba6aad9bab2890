// Entry points. Arrays come first, in plan order, one pointer per level, newest first. Then come
// the number of steps; the params in a structure, so that they cannot be mixed up; and, if the
// program has reductions, a pointer to the results. The order is the same for host pointers, device
// pointers and the packed form.
#include "compiler/emit/host_api.h"

#include <fmt/format.h>

#include "compiler/emit/box_part.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

using kernel::Expr;

namespace {

bool has_arithmetic(const Expr& expr) {
  bool found = false;
  kernel::for_each_node(expr, [&](const Expr& node) {
    found |= std::holds_alternative<kernel::Operation>(node->kind) && node->type != Scalar::Bool;
  });
  return found;
}

Expr with_wide_leaves(const Expr& expr) {
  if (const auto* operation = std::get_if<kernel::Operation>(&expr->kind)) {
    std::vector<Expr> operands;
    for (const Expr& operand : operation->operands) operands.push_back(with_wide_leaves(operand));
    if (operation->op != Op::Convert) return kernel::operation(operation->op, std::move(operands));
    return kernel::convert(operands[0], is_integer(expr->type) ? Scalar::I64 : expr->type);
  }
  return expr->type == Scalar::I32 ? kernel::convert(expr, Scalar::I64) : expr;
}

}  // namespace

Expr widened(const Expr& expr) {
  if (expr->type == Scalar::Bool && !has_arithmetic(expr)) return expr;
  return with_wide_leaves(expr);
}

HostApi::HostApi(const kernel::Module& module, Names& names, const BoxPart* box)
    : module_(module), names_(names), box_(box) {
  for (size_t a = 0; a < module.plan.arrays.size(); ++a) {
    const kernel::Array& array = module.plan.arrays[a];
    for (int slot = 0; has_slots(a) && slot < array.copies; ++slot) {
      pointers_.push_back(
          {static_cast<int>(a), slot, fmt::format("{}[{}]", names_.spell(array.name), slot)});
    }
    for (int level = 0; !has_slots(a) && level < array.levels; ++level) {
      const std::string name = level == 0 ? names_.spell(array.name)
                                          : names_.fresh(fmt::format("{}_{}", array.name, level));
      pointers_.push_back({static_cast<int>(a), level, name});
    }
  }
  steps_ = names_.fresh("steps");
  stream_ = names_.fresh("stream");
  if (has_params()) {
    params_ = names_.fresh("params");
    values_ = names_.fresh("values");
  }
  if (box) {
    first_step_ = names_.fresh("first_step");
    box_argument_ = names_.fresh("box");
    memory_argument_ = names_.fresh("memory");
  }
  if (!has_results()) return;
  results_ = names_.fresh("results");
  steps_done_ = names_.fresh("steps_done");
  stopped_ = names_.fresh("stopped");
  for (const kernel::Reduction& reduction : module.plan.reductions) {
    reductions_.push_back({kernel::has_value(reduction) ? names_.spell(reduction.name) : "",
                           names_.fresh(reduction.name + "_evaluations"),
                           reduction.first_nan != kernel::kNoScratch
                               ? names_.fresh(reduction.name + "_first_nan")
                               : ""});
  }
}

void HostApi::declare_results(Text& out) const {
  if (!has_results()) return;
  out.comment("The results of a run; a reduction has no value before its first evaluation.");
  out.open(fmt::format("typedef struct {} {{", results_type()));
  out.line(fmt::format("int64_t {};", steps_done_));
  out.line(fmt::format("int64_t {};  // 1 if the stop condition held", stopped_));
  for (size_t r = 0; r < reductions_.size(); ++r) {
    const kernel::Reduction& reduction = module_.plan.reductions[r];
    if (kernel::has_value(reduction)) {
      out.line(fmt::format("{} {};  // of the last evaluation",
                           is_float(reduction.type) ? "double" : "int64_t", reductions_[r].value));
    }
    out.line(fmt::format("int64_t {};  // one after every {} step(s)", reductions_[r].evaluations,
                         reduction.every));
    if (reductions_[r].first_nan.empty()) continue;
    out.line(fmt::format("int64_t {};  // steps done when it was first NaN; 0: never",
                         reductions_[r].first_nan));
  }
  out.close(fmt::format("}} {};", results_type()));
  out.blank();
}

std::string describe_default(const kernel::Parameter& parameter) {
  if (parameter.derived) return parameter.derived_text + " unless it is given";
  if (parameter.integer_default) return fmt::format("default {}", *parameter.integer_default);
  if (!parameter.real_default) return "must be given";
  return parameter.type == Scalar::F32
             ? fmt::format("default {}", static_cast<float>(*parameter.real_default))
             : fmt::format("default {}", *parameter.real_default);
}

void HostApi::declare_types(Text& out) const {
  if (has_params()) {
    out.comment("The params of the program, with their defaults.");
    out.open(fmt::format("typedef struct {} {{", params_type()));
    for (size_t p = 0; p < given(); ++p) {
      const int parameter = static_cast<int>(p);
      const std::string line =
          fmt::format("{} {};", parameter_type(parameter), parameter_name(parameter));
      const std::string comment = describe_default(module_.plan.parameters[p]);
      const bool fits = line.size() + comment.size() + 6 <= kColumns;
      if (!fits) out.comment(comment);
      out.line(fits ? with_comment(line, comment) : line);
    }
    out.close(fmt::format("}} {};", params_type()));
    out.blank();
  }
  declare_results(out);
}

std::string HostApi::type(const kernel::Array& array) const {
  return std::string(cpp_dialect().stored(array.type));
}

std::string HostApi::pointer_type(const Pointer& pointer) const {
  const kernel::Array& array = module_.plan.arrays[pointer.array];
  return (array.written ? "" : "const ") + type(array) + "*";
}

std::string HostApi::parameter_name(int parameter) const {
  return names_.spell(module_.plan.parameters[parameter].name);
}

std::string HostApi::parameter_type(int parameter) const {
  const Scalar type = module_.plan.parameters[parameter].type;
  return std::string(cpp_dialect().type(arithmetic_type(type)));
}

std::vector<std::string> HostApi::array_arguments() const {
  std::vector<std::string> names;
  for (const Pointer& pointer : pointers_) {
    const auto a = static_cast<size_t>(pointer.array);
    if (!has_slots(a)) names.push_back(pointer.name);
    if (has_slots(a) && pointer.level == 0)
      names.push_back(names_.spell(module_.plan.arrays[a].name));
  }
  return names;
}

std::string HostApi::slots_constant(size_t array) const {
  return fmt::format("{}_{}_slots", module_.name, module_.plan.arrays[array].name);
}

std::string HostApi::array_list() const {
  std::vector<std::string> items;
  for (const Pointer& pointer : pointers_) {
    const auto a = static_cast<size_t>(pointer.array);
    if (!has_slots(a)) items.push_back(pointer_type(pointer) + " " + pointer.name);
    if (has_slots(a) && pointer.level == 0) {
      const kernel::Array& array = module_.plan.arrays[a];
      items.push_back(type(array) + "** " + names_.spell(array.name));
    }
  }
  return comma_list(items);
}

std::string HostApi::writable_array_list() const {
  return replaced(array_list(), "const ", "");
}

std::string HostApi::tail_list() const {
  std::vector<std::string> items;
  for (size_t p = 0; p < module_.plan.parameters.size(); ++p) {
    const int parameter = static_cast<int>(p);
    items.push_back(parameter_type(parameter) + " " + parameter_name(parameter));
  }
  if (has_results()) items.push_back(results_type() + "* " + results_);
  return comma_list(items);
}

std::string HostApi::run_signature() const {
  std::vector<std::string> items = {array_list(), "int64_t " + steps_};
  if (box_) {
    items.push_back("int64_t " + first_step_);
    items.push_back("const " + box_type() + "* " + box_argument_);
  }
  if (has_params()) items.push_back("const " + params_type() + "* " + params_);
  if (has_results()) items.push_back(results_type() + "* " + results_);
  return fmt::format("const char* {}_run{}({})", module_.name, box_ ? "_box" : "",
                     comma_list(items));
}

std::string HostApi::init_signature() const {
  std::vector<std::string> items = {writable_array_list()};
  if (box_) items.push_back("const " + box_type() + "* " + box_argument_);
  if (has_params()) items.push_back("const " + params_type() + "* " + params_);
  return fmt::format("const char* {}_init{}({})", module_.name, box_ ? "_box" : "",
                     comma_list(items));
}

std::string HostApi::grid_signature() const {
  std::vector<std::string> items = {box_type() + "* " + box_argument_};
  if (has_params()) items.push_back("const " + params_type() + "* " + params_);
  return fmt::format("const char* {}_grid({})", module_.name, comma_list(items));
}

std::string HostApi::box_memory_signature() const {
  std::vector<std::string> items = {memory_type() + "* " + memory_argument_,
                                    "const " + box_type() + "* " + box_argument_};
  if (has_params()) items.push_back("const " + params_type() + "* " + params_);
  return fmt::format("const char* {}_box_memory({})", module_.name, comma_list(items));
}

std::string HostApi::default_params_signature() const {
  return fmt::format("{} {}_default_params(void)", params_type(), module_.name);
}

std::string HostApi::derive_params_signature() const {
  return fmt::format("const char* {}_derive_params({}* {})", module_.name, params_type(), params_);
}

std::string HostApi::device_signature(const std::string& ending, const Dialect& dialect) const {
  std::string signature = run_signature();
  signature.insert(signature.find('('), ending);
  signature.pop_back();
  return device_text(signature + "," + soft_space(1) + "$apiStream_t " + stream_ + ")", dialect);
}

std::string HostApi::run_packed_signature() const {
  return fmt::format(
      "const char* {}_run_packed(void** arrays,{}const void* const* parameters,{}"
      "int64_t steps,{}int64_t first_step)",
      module_.name, soft_space(1), soft_space(1), soft_space(1));
}

// --- The header

namespace {

std::string size_text(const kernel::Module& module, const Expr& size) {
  Expr shown = size;
  if (const auto* variable = std::get_if<kernel::Variable>(&size->kind)) {
    for (const auto& constant : module.constants) {
      if (constant.name == variable->name) shown = kernel::integer(constant.value, Scalar::I64);
    }
  }
  Names names(module, cpp_dialect());
  ExpressionPrinter printer(cpp_dialect(), module, names);
  return plain(printer.print(shown));
}

std::string extents_text(const kernel::Module& module, const std::vector<Expr>& extents) {
  std::string text;
  for (const Expr& extent : extents) text += fmt::format("[{}]", size_text(module, extent));
  return text;
}

// Writes the comment above the entry point for arrays with padded rows.
void describe_padded(Text& out, const kernel::Module& module, const HostApi& api,
                     const Dialect& dialect) {
  out.blank();
  out.comment(
      fmt::format("The kernels work on arrays with padded rows; {}_run_device copies dense arrays "
                  "to such\narrays and back. This function takes arrays that are padded already:",
                  module.name));
  for (const Pointer& pointer : api.pointers()) {
    const kernel::Array& array = module.plan.arrays[pointer.array];
    const std::string lead = array.row_lead ? fmt::format(", a row's first point is element {}",
                                                          size_text(module, array.row_lead))
                                            : "";
    out.comment(fmt::format("  {}{}{}", pointer.name,
                            extents_text(module, kernel::stored_extents(array)), lead));
  }
  out.comment("Arrays start at multiples of 32 bytes. Padding is overwritten.");
  out.line(api.device_signature("_padded", dialect) + ";");
}

}  // namespace

namespace {

void declare_params(Text& out, const kernel::Module& module, const HostApi& api) {
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
  out.comment(text);
  out.line(api.default_params_signature() + ";");
  out.blank();
  out.comment(
      derived ? "Computes the derived members that are not set. Returns NULL or an error message."
              : "Returns NULL, or an error message if a member is unset or not finite.");
  out.line(api.derive_params_signature() + ";");
  out.blank();
}

void declare_run(Text& out, const HostApi& api) {
  out.comment(
      "The result replaces the contents of the arrays. Returns NULL on success, or an error "
      "message that\nis valid until the next call of this thread. It is an error if an array is "
      "NULL, or if\ntwo arrays overlap and either is written.");
  if (api.has_params()) {
    out.comment(fmt::format("{} may be NULL, for the defaults.", api.params()));
  }
  if (api.has_results()) {
    out.comment(fmt::format("{} may be NULL. Reductions start without values.", api.results()));
  }
  out.line(api.run_signature() + ";");
}

void declare_device_runs(Text& out, const kernel::Module& module, const HostApi& api,
                         const Dialect& dialect) {
  out.blank();
  out.comment("The same on device pointers. Asynchronous: the work is queued on the stream.");
  if (api.has_results()) {
    out.comment(
        "The call waits for the stream whenever it evaluates the stop condition, and at its end if "
        "it\nreturns results.");
  }
  out.line(api.device_signature("_device", dialect) + ";");
  if (kernel::is_padded(module.plan)) describe_padded(out, module, api, dialect);
}

void declare_packed_run(Text& out, const HostApi& api) {
  out.blank();
  out.comment(
      "The same with packed arguments. `arrays` points to the pointers in the order above, "
      "`parameters` to pointers to the values of the params in the order of their structure. The "
      "pointer of a param that is not given is NULL; if none is given, `parameters` may be NULL. "
      "Steps are counted from first_step.");
  if (api.has_results()) {
    out.comment(fmt::format(
        "The last pointer of arrays points to the results (not NULL), from which the run "
        "continues:\nthose of the previous call, or zeros. {} counts the steps of this call.",
        api.steps_done()));
  }
  out.line(api.run_packed_signature() + ";");
}

// The include guard. It keeps the case of the program's name and puts the target before it, because
// the name of another program may differ only in case, or end in "_cuda".
std::string guard_of(const TargetInfo& target, const kernel::Module& module) {
  std::string word(target.name);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("STENCIL_{}_{}_H", word, module.name);
}

// Rejects the headers of the same program in other languages, which declare the same functions.
void refuse_others(Text& out, const TargetInfo& target, const kernel::Module& module) {
  for (const TargetInfo& other : targets()) {
    if (other.header_ending.empty() || other.target == target.target) continue;
    out.line("#ifdef " + guard_of(other, module));
    out.line(fmt::format(
        "#error \"the {} and the {} of {} define the same functions: include one header\"",
        std::min(other.extension, target.extension), std::max(other.extension, target.extension),
        module.name));
    out.line("#endif");
  }
  out.blank();
}

}  // namespace

std::string emit_header(const kernel::Module& module, Target target, const BoxPart* box) {
  const TargetInfo& row = info(target);
  if (row.header_ending.empty()) return "";
  const Dialect& dialect = row.dialect({});
  Names names = Names(module, dialect).for_host(module);
  const HostApi api(module, names);
  const std::string guard = guard_of(row, module);
  Text out;
  for (const std::string& line : module.header) out.comment(line);
  out.line("#ifndef " + guard);
  out.line("#define " + guard);
  out.blank();
  refuse_others(out, row, module);
  out.line("#include <stdint.h>");
  if (dialect.has_device()) out.line(fmt::format("#include <{}>", dialect.runtime_api_header));
  out.blank();
  out.line("#ifdef __cplusplus");
  out.line("extern \"C\" {");
  out.line("#endif");
  out.blank();
  api.declare_types(out);
  declare_params(out, module, api);
  out.comment("Arrays are dense and row-major (last index contiguous):");
  for (const Pointer& pointer : api.pointers()) {
    const kernel::Array& array = module.plan.arrays[pointer.array];
    const std::string age =
        pointer.level == 0 ? "" : fmt::format(", {} step(s) back", pointer.level);
    out.comment(fmt::format("  {}{}{}{}", pointer.name, extents_text(module, array.extents), age,
                            array.written ? "" : ", read only"));
  }
  out.blank();
  out.comment(
      "Writes the initial values to arrays in host memory; zeros where the program has none.");
  out.line(api.init_signature() + ";");
  out.blank();
  declare_run(out, api);
  if (dialect.has_device()) {
    declare_device_runs(out, module, api, dialect);
  } else {
    declare_packed_run(out, api);
  }
  out.blank();
  if (box) declare_boxes(out, *box, dialect);
  out.line("#ifdef __cplusplus");
  out.line("}");
  out.line("#endif");
  out.blank();
  out.line("#endif");
  return out.str();
}

}  // namespace stencil::emit
