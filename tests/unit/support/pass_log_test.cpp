// The log of passes: times, texts and names, and that it records nothing unless it is active.
#include "compiler/support/pass_log.h"

#include <gtest/gtest.h>

namespace stencil {
namespace {

int doubled(int value) {
  return run_pass(
      "double", [&] { return 2 * value; }, [](int made) { return std::to_string(made) + "\n"; },
      [](int) { return std::vector<std::string>(); });
}

TEST(PassLog, RecordsNamesRunsAndTexts) {
  PassLog log({"double"});
  {
    const PassLog::Scope scope(log);
    EXPECT_EQ(doubled(3), 6);
    EXPECT_EQ(doubled(4), 8);
  }
  EXPECT_EQ(log.names(), std::vector<std::string>{"double"});
  EXPECT_EQ(log.texts(), "-- after double\n6\n-- after double\n8\n");
  EXPECT_NE(log.times().find("     2  double\n"), std::string::npos) << log.times();
  EXPECT_TRUE(log.unknown().empty());
}

TEST(PassLog, PrintsOnlyWhatWasAsked) {
  PassLog log({"other"});
  const PassLog::Scope scope(log);
  doubled(1);
  EXPECT_EQ(log.texts(), "");
  EXPECT_EQ(log.unknown(), std::vector<std::string>{"other"});
}

TEST(PassLog, IsInactiveOutsideOfItsScope) {
  PassLog outer, inner;
  {
    const PassLog::Scope first(outer);
    {
      const PassLog::Scope second(inner);
      doubled(1);
    }
    EXPECT_EQ(PassLog::active(), &outer);
  }
  EXPECT_EQ(PassLog::active(), nullptr);
  doubled(1);
  EXPECT_TRUE(outer.names().empty());
  EXPECT_EQ(inner.names().size(), 1u);
}

TEST(PassLogDeathTest, ViolationsEndTheProcess) {
  EXPECT_DEATH(require_sound("double", {"it is odd"}), "after pass 'double': it is odd");
  require_sound("double", {});
}

}  // namespace
}  // namespace stencil
