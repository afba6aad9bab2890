// Runs through the public API on every device that needs only a compiler, compared bit for bit.
#include <functional>
#include <numeric>

#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

using Floats = std::vector<float>;

Floats counted(size_t count) {
  Floats out(count);
  std::iota(out.begin(), out.end(), 1.0f);
  return out;
}

class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto device = choose_device(GetParam());
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
  }
  static Kernel compile(const char* text, const Options& options = {}) {
    return program_of(text, options).compile({.device = GetParam()}).or_throw();
  }
  // Compiles and starts the program on the reference interpreter.
  static Simulation reference(const char* text, const ParamValues& values = {},
                              const Options& options = {}) {
    return program_of(text, options)
        .compile({.device = "reference"})
        .or_throw()
        .start(values)
        .or_throw();
  }
};
// A long run is announced for the benefit of `auto`, which tries schedules during long runs, or
// times them before.
TEST_P(OnDevice, ALongRunIsAnnounced) {
  if (std::string(GetParam()) == "reference") GTEST_SKIP() << "nothing to choose";
  ::setenv("STENCIL_TUNED", "/nowhere/tuned.db", 1);
  const Program program = program_of(R"(
grid G = [0..199, 0..199] steps 100;
field A : real on G;
stencil s : A[1..198, 1..198] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)");
  const Kernel brief = program.compile({.device = GetParam()}).or_throw();
  const Kernel timed =
      program.compile({.device = GetParam(), .steps = int64_t{1} << 40}).or_throw();
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_EQ(brief.schedule_origin(), "");
  EXPECT_FALSE(brief.race());
  if (std::string(GetParam()) != "host") {
    EXPECT_TRUE(timed.schedule_origin().starts_with("the fastest of ")) << timed.schedule_origin();
    return;
  }
  const auto race = timed.race();
  ASSERT_TRUE(race);
  EXPECT_EQ(race->schedule, timed.schedule());
  EXPECT_EQ(race->brief, timed.brief_schedule());
  EXPECT_EQ(race->tried, 0);
  EXPECT_FALSE(race->over);
}

INSTANTIATE_TEST_SUITE_P(All, OnDevice, testing::Values("reference", "host", "opencl"));

TEST_P(OnDevice, RunsInSeveralCallsAsInOne) {
  Simulation whole = reference(kHeat);
  ASSERT_EQ(whole.run().or_throw().steps, 6);
  const Kernel kernel = compile(kHeat);
  EXPECT_EQ(kernel.schedule().empty(), std::string(GetParam()) == "reference");
  Simulation parts = kernel.start().or_throw();
  EXPECT_EQ(parts.advance(1).or_throw().steps, 1);
  EXPECT_EQ(parts.step(), 1);
  EXPECT_EQ(parts.reduction("total").or_throw().evaluations, 0);
  parts.get<float>("A").or_throw();
  EXPECT_EQ(parts.advance(0).or_throw().steps, 0);
  EXPECT_EQ(parts.advance(3).or_throw().updates, 3.0 * 12 * 8);
  EXPECT_EQ(parts.run().or_throw().steps, 2) << "the remaining steps";
  EXPECT_EQ(parts.get<float>("A").or_throw(), whole.get<float>("A").or_throw());
  const ReductionValue total = parts.reduction("total").or_throw();
  EXPECT_EQ(total.evaluations, 3);
  EXPECT_EQ(total.value, whole.reduction("total").or_throw().value);
  EXPECT_EQ(parts.run().or_throw().steps, 0);
}

