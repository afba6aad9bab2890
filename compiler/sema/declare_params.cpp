// Declares params. The value of a param comes from -D. Without -D, it comes from the declaration
// unless --open discards it.
//
// Integer params with a value are folded wherever they occur. Integer params without a value stay
// open and may occur in bounds. Float params are never folded here, not even with --fix;
// ir::bake_params folds them. A new value of a float param therefore never changes the meaning of a
// program or its operations.
// the one with all defaults. An integer param that is an affine function of open params is replaced
// by this function wherever it occurs, so that bounds with it can be proved.
//
// A param that is a vector or a structure becomes one param per component. Only the elaborator
// knows that they belong together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compiler/ir/known.h"
#include "compiler/ir/rewrite.h"
#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/elaborate.h"
#include "compiler/support/numbers.h"

namespace stencil::sema {
namespace {

constexpr int kMaxGroup = 64;  // components of a vector or structure

std::optional<Scalar> param_type(Environment& env, const ast::Param& param) {
  const auto* named = std::get_if<ast::NamedType>(&param.type.kind);
  const std::string name = named ? named->name : "";
  if (name == "integer") return Scalar::I32;
  if (name == "long") return Scalar::I64;
  if (name == "real") return env.program.real;
  if (name == "float") return Scalar::F32;
  if (name == "double") return Scalar::F64;
  Diagnostic& error = env.report.error("S008", param.type.span, "a param cannot have this type");
  error.expected = "integer, long, real, float or double";
  error.found = env.text(param.type.span);
  error.hint = hint_for_foreign_word(Foreign::Type, name);
  return std::nullopt;
}

// Takes the value given with -D. If the text is not a number or does not fit the type, reports S007
// and leaves `param` without a value. `declared` is the type as written.
void take_definition(Environment& env, ir::Param& param, const std::string& text,
                     const std::string& declared) {
  if (is_float(param.type)) {
    param.real_value = parse_real(text, param.type);
  } else {
    param.integer_value = parse_integer(text, param.type);
  }
  if (param.real_value || param.integer_value) return;
  Diagnostic& error = env.report.error(
      "S007", Span{}, fmt::format("invalid value of param '{}' on the command line", param.name));
  // The number fits a double but not the type.
  const bool beyond = is_float(param.type) && parse_real(text);
  error.expected = numbers_of(is_float(param.type) && !beyond ? Scalar::F64 : param.type);
  if (beyond_double(text) && is_float(param.type)) {
    error.expected = "a number that a double can hold, from 4.9e-324 to 1.8e308, or 0";
  }
  error.found = fmt::format("'{}'", text);
  if (beyond) error.hint = declared == "real" ? "try --real double" : "declare it double";
}

bool reads_params(const ir::Derivation& derived) {
  const auto needed = ir::reachable(derived.graph, {derived.value});
  for (ir::NodeId id = 0; id < derived.graph.size(); ++id) {
    const bool param = std::holds_alternative<ir::ParamRef>(derived.graph[id].kind);
    if (param && needed[id]) return true;
  }
  return false;
}

// Whether all params that a derivation reads have a value.
bool known(const ir::Program& program, const ir::Derivation& derived) {
  for (const ir::Node& node : derived.graph.nodes()) {
    const auto* read = std::get_if<ir::ParamRef>(&node.kind);
    if (!read) continue;
    const ir::Param& param = program.params[read->param];
    if (!param.integer_value && !param.real_value) return false;
  }
  return true;
}

// Sets the value that a derivation gives if all params have their defaults. S013 if the value is
// not finite.
bool take_derived(Environment& env, ir::Param& param, const ir::Derivation& derived, Span span) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const ir::Param& other : env.program.params) {
    integers.push_back(other.integer_value.value_or(0));
    reals.push_back(other.real_value.value_or(0));
  }
  const ir::Constant value = ir::evaluate_on_params(derived.graph, integers, reals)[derived.value];
  if (!std::isfinite(value.real)) {
    env.report.error("S013", span, "the value of a param is not finite").found =
        fmt::format("{}", value.real);
    return false;
  }
  if (is_float(param.type)) {
    param.real_value = value.real;
  } else {
    param.integer_value = value.integer;
  }
  return true;
}

// The default value in a declaration. `graph` contains the nodes of the value.
struct Default {
  const ast::Expr& value;
  Elaborator& elaborator;
  const ir::Graph& graph;
};

