// Accesses and selection: everything in brackets or after a dot.
//
// A bracket can read a field at an offset, shift the application of a function, look up a table or
// select from a vector. The expression before the bracket decides. A field (its name, a level of
// it, or an argument bound to one) takes offsets. A call of a function with field arguments is
// shifted. In all other cases the bracket selects, and its indices must be known at compile time. A
// second bracket always selects: f[-1,0][q] is component q of the left neighbour.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {
namespace {

// The leaves [first, first + type->components) of a value.
Value part(const Value& base, const TypePtr& type, size_t first) {
  const auto begin = base.leaves.begin() + static_cast<std::ptrdiff_t>(first);
  return {type, {begin, begin + type->components}};
}

}  // namespace

// --- Fields --------------------------------------------------------------------------------------

Elaborator::FieldUse Elaborator::field_use(const ast::Expr& expr) {
  if (const auto* name = std::get_if<ast::Name>(&expr.kind)) {
    return field_named(name->name, 0, 0, expr.span);
  }
  if (const auto* level = std::get_if<ast::Level>(&expr.kind)) {
    return field_named(level->field, level->back, level->towards, expr.span);
  }
  return {};
}

// The field of the level next to that of `field`. S099 if there is none.
std::optional<ir::FieldId> Elaborator::of_other_level(ir::FieldId field, int towards, Span span) {
  const auto found = env_.levelled.find(field);
  const std::string what = towards < 0 ? "finer" : "coarser";
  if (found == env_.levelled.end()) {
    Diagnostic& error = env_.report.error(
        "S099", span, fmt::format("'{}' has no {} level", env_.program.fields[field].name, what));
    error.expected = "a field on a grid with levels: grid G = [...] levels 5 by 2";
    if (env_.program.fields[field].domain != 0) {
      error.hint = fmt::format("a field of a derived grid is read without '{}'",
                               towards < 0 ? "fine" : "coarse");
    }
    return std::nullopt;
  }
  const auto [finest, level] = found->second;
  const auto levels = static_cast<int>(env_.levels.size());
  if (level + towards >= 0 && level + towards < levels) {
    return env_.at_level(finest, level + towards);
  }
  Diagnostic& error = env_.report.error("S099", span,
                                        fmt::format("'{}' has no {} level than level {}",
                                                    env_.program.fields[finest].name, what, level));
  error.expected = fmt::format("a level in 0..{}", levels - 1);
  error.hint = towards < 0 ? "read the finer level only within 'coarser { ... }'"
                           : "end the recursion earlier: if level < L - 1 { ... }";
  return std::nullopt;
}

Elaborator::FieldUse Elaborator::field_named(const std::string& name, int back, int towards,
                                             Span span) {
  FieldBinding binding{0, back};
  if (const Binding* local = find_local(name)) {
    const auto* field = std::get_if<FieldBinding>(local);
    if (!field) return {};
    binding = {field->field, field->level + back};
  } else {
    const auto named = env_.names.find(name);
    const bool of_reduction = named != env_.names.end() && named->second.kind == Declared::Field &&
                              env_.reduction_into(named->second.index);
    // a reduction may use its own earlier value in its definition
    const bool itself = of_reduction && back > 0;
    const Declaration* declaration = itself ? env_.find(name) : env_.use(name, span);
    if (!declaration || declaration->kind != Declared::Field) return {};
    if (declaration->broken) return {true, false};
    binding.field = env_.at_level(declaration->index, env_.level);
  }
  if (towards != 0) {
    const auto other = of_other_level(binding.field, towards, span);
    if (!other) return {true, false};
    binding.field = *other;
  }
  const auto made = env_.reduction_into(binding.field);
  const ir::Field& field = env_.program.fields[binding.field];
  const bool readable = site_.fields || site_.initial_values;
  if (!readable || (in_boundary_ && (!field.read_in_place() || field.set()))) {
    not_usable(field.name, field.set() ? "values at points" : "a field", span,
               made ? hint_of_further_reduction(field) : "");
    return {true, false};
  }
  if (made && env_.reductions[*made].syntax->at) {
    Diagnostic& error = env_.report.error(
        "S089", span, fmt::format("'{}' is a record and cannot be read", field.name));
    error.expected = "a field or a series; records are only output";
    error.related.push_back({field.span, "declared here"});
    return {true, false};
  }
  if (made) return {true, may_read(*made, binding.level, span), binding};
  if (binding.level >= field.history) {
    Diagnostic& error = env_.report.error(
        "S027", span,
        fmt::format("{}@-{} reaches beyond the history of the field", field.name, binding.level));
    error.expected = field.history == 1 ? std::string("the newest level only")
                                        : fmt::format("levels down to @-{}", field.history - 1);
    error.found = fmt::format("@-{}", binding.level);
    error.hint = fmt::format("declare the field with history {}", binding.level + 1);
    if (field.is_series()) {
      error.hint = fmt::format("read its value of an earlier step as {}[time - {}]", field.name,
                               binding.level);
    } else if (field.read_in_place()) {
      error.hint = "it is constant and has one level";
    }
    error.related.push_back({field.span, "declared here"});
    return {true, false};
  }
  return {true, true, binding};
}

