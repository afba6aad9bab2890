// The weights of points have the type of the values that they are multiplied with.
#include <gtest/gtest.h>

#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// `real` is float, but all computed values are double.
const char* const kDoubles = R"(
grid G = [0..9] steps 1;
field U, V : double on G;
points shots [0..0] on G;
points mics [0..0] on G;
series w : double [0..0] on shots;
init shots[p] = { 3.1 };
init mics[p] = { 3.1 };
init w[t,p] = 1;
stencil source : U on G = U[0] + w[time];
stencil weights : V on G = 0.1 * shots;
record trace [0..0] = U[0] at mics;
)";

class Weights : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Weights, testing::Values("reference", "host", "opencl"));

TEST_P(Weights, AreDoublesAmongDoubles) {
  const auto device = choose_device(GetParam());
  if (!device.ok()) GTEST_SKIP() << device.failure().message;
  const ir::Program program = program_of(kDoubles);
  Diagnostics diagnostics;
  const auto ready = prepare(program, GetParam(), "auto", diagnostics);
  ASSERT_TRUE(ready.ok()) << ready.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  ASSERT_TRUE(execute(program, ready.value(), state, 1).ok());
  const double high = 3.1 - 3.0, low = 1 - high;
  const auto value = [&](const char* name, int64_t position) {
    for (size_t f = 0; f < program.fields.size(); ++f) {
      if (program.fields[f].name == name) return state.fields[f].real(0, 0, position);
    }
    return 0.0;
  };
  EXPECT_EQ(value("U", 3), low);
  EXPECT_EQ(value("U", 4), high);
  EXPECT_EQ(value("V", 3), 0.1 * low);
  EXPECT_EQ(value("V", 4), 0.1 * high);
  EXPECT_EQ(value("trace", 0), low * low + high * high);
}

}  // namespace
}  // namespace stencil::runtime
