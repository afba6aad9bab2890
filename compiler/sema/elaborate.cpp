// Elaboration turns expression trees into values. It resolves names, inlines functions, unrolls
// comprehensions, folds tables and fixed params, and splits structures and vectors. The result is
// scalar arithmetic in a graph.
//
// One elaborator handles all places where an expression may stand. Its Site states what an
// expression may use there. Compile-time expressions (offsets, table indices, comprehension bounds)
// are elaborated like other expressions and must give a constant. The rules for arithmetic are
// therefore the same everywhere.
//
// An error gives a Value without a type. Operations on such a value fail without a further message,
// so one mistake gives one message. Unrolling can exceed the memory and time of any machine.
// kMaxGraphNodes and kMaxVisits limit it; exceeding them is an error (S030).
#include "compiler/sema/elaborate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "compiler/ir/rewrite.h"
#include "compiler/syntax/token.h"

namespace stencil::sema {
namespace {

const ast::Expr& first_operand(const ast::Expr& expr) {
  const ast::Expr* first = &expr;
  while (const auto* binary = std::get_if<ast::Binary>(&first->kind)) first = binary->left.get();
  return *first;
}

// Whether the right operand of ^ begins with a number, as in x^2 and x^2 + 1. The parser reads x^2
// + 1 as x ^ (2 + 1).
bool looks_like_power(const ast::Binary& binary) {
  return binary.op == Op::BitXor &&
         std::holds_alternative<ast::Number>(first_operand(*binary.right).kind);
}

// The place of the operator; invalid in a program without text, and if a long comment surrounds the
// operator. The limit keeps unrolled expressions cheap.
Span operator_of(const Source& source, const ast::Binary& binary) {
  constexpr uint32_t kMostBetween = 80;
  const uint32_t begin = binary.left->span.end, end = binary.right->span.begin;
  if (begin == 0 || end <= begin || end - begin > kMostBetween || end > source.text().size()) {
    return {};
  }
  const Span span = token_at(source.text(), begin).span;
  const std::string_view sign = spelling(binary.op);
  return source.text(span).substr(0, 1) == sign.substr(0, 1) ? span : Span{};
}

// "a + b" for "(a + b)"; other texts are returned unchanged.
std::string without_parentheses(const std::string& text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth == 0) return at > 0 && at + 1 == text.size() ? text.substr(1, at - 1) : text;
  }
  return text;
}

// Converts a component path to the end of an identifier: ".u[0]" gives "_u_0".
std::string identifier_tail(const std::string& path) {
  std::string tail;
  for (char c : path) {
    if (c == '.' || c == '[')
      tail += '_';
    else if (c != ']')
      tail += c;
  }
  return tail;
}

// The widest floating-point type in which a value of the type is computed. nullopt if the type has
// no floating-point component.
std::optional<Scalar> widest_real(const Type& type) {
  if (const auto* vector = std::get_if<VectorType>(&type.kind))
    return widest_real(*vector->element);
  std::optional<Scalar> widest;
  if (const auto* structure = std::get_if<StructType>(&type.kind)) {
    for (const auto& member : structure->members) {
      widest = std::max(widest, widest_real(*member.second));
    }
  } else if (const Scalar scalar = std::get<ScalarType>(type.kind).scalar; is_float(scalar)) {
    widest = arithmetic_type(scalar);
  }
  return widest;
}

}  // namespace

Scalar natural_real(const Environment& env) {
  std::optional<Scalar> narrowest;
  for (const ir::Field& field : env.program.fields) {
    if (field.is_point_set()) continue;
    for (const ir::Component& component : field.components) {
      if (!is_float(component.type)) continue;
      narrowest = std::min(narrowest.value_or(Scalar::F64), arithmetic_type(component.type));
    }
  }
  return std::max(env.program.real, narrowest.value_or(env.program.real));
}

struct Elaborator::Visitor {
  Elaborator& self;
  Span span;
  const Type* expected;

