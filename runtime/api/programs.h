// Programs from elsewhere than a text: the seam between the public API and whatever builds syntax
// trees.
#pragma once

#include "compiler/support/source.h"
#include "compiler/syntax/ast.h"
#include "stencil/program.h"

namespace stencil::api {

// Analyses `tree`, whose spans are places in `source`. The S codes of errors in it.
Result<Program> make_program(const ast::Program& tree, Source source, const Options& options);

}  // namespace stencil::api
