// Unrolls loops around conditional barriers, for compilers that run the threads of a block as
// loops.
//
// PoCL splits a kernel at its barriers. If a barrier is under a condition, PoCL compiles the code
// after it twice: for the path with the barrier and for the path without. Hence n such conditions
// in a row become 2^n copies. If strides omit planes, `streaming` has such conditions in a loop
// over a few planes. They depend only on the loop counter, so unrolling the loop removes them.
#include <algorithm>
#include <optional>

#include "compiler/emit/passes.h"
#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/rewrite.h"

namespace stencil::emit {

using namespace kernel;

namespace {

constexpr int64_t kMostIterations = 64;

std::optional<int64_t> known(const Expr& expr, const std::string& counter, int64_t value) {
  return evaluate(expr, [&](const std::string& name) {
    return name == counter ? std::optional(value) : std::nullopt;
  });
}

std::optional<int64_t> known(const Expr& expr) {
  return evaluate(expr, [](const std::string&) { return std::optional<int64_t>(); });
}

bool has_barrier(const Body& body);

bool has_barrier(const Statement& statement) {
  if (std::holds_alternative<Barrier>(statement.kind)) return true;
  if (const auto* loop = std::get_if<For>(&statement.kind)) return has_barrier(loop->body);
  if (const auto* scope = std::get_if<Scope>(&statement.kind)) return has_barrier(scope->body);
  const auto* branch = std::get_if<If>(&statement.kind);
  return branch && (has_barrier(branch->then) || has_barrier(branch->otherwise));
}

bool has_barrier(const Body& body) {
  return std::any_of(body.begin(), body.end(),
                     [](const Statement& statement) { return has_barrier(statement); });
}

// Whether a barrier is under a condition whose value follows from that of the loop counter.
bool decides_barriers(const Body& body, const std::string& counter, int64_t value) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& statement) {
    if (!has_barrier(statement)) return false;
    const auto within = [&](const Body& inner) { return decides_barriers(inner, counter, value); };
    if (const auto* loop = std::get_if<For>(&statement.kind)) return within(loop->body);
    if (const auto* scope = std::get_if<Scope>(&statement.kind)) return within(scope->body);
    const auto* branch = std::get_if<If>(&statement.kind);
    if (!branch) return false;
    return known(branch->condition, counter, value) || within(branch->then) ||
           within(branch->otherwise);
  });
}

void take_known_branch(Statement statement, Body& out) {
  auto* branch = std::get_if<If>(&statement.kind);
  const auto condition = branch ? known(branch->condition) : std::nullopt;
  if (!condition) return out.push_back(std::move(statement));
  Body& taken = *condition != 0 ? branch->then : branch->otherwise;
  if (!taken.empty()) out.push_back({Scope{std::move(taken)}});
}

Body iteration(const For& loop, int64_t value) {
  const Scalar type = loop.begin->type;
  Rewriter rewriter([&](const Expr& expr) {
    const auto* variable = std::get_if<Variable>(&expr->kind);
    return variable && variable->name == loop.name ? integer(value, type) : nullptr;
  });
  return rewrite_body(rewriter.body(loop.body), take_known_branch);
}

}  // namespace

Kernel write_out_barrier_loops(Kernel kernel, FreshNames&) {
  const auto write_out = [](Statement statement, Body& out) {
    const auto* loop = std::get_if<For>(&statement.kind);
    const auto begin = loop ? known(loop->begin) : std::nullopt;
    const auto end = loop ? known(loop->end) : std::nullopt;
    const bool few = begin && end && (*end - *begin) / loop->step < kMostIterations;
    if (!few || !decides_barriers(loop->body, loop->name, *begin)) {
      return out.push_back(std::move(statement));
    }
    for (int64_t value = *begin; value < *end; value += loop->step) {
      out.push_back({Scope{iteration(*loop, value)}});
    }
  };
  kernel.body = rewrite_body(std::move(kernel.body), write_out);
  return kernel;
}

}  // namespace stencil::emit