  Value operator()(const ast::Number& number) const {
    if (number.integral) return Value::of_leaf(Constant::of_integer(number.integer));
    return Value::of_leaf(Constant{std::nullopt, std::nullopt, number.real});
  }
  Value operator()(const ast::Boolean& boolean) const {
    return Value::of_leaf(Constant::of_bool(boolean.value));
  }
  Value operator()(const ast::Name& name) const { return self.name(name, span); }
  Value operator()(const ast::Level& level) const {
    const auto named = self.env_.names.find(level.field);
    const bool reduction = named != self.env_.names.end() &&
                           named->second.kind == Declared::Reduction &&
                           !self.find_local(level.field);
    if (reduction && level.towards == 0)
      return self.reduction(named->second, level.field, level.back, span);
    const FieldUse use = self.field_named(level.field, level.back, level.towards, span);
    if (use.is_field && !use.ok) return {};
    if (!use.is_field) {
      Diagnostic& error = self.env_.report.error(
          "S005", span,
          fmt::format("'{}' is not a field, so it has no {} level", level.field,
                      level.towards < 0   ? "finer"
                      : level.towards > 0 ? "coarser"
                                          : "earlier"));
      error.hint = level.towards < 0   ? "'fine NAME[offsets]' reads a field of the finer level"
                   : level.towards > 0 ? "'coarse NAME[offsets]' reads a field of the coarser level"
                                       : "NAME@-k[offsets] reads an earlier level of a field";
      return {};
    }
    return self.needs_offsets(use.field.field, span);
  }
  Value operator()(const ast::Unary& unary) const { return self.unary(unary, span, expected); }
  Value operator()(const ast::Binary& binary) const { return self.binary(binary, span, expected); }
  Value operator()(const ast::Call& call) const { return self.call(call, span, nullptr, expected); }
  Value operator()(const ast::Comprehension& comprehension) const {
    return self.comprehension(comprehension, span, expected);
  }
  Value operator()(const ast::Bracket& bracket) const { return self.bracket(bracket, span); }
  Value operator()(const ast::Member& member) const { return self.member(member, span); }
  Value operator()(const ast::Aggregate& aggregate) const {
    return self.aggregate(aggregate, span, expected);
  }
  Value operator()(const ast::Within&) const { return self.no_offset(span); }
};

Elaborator::Elaborator(Environment& env, const Site& site, ir::Graph& graph, AccessProver* prover)
    : env_(env),
      site_(site),
      real_(site.in_double ? Scalar::F64 : env.program.real),
      graph_(graph),
      prover_(prover),
      arithmetic_(graph, real_, site.in_double ? Scalar::F64 : natural_real(env), env.report),
      current_function_(static_cast<int>(env.functions.size())) {
  if (!site.run_time_params || site.in_double) arithmetic_.fold_completely();
}

void Elaborator::store_in(const Type& type) {
  const std::optional<Scalar> real = site_.in_double ? std::nullopt : widest_real(type);
  if (real) arithmetic_.set_fallback(*real);
}

bool Elaborator::exhausted(Span span) {
  if (exhausted_) return true;
  const char* what = nullptr;
  if (depth_ > kMaxDepth || applied_at_.size() > kMaxApplications)
    what = "expressions nested too deeply once functions are inlined";
  if (graph_.size() > kMaxGraphNodes) what = "expression too large once it is unrolled";
  if (++visits_ > kMaxVisits) what = "expression takes too long to unroll";
  if (!what) return false;
  exhausted_ = true;
  Diagnostic& error = env_.report.error("S030", span, what);
  error.expected =
      fmt::format("at most {} operations, {} levels of nesting and {} nested functions",
                  kMaxGraphNodes, kMaxDepth, kMaxApplications);
  return true;
}

