// Uniform values are lets outside Threads statements. On a CPU, where threads are loops, they are
// computed once per block of thousands of points. On a GPU each thread computes them once for all
// its points and planes. A separate launch per time tile would take longer than the sweeps of a
// small grid.
#include "compiler/schedule/common/kernel_scope.h"

#include "compiler/kernel/passes.h"
#include "compiler/kernel/rewrite.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

void define(const std::string& name, const Expr& value, const char* comment, Body& body) {
  if (body.empty()) body.push_back({kernel::Comment{comment}});
  body.push_back({kernel::Let{name, value}});
}

}  // namespace

void KernelScope::over_steps(std::string variable, int steps, kernel::Kernel& kernel,
                             std::function<Expr(const Expr&)> time_of) {
  if (steps < 2) return;
  time_of_ = std::move(time_of);
  step_ = std::move(variable);
  steps_ = steps;
  kernel_ = &kernel;
}

// Turns a value of one step into an element of an array over all steps.
Expr KernelScope::element(const Expr& value, const std::string& hint, const Expr& time,
                          Names& body) {
  kernel::Rewriter rewriter([&](const Expr& node) -> Expr {
    if (node == time) return time_of_(kernel::variable(step_));
    for (const auto& [one, any] : elements_) {
      if (node == one) return any;
    }
    return nullptr;
  });
  const Expr any = rewriter.expr(value);
  const auto [entry, fresh] = arrays_.try_emplace(kernel::print(any));
  if (fresh) {
    const std::string name = names_.name(hint, {&inner_, &body});
    body.reserve(name);
    kernel::Buffer buffer;
    buffer.name = name;
    buffer.type = value->type;
    buffer.space = kernel::Space::Block;
    buffer.extents = {literal(steps_)};
    buffer.comment = "the same at all points, by step";
    entry->second = static_cast<kernel::BufferId>(kernel_->buffers.size());
    kernel_->buffers.push_back(std::move(buffer));
    stores_.push_back({kernel::Store{entry->second, {kernel::variable(step_)}, any}});
  }
  elements_.emplace_back(kernel::load(entry->second, {now_}, value->type),
                         kernel::load(entry->second, {kernel::variable(step_)}, value->type));
  return elements_.back().first;
}

Expr KernelScope::uniform(const Expr& value, const std::string& hint, const Expr& time,
                          Names& body) {
  // Times of different steps differ by a constant, so equal texts in different steps are different
  // values.
  const bool timed = time != nullptr;
  const bool by_step = timed && !step_.empty();
  const std::string step = by_step ? kernel::print(now_) + ": " : "";
  const auto [entry, fresh] = defined_.try_emplace(step + kernel::print(value));
  if (!fresh) return entry->second;
  if (by_step) return entry->second = element(value, hint, time, body);
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
    const auto* variable = std::get_if<kernel::Variable>(&defined->kind);
    if (variable) body.reserve(variable->name);
  }
  for (const auto& [text, array] : arrays_) {
    body.reserve(kernel_->buffers[array].name);
  }
}

Body KernelScope::take_timed() {
  Body out = std::exchange(timed_, {});
  Body stores = std::exchange(stores_, {});
  if (!stores.empty()) {
    out.push_back({kernel::For{kernel::LoopKind::Steps, step_, literal(0), literal(steps_), 1,
                               std::move(stores)}});
  }
  return out;
}

Body KernelScope::ahead_of(Body body) {
  Body out = std::exchange(steady_, {});
  append(out, take_timed());
  append(out, std::move(body));
  return out;
}

}  // namespace stencil::schedule
