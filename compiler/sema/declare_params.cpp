// Params. The value comes from -D, else from the declaration, unless --open sets it aside. Integer
// params with a value are folded wherever they occur; those without stay open and appear in bounds.
// Float params are not folded here, not even those that --fix names (ir::bake_params does that), so
// changing one never changes what a program means or which operations it has. The value in a
// declaration may use the params declared before it, computed once, here: integers exactly, reals
// in double.
#include <fmt/format.h>

#include <cmath>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/elaborate.h"
#include "compiler/support/numbers.h"

namespace stencil::sema {
namespace {

std::optional<Scalar> param_type(Environment& env, const ast::Param& param) {
  const auto* named = std::get_if<ast::NamedType>(&param.type.kind);
  const std::string name = named ? named->name : "";
  if (name == "integer") return Scalar::I32;
  if (name == "long") return Scalar::I64;
  if (name == "real") return env.program.real;
  if (name == "float") return Scalar::F32;
  if (name == "double") return Scalar::F64;
  Diagnostic& error = env.report.error("S008", param.type.span, "not a type for a param");
  error.expected = "integer, long, real, float or double";
  error.found = env.text(param.type.span);
  error.hint = hint_for_foreign_word(Foreign::Type, name);
  return std::nullopt;
}

// The value given with -D. Reports S007 and leaves `param` without a value if it is no number, or
// none that the type can hold. `declared` is the type as written.
void take_definition(Environment& env, ir::Param& param, const std::string& text,
                     const std::string& declared) {
  bool overflows = false;
  if (is_float(param.type)) {
    param.real_value = parse_real(text);
    overflows = param.type == Scalar::F32 && param.real_value &&
                !std::isfinite(static_cast<float>(*param.real_value));
    if (overflows) param.real_value.reset();
  } else {
    param.integer_value = parse_integer(text);
    if (param.type == Scalar::I32 && param.integer_value &&
        *param.integer_value != static_cast<int32_t>(*param.integer_value)) {
      param.integer_value.reset();
    }
  }
  if (param.real_value || param.integer_value) return;
  Diagnostic& error = env.report.error(
      "S007", Span{}, fmt::format("value of param '{}' on the command line", param.name));
  error.expected = param.type == Scalar::I32   ? "a 32-bit integer"
                   : param.type == Scalar::I64 ? "a 64-bit integer"
                   : overflows                 ? "a number that a float can hold, to 3.4e38"
                                               : "a number such as 0.25 or 1e-3";
  error.found = fmt::format("'{}'", text);
  if (overflows) error.hint = declared == "real" ? "try --real double" : "declare it double";
}

// Names of earlier params within a value stand for their values: integers of their types, and reals
// as literals, which are computed in double.
class ValueNames {
 public:
  explicit ValueNames(Environment& env) : env_(env) {}

  // Binds the params that `value` mentions; false if one of them has no value (S009).
  bool bind(Elaborator& elaborator, const ast::Expr& value) {
    std::unordered_set<std::string> names;
    collect_names(value, names);
    for (const std::string& name : names) {
      const Declaration* declaration = env_.find(name);
      if (!declaration || declaration->kind != Declared::Param || declaration->broken) continue;
      const ir::Param& param = env_.program.params[static_cast<size_t>(declaration->index)];
      if (!param.integer_value && !param.real_value) {
        Diagnostic& error =
            env_.report.error("S009", value.span,
                              fmt::format("the value depends on param '{}', which has none", name));
        error.hint = fmt::format("give it one with -D {}=VALUE, or leave this one open too", name);
        return false;
      }
      const Constant constant = param.integer_value
                                    ? Constant::of_typed(param.type, *param.integer_value)
                                    : Constant{std::nullopt, std::nullopt, *param.real_value};
      elaborator.bind_value(name, Value::of_leaf(constant));
    }
    return true;
  }

 private:
  Environment& env_;
};

// The value in the declaration. False if it is in error.
bool take_default(Environment& env, ir::Param& param, const ast::Expr& value) {
  ir::Graph scratch;
  Elaborator elaborator(env, kConstantSite, scratch);
  if (!ValueNames(env).bind(elaborator, value)) return false;
  const Value result = elaborator.elaborate(value);
  Arithmetic& arithmetic = elaborator.arithmetic();
  const auto stored = arithmetic.store_constants(result, *scalar_type(param.type), value.span);
  if (!stored) return false;
  param.integer_value = stored->front().integer;
  if (is_float(param.type)) {  // kept in double: rounded to its type where it is used
    const auto exact = arithmetic.store_constants(result, *scalar_type(Scalar::F64), value.span);
    param.real_value = exact->front().real;
  }
  return true;
}

}  // namespace

void declare_param(Environment& env, const ast::Param& param) {
  const int id = static_cast<int>(env.program.params.size());
  Declaration* declaration = env.declare(param.name, Declared::Param, id);
  const std::optional<Scalar> type = param_type(env, param);
  if (!declaration) return;
  ir::Param result{param.name.name, type.value_or(Scalar::I32), {}, {}, param.name.span, false};
  bool ok = type.has_value();
  declaration->broken = true;  // not visible in its own value
  const auto given = env.options.definitions.find(param.name.name);
  if (ok && given != env.options.definitions.end()) {
    take_definition(env, result, given->second, env.text(param.type.span));
    ok = result.integer_value || result.real_value;
  } else if (ok && param.value && !env.options.open.count(param.name.name)) {
    ok = take_default(env, result, *param.value);
  }
  if (param.value) env.check_names(*param.value, {});  // even if it is not evaluated
  result.fixed = result.real_value && env.options.fixed.count(param.name.name);
  declaration->broken = !ok;
  env.program.params.push_back(std::move(result));
}

void settle_replaced_steps(Environment& env, const ast::Expr& steps) {
  std::unordered_set<std::string> names;
  collect_names(steps, names);
  for (const std::string& name : names) {
    const auto place = env.names.find(name);
    if (place == env.names.end()) continue;
    Declaration& declaration = place->second;
    if (declaration.kind == Declared::Param && !declaration.used && !declaration.broken) {
      ir::Param& param = env.program.params[static_cast<size_t>(declaration.index)];
      if (!is_float(param.type) && !param.integer_value) param.integer_value = 0;
    }
    declaration.used = true;
  }
}

void check_definitions(Environment& env) {
  std::vector<std::string> params = ir::param_names(env.program);
  // The param, or null.
  auto check = [&](const std::string& name, const char* option) -> const Declaration* {
    const auto place = env.names.find(name);
    if (place != env.names.end() && place->second.kind == Declared::Param) return &place->second;
    Diagnostic& error =
        env.report.error("S006", Span{}, fmt::format("{} {}: no such param", option, name));
    const std::string nearest = suggestion(name, params);
    if (!nearest.empty()) error.hint = fmt::format("did you mean '{}'?", nearest);
    return nullptr;
  };
  for (const auto& [name, value] : env.options.definitions) check(name, "-D");
  for (const std::string& name : env.options.open) check(name, "--open");
  for (const std::string& name : env.options.fixed) {
    const Declaration* declaration = check(name, "--fix");
    if (!declaration || declaration->broken) continue;
    const ir::Param& param = env.program.params[static_cast<size_t>(declaration->index)];
    if (param.folded()) continue;
    env.report.error("S042", Span{}, fmt::format("--fix {}: the param has no value", name)).hint =
        fmt::format("give it one: -D {}=VALUE, or a default in the program", name);
  }
}

}  // namespace stencil::sema
