// What a program computes: stencils, initial values, requirements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/environment.h"

namespace stencil::sema {

constexpr int64_t kMaxEvery = 1'000'000'000;

// The names of a region's indices; "" for those that the program does not name.
void bind_indices(Elaborator& elaborator, const std::vector<std::string>& names);
// Whether a point of the box is one of the region: strides leave some out, and so does `where`,
// whose value this is unless there is none. Without a type: in error.
Value taken(Elaborator& elaborator, const ir::Box& box, const std::vector<int64_t>& strides,
            const std::optional<Value>& where, Span span);

// What the condition says about the open params, for the proofs of bounds; to be called for every
// requirement before any proof.
void assume_requirement(Environment& env, const ast::Require& require);
void analyze_requirement(Environment& env, const ast::Require& require);

// The names in a function's body, whether it is applied or not (its types are known only then).
// S004.
void check_function_names(Environment& env, const ast::Function& function);

void analyze_stencil(Environment& env, const ast::Stencil& stencil);
void analyze_init(Environment& env, const ast::Init& init, Span item);

}  // namespace stencil::sema
