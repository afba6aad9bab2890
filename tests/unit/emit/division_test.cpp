// The helpers that replace division by multiplication, compiled and
// compared bit for bit with division.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "compiler/emit/helpers.h"
#include "compiler/support/division.h"
#include "tests/unit/emit/host_library.h"

namespace stencil::emit {
namespace {

// Exports each helper as a loop over arrays: out[i] = stencil_NAME(in[i], c, z).
std::string loops() {
  std::string text = "#include <math.h>\n";
  text += helper_text(
      {"divide_odd_float", "divide_even_float", "divide_odd_double", "divide_even_double"},
      opencl_dialect());
  for (const std::string type : {"float", "double"}) {
    for (const std::string kind : {"odd", "even"}) {
      const std::string name = "divide_" + kind + "_" + type;
      text += "extern \"C\" void " + name + "(const " + type + "* in, " + type + "* out, long n, " +
              type + " c, " + type + " z) {\n  for (long i = 0; i < n; ++i) out[i] = stencil_" +
              name + "(in[i], c, z);\n}\n";
    }
  }
  return text;
}

template <class Real>
using Bits = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;

// Dividends, many of them hard cases: quotients next to (or at) the midpoint of two numbers, also
// of subnormal ones, and random bit patterns.
template <class Real>
std::vector<Real> dividends(Real c, size_t count) {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> out = {0,
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           c / 2 * Limits::denorm_min()};
  std::mt19937_64 random(7);
  const auto bits = [&](int count_of_bits) { return random() >> (64 - count_of_bits); };
  while (out.size() < count) {
    out.push_back(std::bit_cast<Real>(static_cast<Bits<Real>>(random())));
    out.push_back(std::bit_cast<Real>(static_cast<Bits<Real>>(bits(sizeof(Real) == 4 ? 24 : 53))));
    // c times (2 j + 1) / 2 units of a random size, and its neighbours.
    const int length = 1 + static_cast<int>(random() % Limits::digits);
    const long double midpoint = static_cast<long double>(bits(length)) + 0.5L;
    const int low = Limits::min_exponent - Limits::digits;
    const int range = random() % 2 ? 1 : Limits::max_exponent - low;
    const int unit = low + static_cast<int>(random() % static_cast<unsigned>(range));
    Real x = static_cast<Real>(std::ldexp(midpoint * static_cast<long double>(c), unit));
    for (int step = 0; step < 3; ++step) {
      out.push_back(x);
      x = std::nextafter(x, step == 0 ? Real(0) : Limits::infinity());
      if (step == 1) x = std::nextafter(x, Limits::infinity());
    }
  }
  const size_t half = out.size();
  for (size_t i = 0; i < half; ++i) out.push_back(-out[i]);
  return out;
}

template <class Real>
void compare_with_divisions(const testing_support::HostLibrary& library, Real c) {
  const bool single = sizeof(Real) == 4;
  const auto form = multiply_out(c, single ? Scalar::F32 : Scalar::F64);
  ASSERT_TRUE(form) << c;
  const std::string kind = form->kind == MultipliedDivision::Kind::Odd ? "odd" : "even";
  const std::string name = "divide_" + kind + (single ? "_float" : "_double");
  auto* run = library.get<void(const Real*, Real*, long, Real, Real)>(name.c_str());
  ASSERT_TRUE(run);
  const std::vector<Real> in = dividends(c, 300000);
  std::vector<Real> out(in.size());
  run(in.data(), out.data(), static_cast<long>(in.size()), c, static_cast<Real>(form->reciprocal));
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const Real expected = in[i] / c;
    const bool same = std::isnan(expected) ? std::isnan(out[i])
                                           : std::bit_cast<Bits<Real>>(expected) ==
                                                 std::bit_cast<Bits<Real>>(out[i]);
    if (!same && wrong++ == 0) ADD_FAILURE() << in[i] << " / " << c << " is not " << out[i];
  }
  EXPECT_EQ(wrong, 0) << "for " << c;
}

class Division : public testing::Test {
 protected:
  static const testing_support::HostLibrary& library() {
    static const testing_support::HostLibrary loaded(loops(),
                                                     "-O2 -march=native -ffp-contract=off");
    return loaded;
  }
};

TEST_F(Division, OfFloatsIsExact) {
  for (const float c : {3.0f, 5.0f, 6.0f, 7.0f, 9.0f, 10.0f, 12.0f, 41.0f, 82.0f, 94.0f, 118.0f,
                        159.0f, 1000.0f, 0x1p20f - 3, 0x1p20f - 2, 0x1p20f - 1}) {
    compare_with_divisions<float>(library(), c);
  }
}

TEST_F(Division, OfDoublesIsExact) {
  for (const double c : {3.0, 6.0, 7.0, 9.0, 10.0, 49.0, 82.0, 98.0, 118.0, 159.0, 1e6, 1e14,
                         0x1p49 - 2, 0x1p49 - 1}) {
    compare_with_divisions<double>(library(), c);
  }
}

}  // namespace
}  // namespace stencil::emit
