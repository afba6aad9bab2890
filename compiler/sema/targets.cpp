// The targets of a stencil function. Several targets form one structure whose members have the
// names of the targets. All rules for structures (entries by name, shapes, `else`, conditions) then
// apply. If a target is a member, the other components of its field stay unchanged.
#include "compiler/sema/targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::sema {
namespace {

// A resolved target: consecutive components of a field.
struct Part {
  ir::FieldId field;
  size_t first;  // first component
  TypePtr type;
  std::string name;  // name of the target's entry in the value
  Span span;

  size_t end() const { return first + static_cast<size_t>(type->components); }
  bool meets(const Part& other) const {
    return field == other.field && first < other.end() && other.first < end();
  }
};

const ir::Field& field_of(const Environment& env, ir::FieldId id) {
  return env.program.fields[id];
}

std::optional<Part> find_part(Environment& env, const ast::Target& target) {
  const Declaration* declaration = find_field(env, target.field);
  if (!declaration) return std::nullopt;
  const ir::FieldId id = env.at_level(declaration->index, env.level);
  if (field_of(env, id).constant) {
    Diagnostic& error = env.report.error(
        "S028", target.field.span, fmt::format("field '{}' is constant", field_of(env, id).name));
    error.related.push_back({field_of(env, id).span, "declared here"});
    error.hint = "a constant field gets its values from init or from outside";
    if (field_of(env, id).read_in_place()) return std::nullopt;
  }
  if (const auto made = env.reduction_into(id)) {
    Diagnostic& error = env.report.error(
        "S028", target.field.span,
        fmt::format("field '{}' is computed by a reduction", field_of(env, id).name));
    error.related.push_back({env.reductions[*made].syntax->name.span, "by this one"});
    error.hint = "let the stencil function write another field";
    return std::nullopt;
  }
  Part part{id, 0, env.field_types[id], target.last().name, target.span()};
  Span base = target.field.span;
  for (const ast::Identifier& name : target.members) {
    const auto member = find_member(env, *part.type, name, base, Selected::Target);
    if (!member) return std::nullopt;
    part.first += member->first;
    part.type = member->type;
    base = join(base, name.span);
  }
  return part;
}

bool check_apart(Environment& env, const Part& before, const Part& part) {
  if (before.meets(part)) {
    env.report.error("S080", part.span, fmt::format("'{}' is a target twice", env.text(part.span)))
        .related.push_back({before.span, "here first"});
    return false;
  }
  if (before.name != part.name) return true;
  Diagnostic& error =
      env.report.error("S081", part.span, fmt::format("two targets are named '{}'", part.name));
  error.related.push_back({before.span, "the other"});
  error.hint =
      "an entry of the value would be ambiguous: write one of them in a separate stencil function";
  return false;
}

void check_domain(Environment& env, const Part& first, const Part& part) {
  const ir::Field& field = field_of(env, first.field);
  const ir::Field& other = field_of(env, part.field);
  if (field.box == other.box && field.domain == other.domain) return;
  Diagnostic& error =
      env.report.error("S082", part.span, "targets of one stencil function on different domains");
  const auto domain_of = [&](const ir::Field& of) {
    return of.domain == 0 ? env.print(of.box)
                          : fmt::format("{} of grid '{}'", env.print(of.box),
                                        env.program.domains[of.domain].name);
  };
  error.expected = fmt::format("{}, the domain of '{}'", domain_of(field), field.name);
  error.found = domain_of(other);
  error.related.push_back({other.span, "declared here"});
  error.hint = "write them in separate stencil functions";
}

// The resolved targets without duplicates. nullopt after an error in one of them.
std::optional<std::vector<Part>> find_parts(Environment& env, const ast::Stencil& stencil) {
  std::vector<Part> parts;
  bool ok = true;
  for (const ast::Target& target : stencil.targets) {
    const auto part = find_part(env, target);
    ok &= part.has_value();
    if (!part || !std::all_of(parts.begin(), parts.end(), [&](const Part& before) {
          return check_apart(env, before, *part);
        })) {
      continue;
    }
    parts.push_back(*part);
    check_domain(env, parts[0], *part);
  }
  if (!ok) return std::nullopt;
  return parts;
}

}  // namespace

