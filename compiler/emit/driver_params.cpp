// Params and initial values in emitted drivers: NAME_default_params, NAME_derive_params, NAME_init,
// and the first lines of entry points, after which all params are known.
//
// A member of NAME_params that the caller has not set holds a NaN, or the smallest integer. A
// caller who changes one member therefore gets the derived ones recomputed, without a call or a
// flag that could be forgotten, and a caller who sets a derived member keeps it. NaNs are
// recognised by their bits, because a file compiled with fast-math may assume that no value is NaN.
//
// Derived params are computed as in the compiler (compiler/ir/derive.cpp), one operation per
// statement. The intermediate values are volatile, so that no flag of the host compiler contracts
// operations, keeps extra precision or reorders them.
//
// Under emit::Options::all_given every value is valid, so no value marks a missing param, and
// callers cannot set derived params.
#include <fmt/format.h>

#include "compiler/emit/driver_printer.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;
using kernel::Launch;
using kernel::Parameter;

namespace {

constexpr const char* kNotGiven = R"text(// The value of a param that is not given.
static double stencil_not_given(void) {
  const uint64_t bits = 0x7ff8000000000000u;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

)text";

constexpr const char* kBits = R"text(static uint64_t stencil_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x7fffffffffffffffu;
}

)text";

const char* least(Scalar type) {
  return type == Scalar::I64 ? "INT64_MIN" : "INT32_MIN";
}

bool must_be_given(const Parameter& parameter) {
  return !parameter.derived && !parameter.real_default && !parameter.integer_default;
}

}  // namespace

// --- Params

// Prints the operations of `expr`, one per line, each with a variable of its own. Returns the
// variable of the result, or `expr` if it is a leaf.
Expr Driver::settled(const Expr& expr, std::map<const kernel::ExprNode*, Expr>& done) {
  const auto* operation = std::get_if<kernel::Operation>(&expr->kind);
  if (!operation) return expr;
  const auto known = done.find(expr.get());
  if (known != done.end()) return known->second;
  std::vector<Expr> operands;
  for (const Expr& operand : operation->operands) operands.push_back(settled(operand, done));
  const Expr value = operation->op == Op::Convert
                         ? kernel::convert(operands[0], expr->type)
                         : kernel::operation(operation->op, std::move(operands));
  const std::string name = names_.fresh("step_value");
  out_.line(fmt::format("const volatile {} {} = {};", cpp_dialect().type(expr->type), name,
                        expressions_.print(value)));
  return done[expr.get()] = kernel::variable(name, expr->type);
}

void Driver::default_params() {
  open_function("", api_.default_params());
  std::vector<std::string> values;
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    const Parameter& parameter = plan_.parameters[p];
    const bool none = parameter.derived || must_be_given(parameter);
    std::string value = is_float(parameter.type) ? "stencil_not_given()" : least(parameter.type);
    if (none && all_given_) {
      value = "0";
    } else if (!none && is_float(parameter.type)) {
      value = real_literal(*parameter.real_default, parameter.type, cpp_dialect());
    } else if (!none) {
      value = std::to_string(*parameter.integer_default);
    } else if (is_float(parameter.type)) {
      value = fmt::format("({}){}", api_.parameter_type(static_cast<int>(p)), value);
    }
    values.push_back(value);
  }
  out_.line(fmt::format("return {{{}}};", comma_list(values)));
  out_.close();
  out_.blank();
}

// Computes a derived param unless it is given, and checks that the param has a value in its range.
// Under all_given a derived param is always computed.
void Driver::derive_param(size_t p, bool read) {
  const Parameter& parameter = plan_.parameters[p];
  const std::string name = api_.parameter_name(static_cast<int>(p));
  const std::string member = api_.params() + "->" + name;
  if (!all_given_) {
    check_given(parameter, member);
  } else if (parameter.derived) {
    std::map<const kernel::ExprNode*, Expr> done;
    out_.line(
        fmt::format("{} = {};", member, expressions_.print(settled(parameter.derived, done))));
  }
  const bool real = is_float(parameter.type);
  const int64_t most = parameter.type == Scalar::I64 ? INT64_MAX : INT32_MAX;
  if (!real && parameter.most < most) {
    refuse_if(fmt::format("{0} < -{1} || {0} > {1}", member, parameter.most),
              fmt::format("param {} is out of range: from -{} to {}", parameter.name,
                          parameter.most, parameter.most));
  }
  if (!read) return;
  out_.line(
      fmt::format("const {} {} = {};", api_.parameter_type(static_cast<int>(p)), name, member));
}

void Driver::check_given(const Parameter& parameter, const std::string& member) {
  const bool real = is_float(parameter.type);
  const std::string bad = real ? fmt::format("stencil_bits({}) >= 0x7ff0000000000000u", member)
                               : fmt::format("{} == {}", member, least(parameter.type));
  const auto refuse = [&](const std::string& message) {
    out_.line(fmt::format("if ({}){}return {};", bad, soft_space(0), string_literal(message)));
  };
  if (parameter.derived) {
    out_.open(real ? fmt::format("if (stencil_bits({}) > 0x7ff0000000000000u) {{", member)
                   : fmt::format("if ({}) {{", bad));
    std::map<const kernel::ExprNode*, Expr> done;
    out_.line(
        fmt::format("{} = {};", member, expressions_.print(settled(parameter.derived, done))));
    refuse(
        fmt::format("param {} is computed as {}: {}", parameter.name,
                    real ? "a number that is not finite" : "the integer that marks a missing value",
                    parameter.derived_text));
    out_.close();
    if (!real) return;  // the smallest integer was just replaced
  }
  const bool open = must_be_given(parameter);
  refuse(real ? fmt::format("param {} is not a finite number{}", parameter.name,
                            open ? ", or not given" : "")
              : fmt::format("param {} is not given", parameter.name));
}

