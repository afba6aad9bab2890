// Whole programs: those of the language reference and the examples have no errors or warnings, and
// long programs take linear time.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

void expect_clean(const std::string& text) {
  const Analysis analysis = analyze_text(text);
  EXPECT_TRUE(analysis.program);
  EXPECT_EQ(analysis.messages, "");
}

TEST(Programs, Jacobi) {
  expect_clean(R"(
param N     : integer = 512;
param alpha : real    = 0.25;
grid G = [0..N-1, 0..N-1, 0..N-1] steps 100;
subgrid interior of G = [1..N-2, 1..N-2, 1..N-2];
field A : real on G;
stencil jacobi : A on interior =
    alpha * A[0,0,0]
  + (1 - alpha) / 6 * (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + A[0,0,1]);
init A[i,j,k] = select(i == 0, 100.0, 0.0);
)");
}

TEST(Programs, Pieces) {
  expect_clean(R"(
param M : integer = 4096;
grid G = [0..M-1] steps 64;
field A : real on G;
stencil smooth : A {
  [0]      = A[0];
  [1..M-2] = 0.333 * (A[-1] + A[0] + A[1]);
  [M-1]    = A[0];
}
)");
}

TEST(Programs, Fdtd) {
  expect_clean(R"(
param N : integer = 1000;  param M : integer = 1200;
grid G = [0..N-1, 0..M-1] steps 500;
field Ex, Ey, Hz : real on G;
stencil ey0 : Ey[0, 0..M-1]        = time * 0.01;
stencil ey  : Ey[1..N-1, 0..M-1]   = Ey[0,0] - 0.5 * (Hz[0,0] - Hz[-1,0]);
stencil ex  : Ex[0..N-1, 1..M-1]   = Ex[0,0] - 0.5 * (Hz[0,0] - Hz[0,-1]);
stencil hz  : Hz[0..N-2, 0..M-2]   = Hz[0,0] - 0.7 * (Ex[0,1] - Ex[0,0] + Ey[1,0] - Ey[0,0]);
)");
}

TEST(Programs, Wave) {
  expect_clean(R"(
param N : integer;
require N >= 3;
grid G = [0..N-1, 0..N-1, 0..N-1] steps 100;
subgrid interior of G = [1..N-2, 1..N-2, 1..N-2];
field U  : real on G history 2;
field c2, damp : real on G constant;
function lap(u : field) = u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]
  - 6*u[0,0,0];
stencil wave : U {
  let d = 1 - damp[0,0,0];
  interior = d * (2*U[0,0,0] - U@-1[0,0,0]) + c2[0,0,0] * lap(U);
}
reduce energy = sum(U[0,0,0] * U[0,0,0]) on interior every 50;
stop when energy < 1e-9;
)");
}

TEST(Programs, Structures) {
  expect_clean(R"(
param N : integer = 64;  param M : integer = 32;
grid G = [0..N-1, 0..M-1] steps 10;
type cell = { rho : real, u : vector 2 of real };
field S : cell on G boundary periodic;
table w : real[3,3] = { {1,2,1}, {2,4,2}, {1,2,1} };
field B : float on G boundary clamp;
stencil blur : B[i in 0..N-1, j in 0..M-1] =
  sum(a in -1..1, b in -1..1 : w[a+1,b+1] * B[a,b]) / 16 + 1e-6 * i;
stencil flow : S on G = S[0,0] + 0.5 * (S[1,0] - S[0,-1]);
)");
}