// Arrays of fields on a derived grid have its points, and a run may begin from them.
TEST_P(OnDevice, FieldsOfDerivedGridsAreReadAndWritten) {
  constexpr const char* kTwoGrids = R"(
param N : integer;
require N >= 5;
grid F = [-2..N-3] steps 2 origin 1 spacing 0.5;
grid C of F by 2;
field u : real on F boundary clamp;
field e : real on C boundary mirror;
stencil restrict : e on C = e[0] + 0.25 * u[-1] + 0.5 * u[0] + 0.25 * u[1];
stencil correct : u on F = u[0] + 0.5 * (e[0] + e[1]);
reduce most = max(e[0]) on C;
)";
  for (const int n : {9, 10, 11}) {
    const ParamValues values = {{"N", n}};
    Simulation expected = reference(kTwoGrids, values);
    Simulation found = compile(kTwoGrids).start(values).or_throw();
    const size_t coarse = n == 11 ? 6 : 5;  // points -1..3 or -1..4
    ASSERT_EQ(found.fields()[1].shape, std::vector<int64_t>{static_cast<int64_t>(coarse)});
    EXPECT_EQ(found.fields()[1].origin, std::vector<int64_t>{-1});
    EXPECT_EQ(found.fields()[1].position, std::vector<double>{0});
    EXPECT_EQ(found.fields()[1].spacing, std::vector<double>{1});
    for (Simulation* simulation : {&expected, &found}) {
      simulation->set("u", View(counted(static_cast<size_t>(n)))).or_throw();
      simulation->set("e", View(counted(coarse))).or_throw();
      EXPECT_FALSE(simulation->set("e", View(counted(static_cast<size_t>(n)))).ok());
      simulation->run().or_throw();
    }
    EXPECT_EQ(found.get<float>("e").or_throw(), expected.get<float>("e").or_throw());
    EXPECT_EQ(found.get<float>("u").or_throw(), expected.get<float>("u").or_throw());
    EXPECT_EQ(found.reduction("most").or_throw().value,
              expected.reduction("most").or_throw().value);
    EXPECT_GT(expected.reduction("most").or_throw().value, static_cast<double>(n));
  }
}

// Grows until it overflows.
constexpr const char* kBlowUp = R"(
grid G = [0..39] steps 2000;
field T : real on G;
stencil s : T[1..38] = T[0] + 2 * (T[-1] - 2 * T[0] + T[1]);
init T[i] = select(i == 19, 1.0, 0.0);
reduce largest = max(T[0]) on G every 2;
)";

TEST_P(OnDevice, ARunEndsAtANanReductionAndReportsItsStep) {
  Simulation whole = reference(kBlowUp);
  ASSERT_EQ(whole.run({}, OnNan::Continue).or_throw().steps, 2000);
  const int64_t first = whole.reduction("largest").or_throw().first_nan;
  ASSERT_GT(first, 0);
  Simulation ended = compile(kBlowUp).start().or_throw();
  const Report report = ended.run().or_throw();
  ASSERT_TRUE(report.nan);
  EXPECT_EQ(report.nan->code, "R080");
  EXPECT_NE(report.nan->diagnostics.find(":6:8: error R080"), std::string::npos);
  EXPECT_GE(report.steps, first);
  EXPECT_LT(report.steps, 2000);
  EXPECT_EQ(ended.reduction("largest").or_throw().first_nan, first);
  const auto found = ended.non_finite().or_throw();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, "T");
  EXPECT_EQ(found[0].step, ended.step());
  EXPECT_EQ(ended.advance(100).or_throw().steps, 100) << "requested steps are done";
}

TEST_P(OnDevice, TakesFieldsAndParamsInTheMiddleOfARun) {
  const auto disturb = [](Simulation& simulation) {
    simulation.advance(3).or_throw();
    simulation.set_param("a", 0.25).or_throw();
    simulation.advance(1).or_throw();
    Floats wide(12 * 10, -1);  // rows of 8 values, padded to 10
    const View part(wide.data() + 1, {12, 8}, {10, 1});
    simulation.get("A", part).or_throw();
    EXPECT_EQ(wide[0], -1);
    EXPECT_EQ(wide[9], -1);
    part(4, 4) = 1000;
    simulation.set("A", part).or_throw();
    simulation.advance(2).or_throw();
    EXPECT_EQ(simulation.reduction("total").or_throw().evaluations, 3);
    return simulation.get<float>("A").or_throw();
  };
  Simulation expected = reference(kHeat);
  Simulation actual = compile(kHeat).start().or_throw();
  EXPECT_EQ(disturb(actual), disturb(expected));
}