// Takes a default. It is a constant, or it depends on params that a run may set. A default
// that depends on params is taken as its derivation and its value with their defaults. Returns
// false after an error.
bool take_default(Environment& env, ir::Param& param, const Default& given, const Value& result) {
  const ast::Expr& value = given.value;
  Arithmetic& arithmetic = given.elaborator.arithmetic();
  const Type& type = *scalar_type(param.type);
  if (std::holds_alternative<Constant>(result.leaves.front())) {
    const auto stored = arithmetic.store_constants(result, type, value.span);
    if (!stored) return false;
    param.integer_value = stored->front().integer;
    if (is_float(param.type)) {  // the value is kept in double and rounded to its type at each use
      const auto exact = arithmetic.store_constants(result, *scalar_type(Scalar::F64), value.span);
      param.real_value = exact->front().real;
    }
    return true;
  }
  const auto stored = arithmetic.store(result, type, value.span);
  if (!stored) return false;
  ir::Derivation derived{given.graph, stored->front(), env.text(value.span)};
  ir::rewrite_graph(derived.graph, {&derived.value},  // removes the nodes of other components
                    [](ir::Graph& out, ir::Node node) { return out.add(std::move(node)); });
  if (known(env.program, derived) && !take_derived(env, param, derived, value.span)) return false;
  if (!reads_params(derived)) return true;
  if (is_integer(param.type) && !param.integer_value) param.affine = try_affine(env, value);
  if (!param.affine) param.derived = std::move(derived);
  return true;
}

bool take_default(Environment& env, ir::Param& param, const ast::Expr& value) {
  ir::Graph graph;
  Elaborator elaborator(env, kDefaultSite, graph);
  const Value result = elaborator.elaborate(value);
  return result.ok() && take_default(env, param, {value, elaborator, graph}, result);
}

// --- Vectors and structures: a param for each component ------------------------------------------

// Checks the component types of a param as written. Returns false if a param cannot have one of
// them. Types that the program declares are unknown here, because they may use params.
bool component_types(Environment& env, const ast::TypeExpr& type) {
  if (const auto* vector = std::get_if<ast::VectorType>(&type.kind)) {
    return component_types(env, *vector->element);
  }
  if (const auto* structure = std::get_if<ast::StructType>(&type.kind)) {
    return std::all_of(structure->members.begin(), structure->members.end(),
                       [&](const auto& member) { return component_types(env, *member.type); });
  }
  const std::string& name = std::get<ast::NamedType>(type.kind).name;
  if (name == "real" || name == "float" || name == "double") return true;
  Diagnostic& error =
      env.report.error("S083", type.span, "a component of a param cannot have this type");
  error.expected =
      "real, float or double, or vectors and structures of these, without declared types";
  error.found = env.text(type.span);
  const bool integer = name == "integer" || name == "long";
  error.hint =
      integer ? "declare sizes as separate params" : hint_for_foreign_word(Foreign::Type, name);
  return false;
}

// The name of a component's param: g_0 for g[0], p_v_1 for p.v[1].
std::string component_name(const std::string& param, const std::string& path) {
  std::string out = param;
  for (const char c : path) {
    if (c != ']') out += c == '.' || c == '[' ? '_' : c;
  }
  return out;
}

// Takes the defaults of the components that -D does not set. The default is elaborated once, so
// that its warnings are reported once.
bool take_defaults(Environment& env, std::vector<ir::Param>& params, const Type& type,
                   const ast::Expr& value) {
  ir::Graph graph;
  Elaborator elaborator(env, kDefaultSite, graph);
  const Value result = elaborator.elaborate(value, &type);
  if (!result.ok()) return false;
  if (!result.type->scalar() && !same_shape(*result.type, type)) {
    Diagnostic& error = env.report.error("S019", value.span, "value of the wrong shape");
    error.expected = describe(type);
    error.found = describe(*result.type);
    return false;
  }
  for (size_t c = 0; c < params.size(); ++c) {
    const bool open = env.options.open.count(params[c].name) > 0;
    if (params[c].real_value || open) continue;
    const Value component = Value::of_leaf(leaf_of(result, c));
    if (!take_default(env, params[c], {value, elaborator, graph}, component)) return false;
  }
  return true;
}

