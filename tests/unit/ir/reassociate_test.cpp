// Reassociation keeps values within rounding, never adds operations, and is idempotent.
#include "compiler/ir/reassociate.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

ProgramOptions fast_double() {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  options.real = Scalar::F64;
  return options;
}

Program load_2d(const std::string& expression, const ProgramOptions& options = fast_double()) {
  return test::load(
      "param p : real = 0.7; param q : real = 1.3; param z : real = 0.0;"
      "grid G = [0..11, 0..11] steps 1; field A, B : real on G;"
      "stencil f : A[3..8, 3..8] = " +
          expression + ";",
      options);
}

Program load_example(const std::string& name) {
  std::ifstream file(std::string(STENCIL_SOURCE_DIR) + "/dsl-examples/" + name);
  std::stringstream text;
  text << file.rdbuf();
  ProgramOptions options = fast_double();
  for (const char* param : {"N", "M"}) {
    if (text.str().find(std::string("param ") + param + " ") != std::string::npos) {
      options.definitions[param] = "14";
    }
  }
  return test::load(text.str(), options);
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(STENCIL_SOURCE_DIR) + "/dsl-examples")) {
    if (entry.path().extension() == ".stn") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  EXPECT_GT(names.size(), 15U);
  return names;
}

int operations(const Program& program, size_t function = 0) {
  const Piece& piece = program.functions.at(function).pieces.at(0);
  return fused_operations(piece.graph, piece.results, 0);
}

std::string expression(const Program& program) {
  const std::string printed = print(program);
  const size_t begin = printed.find("    = ") + 6;
  return printed.substr(begin, printed.find('\n', begin) - begin);
}

std::string reassociated(const std::string& text) {
  return expression(reassociate(load_2d(text), 0));
}

// All values of all fields after two steps from random data.
std::vector<double> run(const Program& program) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const Param& param : program.params) {
    integers.push_back(param.integer_value.value_or(0));
    reals.push_back(param.real_value.value_or(0));
  }
  std::string error;
  auto state = reference::allocate(program, integers, reals, error);
  EXPECT_TRUE(state.has_value()) << error;
  if (!state) return {};
  reference::initialise(program, *state);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(0.2, 1.0);
  const auto each = [&](auto visit) {
    for (reference::FieldData& field : state->fields) {
      for (int level = 0; level < static_cast<int>(field.levels.size()); ++level) {
        for (int c = 0; c < field.component_count(); ++c) {
          for (int64_t i = 0; i < field.points; ++i) visit(field, level, c, i);
        }
      }
    }
  };
  each([&](reference::FieldData& field, int level, int c, int64_t i) {
    if (is_float(field.types[c])) {
      field.set_real(level, c, i, real(random));
    } else {
      field.set_integer(level, c, i, static_cast<int64_t>(random() % 2));
    }
  });
  reference::advance(program, *state, 2);
  std::vector<double> values;
  each([&](reference::FieldData& field, int level, int c, int64_t i) {
    values.push_back(field.real(level, c, i));
  });
  return values;
}

void expect_same_values(const Program& original, const Program& rewritten) {
  const auto expected = run(original);
  const auto actual = run(rewritten);
  ASSERT_EQ(expected.size(), actual.size());
  double largest = 1;
  for (double value : expected) largest = std::max(largest, std::fabs(value));
  int wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    wrong += !(std::fabs(expected[i] - actual[i]) <= 1e-13 * largest);
  }
  EXPECT_EQ(wrong, 0) << print(rewritten);
}

void expect_sound(const Program& program) {
  const int rank = program.grid().rank();
  for (int dimension = 0; dimension < rank; ++dimension) {
    const Program once = reassociate(program, dimension);
    EXPECT_EQ(verify(once), std::vector<std::string>{});
    expect_same_values(program, once);
    EXPECT_EQ(print(reassociate(once, dimension)), print(once));
  }
}

TEST(Reassociate, EveryExampleKeepsItsValuesAndIsIdempotent) {
  for (const std::string& name : examples()) {
    SCOPED_TRACE(name);
    const Program program = load_example(name);
    expect_sound(program);
    const Program once = reassociate(program, 0);
    for (size_t f = 0; f < program.functions.size(); ++f) {
      EXPECT_LE(operations(once, f), operations(program, f));
    }
  }
}

