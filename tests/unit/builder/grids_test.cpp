// Grids that are derived from others, levels, and blocks of statements: the text that the builder
// writes, and its errors.
#include <gtest/gtest.h>

#include "stencil/builder.h"

namespace stencil::test::grids {
namespace {

using namespace stencil::dsl;  // NOLINT: as users write

std::string text_of(const Builder& b) {
  const BuildResult result = b.finish({.analyse = false});
  EXPECT_TRUE(result.ok()) << result.report();
  return result.ok() ? result.program->text() : "";
}

// Returns the first message, which must be an error in this file; the others may follow from it.
BuildMessage first_error(const Builder& b) {
  const BuildResult result = b.finish();
  EXPECT_FALSE(result.ok());
  if (result.messages.empty()) return {};
  const BuildMessage& message = result.messages.front();
  EXPECT_TRUE(message.is_error);
  EXPECT_TRUE(message.file.ends_with("grids_test.cpp")) << message.text;
  return message;
}

struct Levels {  // a builder with a grid of three levels
  Builder b{"levels"};
  Domain G = b.grid("G", {{0, 15}}, {.steps = 4, .levels = 3, .by = 2, .cells = true});
  Field u = b.field("u", real, G, {.boundary = clamp});
  Stencil smooth = b.stencil("smooth", u, G, 0.5 * u(0));
};

TEST(GridForms, DerivedGrids) {
  Builder b;
  const auto F = b.grid("F", {{0, 8}, {0, 9}}, 3);
  const auto C = b.grid("C", F, {.by = 2});
  const auto D = b.grid("D", C, {.by = {1, 5}, .cells = true});
  b.subgrid("inner", C, {{first() + 1, last() - 1}, {first()}});
  b.field("e", real, D);
  EXPECT_EQ(text_of(b),
            "grid F = [0..8, 0..9] steps 3;\n"
            "grid C of F by 2;\n"
            "grid D of C by [1, 5] cells;\n"
            "subgrid inner of C = [first + 1..last - 1, first];\n"
            "field e : real on D;\n");
}

TEST(GridForms, Levels) {
  const auto grid = [](const GridOptions& options) {
    Builder b;
    b.grid("G", {{0, 8}}, options);
    return text_of(b);
  };
  const Index L("L");
  EXPECT_EQ(grid({.levels = L + 1, .by = 2}), "grid G = [0..8] levels L + 1 by 2;\n");
  EXPECT_EQ(grid({.steps = 3, .spacing = 0.5, .levels = 2, .by = {3}, .cells = true}),
            "grid G = [0..8] levels 2 by [3] cells steps 3 spacing 0.5;\n");

  Builder b;
  const auto u = b.field("u", real, b.grid("G", {{0, 8}}), {.history = 2});
  const FieldArgument v("v");
  b.stop(fine(u)(0) + coarse(u)(-1) + fine(u).at(-1)(0) + coarse(u).at(0)(1) + coarse(v)(0));
  b.stop(level() < 1);
  EXPECT_EQ(text_of(b),
            "grid G = [0..8];\nfield u : real on G history 2;\n"
            "stop when fine u[0] + coarse u[-1] + fine u@-1[0] + coarse u[1] + coarse v[0];\n"
            "stop when level < 1;\n");
}

TEST(GridForms, Blocks) {
  Levels p;
  const auto norm = p.b.reduce("norm", Reducer::max, p.u(0), p.G);
  const Field mean = p.b.reduce_over("mean", 0, Reducer::sum, p.u(0), p.G);
  const auto v = p.b.cycle("v");
  const auto empty = p.b.cycle("empty", Block{});
  Block twice(2, p.smooth);
  twice.push_back(repeat(3, {p.smooth}));
  v.body({if_(level() == 0, twice, {if_(level() < 2, {coarser({v})}, {p.smooth})}), empty});
  p.b.start({if_(level() == 0, {v})});
  p.b.step({v, norm, mean, coarser({})});
  const std::string text = text_of(p.b);
  EXPECT_EQ(text.substr(text.find("cycle")),
            "cycle v {\n"
            "  if level == 0 {\n"
            "    smooth;\n"
            "    smooth;\n"
            "    repeat 3 {\n"
            "      smooth;\n"
            "    }\n"
            "  } else if level < 2 {\n"
            "    coarser {\n"
            "      v;\n"
            "    }\n"
            "  } else {\n"
            "    smooth;\n"
            "  }\n"
            "  empty;\n"
            "}\n"
            "cycle empty {\n"
            "}\n"
            "start {\n"
            "  if level == 0 {\n"
            "    v;\n"
            "  }\n"
            "}\n"
            "step {\n"
            "  v;\n"
            "  norm;\n"
            "  mean;\n"
            "  coarser {\n"
            "  }\n"
            "}\n");
}

TEST(GridErrors, RatiosBelongToLevelsAndDerivedGrids) {
  Builder levels;
  levels.grid("G", {{0, 7}}, {.levels = 2});
  EXPECT_EQ(first_error(levels).message, "grid 'G' has levels without a ratio");
  Builder ratio;
  ratio.grid("G", {{0, 7}}, {.by = 2});
  EXPECT_EQ(first_error(ratio).message, "grid 'G' has a ratio without levels");
  Builder cells;
  cells.grid("G", {{0, 7}}, {.cells = true});
  EXPECT_EQ(first_error(cells).code, "P023");
  Builder derived;
  derived.grid("C", derived.grid("F", {{0, 7}}), Coarsening{});
  EXPECT_EQ(first_error(derived).message, "grid 'C' has no ratio");
}

TEST(GridErrors, AccessesOfLevelsThatDoNotExist) {
  Builder one;  // no coarser grid
  const auto G = one.grid("G", {{0, 7}}, 1);
  const auto u = one.field("u", real, G, {.boundary = clamp});
  one.stencil("s", u, G, coarse(u)(0));
  const uint32_t line = __LINE__ - 1;
  BuildMessage error = first_error(one);
  EXPECT_EQ(error.code, "S099");
  EXPECT_EQ(error.line, line);

  Levels p;  // the coarsest level has no coarser one
  const auto correct = p.b.stencil("correct", p.u, p.G, coarse(p.u)(0));
  p.b.step({p.smooth, coarser({coarser({correct})})});
  EXPECT_EQ(first_error(p.b).code, "S099");

  Levels q;
  q.b.stop(fine(q.u).at(1)(0) > 1);
  EXPECT_EQ(first_error(q.b).code, "P024");
}

TEST(GridErrors, CyclesHaveOneBody) {
  Levels p;
  const auto v = p.b.cycle("v");
  const uint32_t opened = __LINE__ - 1;
  p.b.step({v});
  BuildMessage error = first_error(p.b);
  EXPECT_EQ(error.code, "P023");
  EXPECT_EQ(error.message, "cycle 'v' has no body");
  EXPECT_EQ(error.line, opened);
  v.body({p.smooth});
  EXPECT_TRUE(p.b.finish().ok());
  v.body({p.smooth});
  const uint32_t again = __LINE__ - 1;
  error = first_error(p.b);
  EXPECT_EQ(error.message, "cycle 'v' already has a body");
  EXPECT_EQ(error.line, again);
}

TEST(GridErrors, ValuesOfAnotherBuilder) {
  Levels other;
  const auto cycle = other.b.cycle("v", {other.smooth});
  const auto norm = other.b.reduce("norm", Reducer::max, other.u(0), other.G);
  const auto n = other.b.param("n", 2);
  const auto refused = [](const auto& use) {
    Levels p;
    use(p);
    EXPECT_EQ(first_error(p.b).code, "P020");
  };
  refused([&](Levels& p) { p.b.grid("C", other.G, {.by = 2}); });
  refused([&](Levels& p) { p.b.grid("C", p.G, {.by = n}); });
  refused([&](Levels& p) { p.b.grid("H", {{0, 7}}, {.levels = n, .by = 2}); });
  refused([&](Levels& p) { p.b.stencil("s", p.u, p.G, coarse(other.u)(0)); });
  refused([&](Levels& p) { p.b.step({other.smooth}); });
  refused([&](Levels& p) { p.b.start({cycle}); });
  refused([&](Levels& p) { p.b.step({p.smooth, norm}); });
  refused([&](Levels& p) { p.b.cycle("w", {repeat(n, {p.smooth})}); });
  refused([&](Levels& p) { p.b.cycle("w", {if_(n == 1, {p.smooth})}); });
  refused([&](Levels& p) { p.b.cycle("w", {coarser({if_(true, {}, {other.smooth})})}); });
}

TEST(GridErrors, StatementsHavePlacesOfTheirOwn) {
  for (const int count : {-1, 1}) {
    Levels p;
    const auto v = p.b.cycle("v");
    v.body({
        p.smooth,
        repeat(count, {p.smooth}),  // too few
        coarser({
            p.smooth,
            coarser({
                coarser({v}),  // no such level
            }),
        }),
    });
    const uint32_t end = __LINE__ - 1;
    p.b.step({v});
    const BuildMessage error = first_error(p.b);
    EXPECT_EQ(error.code, count < 0 ? "S029" : "S206") << error.text;
    EXPECT_EQ(error.line, count < 0 ? end - 7 : end - 3) << error.text;
  }
}

TEST(GridErrors, TooLargeBlocks) {
  Levels p;
  Statement deep = p.smooth;
  for (int n = 0; n < 100000; ++n) deep = coarser({deep});
  p.b.step({deep});
  EXPECT_EQ(first_error(p.b).code, "P004");
  Levels q;
  Statement large = q.smooth;
  for (int n = 0; n < 64; ++n) large = repeat(2, {large, large});
  q.b.step({large});
  EXPECT_EQ(first_error(q.b).code, "P025");
}

}  // namespace
}  // namespace stencil::test::grids