Value Elaborator::elaborate(const ast::Expr& expr, const Type* expected) {
  if (exhausted(expr.span)) return {};
  ++depth_;
  const Scalar outer = arithmetic_.fallback();
  if (expected) store_in(*expected);
  Value value = std::visit(Visitor{*this, expr.span, expected}, expr.kind);
  arithmetic_.set_fallback(outer);
  --depth_;
  visits_ += static_cast<int>(value.leaves.size());
  return value;
}

std::optional<int64_t> Elaborator::constant_integer(const ast::Expr& expr, const char* what) {
  const Value value = elaborate(expr);
  if (!value.ok()) return std::nullopt;
  const auto* constant = value.type->scalar() ? std::get_if<Constant>(&value.leaves[0]) : nullptr;
  const bool coordinate = constant && value.leaves[0].coordinate;
  if (constant && constant->integer && constant->type != Scalar::Bool && !coordinate) {
    return constant->integer;
  }
  Diagnostic& error =
      env_.report.error("S010", expr.span, fmt::format("{} is not a compile-time integer", what));
  error.expected = "integer literals, integer params with a value, comprehension variables, tables";
  error.found =
      constant && !constant->integer ? fmt::format("{}", constant->real) : env_.text(expr.span);
  if (coordinate) {
    error.hint =
        "origin and spacing are treated as known only at run time; give the grid these "
        "values through an integer param, and use that param here";
  } else if (!constant && std::string_view(what) == "an offset") {
    error.hint = fmt::format(
        "offsets are relative to the current point; an offset that varies needs a bound, as in '{} "
        "within 1'",
        env_.text(expr.span));
  } else if (constant && !constant->type && !constant->integer) {
    const bool whole =
        std::trunc(constant->real) == constant->real && std::fabs(constant->real) < 0x1p53;
    if (whole) {
      error.hint = fmt::format("write it as an integer: {:.0f}", constant->real);
    } else if (std::string_view(what) == "an offset") {
      error.hint = "between two points, take the mean of their values";
    }
  }
  return std::nullopt;
}

// --- Names ---------------------------------------------------------------------------------------

void Elaborator::bind_index(const std::string& name, int dimension) {
  root_.names.emplace(name, IndexBinding{dimension});
}

void Elaborator::bind_value(const std::string& name, Value value) {
  root_.names.insert_or_assign(name, std::move(value));
}

Value Elaborator::on_stride(int dimension, const ir::Affine& low, int64_t stride, Span span) {
  const auto number = [](int64_t n) { return Value::of_leaf(Constant::of_typed(Scalar::I32, n)); };
  Value from_low = Value::of_leaf(graph_.add({ir::Index{dimension}, Scalar::I32, span, {}}));
  if (!(low == ir::Affine{})) {
    const Value first = low.is_constant() ? number(low.constant) : affine(low, Scalar::I32, span);
    from_low = arithmetic_.apply(Op::Sub, {from_low, first}, span);
  }
  const Value rest = arithmetic_.apply(Op::Mod, {from_low, number(stride)}, span);
  return arithmetic_.apply(Op::Eq, {rest, number(0)}, span);
}

Value Elaborator::in_step_of(int64_t interval, Span span) {
  const auto number = [](int64_t n) { return Value::of_leaf(Constant::of_typed(Scalar::I32, n)); };
  const Value time = Value::of_leaf(graph_.add({ir::Time{}, Scalar::I32, span, {}}));
  const Value rest = arithmetic_.apply(Op::Mod, {time, number(interval)}, span);
  return arithmetic_.apply(Op::Eq, {rest, number(0)}, span);
}

void Elaborator::bind_lets(const std::vector<const ast::Let*>& lets) {
  for (const ast::Let* let : lets) {
    Value value = elaborate(*let->value);
    if (value.ok()) {
      const std::vector<ir::Component> components = flatten(*value.type);
      for (size_t c = 0; c < components.size(); ++c) {
        arithmetic_.call(value.leaves[c], let->name.name + identifier_tail(components[c].path));
      }
    }
    frame_->names.insert_or_assign(let->name.name, std::move(value));
  }
}

