#include "runtime/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/syntax/parse.h"
#include "runtime/devices/device_table.h"
#include "runtime/verify/verify_cases.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

struct Parsed {
  Source source;
  std::optional<ast::Program> tree;
};

Parsed parse_text(const std::string& text) {
  Parsed out{Source("test.stn", text), {}};
  Diagnostics diagnostics;
  out.tree = parse(out.source, diagnostics);
  EXPECT_TRUE(out.tree) << render(out.source, diagnostics);
  return out;
}

TEST(ChooseSteps, SurroundTheTimeTile) {
  const ir::Program program = program_of(kDecay);
  EXPECT_EQ(choose_steps(program, 3, false), (std::vector<int64_t>{0, 1, 3, 4, 5, 7}));
  EXPECT_EQ(choose_steps(program, 1, true), (std::vector<int64_t>{1, 2}));
}

TEST(ChooseSteps, IncludeReductions) {
  const ir::Program program = program_of(kConverging);  // every 5 and every 7
  EXPECT_EQ(choose_steps(program, 3, false), (std::vector<int64_t>{0, 1, 3, 4, 5, 7, 11, 15}));
  EXPECT_EQ(choose_steps(program, 1, true), (std::vector<int64_t>{1, 2, 11, 15}));
}

TEST(ChooseSchedules, CoverEveryFamilyAndBothRegionPolicies) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto cases = choose_schedules(program, "auto", false, diagnostics);
  int direct = 0, hull = 0, shrink = 0;
  for (const ScheduleCase& c : cases) {
    EXPECT_TRUE(c.schedule) << c.line << ": " << c.refusal;
    direct += c.line.starts_with("direct");
    hull += c.line.ends_with("regions=hull");
    shrink += c.line.ends_with("regions=shrink");
  }
  EXPECT_GE(direct, 2);
  EXPECT_GE(hull, 4);
  EXPECT_GE(shrink, 4);
}

TEST(ChooseSchedules, ReportMistakesInALine) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  EXPECT_TRUE(choose_schedules(program, "overlaped", false, diagnostics).empty());
  EXPECT_TRUE(diagnostics.has_errors());
}

// A tile for a CPU: it stores more than a GPU's shared memory, and its
// line is too long for a GPU block.
TEST(ChooseSchedules, AcceptALineThatOnlyCpusCanRun) {
  const ir::Program program = program_of(R"(
grid G = [0..511, 0..511] steps 10;
field c : vector 2 of real on G;
stencil s : c[1..510, 1..510] = 0.25 * (c[-1,0] + c[1,0] + c[0,-1] + c[0,1]);
)");
  Diagnostics diagnostics;
  const auto cases = choose_schedules(program, "planes T=12 block=1024x1", false, diagnostics);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_TRUE(cases[0].schedule) << cases[0].refusal;
  EXPECT_TRUE(cases[0].on_cpu);
  const auto nowhere = choose_schedules(program, "planes T=64 block=1024x1", false, diagnostics);
  ASSERT_EQ(nowhere.size(), 1u);
  EXPECT_FALSE(nowhere[0].schedule);
  EXPECT_NE(nowhere[0].refusal, "");
}

TEST(ChooseSizes, VaryParamsWithoutValues) {
  const Parsed parsed = parse_text(kDecay);
  const auto sizes = choose_sizes(*parsed.tree, parsed.source, {}, {}, false);
  ASSERT_GE(sizes.closed.size(), 5u);
  EXPECT_TRUE(sizes.open);
  EXPECT_EQ(sizes.closed.back().label, "N = 20");
  ProgramOptions given;
  given.definitions["N"] = "12";
  const auto fixed = choose_sizes(*parsed.tree, parsed.source, given, {}, false);
  ASSERT_EQ(fixed.closed.size(), 1u);
  EXPECT_FALSE(fixed.open);
}

TEST(ChooseSizes, SatisfyTheRequirements) {
  const Parsed parsed = parse_text(
      "param N : integer = 40;\nrequire N >= 12;\nrequire N % 2 == 0;\n"
      "grid G = [0..N-1] steps 1;\nfield A : real on G;\nstencil s : A[3..N-4] = A[-3] + A[3];\n");
  const auto sizes = choose_sizes(*parsed.tree, parsed.source, {}, {}, false);
  ASSERT_FALSE(sizes.closed.empty());
  for (const SizeCase& size : sizes.closed) {
    const int64_t n = *size.program.params[0].integer_value;
    EXPECT_GE(n, 12);
    EXPECT_EQ(n % 2, 0);
  }
}

TEST(FillRandomly, DependsOnlyOnTheSeed) {
  const ir::Program program = program_of(kWave);
  const Params params = bind_params(program).value();
  reference::State a = initial_state(program, params);
  reference::State b = a, c = a;
  fill_randomly(a, 5, true);
  fill_randomly(b, 5, true);
  fill_randomly(c, 6, true);
  EXPECT_FALSE(compare(program, a, b));
  EXPECT_TRUE(compare(program, a, c));
  for (int64_t i = 0; i < a.fields[0].points; ++i) EXPECT_GE(a.fields[0].real(1, 0, i), 0.25);
}

TEST(Verify, EveryDeviceAgreesWithTheReference) {
  const Parsed parsed = parse_text(kDecay);
  VerifyRequest request;
  request.quick = true;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  for (const VerifyRow& row : report.value().rows) {
    EXPECT_EQ(row.verdict, VerifyRow::Verdict::Same)
        << row.device << " " << row.schedule << ": " << row.result;
  }
}

