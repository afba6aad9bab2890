// Checks that emitted entry points make before they allocate or access anything. All entry points
// of a program call one function, NAME_check. It checks the steps, the requirements of the program,
// sizes, and the arrays. Arithmetic on sizes comes last, because only checked params keep it within
// 64 bits.
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

constexpr int64_t kMostPoints = 1073741824;       // largest extent
constexpr int64_t kMostBytes = int64_t{1} << 56;  // largest array; sums of a few cannot overflow

namespace {

// True if stencil_array_bytes would accept these extents, for any element type.
bool are_sound(const kernel::Module& module, const std::vector<Expr>& extents) {
  int64_t bytes = 8;
  for (const Expr& extent : extents) {
    const auto value = kernel::known_value(extent, module);
    if (!value || *value < 1 || *value > kMostPoints || bytes > kMostBytes / *value) return false;
    bytes *= *value;
  }
  return true;
}

}  // namespace

std::set<std::string> Driver::checked_parameters() const {
  std::set<std::string> names;
  const auto add = [&](const Expr& expr) { names.merge(kernel::variables_in(expr)); };
  for (const kernel::Check& check : plan_.checks) add(check.condition);
  for (const kernel::StepLimit& limit : plan_.step_limits) add(limit.steps);
  for (const Array& array : plan_.arrays) {
    for (const Expr& extent : array.extents) add(extent);
    if (kernel::is_padded(array)) add(array.row_pitch);
  }
  for (const Expr& extent : plan_.grid) add(extent);
  kernel::for_each_launch(plan_, [&](const Launch& launch) { add(launch.blocks); });
  return names;
}

bool has_open_extents(const kernel::Module& module) {
  return !are_sound(module, module.plan.grid) ||
         std::any_of(module.plan.arrays.begin(), module.plan.arrays.end(), [&](const Array& array) {
           return !are_sound(module, array.extents) ||
                  (kernel::is_padded(array) && !are_sound(module, kernel::stored_extents(array)));
         });
}

void Driver::check_extents(const std::string& what, const std::string& element,
                           const std::vector<Expr>& extents) {
  if (are_sound(module_, extents)) return;
  const std::string name = host_.numbers("extents", extents);
  refuse_if(fmt::format("stencil_array_bytes({}, {}, {}) < 0", element, name, extents.size()),
            what + ": an extent is below 1, or the size is too large");
}

// The arguments of NAME_check: arrays (an array of pointers, or NULL if the call needs none),
// number of steps, first step, params. `padded`: the arrays have the layout of the plan.
std::string Driver::check_arguments(const std::string& arrays, const std::string& steps,
                                    const std::string& first_step, bool padded) const {
  const std::set<std::string> used = checked_parameters();
  std::vector<std::string> items = {arrays, steps};
  if (checks_first_step()) items.push_back(first_step);
  if (checks_padding()) items.push_back(padded ? "true" : "false");
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    if (!used.count(plan_.parameters[p].name)) continue;
    items.push_back(api_.parameter_name(static_cast<int>(p)));
  }
  return comma_list(items);
}

void Driver::check(const std::string& arguments) {
  out_.line(fmt::format("if (const char* error ={}{}({})) return error;", soft_space(0), check_,
                        arguments));
}

// The checks of an entry point that runs `steps` steps on its arrays. Zero steps need no arrays, so
// that a caller can check sizes before allocating. Arrays of slots are read here, so the check that
// they are not NULL comes first.
void Driver::check_run(const std::string& steps, const std::string& first_step, bool padded) {
  const std::string some = steps == "0" ? "" : steps + " != 0 && ";
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (api_.has_slots(a)) refuse_null(names_.spell(plan_.arrays[a].name), some);
  }
  std::vector<std::string> items;
  for (const Pointer& pointer : api_.pointers()) {
    const auto a = static_cast<size_t>(pointer.array);
    const std::string slots = names_.spell(plan_.arrays[a].name);
    items.push_back(api_.has_slots(a) && !some.empty()
                        ? fmt::format("{} ? {} : NULL", slots, pointer.name)
                        : pointer.name);
  }
  if (checks_results()) {
    std::string results = api_.results();
    if (steps == "0") {  // an entry point without results
      results = names_.fresh("unused");
      out_.line(fmt::format("{} {};", api_.results_type(), results));
      results = "&" + results;
    }
    items.push_back(results);
  }
  out_.line(fmt::format("const void* const {}[] = {{{}}};", arrays_, comma_list(items)));
  const std::string given =
      steps == "0" ? arrays_ : fmt::format("{} == 0 ? NULL : {}", steps, arrays_);
  check(check_arguments(given, steps, first_step, padded));
  if (steps != "0") out_.line(fmt::format("if ({} == 0) return NULL;", steps));
}

