// The targets of a stencil function: fields, or members of fields.
#pragma once

#include <optional>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {

// The field of that name. Returns null after an error. The error is reported, unless the
// declaration of the field itself has an error.
const Declaration* find_field(Environment& env, const ast::Identifier& name);

struct Targets {
  // Without duplicates, in the order in which the targets name them.
  std::vector<ir::FieldId> fields;
  // The type of the value to assign: the type of the target, or for several targets a structure of
  // their types.
  TypePtr type;
  // For each component of the fields: the component of the value to assign. nullopt: the component
  // is not a target and keeps its present value.
  std::vector<std::optional<size_t>> from;
};

// Returns nullopt after an error. The error is reported, unless a declaration itself has an error.
std::optional<Targets> find_targets(Environment& env, const ast::Stencil& stencil);

// Whether a target is a profile or a series. This is an error, and no region fits such a target.
bool writes_in_place(Environment& env, const ast::Stencil& stencil);

// The present values of the targets at the point, as one value.
Value present(const Targets& targets, Elaborator& elaborator, Span span);

// The results of a piece, one node for each component of the fields.
std::optional<std::vector<ir::NodeId>> store(const Environment& env, const Targets& targets,
                                             Elaborator& elaborator, const Value& value, Span span);

}  // namespace stencil::sema
