// Execution of expressions. Each node records which threads have evaluated it, so a node shared by
// two arms costs each thread once. If a single loop over the threads computes an operation, it
// computes all threads; values of inactive threads are meaningless.
#include <algorithm>

#include "compiler/kernel/trace_block.h"

namespace stencil::kernel::tracing {

const Value& BlockTracer::value(int number, const Mask& mask) {
  const CodeNode& node = (*nodes_)[number];
  if (node.kind == CodeNode::Kind::Variable) {
    return variables_[node.variable];
  }
  State& state = states_[number];
  const Mask& wanted = node.fixed ? all_ : mask;
  const bool first = state.statement != statement_;
  if (first) {
    state.statement = statement_;
    ++work_;
    state.done = wanted;
    state.result = &state.value;
    state.value.set(0);
    evaluate(node, state, wanted);
    return *state.result;
  }
  const Mask missing = wanted.without(state.done);
  if (missing.none()) return *state.result;
  state.done |= missing;
  const bool known = state.result->known;
  evaluate(node, state, missing);
  if (!known) {
    state.value.forget();
    state.result = &state.value;
  }
  return *state.result;
}

void BlockTracer::evaluate(const CodeNode& node, State& state, const Mask& mask) {
  switch (node.kind) {
    case CodeNode::Kind::Literal:
      state.value.set(node.literal);
      state.value.known = !is_float(node.type);
      return;
    case CodeNode::Kind::Load:
      return load(node, state, mask);
    case CodeNode::Kind::Operation:
      return operation(node, state, mask);
    case CodeNode::Kind::Variable:  // handled in value()
      return;
  }
}

const Value& BlockTracer::evaluated(int number) {
  const CodeNode& node = (*nodes_)[number];
  if (node.kind == CodeNode::Kind::Variable) {
    return variables_[node.variable];
  }
  const State& state = states_[number];
  static const Value kZero{true, true, 0};
  return state.statement == statement_ ? *state.result : kZero;
}

// Cached, because masks seldom change from one operation to the next.
int64_t BlockTracer::count(const Mask& mask) {
  if (mask == counted_) return number_;
  counted_ = mask;
  return number_ = mask.count();
}

void BlockTracer::count_operation(const CodeNode& node, const Mask& mask) {
  if (node.fixed) return;
  const int64_t count = this->count(mask);
  counts_.operations += count;
  const bool arithmetic = node.op != Op::Convert && node.op != Op::Select;
  if (!is_float(node.type) || !arithmetic) return;
  FloatOperations& to = node.type == Scalar::F64 ? counts_.real : counts_.single;
  add_operation(node.op, to, static_cast<double>(count));
}

void BlockTracer::operation(const CodeNode& node, State& state, const Mask& mask) {
  count_operation(node, mask);
  if (node.op == Op::Select) return select(node, state, mask);
  const bool either = node.op == Op::And || node.op == Op::Or;
  if (either) return logic(node, state, mask);
  bool known = !is_float(node.type);
  for (int operand : node.operands) known = value(operand, mask).known && known;
  if (!known) return state.value.forget();
  const Value& first = evaluated(node.operands[0]);
  const Value& second = node.operands.size() > 1 ? evaluated(node.operands[1]) : first;
  // A unary operator ignores its second operand, so pass a uniform dummy.
  static const Value kNone{true, true, 0};
  apply(node.op, node.type, first, node.operands.size() > 1 ? second : kNone, threads_,
        state.value);
}

void BlockTracer::select(const CodeNode& node, State& state, const Mask& mask) {
  const Value& condition = value(node.operands[0], mask);
  if (!condition.known) {
    const auto accesses = [&](size_t arm) { return (*nodes_)[node.operands[arm]].accesses; };
    data_dependent_ = data_dependent_ || accesses(1) || accesses(2);
    value(node.operands[1], mask);
    value(node.operands[2], mask);
    return state.value.forget();
  }
  if (condition.uniform) {
    state.result = &value(node.operands[condition.one != 0 ? 1 : 2], mask);
    return;
  }
  const Mask holds = where(condition, mask, threads_), fails = mask.without(holds);
  const Value& yes = holds.none() ? evaluated(node.operands[1]) : value(node.operands[1], holds);
  const Value& no = fails.none() ? evaluated(node.operands[2]) : value(node.operands[2], fails);
  const bool known = (holds.none() || yes.known) && (fails.none() || no.known);
  if (!known || is_float(node.type)) return state.value.forget();
  int64_t* const out = state.value.vary(threads_);
  for (int i = 0; i < threads_; ++i) {
    out[i] = condition.each[i] != 0 ? yes.of(i) : no.of(i);
  }
}

// If the second operand accesses memory, a thread evaluates it only if the first does not decide
// the result.
void BlockTracer::logic(const CodeNode& node, State& state, const Mask& mask) {
  const bool decides = node.op == Op::Or;  // the operand value that decides the result
  const Value& first = value(node.operands[0], mask);
  Mask open = mask;
  if ((*nodes_)[node.operands[1]].accesses) {
    if (!first.known) data_dependent_ = true;
    if (first.known) {
      const Mask holds = where(first, mask, threads_);
      open = decides ? mask.without(holds) : holds;
    }
  }
  const Value& second = open.none() ? evaluated(node.operands[1]) : value(node.operands[1], open);
  const auto settled = [&](const Value& operand) {
    return operand.known && operand.uniform && (operand.one != 0) == decides;
  };
  if (settled(first) || (settled(second) && !open.none())) return state.value.set(decides ? 1 : 0);
  if (!first.known || (!second.known && !open.none())) return state.value.forget();
  apply(node.op, node.type, first, second, threads_, state.value);
}

// The threads for which an unknown condition may hold.
Mask BlockTracer::may_hold(int number, const Mask& mask) {
  const CodeNode& node = (*nodes_)[number];
  const Value& condition = evaluated(number);
  if (condition.known) return where(condition, mask, threads_);
  if (node.kind != CodeNode::Kind::Operation || (node.op != Op::And && node.op != Op::Or)) {
    return mask;
  }
  Mask out = may_hold(node.operands[0], mask);
  const Mask second = may_hold(node.operands[1], mask);
  if (node.op == Op::And) {
    out &= second;
  } else {
    out |= second;
  }
  return out;
}

}  // namespace stencil::kernel::tracing
