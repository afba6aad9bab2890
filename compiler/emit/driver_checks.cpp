// What emitted entry points check before they allocate or touch anything: the number of steps, what
// the program requires, sizes that memory and launches can have, and that every array is there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compiler/emit/driver_printer.h"
#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;
using kernel::Launch;

constexpr int64_t kMostPoints = 1073741824;  // of an extent

namespace {

// Known to be what stencil_array_bytes takes, for any element.
bool are_sound(const kernel::Module& module, const std::vector<Expr>& extents) {
  const auto constant = [&](const std::string& name) -> std::optional<int64_t> {
    for (const kernel::NamedConstant& known : module.constants) {
      if (known.name == name) return known.value;
    }
    return std::nullopt;
  };
  int64_t bytes = 8;
  for (const Expr& extent : extents) {
    const auto value = kernel::evaluate(extent, constant);
    if (!value || *value < 1 || *value > kMostPoints || bytes > INT64_MAX / *value) return false;
    bytes *= *value;
  }
  return true;
}

}  // namespace

std::set<std::string> Driver::checked_parameters() const {
  std::set<std::string> names;
  const auto add = [&](const Expr& expr) {
    kernel::for_each_node(expr, [&](const Expr& node) {
      if (const auto* v = std::get_if<kernel::Variable>(&node->kind)) names.insert(v->name);
    });
  };
  for (const kernel::Check& check : plan_.checks) add(check.condition);
  for (const kernel::StepLimit& limit : plan_.step_limits) add(limit.steps);
  for (const Array& array : plan_.arrays) {
    for (const Expr& extent : array.extents) add(extent);
    if (kernel::is_padded(array)) add(array.row_pitch);
  }
  kernel::for_each_launch(plan_, [&](const Launch& launch) { add(launch.blocks); });
  return names;
}

// What is handed to the checks: a number of steps, the first one's index where that counts, params.
std::string Driver::check_arguments(const std::string& steps, const std::string& first_step) const {
  const std::set<std::string> used = checked_parameters();
  std::vector<std::string> items = {steps};
  if (!plan_.step_limits.empty()) items.push_back(first_step);
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    if (used.count(plan_.parameters[p].name))
      items.push_back(api_.parameter_name(static_cast<int>(p)));
  }
  return comma_list(items);
}

bool has_open_extents(const kernel::Module& module) {
  return std::any_of(module.plan.arrays.begin(), module.plan.arrays.end(), [&](const Array& array) {
    return !are_sound(module, array.extents) ||
           (kernel::is_padded(array) && !are_sound(module, kernel::stored_extents(array)));
  });
}

void Driver::check_extents(const Array& array, const std::vector<Expr>& extents) {
  if (are_sound(module_, extents)) return;
  std::vector<std::string> items;
  for (const Expr& extent : extents) items.push_back(text(extent));
  const std::string name = names_.fresh(array.name + "_extents");
  out_.line(fmt::format("const int64_t {}[] = {{{}}};", name, comma_list(items)));
  out_.open(fmt::format("if (stencil_array_bytes(sizeof({}), {}, {}) < 0) {{", api_.type(array),
                        name, items.size()));
  out_.line(
      fmt::format("return \"array {}: an extent is below 1, or it is too large\";", array.name));
  out_.close();
}

// Nothing is checked but the number of steps.
bool Driver::checks_only_steps() const {
  bool known = plan_.checks.empty() && plan_.step_limits.empty() && !has_open_extents(module_);
  kernel::for_each_launch(plan_, [&](const Launch& launch) {
    known &= std::holds_alternative<kernel::IntegerLiteral>(launch.blocks->kind);
  });
  return known;
}

// The checks, in an entry point.
void Driver::check(const std::string& arguments) {
  if (!checks_only_steps()) {
    out_.line(fmt::format("if (const char* error = {}({})) return error;", check_, arguments));
  } else if (arguments != "0") {
    out_.line(fmt::format("if ({} < 0) return \"the number of steps is negative\";", arguments));
  }
}

void Driver::check_function() {
  if (checks_only_steps()) return;
  const std::set<std::string> used = checked_parameters();
  std::vector<std::string> items = {"int64_t " + api_.steps()};
  if (!plan_.step_limits.empty()) items.push_back("int64_t " + first_step_);
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    const int parameter = static_cast<int>(p);
    if (!used.count(plan_.parameters[p].name)) continue;
    items.push_back(api_.parameter_type(parameter) + " " + api_.parameter_name(parameter));
  }
  out_.comment("What must hold before anything is allocated: NULL, or what does not.");
  out_.open(fmt::format("static const char* {}({}) {{", check_, comma_list(items)));
  out_.line(fmt::format("if ({} < 0) return \"the number of steps is negative\";", api_.steps()));
  for (const kernel::Check& check : plan_.checks) {
    const Expr violated = kernel::operation(Op::Not, {widened(check.condition)});
    out_.open(fmt::format("if ({}) {{", expressions_.print(violated)));
    out_.line(fmt::format("return {};", string_literal(check.message)));
    out_.close();
  }
  for (const kernel::StepLimit& limit : plan_.step_limits) {
    const Expr most = kernel::sub(limit.steps, kernel::variable(first_step_, Scalar::I64));
    out_.open(fmt::format("if ({} > {}) {{", api_.steps(), expressions_.print(widened(most))));
    out_.line(
        fmt::format("return {};", string_literal(limit.message + ": the run has more steps")));
    out_.close();
  }
  for (const Array& array : plan_.arrays) {
    check_extents(array, array.extents);
    if (kernel::is_padded(array)) check_extents(array, kernel::stored_extents(array));
  }
  kernel::for_each_launch(plan_, [&](const Launch& launch) {
    if (std::holds_alternative<kernel::IntegerLiteral>(launch.blocks->kind)) return;
    out_.open(
        fmt::format("if ({} > 2147483647) {{", text(kernel::convert(launch.blocks, Scalar::I64))));
    out_.line(
        fmt::format("return \"{}: too many blocks for one launch\";", kernel_of(launch).name));
    out_.close();
  });
  out_.line("return NULL;");
  out_.close();
  out_.blank();
}

// What an entry point says of arrays that are not there. It takes no step without: zero steps on
// NULL check the sizes, for a caller who is about to allocate.
void Driver::check_arrays() {
  for (const std::string& argument : api_.array_arguments()) refuse_null(argument, argument);
  for (const Pointer& pointer : api_.pointers()) {
    if (api_.has_slots(static_cast<size_t>(pointer.array))) refuse_null(pointer.name, pointer.name);
  }
}

void Driver::refuse_null(const std::string& pointer, const std::string& argument) {
  out_.line(fmt::format("if (!{}) return \"argument {} is NULL\";", pointer, argument));
}

}  // namespace stencil::emit
