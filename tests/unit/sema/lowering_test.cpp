// The passes from mathematics to what schedules take, one by one. Release builds do not verify the
// program after each pass.
#include <gtest/gtest.h>

#include "compiler/ir/lower/passes.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

TEST(Lowering, EveryPassGivesItsForm) {
  const Source source("test.stn",
                      "param v : real = 2; grid G = [0..9, 0..9] steps 4;"
                      "field A : real on G boundary [fixed v .. odd, linear];"
                      "stencil s : A[0..9, 2..9] = A[-1,0] * v + A[1,0] + real(random(time, 7));"
                      "init A[i, j] = real(random(i, j, 1)) + v;"
                      "reduce most = max(A[0,1]) on G;");
  ProgramOptions options;
  options.fp = FpMode::Contract;
  options.fixed = {"v"};
  Diagnostics diagnostics;
  const auto tree = parse(source, diagnostics);
  ASSERT_TRUE(tree);
  auto program = analyze_mathematics(*tree, source, options, diagnostics);
  ASSERT_TRUE(program) << render(source, diagnostics);
  const std::vector<std::string> none;
  EXPECT_EQ(ir::verify(*program, ir::Form::Mathematics), none);
  size_t wanted = 0;
  for (const ir::Pass& pass : ir::lowering_passes()) {
    if (pass.stage != ir::Pass::For::All) continue;
    EXPECT_TRUE(pass.wanted(*program, {})) << pass.name;
    program = pass.run(*program);
    EXPECT_EQ(ir::verify(*program, pass.gives), none) << pass.name;
    ++wanted;
  }
  EXPECT_EQ(wanted, 7u);
}

}  // namespace
}  // namespace stencil::test