TEST(Programs, Examples) {
  const std::filesystem::path examples = std::string(STENCIL_SOURCE_DIR) + "/dsl-examples";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    if (entry.path().extension() != ".stn") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    expect_clean(text.str());
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(Programs, TwentyThousandLines) {
  std::string text =
      "param N : integer = 64;\ngrid G = [0..N-1, 0..N-1] steps 4;\nfield A, B : real on G;\n";
  for (int i = 0; i < 6600; ++i) {
    text += fmt::format(
        "stencil s{} : A[1..N-2, 1..N-2] =\n"
        "  0.25 * (A[-1,0] + A[1,0] + B[0,-1] + B[0,1])\n  + {} * A[0,0];\n",
        i, i);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(program_of(text).functions.size(), 6600u);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 60);  // 0.6 s, 13 s under sanitizers; quadratic time: minutes
}

// --- where, else, index names of named regions

std::string regions_of(const ir::Program& program) {
  std::string out;
  for (const ir::Piece& piece : program.functions[0].pieces) {
    for (const ir::Range& range : piece.region.ranges) {
      out += fmt::format("{}..{} ", ir::print(range.low, ir::param_names(program)),
                         ir::print(range.high, ir::param_names(program)));
    }
    out += "| ";
  }
  return out;
}

std::string value_of(const ir::Program& program, size_t piece) {
  const ir::Piece& of = program.functions[0].pieces.at(piece);
  return expression(program, of.graph, of.results[0]);
}

const std::string kPlane =
    "grid G = [0..7, 0..9] steps 4; subgrid I of G = [1..6, 2..7];"
    "field A, M : real on G boundary clamp;";

TEST(Where, KeepsTheOldValueWhereItFails) {
  const ir::Program program =
      program_of(kPlane + "stencil s : A on I where M[0,1] > 0 = 2 * M[0,0];");
  EXPECT_EQ(result(program), "select(gt(M[0,1], 0f), mul(2f, M[0,0]), A[0,0])");
  EXPECT_EQ(regions_of(program), "1..6 2..7 | ");
}

TEST(Where, ReadsLetsAndIndices) {
  const ir::Program program =
      program_of(kPlane + "stencil s : A { let m = M[0,0]; I[i,j] where m > j = m + i; }");
  EXPECT_EQ(result(program), "select(gt(M[0,0], float(#1)), add(M[0,0], float(#0)), A[0,0])");
}

TEST(Where, ExcludesPointsFromReductions) {
  for (const auto& [reducer, neutral] : {std::pair("sum", "0f"), std::pair("prod", "1f"),
                                         std::pair("min", "inff"), std::pair("max", "-inff")}) {
    const ir::Program program =
        program_of(kPlane + "stencil s : A on G = M[0,0]; reduce r = " + reducer +
                   "(A[0,0]) on I[i,j] where j > 3 every 2;");
    const ir::Piece& piece = program.reductions[0].piece;
    EXPECT_EQ(expression(program, piece.graph, piece.results[0]),
              std::string("select(gt(#1, 3), A[0,0], ") + neutral + ")");
    EXPECT_EQ(program.reductions[0].every, 2);
  }
}

TEST(Stride, IsAConditionOnCoordinates) {
  const std::string head =
      "param N : integer; require N >= 4; grid G = [0..N-1, 0..9] steps 4; field A : real on G;"
      "subgrid even of G = [0..N-1 by 2, 3..9 by 3];";
  EXPECT_EQ(result(program_of(head + "stencil s : A[1..N-2 by 2, 0..9 by 1] = 1;")),
            "select(eq(mod(sub(#0, 1), 2), 0), 1f, A[0,0])");
  EXPECT_EQ(result(program_of(head + "stencil s : A[i in N-3..N-2 by 5, 0] where i > 2 = 1;")),
            "select(and(eq(mod(sub(#0, add(N, -3)), 5), 0), gt(#0, 2)), 1f, A[0,0])");
  EXPECT_EQ(result(program_of(head + "stencil s : A on even = 1;")),
            "select(and(eq(mod(#0, 2), 0), eq(mod(sub(#1, 3), 3), 0)), 1f, A[0,0])");
}

TEST(Every, KeepsTheValueBetweenItsSteps) {
  EXPECT_EQ(result(program_of(kPlane + "stencil s : A every 3 on I = M[0,1];")),
            "select(eq(mod(time, 3), 0), M[0,1], A[0,0])");
  EXPECT_EQ(result(program_of(kPlane + "stencil s : A every 1 on I = M[0,1];")), "M[0,1]");
  const ir::Program program =
      program_of(kPlane + "stencil s : A every 2 { I where M[0,0] > 0 = 1/2; else = 3; }");
  EXPECT_EQ(result(program),
            "select(eq(mod(time, 2), 0), select(gt(M[0,0], 0f), 0.5f, 3f), A[0,0])");
  for (const ir::Piece& piece : program.functions[0].pieces) {
    const std::string text = expression(program, piece.graph, piece.results[0]);
    EXPECT_EQ(text.find("select(eq(mod(time, 2), 0), "), 0u) << text;
  }
}

TEST(Init, ReadsInitialValuesBeforeIt) {
  const ir::Program program = program_of(
      "param N : integer; grid G = [0..N-1, 0..9] spacing 0.5 steps 4; subgrid I of G = [1..N-2, "
      "0..8];"
      "field A : real on G; field B : integer on G; field C : { u : real, n : integer } on I;"
      "field p : real on G along 0 constant; function d(u : field) = u[1,0] - u[-1,0];"
      "stencil s : A on G = p[0]; init p[x] = position(x); init A[i,j] = 2 * real(i) + j;"
      "init B[k,l] = l; init C = {d(A) + p[1], B[0, 1 within 1]}; init A2[i,j] = A[0,0] + 1;"
      "field A2 : real on G;");
  const auto initial = [&](size_t init, size_t component = 0) {
    const ir::Piece& piece = program.inits.at(init).piece;
    return expression(program, piece.graph, piece.results[component]);
  };
  EXPECT_EQ(initial(3),
            "add(sub(add(mul(2f, float(add(#0, 1))), float(#1)), add(mul(2f, float(add(#0, -1))), "
            "float(#1))), mul(float(add(#0, 1)), 0.5f))");
  EXPECT_EQ(initial(3, 1), "add(#1, 1)");
  EXPECT_EQ(initial(4), "add(add(mul(2f, float(#0)), float(#1)), 1f)");
}

TEST(Init, DoesNotReadOutsideTheField) {
  const std::string head =
      "param N : integer; grid G = [0..N-1] steps 4; subgrid I of G = [2..N-3]; field A : real on "
      "G;"
      "field B : real on I; stencil s : A on G = 1; init A[i] = i; ";
  EXPECT_TRUE(analyze_text(head + "init B = A[-2] + A[2];").program.has_value());
  EXPECT_NE(analyze_text(head + "init B = A[-3];").messages.find("error S031"), std::string::npos);
  const Analysis reversed = analyze_text(
      "param N : integer; param M : integer; grid G = [0..N-1] steps 4; subgrid I of G = [0..M-1];"
      "field A : real on I; field B : real on G; stencil s : A on I = 1; init A = 1;"
      "init B = A[0];");
  ASSERT_TRUE(reversed.program.has_value());
  EXPECT_EQ(reversed.program->checks.back().code, "S031");
}

TEST(Else, CoversThePointsOfNoPiece) {
  const ir::Program around = program_of(kPlane + "stencil s : A { I = 1; else = M[0,0]; }");
  EXPECT_EQ(regions_of(around), "1..6 2..7 | 0..0 0..9 | 7..7 0..9 | 1..6 0..1 | 1..6 8..9 | ");
  EXPECT_EQ(value_of(around, 1), "M[0,0]");
  // `else` may stand anywhere. Each region is cut out of the boxes that the previous regions left.
  const ir::Program two =
      program_of(kPlane + "stencil s : A { else[i,j] = j; [0..3, 0..9] = 1; [5..7, 0..4] = 2; }");
  EXPECT_EQ(regions_of(two), "0..3 0..9 | 5..7 0..4 | 4..4 0..9 | 5..7 5..9 | ");
  EXPECT_EQ(value_of(two, 2), "float(#1)");
  // Nothing is left over, or an empty region takes nothing.
  EXPECT_EQ(regions_of(program_of(kPlane + "stencil s : A { G = 1; else = 2; }")), "0..7 0..9 | ");
  EXPECT_EQ(regions_of(program_of(kPlane + "stencil s : A { [5..3, 0..9] = 1; else = 2; }")),
            "5..3 0..9 | 0..7 0..9 | ");
}

TEST(Else, CoversPointsWhereAConditionFails) {
  const ir::Program program =
      program_of(kPlane + "stencil s : A { G[j,i] where M[0,0] > j = 1; else[i,j] = j; }");
  EXPECT_EQ(regions_of(program), "0..7 0..9 | ");
  EXPECT_EQ(result(program), "select(gt(M[0,0], float(#0)), 1f, float(#1))");
  const ir::Program half =
      program_of(kPlane + "stencil s : A { G where M[0,0] > 0 = 1/2; else[i,j] = j; }");
  EXPECT_EQ(result(half), "select(gt(M[0,0], 0f), 0.5f, float(#1))");
}

TEST(Else, OfOpenSizesNeedsARequirement) {
  const std::string open =
      "param N : integer; grid G = [0..N-1] steps 4; field A : real on G;"
      "stencil s : A { [1..N-2] = 1; else = 2; }";
  const Analysis unknown = analyze_text(open);
  EXPECT_FALSE(unknown.program.has_value());
  EXPECT_NE(unknown.messages.find("S049"), std::string::npos) << unknown.messages;
  EXPECT_EQ(
      regions_of(program_of("param N : integer; require N >= 2;" + open.substr(open.find("grid")))),
      "1..N - 2 | 0..0 | N - 1..N - 1 | ");
}

}  // namespace
}  // namespace stencil::test
