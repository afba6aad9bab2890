// Params that are vectors and structures, on the command line and in emitted files.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

const std::string kRest =
    "grid G = [0..30] steps 4;\n"
    "field U : vector 2 of real on G boundary clamp;\n"
    "init U[i] = { real(i), 1 };\n";

class ParamGroups : public Tool {
 protected:
  std::string run(const std::string& program, const std::string& options) {
    write("p.stn", program + kRest);
    const Outcome outcome =
        stencilc("run p.stn --device host --out U[0]=0.npy --out U[1]=1.npy " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read(file("0.npy")) + read(file("1.npy"));
  }
};

TEST_F(ParamGroups, EqualTheirComponents) {
  const std::string group =
      "param a : real = 2;\n"
      "param p : { g : vector 2 of real, dt : real } =\n  { g = { a, -9.81 }, dt = 0.1 / a };\n"
      "stencil s : U on G = U[1] + p.dt * p.g;\n";
  const std::string apart =
      "param a : real = 2; param gx : real = a; param gy : real = -9.81; param dt : real = 0.1 / "
      "a;\n"
      "stencil s : U on G = { U[1][0] + dt * gx, U[1][1] + dt * gy };\n";
  EXPECT_EQ(run(group, ""), run(apart, ""));
  EXPECT_EQ(run(group, "-D a=3"), run(apart, "-D a=3"));
  EXPECT_EQ(run(group, "-D p_g_1=1 --fix p_g_1"), run(apart, "-D gy=1 --fix gy"));
  EXPECT_NE(run(group, "-D p_g_1=1"), run(group, ""));
}

TEST_F(ParamGroups, AreMembersOfEmittedParams) {
  write("p.stn",
        "param p : vector 2 of real =\n  { 1,\n    2 };\nstencil s : U on G = U[1] * p;\n" + kRest);
  const Outcome outcome = stencilc("p.stn -o p.cpp --header p.h");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string header = read(file("p.h"));
  EXPECT_NE(header.find("float p_0;"), std::string::npos) << header;
  EXPECT_NE(header.find("float p_1;"), std::string::npos) << header;
}

}  // namespace
}  // namespace stencil::test
