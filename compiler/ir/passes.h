// Passes and views on the stencil IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// The IR as text (--emit ir). The format is stable. A node that is used more than once or has a
// name gets a line of its own; other nodes are printed inside the expression that uses them.
std::string print(const Program& program);

// What a program may contain. Before lower_boundaries(), rules of any kind stand on fields, and
// accesses may be beyond them. Before expand_random(), random numbers are operations with any
// number of operands. Before bake_params(), graphs may refer to params with fixed values.
enum class Form { Mathematics, PlainRules, NoRandom, Baked };
// Checks the invariants of a well-formed program: operands before uses, types, component counts,
// offsets per rank, escapes only with a boundary rule, and others. Returns one line per violation.
// A violation is a bug of the compiler, never of the user's program.
std::vector<std::string> verify(const Program& program, Form form = Form::Baked);

// --fp=contract: forms all fused multiply-adds by one rule. In Add(x, y), if x is a product a*b or
// a negated product, the sum becomes Fma(±a, b, y). Otherwise, if y is a product c*d, it becomes
// Fma(±c, d, x). Sub follows the same rule, with the sign moved to the first factor or to the
// addend. The rule is applied once to each addition, operands first. No addition of a product
// remains, so a target compiler that contracts by itself finds nothing to change, and all targets
// give the same bits.
Program contract_products(const Program& program);

// --fix: replaces references to fixed params by their values and folds the constants that result.
// It runs after contract_products and folds with the interpreter's rounding, so the operations and
// their bits do not depend on which params are fixed.
Program bake_params(const Program& program);

// S090: reports operations on sizes, coordinates and step numbers whose result overflows its type.
void check_overflow(const Program& program, Diagnostics& diagnostics);

// Replaces integer operations that may overflow by wrapping ones (Op::WrapAdd, ...).
Program wrap_integers(Program program);

// Removes the nodes that no result needs.
Program drop_dead_nodes(const Program& program);

// The checks and requirements that fail for the given values of the params (by ParamId; values of
// folded params are ignored), as errors. Also S040 for sizes that are too large and S046 for axes.
Diagnostics failed_checks(const Program& program, const std::vector<int64_t>& integer_params,
                          const std::vector<double>& real_params);

// The most steps that a run may have, counted from step 0. `time` and the step index of every
// series access (time + c) must fit a 32-bit integer.
int64_t most_steps(const Program& program);

// The largest magnitude of an integer param for which no bound, size or number of steps of the
// program overflows 64 bits, if all other params are within their own largest magnitudes.
int64_t largest_magnitude(const Program& program, ParamId param);

// An error in the value of a derived param: it cannot be computed, or differs from the value that
// is compiled into the code.
struct DerivationFault {
  std::string code;  // R051, R074
  std::string message;
  std::string hint;
};
// Computes the params that depend on others (ir::Param::derived and affine), in order, except those
// that are `given` (by ParamId). A param whose value is compiled into the code must get exactly
// that value (R074).
std::optional<DerivationFault> derive_params(const Program& program, const std::vector<bool>& given,
                                             std::vector<int64_t>& integers,
                                             std::vector<double>& reals);

}  // namespace stencil::ir
