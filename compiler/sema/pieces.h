// Analyses stencils, initial values and requirements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/environment.h"

namespace stencil::sema {

constexpr int64_t kMaxEvery = 1'000'000'000;

// Binds the index names of a region. A name is "" for a dimension without an index name.
void bind_indices(Elaborator& elaborator, const std::vector<std::string>& names);
// The condition that a point of the box belongs to the region: it matches the strides and satisfies
// `where`, if given. The value has no type after an error.
Value taken(Elaborator& elaborator, const ir::Box& box, const std::vector<int64_t>& strides,
            const std::optional<Value>& where, Span span);

// Converts literals that are stored in floating point before a select combines them. Beside an
// integer in the other operand, such a literal would become an integer.
Value settled(Arithmetic& arithmetic, Value value, const Type& type);

// Adds what the condition says about the open params to the facts for proofs. Must be called for
// all requirements before the first proof.
void assume_requirement(Environment& env, const ast::Require& require);
void analyze_requirement(Environment& env, const ast::Require& require);

// Checks the names in the body of a function. This also covers a function that is never applied;
// types are known only when a function is applied. S004.
void check_function_names(Environment& env, const ast::Function& function);

// Checks the names in lets, because a let that no piece uses is never evaluated, and in `else`
// pieces, which may have no points. `all`: in all pieces. S004.
void check_names_in(Environment& env, const ast::Stencil& stencil, bool all);
void analyze_stencil(Environment& env, const ast::Stencil& stencil);
void analyze_init(Environment& env, const ast::Init& init, Span item);

}  // namespace stencil::sema
