// Random values. To take both outcomes of a branch on data or scalars, values must lie on both
// sides of the value that the branch compares with. So constants of the code and their neighbours
// are drawn often, and scalars often get the constants that they are compared with.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/api/lift_memory.h"

namespace stencil::api {

using lifter::CScalar;
using lifter::X;
using lifter::XKind;

LiftValues::LiftValues(const lifter::Lifted& lifted, uint64_t seed)
    : lifted_(lifted), random_(seed) {
  for (const lifter::CNode& node : lifted.tree.nodes) {
    if (node.kind == lifter::CKind::Int) integers_.push_back(node.integer);
    // a conversion changes values beyond the range of a narrow type
    if (node.kind == lifter::CKind::Cast && node.type >= 0) {
      const lifter::CScalar to = lifted.tree.types[node.type].scalar;
      const int bits = lifter::is_integer(to) && to != lifter::CScalar::Bool ? bits_of(to) : 64;
      if (bits < 32)
        integers_.insert(integers_.end(), {int64_t{1} << (bits - 1), int64_t{1} << bits});
    }
    if (node.kind == lifter::CKind::Real) reals_.push_back(node.real);
  }
  const lifter::Execution& execution = lifted.execution;
  for (const auto& nest : execution.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const lifter::Store& store : leaf) note(store.value);
      }
    }
  }
  for (const auto& [condition, why] : execution.requirements) note(condition);
  for (const auto& reduction : execution.reductions) note(reduction.value);
  for (const auto& left : execution.left) note(left.value);
  for (X x : {execution.steps, execution.stop}) note(x);
  std::sort(integers_.begin(), integers_.end());
  integers_.erase(std::unique(integers_.begin(), integers_.end()), integers_.end());
  std::sort(reals_.begin(), reals_.end());
  reals_.erase(std::unique(reals_.begin(), reals_.end()), reals_.end());
  for (int64_t whole : integers_) reals_.push_back(static_cast<double>(whole));
  if (reals_.empty()) reals_ = {0, 1};
  if (integers_.empty()) integers_ = {0, 1};
}

void LiftValues::note(X x) {
  if (x == nullptr) return;
  lifter::each_node(x, [&](X n) {
    if (n->kind != XKind::Binary || n->args.size() != 2) return;
    for (size_t side = 0; side < 2; ++side) {
      X symbol = n->args[side], constant = n->args[1 - side];
      while (symbol->kind == XKind::Cast) symbol = symbol->args[0];
      if (symbol->kind != XKind::Symbol || !lifter::is_constant(constant)) continue;
      compared_[symbol->id].push_back(
          constant->kind == XKind::Int ? static_cast<double>(constant->integer) : constant->real);
    }
  });
}

double LiftValues::real(LiftData data, CScalar type, const LiftCase& one) {
  const bool single = type == CScalar::F32;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (data) {
    case LiftData::Mild:
      return uniform(0.5, 1.5);
    case LiftData::Constants: {
      if (below(2) == 0) break;
      double value = pick(reals_);
      if (!one.reals.empty() && below(3) == 0) {
        auto at = one.reals.begin();
        std::advance(at, static_cast<long>(below(one.reals.size())));
        value = at->second;
      }
      switch (below(5)) {
        case 0:
          return single ? static_cast<double>(std::nextafterf(static_cast<float>(value), 1e30F))
                        : std::nextafter(value, infinity);
        case 1:
          return single ? static_cast<double>(std::nextafterf(static_cast<float>(value), -1e30F))
                        : std::nextafter(value, -infinity);
        case 2:
          return -value;
        case 3:
          return value * uniform(0.5, 2);
        default:
          return value;
      }
    }
    case LiftData::Wide: {
      if (below(5) == 0) break;
      const double sign = below(2) == 0 ? 1 : -1;
      if (below(10) == 0) {
        using Float = std::numeric_limits<float>;
        using Double = std::numeric_limits<double>;
        switch (below(3)) {
          case 0:
            return sign * (single ? static_cast<double>(Float::max()) : Double::max());
          case 1:
            return sign * (single ? static_cast<double>(Float::min()) : Double::min());
          default:
            return sign *
                   (single ? static_cast<double>(Float::denorm_min()) : Double::denorm_min());
        }
      }
      const int most = single ? 60 : 400;
      return std::ldexp(sign * uniform(1, 2), static_cast<int>(below(2 * most)) - most);
    }
    case LiftData::Special:
      switch (below(40)) {
        case 0:
          return infinity;
        case 1:
          return -infinity;
        case 2:
          return std::numeric_limits<double>::quiet_NaN();
        default:
          break;
      }
      break;
    case LiftData::Signed:
      break;
  }
  if (below(3) == 0) return uniform(-2, 2);
  const double quarter = static_cast<double>(static_cast<int64_t>(below(17)) - 8) / 4;
  return quarter == 0 && below(2) == 0 ? -0.0 : quarter;  // zeros of both signs
}

