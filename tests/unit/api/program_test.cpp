// Programs: their descriptions, and the errors in them.
#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

TEST(Program, DescribesItsDeclarations) {
  const Program program = program_of(kStructures);
  ASSERT_EQ(program.fields().size(), 3u);
  const FieldInfo& s = program.fields()[0];
  EXPECT_EQ(s.name, "S");
  ASSERT_EQ(s.components.size(), 3u);
  EXPECT_EQ(s.components[0].path, ".rho");
  EXPECT_EQ(s.components[2].path, ".u[1]");
  EXPECT_EQ(s.shape, (Extents{5, 4}));
  EXPECT_TRUE(s.written);
  EXPECT_EQ(program.fields()[1].components[1].type, ElementType::Int);
  EXPECT_EQ(program.fields()[2].components[0].type, ElementType::Half);
  EXPECT_EQ(program.rank(), 2);
  EXPECT_EQ(program.steps().or_throw(), 2);
}

constexpr const char* kPlaced = R"(
param dx : real = 0.5;
param L : real;
grid G = [2..9, 0..4] steps 1 origin [1, -L] spacing dx;
subgrid inside of G = [4..6, 1..3];
field A : real on G;
field B : real on inside;
stencil s : A[i in 2..9, 0..4] = position(i);
)";

TEST(Program, GivesPointPositionsOnceParamsAreKnown) {
  using Numbers = std::vector<double>;
  const Program open = program_of(kPlaced);
  EXPECT_TRUE(open.fields()[0].position.empty()) << "L has no value";
  Options options;
  options.definitions = {{"L", 2}};
  const Program program = program_of(kPlaced, options);
  EXPECT_EQ(program.fields()[0].position, (Numbers{2, -2}));
  EXPECT_EQ(program.fields()[1].position, (Numbers{3, -1.5}));
  EXPECT_EQ(program.fields()[1].spacing, (Numbers{0.5, 0.5}));

  const Kernel kernel = open.compile({.device = "reference"}).or_throw();
  Simulation simulation = kernel.start({{"L", 4}}).or_throw();
  EXPECT_EQ(simulation.fields()[0].position, (Numbers{2, -4}));
  simulation.set_param("dx", 0.25).or_throw();
  EXPECT_EQ(simulation.fields()[1].position, (Numbers{2, -3.75}));
  EXPECT_EQ(simulation.fields()[1].spacing, (Numbers{0.25, 0.25}));
  EXPECT_EQ(code_of(simulation.set_param("dx", -1)), "S046");
  EXPECT_EQ(simulation.fields()[1].spacing, (Numbers{0.25, 0.25}));
  EXPECT_EQ(code_of(kernel.start({{"L", 4}, {"dx", 0}})), "S046");

  const Program plain = program_of(kHeat);
  EXPECT_EQ(plain.fields()[0].position, (Numbers{0, 0}));
  EXPECT_EQ(plain.fields()[0].spacing, (Numbers{1, 1}));
}

TEST(Program, DescribesParamsAndReductions) {
  Options options;
  options.open = {"N"};
  options.real = ElementType::Double;
  const Program program = program_of(kHeat, options);
  ASSERT_EQ(program.params().size(), 2u);
  EXPECT_EQ(program.params()[0].name, "N");
  EXPECT_FALSE(program.params()[0].value);
  EXPECT_TRUE(program.params()[0].given_later);
  EXPECT_EQ(program.params()[1].type, ElementType::Double);
  EXPECT_EQ(program.params()[1].value, 0.125);
  EXPECT_TRUE(program.fields()[0].shape.empty()) << "N is open";
  EXPECT_TRUE(program.fields()[1].constant);
  ASSERT_EQ(program.reductions().size(), 1u);
  EXPECT_EQ(program.reductions()[0].every, 2);
  EXPECT_FALSE(program.has_stop());
  EXPECT_EQ(program.steps({{"N", 9}}).or_throw(), 6);
}

