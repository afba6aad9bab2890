// Entry points. Arrays come first, in plan order, one pointer per level, newest first. Then come
// the number of steps; the params in a structure, so that they cannot be mixed up; and, if the
// program has reductions, a pointer to the results. The order is the same for host pointers, device
// pointers and the packed form.
#include "compiler/emit/host_api.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/box_part.h"
#include "compiler/emit/sizes.h"
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

std::vector<Structure> HostApi::result_structures() const {
  if (!has_results()) return {};
  Structure made{
      results_type(),
      "The results of a run; a reduction has no value before its first evaluation.",
      {{steps_done(), Scalar::I64}, {stopped(), Scalar::I64, 0, "1 if the stop condition held"}}};
  for (size_t r = 0; r < reductions_.size(); ++r) {
    const kernel::Reduction& reduction = module_.plan.reductions[r];
    if (kernel::has_value(reduction)) {
      made.members.push_back({reductions_[r].value,
                              is_float(reduction.type) ? Scalar::F64 : Scalar::I64, 0,
                              "of the last evaluation"});
    }
    made.members.push_back({reductions_[r].evaluations, Scalar::I64, 0,
                            fmt::format("one after every {} step(s)", reduction.every)});
    if (reductions_[r].first_nan.empty()) continue;
    made.members.push_back(
        {reductions_[r].first_nan, Scalar::I64, 0, "steps done when it was first NaN; 0: never"});
  }
  return {made};
}

std::string describe_default(const kernel::Parameter& parameter) {
  if (parameter.derived) return parameter.derived_text + " unless it is given";
  if (parameter.integer_default) return fmt::format("default {}", *parameter.integer_default);
  if (!parameter.real_default) return "must be given";
  return parameter.type == Scalar::F32
             ? fmt::format("default {}", static_cast<float>(*parameter.real_default))
             : fmt::format("default {}", *parameter.real_default);
}

std::vector<Structure> HostApi::structures() const {
  std::vector<Structure> made;
  if (has_params()) {
    made.push_back({params_type(), "The params of the program, with their defaults.", {}});
    for (size_t p = 0; p < given(); ++p) {
      const kernel::Parameter& parameter = module_.plan.parameters[p];
      made.back().members.push_back({parameter_name(static_cast<int>(p)),
                                     arithmetic_type(parameter.type), 0,
                                     describe_default(parameter)});
    }
  }
  for (Structure& results : result_structures()) made.push_back(std::move(results));
  return made;
}

std::vector<Structure> HostApi::box_structures() const {
  const int rank = static_cast<int>(box_->halo.size());
  std::vector<Structure> made = {
      {box_type(),
       "A box: its first and its last points, outermost dimension first.",
       {{"low", Scalar::I32, rank}, {"high", Scalar::I32, rank}}},
      {memory_type(), "The points that arrays have in memory.", {}}};
  for (size_t a = 0; a < module_.plan.arrays.size(); ++a) {
    if (!in_memory(a)) continue;
    made.back().members.push_back({names_.spell(module_.plan.arrays[a].name), box_type()});
  }
  return made;
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

std::string HostApi::shape_constant(int array) const {
  return fmt::format("{}_{}_shape", module_.name, module_.plan.arrays[array].name);
}

std::vector<Argument> HostApi::arrays(bool initial) const {
  std::vector<Argument> made;
  for (const Pointer& pointer : pointers_) {
    const auto a = static_cast<size_t>(pointer.array);
    const kernel::Array& array = module_.plan.arrays[a];
    if (has_slots(a)) {
      if (pointer.level > 0) continue;
      made.push_back({Argument::Kind::Slots, names_.spell(array.name), array.type});
      made.back().output = !initial;  // a run rotates the pointers
      made.back().slots = slots_constant(a);
      continue;
    }
    made.push_back({Argument::Kind::Elements, pointer.name, array.type});
    made.back().input = !initial;
    made.back().output = initial || array.written;
    if (box_ && in_memory(a)) continue;
    made.back().extents = array.extents;
    made.back().known_extents =
        std::all_of(array.extents.begin(), array.extents.end(),
                    [&](const Expr& extent) { return is_number(module_, extent); });
  }
  return made;
}

std::string HostApi::array_list() const {
  std::vector<std::string> items;
  for (const Argument& argument : arrays()) items.push_back(c_argument(argument));
  return comma_list(items);
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

Argument HostApi::params_argument(bool output) const {
  Argument argument{Argument::Kind::Structure, params_};
  argument.structure = params_type();
  argument.output = output;
  return argument;
}

void HostApi::add_params(EntryPoint& entry) const {
  if (has_params()) entry.arguments.push_back(params_argument());
}

Argument HostApi::box_input() const {
  Argument argument{Argument::Kind::Structure, box_argument_};
  argument.structure = box_type();
  return argument;
}

EntryPoint HostApi::run() const {
  EntryPoint entry{module_.name + (box_ ? "_run_box" : "_run"), arrays()};
  entry.arguments.push_back({Argument::Kind::Value, steps_});
  if (box_) {
    entry.arguments.push_back({Argument::Kind::Value, first_step_});
    entry.arguments.push_back(box_input());
  }
  add_params(entry);
  if (has_results()) {
    Argument results{Argument::Kind::Structure, results_};
    results.structure = results_type();
    results.input = false;
    results.output = true;
    entry.arguments.push_back(results);
  }
  return entry;
}

EntryPoint HostApi::init() const {
  EntryPoint entry{module_.name + (box_ ? "_init_box" : "_init"), arrays(true)};
  if (box_) entry.arguments.push_back(box_input());
  add_params(entry);
  return entry;
}

EntryPoint HostApi::box_grid() const {
  EntryPoint entry{module_.name + "_grid", {box_input()}};
  entry.arguments[0].input = false;
  entry.arguments[0].output = true;
  add_params(entry);
  return entry;
}

EntryPoint HostApi::box_memory() const {
  Argument memory{Argument::Kind::Structure, memory_argument_};
  memory.structure = memory_type();
  memory.input = false;
  memory.output = true;
  EntryPoint entry{module_.name + "_box_memory", {memory, box_input()}};
  add_params(entry);
  return entry;
}

EntryPoint HostApi::default_params() const {
  return {module_.name + "_default_params", {}, params_type()};
}

EntryPoint HostApi::derive_params() const {
  return {module_.name + "_derive_params", {params_argument(true)}};
}

EntryPoint HostApi::device_run(const std::string& ending) const {
  EntryPoint entry = run();
  entry.name += ending;
  entry.on_device = true;
  entry.arguments.push_back({Argument::Kind::Stream, stream_});
  return entry;
}

EntryPoint HostApi::packed_run() const {
  Argument arrays{Argument::Kind::Pointers, "arrays"};
  arrays.output = true;
  return {module_.name + "_run_packed",
          {arrays,
           {Argument::Kind::Pointers, "parameters"},
           {Argument::Kind::Value, "steps"},
           {Argument::Kind::Value, "first_step"}}};
}

}  // namespace stencil::emit