const Elaborator::Binding* Elaborator::find_local(const std::string& name) const {
  for (const Frame* frame = frame_; frame; frame = frame->parent) {
    const auto place = frame->names.find(name);
    if (place != frame->names.end()) return &place->second;
  }
  return nullptr;
}

Value Elaborator::not_usable(const std::string& name, const char* what, Span span,
                             const std::string& hint) {
  Diagnostic& error =
      env_.report.error("S026", span, fmt::format("'{}' can't be used in {}", name, site_.what));
  error.found = what;
  error.hint = hint;
  return {};
}

Value Elaborator::name(const ast::Name& name, Span span) {
  if (const Binding* local = find_local(name.name)) {
    if (const auto* value = std::get_if<Value>(local)) return *value;
    if (const auto* index = std::get_if<IndexBinding>(local)) {
      return Value::of_leaf(graph_.add({ir::Index{index->dimension}, Scalar::I32, span, {}}));
    }
    return field_alone(std::get<FieldBinding>(*local), span);
  }
  if (name.name == "time") {
    if (!site_.time) return not_usable("time", "the index of the current step", span);
    return Value::of_leaf(graph_.add({ir::Time{}, Scalar::I32, span, {}}));
  }
  if (name.name == "pi" && env_.means_library(name.name)) {
    return Value::of_leaf(Constant{std::nullopt, std::nullopt, std::numbers::pi});
  }
  if (env_.means_level(name.name)) return Value::of_leaf(Constant::of_integer(env_.level));
  const Declaration* declaration = env_.use(name.name, span);
  if (!declaration) {
    std::vector<std::string> locals;
    for (const Frame* frame = frame_; frame; frame = frame->parent) {
      for (const auto& [local, binding] : frame->names) locals.push_back(local);
    }
    env_.unknown_name(Foreign::Value, name.name, span, locals);
    return {};
  }
  if (declaration->broken) return {};
  const auto index = static_cast<size_t>(declaration->index);
  switch (declaration->kind) {
    case Declared::Param:
      return param(*declaration, span);
    case Declared::ParamGroup:
      return param_group(env_.param_groups[index], span);
    case Declared::Table:
      return env_.tables[index];
    case Declared::Field:
      return field_alone({declaration->index, 0}, span);
    case Declared::Reduction:
      return reduction(*declaration, name.name, 0, span);
    case Declared::Grid:
    case Declared::Subgrid:
    case Declared::Type:
    case Declared::Function:
      break;
  }
  Diagnostic& error =
      env_.report.error("S005", span, fmt::format("'{}' is not a value", name.name));
  error.found = describe(declaration->kind);
  return {};
}

Value Elaborator::param_group(const ParamGroup& group, Span span) {
  Value out{group.type, {}};
  for (int c = 0; c < group.type->components; ++c) {
    const Value component = param({Declared::Param, group.first + c, span}, span);
    if (!component.ok()) return {};
    out.leaves.push_back(component.leaves.front());
  }
  return out;
}

Value Elaborator::param(const Declaration& declaration, Span span) {
  const ir::Param& param = env_.program.params[declaration.index];
  if (param.integer_value)
    return Value::of_leaf(Constant::of_typed(param.type, *param.integer_value));
  if (!site_.run_time_params) {
    Diagnostic& error = env_.report.error(
        "S010", span, fmt::format("param '{}' is not known at compile time", param.name));
    error.expected = "literals, integer params with a value, tables";
    if (param.open())
      error.hint = fmt::format("give it a value: -D {}=VALUE, or a default", param.name);
    return {};
  }
  if (param.affine) return affine(*param.affine, param.type, span);
  Value value = reference(declaration.index, span);
  if (site_.in_double && param.type == Scalar::F32) {
    value = arithmetic_.convert(value, Scalar::F64, span);
  }
  return value;
}

