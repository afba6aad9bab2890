// What could not be decided at compile time, decided once the sizes are known.
//
// Three things are left open by semantic analysis when params are open: `require` conditions,
// proofs of bounds (Check), and whether the sizes fit the integers that index them. All are settled
// here from the params alone, before anything is allocated or launched. Requirements are small
// scalar graphs; they are evaluated with the semantics of compiler/support/scalar.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/ir/passes.h"
#include "compiler/support/evaluate.h"

namespace stencil::ir {
namespace {

// --- Requirements: a scalar graph over params ----------------------------------------------------

struct Operand {
  double real = 0;      // of float types
  int64_t integer = 0;  // of Bool, I32, I64
};

double to_real(Scalar from, Operand value) {
  return is_float(from) ? value.real : static_cast<double>(value.integer);
}

int64_t to_integer(Scalar to, double value) {
  if (std::isnan(value)) return 0;
  const bool narrow = to == Scalar::I32;
  const double low = narrow ? std::numeric_limits<int32_t>::min() : -0x1p63;
  const double high = narrow ? std::numeric_limits<int32_t>::max() : 0x1p63;
  if (value <= low) return narrow ? std::numeric_limits<int32_t>::min() : INT64_MIN;
  if (value >= high) return narrow ? std::numeric_limits<int32_t>::max() : INT64_MAX;
  return static_cast<int64_t>(value);
}

int64_t integer_operation(Op op, int64_t a, int64_t b, int bits) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  const uint64_t count = y & static_cast<uint64_t>(bits - 1);
  switch (op) {
    case Op::Neg:
      return static_cast<int64_t>(0 - x);
    case Op::Add:
      return static_cast<int64_t>(x + y);
    case Op::Sub:
      return static_cast<int64_t>(x - y);
    case Op::Mul:
      return static_cast<int64_t>(x * y);
    case Op::Div:
      return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - x) : a / b;
    case Op::Mod:
      return b == 0 || b == -1 ? 0 : a % b;
    case Op::Min:
      return b < a ? b : a;
    case Op::Max:
      return a < b ? b : a;
    case Op::Abs:
      return a < 0 ? static_cast<int64_t>(0 - x) : a;
    case Op::And:
    case Op::BitAnd:
      return a & b;
    case Op::Or:
    case Op::BitOr:
      return a | b;
    case Op::BitXor:
      return a ^ b;
    case Op::BitNot:
      return ~a;
    case Op::Not:
      return a == 0;
    case Op::Shl:
      return static_cast<int64_t>(x << count);
    case Op::Shr:
      return a >> count;
    default:
      return 0;  // float operators: evaluate_real
  }
}

class Evaluator {
 public:
  Evaluator(const std::vector<int64_t>& integers, const std::vector<double>& reals)
      : integers_(integers), reals_(reals) {}

  bool holds(const Requirement& requirement) {
    const Graph& graph = requirement.graph;
    values_.clear();
    for (const Node& node : graph.nodes()) values_.push_back(evaluate_node(graph, node));
    return values_[static_cast<size_t>(requirement.condition)].integer != 0;
  }

 private:
  Operand evaluate_node(const Graph& graph, const Node& node) {
    if (const auto* constant = std::get_if<Constant>(&node.kind)) {
      return {constant->real, constant->integer};
    }
    if (const auto* param = std::get_if<ParamRef>(&node.kind)) {
      const auto id = static_cast<size_t>(param->param);
      if (!is_float(node.type)) return {0, integers_.at(id)};
      return rounded(node.type, {reals_.at(id), 0});
    }
    if (const auto* operation = std::get_if<Operation>(&node.kind)) {
      return rounded(node.type, evaluate_operation(graph, node.type, *operation));
    }
    return {};  // index, time, access, reduction: not in a requirement (verify)
  }

  Operand evaluate_operation(const Graph& graph, Scalar type, const Operation& operation) {
    auto operand = [&](size_t i) {
      return i < operation.operands.size() ? values_[static_cast<size_t>(operation.operands[i])]
                                           : Operand{};
    };
    const Operand a = operand(0), b = operand(1), c = operand(2);
    const Scalar from = graph[operation.operands[0]].type;
    if (operation.op == Op::Select) return a.integer != 0 ? b : c;
    if (operation.op == Op::Convert) {
      if (is_float(type)) return {to_real(from, a), 0};
      return {0, is_float(from) ? to_integer(type, a.real) : a.integer};
    }
    if (is_comparison(operation.op)) {
      const bool result = is_float(from) ? evaluate_comparison(operation.op, a.real, b.real)
                                         : evaluate_comparison(operation.op, a.integer, b.integer);
      return {0, result};
    }
    if (is_float(type)) return {evaluate_real(operation.op, a.real, b.real, c.real), 0};
    return {0, integer_operation(operation.op, a.integer, b.integer, size_in_bytes(type) * 8)};
  }

