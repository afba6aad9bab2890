// The reference lists the settings as the families' tables do.
#include "compiler/schedule/reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/schedule/settings.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

// STENCIL_REBASE=1 writes the table of settings again.
TEST(Reference, HasTheTableOfSettings) {
  const std::string path = std::string(STENCIL_SOURCE_DIR) + "/docs/reference/schedules.md";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string page = text.str(), begin = "<!-- settings -->\n", end = "<!-- /settings -->";
  const size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, page.npos);
  ASSERT_NE(to, page.npos);
  const size_t first = from + begin.size();
  if (std::getenv("STENCIL_REBASE") != nullptr) {
    std::ofstream(path) << page.substr(0, first) + table_of_settings() + page.substr(to);
    return;
  }
  EXPECT_EQ(page.substr(first, to - first), table_of_settings())
      << "STENCIL_REBASE=1 tests_schedule --gtest_filter=Reference.* writes it";
}

// Every row is complete, and what it prints parses to the same value.
TEST(Reference, RowsOfAllFamiliesAreSound) {
  const ir::Program program = test::load(
      "grid G = [0..63, 0..63, 0..63] steps 4; field A : real on G;"
      "stencil s : A[1..62, 1..62, 1..62] = A[0,0,1] + A[0,1,0] + A[1,0,0];");
  for (const Family& family : family_table()) {
    std::set<std::string> names;
    const Schedule blank = family.blank();
    for (const Setting& row : family.settings) {
      SCOPED_TRACE(family.name + " " + row.name);
      EXPECT_TRUE(names.insert(row.name).second);
      EXPECT_FALSE(row.meaning.empty());
      EXPECT_FALSE(row.standard.empty());
      if (row.is_number()) {
        EXPECT_FALSE(row.unit.empty());
        for (const int value : row.usual) {
          EXPECT_TRUE((row.automatic && value == 0) || (value >= row.least && value <= row.most));
        }
      }
      for (const Choice& choice : choices(blank, row, 3)) {
        EXPECT_EQ(choice.schedule.family, family.name);
        Diagnostics diagnostics;
        const auto parsed = parse(print(choice.schedule), program, diagnostics);
        ASSERT_TRUE(parsed) << choice.setting;
        EXPECT_EQ(print(*parsed), print(choice.schedule));
        if (!row.shape) {
          EXPECT_EQ(row.get(*parsed), row.get(choice.schedule)) << choice.setting;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stencil::schedule
