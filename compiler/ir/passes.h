// Passes and views on the stencil IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// The IR as text (--emit ir). Stable; one line per node that is used more than once or named,
// everything else printed inside the expression that uses it.
std::string print(const Program& program);

// Everything that a well-formed program satisfies (operands before uses, types, component counts,
// offsets per rank, escapes only with a boundary). One line per violation; empty if sound. A
// violation is a bug in the compiler, never in the user's program.
std::vector<std::string> verify(const Program& program);

// --fp=contract: forms every fused multiply-add, by one rule. Add(x, y): if x is a product a*b, or
// a negated product, it becomes Fma(±a, b, y); otherwise, if y is one, Fma(±c, d, x); Sub likewise
// with the sign moved to the first factor or to the addend. Applied once to each addition, operands
// first. No addition of a product is left, so a target compiler that contracts on its own finds
// nothing to change, and every target gives the same bits.
Program contract_products(const Program& program);

// --fix: puts the values of fixed params in the place of references to them, and computes what is
// known then. After contract_products, and with the interpreter's rounding: neither the operations
// nor their bits depend on which params are fixed.
Program bake_params(const Program& program);

// S090: operations on sizes, coordinates and numbers of steps whose result leaves its type.
void check_overflow(const Program& program, Diagnostics& diagnostics);

// Makes integer operations that may leave their type such that wrap around (Op::WrapAdd, ...).
Program wrap_integers(Program program);

// Drops nodes that no result needs.
Program drop_dead_nodes(const Program& program);

// The checks and requirements that fail for the given values of the params (indexed by ParamId;
// values of folded and float params are ignored), as errors. Also S0xx errors for sizes that
// overflow.
Diagnostics failed_checks(const Program& program, const std::vector<int64_t>& integer_params,
                          const std::vector<double>& real_params);

// The steps that a run may have, from step 0 on: `time`, and the index of a series at time + c,
// must fit an integer.
int64_t most_steps(const Program& program);

// The largest magnitude of an integer param at which no bound, size or number of steps of the
// program overflows 64 bits, whatever the other params are as long as they are within theirs.
int64_t largest_magnitude(const Program& program, ParamId param);

// A param whose value cannot be had, or is not the one that the code has.
struct DerivationFault {
  std::string code;  // R051, R074
  std::string message;
  std::string hint;
};
// Computes the params that follow from others, in order, but for those that are `given` (indexed by
// ParamId): ir::Param::derived and affine. Those whose value is part of the code must come out so.
std::optional<DerivationFault> derive_params(const Program& program, const std::vector<bool>& given,
                                             std::vector<int64_t>& integers,
                                             std::vector<double>& reals);

}  // namespace stencil::ir
