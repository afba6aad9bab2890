// Box programs, run by the interpreter: their params and regions, their
// results, and the refused programs.
#include "compiler/decompose/box.h"

#include <random>

#include "compiler/reference/interpreter.h"
#include "tests/in_boxes.h"
#include "tests/unit/load.h"

namespace stencil::decompose {
namespace {

BoxProgram made(const ir::Program& program, int64_t steps) {
  Diagnostics diagnostics;
  auto box = box_program(program, steps, diagnostics);
  EXPECT_TRUE(box) << render(Source("", ""), diagnostics);
  if (!box) return {};
  EXPECT_EQ(ir::verify(box->program), std::vector<std::string>{});
  return std::move(*box);
}

std::string bounds_text(const BoxProgram& box, const ir::Range& range) {
  const auto names = ir::param_names(box.program);
  return ir::print(range.low, names) + ".." + ir::print(range.high, names);
}

TEST(Box, BoundsFollowFromItsParams) {
  const ir::Program program = test::load(R"(
param N : integer;
grid G = [0..N-1, 0..9] steps 9;
field A : real on G boundary [none, clamp];
stencil f : A on [1..N-2, 0..9] = A[-1,0] + A[0,2] + A[1,0];
)",
                                         {});
  const BoxProgram box = made(program, 3);
  EXPECT_EQ(box.depth, (analysis::Margin{{3, 3}, {0, 6}}));
  const auto& params = box.program.params;
  ASSERT_EQ(params.size(), 12u);
  EXPECT_EQ(params[1].name, "box_low_y");
  EXPECT_EQ(params[4].name, "box_high_x");
  EXPECT_EQ(bounds_text(box, box.program.grid().ranges[0]), "memory_low_y..memory_high_y");
  EXPECT_EQ(params[5].derived->text, "max(0, box_low_y - 3)");
  EXPECT_EQ(params[6].derived->text, "min(N - 1, box_high_y + 3)");
  // The stencil reads nothing below the box in x.
  EXPECT_EQ(bounds_text(box, box.program.grid().ranges[1]), "box_low_x..memory_high_x");
  const ir::Box& region = box.program.functions[0].pieces[0].region;
  EXPECT_EQ(bounds_text(box, region.ranges[0]), "low_y..high_y");
  EXPECT_EQ(params[8].derived->text, "max(1, memory_low_y + 1)");
  // At the edge of the grid the boundary rule decides the bound.
  EXPECT_EQ(params[11].derived->text, "9 > memory_high_x ? min(9, memory_high_x - 2) : 9");
}

TEST(Box, HasImagesIfTheGridIsPeriodic) {
  const ir::Program program = test::load(R"(
grid G = [0..15] steps 9;
field A, B : real on G boundary periodic;
stencil f : A on G = A[-2] + B[0];
stencil g : B on [i in 0..15] = B[1] * i;
)");
  const BoxProgram box = made(program, 2);
  EXPECT_EQ(box.wraps, std::vector<bool>{true});
  EXPECT_EQ(bounds_text(box, box.program.grid().ranges[0]), "box_low_x - 4..box_high_x + 2");
  EXPECT_EQ(box.program.functions[0].pieces.size(), 1u);
  EXPECT_EQ(box.program.functions[1].pieces.size(), 3u);  // one below, one within, one above
  EXPECT_FALSE(box.program.fields[0].boundary[0].periodic());
}

// --- Results
// -----------------------------------------------------------------------------------------

struct Sample {
  const char* text;
  std::vector<int64_t> sizes;  // values of the integer params
};

const Sample kSamples[] = {
    {R"(
param N : integer; param M : integer;
grid G = [0..N-1, 0..M-1] steps 4;
field A : real on G boundary [mirror, clamp];
stencil f : A on G = A[-1,0] + A[2,1] + 0.5 * A[0,-2];
)",
     {17, 23}},
    {R"(
param N : integer;
grid G = [-3..N, 2..20] steps 4;
field A : real on G boundary periodic;
field C : real on G boundary periodic constant;
stencil f : A on [i in -3..N, j in 2..20] = A[-1,0] + A[1,1] + 0.25 * A[0,-2] * i + C[0,1];
)",
     {14}},
    {R"(
grid G = [0..11, 0..12, 0..13] steps 4;
field U : real on G history 2 boundary [mirror, clamp, periodic];
field C : real on G constant boundary [none, none, periodic];
stencil f : U on G = U[-1,0,0] + U[0,1,0] + U[0,0,-1] + C[0,0,0] * U@-1[0,0,0];
)",
     {}},
    {R"(
grid G = [3..32, 0..29] steps 4;
subgrid S of G = [5..12, 3..26];
field A : real on S;
field B : { a : double, b : bool } on G boundary clamp;
stencil f : A[6..11, 4..25] = A[-1,0] + A[0,1] + B[0,0].a;
stencil g : B on G = { a = B[1,0].a + B[-1,0].a, b = B[0,1].b };
stencil h : B on S = { a = A[0,0], b = true };
)",
     {}},
    {R"(
grid G = [0..19, 0..19] steps 4;
field A, B : real on G boundary clamp;
stencil f : A on [i in 0..19, j in 0..19] = A[-1,0] + B[0,1] + 0.01 * i;
repeat 4 { stencil g : B on G = B[1,0] + B[0,-1]; }
reduce most = max(A[0,0]) on G;
)",
     {}},
    {R"(
grid G = [0..24] steps 4;
field A : real on G boundary constant 3;
field p : real on G along 0 constant boundary clamp;
stencil f : A on G = A[-1] * p[2] + time;
)",
     {}},
};