  static Operand rounded(Scalar type, Operand value) {
    if (type == Scalar::F32) value.real = static_cast<float>(value.real);
    if (type == Scalar::I32) value.integer = static_cast<int32_t>(value.integer);
    return value;
  }

  const std::vector<int64_t>& integers_;
  const std::vector<double>& reals_;
  std::vector<Operand> values_;
};

// --- Checks and sizes ----------------------------------------------------------------------------

// "N = 3, M = 2", of the params that `terms` mention; "" if none.
std::string values_of(const Program& program, const std::vector<Affine>& terms,
                      const std::vector<int64_t>& integers) {
  std::vector<bool> mentioned(program.params.size(), false);
  for (const Affine& affine : terms) {
    for (const auto& [param, coefficient] : affine.terms) {
      mentioned[static_cast<size_t>(param)] = true;
    }
  }
  std::string text;
  for (size_t p = 0; p < program.params.size(); ++p) {
    if (!mentioned[p]) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", program.params[p].name, integers[p]);
  }
  return text;
}

bool check_holds(const Check& check, const std::vector<int64_t>& integers) {
  return std::any_of(check.any_nonnegative.begin(), check.any_nonnegative.end(),
                     [&](const Affine& affine) {
                       const std::optional<int64_t> value = evaluate(affine, integers);
                       return value && *value >= 0;
                     });
}

bool fits_index(std::optional<int64_t> value) {
  return value && *value >= -kLargestCoordinate && *value <= kLargestCoordinate;
}

// Bytes of one level of a box of points, or nothing if that is no int64_t. Bounds and extents must
// leave room for index arithmetic in 32 bits.
std::optional<int64_t> bytes_of_box(const Box& box, int64_t bytes_per_point,
                                    const std::vector<int64_t>& integers) {
  int64_t bytes = bytes_per_point;
  for (const Range& range : box.ranges) {
    const std::optional<int64_t> low = evaluate(range.low, integers);
    const std::optional<int64_t> high = evaluate(range.high, integers);
    if (!fits_index(low) || !fits_index(high)) return std::nullopt;
    const int64_t extent = std::max<int64_t>(*high - *low + 1, 0);
    if (extent > kLargestCoordinate) return std::nullopt;
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

void check_sizes(const Program& program, const std::vector<int64_t>& integers, Diagnostics& out) {
  auto too_large = [&](Span span, std::string what) {
    Diagnostic& error = out.error("S040", span, what + " is too large");
    error.expected =
        "bounds within +-2^30, at most 2^30 points in a dimension, offsets up to 2^28, and a size "
        "in bytes "
        "that fits a 64-bit integer";
  };
  if (!bytes_of_box(program.grid, 1, integers)) too_large(program.grid_span, "the grid");
  for (const Field& field : program.fields) {
    int64_t bytes = 0;
    for (const Component& component : field.components) bytes += size_in_bytes(component.type);
    if (!bytes_of_box(field.box, bytes * field.history, integers)) {
      too_large(field.span, fmt::format("field '{}'", field.name));
    }
  }
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) {
      if (!bytes_of_box(piece.region, 1, integers)) too_large(piece.span, "the region");
      for (const Node& node : piece.graph.nodes()) {
        const auto* access = std::get_if<Access>(&node.kind);
        for (size_t d = 0; access && d < access->offsets.size(); ++d) {
          if (std::abs(int64_t{access->offsets[d]}) > kLargestOffset)
            too_large(node.span, "the offset");
        }
      }
    }
  }
  for (const Reduction& reduction : program.reductions) {
    if (!bytes_of_box(reduction.piece.region, 1, integers)) {
      too_large(reduction.span, "the region");
    }
  }
  if (program.steps && !evaluate(*program.steps, integers)) {
    too_large(program.grid_span, "the number of steps");
  }
}

}  // namespace

Diagnostics failed_checks(const Program& program, const std::vector<int64_t>& integer_params,
                          const std::vector<double>& real_params) {
  std::vector<int64_t> integers = integer_params;
  std::vector<double> reals = real_params;
  integers.resize(program.params.size());
  reals.resize(program.params.size());
  for (size_t p = 0; p < program.params.size(); ++p) {
    if (program.params[p].integer_value) integers[p] = *program.params[p].integer_value;
  }

  Diagnostics failed;
  check_sizes(program, integers, failed);
  Evaluator evaluator(integers, reals);
  for (const Requirement& requirement : program.requirements) {
    if (evaluator.holds(requirement)) continue;
    failed.error("S035", requirement.span, "requirement not met").expected = requirement.text;
  }
  for (const Check& check : program.checks) {
    if (check_holds(check, integers)) continue;
    failed.error(check.code, check.span, check.message).found =
        values_of(program, check.any_nonnegative, integers);
  }
  return failed;
}

}  // namespace stencil::ir