constexpr const char* kDerived =
    "param N : integer = 9; param kappa : real = 1; param dx : real = 1.0/(N-1);"
    "param dt : real = 0.2*dx*dx/kappa; param H : integer = N/2;"
    "grid G = [0..N-1, 0..H] steps 4; field T : real on G;"
    "stencil s : T[1..N-2, 0..H] = T[0,0] + kappa*dt/(dx*dx) * (T[-1,0] - 2*T[0,0] + T[1,0]);"
    "init T[i,j] = i*i + dt * j;";

// Values of derived params if they are given at compile time and at run time.
TEST_P(OnDevice, DerivedParamsAreRecomputed) {
  const auto told = [](const Options& options) {
    Simulation simulation = reference(kDerived, {}, options);
    simulation.run().or_throw();
    return simulation.get<float>("T").or_throw();
  };
  const auto given = [](const ParamValues& values, const Options& options) {
    Simulation simulation = compile(kDerived, options).start(values).or_throw();
    simulation.run().or_throw();
    return simulation.get<float>("T").or_throw();
  };
  Options two, open, both;
  two.definitions = {{"kappa", 2}};
  open.open = {"N"};
  EXPECT_EQ(given({{"kappa", 2}}, {}), told(two));
  EXPECT_EQ(given({{"kappa", 2}, {"N", 9}}, open), told(two));
  EXPECT_NE(given({}, {}), told(two));
  both.definitions = {{"kappa", 2}, {"dt", 0.001}};
  EXPECT_EQ(given({{"kappa", 2}, {"dt", 0.001}}, {}), told(both))
      << "a given param keeps its value";
}

// The low edge has a computed boundary value, the high edge a constant.
TEST(Simulation, LowAndHighEdgesHaveSeparateBoundaryValues) {
  Simulation run = on_reference(
      "grid G = [0..3] steps 2;\n"
      "field U : double on G boundary [constant 3 + 0.5 * time .. constant 7];\n"
      "field L : double on G;\n"
      "field R : double on G;\n"
      "stencil keep : U on G = U[0];\n"
      "stencil low : L on G = U[-1];\n"
      "stencil high : R on G = U[1];\n");
  run.advance(2).or_throw();
  EXPECT_EQ(run.get<double>("L").or_throw(), (std::vector<double>{3.5, 0, 0, 0}));
  EXPECT_EQ(run.get<double>("R").or_throw(), (std::vector<double>{0, 0, 0, 7}));
}

// Entry points of emitted files use the least integer to mark a param that is not given.
TEST(Simulation, RefusesDerivedIntegersEqualToTheUnsetMarker) {
  Options open;
  open.open = {"a"};
  const Program program = program_of(
      "param a : integer = 1;\n"
      "param n : integer = max(a, 0) + 1;\n"
      "grid G = [0..7] steps 2;\n"
      "field A : double on G;\n"
      "stencil s : A[0..7] = A[0] + n;\n",
      open);
  EXPECT_EQ(
      message(program.initial_state({{"a", INT32_MAX}})),
      "R051: param 'n' has the value -2147483648, which is reserved for a missing value; it is "
      "computed as max(a, 0) + 1, with a = 2147483647");
  EXPECT_TRUE(program.initial_state({{"a", INT32_MAX - 1}}).ok());
}