// Whether `expr` is an index name or an unknown name that looks like one.
bool Elaborator::names_point(const ast::Expr& expr) const {
  const auto* name = std::get_if<ast::Name>(&expr.kind);
  if (!name || is_reserved(name->name)) return false;
  if (const Binding* local = find_local(name->name)) {
    return std::holds_alternative<IndexBinding>(*local);
  }
  // Longest name that looks like an index: i, ix. Longer unknown names count as misspellings.
  constexpr size_t kLongestIndex = 2;
  return name->name.size() <= kLongestIndex && env_.names.count(name->name) == 0;
}

// Returns d for an index such as i+d, where `i` means the current point; otherwise null.
const ast::Expr* Elaborator::added_to_point(const ast::Expr& index) const {
  const auto* sum = std::get_if<ast::Binary>(&index.kind);
  if (!sum || sum->op != Op::Add) return nullptr;
  if (names_point(*sum->left)) return sum->right.get();
  return names_point(*sum->right) ? sum->left.get() : nullptr;
}

// Returns the offset from the current point for an index such as i+1 or j-1; nullopt for other
// indices.
std::optional<int64_t> Elaborator::offset_from_point(const ast::Expr& index) const {
  if (names_point(index)) return 0;
  const auto* sum = std::get_if<ast::Binary>(&index.kind);
  if (!sum || (sum->op != Op::Add && sum->op != Op::Sub)) return {};
  const bool minus = sum->op == Op::Sub;
  const bool point_first = names_point(*sum->left);
  if (!point_first && (minus || !names_point(*sum->right))) return {};
  const ast::Expr& rest = point_first ? *sum->right : *sum->left;
  const auto* number = std::get_if<ast::Number>(&rest.kind);
  if (!number || !number->integral) return {};
  return minus ? -number->integer : number->integer;
}

// The hint for a field that is followed by parentheses, such as A(i-1,j) or A(-1,0). It also covers
// A(t-1)[0,0], which means an earlier level.
std::string Elaborator::hint_of_called_field(const ast::Call& call) const {
  const std::string& name = call.callee.name;
  const auto rank = static_cast<size_t>(env_.rank());
  std::string offsets;
  for (const ast::ExprPtr& argument : call.arguments) {
    const auto* number = std::get_if<ast::Number>(&argument->kind);
    const auto* minus = std::get_if<ast::Unary>(&argument->kind);
    const auto* negated =
        minus && minus->op == Op::Neg ? std::get_if<ast::Number>(&minus->operand->kind) : nullptr;
    std::optional<int64_t> offset = offset_from_point(*argument);
    if (number && number->integral) offset = number->integer;
    if (negated && negated->integral) offset = -negated->integer;
    if (offset) offsets += fmt::format("{}{}", offsets.empty() ? "" : ",", *offset);
    if (!offset || call.arguments.size() != rank) offsets.clear();
    if (!offset) break;
  }
  if (call.arguments.size() == 1) {
    const auto* step = std::get_if<ast::Binary>(&call.arguments[0]->kind);
    const auto* of = step ? std::get_if<ast::Name>(&step->left->kind) : nullptr;
    const auto* back = step ? std::get_if<ast::Number>(&step->right->kind) : nullptr;
    const bool time = of && (of->name == "t" || of->name == "n" || of->name == "time") &&
                      env_.names.count(of->name) == 0 && !find_local(of->name);
    if (time && step->op == Op::Sub && back && back->integral && back->integer > 0) {
      return fmt::format("an earlier level is read as {}@-{}{}", name, back->integer, env_.point());
    }
  }
  const std::string at = offsets.empty() ? env_.point() : "[" + offsets + "]";
  return fmt::format("fields are read at offsets: {}{}", name, at);
}