const Declaration* find_field(Environment& env, const ast::Identifier& name) {
  const Declaration* declaration = env.use(name.name, name.span);
  if (!declaration) {
    env.unknown_name(Foreign::Field, name.name, name.span);
    return nullptr;
  }
  if (declaration->broken) return nullptr;
  if (declaration->kind != Declared::Field) {
    env.report.error("S005", name.span, fmt::format("'{}' is not a field", name.name)).found =
        describe(declaration->kind);
    return nullptr;
  }
  return declaration;
}

bool writes_in_place(Environment& env, const ast::Stencil& stencil) {
  return std::any_of(stencil.targets.begin(), stencil.targets.end(), [&](const auto& target) {
    const auto place = env.names.find(target.field.name);
    return place != env.names.end() && place->second.kind == Declared::Field &&
           !place->second.broken && field_of(env, place->second.index).read_in_place();
  });
}

std::optional<Targets> find_targets(Environment& env, const ast::Stencil& stencil) {
  const auto parts = find_parts(env, stencil);
  if (!parts) return std::nullopt;
  Targets out;
  std::vector<std::pair<std::string, TypePtr>> members;
  for (const Part& part : *parts) {
    members.emplace_back(part.name, part.type);
    if (std::find(out.fields.begin(), out.fields.end(), part.field) == out.fields.end()) {
      out.fields.push_back(part.field);
    }
  }
  out.type = members.size() == 1 ? members[0].second : struct_type(std::move(members));
  if (!out.type) {
    env.report.error("S030", stencil.name.span, "a stencil function writes too many values")
        .expected = fmt::format("at most {} scalars", kMaxComponents);
    return std::nullopt;
  }
  for (const ir::FieldId field : out.fields) {
    const size_t base = out.from.size();
    out.from.resize(base + field_of(env, field).components.size());
    size_t next = 0;  // component of the value
    for (const Part& part : *parts) {
      const auto count = static_cast<size_t>(part.type->components);
      for (size_t c = 0; part.field == field && c < count; ++c) {
        out.from[base + part.first + c] = next + c;
      }
      next += count;
    }
  }
  return out;
}

namespace {

// The present values of all components of the target fields at the point.
Value present_components(const Targets& targets, Elaborator& elaborator, Span span) {
  Value all;
  for (const ir::FieldId field : targets.fields) {
    const Value value = elaborator.at_point(field, span);
    if (!value.ok()) return {};
    all.type = value.type;
    all.leaves.insert(all.leaves.end(), value.leaves.begin(), value.leaves.end());
  }
  return all;
}

}  // namespace

Value present(const Targets& targets, Elaborator& elaborator, Span span) {
  const Value all = present_components(targets, elaborator, span);
  if (!all.ok()) return {};
  Value out{targets.type, std::vector<Leaf>(static_cast<size_t>(targets.type->components))};
  for (size_t c = 0; c < targets.from.size(); ++c) {
    if (targets.from[c]) out.leaves[*targets.from[c]] = all.leaves[c];
  }
  return out;
}

std::optional<std::vector<ir::NodeId>> store(const Environment& env, const Targets& targets,
                                             Elaborator& elaborator, const Value& value,
                                             Span span) {
  Arithmetic& arithmetic = elaborator.arithmetic();
  const auto stored = arithmetic.store(value, *targets.type, span);
  if (!stored) return std::nullopt;
  const bool keeps =
      std::any_of(targets.from.begin(), targets.from.end(), [](const auto& from) { return !from; });
  const Value all = keeps ? present_components(targets, elaborator, span) : Value{};
  if (keeps && !all.ok()) return std::nullopt;
  std::vector<ir::NodeId> out;
  for (const ir::FieldId field : targets.fields) {
    for (const ir::Component& component : field_of(env, field).components) {
      const size_t c = out.size();
      if (targets.from[c]) {
        out.push_back((*stored)[*targets.from[c]]);
        continue;
      }
      const auto kept =
          arithmetic.store(Value::of_leaf(all.leaves[c]), *scalar_type(component.type), span);
      if (!kept) return std::nullopt;
      out.push_back(kept->front());
    }
  }
  return out;
}

}  // namespace stencil::sema
