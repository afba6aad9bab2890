// Constant folding compared bit for bit with the kernels of the reference interpreter.
#include "compiler/ir/known.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "compiler/reference/kernels.h"
#include "compiler/reference/scalar_types.h"

namespace stencil::ir {
namespace {

const std::vector<Scalar> kTypes = {Scalar::Bool, Scalar::I32, Scalar::I64, Scalar::F32,
                                    Scalar::F64};

// Values that distinguish roundings, signs and widths.
std::vector<Constant> values_of(Scalar type) {
  std::vector<Constant> values;
  if (type == Scalar::Bool) return {{0, 0}, {0, 1}};
  if (is_float(type)) {
    for (double real : {0.0, -0.0, 1.0, -2.5, 0.1, 3.0, 1e-30, 1e30, 16777217.0, -0x1.8p-149, 1e300,
                        2147483647.5, 0.3333333333}) {
      values.push_back(known_real(type, real));
    }
    return values;
  }
  for (int64_t integer : {0, 1, -1, 2, 7, -3, 33, INT32_MAX, INT32_MIN}) {
    values.push_back({0, integer});
  }
  if (type == Scalar::I64) {
    for (int64_t integer :
         {INT64_MAX, INT64_MIN, (int64_t{1} << 53) + 1, int64_t{16777217} << 20}) {
      values.push_back({0, integer});
    }
  }
  return values;
}

// The interpreter's value; nullopt if it has no such operation.
std::optional<Constant> interpreted(Op op, Scalar type, const std::vector<Scalar>& types,
                                    const std::vector<Constant>& operands) {
  const reference::Kernel kernel = reference::kernel_for(op, type, types);
  if (!kernel) return std::nullopt;
  alignas(8) unsigned char rows[3][8] = {}, out[8] = {};
  const void* in[3] = {rows[0], rows[1], rows[2]};
  for (size_t i = 0; i < operands.size(); ++i) {
    reference::fill(types[i], operands[i].real, operands[i].integer, rows[i], 1);
  }
  kernel(out, in, 1);
  return reference::with_type(type, [&](auto zero) -> Constant {
    using T = decltype(zero);
    if constexpr (reference::kIsStorage<T>) {
      return {};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {*reinterpret_cast<const T*>(out), 0};
    } else {
      return {0, *reinterpret_cast<const T*>(out)};
    }
  });
}

bool same(const Constant& a, const Constant& b) {
  if (std::isnan(a.real) && std::isnan(b.real)) return true;
  return a.integer == b.integer &&
         std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real);
}

int compare_all(Op op, Scalar type, const std::vector<Scalar>& types) {
  int compared = 0;
  const auto first = values_of(types[0]);
  const auto second = types.size() > 1 ? values_of(types[1]) : std::vector<Constant>{{}};
  const auto third = types.size() > 2 ? values_of(types[2]) : std::vector<Constant>{{}};
  for (const Constant& a : first) {
    for (const Constant& b : second) {
      for (const Constant& c : third) {
        std::vector<Constant> operands = {a, b, c};
        operands.resize(types.size());
        const auto expected = interpreted(op, type, types, operands);
        if (!expected) return compared;
        ++compared;
        const Constant got = evaluate_known(op, type, types[0], operands);
        EXPECT_TRUE(same(got, *expected))
            << name(op) << " of " << name(types[0]) << ": " << a.real << "/" << a.integer << " "
            << b.real << "/" << b.integer << " " << c.real << "/" << c.integer << " gives "
            << got.real << "/" << got.integer << ", not " << expected->real << "/"
            << expected->integer;
      }
    }
  }
  return compared;
}

TEST(EvaluateKnown, EqualsTheInterpreterBitForBit) {
  for (int o = 0; o < static_cast<int>(Op::Convert); ++o) {
    const Op op = static_cast<Op>(o);
    int compared = 0;
    for (Scalar type : kTypes) {
      std::vector<Scalar> types(static_cast<size_t>(arity(op)), type);
      if (op == Op::Select) types[0] = Scalar::Bool;
      const bool logical = op == Op::And || op == Op::Or || op == Op::Not;
      if (type == Scalar::Bool && !logical && op != Op::Select) continue;  // not in the language
      if (op == Op::Fma && is_integer(type)) continue;
      compared += compare_all(op, is_comparison(op) ? Scalar::Bool : type, types);
    }
    EXPECT_GT(compared, 0) << name(op);
  }
  for (Scalar from : kTypes) {
    for (Scalar to : kTypes) EXPECT_GT(compare_all(Op::Convert, to, {from}), 0);
  }
}

TEST(EvaluateKnown, RoundsAFloatFusedMultiplyAddOnce) {
  // Just below the midpoint of 1 + 2^-23 and 1 + 2^-22; rounding to
  // double first gives the midpoint.
  const std::vector<Constant> operands = {{0x1.0002p-12, 0}, {0x1.fffcp-13, 0}, {0x1.000002p0, 0}};
  EXPECT_EQ(evaluate_known(Op::Fma, Scalar::F32, Scalar::F32, operands).real, 0x1.000002p0);
}

}  // namespace
}  // namespace stencil::ir
