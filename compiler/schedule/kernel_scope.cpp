// Uniform values are lets outside of Threads statements. On a processor, whose threads are loops,
// that is once per block and thousands of points. A GPU's thread computes them for itself, once for
// all of its points and planes: cheaper than a launch of their own per time tile, which would take
// longer than the sweeps of a small grid.
#include "compiler/schedule/kernel_scope.h"

#include "compiler/kernel/passes.h"
#include "compiler/schedule/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

void define(const std::string& name, const Expr& value, const char* comment, Body& body) {
  if (body.empty()) body.push_back({kernel::Comment{comment}});
  body.push_back({kernel::Let{name, value}});
}

}  // namespace

Expr KernelScope::uniform(const Expr& value, const std::string& hint, bool timed, Names& body) {
  const auto [entry, fresh] = defined_.try_emplace(kernel::print(value));
  if (!fresh) return entry->second;
  const std::string name = names_.name(hint, {&inner_, &body});
  body.reserve(name);
  if (timed) {
    define(name, value, "the same at all points in a step", timed_);
  } else {
    define(name, value, "the same at all points", steady_);
  }
  return entry->second = kernel::variable(name, value->type);
}

void KernelScope::set_apart(Names& body) {
  inner_.reserve(body);
  for (const auto& [text, defined] : defined_) {
    body.reserve(std::get<kernel::Variable>(defined->kind).name);
  }
}

Body KernelScope::take_timed() {
  return std::exchange(timed_, {});
}

Body KernelScope::ahead_of(Body body) {
  Body out = std::exchange(steady_, {});
  append(out, take_timed());
  append(out, std::move(body));
  return out;
}

}  // namespace stencil::schedule