TEST(Reassociate, RandomSumsKeepTheirValues) {
  std::mt19937 random(3);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::function<std::string(int)> any = [&](int depth) -> std::string {
    if (depth == 0 || pick(10) == 0) {
      if (pick(8) == 0) return "1.5";
      return std::string(pick(3) ? "A" : "B") + "[" + std::to_string(pick(3) - 1) + "," +
             std::to_string(pick(3) - 1) + "]";
    }
    const std::string left = any(depth - 1);
    switch (pick(14)) {
      case 0:
        return "(-" + left + ")";
      case 1:
        return "(" + left + " * p)";
      case 2:
        return "(" + left + " / (p + 2))";
      case 3:
        return "(" + left + ") / 4";
      case 4:
        return "(" + left + " * " + any(std::max(depth - 3, 0)) + ")";
      case 5:
        return "(q * 0.25 * (" + left + " - " + any(depth - 1) + "))";
      case 6:
        return "sqrt(1 + (" + left + ") * (" + left + "))";
      case 7:
      case 8:
      case 9:
      case 10:
        return "(" + left + " + " + any(depth - 1) + ")";
      default:
        return "(" + left + " - " + any(depth - 1) + ")";
    }
  };
  for (int i = 0; i < 60; ++i) {
    const std::string text = any(6);
    SCOPED_TRACE(text);
    expect_sound(load_2d(text));
  }
}

TEST(Reassociate, FivePointWithDivision) {
  const std::string text = "(5*A[-1,0] + 12*A[0,-1] + 15*A[0,0] + 12.5*A[0,1] + 5.5*A[1,0]) / 118";
  const Program program = load_2d(text);
  EXPECT_EQ(operations(program), 6);
  EXPECT_EQ(operations(reassociate(program, 0)), 5);  // one multiplication, four fused
}

TEST(Reassociate, TheNewestPlaneComesLast) {
  EXPECT_EQ(reassociated("2*A[1,0] + 3*A[0,0] + 4*A[-1,0]"),
            "add(add(mul(4, A[-1,0]), mul(3, A[0,0])), mul(2, A[1,0]))");
  EXPECT_EQ(reassociated("A[1,0] - 3*A[0,0] - 4*A[-1,0]"),
            "sub(sub(A[1,0], mul(4, A[-1,0])), mul(3, A[0,0]))");  // one operation less
  EXPECT_EQ(expression(reassociate(load_2d("2*A[0,1] + 3*A[1,0] + 4*A[0,-1]"), 1)),
            "add(add(mul(4, A[0,-1]), mul(3, A[1,0])), mul(2, A[0,1]))");
}

TEST(Reassociate, EqualCoefficientsShareAMultiplication) {
  EXPECT_EQ(operations(reassociate(load_example("jacobi2d.stn"), 0)), 5);
  EXPECT_EQ(reassociated("0.5*A[0,0] - 0.5*A[0,1]"), "mul(0.5, sub(A[0,0], A[0,1]))");
}

TEST(Reassociate, LikeTermsAreCollected) {
  EXPECT_EQ(reassociated("A[0,0] + 2*(B[0,0] - A[0,0]) + A[0,0]"), "mul(2, B[0,0])");
  EXPECT_EQ(reassociated("A[0,0] - A[0,0]"), "0");
  EXPECT_EQ(reassociated("3 + A[0,0] * 0.5 - 1"), "add(2, mul(0.5, A[0,0]))");
}

TEST(Reassociate, SymmetricBoxesShareShiftedSums) {
  const Program program = load_example("box27sym.stn");
  EXPECT_EQ(operations(program), 27);
  EXPECT_EQ(operations(reassociate(program, 0)), 13);
  EXPECT_EQ(operations(reassociate(load_example("jacobi3d.stn"), 0)), 6);
  // Sums of three along each dimension, and the multiplication.
  const Program mean = test::load(
      "grid G = [0..11, 0..11, 0..11] steps 1; field A : real on G; stencil f : A[1..10, 1..10, "
      "1..10] = 0.25 * sum(a in -1..1, b in -1..1, c in -1..1 : A[a,b,c]);",
      fast_double());
  EXPECT_EQ(operations(reassociate(mean, 0)), 7);
  expect_same_values(mean, reassociate(mean, 0));
}

TEST(Reassociate, DivisionByParams) {
  const Program once = reassociate(load_2d("(A[0,0] + 2*A[1,0]) / p"), 0);
  EXPECT_EQ(operations(once), 2);
  EXPECT_EQ(reassociated("A[0,0] / p"), "mul(div(1, p), A[0,0])");
  EXPECT_EQ(reassociated("A[0,0] / B[0,0]"), "div(A[0,0], B[0,0])");
  EXPECT_EQ(reassociated("2 / B[0,0]"), "div(2, B[0,0])");
  EXPECT_EQ(reassociated("A[0,0] / 0.0"), "div(A[0,0], 0)");
}

