// The contents of fields while schedules are timed.
#include "runtime/tune/field_memory.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

using reference::FieldData;
using reference::State;
using runtime::program_of;

constexpr const char* kRecordedWave = R"(
param N : integer = 40;
grid G = [0..N-1, 0..N-1];
points mics [0..2] on G;
init mics[p] = { 3.0, 5.0 * p };
points shots [0..9] on G;
field U : real on G history 2;
field V, W : real on G;
field speed, given : real on G constant;
field count : integer on G;
init U[i,j] = select(i == 7, 100.0, 0.0);
init speed[i,j] = 0.25 + j / 64.0;
init count[i,j] = i;
stencil u : U[1..N-2, 1..N-2] = U[0,0] + speed[0,0] * given[0,0] * (U[1,0] - U@-1[0,0]) + shots;
stencil v : V on G = V[0,0] + U[0,0];
stencil c : count on G = count[0,0] + 1;
record trace [0..99] = U[0,0] at mics;
)";

class Values : public testing::Test {
 protected:
  State state_of(const ir::Program& program) {
    auto state = memory_.lay_out(program, runtime::bind_params(program).value());
    EXPECT_TRUE(state.ok());
    return std::move(state).value();
  }
  static int field(const ir::Program& program, const std::string& name) {
    for (size_t f = 0; f < program.fields.size(); ++f) {
      if (program.fields[f].name == name) return static_cast<int>(f);
    }
    return -1;
  }
  FieldMemory memory_;
};

TEST_F(Values, OfTimedRunsAreInitialValuesPlusNoise) {
  const ir::Program program = program_of(kRecordedWave);
  State state = state_of(program);
  fill_as_begun(program, state, true);
  const auto of = [&](const char* name) -> const FieldData& {
    return state.fields[field(program, name)];
  };
  for (int64_t i = 0; i < 40; ++i) {
    for (int64_t j = 0; j < 40; ++j) {
      const int64_t at = 40 * i + j;
      EXPECT_EQ(of("speed").real(0, 0, at), 0.25 + static_cast<double>(j) / 64)
          << "coefficients are unchanged";
      for (const int level : {0, 1}) {
        const double u = of("U").real(level, 0, at) - (i == 7 ? 100 : 0);
        EXPECT_GE(u, 0);
        EXPECT_LT(u, 0.1);
      }
      EXPECT_LT(of("V").real(0, 0, at), 0.001) << "0 without an init if other fields have one";
      EXPECT_EQ(of("count").integer(0, 0, at), i) << "no noise in integers";
    }
  }
  EXPECT_NE(of("U").real(0, 0, 5), of("U").real(0, 0, 6));
  EXPECT_NE(of("U").real(0, 0, 5), of("U").real(1, 0, 5));
  EXPECT_GT(of("V").real(0, 0, 5), 0);
  double most = 0;
  for (int64_t at = 0; at < 1600; ++at) most = std::max(most, of("given").real(0, 0, at));
  EXPECT_GT(most, 0.9) << "comes from a file: random";
  for (int p = 0; p < 3; ++p) EXPECT_EQ(of("mics").real(0, 1, p), 5 * p);
  EXPECT_GT(of("shots").real(0, 0, 4), 1) << "spread over the grid";
  EXPECT_EQ(state.step, 0);
  fill_as_begun(program, state, false);
  EXPECT_EQ(of("U").real(1, 0, 5), 0);
  EXPECT_EQ(of("U").real(1, 0, 7 * 40 + 5), 100);
}

TEST_F(Values, AreRandomWithoutInitialValues) {
  const ir::Program program =
      program_of("grid G = [0..99];\nfield A, K : real on G;\nstencil s : A on G = A[0] * K[0];\n");
  State state = state_of(program);
  fill(program, state);
  std::vector<double> random;
  for (int64_t at = 0; at < 100; ++at) random.push_back(state.fields[0].real(0, 0, at));
  fill_as_begun(program, state, true);
  for (int64_t at = 0; at < 100; ++at) {
    EXPECT_EQ(state.fields[0].real(0, 0, at), random[at]);
  }
  EXPECT_NE(random[3], random[4]);
}

}  // namespace
}  // namespace stencil::tune
