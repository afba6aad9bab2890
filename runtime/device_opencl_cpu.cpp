// A CPU implementation of OpenCL turns the code between two barriers into a loop over the threads
// of a block. A barrier under a condition splits that code in two for each outcome, so compilers of
// this kind (PoCL among them) copy everything that follows, once per condition: 2^T copies for a
// time tile of T steps whose later steps are conditional. Since conditions around barriers are
// uniform over the block,
//
//     if (c) { a; barrier; b }      is      if (c) { a }  barrier;  if (c) { b }
//
// Unrolling multiplies the code again and gains nothing on a CPU, whose compiler unrolls by itself.
//
// Even so LLVM's jump threading follows conditions that imply one another (steps >= 16, steps >=
// 15, ...) across barriers and copies what lies between, so compile time is exponential in T; and
// PoCL 3.1 with optimisation was seen to compute wrong values for a loop over time steps (two
// fields, regions=hull), which it does not do without, nor when it replicates threads instead of
// looping over them. Such devices are there to check kernels on machines without a GPU; speed on a
// CPU is what `host` is for.
#include "runtime/device_opencl_cpu.h"

#include <algorithm>

#include "compiler/kernel/walk.h"

namespace stencil::runtime {

namespace {

using kernel::Body;
using kernel::Statement;

bool is_barrier(const Statement& statement) {
  return std::holds_alternative<kernel::Barrier>(statement.kind);
}

// Pieces of `body` between its barriers. Each later piece repeats the lets of those before it,
// which are pure: they stand outside Threads statements and name positions of the block.
std::vector<Body> split_at_barriers(const Body& body) {
  std::vector<Body> pieces(1);
  Body lets;
  for (const Statement& statement : body) {
    if (is_barrier(statement)) {
      pieces.push_back(lets);
      continue;
    }
    if (std::holds_alternative<kernel::Let>(statement.kind)) lets.push_back(statement);
    pieces.back().push_back(statement);
  }
  return pieces;
}

bool only_lets(const Body& body) {
  return std::all_of(body.begin(), body.end(), [](const Statement& statement) {
    return std::holds_alternative<kernel::Let>(statement.kind);
  });
}

Body suit(const Body& body);

// The pieces of a body under a condition or in a scope, with the barriers between them outside.
template <class Wrap>
void append_split(const Body& body, Body& out, const Wrap& wrap) {
  const std::vector<Body> pieces = split_at_barriers(suit(body));
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) out.push_back({kernel::Barrier{}});
    if (pieces.size() == 1 || !only_lets(pieces[i])) out.push_back(wrap(pieces[i]));
  }
}

struct Suit {
  Body& out;

  void operator()(const kernel::If& branch) const {
    append_split(branch.then, out, [&](Body piece) {
      return Statement{kernel::If{branch.condition, std::move(piece), {}}};
    });
    if (branch.otherwise.empty()) return;
    const kernel::Expr negated = kernel::operation(Op::Not, {branch.condition});
    append_split(branch.otherwise, out, [&](Body piece) {
      return Statement{kernel::If{negated, std::move(piece), {}}};
    });
  }
  void operator()(const kernel::Scope& scope) const {
    append_split(scope.body, out,
                 [](Body piece) { return Statement{kernel::Scope{std::move(piece)}}; });
  }
  void operator()(const kernel::For& loop) const {
    kernel::For plain = loop;
    plain.kind = kernel::LoopKind::Serial;
    plain.body = suit(loop.body);
    out.push_back({std::move(plain)});
  }
  void operator()(const kernel::Threads& threads) const {
    out.push_back({kernel::Threads{suit(threads.body)}});
  }
  void operator()(const kernel::Comment& comment) const { out.push_back({comment}); }
  void operator()(const kernel::Let& let) const { out.push_back({let}); }
  void operator()(const kernel::Store& store) const { out.push_back({store}); }
  void operator()(const kernel::Barrier& barrier) const { out.push_back({barrier}); }
};

Body suit(const Body& body) {
  Body out;
  for (const Statement& statement : body) {
    // Both branches of a condition without barriers stay together.
    const auto* branch = std::get_if<kernel::If>(&statement.kind);
    bool has_barrier = false;
    kernel::for_each_statement({statement},
                               [&](const Statement& s) { has_barrier |= is_barrier(s); });
    if (branch != nullptr && !has_barrier) {
      out.push_back({kernel::If{branch->condition, suit(branch->then), suit(branch->otherwise)}});
    } else {
      std::visit(Suit{out}, statement.kind);
    }
  }
  return out;
}

}  // namespace

kernel::Module suit_cpu(kernel::Module module) {
  for (kernel::Kernel& kernel : module.kernels) kernel.body = suit(kernel.body);
  return module;
}

std::string cpu_build_flags() {
  return "-cl-opt-disable";
}

}  // namespace stencil::runtime
