// Several fields written by one stencil function, from the command line.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

const std::string kHead =
    "grid G = [0..18, 0..22] steps 5;\n"
    "subgrid I of G = [1..17, 1..21];\n"
    "type cell = { rho : real, v : vector 2 of real };\n"
    "field A, B : real on G boundary clamp;\n"
    "field S : cell on G;\n"
    "init A[i, j] = real(i) + 0.5 * j;\n"
    "init B[i, j] = real(i * j) / 8;\n"
    "init S[i, j] = { rho = real(i), v = { real(j), 1 } };\n";

// All targets in one function.
const std::string kTogether =
    kHead +
    "stencil f : A, B, S.v {\n"
    "  let d = 0.25 * (A[0, 1] - B[-1, 0]);\n"
    "  I = { A = B[0, 0] + d, B = A[0, 0] - d, v = { S[0, -1].v[1] * d, A[0, 0] } };\n"
    "}\n";

// One function after the other, with copies of the old values.
const std::string kApart = kHead +
                           "field A0, B0, d : real on G boundary clamp;\n"
                           "stencil keep_a : A0 on G = A[0, 0];\n"
                           "stencil keep_b : B0 on G = B[0, 0];\n"
                           "stencil both : d on G = 0.25 * (A0[0, 1] - B0[-1, 0]);\n"
                           "stencil a : A on I = B0[0, 0] + d[0, 0];\n"
                           "stencil b : B on I = A0[0, 0] - d[0, 0];\n"
                           "stencil s : S on I =\n"
                           "  { rho = S[0, 0].rho, v = { S[0, -1].v[1] * d[0, 0], A0[0, 0] } };\n";

class Targets : public Tool {
 protected:
  std::string run(const std::string& program, const std::string& options) {
    write("p.stn", program);
    const Outcome outcome = stencilc("run p.stn --fp strict " + options +
                                     " --out A=a.npy --out B=b.npy --out S.v[0]=v0.npy"
                                     " --out S.v[1]=v1.npy --out S.rho=rho.npy");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::string out;
    for (const char* name : {"a.npy", "b.npy", "v0.npy", "v1.npy", "rho.npy"}) {
      out += read(file(name));
    }
    return out;
  }
};

TEST_F(Targets, AreComputedFromTheOldValues) {
  const std::string expected = run(kApart, "--device reference");
  EXPECT_EQ(run(kTogether, "--device reference"), expected);
  for (const char* line : {"direct", "overlapped T=2 block=16x8 elements=2x2",
                           "planes T=3 block=24", "streaming T=2 block=32x1 elements=1x1"}) {
    EXPECT_EQ(run(kTogether, std::string("--device host --schedule \"") + line + "\""), expected)
        << line;
  }
}

TEST_F(Targets, AreShownByExplain) {
  write("p.stn", kTogether);
  const Outcome outcome = stencilc("explain p.stn");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("A, B, S"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace stencil::test