void declare_group(Environment& env, const ast::Param& param) {
  Declaration* declaration =
      env.declare(param.name, Declared::ParamGroup, static_cast<int>(env.param_groups.size()));
  if (declaration) declaration->broken = true;  // the name is not visible in its own value
  const TypePtr type = component_types(env, param.type) ? elaborate_type(env, param.type) : nullptr;
  if (!declaration || !type) return;
  if (type->components > kMaxGroup) {
    env.report.error("S030", param.type.span, "too many components of a param").expected =
        fmt::format("at most {}", kMaxGroup);
    return;
  }
  std::vector<ir::Param> params;
  bool ok = true;
  for (const ir::Component& component : flatten(*type)) {
    const std::string name = component_name(param.name.name, component.path);
    params.push_back({name, component.type, {}, {}, param.name.span, false});
    const auto given = env.options.definitions.find(name);
    if (given == env.options.definitions.end()) continue;
    take_definition(env, params.back(), given->second,
                    component.type == env.program.real ? "real" : "");
    ok &= params.back().real_value.has_value();
  }
  if (ok && param.value) ok = take_defaults(env, params, *type, *param.value);
  // Check the names even if the value is not evaluated.
  if (param.value) env.check_names(*param.value, {});
  env.param_groups.push_back({type, static_cast<int>(env.program.params.size())});
  for (ir::Param& component : params) {
    Declaration* declared = env.declare({component.name, param.name.span}, Declared::Param,
                                        static_cast<int>(env.program.params.size()));
    if (!declared) return;
    declared->used = true;
    declared->broken = !ok;
    component.fixed = component.real_value && env.options.fixed.count(component.name);
    env.program.params.push_back(std::move(component));
  }
  declaration->broken = !ok;
}

}  // namespace

void declare_param(Environment& env, const ast::Param& param) {
  if (!std::holds_alternative<ast::NamedType>(param.type.kind)) return declare_group(env, param);
  const int id = static_cast<int>(env.program.params.size());
  Declaration* declaration = env.declare(param.name, Declared::Param, id);
  const std::optional<Scalar> type = param_type(env, param);
  if (!declaration) return;
  ir::Param result{param.name.name, type.value_or(Scalar::I32), {}, {}, param.name.span, false};
  bool ok = type.has_value();
  declaration->broken = true;  // the name is not visible in its own value
  const auto given = env.options.definitions.find(param.name.name);
  if (ok && given != env.options.definitions.end()) {
    take_definition(env, result, given->second, env.text(param.type.span));
    ok = result.integer_value || result.real_value;
  } else if (ok && param.value && !env.options.open.count(param.name.name)) {
    ok = take_default(env, result, *param.value);
  }
  // Check the names even if the value is not evaluated.
  if (param.value) env.check_names(*param.value, {});
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
      ir::Param& param = env.program.params[declaration.index];
      if (param.open()) {
        param.integer_value = 0;
        param.derived.reset();
      }
    }
    declaration.used = true;
  }
}

void check_definitions(Environment& env) {
  std::vector<std::string> params = ir::param_names(env.program);
  // The declaration of the param with this name, or null.
  auto check = [&](const std::string& name, const char* option) -> const Declaration* {
    const auto place = env.names.find(name);
    if (place != env.names.end() && place->second.kind == Declared::Param) return &place->second;
    if (place != env.names.end() && place->second.unparsed) return nullptr;
    Diagnostic& error =
        env.report.error("S006", Span{}, fmt::format("{} {}: no such param", option, name));
    const std::string nearest = suggestion(name, params);
    if (!nearest.empty()) error.hint = fmt::format("did you mean '{}'?", nearest);
    const bool group = place != env.names.end() && place->second.kind == Declared::ParamGroup;
    if (group && !place->second.broken) {
      const ParamGroup& components = env.param_groups[place->second.index];
      const auto first = params.begin() + components.first;
      error.hint = fmt::format("its components are {}",
                               fmt::join(first, first + components.type->components, ", "));
    }
    return nullptr;
  };
  for (const auto& [name, value] : env.options.definitions) check(name, "-D");
  for (const std::string& name : env.options.open) check(name, "--open");
  for (const std::string& name : env.options.fixed) {
    const Declaration* declaration = check(name, "--fix");
    if (!declaration || declaration->broken) continue;
    const ir::Param& param = env.program.params[declaration->index];
    if (param.integer_value || param.fixed) continue;
    Diagnostic& error =
        env.report.error("S042", Span{}, fmt::format("--fix {}: the param has no value", name));
    const bool follows = param.affine || param.derived;
    error.hint = follows
                     ? fmt::format("its default uses open params; -D {}=VALUE replaces it", name)
                     : fmt::format("give it one: -D {}=VALUE, or a default in the program", name);
  }
}

}  // namespace stencil::sema