// Reports S010 for an access by coordinates of the point, such as U[i+1,j]; offsets must be
// relative to the point. Returns false if `indices` do not look like coordinates.
bool Elaborator::reads_by_coordinates(const ir::Field& declared, const ast::Expr& field,
                                      const std::vector<ast::ExprPtr>& indices, Span span) {
  std::string relative;
  bool found = false;
  for (size_t d = 0; d < indices.size(); ++d) {
    const ast::ExprPtr& index = indices[d];
    const bool time = d < declared.box.ranges.size() && declared.dimension(d) == ir::kTime;
    const auto offset = time ? std::nullopt : offset_from_point(*index);
    const ast::Expr* added = time ? nullptr : added_to_point(*index);
    found |= offset || added;
    relative += relative.empty() ? "" : ",";
    relative += offset ? fmt::format("{}", *offset) : env_.text(added ? added->span : index->span);
  }
  if (!found) return false;
  env_.report.explain_names(span);
  Diagnostic& error = env_.report.error("S010", span, "coordinates where offsets are needed");
  error.found = env_.text(span);
  const std::string name = env_.text(field.span);
  const size_t rank = declared.box.ranges.size();
  if (indices.size() == rank) {
    error.hint = fmt::format("offsets are relative to the current point: {}[{}]", name, relative);
  } else if (indices.size() == rank + 1 && !declared.read_in_place()) {
    error.hint = fmt::format("an earlier time level is read as {}@-1{}", name, env_.point());
  } else {
    error.hint = fmt::format("one bracket holds all offsets, relative to the current point: {}{}",
                             name, env_.point(declared));
  }
  return true;
}

Value Elaborator::access(const FieldBinding& binding, const std::vector<ast::ExprPtr>& indices,
                         Span span) {
  const ir::Field& field = env_.program.fields[binding.field];
  const std::optional<Offsets> at = field.read_in_place() ? own_offsets(field, indices, span)
                                                          : offsets(indices, span, field.domain);
  if (!at) return {};
  return at_offsets(*at, span,
                    [&](const std::vector<int>& offset) { return access(binding, offset, span); });
}

// Whether a field is read without offsets: it is a set of points, or has one value for each point
// of a set.
bool Elaborator::stands_alone(const FieldBinding& binding) const {
  const ir::Field& field = env_.program.fields[binding.field];
  return field.set() && !field.is_series();
}

// A field that is read without a bracket. A set of points gives the sum of its weights at the
// current grid point; a field on points gives the weighted sum of its values.
Value Elaborator::field_alone(const FieldBinding& binding, Span span) {
  const ir::Field& field = env_.program.fields[binding.field];
  if (!stands_alone(binding)) return needs_offsets(binding.field, span);
  if (!site_.fields || site_.initial_values)
    return not_usable(field.name, "values at points", span);
  if (!at_point_itself(field, span)) return {};
  if (field.is_point_set()) return Value::of_leaf(arithmetic_.as_weights(binding.field, span));
  ir::Access access{binding.field, 0, 0, {0}, 0};
  access.in_place = access.at_points = true;
  return components(access, span);
}

// Requires that values at points are not read at an offset. S085.
bool Elaborator::at_point_itself(const ir::Field& field, Span span) {
  const bool moved = std::any_of(shift_.begin(), shift_.end(), [](int by) { return by != 0; });
  if (!moved) return true;
  Diagnostic& error =
      env_.report.error("S085", span, fmt::format("'{}' is read at another point", field.name));
  error.expected = "a read at the current point, because values at points have no neighbours";
  error.hint = "pass the value to the function as an argument";
  return false;
}

Value Elaborator::at_point(ir::FieldId field, Span span) {
  const std::vector<int> zeros(static_cast<size_t>(prover_->rank()));
  ir::Access access{field, 0, level_of({field, 0}), ir::shifts(zeros), 0};
  return locate(access, span) ? components(access, span) : Value{};
}

Value Elaborator::access(const FieldBinding& binding, const std::vector<int>& at, Span span) {
  if (site_.initial_values) return initial_value(binding.field, at, span);
  ir::Access access{binding.field, 0, level_of(binding), ir::shifts(at), 0};
  if (!locate(access, span)) return {};
  const ir::Field& field = env_.program.fields[access.field];
  const bool meets_rules = access.escapes != 0 || field.fixed();
  const bool across = field.domain != env_.domain && !access.per_step;
  if (prover_ && meets_rules && !across && !rules_allow(access, span)) return {};
  return components(access, span);
}

