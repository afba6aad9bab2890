// Reordering under --fp=fast, on sums of integers that doubles represent exactly. Reassociated,
// scattered and gathered results must then equal the reference bit for bit.
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

using Reordered = Tool;

struct Case {
  const char* name;
  const char* text;
  bool flat;
};

constexpr const char* kBox2d = R"(
param N : integer = 37;
grid G = [0..N-1, 0..N+5] steps 7;
field A : real on G;
stencil f : A[2..N-3, 2..N+3] =
    3*A[-2,-2] - 5*A[-2,-1] + 2*A[-2,0] + 7*A[-2,1] - A[-2,2]
  + 4*A[-1,-2] + 6*A[-1,-1] - 3*A[-1,0] + 2*A[-1,1] + 5*A[-1,2]
  - 2*A[0,-2] + 9*A[0,-1] + 8*A[0,0] - 4*A[0,1] + 3*A[0,2]
  + A[1,-2] - 7*A[1,-1] + 5*A[1,0] + 6*A[1,1] - 2*A[1,2]
  + 2*A[2,-2] + 3*A[2,-1] - A[2,0] + 4*A[2,1] + 7*A[2,2];
init A[i,j] = (i * 7 + j * 3) % 5;
)";

constexpr const char* kSymmetricBox = R"(
param N : integer = 21;
grid G = [0..N-1, 0..N+2, 0..N+7] steps 7;
field A : real on G;
stencil f : A[1..N-2, 1..N+1, 1..N+6] =
    8*A[0,0,0]
  + 4*(A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + A[0,0,1])
  - 2*(A[-1,-1,0] + A[-1,1,0] + A[1,-1,0] + A[1,1,0] + A[-1,0,-1] + A[-1,0,1] + A[1,0,-1]
       + A[1,0,1] + A[0,-1,-1] + A[0,-1,1] + A[0,1,-1] + A[0,1,1])
  + (A[-1,-1,-1] + A[-1,-1,1] + A[-1,1,-1] + A[-1,1,1] + A[1,-1,-1] + A[1,-1,1] + A[1,1,-1]
     + A[1,1,1]);
init A[i,j,k] = (i * 7 + j * 3 + k) % 5;
)";

// Reads the second plane below (the first has no term) and the first above, and has a coefficient
// field.
constexpr const char* kLopsided = R"(
param N : integer = 19;
grid G = [0..N-1, 0..N+3, 0..N+9] steps 7;
field A : real on G;
field B : real on G constant;
stencil f : A[2..N-2, 1..N+2, 2..N+7] =
    3*A[-2,0,1] - 2*A[-2,1,0] + 5*A[0,0,-2] + A[0,0,0] - 4*A[0,-1,1] + 6*A[1,0,0] + 2*A[1,1,2]
  + 3*B[0,0,0] - 2*B[1,0,1] + 7;
init A[i,j,k] = (i * 7 + j * 3 + k) % 5;
init B[i,j,k] = (i + j * 3 + k * 2) % 7;
)";

// Planes of two time levels.
constexpr const char* kReorderedWave = R"(
param N : integer = 18;
grid G = [0..N-1, 0..N+2, 0..N+8] steps 7;
field A : real on G history 2;
stencil f : A[1..N-2, 1..N+1, 1..N+7] =
    2*A[0,0,0] - A[0,-1,0] + A[0,1,0] + 3*A[-1,0,1] + A[1,0,0]
  - A@-1[0,0,0] + 2*A@-1[-1,0,-1] + A@-1[1,1,0];
init A[i,j,k] = (i * 7 + j * 3 + k) % 5;
)";

constexpr Case kCases[] = {{"box2d.stn", kBox2d, true},
                           {"box27.stn", kSymmetricBox, false},
                           {"lopsided.stn", kLopsided, false},
                           {"wave.stn", kReorderedWave, false}};

TEST_F(Reordered, IntegersAreExactInEveryOrder) {
  if (stencilc("devices").out.find("compiled in process") == std::string::npos) {
    GTEST_SKIP() << "no host device";
  }
  // 7 steps: whole and shorter tiles. Most of the time is spent compiling.
  const std::vector<std::string> flat = {"T=2 elements=2 block=16x2 chunk=5",
                                         "T=1 elements=8 loads=registers interior=tested chunk=11"};
  const std::vector<std::string> deep = {
      "T=2 block=8x8 elements=2x3 chunk=4",
      "T=1 block=16x4 elements=1x4 loads=registers interior=tested"};
  for (const Case& c : kCases) {
    write(c.name, c.text);
    const std::string run = std::string("run ") + c.name + " --real double --steps 7";
    ASSERT_EQ(stencilc(run + " --device reference --out A=expected.npy").status, 0) << c.name;
    for (const std::string& schedule : c.flat ? flat : deep) {
      for (const char* form : {"gather", "scatter"}) {
        const Outcome outcome = stencilc(run + " --fp fast --device host --schedule \"streaming " +
                                         schedule + " form=" + form + "\" --out A=got.npy");
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(read(file("got.npy")), read(file("expected.npy")))
            << c.name << " " << schedule << " " << form;
      }
    }
  }
}

}  // namespace
}  // namespace stencil
