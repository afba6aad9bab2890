// The programs of examples/builder, run as processes: each prints a program that can be run.
#include <gtest/gtest.h>

#include <regex>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

const std::filesystem::path kExamples =
    std::filesystem::path(STENCIL_SOURCE_DIR) / "examples/builder";

class BuilderExamples : public Tool {
 protected:
  // Runs an example and saves its output as NAME.stn.
  void build(const std::string& name, const std::string& arguments = "") const {
    const std::string command = "'" STENCIL_BUILDER_EXAMPLES "/builder_" + name + "' " + arguments +
                                " >'" + file(name + ".stn").string() + "' 2>'" +
                                (root_ / "err").string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
    EXPECT_EQ(read(root_ / "err"), "") << name;
  }
};

TEST_F(BuilderExamples, JacobiRuns) {
  build("jacobi2d");
  const std::string text = read(file("jacobi2d.stn"));
  EXPECT_NE(text.find("stencil jacobi : A on interior = 0.2 * (A[0, 0] +"), std::string::npos);
  const Outcome outcome =
      stencilc("run jacobi2d.stn -D N=20 --steps 3 --device reference --out A=a.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(file("a.npy")));
}

TEST_F(BuilderExamples, AcousticWavesWorkInEveryOrder) {
  size_t shorter = 0;
  for (const char* order : {"2", "4", "6"}) {
    build("acoustic2d", order);
    const size_t length = read(file("acoustic2d.stn")).size();
    EXPECT_GT(length, shorter) << order;
    shorter = length;
    const Outcome outcome = stencilc(
        "run acoustic2d.stn -D depth=40 -D width=60 -D layer=4 --steps 10 --device reference "
        "--out p=p.npy");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST_F(BuilderExamples, ReactionsStopWhenConverged) {
  build("reaction2d");
  const Outcome outcome = stencilc(
      "run reaction2d.stn -D N=20 -D tolerance=1e-3 --steps 1000 --device reference --out m=m.npy");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find("the stop condition holds"), std::string::npos)
      << outcome.out << outcome.err;
}

TEST_F(BuilderExamples, MultigridConverges) {
  const char* arguments =
      "run multigrid3d.stn -D N=17 -D L=3 --device reference --real double --steps 20 --out "
      "u=u.npy";
  build("multigrid3d");
  Outcome outcome = stencilc(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find("the stop condition holds"), std::string::npos)
      << outcome.out << outcome.err;
  build("multigrid3d", "2");
  EXPECT_NE(read(file("multigrid3d.stn")).find("visit;\n      visit;\n"), std::string::npos);
  outcome = stencilc(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

// The guide quotes the sources verbatim.
TEST(BuilderGuide, QuotesTheExamples) {
  const std::string guide =
      read(std::filesystem::path(STENCIL_SOURCE_DIR) / "docs/guide/builder.md");
  for (const char* name : {"jacobi2d.cpp", "acoustic2d.cpp", "reaction2d.cpp", "multigrid3d.cpp"}) {
    const std::string source = read(kExamples / name);
    EXPECT_GT(source.size(), 100u);
    EXPECT_NE(guide.find("```cpp\n" + source + "```\n"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace stencil