Value Elaborator::reference(ir::ParamId param, Span span) {
  const Scalar type = env_.program.params[param].type;
  return Value::of_leaf(graph_.add({ir::ParamRef{param}, type, span, {}}));
}

// A quotient in bounds (N/2) is a param only there; in an expression it is the division.
Value Elaborator::quotient_or_reference(ir::ParamId param, Span span) {
  const bool quotient = std::any_of(env_.quotients.begin(), env_.quotients.end(),
                                    [&](const Quotient& known) { return known.param == param; });
  if (!quotient) return reference(param, span);
  const ir::Derivation& derived = *env_.program.params[param].derived;
  return Value::of_leaf(ir::copy_nodes(derived.graph, derived.value, graph_));
}

// Converts an affine function of params to a value of the given type.
Value Elaborator::affine(const ir::Affine& affine, Scalar type, Span span) {
  Value sum;
  for (const auto& [param, coefficient] : affine.terms) {
    Value term = arithmetic_.convert(quotient_or_reference(param, span), type, span);
    if (coefficient != 1) {
      const Value factor = Value::of_leaf(Constant::of_typed(type, coefficient));
      term = arithmetic_.apply(Op::Mul, {term, factor}, span);
    }
    sum = sum.ok() ? arithmetic_.apply(Op::Add, {sum, term}, span) : term;
  }
  if (affine.constant == 0) return sum;
  const Value constant = Value::of_leaf(Constant::of_typed(type, affine.constant));
  return arithmetic_.apply(Op::Add, {sum, constant}, span);
}

// --- Operators and aggregates --------------------------------------------------------------------

Value Elaborator::unary(const ast::Unary& unary, Span span, const Type* expected) {
  Value operand = elaborate(*unary.operand, expected);
  return arithmetic_.apply(unary.op, {std::move(operand)}, span);
}

Value Elaborator::binary(const ast::Binary& binary, Span span, const Type* expected) {
  const Op op = binary.op;
  const bool keeps_shape = class_of(op) != OpClass::Comparison && class_of(op) != OpClass::Logic;
  std::vector<Value> operands;
  operands.push_back(elaborate(*binary.left, keeps_shape ? expected : nullptr));
  operands.push_back(elaborate(*binary.right, keeps_shape ? expected : nullptr));
  const Span at = operator_of(env_.source, binary);
  Value result = arithmetic_.apply(op, operands, span, at);
  if (result.ok()) warn_of_power(binary, at.valid() ? at : span);
  return result;
}

// S105 for a '^' that may be meant as a power. In a chain such as a^2 + b^2, which is a^(2 + b)^2,
// only the first '^' gets the warning.
void Elaborator::warn_of_power(const ast::Binary& binary, Span at) {
  if (!looks_like_power(binary)) return;
  const auto* left = std::get_if<ast::Binary>(&binary.left->kind);
  if (left && looks_like_power(*left)) return;
  Diagnostic& warning = env_.report.warning(
      "S105", at, "'^' is bitwise exclusive or, not a power, and binds weaker than '+' and '*'");
  constexpr size_t kMostQuoted = 40;
  std::string base = without_parentheses(env_.text(binary.left->span));
  if (base.empty() || base.size() > kMostQuoted) base = "x";
  const std::string number = env_.text(first_operand(*binary.right).span);
  warning.hint = fmt::format(
      "write a power as pow({}, {}), or as a product; if bits are meant, put the number first",
      base, number.empty() ? "2" : number);
}

// Converts `value` to the shape of `type`. A scalar is used for every component.
Value Elaborator::conform(Value value, const Type& type, Span span) {
  if (!value.ok() || same_shape(*value.type, type)) return value;
  if (value.type->scalar()) {
    value.leaves.resize(static_cast<size_t>(type.components), value.leaves[0]);
    value.type = std::make_shared<Type>(type);
    return value;
  }
  Diagnostic& error = env_.report.error("S019", span, "value of the wrong shape");
  error.expected = describe(type);
  error.found = describe(*value.type);
  return {};
}