TEST(Program, SaysHowFarAStepReads) {
  const Program program = program_of(
      "grid G = [0..20, 0..20] steps 1;\n"
      "field A : real on G boundary clamp;\n"
      "field U : real on G history 2;\n"
      "field w : real on G along 0 constant;\n"
      "field R : real on G;\n"
      "stencil a : A on [2..18, 2..18] = A[-1,0] + U@-1[0,2] + w[0];\n"
      "stencil u : U on [5..15, 5..15] = A[0,3];\n"
      "stencil r : R on G = 1;\n");
  const auto halo = [&](const char* field) {
    std::vector<int64_t> out;
    for (const Halo& one : program.halo(field).or_throw()) {
      out.insert(out.end(), {one.low, one.high});
    }
    return out;
  };
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(halo("A"), (Numbers{1, 0, 0, 3})) << "u reads the new A, which reads the old one";
  EXPECT_EQ(halo("U"), (Numbers{0, 0, 0, 5}));
  EXPECT_EQ(halo("w"), Numbers{});
  EXPECT_EQ(program.halo("B").failure().code, "R070");
}

TEST(Program, LocatesItsErrors) {
  const auto program = Program::from_text(
      "grid G = [0..9] steps 1;\nfield A : real on G;\nstencil s : A[1..8] = A[-1] + B[0];\n", {},
      "wrong.stn");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.failure().code, "S004");
  EXPECT_NE(program.failure().text().find("wrong.stn:3:31: error"), std::string::npos)
      << program.failure().text();
  EXPECT_NE(program.failure().text().find("^"), std::string::npos);
  EXPECT_THROW(auto thrown = Program::from_file("/nowhere.stn").or_throw(), Error);
  EXPECT_EQ(code_of(Program::from_file("/nowhere.stn")), "R010");
}

TEST(Program, CanComeFromABuilder) {
  using namespace dsl;
  Builder builder("built");
  const auto N = builder.param("N", integer, 10);
  const auto G = builder.grid("G", {extent(N)}, 3);
  const auto A = builder.field("A", real, G);
  builder.stencil("s", A, {{1, 8}}, 0.5 * (A(-1) + A(1)));
  const BuildResult built = builder.finish();
  ASSERT_TRUE(built.ok()) << built.report();
  Options options;
  options.definitions = {{"N", 20}};
  const Program program = Program::from_built(*built.program, options).or_throw();
  EXPECT_EQ(program.name(), "built");
  EXPECT_EQ(program.fields()[0].shape, Extents{20});
  Simulation simulation = program.compile({.device = "reference"}).or_throw().start().or_throw();
  EXPECT_EQ(simulation.run().or_throw().steps, 3);

  options.definitions = {{"N", 5}};
  const auto wrong = Program::from_built(*built.program, options);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.failure().text().find("program_test.cpp"), std::string::npos)
      << wrong.failure().text();
}

TEST(Program, RefusesUnknownDevicesAndSchedules) {
  const Program program = program_of(kHeat);
  EXPECT_EQ(code_of(program.compile({.device = "hots"})), "R040");
  EXPECT_EQ(code_of(program.compile({.device = "opencl:none such"})), "R041");
  const auto refused = program.compile({.device = "host", .schedule = "direkt"});
  if (choose_device("host").ok()) {
    EXPECT_EQ(code_of(refused), "L001");
    EXPECT_NE(refused.failure().text().find("direct"), std::string::npos);
  }
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_STREQ(version(), STENCIL_PROJECT_VERSION);
}

TEST(Devices, AreListedWithReasons) {
  const auto all = devices();
  EXPECT_GE(all.size(), 4u);
  for (const Device& device : all) {
    EXPECT_EQ(device.takes_pointers, device.name == "cuda" || device.name == "host");
    EXPECT_EQ(device.available, device.reason.empty()) << device.name;
  }
  EXPECT_EQ(choose_device("reference").or_throw().name, "reference");
}

}  // namespace
}  // namespace stencil::api