void Driver::check_steps() {
  const std::string& steps = api_.steps();
  const std::string most = std::to_string(plan_.most_steps);
  const std::string too_many = string_literal("a run has at most " + most + " steps");
  out_.line(fmt::format("if ({} < 0) return \"the number of steps is negative\";", steps));
  std::string left = most;
  if (checks_first_step()) {
    out_.line(fmt::format("if ({} < 0) return \"the first step is negative\";", first_step_));
    left += " - " + first_step_;
  }
  out_.line(fmt::format("if ({} > {}) return {};", steps, left, too_many));
  if (!api_.box()) return;
  refuse_if(fmt::format("{} > {}", steps, api_.box()->steps),
            fmt::format("the halo is too narrow for more than {} step(s)", api_.box()->steps));
}

// Checks that arrays are not NULL, are aligned, and do not overlap.
void Driver::check_arrays() {
  out_.line(fmt::format("if (!{}) return NULL;", arrays_));
  const std::string all = names_.fresh("memory");
  out_.open(fmt::format("const stencil_array {}[] = {{", all));
  size_t count = 0;
  const auto row = [&](const std::string& name, const std::string& bytes, int64_t element,
                       bool written) {
    out_.line(fmt::format("{{\"{}\",{}{},{}{},{}{}}},", name, soft_space(0), bytes, soft_space(0),
                          element, soft_space(0), written));
    ++count;
  };
  for (const Pointer& pointer : api_.pointers()) {
    const Array& array = plan_.arrays[pointer.array];
    std::string bytes = host_.bytes_of(array, array.extents);
    if (checks_padding() && kernel::is_padded(array)) {
      bytes = fmt::format("{} ? {} : {}", padded_,
                          host_.bytes_of(array, kernel::stored_extents(array)), bytes);
    }
    row(pointer.name, bytes, size_in_bytes(array.type), array.written);
  }
  if (checks_results()) {
    row(api_.results(), fmt::format("(int64_t)sizeof({})", api_.results_type()), 8, true);
  }
  out_.close("};");
  out_.line(fmt::format("return stencil_check_arrays({}, {}, {});", all, count, arrays_));
}

void Driver::check_function() {
  const std::set<std::string> used = checked_parameters();
  std::vector<std::string> items = {"const void* const* " + arrays_, "int64_t " + api_.steps()};
  if (checks_first_step()) items.push_back("int64_t " + first_step_);
  if (checks_padding()) items.push_back("bool " + padded_);
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    const int parameter = static_cast<int>(p);
    if (!used.count(plan_.parameters[p].name)) continue;
    items.push_back(api_.parameter_type(parameter) + " " + api_.parameter_name(parameter));
  }
  out_.comment(
      "Checks a call before anything is allocated or accessed. Returns NULL or an error message. "
      "Arrays may be NULL.");
  out_.open(fmt::format("static const char* {}({}) {{", check_, comma_list(items)));
  check_steps();
  for (const kernel::Check& check : plan_.checks) {
    const Expr violated = kernel::operation(Op::Not, {widened(check.condition)});
    refuse_if(expressions_.print(violated), check.message);
  }
  for (const kernel::StepLimit& limit : plan_.step_limits) {
    const Expr most = checks_first_step()
                          ? kernel::sub(limit.steps, kernel::variable(first_step_, Scalar::I64))
                          : limit.steps;
    refuse_if(fmt::format("{} > {}", api_.steps(), expressions_.print(widened(most))),
              limit.message + ": the run has more steps");
  }
  check_extents("the grid", "1", plan_.grid);
  for (const Array& array : plan_.arrays) {
    const std::string element = fmt::format("sizeof({})", api_.type(array));
    check_extents("array " + array.name, element, array.extents);
    if (kernel::is_padded(array)) {
      check_extents("array " + array.name, element, kernel::stored_extents(array));
    }
  }
  kernel::for_each_launch(plan_, [&](const Launch& launch) {
    if (std::holds_alternative<kernel::IntegerLiteral>(launch.blocks->kind)) return;
    refuse_if(fmt::format("{} > 2147483647", text(kernel::convert(launch.blocks, Scalar::I64))),
              kernel_of(launch).name + ": too many blocks for one launch");
  });
  check_arrays();
  out_.close();
  out_.blank();
}

// Emits the check that a pointer is not NULL, if `condition` ("n != 0 && ") holds.
void Driver::refuse_null(const std::string& pointer, const std::string& condition) {
  out_.line(fmt::format("if ({0}!{1}) return \"argument {1} is NULL\";", condition, pointer));
}

// Emits the check that a condition does not hold.
void Driver::refuse_if(const std::string& condition, const std::string& message) {
  out_.open(fmt::format("if ({}) {{", condition));
  out_.line(fmt::format("return {};", string_literal(message)));
  out_.close();
}

void Driver::open_function(const std::string& comment, const EntryPoint& entry) {
  if (!comment.empty()) out_.comment(comment);
  out_.open("extern \"C\" " + device_text(c_signature(entry), dialect_) + " {");
}

void Driver::end_function(const std::string& result) {
  out_.line(fmt::format("return {};", result));
  out_.close();
  out_.blank();
}

}  // namespace stencil::emit