Value Elaborator::aggregate(const ast::Aggregate& aggregate, Span span, const Type* expected) {
  if (expected) {
    if (const auto* type = std::get_if<StructType>(&expected->kind)) {
      return structure(aggregate, span, *type, *expected);
    }
  }
  if (!expected && targets_unknown_) {  // the entries may have any names and shapes
    for (const auto& entry : aggregate.entries) elaborate(*entry.value);
    return {};
  }
  const VectorType* vector = expected ? std::get_if<VectorType>(&expected->kind) : nullptr;
  const size_t count = aggregate.entries.size();
  if (vector && count != static_cast<size_t>(vector->length)) {
    Diagnostic& error = env_.report.error("S021", span, "wrong number of entries");
    error.expected = fmt::format("{}", vector->length);
    error.found = fmt::format("{}", count);
    return {};
  }
  Value result;
  TypePtr element;
  bool ok = count > 0;
  for (const auto& entry : aggregate.entries) {
    if (entry.name) {
      Diagnostic& error =
          env_.report.error("S021", entry.name->span, "a named entry needs a structure");
      error.expected = expected ? describe(*expected) : "entries without names";
      return {};
    }
    Value value = elaborate(*entry.value, vector ? vector->element.get() : nullptr);
    if (vector) value = conform(std::move(value), *vector->element, entry.value->span);
    if (value.ok() && element) value = conform(std::move(value), *element, entry.value->span);
    ok &= value.ok();
    if (!value.ok()) continue;
    if (!element) element = value.type;
    result.leaves.insert(result.leaves.end(), value.leaves.begin(), value.leaves.end());
  }
  if (!ok) return {};
  result.type = vector_type(static_cast<int64_t>(count), element, kMaxTableEntries);
  if (!result.type) env_.report.error("S030", span, "too many entries");
  return result;
}

Value Elaborator::structure(const ast::Aggregate& aggregate, Span span, const StructType& type,
                            const Type& whole) {
  std::vector<Value> members(type.members.size());
  std::vector<bool> given(type.members.size(), false);
  bool ok = true;
  for (size_t e = 0; e < aggregate.entries.size(); ++e) {
    const auto& entry = aggregate.entries[e];
    size_t m = e;
    if (entry.name) {
      const auto place =
          std::find_if(type.members.begin(), type.members.end(),
                       [&](const auto& member) { return member.first == entry.name->name; });
      m = static_cast<size_t>(place - type.members.begin());
    }
    if (m >= members.size() || given[m]) {
      Diagnostic& error =
          env_.report.error("S021", entry.name ? entry.name->span : entry.value->span,
                            m < members.size() ? "a member is given twice"
                            : entry.name ? fmt::format("no member named '{}'", entry.name->name)
                                         : "too many entries");
      error.expected = describe(whole);
      ok = false;
      continue;
    }
    given[m] = true;
    const Type& expected = *type.members[m].second;
    members[m] = conform(elaborate(*entry.value, &expected), expected, entry.value->span);
    ok &= members[m].ok();
  }
  for (size_t m = 0; m < members.size(); ++m) {
    if (given[m] || !ok) continue;
    Diagnostic& error = env_.report.error(
        "S021", span, fmt::format("member '{}' is not given", type.members[m].first));
    error.expected = describe(whole);
    return {};
  }
  if (!ok) return {};
  Value result;
  for (const Value& member : members) {
    result.leaves.insert(result.leaves.end(), member.leaves.begin(), member.leaves.end());
  }
  result.type = std::make_shared<Type>(whole);
  return result;
}

std::optional<int64_t> constant_integer(Environment& env, const ast::Expr& expr, const char* what) {
  ir::Graph scratch;
  return Elaborator(env, kConstantSite, scratch).constant_integer(expr, what);
}

}  // namespace stencil::sema