int64_t LiftValues::integer(LiftData data, CScalar type) {
  if (type == CScalar::Bool) return static_cast<int64_t>(below(2));
  int64_t value = 0;
  switch (data) {
    case LiftData::Mild:
      return static_cast<int64_t>(below(5));
    case LiftData::Constants:
      value = below(3) == 0 ? static_cast<int64_t>(below(11)) - 5
                            : pick(integers_) + static_cast<int64_t>(below(3)) - 1;
      if (below(5) == 0) value = -value;
      break;
    case LiftData::Wide: {
      const auto unused = static_cast<unsigned>(64 - 8 * static_cast<int>(bytes_of(type)));
      if (below(12) == 0) {  // minimum or maximum of the type
        value = lifter::is_unsigned(type) ? -1 : static_cast<int64_t>(~uint64_t{0} >> 1 >> unused);
        if (below(2) == 0) value = lifter::is_unsigned(type) ? 0 : -value - 1;
      } else {
        value = static_cast<int64_t>(random_() >> unused >> below(64 - unused));
        if (below(2) == 0) value = -value;
      }
      break;
    }
    case LiftData::Special:
      value = static_cast<int64_t>(below(201)) - 100;
      break;
    case LiftData::Signed:
      value = static_cast<int64_t>(below(11)) - 5;
      break;
  }
  return stored_as(value, type);
}

// Unsigned longs are limited to 62 bits, as in the program.
int64_t LiftValues::integer_for(int symbol, LiftData data, size_t turn) {
  const int64_t value = any_integer_for(symbol, data, turn);
  const CScalar type = lifted_.execution.symbols[symbol].type;
  return type == CScalar::U64 ? value & ((int64_t{1} << 62) - 1) : value;
}

int64_t LiftValues::any_integer_for(int symbol, LiftData data, size_t turn) {
  const CScalar type = lifted_.execution.symbols[symbol].type;
  if (type == CScalar::Bool) return static_cast<int64_t>(below(2));
  const auto known = compared_.find(symbol);
  // stagger the symbols so that their values combine
  switch ((turn + static_cast<size_t>(symbol)) % 6) {
    case 0:
      return below(3) == 0 ? 0 : static_cast<int64_t>(1 + below(9));
    case 1:
      return stored_as(-1 - static_cast<int64_t>(below(9)), type);
    case 2:
      return integer(LiftData::Constants, type);
    case 3:
      if (data != LiftData::Mild) return integer(LiftData::Wide, type);
      [[fallthrough]];
    default:
      if (known == compared_.end()) return integer(data, type);
      const double near = std::clamp(pick(known->second), -9e18, 9e18);
      const int64_t offset = below(3) == 0 ? static_cast<int64_t>(below(3)) - 1 : 0;
      return stored_as(static_cast<int64_t>(near) + offset, type);
  }
}

std::vector<double> LiftValues::noise() {
  std::vector<double> out(kNoise);
  for (double& value : out) {
    switch (below(3)) {
      case 0:
        value = static_cast<double>(static_cast<int64_t>(below(17)) - 8) / 4;
        break;
      case 1:
        value = static_cast<double>(static_cast<int64_t>(below(11)) - 5);
        break;
      default:
        value = std::clamp(pick(reals_) + static_cast<double>(below(3)) - 1, -1e9, 1e9);
    }
  }
  return out;
}

double LiftValues::real_for(int symbol, LiftData data, const LiftCase& one) {
  const CScalar type = lifted_.execution.symbols[symbol].type;
  const auto known = compared_.find(symbol);
  double value = 0;
  if (known != compared_.end() && below(3) == 0) {
    value = pick(known->second);
    if (below(2) == 0) value += uniform(-1, 1);
  } else {
    // If a coefficient were NaN or infinite, all results would be NaN.
    value = real(data == LiftData::Special ? LiftData::Signed : data, type, one);
  }
  return type == CScalar::F32 ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace stencil::api
