// Results of language constructs, from the command line: values computed by hand, compared with the
// reference interpreter and with kernels.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/language.h"

namespace stencil::test {
namespace {

// The values at -3, -2, -1 and 5, 6, 7 of a field with values 1, 4, 9, 16, 25.
TEST_F(Language, BoundaryRules) {
  const std::vector<std::pair<std::string, Values>> rules = {
      {"clamp", {1, 1, 1, 25, 25, 25}},
      {"mirror", {16, 9, 4, 16, 9, 4}},
      {"odd", {-16, -9, -4, -16, -9, -4}},
      {"symmetric", {9, 4, 1, 25, 16, 9}},
      {"antisymmetric", {-9, -4, -1, -25, -16, -9}},
      {"linear", {-8, -5, -2, 34, 43, 52}},
      {"periodic", {9, 16, 25, 1, 4, 9}},
      {"antiperiodic", {-9, -16, -25, -1, -4, -9}},
      {"constant 7", {7, 7, 7, 7, 7, 7}}};
  for (const auto& [rule, expected] : rules) {
    Values low(expected.begin(), expected.begin() + 3), high(expected.begin() + 3, expected.end());
    const Values field = {1, 4, 9, 16, 25};
    low.insert(low.end(), field.begin(), field.begin() + 2);
    high.insert(high.begin(), field.begin() + 3, field.end());
    const std::string text = "grid G = [0..4] steps 1;\nfield U : double on G boundary " + rule +
                             ";\nfield L, H : double on G;\nstencil l : L on G = U[-3];\n"
                             "stencil h : H on G = U[3];\nstencil u : U on G = U[0];\n"
                             "init U[i] = real((i + 1) * (i + 1));\n";
    gives(text, "L", low);
    gives(text, "H", high);
  }
}

TEST_F(Language, LinearRulesCombineInACorner) {
  gives(
      "grid G = [0..1, 0..1] steps 1;\nfield U, V : double on G boundary linear;\n"
      "stencil v : V on G = U[-1,1];\nstencil u : U on G = U[0,0];\n"
      "init U[i,j] = real(2 + 3*i + 5*j + 7*i*j);\n",
      "V", {2 - 3 + 5 - 7, 2 - 3 + 10 - 14, 2 + 5, 2 + 10});
}

TEST_F(Language, BoundedOffsets) {
  // Each point reads d points to the right, where d is its own number limited to [-2, 2].
  gives(
      "grid G = [0..5] steps 1;\nfield U, V : double on G boundary [constant 100 .. clamp];\n"
      "field d : double on G constant;\n"
      "stencil v : V on G = U[integer(d[0]) within 2];\nstencil u : U on G = U[0];\n"
      "init U[i] = real(10*i);\n"
      "init d[i] = select(i == 0, -1.0, select(i == 1, 1e30, select(i == 2, -7.9,"
      " select(i == 3, 0.0/real(i - 3), select(i == 4, -0.9, 2.9)))));\n",
      "V", {100, 30, 0, 30, 40, 50});
}

TEST_F(Language, Strides) {
  const std::string head =
      "param N : integer = 9;\ngrid G = [0..N-1] steps 1;\nsubgrid third of G = [1..N-1 by 3];\n"
      "field U : double on G;\ninit U[i] = real(i);\n";
  gives(head + "stencil s : U[2..N-2 by 2] = -U[0];\n", "U", {0, 1, -2, 3, -4, 5, -6, 7, 8});
  gives(head + "stencil s : U[i in 1..N-2 by 3] where i > 1 = 10 * U[1];\n", "U",
        {0, 1, 2, 3, 50, 5, 6, 80, 8});
  gives(head + "stencil s : U { [0..5 by 5] = U[1]; else = -1; }\n", "U",
        {1, -1, -1, -1, -1, 6, -1, -1, -1});
  gives(head + "stencil s : U on third = 0;\n", "U", {0, 0, 2, 3, 0, 5, 6, 0, 8});
  gives(head +
            "stencil s : U on G = U[0] + time;\nreduce r = sum(U[0]) on third;\n"
            "stop when r > 0;\n",
        "U", {0, 1, 2, 3, 4, 5, 6, 7, 8});
  write("r.stn",
        head + "stencil s : U on G = U[0];\nreduce r = sum(U[0]) on third where U[0] > 2;\n");
  EXPECT_TRUE(holds(stencilc("run r.stn --device host").out, "r = 11"));
}

TEST_F(Language, PeriodicStencils) {
  const std::string text =
      "grid G = [0..2] steps 8;\nfield U : double on G history 2;\nfield V, W : double on G;\n"
      "stencil u : U every 3 on [0..1] = U[0] + 1;\n"
      "stencil v : V every 2 { [0] = U[0] + V[0]; else = time; }\n"
      "stencil w : W on G = W[0] + U[0] - U@-1[0];\n";
  gives(text, "U", {3, 3, 0});              // in steps 0, 3, 6
  gives(text, "V", {1 + 1 + 2 + 3, 6, 6});  // in steps 0, 2, 4, 6
  gives(text, "W", {3, 3, 0});
}

TEST_F(Language, InitialValuesFromOtherFields) {
  gives(
      "grid G = [0..4] steps 0;\nsubgrid I of G = [1..3];\nfield A : double on G history 2;\n"
      "field B : double on I;\nfield C : integer on I;\nstencil a : A on G = A@-1[0];\n"
      "stencil b : B on I = C[0] + B[0];\ninit A[i] = 1.5 * real(i * i);\n"
      "init C = integer(A@-1[1] - A[-1]);\ninit B[k] = A[1] + C[0] + k;\n",
      "B", {6 + 6 + 1, 13.5 + 12 + 2, 24 + 18 + 3});
}

TEST_F(Language, HalvesOfOpenSizes) {
  write("p.stn",
        "param N : integer = 7;\nrequire N >= 2;\ngrid G = [0..N-1] steps 1;\n"
        "field U : double on G;\nstencil s : U { [0..N/2-1] = U[1]; [N/2..N-1] = -U[0]; }\n"
        "init U[i] = real(i);\n");
  const std::string p = read(file("p.stn"));
  gives(p, "U", {1, 2, 3, -3, -4, -5, -6});
  EXPECT_EQ(run(p, "--device host --open N -D N=7", "U"), run(p, "--device host", "U"));
  EXPECT_EQ(run(p, "--device host --open N -D N=2", "U"), (Values{1, -1}));

  ASSERT_EQ(stencilc("p.stn -o p.cpp --main --open N --schedule direct").status, 0);
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  ASSERT_EQ(std::system((in + "c++ -std=c++17 -o p p.cpp 2>log").c_str()), 0) << read(file("log"));
  const auto ran = [&](const std::string& words) {
    return std::system((in + "./p " + words + " --repeat 0 >log 2>&1").c_str());
  };
  EXPECT_EQ(ran("N=9"), 0) << read(file("log"));
  EXPECT_TRUE(holds(read(file("log")), "check=passed")) << read(file("log"));
  EXPECT_NE(ran("N=9 N_over_2=3"), 0);
  EXPECT_TRUE(holds(read(file("log")), "param 'N_over_2' is less than N/2")) << read(file("log"));
  EXPECT_NE(ran("N=9 N_over_2=5"), 0);
  EXPECT_TRUE(holds(read(file("log")), "param 'N_over_2' is more than N/2")) << read(file("log"));
}

}  // namespace
}  // namespace stencil::test
