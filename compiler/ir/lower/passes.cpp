// The list of passes, and its two runs.
#include "compiler/ir/lower/passes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/ir/choices.h"
#include "compiler/ir/lower/boundaries.h"
#include "compiler/ir/lower/fixed_edges.h"
#include "compiler/ir/random.h"
#include "compiler/ir/reassociate.h"
#include "compiler/support/pass_log.h"

namespace stencil::ir {
namespace {

bool always(const Program&, const KernelTraits&) {
  return true;
}
bool computes(const Program& program, const KernelTraits&) {
  return !std::all_of(program.fields.begin(), program.fields.end(),
                      [](const Field& field) { return field.plain(); });
}
bool fixes(const Program& program, const KernelTraits&) {
  return std::any_of(program.fields.begin(), program.fields.end(),
                     [](const Field& field) { return field.fixed(); });
}
bool draws(const Program& program, const KernelTraits&) {
  const auto in = [](const Graph& graph) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
      const auto* operation = std::get_if<Operation>(&node.kind);
      return operation && operation->op == Op::Random;
    });
  };
  bool found = program.run.until && in(program.run.until->graph);
  for (const Param& param : program.params) found |= param.derived && in(param.derived->graph);
  for (const Domain& domain : program.domains) {
    for (const Axis& axis : domain.axes) found |= in(axis.graph);
  }
  for (const Requirement& requirement : program.requirements) found |= in(requirement.graph);
  for (const Init& init : program.inits) found |= in(init.piece.graph);
  for (const Reduction& reduction : program.reductions) found |= in(reduction.piece.graph);
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) found |= in(piece.graph);
  }
  return found;
}
bool contracts(const Program& program, const KernelTraits&) {
  return program.fp == FpMode::Contract;
}
bool bakes(const Program& program, const KernelTraits&) {
  return std::any_of(program.params.begin(), program.params.end(),
                     [](const Param& param) { return param.fixed; });
}
bool reassociates(const Program& program, const KernelTraits&) {
  return program.fp == FpMode::Fast;
}
bool loops(const Program&, const KernelTraits& traits) {
  return traits.threads_are_loops;
}

Program wrap(const Program& program) {
  return wrap_integers(program);
}
Program reassociate_planes(const Program& program) {
  return reassociate(program, 0);
}

Program run(const Pass& pass, const Program& program) {
  return run_pass(
      pass.name, [&] { return pass.run(program); }, [](const Program& made) { return print(made); },
      [&](const Program& made) { return verify(made, pass.gives); });
}

}  // namespace

const std::vector<Pass>& lowering_passes() {
  using For = Pass::For;
  static const std::vector<Pass> kPasses = {
      {"split-fixed-edges", For::All, "fixed edge points become pieces of their own", fixes,
       split_fixed_edges, Form::Mathematics},
      {"lower-boundaries", For::All,
       "boundary rules that are not plain become selects; fixed edge points are stored", computes,
       lower_boundaries, Form::PlainRules},
      {"expand-random", For::All, "random numbers become operations on integers", draws,
       expand_random, Form::NoRandom},
      {"drop-dead-nodes", For::All, "nodes that no result needs go", always, drop_dead_nodes,
       Form::NoRandom},
      {"wrap-integers", For::All, "integer operations that may overflow wrap around", always, wrap,
       Form::NoRandom},
      {"contract-products", For::All, "--fp=contract: sums of products become fused multiply-adds",
       contracts, contract_products, Form::NoRandom},
      {"bake-params", For::All, "--fix: params become constants", bakes, bake_params, Form::Baked},
      {"reassociate", For::Kernels, "--fp=fast: sums are collected and ordered by plane",
       reassociates, reassociate_planes, Form::Baked},
      {"name-choices", For::Kernels,
       "threads that are loops: operands of selects are computed first", loops, with_named_choices,
       Form::Baked},
  };
  return kPasses;
}

Program lower(const Program& mathematics, Diagnostics& diagnostics) {
  std::optional<Program> program;
  for (const Pass& pass : lowering_passes()) {
    if (pass.stage != Pass::For::All) continue;
    const auto current = [&]() -> const Program& { return program ? *program : mathematics; };
    if (pass.wanted(current(), {})) program = run(pass, current());
    if (pass.run == expand_random) check_overflow(current(), diagnostics);
  }
  return std::move(*program);
}

std::optional<Program> lower_for_kernels(const Program& program, const KernelTraits& traits) {
  std::optional<Program> out;
  for (const Pass& pass : lowering_passes()) {
    const Program& current = out ? *out : program;
    if (pass.stage != Pass::For::Kernels || !pass.wanted(current, traits)) continue;
    out = run(pass, current);
  }
  return out;
}

}  // namespace stencil::ir