// Sets the members of an access that follow from its offsets. Returns false after a reported error
// if the offsets lead out of the field.
bool Elaborator::locate(ir::Access& access, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  access.at_points = field.set().has_value();
  access.per_step = field.is_series() && field.box.rank() == 1;
  const bool across = field.domain != env_.domain && !access.per_step;
  access.in_place = field.read_in_place() || across;
  if (across && !set_maps(access, span)) return false;
  if (!prover_) return true;  // in the value of a rule, which has no region
  const std::optional<uint32_t> escapes = prover_->prove(access, span, applied_at_);
  if (!escapes) return false;
  access.escapes = *escapes;
  if (across && !rules_hold_across(access, span)) return false;
  if (access.escapes != 0 && !access.in_place) access.excess = prover_->excess(access.field);
  return true;
}

// Sets the scales and divisors of an access to a field of another grid. S097 for fields that have
// only some of the grid's dimensions, or values at points.
bool Elaborator::set_maps(ir::Access& access, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  if (field.read_in_place()) {
    Diagnostic& error = env_.report.error(
        "S097", span, fmt::format("'{}' cannot be read from another grid", field.name));
    error.expected = "a field with all dimensions of its grid";
    error.found = field.set()         ? "values at points"
                  : field.is_series() ? "a series"
                                      : "a field along some of the dimensions";
    error.hint = fmt::format("declare one on '{}'", env_.here().name);
    return false;
  }
  const std::vector<ir::IndexMap> maps = ir::maps_between(env_.program, env_.domain, field.domain);
  for (size_t d = 0; d < maps.size(); ++d) {
    access.maps[d].scale = maps[d].scale;
    access.maps[d].divisor = maps[d].divisor;
  }
  return true;
}

// Accesses from another grid are read from memory, where only plain boundary rules apply. S098 if
// the access meets another rule.
bool Elaborator::rules_hold_across(const ir::Access& access, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  for (size_t d = 0; d < field.boundary.size(); ++d) {
    for (const bool low : {true, false}) {
      const ir::BoundaryRule& rule = field.boundary[d].side(low);
      const bool escapes = low ? access.escapes_below(d) : access.escapes_above(d);
      const bool meets = rule.fixed() ? prover_->may_reach_edge(access, d, low) : escapes;
      if (!meets || rule.plain()) continue;
      Diagnostic& error =
          env_.report.error("S098", span,
                            fmt::format("the boundary '{}' of '{}' is met from another grid",
                                        rule.row().keyword, field.name));
      error.expected = "constant with a number, clamp, mirror, periodic, or no access beyond";
      error.related.push_back({field.span, "declared here"});
      error.hint = "copy the values to a field with a plain boundary, or start the region inside";
      return false;
    }
  }
  return true;
}

// An access to each component of the field.
Value Elaborator::components(ir::Access access, Span span) {
  const ir::Field& field = env_.program.fields[access.field];
  Value value{env_.field_types[access.field], {}};
  value.leaves.reserve(field.components.size());
  for (const ir::Component& component : field.components) {
    value.leaves.push_back(graph_.add({access, arithmetic_type(component.type), span, {}}));
    ++access.component;
  }
  return value;
}

// Reports S025: a field needs offsets. `whole`: the place of the whole selection, if something is
// selected from the field. `foreign`: the member that is selected from a scalar field.
Value Elaborator::needs_offsets(ir::FieldId id, Span span, Span whole, const std::string& foreign) {
  const ir::Field& field = env_.program.fields[id];
  const std::string read = env_.text(span) + env_.point(field);
  Diagnostic& error =
      env_.report.error("S025", span, fmt::format("'{}' needs offsets", env_.text(span)));
  const char* what = field.is_series() ? "when" : "where";
  error.hint =
      whole.valid()
          ? fmt::format("write the offsets first: {}{}", read, env_.text({span.end, whole.end}))
          : fmt::format("offsets state {} the field is read, relative to the {}: {}", what,
                        field.is_series() ? "current step" : "current point", read);
  const auto hint = hint_for_foreign_word(Foreign::Member, foreign);
  if (!hint.empty()) error.hint = hint;
  return {};
}

// --- Brackets and members ------------------------------------------------------------------------

