// Evaluation by substitution: every variable becomes a literal and the folding builders (expr.cpp)
// do the arithmetic, so integer arithmetic is defined only once. An expression that does not fold
// to a literal has no value.
#include "compiler/kernel/evaluate.h"

#include <algorithm>
#include <limits>

#include "compiler/kernel/plan.h"

namespace stencil::kernel {

namespace {

// Null if a variable is unknown or memory is read.
Expr substitute(const Expr& expr, const Environment& environment) {
  struct Visitor {
    const Expr& expr;
    const Environment& environment;

    Expr operator()(const IntegerLiteral& literal) const {
      return integer(literal.value, expr->type == Scalar::Bool ? Scalar::Bool : Scalar::I64);
    }
    Expr operator()(const RealLiteral&) const { return expr; }
    Expr operator()(const Variable& variable) const {
      const auto value = environment(variable.name);
      if (!value) return nullptr;
      return integer(*value, expr->type == Scalar::Bool ? Scalar::Bool : Scalar::I64);
    }
    Expr operator()(const Operation& node) const {
      std::vector<Expr> operands;
      for (const Expr& operand : node.operands) {
        operands.push_back(substitute(operand, environment));
        if (!operands.back()) return nullptr;
      }
      if (node.op != Op::Convert) return operation(node.op, std::move(operands));
      return convert(operands[0], is_integer(expr->type) ? Scalar::I64 : expr->type);
    }
    Expr operator()(const Load&) const { return nullptr; }
  };
  return std::visit(Visitor{expr, environment}, expr->kind);
}

}  // namespace

std::optional<int64_t> evaluate(const Expr& expr, const Environment& environment) {
  const Expr value = substitute(expr, environment);
  if (!value) return std::nullopt;
  if (const auto* literal = std::get_if<IntegerLiteral>(&value->kind)) return literal->value;
  return std::nullopt;
}

std::optional<int64_t> known_value(const Expr& expr, const Module& module) {
  return evaluate(expr, [&](const std::string& name) -> std::optional<int64_t> {
    for (const NamedConstant& constant : module.constants) {
      if (constant.name == name) return constant.value;
    }
    return std::nullopt;
  });
}

int64_t known_power_of_two(const Expr& expr, const Environment& environment) {
  constexpr int64_t kMost = int64_t{1} << 30;
  if (const auto value = evaluate(expr, environment)) {
    const uint64_t bits = static_cast<uint64_t>(*value) | static_cast<uint64_t>(kMost);
    return static_cast<int64_t>(bits & (~bits + 1));  // the lowest set bit
  }
  const auto* node = std::get_if<Operation>(&expr->kind);
  if (!node) return 1;
  const auto of = [&](size_t i) { return known_power_of_two(node->operands[i], environment); };
  switch (node->op) {
    case Op::Convert:
    case Op::Neg:
      return is_integer(node->operands[0]->type) ? of(0) : 1;
    case Op::Add:
    case Op::Sub:
      return std::min(of(0), of(1));
    case Op::Mul:
      return std::min(of(0) * of(1), kMost);
    case Op::BitAnd:
      return std::max(of(0), of(1));
    default:
      return 1;
  }
}

std::array<int, 3> hardware_threads(const Kernel& kernel) {
  return {kernel.threads[0], kernel.threads[1], static_cast<int>(kernel.threads.product(2))};
}

namespace {

Environment values_of(const std::vector<NamedConstant>& constants) {
  return [&constants](const std::string& name) -> std::optional<int64_t> {
    for (const NamedConstant& constant : constants) {
      if (constant.name == name) return constant.value;
    }
    return std::nullopt;
  };
}

}  // namespace

SharedLayout shared_layout(const Kernel& kernel, const std::vector<NamedConstant>& constants) {
  const Environment environment = values_of(constants);
  SharedLayout layout;
  const auto align = [&](int64_t to) { layout.bytes = (layout.bytes + to - 1) / to * to; };
  for (const Buffer& buffer : kernel.buffers) {
    const bool shared = buffer.space == Space::Shared;
    if (shared) align(buffer.alignment);
    layout.offsets.push_back(shared ? layout.bytes : 0);
    if (!shared) continue;
    int64_t bytes = size_in_bytes(buffer.type);
    for (const Expr& extent : buffer.extents) bytes *= evaluate(extent, environment).value_or(0);
    layout.bytes += bytes;
    layout.alignment = std::max(layout.alignment, buffer.alignment);
    align(16);
  }
  layout.bulk_words = layout.bytes;
  layout.bytes += int64_t{8} * kernel.bulk_batches;
  align(16);
  return layout;
}

int64_t shared_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants) {
  return shared_layout(kernel, constants).bytes;
}

int64_t block_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants) {
  constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();
  const Environment environment = values_of(constants);
  int64_t total = shared_bytes(kernel, constants);
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::Thread && buffer.space != Space::Block) continue;
    int64_t bytes = size_in_bytes(buffer.type);
    const bool per_thread = buffer.space == Space::Thread && !kernel.thread_loops;
    if (per_thread) bytes *= kernel.threads.product();
    for (const Expr& extent : buffer.extents) {
      const auto elements = evaluate(extent, environment);
      if (!elements || __builtin_mul_overflow(bytes, *elements, &bytes)) return kTooMany;
    }
    if (__builtin_add_overflow(total, bytes, &total)) return kTooMany;
  }
  return total;
}

}  // namespace stencil::kernel
