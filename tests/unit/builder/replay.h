// Any program, made again through the public interface of the builder.
#pragma once

#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil::test {

// The calls that stand for `program`, in its order. Every construct of the syntax tree must have
// one: what the builder could not say would not compile here. Throws std::out_of_range where C++
// could not make the call: for a name that is not declared, or not yet, and for a
// wrong number of operands.
BuildResult replay(const ast::Program& program, const std::string& name,
                   const dsl::FinishOptions& options = {});

}  // namespace stencil::test