std::vector<int64_t> values_of(const ir::Program& program, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> out(program.params.size(), 0);
  std::copy(sizes.begin(), sizes.end(), out.begin());
  return out;
}

test::InBoxes::Bounds random_bounds(std::mt19937& random, const ir::Program& program,
                                    const std::vector<int64_t>& params) {
  test::InBoxes::Bounds out;
  for (const ir::Range& range : program.grid().ranges) {
    const int64_t low = *ir::evaluate(range.low, params), high = *ir::evaluate(range.high, params);
    std::set<int64_t> bounds = {low, high + 1};
    for (int cut = static_cast<int>(random() % 4); cut > 0; --cut) {
      bounds.insert(low + static_cast<int64_t>(random()) % (high - low + 1));
    }
    out.emplace_back(bounds.begin(), bounds.end());
  }
  return out;
}

void scramble(std::mt19937& random, reference::State& state) {
  for (reference::FieldData& field : state.fields) {
    for (size_t level = 0; level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        const bool real = is_float(field.types[c]);
        for (int64_t p = 0; p < field.points; ++p) {
          const int value = static_cast<int>(random() % 2048);
          if (real) field.set_real(static_cast<int>(level), c, p, value / 1024. - 1);
          if (!real) field.set_integer(static_cast<int>(level), c, p, value % 2);
        }
      }
    }
  }
}

TEST(Box, EqualsTheWholeProgramInTheBox) {
  std::mt19937 random(5);
  for (const Sample& sample : kSamples) {
    const ir::Program program = test::load(sample.text);
    const std::vector<int64_t> params = values_of(program, sample.sizes);
    for (int turn = 0; turn < 30; ++turn) {
      const int64_t steps = 1 + random() % 4;
      const BoxProgram box = made(program, steps);
      std::string error;
      auto state = reference::allocate(program, params, std::vector<double>(params.size()), error);
      ASSERT_TRUE(state) << error;
      scramble(random, *state);
      reference::State expected = *state;
      test::InBoxes run(program, box, random_bounds(random, program, params), *state,
                        std::vector<bool>(params.size(), true));
      ASSERT_EQ(run.problem, "") << sample.text;
      const int64_t shorter = 1 + static_cast<int64_t>(random()) % steps;
      run.advance(7, {steps, shorter}, [&](reference::State& each, int64_t length) {
        reference::advance(box.program, each, length);
      });
      reference::advance(program, expected, 7);
      for (size_t f = 0; f < program.fields.size(); ++f) {
        EXPECT_TRUE(expected.fields[f].levels == state->fields[f].levels)
            << program.fields[f].name << " of" << sample.text << run.boxes() << " boxes, " << steps
            << " steps";
      }
    }
  }
}

// --- Refusals
// ---------------------------------------------------------------------------------------------

std::string refusal(const std::string& text, int64_t steps = 2) {
  Diagnostics diagnostics;
  const auto box = box_program(test::load(text), steps, diagnostics);
  EXPECT_FALSE(box);
  if (diagnostics.items().empty()) return "";
  EXPECT_NE(diagnostics.items()[0].hint, "");
  return diagnostics.items()[0].code + " " + diagnostics.items()[0].message;
}

TEST(Box, RefusesByName) {
  EXPECT_EQ(refusal(R"(
grid G = [0..15] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[1] + 0.01 * total@-1;
reduce total = sum(A[0]) on G initial 0;
)"),
            "L033 the grid cannot be split into boxes: the step reads 'total', a reduction over "
            "the points of all boxes");
  EXPECT_EQ(refusal(R"(
grid G = [0..15] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[1];
reduce total = sum(A[0]) on G;
stop when total < 1;
)"),
            "L033 the grid cannot be split into boxes: the stop condition depends on the points of "
            "all boxes");
  EXPECT_EQ(refusal(R"(
grid G = [0..15, 0..15] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[1,0];
reduce rows = sum(A[0,0]) over 1 on G;
)"),
            "L033 the grid cannot be split into boxes: 'rows' is an array of reductions over the "
            "points of all boxes");
  EXPECT_EQ(
      refusal(R"(
grid G = [0..15] steps 9;
subgrid S of G = [0..3];
field A : real on S boundary periodic;
field B : real on G;
stencil f : A on S = A[1];
stencil g : B on G = A[1];
)"),
      "L033 the grid cannot be split into boxes: the boundary of 'A' may read outside the halo");
  EXPECT_EQ(refusal(R"(
grid G = [0..15] steps 9;
field A : real on G boundary periodic;
stencil f : A on G = A[3];
)",
                    6),
            "L034 the halo of 6 step(s) is deeper in x than the periodic grid");
}

}  // namespace
}  // namespace stencil::decompose
