// `stencilc verify`: the budget, and what the last lines and the exit status claim.
#include <regex>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

class VerifyCommand : public Tool {
 protected:
  VerifyCommand() { write("heat.stn", kHeat); }
  bool has_host() const {
    return std::regex_search(stencilc("devices").out, std::regex("\nhost +yes"));
  }
  static std::string last_line(const std::string& text) {
    const size_t end = text.find_last_not_of('\n');
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
  }
  const std::string few_ = "verify heat.stn --quick --device host --schedule direct";
};

TEST_F(VerifyCommand, SaysVerifiedIfAllCasesWereRun) {
  if (!has_host()) GTEST_SKIP() << "no host device";
  const Outcome all = stencilc(few_ + " --full");
  EXPECT_EQ(all.status, 0) << all.out << all.err;
  std::smatch counts;
  const std::string last = last_line(all.out);
  ASSERT_TRUE(std::regex_match(last, counts, std::regex("(\\d+) of (\\d+) cases"))) << all.out;
  EXPECT_EQ(counts[1], counts[2]);
  EXPECT_TRUE(holds(all.out, "\nverified: 1 agree with the reference, 0 refused, 0 wrong; "));
}

TEST_F(VerifyCommand, ClaimsNoCaseThatWasNotRun) {
  if (!has_host()) GTEST_SKIP() << "no host device";
  const Outcome none = stencilc(few_ + " --budget 0");
  EXPECT_EQ(none.status, 3) << none.out << none.err;
  EXPECT_TRUE(holds(none.out, "incomplete: 0 agree with the reference, 0 refused, 0 wrong; "));
  EXPECT_FALSE(holds(none.out, "verified")) << none.out;
  EXPECT_FALSE(holds(none.out, "same bits")) << none.out;
  EXPECT_FALSE(holds(none.out, "sizes:")) << none.out;
  const std::string last = last_line(none.out);
  EXPECT_TRUE(std::regex_match(
      last, std::regex("0 of [1-9]\\d* cases; nothing was compared: no case fits into 0 s; give a "
                       "larger --budget, or --full")))
      << none.out;
}

// A program that every schedule refuses is not verified.
TEST_F(VerifyCommand, FailsIfNothingCanBeCompared) {
  if (!has_host()) GTEST_SKIP() << "no host device";
  const Outcome refused =
      stencilc("verify heat.stn --quick --device host --schedule 'overlapped T=64 block=8x8'");
  EXPECT_EQ(refused.status, 3) << refused.out << refused.err;
  EXPECT_TRUE(holds(refused.out, "nothing was compared: every schedule was refused"))
      << refused.out;
  EXPECT_FALSE(holds(refused.out, "verified")) << refused.out;
}

TEST_F(VerifyCommand, TakesABudgetOrAllCases) {
  const Outcome both = stencilc(few_ + " --budget 5 --full");
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(holds(both.err, "excludes --")) << both.err;
  const Outcome negative = stencilc(few_ + " --budget -1");
  EXPECT_EQ(negative.status, 2);
  EXPECT_TRUE(holds(negative.err, "--budget takes a number of seconds from 0 to 1e6"))
      << negative.err;
}

}  // namespace
}  // namespace stencil