TEST(Simulation, DerivedParamsAreRecomputedBetweenSteps) {
  Simulation changed = on_reference(kDerived);
  Simulation told = on_reference(kDerived);
  changed.advance(2).or_throw();
  told.advance(2).or_throw();
  changed.set_param("kappa", 2).or_throw();
  told.set_param("dt", 0.2 * 0.125 * 0.125 / 2).or_throw();
  told.set_param("kappa", 2).or_throw();
  changed.advance(2).or_throw();
  told.advance(2).or_throw();
  EXPECT_EQ(changed.get<float>("T").or_throw(), told.get<float>("T").or_throw());
  EXPECT_EQ(
      message(changed.set_param("kappa", 0)),
      "R051: param 'dt' has the value inf, which is not finite; it is computed as 0.2*dx*dx/kappa, "
      "with dx = 0.125, kappa = 0");
  changed.advance(1).or_throw();

  Options fixed;
  fixed.fixed = {"dt"};
  EXPECT_EQ(code_of(program_of(kDerived, fixed).initial_state({{"kappa", 2}})), "R074");
  Options open;
  open.open = {"N"};
  const Program program = program_of(kDerived, open);
  EXPECT_EQ(code_of(program.initial_state()), "R050") << "N has no value";
  EXPECT_EQ(program.initial_state({{"N", 20}}).or_throw().shape_of("T").or_throw(),
            (Extents{20, 11}));
  EXPECT_EQ(program.initial_state({{"N", 20}, {"H", 3}}).or_throw().shape_of("T").or_throw(),
            (Extents{20, 4}));
}

TEST_P(OnDevice, ServesManyRunsWithOneKernel) {
  Options options;
  options.open = {"N"};
  const Kernel kernel = compile(kHeat, options);
  for (const int size : {5, 12, 40}) {
    for (const double a : {0.05, 0.2}) {
      const ParamValues values = {{"N", size}, {"a", a}};
      Simulation expected = reference(kHeat, values, options);
      Simulation actual = kernel.start(values).or_throw();
      EXPECT_EQ(actual.fields()[0].shape, (Extents{size, 8}));
      expected.run().or_throw();
      actual.run().or_throw();
      EXPECT_EQ(actual.get<float>("A").or_throw(), expected.get<float>("A").or_throw());
    }
  }
}

// After any number of steps each level is in the array given for it, also if the user changes the
// arrays between calls.
TEST_P(OnDevice, WorksInTheUsersArrays) {
  const Kernel kernel = compile(kWave);
  Floats newest = counted(30), older = counted(30);
  older[0] = -3;  // the edges of the levels differ
  Floats u = newest, before = older;
  Simulation simulation = kernel.attach({{"U", View(newest)}, {"U@-1", View(older)}}).or_throw();
  for (const int steps : {1, 2, 3, 5}) {
    for (int step = 0; step < steps; ++step) {
      Floats next = u;
      for (size_t i = 1; i < 29; ++i) {
        next[i] = 2 * u[i] - before[i] + 0.25f * (u[i - 1] - 2 * u[i] + u[i + 1]);
      }
      before = u;
      u = next;
    }
    ASSERT_EQ(simulation.advance(steps).or_throw().steps, steps);
    EXPECT_EQ(newest, u) << GetParam() << ", " << steps << " steps";
    EXPECT_EQ(older, before) << GetParam() << ", " << steps << " steps";
    EXPECT_EQ(simulation.get<float>("U@-1").or_throw(), before);
    u[0] = newest[0] = static_cast<float>(steps);
    u[7] = newest[7] = -5;
  }
  simulation.set("U", View(counted(30))).or_throw();
  EXPECT_EQ(newest, counted(30));
}

TEST_P(OnDevice, AllocatesFieldsWithoutUserArrays) {
  Floats a = counted(12 * 8);
  Simulation expected = reference(kHeat);
  expected.set("A", View(a, {12, 8})).or_throw();
  expected.run().or_throw();
  Simulation simulation = compile(kHeat).attach({{"A", View(a, {12, 8})}}).or_throw();
  int calls = 0;
  const auto report = simulation.run([&](const stencil::Progress& progress) {
    ++calls;
    return progress.total == 6;
  });
  EXPECT_EQ(report.or_throw().steps, 6);
  EXPECT_GE(calls, 1);
  EXPECT_EQ(a, expected.get<float>("A").or_throw());
  EXPECT_EQ(simulation.reduction("total").or_throw().value,
            expected.reduction("total").or_throw().value);
}