Value Elaborator::bracket(const ast::Bracket& bracket, Span span) {
  const FieldUse use = field_use(*bracket.base);
  if (use.is_field && !(use.ok && stands_alone(use.field))) {
    if (!use.ok) return {};
    const ir::Field& field = env_.program.fields[use.field.field];
    if (reads_by_coordinates(field, *bracket.base, bracket.indices, span)) return {};
    return access(use.field, bracket.indices, span);
  }
  if (shiftable_function(*bracket.base)) {
    const auto& moved = std::get<ast::Call>(bracket.base->kind);
    const std::optional<Offsets> by = offsets(bracket.indices, span, env_.domain);
    if (!by) return {};
    return at_offsets(*by, span, [&](const std::vector<int>& offset) {
      return call(moved, span, &offset, nullptr);
    });
  }
  if (const auto* name = std::get_if<ast::Name>(&bracket.base->kind);
      name && !find_local(name->name)) {
    const Declaration* table = env_.find(name->name);  // a pointer avoids a copy of the whole table
    if (table && table->kind == Declared::Table && !table->broken) {
      return select_indices(env_.tables[table->index], bracket.indices, span);
    }
  }
  const Value base = elaborate(*bracket.base);
  const bool scalar = base.ok() && base.type->scalar();
  if (scalar && reads_value_like_field(*bracket.base, span)) return {};
  return base.ok() ? select_indices(base, bracket.indices, span) : Value{};
}

Value Elaborator::select_indices(const Value& base, const std::vector<ast::ExprPtr>& indices,
                                 Span span) {
  TypePtr type = base.type;
  size_t first = 0;
  for (const ast::ExprPtr& index : indices) {
    const auto* vector = std::get_if<VectorType>(&type->kind);
    if (!vector) {
      Diagnostic& error =
          env_.report.error("S019", span, "an index needs a vector, a table or a field");
      error.found = describe(*type);
      if (!type->scalar()) error.hint = "select a member with .name";
      return {};
    }
    const std::optional<int64_t> position = constant_integer(*index, "an index");
    if (!position) return {};
    if (*position < 0 || *position >= vector->length) {
      Diagnostic& error = env_.report.error("S017", index->span, "index out of range");
      error.expected = fmt::format("0..{}", vector->length - 1);
      error.found = fmt::format("{}", *position);
      return {};
    }
    first += static_cast<size_t>(*position) * static_cast<size_t>(vector->element->components);
    const TypePtr element = vector->element;
    type = element;
  }
  return part(base, type, first);
}

Value Elaborator::member(const ast::Member& member, Span span) {
  FieldUse use = field_use(*member.base);
  if (use.ok && stands_alone(use.field)) use = {};
  if (use.is_field && use.ok) {
    const bool scalar = env_.field_types[use.field.field]->scalar();
    return needs_offsets(use.field.field, member.base->span, span, scalar ? member.name.name : "");
  }
  if (use.is_field) return {};
  const Value base = elaborate(*member.base);
  if (!base.ok()) return {};
  const auto found = find_member(env_, *base.type, member.name, member.base->span, Selected::Value);
  return found ? part(base, found->type, found->first) : Value{};
}

std::optional<FoundMember> find_member(Environment& env, const Type& of,
                                       const ast::Identifier& member, Span base,
                                       Selected selected) {
  const auto* structure = std::get_if<StructType>(&of.kind);
  if (!structure) {
    Diagnostic& error = env.report.error("S022", join(base, member.span),
                                         fmt::format("'.{}' needs a structure", member.name));
    error.found = describe(of);
    if (!of.scalar() && selected == Selected::Value) {
      error.hint = fmt::format("components of a vector are numbered: {}[0]", env.text(base));
    }
    return std::nullopt;
  }
  size_t first = 0;
  std::vector<std::string> names;
  for (const auto& [name, type] : structure->members) {
    if (name == member.name) return FoundMember{type, first};
    first += static_cast<size_t>(type->components);
    names.push_back(name);
  }
  Diagnostic& error =
      env.report.error("S022", member.span, fmt::format("no member named '{}'", member.name));
  error.expected = describe(of);
  const std::string nearest = suggestion(member.name, names);
  if (nearest.empty()) return std::nullopt;
  const auto place = std::find(names.begin(), names.end(), nearest);
  const Type& meant = *structure->members[place - names.begin()].second;
  const bool vector = std::holds_alternative<VectorType>(meant.kind);
  const char* component = vector && selected == Selected::Value ? "[0]" : "";
  error.hint = fmt::format("did you mean '{}{}'?", nearest, component);
  return std::nullopt;
}

}  // namespace stencil::sema
