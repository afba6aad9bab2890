// Simulations over several subdomains: where their fields are stored, and that
// results equal those of one device.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "runtime/api/simulation.h"
#include "tests/unit/api/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::api {
namespace {

using Floats = std::vector<float>;
using runtime::TemporaryDirectory;

constexpr const char* kMixed = R"(
param N : integer = 70;
grid G = [0..N-1, 0..N+4] steps 9;
field U : vector 2 of real on G history 2 boundary [clamp, periodic];
field c : real on G constant;
field h : integer on G;
field p : real on G along 0 constant;
stencil s : U on G = { U[0,0][0] + c[0,0] * (U[0,1][1] - U@-1[1,0][0]) + p[0], U[0,0][0] };
stencil t : h on G = h[0,0] + 1;
init U[i,j] = { 0.5 * i - j, select(i % 3 == 0, 1.0, 0.25) };
init c[i,j] = 0.001 * (i + 2 * j);
init p[i] = 0.125 * i;
)";
constexpr const char* kFields[] = {"U[0]", "U[1]", "U[0]@-1", "c", "p"};

class SimulationInSubdomains : public testing::Test {
 protected:
  void SetUp() override {
    const auto device = choose_device("host");
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
  }
  Kernel in_subdomains(const std::string& cuts = "2x2") const {
    return program_.compile({.device = "host", .schedule = "direct", .parts = cuts}).or_throw();
  }
  // Expects the values of a run on one device.
  void expect_reached(State& state, const std::string& what) {
    for (const char* field : kFields) {
      EXPECT_EQ(state.get<float>(field).or_throw(), expected_.get<float>(field).or_throw())
          << field << ", " << what;
    }
    EXPECT_EQ(state.get<int32_t>("h").or_throw(), expected_.get<int32_t>("h").or_throw()) << what;
  }
  // The names of the fields that have storage on the host.
  static std::string stored(const State& state) {
    std::string out;
    const SimulationData& data = SimulationData::of(state);
    for (size_t f = 0; f < data.fields.size(); ++f) {
      if (data.is_stored(f)) out += data.fields[f].name;
    }
    return out;
  }

  const Program program_ = program_of(kMixed);
  Simulation expected_ = program_.compile({.device = "reference"}).or_throw().start().or_throw();
  const TemporaryDirectory directory_;
};

TEST_F(SimulationInSubdomains, StoresOnlyFieldsThatAreRead) {
  expected_.run().or_throw();
  Simulation simulation = in_subdomains().start().or_throw();
  const RunFiles files{.outputs = {{directory_.file("a.vti"), {"U", "c", "h"}},
                                   {directory_.file("u.npy"), {"U@-1"}}},
                       .every = 3,
                       .checkpoint = directory_.file("c.ckpt"),
                       .checkpoint_steps = 4};
  const auto report = simulation.run(files).or_throw();
  EXPECT_TRUE(report.non_finite.empty());
  EXPECT_TRUE(simulation.non_finite().or_throw().empty());
  EXPECT_EQ(stored(simulation), "p") << "files and statistics need no storage on the host";
  EXPECT_EQ(simulation.get<float>("c").or_throw(), expected_.get<float>("c").or_throw());
  EXPECT_EQ(stored(simulation), "cp");
  expect_reached(simulation, "after a run");
  EXPECT_EQ(stored(simulation), "Uchp");
}

TEST_F(SimulationInSubdomains, ResumesFromACheckpoint) {
  const std::string path = directory_.file("c.ckpt");
  Simulation begun = in_subdomains("3").start().or_throw();
  begun.advance(4).or_throw();
  begun.save_checkpoint(path).or_throw();
  EXPECT_EQ(stored(begun), "p");
  expected_.run().or_throw();

  State state = program_.initial_state().or_throw();
  state.load_checkpoint(path).or_throw();
  EXPECT_EQ(state.step(), 4);
  EXPECT_EQ(stored(state), "p");
  // Renaming the file later must not affect the checkpoint that was loaded.
  std::filesystem::rename(path, directory_.file("old.ckpt"));
  std::ofstream(path) << "another";
  Simulation simulation = in_subdomains("1x3").start(std::move(state)).or_throw();
  simulation.run().or_throw();
  EXPECT_EQ(stored(simulation), "p");
  expect_reached(simulation, "from a checkpoint");

  State one = program_.initial_state().or_throw();
  one.load_checkpoint(directory_.file("old.ckpt")).or_throw();
  Simulation alone = program_.compile({.device = "host", .schedule = "direct"})
                         .or_throw()
                         .start(std::move(one))
                         .or_throw();
  alone.run().or_throw();
  expect_reached(alone, "on one device");
}