TEST_P(OnDevice, FillsUserArraysWithInitialValues) {
  const Program program = program_of(
      "grid G = [0..7] steps 3;\n"
      "field A : real on G boundary clamp;\n"
      "field c : real on G constant;\n"
      "field z : real on G;\n"
      "stencil s : A on G = A[-1] + c[0];\n"
      "stencil t : z on G = z[0] + A[0];\n"
      "init A[i] = real(i);\n");
  const Kernel kernel = program.compile({.device = GetParam()}).or_throw();
  Floats a(8, -1), c(8, 1), z(8, -1);
  const stencil::Arrays arrays = {
      {"A", View<float>(a, {8})}, {"c", View<float>(c, {8})}, {"z", View<float>(z, {8})}};
  Simulation simulation = kernel.attach(arrays, {}, {"A", "z"}).or_throw();
  EXPECT_EQ(a, (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(z, Floats(8, 0));
  EXPECT_EQ(c, Floats(8, 1));
  EXPECT_EQ(simulation.advance(1).or_throw().steps, 1);
  EXPECT_EQ(a, (Floats{1, 1, 2, 3, 4, 5, 6, 7}));

  // A field without an init has no values to be filled with.
  Simulation without = kernel.attach(arrays, {}, {"c"}).or_throw();
  EXPECT_EQ(c, Floats(8, 0));
  const auto refused = without.advance(1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, "R057");
  const auto unknown = kernel.attach(arrays, {}, {"B"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.failure().code, "R070");
}

TEST_P(OnDevice, UserArraysMayPlacePoints) {
  const Program program = program_of(
      "grid G = [0..7] steps 3;\n"
      "points P [0..0] on G;\n"
      "field a : real on P constant;\n"
      "field A : real on G;\n"
      "stencil s : A on G = A[0] + a;\n"
      "init a[p] = 1;\n");
  const Kernel kernel = program.compile({.device = GetParam()}).or_throw();
  Floats a(8, 0);
  std::vector<double> place = {2};
  Simulation simulation =
      kernel.attach({{"A", View<float>(a, {8})}, {"P[0]", View<double>(place, {1})}}).or_throw();
  EXPECT_EQ(simulation.advance(1).or_throw().steps, 1);
  EXPECT_EQ(a, (Floats{0, 0, 1, 0, 0, 0, 0, 0}));
  place[0] = 5;  // between calls
  EXPECT_EQ(simulation.advance(2).or_throw().steps, 2);
  EXPECT_EQ(a, (Floats{0, 0, 1, 0, 0, 2, 0, 0}));
}

TEST_P(OnDevice, CanBeInterrupted) {
  Simulation simulation = compile(kHeat).start().or_throw();
  const Report report =
      simulation.advance(1000, [](const stencil::Progress&) { return false; }).or_throw();
  EXPECT_TRUE(report.interrupted);
  EXPECT_LT(report.steps, 1000);
  Simulation expected = reference(kHeat);
  expected.advance(report.steps).or_throw();
  EXPECT_EQ(simulation.get<float>("A").or_throw(), expected.get<float>("A").or_throw());
}

// --- Elements
// ----------------------------------------------------------------------------------------------

TEST(Simulation, InterleavesComponentsOfOneType) {
  Simulation simulation =
      program_of(kStructures).compile({.device = "reference"}).or_throw().start().or_throw();
  EXPECT_EQ(simulation.shape_of("S").or_throw(), (Extents{5, 4, 3}));
  simulation.set("S", View(counted(60), {5, 4, 3})).or_throw();
  simulation.advance(1).or_throw();
  const Floats all = simulation.get<float>("S").or_throw();
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(all[i], 2 * static_cast<float>(i + 1));
  const Floats second = simulation.get<float>("S.u[0]").or_throw();
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(second[i], all[3 * i + 1]);
  EXPECT_EQ(code_of(simulation.get<float>("T")), "R073");
  EXPECT_EQ(simulation.get<int>("T.n").or_throw()[0], 2);
}

TEST(Simulation, CopiesHalvesAsFloatsOrBits) {
  Simulation simulation =
      program_of(kStructures).compile({.device = "reference"}).or_throw().start().or_throw();
  simulation.set("h", View(Floats(20, 1.0f + 1.0f / 4096), {5, 4})).or_throw();
  EXPECT_EQ(simulation.get<float>("h").or_throw()[3], 1.0f) << "rounded to binary16";
  EXPECT_EQ(simulation.get<HalfBits>("h").or_throw()[3].bits, 0x3c00);
  EXPECT_EQ(code_of(simulation.get<double>("h")), "R072");
}

TEST(Simulation, CopiesSmallIntegersAndBools) {
  Simulation simulation = program_of(
                              "grid G = [0..3] steps 1; field B : byte on G; field L : bool on G;"
                              "stencil b : B on G = B[0] * 2; stencil l : L on G = not L[0];")
                              .compile({.device = "reference"})
                              .or_throw()
                              .start()
                              .or_throw();
  simulation.set("B", View(std::vector<int8_t>{1, 64, -64, -65}, {4})).or_throw();
  simulation.set("L", View(std::vector<uint8_t>{0, 1, 2, 0}, {4})).or_throw();
  simulation.advance(1).or_throw();
  EXPECT_EQ(simulation.get<int8_t>("B").or_throw(), (std::vector<int8_t>{2, -128, -128, 126}));
  EXPECT_EQ(simulation.get<uint8_t>("L").or_throw(), (std::vector<uint8_t>{1, 0, 0, 1}));
  bool values[4] = {};
  simulation.get("L", View(values)).or_throw();
  EXPECT_TRUE(values[0] && !values[1]);
  EXPECT_EQ(code_of(simulation.get<int>("B")), "R072");
}

TEST(Simulation, ComputesStatistics) {
  Simulation simulation =
      program_of(kStructures).compile({.device = "reference"}).or_throw().start().or_throw();
  simulation.set("T.x", View(counted(20), {5, 4})).or_throw();
  const Statistics statistics = simulation.statistics("T.x").or_throw();
  EXPECT_EQ(statistics.points, 20);
  EXPECT_EQ(statistics.greatest, 20);
  EXPECT_EQ(statistics.mean, 10.5);
  EXPECT_EQ(code_of(simulation.statistics("T")), "R073");
}

// --- Errors
// ------------------------------------------------------------------------------------------------

TEST(Simulation, RefusesUnknownNames) {
  Simulation simulation =
      program_of(kWave).compile({.device = "reference"}).or_throw().start().or_throw();
  for (const char* name : {"V", "U@-2", "U@1", "U@-", "U@", "U.x", "", "U@-1x", "U@--1", "U@-+1",
                           "U@-4294967296", "U@-4294967297"}) {
    EXPECT_EQ(code_of(simulation.get<float>(name)), "R070") << name;
  }
  EXPECT_EQ(code_of(simulation.set_param("q", 1)), "R070");
  EXPECT_EQ(code_of(simulation.reduction("total")), "R070");
}

TEST(Simulation, RefusesAParamThatViolatesARequirement) {
  const std::string text = std::string(kHeat) + "require a < 0.5;\n";
  Simulation simulation =
      program_of(text.c_str()).compile({.device = "reference"}).or_throw().start().or_throw();
  EXPECT_EQ(code_of(simulation.set_param("a", 0.75)), "S035");
  simulation.set_param("a", 0.25).or_throw();
}

TEST(Simulation, ShapeErrorsNameTheFieldAndBothShapes) {
  Simulation simulation =
      program_of(kHeat).compile({.device = "reference"}).or_throw().start().or_throw();
  Floats values(96);
  const auto shape = simulation.set("A", View(values, {8, 12}));
  EXPECT_EQ(code_of(shape), "R071");
  EXPECT_EQ(shape.failure().message,
            "the array for 'A' has the shape 8 x 12, but the field has 12 x 8");
  const std::vector<double> doubles(96);
  const auto type = simulation.set("A", View(doubles, {12, 8}));
  EXPECT_EQ(code_of(type), "R072");
  EXPECT_EQ(type.failure().message,
            "the array for 'A' has elements of type double, but the field has type float");
  const auto room = simulation.set("A", View(std::span(values).first(95), {12, 8}));
  EXPECT_EQ(code_of(room), "R073");
  EXPECT_EQ(
      room.failure().message,
      "the array for 'A' has 95 elements, but its shape and strides reach from element 0 to 95");
  EXPECT_EQ(code_of(simulation.get("A", View(std::as_const(values), {12, 8}))), "R073");
  EXPECT_EQ(code_of(simulation.get("A", View(static_cast<float*>(nullptr), {12, 8}))), "R073");
  EXPECT_EQ(code_of(simulation.get("A", View(values.data(), {12, 8}, {8}))), "R071");
  EXPECT_EQ(code_of(simulation.advance(-1)), "R053");
}

// The sum of finished and requested steps must not overflow.
TEST(Simulation, RefusesInvalidStepCounts) {
  const auto start = [](const char* text) {
    return program_of(text).compile({.device = "reference"}).or_throw().start().or_throw();
  };
  const char* const recorded = R"(
grid G = [0..9, 0..9] steps 10;
field A : real on G boundary clamp;
points P [0..2] on G;
init P[p] = {1, p};
record r [0..19] = A[0,0] at P;
stencil s : A on G = 0.5 * (A[1,0] + A[0,-1]);
)";
  Simulation fresh = start(recorded), advanced = start(recorded);
  EXPECT_EQ(advanced.advance(15).or_throw().steps, 15);
  const auto at_once = fresh.advance(INT64_MAX), later = advanced.advance(INT64_MAX);
  EXPECT_EQ(code_of(at_once), "R055");
  EXPECT_EQ(code_of(later), "R055");
  EXPECT_EQ(later.failure().message, at_once.failure().message);
  EXPECT_EQ(code_of(advanced.advance(6)), "R055");
  EXPECT_EQ(advanced.advance(5).or_throw().steps, 5);
  EXPECT_EQ(code_of(advanced.advance(INT64_MIN)), "R053");

  Simulation heat = start(kHeat);
  EXPECT_EQ(code_of(heat.advance(INT64_MAX)), "R053");
  EXPECT_EQ(heat.advance(3).or_throw().steps, 3);
  const auto beyond = heat.advance(INT64_MAX - 2);
  EXPECT_EQ(code_of(beyond), "R053");
  EXPECT_EQ(beyond.failure().message,
            "a run has at most 2147483647 steps, not 9223372036854775807");
  EXPECT_EQ(code_of(heat.advance(2147483645)), "R053");
  EXPECT_EQ(heat.step(), 3);
}

// A `start` block runs before the first step, however the steps are divided among calls.
TEST(Simulation, StartsOnce) {
  const char* const text =
      "grid G = [0..29] steps 4; field u, f : real on G boundary clamp;"
      "init u[i] = i; init f[i] = 1;"
      "stencil begin : f on G = f[0] + u[1] + time; stencil s : u on G = 0.5 * u[-1] + f[0];"
      "start { begin; } step { s; }";
  std::vector<Floats> results;
  for (const char* device : {"reference", "host"}) {
    const Kernel kernel = program_of(text).compile({.device = device}).or_throw();
    for (const std::vector<int64_t>& calls :
         {std::vector<int64_t>{4}, {1, 3}, {0, 0, 2, 2}, {1, 1, 1, 1}}) {
      Simulation simulation = kernel.start().or_throw();
      for (const int64_t steps : calls) simulation.advance(steps).or_throw();
      Floats u(30), f(30);
      simulation.get("u", View(u.data(), {30})).or_throw();
      simulation.get("f", View(f.data(), {30})).or_throw();
      results.push_back(u);
      EXPECT_EQ(f[3], 1 + 4) << device;
      EXPECT_EQ(results.back(), results.front()) << device;
    }
  }
}

TEST(Kernel, RefusesInvalidParamValues) {
  Options options;
  options.open = {"N"};
  const Kernel kernel = program_of(kHeat, options).compile({.device = "reference"}).or_throw();
  EXPECT_EQ(code_of(kernel.start()), "R050");
  EXPECT_EQ(code_of(kernel.start({{"N", 9}, {"b", 1}})), "R070");
  EXPECT_EQ(code_of(kernel.start({{"N", "many"}})), "R051");
  EXPECT_EQ(code_of(kernel.start({{"N", 9}, {"a", "1x"}})), "R051");
  EXPECT_EQ(code_of(kernel.start({{"N", 9}, {"a", 1e300 * 1e300}})), "R051");
  for (const ParamValue& value : {ParamValue(1e300), ParamValue(-1e39), ParamValue(1e-60),
                                  ParamValue("0x1p3"), ParamValue(" 1"), ParamValue("nan")}) {
    EXPECT_EQ(code_of(kernel.start({{"N", 9}, {"a", value}})), "R051") << value.text();
  }
  EXPECT_EQ(code_of(kernel.start({{"N", int64_t{1} << 32}})), "R051");
  EXPECT_EQ(code_of(kernel.start({{"N", UINT64_MAX}})), "R051");
  EXPECT_EQ(code_of(kernel.start({{"N", 9.5}})), "R051");
  EXPECT_NE(code_of(kernel.start({{"N", -7}})), "");
  Simulation simulation = kernel.start({{"N", 9}}).or_throw();
  EXPECT_EQ(code_of(simulation.set_param("N", 10)), "R074");
  EXPECT_EQ(code_of(simulation.set_param("a", 1e300)), "R051");
  const Kernel folded = program_of(kHeat).compile({.device = "reference"}).or_throw();
  EXPECT_EQ(code_of(folded.start({{"N", 9}})), "R074");
}

TEST(Kernel, RefusesArraysUnfitForKernels) {
  const Kernel wave = program_of(kWave).compile({.device = "reference"}).or_throw();
  Floats u(40), older(40);
  const View whole(u.data(), {30}), level(older.data(), {30});
  const auto message = [](const auto& result) {
    return result.ok() ? "" : result.failure().code + ": " + result.failure().message;
  };
  EXPECT_EQ(message(wave.attach({{"U", whole}})), "R073: there is no array for 'U@-1'");
  EXPECT_EQ(message(wave.attach({{"U", whole}, {"U@-1", whole}})),
            "R073: the arrays for 'U' and 'U@-1' overlap");
  EXPECT_EQ(message(wave.attach({{"U", whole}, {"U", level}})),
            "R073: there are two arrays for 'U'");
  EXPECT_EQ(message(wave.attach({{"U", View<const float>(u.data(), {30})}, {"U@-1", level}})),
            "R073: the array for 'U' is const, but the program writes the field");
  Floats wide(60);
  EXPECT_EQ(
      message(wave.attach({{"U", View(wide.data(), {30}, {2})}, {"U@-1", level}})),
      "R073: the array for 'U' is not dense and row-major, so kernels cannot use it in place");
  auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(u.data()) + 2);
  EXPECT_EQ(message(wave.attach({{"U", View(odd, {30})}, {"U@-1", level}})),
            "R073: the array for 'U' does not start at a multiple of 4 bytes");
  Floats s(60);
  const Kernel structures = program_of(kStructures).compile({.device = "reference"}).or_throw();
  EXPECT_EQ(message(structures.attach({{"S", View(s, {5, 4, 3})}})),
            "R073: kernels keep each component of field 'S' in a separate array");
  alignas(32) static float aligned[2][32];
  EXPECT_EQ(code_of(wave.attach_device(
                {{"U", View(aligned[0], {30})}, {"U@-1", View(aligned[1], {30})}}, nullptr)),
            "R045");
  EXPECT_EQ(
      code_of(wave.attach_device(
          {{"U", View(aligned[0] + 1, {30})}, {"U@-1", View(aligned[1] + 1, {30})}}, nullptr)),
      "R073");
}

}  // namespace
}  // namespace stencil::api