TEST(Reassociate, RootsInDivisorsBecomeRsqrt) {
  EXPECT_EQ(reassociated("A[0,0] / sqrt(B[0,0])"), "mul(A[0,0], rsqrt(B[0,0]))");
  EXPECT_EQ(reassociated("1 / sqrt(B[0,0])"), "rsqrt(B[0,0])");
}

TEST(Reassociate, SquaredDifferencesShareShiftedTrees) {
  const Program program = load_example("gradient2d.stn");
  const Program once = reassociate(program, 0);
  // Four differences, four squares fused with the sum, and the root. After reassociation the two
  // differences in the contiguous dimension are one tree, shifted.
  EXPECT_EQ(operations(program), 9);
  EXPECT_EQ(operations(once), 8);
  EXPECT_NE(print(once).find("sub(A[0,-1], A[0,0])"), std::string::npos) << print(once);
  EXPECT_NE(print(once).find("sub(A[0,0], A[0,1])"), std::string::npos) << print(once);
}

TEST(Reassociate, SharedSumsAreComputedOnce) {
  const std::string sum = "(A[0,0] + 2*A[0,1] + 3*A[0,2])";
  const Program once = reassociate(load_2d("sqrt(" + sum + ") + " + sum), 0);
  EXPECT_EQ(operations(once), 4);
}

TEST(Reassociate, IntegersAreNotReassociated) {
  const Program life = load_example("life.stn");
  EXPECT_EQ(operations(reassociate(life, 0)), operations(life));
  const Program program = test::load(
      "grid G = [0..9] steps 1; field A : integer on G;"
      "stencil f : A[1..8] = (A[0] + A[1]) - A[0] + (A[-1] + A[-1]) / 2;");
  EXPECT_EQ(print(reassociate(program, 0)).find("= add("), print(program).find("= add("));
  EXPECT_EQ(operations(reassociate(program, 0)), operations(program));
}

TEST(Reassociate, DoesNotCrossConversions) {
  const Program program = test::load(
      "grid G = [0..9] steps 1; field A : half on G;"
      "stencil f : A[1..8] = 2*A[-1] + A[0] + A[1] - A[0];");
  const Program once = reassociate(program, 0);
  EXPECT_EQ(verify(once), std::vector<std::string>{});
  EXPECT_EQ(expression(once).substr(0, 5), "half(");
}

TEST(Reassociate, CoefficientsAreRoundedOnce) {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  const Program once = reassociate(load_2d("3 * A[0,0] / 118", options), 0);
  const Piece& piece = once.functions[0].pieces[0];
  const auto& product = std::get<Operation>(piece.graph[piece.results[0]].kind);
  EXPECT_EQ(std::get<Constant>(piece.graph[product.operands[0]].kind).real,
            static_cast<float>(3.0 / 118));
}

TEST(Reassociate, NeverAddsOperations) {
  const Program program = load_2d(
      "(-(((q * 0.25 * ((A[1,1] + A[0,-1]) - (A[0,1] + B[1,-1]))) * B[1,0]) + (B[0,1] * "
      "A[-1,1]))) / 4");
  EXPECT_LE(operations(reassociate(program, 0)), operations(program));
}

TEST(Reassociate, CoefficientsStayInRange) {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  const std::string text = "A[0,0] * 1e-30 * 1e-30";
  EXPECT_EQ(expression(reassociate(load_2d(text, options), 0)), "mul(mul(1e-30, A[0,0]), 1e-30)");
}

std::optional<PlaneSplit> split(const Program& program, int dimension = 0) {
  return split_by_plane(program.functions.at(0).pieces.at(0), dimension);
}

// Splits the sum of the program by planes, then adds the sums of the planes.
Program joined(Program program, int dimension = 0) {
  Piece& piece = program.functions.at(0).pieces.at(0);
  auto parts = split_by_plane(piece, dimension);
  EXPECT_TRUE(parts.has_value());
  if (!parts) return program;
  NodeId sum = kNoNode;
  for (const PlaneSum& plane : parts->planes) {
    EXPECT_EQ(plane.empty, plane.sum == kNoNode);
    if (plane.empty) continue;
    Translates places(parts->graph, dimension);
    EXPECT_EQ(places[plane.sum].plane, plane.offset);
    const Scalar type = parts->graph[plane.sum].type;
    sum = sum == kNoNode ? plane.sum
                         : parts->graph.add({Operation{Op::Add, {sum, plane.sum}}, type, {}, ""});
  }
  piece.graph = std::move(parts->graph);
  piece.results = {sum};
  EXPECT_EQ(verify(program), std::vector<std::string>{});
  return program;
}

