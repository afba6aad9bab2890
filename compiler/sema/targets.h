// What a stencil function writes: a field, a member of one, or several of these.
#pragma once

#include <optional>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {

// The field that `name` names, or null (reported, unless its declaration is in error).
const Declaration* find_field(Environment& env, const ast::Identifier& name);

struct Targets {
  std::vector<ir::FieldId> fields;  // each once, in the order in which they are named
  // What a value has to be: of one target its type; of several a structure of them.
  TypePtr type;
  // Per component of the fields, which component of the value it gets; nothing: it keeps its own.
  std::vector<std::optional<size_t>> from;
};

// Nothing if they are in error: reported, unless a declaration is in error.
std::optional<Targets> find_targets(Environment& env, const ast::Stencil& stencil);

// Some target is a profile or a series, which is in error: no region fits it.
bool writes_in_place(Environment& env, const ast::Stencil& stencil);

// The values that the targets have at the point, as one value.
Value present(const Targets& targets, Elaborator& elaborator, Span span);

// A result for every component of the fields.
std::optional<std::vector<ir::NodeId>> store(const Environment& env, const Targets& targets,
                                             Elaborator& elaborator, const Value& value, Span span);

}  // namespace stencil::sema
