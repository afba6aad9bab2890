// The targets of a stencil function: fields, or members of fields.
#pragma once

#include <optional>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {

// The field of that name. Null after an error (reported, unless the declaration itself has an
// error).
const Declaration* find_field(Environment& env, const ast::Identifier& name);

struct Targets {
  std::vector<ir::FieldId> fields;  // without duplicates, in the order in which they are named
  // The type of the value to assign: the type of the target, or for several targets a structure of
  // their types.
  TypePtr type;
  // Per component of the fields: the component of the value to assign to it. nullopt: the component
  // is not a target and keeps its present value.
  std::vector<std::optional<size_t>> from;
};

// nullopt after an error (reported, unless a declaration itself has an error).
std::optional<Targets> find_targets(Environment& env, const ast::Stencil& stencil);

// True if a target is a profile or a series. This is an error, and no region fits such a target.
bool writes_in_place(Environment& env, const ast::Stencil& stencil);

// The present values of the targets at the point, as one value.
Value present(const Targets& targets, Elaborator& elaborator, Span span);

// The results of a piece, one node per component of the fields.
std::optional<std::vector<ir::NodeId>> store(const Environment& env, const Targets& targets,
                                             Elaborator& elaborator, const Value& value, Span span);

}  // namespace stencil::sema