TEST(Verify, CountsItsCasesAndRunsAllOfThemWithoutABudget) {
  const Parsed parsed = parse_text(kDecay);
  VerifyRequest request;
  request.quick = true;
  request.device = "host";
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  const VerifyReport& all = report.value();
  EXPECT_TRUE(all.complete());
  EXPECT_EQ(all.run + all.refused, all.planned);
  int64_t planned = 0, run = 0;
  for (const VerifyRow& row : all.rows) {
    planned += row.planned;
    run += row.run;
  }
  EXPECT_EQ(planned, all.planned);
  EXPECT_EQ(run, all.run);
}

// Without time nothing is run, and no row says that it agrees.
TEST(Verify, ClaimsNothingBeyondTheBudget) {
  const Parsed parsed = parse_text(kDecay);
  VerifyRequest request;
  request.quick = true;
  request.device = "host";
  request.budget = 0;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  EXPECT_EQ(report.value().run, 0);
  EXPECT_GT(report.value().planned, 0);
  EXPECT_FALSE(report.value().complete());
  EXPECT_TRUE(report.value().sizes.empty());
  for (const VerifyRow& row : report.value().rows) {
    EXPECT_TRUE(row.verdict == VerifyRow::Verdict::NotRun ||
                row.verdict == VerifyRow::Verdict::Refused)
        << row.result;
    EXPECT_EQ(row.sizes + row.steps, "");
  }
}

// As in a run, the model decides if the line is refused.
TEST(ChooseSchedules, MarkWhatARunTakes) {
  const ir::Program program = program_of(kDecay);
  const auto marked = [&](const std::string& line) {
    std::vector<ScheduleCase> cases;
    for (const char* device : {"host", "opencl"}) {
      mark_in_use(program, device, schedule::cpu(), line, cases);
    }
    return cases;
  };
  const auto given = marked("overlapped T=2 block=16x16");
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].line.rfind("overlapped T=2 block=16x16 ", 0), 0u) << given[0].line;
  EXPECT_EQ(given[0].in_use, (std::vector<std::string>{"host", "opencl"}));
  const auto refused = marked("overlapped T=64 block=8"), automatic = marked("auto");
  ASSERT_EQ(refused.size(), 1u);
  ASSERT_EQ(automatic.size(), 1u);
  EXPECT_EQ(refused[0].line, automatic[0].line);
}

TEST(Verify, BeginsWithTheLineInUse) {
  const Parsed parsed = parse_text(kDecay);
  VerifyRequest request;
  request.quick = true;
  request.device = "host";
  request.line_in_use = [](const ir::Program&, const ChosenDevice& device) {
    EXPECT_EQ(device.device.name, "host");
    return std::optional<std::string>("overlapped T=2 block=16x16");
  };
  std::string first;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics,
                             [&](const std::string& what, const VerifyReport&) {
                               if (first.empty()) first = what;
                             });
  ASSERT_TRUE(report.ok()) << report.failure().message;
  EXPECT_EQ(first.rfind("host, overlapped T=2 block=16x16", 0), 0u) << first;
}

TEST(Verify, RunsFourDimensionsAndNamesRefusals) {
  const Parsed parsed = parse_text(kFourDimensional);
  VerifyRequest request;
  request.quick = true;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  for (const VerifyRow& row : report.value().rows) {
    if (row.schedule.starts_with("streaming")) {
      EXPECT_EQ(row.verdict, VerifyRow::Verdict::Refused);
      EXPECT_NE(row.result.find("4 dimensions"), std::string::npos) << row.result;
    } else {
      EXPECT_EQ(row.verdict, VerifyRow::Verdict::Same) << row.schedule << ": " << row.result;
    }
  }
}

TEST(Verify, ComparesReductionsAndTheStepOfTheStop) {
  const Parsed parsed = parse_text(kConverging);
  VerifyRequest request;
  request.quick = true;
  request.options.steps = 200;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  for (const VerifyRow& row : report.value().rows) {
    EXPECT_TRUE(row.verdict == VerifyRow::Verdict::Same ||
                row.verdict == VerifyRow::Verdict::Refused)
        << row.device << " " << row.schedule << ": " << row.result;
  }
}

// Derived sizes are computed for every tried size, also in the kernel for open sizes.
TEST(Verify, DerivesSizes) {
  const Parsed parsed = parse_text(
      "param N : integer = 60;\nparam M : integer = N / 3;\ngrid G = [0..N-1] steps 4;\n"
      "field A : real on G;\nfield B : real on G;\nstencil s : A on [N/4] = A[0] + 1;\n"
      "stencil t : B on [M..N-1] = A[0] + B[0];\n");
  VerifyRequest request;
  request.device = "host";
  request.quick = true;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  for (const VerifyRow& row : report.value().rows) {
    EXPECT_NE(row.verdict, VerifyRow::Verdict::Different) << row.schedule << ": " << row.result;
    EXPECT_NE(row.verdict, VerifyRow::Verdict::Failed) << row.schedule << ": " << row.result;
  }
  const auto sizes = choose_sizes(*parsed.tree, parsed.source, {}, {}, true);
  ASSERT_TRUE(sizes.open);
  EXPECT_GT(sizes.open->params.size(), sizes.closed.front().program.params.size());
  for (const SizeCase& size : sizes.closed) {
    EXPECT_EQ(size.label.find("M ="), std::string::npos) << size.label;
  }
}

TEST(Verify, ReportsIfNoSizeIsPossible) {
  const Parsed parsed = parse_text(
      "param N : integer = 4;\nrequire N > 50000;\ngrid G = [0..N-1] steps 1;\n"
      "field A : real on G;\nstencil s : A[0..N-1] = A[0];\n");
  ProgramOptions open;
  open.open = {"N"};
  VerifyRequest request;
  request.options = open;
  Diagnostics diagnostics;
  const auto report = verify(*parsed.tree, parsed.source, request, diagnostics);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.failure().code, "R054");
}

}  // namespace
}  // namespace stencil::runtime
