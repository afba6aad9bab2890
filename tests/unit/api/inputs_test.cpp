// Constant fields, series and point sets need values, from an `init` or from the user.
#include "tests/unit/api/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::api {
namespace {

using runtime::TemporaryDirectory;

constexpr const char* kInputs = R"(
grid G = [0..7, 0..7] steps 2;
field A : real on G;
field c : real on G constant;
field v : { x : real, y : real } on G constant;
points shots [0..1] on G;
series w : real [0..1] on shots;
field p : real on G along 1 constant;
stencil s : A on G = A[0,0] + c[0,0] * v[0,0].x + w[time] + p[0];
)";

std::vector<float> ones(size_t count) {
  return std::vector<float>(count, 1.0f);
}

TEST(Inputs, AreRequiredOneByOne) {
  Simulation simulation = on_reference(kInputs);
  const auto lacks = [&](const std::string& what) {
    const auto report = simulation.advance(1);
    ASSERT_FALSE(report.ok()) << what;
    EXPECT_EQ(report.failure().code, "R057");
    EXPECT_EQ(report.failure().message, what + " has no values");
    EXPECT_EQ(code_of(simulation.run()), "R057");
    EXPECT_EQ(code_of(simulation.run(RunFiles{})), "R057");
    EXPECT_EQ(code_of(simulation.check_inputs()), "R057");
    EXPECT_EQ(simulation.step(), 0);
  };
  lacks("the set of points 'shots'");
  const std::vector<double> places = {1, 1, 2.5, 3};
  simulation.set("shots", View<const double>(places, {2, 2})).or_throw();
  lacks("the constant field 'c'");
  const auto values = ones(64);
  simulation.set("c", View<const float>(values, {8, 8})).or_throw();
  lacks("the constant field 'v'");
  simulation.set("v.x", View<const float>(values, {8, 8})).or_throw();
  lacks("the constant field 'v.y'");
  simulation.set("v.y", {{0, 0}, {8, 8}}, View<const float>(values, {8, 8})).or_throw();
  lacks("the constant field 'p'");
  simulation.set("p", View<const float>(values.data(), {8})).or_throw();
  lacks("the series 'w'");
  simulation.set("w", View<const float>(values.data(), {2, 2})).or_throw();
  EXPECT_EQ(code_of(simulation.check_inputs()), "");
  EXPECT_EQ(simulation.run().or_throw().steps, 2);
}

TEST(Inputs, ComeFromTheProgramItself) {
  const std::string text = std::string(kInputs) +
                           "init c[i,j] = 0; init v = { 0, 0 }; init shots[n] = { 1, 1 };\n"
                           "init w[t,n] = 0; init p = 0;\n";
  Simulation simulation = on_reference(text.c_str());
  EXPECT_EQ(code_of(simulation.run()), "");
}

TEST(Inputs, ComeFromAFileACheckpointOrAnArray) {
  constexpr const char* kText =
      "grid G = [0..7] steps 2; field A : real on G; field c : real on G constant;"
      "stencil s : A on G = A[0] + c[0];";
  const TemporaryDirectory directory;
  const Program program = program_of(kText);
  State given = program.initial_state().or_throw();
  const auto values = ones(8);
  given.set("c", View<const float>(values, {8})).or_throw();
  given.write({{directory.file("c.npy"), {"c"}}}).or_throw();
  given.save_checkpoint(directory.file("c.ckpt")).or_throw();
  State read = program.initial_state().or_throw();
  EXPECT_EQ(code_of(read.check_inputs()), "R057");
  EXPECT_EQ(code_of(read.read("c", directory.file("none.npy"))), "R010");
  EXPECT_EQ(code_of(read.check_inputs()), "R057") << "nothing was read";
  read.read("c", directory.file("c.npy")).or_throw();
  EXPECT_EQ(code_of(read.check_inputs()), "");
  State saved = program.initial_state().or_throw();
  saved.load_checkpoint(directory.file("c.ckpt")).or_throw();
  EXPECT_EQ(code_of(saved.check_inputs()), "");
  const Kernel kernel = program.compile({.device = "reference"}).or_throw();
  std::vector<float> a(8, 0.0f), c = ones(8);
  Simulation partly = kernel.attach({{"A", View<float>(a, {8})}}).or_throw();
  EXPECT_EQ(code_of(partly.advance(1)), "R057");
  Simulation attached =
      kernel.attach({{"A", View<float>(a, {8})}, {"c", View<float>(c, {8})}}).or_throw();
  EXPECT_EQ(attached.advance(1).or_throw().steps, 1);
  EXPECT_EQ(a[3], 1.0f);
}

// Steps compute these fields, so they start from zero without an `init`.
TEST(Inputs, AreNotRequiredOfFieldsThatStepsCompute) {
  EXPECT_EQ(code_of(on_reference("grid G = [0..7] steps 2; field A : real on G;"
                                 "stencil s : A on G = A[0] + 1;")
                        .run()),
            "");
}

// Steps read but never compute one field. Of another field, they read but do not compute one
// component, although they compute another component.
TEST(Inputs, AreNeededWhereNoStepComputes) {
  constexpr const char* kHead =
      "grid G = [0..7] steps 2; field A, B : real on G;"
      "field S : { rho : real, v : real } on G;";
  const auto failure_of = [&](const std::string& items) {
    Simulation simulation = on_reference((kHead + items).c_str());
    const Status complete = simulation.check_inputs();
    return complete.ok() ? "" : complete.failure().message;
  };
  EXPECT_EQ(failure_of("stencil s : A on G = A[0] + B[0];"),
            "the field 'B' has no values, and no step computes it");
  EXPECT_EQ(failure_of("stencil s : A on G = A[0]; reduce r = sum(B[0]) on G;"),
            "the field 'B' has no values, and no step computes it");
  EXPECT_EQ(failure_of("stencil s : S.v on G = S[0].rho + S[0].v;"),
            "the component 'S.rho' has no values, and no step computes it");
  EXPECT_EQ(failure_of("stencil s : S.v on G = S[0].rho + S[0].v; init S = { 0, 0 };"), "");
  EXPECT_EQ(failure_of("stencil s : A on G = A[0] + B[0]; init B = 0;"), "");
  EXPECT_EQ(failure_of("stencil s : A on G = A[0] + B[0]; stencil t : B on G = A[0];"), "");
  EXPECT_EQ(failure_of("stencil s : S.v on G = S[0].v + 1;"), "") << "nothing reads S.rho";
  EXPECT_EQ(failure_of("stencil s : A on G = A[0] + 1;"), "") << "nothing reads B";

  // Levels of a constant field need values only where a function reads them.
  const std::string levels =
      "grid G = [0..16] levels 2 by 2 steps 1; field u : real on G boundary constant 0;"
      "field c : real on G constant; init c = 1; stencil s : u on G = u[1] + c[0];";
  const auto failure_on_levels = [&](const std::string& step) {
    Simulation simulation = on_reference((levels + "step { " + step + " }").c_str());
    const auto complete = simulation.check_inputs();
    return complete.ok() ? "" : complete.failure().message;
  };
  EXPECT_EQ(failure_on_levels("s;"), "");
  EXPECT_EQ(failure_on_levels("s; coarser { s; }"), "the constant field 'c_1' has no values");

  Simulation simulation =
      on_reference((std::string(kHead) + "stencil s : A on G = A[0] + B[0];").c_str());
  EXPECT_EQ(code_of(simulation.advance(1)), "R057");
  simulation.set("B", View<const float>(ones(8), {8})).or_throw();
  EXPECT_TRUE(simulation.advance(1).ok());
}

}  // namespace
}  // namespace stencil::api