void Driver::derive_params() {
  std::set<std::string> read;
  for (const Parameter& parameter : plan_.parameters) {
    if (parameter.derived) read.merge(kernel::variables_in(parameter.derived));
  }
  for (const kernel::Pinned& pinned : plan_.pinned)
    read.merge(kernel::variables_in(pinned.derived));
  open_function("", api_.derive_params());
  refuse_null(api_.params());
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    derive_param(p, read.count(plan_.parameters[p].name) > 0);
  }
  for (const kernel::Pinned& pinned : plan_.pinned) {
    std::map<const kernel::ExprNode*, Expr> done;
    out_.open("{");
    const std::string value = expressions_.print(settled(pinned.derived, done));
    const bool real = is_float(pinned.type);
    const std::string expected = real ? real_literal(pinned.real, pinned.type, cpp_dialect())
                                      : std::to_string(pinned.integer);
    refuse_if(fmt::format("{} != {}", value, expected),
              fmt::format(
                  "param {} is compiled into the code, but these params give it another value: {}",
                  pinned.name, pinned.derived_text));
    out_.close();
  }
  end_function("NULL");
}

void Driver::params_functions() {
  if (!api_.has_params()) return;
  bool reals = false, missing = false;
  for (const Parameter& parameter : plan_.parameters) {
    if (!is_float(parameter.type)) continue;
    reals = !all_given_;
    missing |= !all_given_ && (parameter.derived || must_be_given(parameter));
  }
  if (missing) out_.verbatim(kNotGiven);
  if (reals) out_.verbatim(kBits);
  default_params();
  derive_params();
}

// In an entry point: takes all params, and defines locals for those in `locals`.
void Driver::take_params(const std::set<std::string>& locals) {
  if (api_.box()) return take_box(locals);
  if (!api_.has_params()) return;
  params_or_defaults();
  name_params(locals);
}

void Driver::params_or_defaults() {
  out_.line(fmt::format("{0} {1} = {2} ? *{2} : {3}_default_params();", api_.params_type(),
                        api_.values(), api_.params(), module_.name));
}

void Driver::name_params(const std::set<std::string>& locals) {
  out_.line(fmt::format("if (const char* error = {}_derive_params(&{})) return error;",
                        module_.name, api_.values()));
  for (size_t p = 0; p < api_.given(); ++p) {
    if (!locals.count(plan_.parameters[p].name)) continue;
    const int parameter = static_cast<int>(p);
    out_.line(fmt::format("const {0} {1} = {2}.{1};", api_.parameter_type(parameter),
                          api_.parameter_name(parameter), api_.values()));
  }
}

std::set<std::string> Driver::all_parameters() const {
  std::set<std::string> names;
  for (const kernel::Parameter& parameter : plan_.parameters) names.insert(parameter.name);
  return names;
}

// --- Initial values

void Driver::initialise(const Launch& launch, const InitialValues& initial) {
  std::vector<std::string> arguments;
  for (const kernel::ArrayArgument& argument : launch.arrays) {
    for (const Pointer& pointer : api_.pointers()) {
      if (pointer.array == argument.array && pointer.level == argument.slot) {
        arguments.push_back(pointer.name);
      }
    }
  }
  for (const kernel::ScalarValue& scalar : launch.scalars) {
    const auto* parameter = std::get_if<kernel::ParameterArgument>(&scalar);
    arguments.push_back(parameter ? api_.parameter_name(parameter->parameter) : "0");
  }
  out_.line(fmt::format("{}({});", initial.kernels[launch.kernel], comma_list(arguments)));
}

// NAME_init. The module of initial values has the arrays of this plan, dense.
void Driver::init(const InitialValues& initial) {
  std::set<size_t> given;
  std::set<std::string> used = checked_parameters();
  kernel::for_each_launch(initial.module->plan, [&](const Launch& launch) {
    for (const kernel::ArrayArgument& argument : launch.arrays) {
      given.insert(static_cast<size_t>(argument.array));
    }
    for (const kernel::ScalarValue& scalar : launch.scalars) {
      const auto* parameter = std::get_if<kernel::ParameterArgument>(&scalar);
      if (parameter) used.insert(plan_.parameters[parameter->parameter].name);
    }
  });
  open_function("Writes the initial values to every level of the arrays.", api_.init());
  take_params(used);
  check_run("0", "0");
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (given.count(a)) continue;
    for (const Pointer& pointer : api_.pointers()) {
      if (pointer.array != static_cast<int>(a)) continue;
      out_.line(fmt::format("memset({},{}0,{}(size_t)({}));", pointer.name, soft_space(0),
                            soft_space(0),
                            host_.bytes_of(plan_.arrays[a], plan_.arrays[a].extents)));
    }
  }
  for (const kernel::Action& action : initial.module->plan.actions) {
    initialise(std::get<Launch>(action), initial);
  }
  std::string newest;
  for (const Pointer& pointer : api_.pointers()) {
    const auto a = static_cast<size_t>(pointer.array);
    if (pointer.level == 0) newest = pointer.name;
    if (pointer.level == 0 || !given.count(a)) continue;
    out_.line(fmt::format("memcpy({},{}{},{}(size_t)({}));", pointer.name, soft_space(0), newest,
                          soft_space(0), host_.bytes_of(plan_.arrays[a], plan_.arrays[a].extents)));
  }
  end_function("NULL");
}

}  // namespace stencil::emit
