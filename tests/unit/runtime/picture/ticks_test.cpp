#include "runtime/picture/ticks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stencil::runtime {
namespace {

// Ticks as text: "0 0.5 1 [common]".
std::string labels(double low, double high, int most, bool whole = false) {
  const Ticks ticks = ticks_between(low, high, most, whole);
  std::string out;
  for (const Tick& mark : ticks.marks) out += (out.empty() ? "" : " ") + mark.label;
  return ticks.common.empty() ? out : out + " [" + ticks.common + "]";
}

TEST(Ticks, AreAtRoundNumbers) {
  EXPECT_EQ(labels(0, 1, 6), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels(-0.24, 0.2057, 5), "−0.2 −0.1 0.0 0.1 0.2");
  EXPECT_EQ(labels(3, 97, 5), "20 40 60 80");
  EXPECT_EQ(labels(0, 3, 30, true), "0 1 2 3");  // indices have no fractions
  EXPECT_EQ(labels(0, 1234567, 3, true), "0 500000 1000000");
  const Ticks tenths = ticks_between(0, 1, 11);
  EXPECT_EQ(tenths.marks[3].value, 0.3);
}

TEST(Ticks, ShareCommonOffsetsAndFactors) {
  EXPECT_EQ(labels(0, 3e9, 4), "0 1 2 3 [×10⁹]");
  EXPECT_EQ(labels(-2e-7, 1e-7, 4), "−2 −1 0 1 [×10⁻⁷]");
  EXPECT_EQ(labels(100000, 100000.0078125, 5), "0.000 0.002 0.004 0.006 [+ 100000]");
  EXPECT_EQ(labels(1e10 + 1, 1e10 + 4, 4), "1 2 3 4 [+ 1×10¹⁰]");
  EXPECT_EQ(labels(-3 - 4e-9, -3 + 4e-9, 3), "0.8 1.0 1.2 [×10⁻⁸ − 3.00000001]");
}

TEST(Ticks, OfExtremeRangesStayInside) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double next = std::nextafter(1.0, 2.0);
  for (const auto& [low, high] : {std::pair{-largest, largest},
                                  {0.0, largest},
                                  {0.0, smallest},
                                  {-smallest, smallest},
                                  {1.0, next},
                                  {-next, -1.0},
                                  {-largest, -largest / 2},
                                  {1.9, 4.1},
                                  {-1e-300, 1e300}}) {
    for (const int most : {1, 2, 7, 12}) {
      const Ticks ticks = ticks_between(low, high, most);
      ASSERT_FALSE(ticks.marks.empty()) << low << " " << high;
      EXPECT_LE(ticks.marks.size(), static_cast<size_t>(most + 1));
      double before = -std::numeric_limits<double>::infinity();
      for (const Tick& mark : ticks.marks) {
        EXPECT_GE(mark.value, low);
        EXPECT_LE(mark.value, high);
        EXPECT_GT(mark.value, before);
        EXPECT_LE(mark.label.size(), 12u) << mark.label;
        before = mark.value;
      }
    }
  }
}

TEST(Ticks, HandleOneValueAndNegativeZero) {
  EXPECT_EQ(labels(7, 7, 5), "7");
  EXPECT_EQ(labels(-0.0, 0.0, 5), "0");
  EXPECT_EQ(labels(-0.0, -0.0, 5), "0");
  EXPECT_EQ(labels(-0.0, 1, 2), "0 1");
}

TEST(Ticks, TitleNumbersAreShort) {
  for (const auto& [value, text] : {std::pair{0.0, "0"},
                                    {-0.0, "0"},
                                    {0.395213, "0.3952"},
                                    {-2.0, "−2"},
                                    {512.0, "512"},
                                    {100000.0078, "100000"},
                                    {123456.0, "123456"},
                                    {1.5e9, "1.5×10⁹"},
                                    {-3.2e-12, "−3.2×10⁻¹²"},
                                    {0.0012, "0.0012"},
                                    {9.99999e8, "1×10⁹"},
                                    {99999.99, "100000"}}) {
    EXPECT_EQ(print_number(value), text) << value;
  }
  EXPECT_EQ(print_number(100000.0078125, 10), "100000.0078");
}

}  // namespace
}  // namespace stencil::runtime