TEST(SplitByPlane, SumsOfPlanesAddUpToTheResult) {
  for (const char* name : {"box27.stn", "box27sym.stn", "heat3d.stn", "jacobi3d.stn",
                           "jacobi2d.stn", "poisson2d.stn", "jacobi1d7.stn", "fdtd2d.stn"}) {
    SCOPED_TRACE(name);
    Program program = load_example(name);
    if (std::string(name) == "fdtd2d.stn") {
      std::swap(program.functions[0], program.functions[1]);  // the function with the sum first
    }
    expect_same_values(program, joined(program));
    expect_same_values(program, joined(reassociate(program, 0)));
  }
  const Program across = load_2d("A[0,-1] * p - 2 * B[1,1] + z + A[0,1]");
  expect_same_values(across, joined(across, 1));
}

TEST(SplitByPlane, HandlesEmptyPlanesAndAddends) {
  const auto parts = split(load_2d("A[-2,0] + 3 + 2*A[1,0]"));
  ASSERT_TRUE(parts.has_value());
  ASSERT_EQ(parts->planes.size(), 4U);
  EXPECT_EQ(parts->planes[0].offset, -2);
  EXPECT_TRUE(parts->planes[1].empty);
  EXPECT_TRUE(parts->planes[2].empty);
  EXPECT_EQ(parts->planes[3].offset, 1);
  EXPECT_EQ(fused_operations(parts->graph, {parts->planes[0].sum}, 0), 1);
  EXPECT_EQ(fused_operations(parts->graph, {parts->planes[3].sum}, 0), 1);
}

TEST(SplitByPlane, FindsEqualPlanes) {
  const auto box = split(load_example("box27sym.stn"));
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(equal_planes(*box, 0), (std::vector<int>{0, 1, 0}));
  EXPECT_LE(fused_operations(box->graph, {box->planes[0].sum}, 0), 7);
  const auto addend = split(load_2d("A[-1,0] + 2*A[0,0] + A[1,0] + p"));
  ASSERT_TRUE(addend.has_value());
  EXPECT_EQ(equal_planes(*addend, 0), (std::vector<int>{0, 1, 0}));
  const auto other = split(load_2d("A[-1,0] + 2*A[1,0] + A[0,0]"));
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(equal_planes(*other, 0), (std::vector<int>{0, 0, 2}));
}

TEST(SplitByPlane, OtherShapesAreRefused) {
  for (const char* text : {"A[-1,0] * A[1,0]", "A[-1,0] + sqrt(A[1,0])", "A[0,0] + A[0,1]",
                           "A[-1,0] + A[1,0] / B[0,0]", "1.0"}) {
    EXPECT_FALSE(split(load_2d(text)).has_value()) << text;
  }
  EXPECT_FALSE(split(load_example("life.stn")).has_value());
  EXPECT_FALSE(split(load_example("lbm_d2q9.stn")).has_value());
  EXPECT_FALSE(split(load_example("rician2d.stn")).has_value());
}

TEST(FusedOperations, CountsProductsShiftedTreesAndUniformNodes) {
  EXPECT_EQ(operations(load_2d("A[0,0] * 2 + A[0,1]")), 1);
  EXPECT_EQ(operations(load_2d("A[0,0] * 2 + A[0,1] * 3")), 2);
  EXPECT_EQ(operations(load_2d("(A[0,0] * 2 + 1) / (A[0,0] * 2)")), 3);  // the product has 2 users
  EXPECT_EQ(operations(load_2d("(A[0,0] + A[0,1]) * (A[0,1] + A[0,2])")), 2);  // shifted
  EXPECT_EQ(operations(load_2d("(A[0,0] + A[0,1]) * (A[1,0] + A[1,1])")), 3);  // shifted in y
  EXPECT_EQ(operations(load_2d("A[0,0] * (p * p + q)")), 1);
  const Program indexed = test::load(
      "grid G = [0..9, 0..9] steps 1; field A : real on G;"
      "stencil f : A[i in 1..8, j in 1..8] = (A[0,0] / (j + 1.0)) * (A[0,1] / (j + 1.0));");
  EXPECT_EQ(operations(indexed), 4);  // the neighbour's divisor differs
  EXPECT_EQ(operations(load_2d("-A[0,0] + A[0,1]")), 1);
}

}  // namespace
}  // namespace stencil::ir