TEST_F(SimulationInSubdomains, RefusesADamagedCheckpointAtOnce) {
  const std::string path = directory_.file("c.ckpt");
  expected_.save_checkpoint(path).or_throw();
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-5, std::ios::end)
      .put(9);
  State state = program_.initial_state().or_throw();
  const Status loaded = state.load_checkpoint(path);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.failure().code, "R060");
  expect_reached(state, "nothing has changed");
}

TEST_F(SimulationInSubdomains, StartsFromArraysAndFiles) {
  const size_t points = 70 * 75;
  Floats older(points), medium(points);
  for (size_t i = 0; i < points; ++i) {
    older[i] = static_cast<float>(i % 17);
    medium[i] = 0.0001f * static_cast<float>(i % 29);
  }
  const std::string path = directory_.file("older.npy");
  Simulation source = in_subdomains().start().or_throw();
  source.set("U[1]", View(older, {70, 75})).or_throw();
  source.write({{path, {"U[1]"}}}).or_throw();
  State state = program_.initial_state().or_throw();
  state.read("U[0]@-1", path).or_throw();
  EXPECT_EQ(stored(state), "p");
  state.set("c", View(medium, {70, 75})).or_throw();
  EXPECT_EQ(stored(state), "cp");
  expected_.read("U[0]@-1", path).or_throw();
  expected_.set("c", View(medium, {70, 75})).or_throw();
  expected_.run().or_throw();
  Simulation simulation = in_subdomains("4x1").start(std::move(state)).or_throw();
  simulation.run().or_throw();
  EXPECT_EQ(stored(simulation), "cp");
  expect_reached(simulation, "from arrays and files");
}

// Repeated reads of an unreadable field all fail.
TEST_F(SimulationInSubdomains, RefusesAFileThatWasTruncatedMeanwhile) {
  const std::string path = directory_.file("c.npy");
  expected_.write({{path, {"c"}}}).or_throw();
  State state = program_.initial_state().or_throw();
  state.read("c", path).or_throw();
  std::filesystem::resize_file(path, 500);
  for (int times = 0; times < 2; ++times) EXPECT_EQ(code_of(state.get<float>("c")), "R010");
  Simulation simulation = in_subdomains().start(std::move(state)).or_throw();
  for (int times = 0; times < 2; ++times) EXPECT_EQ(code_of(simulation.advance(1)), "R010");
}

// Fields are set in the middle of a run, also on another device.
TEST_F(SimulationInSubdomains, TakesFieldsInTheMiddleOfARun) {
  Simulation simulation = in_subdomains().start().or_throw();
  const Floats half(70 * 75, 0.5f);
  for (Simulation* each : {&simulation, &expected_}) {
    each->advance(3).or_throw();
    each->set("U[1]", View(half, {70, 75})).or_throw();
    each->advance(2).or_throw();
  }
  Simulation other =
      program_.compile({.device = "reference"}).or_throw().start(std::move(simulation)).or_throw();
  for (Simulation* each : {&other, &expected_}) each->run().or_throw();
  expect_reached(other, "changed");
}

// Points of a derived grid come from their owners, also before any other field is read.
TEST_F(SimulationInSubdomains, GivesTheFieldsOfAllLevels) {
  const Program cycle = program_of(R"(
grid G = [0..63, 0..63] levels 3 by 2 cells steps 3;
field u, r : real on G boundary [constant 0, periodic];
field k : real on G boundary clamp;
stencil halve : k on G = 0.25 * (fine k[0,0] + fine k[1,1]);
stencil smooth : u on G = 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + k[0,0] + 0.1 * r[0,0];
stencil restrict : r on G = fine u[0,0] - fine u[1,1];
stencil correct : u on G = u[0,0] + 0.5 * (coarse u[0,0] + coarse u[-1,1]);
init u[i,j] = sin(0.3 * i + 0.7 * j);
init r[i,j] = 0.01 * i;
init k[i,j] = 0.001 * i * j;
cycle v { smooth; if level < 2 { coarser { restrict; smooth; v; } correct; } }
start { coarser { halve; coarser { halve; } } }
step { v; }
)");
  Simulation expected = cycle.compile({.device = "reference"}).or_throw().start().or_throw();
  expected.run().or_throw();
  for (const char* cuts : {"2x2", "1x3"}) {
    Simulation simulation = cycle.compile({.device = "host", .schedule = "direct", .parts = cuts})
                                .or_throw()
                                .start()
                                .or_throw();
    simulation.advance(2).or_throw();
    EXPECT_EQ(simulation.get<float>("k_2").or_throw(), expected.get<float>("k_2").or_throw());
    simulation.advance(1).or_throw();
    for (const char* field : {"u_2", "r_1", "u", "r_2", "u_1"}) {
      EXPECT_EQ(simulation.get<float>(field).or_throw(), expected.get<float>(field).or_throw())
          << field << " " << cuts;
    }
  }
}

}  // namespace
}  // namespace stencil::api
