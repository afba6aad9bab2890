// The effort of adding a schedule family: a toy family registered in this file. Its blocks are
// lines of points in x; it has no time tile and uses sweep kernels. Once it is in the table,
// `verify`, `explain`, the refusals and the property tests know it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/driver/compile.h"
#include "compiler/schedule/common/shapes.h"
#include "compiler/schedule/direct/kernel.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/syntax/parse.h"
#include "runtime/verify/verify.h"
#include "tests/unit/runtime/programs.h"

namespace stencil {
namespace {

using namespace schedule;  // as in a family's own source file

class PlannedLines final : public Plan {
 public:
  PlannedLines(const ir::Program& program, const Schedule& schedule)
      : program_(program), schedule_(schedule), sweeps_(plan_sweeps(program)) {}

  Footprint cost() const override {
    Footprint out;
    count_sweeps(program_, sweeps_, out);
    out.output.assign(static_cast<size_t>(program_.grid().rank()), 1);
    out.output.back() = out.threads = schedule_.block[0];
    return out;
  }
  void lower(kernel::Module& module) const override {
    append_direct(Interface(program_, schedule_.rows), sweeps_, schedule_, module);
  }
  std::string unrewarding() const override { return "it is a toy"; }

 private:
  const ir::Program& program_;
  const Schedule schedule_;
  const std::vector<Sweep> sweeps_;
};

Family lines_family() {
  return {"lines",
          "one sweep per stencil function and step; a block is a line in x",
          {shared::block(), shared::rows()},
          [](const analysis::TimeTiles&, const Machine&) {
            Schedule schedule;
            schedule.family = "lines";
            schedule.block = {64};
            return Proposal{schedule, "the length of two warps"};
          },
          [](const analysis::TimeTiles& tiles, const Schedule& schedule, const Machine&,
             Diagnostics& diagnostics) -> PlanPtr {
            if (schedule.block.product(1) > 1)
              diagnostics.error("L019", {}, "lines refused: a block has one dimension");
            if (diagnostics.has_errors()) return nullptr;
            return std::make_shared<PlannedLines>(tiles.program(), schedule);
          },
          [](int) {
            return Shapes{shapes_of(1, {{{8, 32, 64}}, 64, 1})};
          }};
}

class ToyFamily : public ::testing::Test {
 protected:
  ToyFamily() { add_family(lines_family()); }
  ~ToyFamily() override { remove_family("lines"); }
};

TEST_F(ToyFamily, IsVerifiedWithoutOtherChanges) {
  const Source source("test.stn", runtime::kDecay);
  Diagnostics diagnostics;
  const auto tree = parse(source, diagnostics);
  runtime::VerifyRequest request;
  request.device = "host";
  const auto report = runtime::verify(*tree, source, request, diagnostics);
  if (!report.ok() && report.failure().code == "R041") GTEST_SKIP() << "no host device";
  ASSERT_TRUE(report.ok()) << report.failure().message;
  int rows = 0;
  for (const runtime::VerifyRow& row : report.value().rows) {
    if (!row.schedule.starts_with("lines")) continue;
    ++rows;
    EXPECT_EQ(row.verdict, runtime::VerifyRow::Verdict::Same) << row.schedule << row.result;
  }
  EXPECT_EQ(rows, 2) << "its proposal and its smallest tile";
}

TEST_F(ToyFamily, IsExplainedRefusedAndSpelledLikeOthers) {
  const ir::Program program = runtime::program_of(runtime::kDecay);
  Diagnostics diagnostics;
  EXPECT_FALSE(lower(program, *parse("lines block=8x2", program, diagnostics), diagnostics));
  EXPECT_EQ(diagnostics.items().front().code, "L019");
  Diagnostics misspelled;
  EXPECT_FALSE(parse("line", program, misspelled));
  EXPECT_EQ(misspelled.items().front().hint, "did you mean 'lines'?");
  Diagnostics none;
  const std::string text = explain(program, Source("", ""), "", none);
  EXPECT_NE(text.find("lines not chosen: it is a toy"), std::string::npos) << text;
}

}  // namespace
}  // namespace stencil
