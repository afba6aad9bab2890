// Interval arithmetic, combined with the affine form of a value. For i in 0..N-1, the form shows
// that N-1-i is at least 0; the intervals of N and i alone do not.
//
// A param that is a bound of a box is limited like the bound (kLargestCoordinate). Sums of several
// extents are assumed to fit 32 bits: no machine has memory for a grid with two dimensions of
// nearly 2^30 points and further dimensions.
#include "compiler/ir/integer_ranges.h"
#include "compiler/support/magnitude.h"

#include <algorithm>
#include <cstdlib>

namespace stencil::ir {
namespace {

using Interval = IntegerRanges::Interval;

constexpr int64_t kLargestTerm = int64_t{1} << 31;  // largest constant in a form
// Assumed limit of a sum of several extents: a grid with a larger sum has more points than a
// machine can address with fewer than 58 bits.
constexpr int64_t kLargestSum = kLargestCoordinate + (int64_t{1} << 29);

Interval full(Scalar type) {
  const IntegerRange range = integer_range(type);
  return {range.least, range.most};
}

// The interval least..most if the type holds it. Otherwise the result wraps around and may be any
// value of the type.
Interval between(WideInteger least, WideInteger most, Scalar type) {
  const IntegerRange range = integer_range(type);
  if (least >= range.least && most <= range.most) {
    return {static_cast<int64_t>(least), static_cast<int64_t>(most)};
  }
  Interval out = full(type);
  out.overflows = true;
  return out;
}

// The largest magnitude in the range.
WideInteger size_of(const Interval& range) {
  const WideInteger least = range.least, most = range.most;
  return std::max(least < 0 ? -least : least, most < 0 ? -most : most);
}

Interval quotient(const Interval& a, const Interval& b, Scalar type) {
  const WideInteger size = size_of(a);
  const WideInteger least_divisor = b.least > 0 ? b.least : b.most < 0 ? -WideInteger{b.most} : 1;
  const bool same_sign = a.least >= 0 && b.least >= 0;
  return between(same_sign ? WideInteger{0} : -(size / least_divisor), size / least_divisor, type);
}

Interval remainder(const Interval& a, const Interval& b) {
  const WideInteger divisor = size_of(b);
  const WideInteger most = std::max<WideInteger>(0, std::min(size_of(a), divisor - 1));
  const auto bound = static_cast<int64_t>(std::min<WideInteger>(most, INT64_MAX));
  return {a.least < 0 ? -bound : 0, a.most > 0 ? bound : 0};
}

// The smallest 2^k - 1 that is at least `most`.
int64_t ones(int64_t most) {
  int64_t out = 1;
  while (out < most) out = out * 2 + 1;
  return out;
}

Interval bits(Op op, const Interval& a, const Interval& b, Scalar type) {
  const bool natural = a.least >= 0 && b.least >= 0;
  if (op == Op::BitAnd) {
    if (natural) return {0, std::min(a.most, b.most)};
    if (a.least >= 0) return {0, a.most};
    return b.least >= 0 ? Interval{0, b.most} : full(type);
  }
  return natural ? Interval{0, ones(std::max(a.most, b.most))} : full(type);
}

Interval shifted(Op op, const Interval& a, const Interval& count, Scalar type) {
  if (count.least != count.most) {
    if (op == Op::Shl) return full(type);
    // a right shift moves values towards 0 or -1
    return {std::min<int64_t>(a.least, 0), std::max<int64_t>(a.most, -1)};
  }
  const int64_t by = count.least & (type == Scalar::I64 ? 63 : 31);
  if (op == Op::Shr) return {a.least >> by, a.most >> by};
  const WideInteger factor = WideInteger{1} << by;
  const Interval out = between(a.least * factor, a.most * factor, type);
  return out.overflows ? full(type) : out;  // bits that are shifted out are dropped by definition
}

}  // namespace

std::optional<WideInteger> exact_value(Op op, int64_t a, int64_t b) {
  const WideInteger x = a, y = b;
  switch (op) {
    case Op::Neg:
      return -x;
    case Op::Add:
      return x + y;
    case Op::Sub:
      return x - y;
    case Op::Mul:
      return x * y;
    case Op::Abs:
      return x < 0 ? -x : x;
    case Op::Div:
      return y == 0 ? std::nullopt : std::optional(x / y);
    default:
      return std::nullopt;
  }
}

IntegerRanges::IntegerRanges(const Program& program, const Box* region, int64_t margin)
    : program_(program), region_(region), margin_(margin) {
  for (const Param& param : program.params) params_.push_back(full(param.type));
  const auto bound = [&](const Affine& end) {
    if (end.terms.size() != 1 || magnitude(end.terms[0].second) != 1) return;
    Interval& range = params_[end.terms[0].first];
    const int64_t far = kLargestCoordinate + std::min(magnitude(end.constant), int64_t{1} << 61);
    range.least = std::max(range.least, -far);
    range.most = std::min(range.most, far);
  };
  const auto bound_box = [&](const Box& box) {
    for (const ir::Range& range : box.ranges) {
      bound(range.low);
      bound(range.high);
    }
  };
  for (const Domain& domain : program.domains) bound_box(domain.box);
  extents_.assign(program.params.size(), 0);
  for (const Range& range : program.grid().ranges) {
    const Affine extent = range.high - range.low;
    for (const auto& [id, times] : extent.terms) extents_[id] += times == 1;
  }
  for (const Field& field : program.fields) bound_box(field.box);
}

Interval IntegerRanges::param(ParamId id) const {
  return params_[id];
}

Interval IntegerRanges::leaf(const Node& node) const {
  if (const auto* constant = std::get_if<Constant>(&node.kind)) {
    return {constant->integer, constant->integer, false, true};
  }
  if (const auto* read = std::get_if<ParamRef>(&node.kind)) return param(read->param);
  if (const auto* index = std::get_if<Index>(&node.kind)) {
    const size_t d = static_cast<size_t>(index->dimension);
    if (!region_ || d >= region_->ranges.size()) return full(node.type);
    const ir::Range& range = region_->ranges[d];
    const bool low = range.low.is_constant(), high = range.high.is_constant();
    const int64_t least = low ? range.low.constant - margin_ : -kLargestCoordinate;
    const int64_t most = high  ? range.high.constant + margin_
                         : low ? range.low.constant + kLargestCoordinate
                               : kLargestCoordinate;
    return {least, std::max(least, most), false, low && high};
  }
  if (std::holds_alternative<Time>(node.kind)) {
    const bool known = margin_ == 0 && program_.steps && program_.steps->is_constant();
    if (known) return {0, std::max<int64_t>(0, program_.steps->constant - 1), false, true};
    // A run may have another number of steps than the program gives.
    return {-margin_, INT32_MAX - margin_};
  }
  if (const auto* access = std::get_if<Access>(&node.kind)) {
    const Field& field = program_.fields[access->field];
    return full(field.components[access->component].type);
  }
  return full(node.type);
}

Interval IntegerRanges::operation(const Graph& graph, const Node& node,
                                  const Operation& operation) const {
  const Scalar type = node.type;
  std::vector<Interval> in;
  bool decided = true;
  const size_t first = operation.op == Op::Select ? 1 : 0;
  for (size_t i = first; i < operation.operands.size(); ++i) {
    const NodeId operand = operation.operands[i];
    if (!is_integer(graph[operand].type)) return full(type);
    in.push_back((*this)[operand]);
    decided = decided && in.back().decided;
  }
  const Interval& a = in.front();
  const Interval& b = in.back();
  const WideInteger al = a.least, am = a.most, bl = b.least, bm = b.most;
  Interval out = full(type);
  switch (operation.op) {
    case Op::Neg:
    case Op::WrapNeg:
      out = between(-am, -al, type);
      break;
    case Op::Add:
    case Op::WrapAdd:
      out = between(al + bl, am + bm, type);
      break;
    case Op::Sub:
    case Op::WrapSub:
      out = between(al - bm, am - bl, type);
      break;
    case Op::Mul:
    case Op::WrapMul: {
      const auto [least, most] = std::minmax({al * bl, al * bm, am * bl, am * bm});
      out = between(least, most, type);
      break;
    }
    case Op::Abs:
    case Op::WrapAbs:
      out = between(al > 0 ? al : am < 0 ? -am : WideInteger{0}, size_of(a), type);
      break;
    case Op::Div:
      out = quotient(a, b, type);
      break;
    case Op::Mod:
      out = remainder(a, b);
      break;
    case Op::Min:
      out = {std::min(a.least, b.least), std::min(a.most, b.most)};
      break;
    case Op::Max:
      out = {std::max(a.least, b.least), std::max(a.most, b.most)};
      break;
    case Op::Select:
      out = {std::min(a.least, b.least), std::max(a.most, b.most)};
      break;
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
      out = bits(operation.op, a, b, type);
      break;
    case Op::BitNot:
      out = {~a.most, ~a.least};
      break;
    case Op::Shl:
    case Op::Shr:
      out = shifted(operation.op, a, b, type);
      break;
    case Op::Convert: {
      const IntegerRange held = integer_range(type);
      if (a.least >= held.least && a.most <= held.most) out = {a.least, a.most};
      break;
    }
    default:
      break;
  }
  out.decided = decided;
  return out;
}

std::optional<IntegerRanges::Form> IntegerRanges::form_of(const Graph& graph,
                                                          const Node& node) const {
  const size_t rank = region_ ? region_->ranges.size() : 0;
  Form out{{}, std::vector<int64_t>(rank, 0)};
  if (const auto* constant = std::get_if<Constant>(&node.kind)) {
    if (magnitude(constant->integer) > kLargestTerm) return std::nullopt;
    out.affine.constant = constant->integer;
    return out;
  }
  if (const auto* read = std::get_if<ParamRef>(&node.kind)) {
    out.affine.terms.emplace_back(read->param, 1);
    return out;
  }
  if (const auto* index = std::get_if<Index>(&node.kind)) {
    if (static_cast<size_t>(index->dimension) >= rank) return std::nullopt;
    out.indices[index->dimension] = 1;
    return out;
  }
  const auto* operation = std::get_if<Operation>(&node.kind);
  if (!operation || operation->operands.size() > 2) return std::nullopt;
  for (const NodeId operand : operation->operands) {
    if (!is_integer(graph[operand].type) || !known_[operand].form) {
      return std::nullopt;
    }
  }
  const Form& a = *known_[operation->operands.front()].form;
  const Form& b = *known_[operation->operands.back()].form;
  int64_t times_a = 1, times_b = 0;
  switch (operation->op) {
    case Op::Convert:
      break;
    case Op::Neg:
      times_a = -1;
      break;
    case Op::Add:
      times_b = 1;
      break;
    case Op::Sub:
      times_b = -1;
      break;
    default:
      return std::nullopt;
  }
  out.affine = a.affine * times_a + b.affine * times_b;
  for (size_t d = 0; d < rank; ++d)
    out.indices[d] = a.indices[d] * times_a + b.indices[d] * times_b;
  bool small = magnitude(out.affine.constant) <= kLargestTerm;
  for (const auto& [id, times] : out.affine.terms) small = small && magnitude(times) <= 64;
  for (const int64_t times : out.indices) small = small && magnitude(times) <= 64;
  return small ? std::optional(out) : std::nullopt;
}

// The range of a form: its value with each coordinate at the end that makes it smallest or largest.
std::optional<Interval> IntegerRanges::range_of(const Form& form) const {
  Interval out{};
  for (const bool most : {false, true}) {
    const int64_t sign = most ? 1 : -1;
    Affine end = form.affine;
    for (size_t d = 0; d < form.indices.size(); ++d) {
      const int64_t times = form.indices[d];
      if (times == 0) continue;
      const Range& range = region_->ranges[d];
      const bool high = (times > 0) == most;
      const Affine bound = high ? range.high + margin_ : range.low - margin_;
      end = end + bound * times;
    }
    WideInteger value = end.constant;
    int64_t several = 0;
    WideInteger alone = 0;  // the term of the extent, if there is only one
    for (const auto& [id, times] : end.terms) {
      const Interval& range = params_[id];
      const WideInteger term =
          WideInteger{times} * ((times > 0) == most ? range.most : range.least);
      if (times * sign > 0 && times * sign <= extents_[id]) {
        several += magnitude(times);
        alone = term;
      } else {
        value += term;
      }
    }
    value += several > 1 ? WideInteger{sign * kLargestSum} : alone;
    if (value < -(WideInteger{1} << 62) || value > (WideInteger{1} << 62)) return std::nullopt;
    (most ? out.most : out.least) = static_cast<int64_t>(value);
  }
  return out.least <= out.most ? std::optional(out) : std::nullopt;
}

Interval IntegerRanges::of(const Graph& graph, const Node& node) const {
  if (!is_integer(node.type)) return full(node.type);
  const auto* operation = std::get_if<Operation>(&node.kind);
  Interval range = operation ? this->operation(graph, node, *operation) : leaf(node);
  if (!operation || !range.overflows) return range;
  const auto form = form_of(graph, node);
  if (!form) return range;
  if (const auto tight = range_of(*form)) {
    const IntegerRange held = integer_range(node.type);
    if (held.holds(tight->least) && held.holds(tight->most)) {
      return {tight->least, tight->most, false, range.decided};
    }
  }
  return range;
}

void IntegerRanges::append(const Graph& graph, const Node& node, NodeId id) {
  if (static_cast<size_t>(id) < known_.size()) return;
  Known known{of(graph, node), std::nullopt};
  if (is_integer(node.type)) known.form = form_of(graph, node);
  if (known.range.overflows) known.form.reset();
  known_.push_back(std::move(known));
}

}  // namespace stencil::ir
