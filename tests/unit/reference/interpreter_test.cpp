// The semantics of a step on programs checked by hand: snapshots, order, history, reductions, stop.
#include "compiler/reference/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;

// A[0] = A[-1] + A[1] on the interior of n points.
ir::Program neighbour_sum(int64_t n) {
  ir::Program program;
  program.domain().box = box({{0, n - 1}});
  program.fields = {field("A", program.grid())};
  program.functions = {function("sum", 0, {piece(box({{1, n - 2}}), [](Expression& e) {
                                  return e.op(Op::Add, {e.read(0, {-1}), e.read(0, {1})});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  return program;
}

TEST(Interpreter, ReadsASnapshotAndKeepsUnwrittenPoints) {
  const ir::Program program = neighbour_sum(5);
  State state = started(program);
  set(state, 0, {1, 2, 3, 4, 5});
  EXPECT_EQ(advance(program, state, 1), 1);
  EXPECT_EQ(values(state, 0), (Values{1, 4, 6, 8, 5}));
  EXPECT_EQ(advance(program, state, 1), 1);
  EXPECT_EQ(values(state, 0), (Values{1, 7, 12, 11, 5}));
  EXPECT_EQ(state.step, 2);
}

TEST(Interpreter, HeatInOneDimensionRoundsEveryOperation) {
  ir::Program program;
  program.domain().box = box({{0, 3}});
  program.fields = {field("A", program.grid())};
  program.functions = {function("heat", 0, {piece(box({{1, 2}}), [](Expression& e) {
                                  const auto sum = e.op(Op::Add, {e.read(0, {-1}), e.read(0, {0})});
                                  const auto all = e.op(Op::Add, {sum, e.read(0, {1})});
                                  return e.op(Op::Mul, {e.number(Scalar::F32, 0.333f), all});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {0.1f, 0.7f, 1.3f, 100});
  advance(program, state, 2);
  float a[4] = {0.1f, 0.7f, 1.3f, 100};
  for (int t = 0; t < 2; ++t) {
    const volatile float left = 0.333f * ((a[0] + a[1]) + a[2]);
    const volatile float right = 0.333f * ((a[1] + a[2]) + a[3]);
    a[1] = left;
    a[2] = right;
  }
  EXPECT_EQ(values(state, 0), (Values{a[0], a[1], a[2], a[3]}));
}

TEST(Interpreter, LaterFunctionsSeeEarlierResults) {
  ir::Program program;
  program.domain().box = box({{0, 1}});
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  const auto plus_one = [](ir::FieldId from) {
    return [from](Expression& e) {
      return e.op(Op::Add, {e.read(from, {0}), e.number(Scalar::F32, 1)});
    };
  };
  program.functions = {function("a", 0, {piece(program.grid(), plus_one(1))}),
                       function("b", 1, {piece(program.grid(), plus_one(0))})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{1, 1}));
  EXPECT_EQ(values(state, 1), (Values{2, 2}));
  std::swap(program.functions[0], program.functions[1]);
  state = started(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{2, 2}));
  EXPECT_EQ(values(state, 1), (Values{1, 1}));
}

TEST(Interpreter, PiecesOfOneFunctionShareASnapshot) {
  ir::Program program;
  program.domain().box = box({{0, 1}});
  program.fields = {field("A", program.grid())};
  program.functions = {
      function("swap", 0,
               {piece(box({{0, 0}}), [](Expression& e) { return e.read(0, {1}); }),
                piece(box({{1, 1}}), [](Expression& e) { return e.read(0, {-1}); })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {3, 8});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{8, 3}));
}

// U = 2 U - U@-1 + (U[-1] - 2 U + U[1]) on the interior: U[-1] + U[1] - U@-1.
TEST(Interpreter, WaveWithTwoLevels) {
  ir::Program program;
  program.domain().box = box({{0, 4}});
  program.fields = {field("U", program.grid())};
  program.fields[0].history = 2;
  program.functions = {function("wave", 0, {piece(box({{1, 3}}), [](Expression& e) {
                                  const auto sum = e.op(Op::Add, {e.read(0, {-1}), e.read(0, {1})});
                                  return e.op(Op::Sub, {sum, e.read(0, {0}, 1)});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {0, 0, 1, 0, 0});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{0, 1, -1, 1, 0}));
  EXPECT_EQ(values(state, 0, 1), (Values{0, 0, 1, 0, 0}));
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{0, -1, 1, -1, 0}));
  EXPECT_EQ(values(state, 0, 1), (Values{0, 1, -1, 1, 0}));
}

// The second writer in a step reads the new level as U and level n as
// U@-1. Levels shift once per step.
TEST(Interpreter, LevelsAdvanceOnceAStep) {
  ir::Program program;
  program.domain().box = box({{0, 0}});
  program.fields = {field("U", program.grid()), field("seen", program.grid())};
  program.fields[0].history = 2;
  const auto add_ten = [](Expression& e) {
    return e.op(Op::Add, {e.read(0, {0}), e.number(Scalar::F32, 10)});
  };
  const auto double_and_previous = [](Expression& e) {
    return e.op(Op::Fma, {e.read(0, {0}), e.number(Scalar::F32, 1000), e.read(0, {0}, 1)});
  };
  program.functions = {function("first", 0, {piece(program.grid(), add_ten)}),
                       function("second", 0, {piece(program.grid(), double_and_previous)})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {1});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0, 0), (Values{11 * 1000 + 1}));
  EXPECT_EQ(values(state, 0, 1), (Values{1}));
}

TEST(Interpreter, ThreeLevelsCarryUnwrittenPoints) {
  ir::Program program;
  program.domain().box = box({{0, 1}});
  program.fields = {field("U", program.grid())};
  program.fields[0].history = 3;
  program.functions = {function("count", 0, {piece(box({{1, 1}}), [](Expression& e) {
                                  const auto oldest = e.read(0, {0}, 2);
                                  const auto now = e.convert(e.time(), Scalar::F32);
                                  return e.op(Op::Fma, {oldest, e.number(Scalar::F32, 10), now});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {5, 1});
  advance(program, state, 4);  // 10, 11, 12, then 10 * 10 + 3
  EXPECT_EQ(values(state, 0, 0), (Values{5, 103}));
  EXPECT_EQ(values(state, 0, 1), (Values{5, 12}));
  EXPECT_EQ(values(state, 0, 2), (Values{5, 11}));
}

TEST(Interpreter, InitFillsEveryLevelInOrder) {
  ir::Program program;
  program.domain().box = box({{2, 3}, {-1, 1}});
  program.fields = {field("A", program.grid()), field("B", program.grid()),
                    field("C", program.grid())};
  program.fields[0].history = 2;
  program.inits.push_back(
      {0, piece(program.grid(), [](Expression& e) {
         const auto ten_i = e.op(Op::Mul, {e.index(0), e.number(Scalar::I32, 10)});
         return e.convert(e.op(Op::Add, {ten_i, e.index(1)}), Scalar::F32);
       })});
  program.inits.push_back({1, piece(program.grid(), [](Expression& e) {
                             return e.read(0, {0, 0});
                           })});
  const State state = started(program);
  const Values expected{19, 20, 21, 29, 30, 31};
  EXPECT_EQ(values(state, 0, 0), expected);
  EXPECT_EQ(values(state, 0, 1), expected);
  EXPECT_EQ(values(state, 1), expected);
  EXPECT_EQ(values(state, 2), Values(6, 0));
}

ir::Reduction reduction(std::string name, ir::Reducer reducer, int64_t every, ir::Piece piece) {
  return {std::move(name), reducer, std::move(piece), every, {}};
}

TEST(Interpreter, SumsInAFixedOrderInTheTypeOfTheValue) {
  ir::Program program;
  program.domain().box = box({{0, 1}, {0, 1}});
  program.fields = {field("A", program.grid())};
  const auto read = [](Expression& e) { return e.read(0, {0, 0}); };
  program.reductions = {
      reduction("sum", ir::Reducer::Sum, 2, piece(program.grid(), read)),
      reduction("low", ir::Reducer::Min, 1, piece(program.grid(), read)),
      reduction("high", ir::Reducer::Max, 1, piece(program.grid(), read)),
      reduction("product", ir::Reducer::Prod, 1, piece(box({{1, 1}, {0, 1}}), read)),
      reduction("none", ir::Reducer::Min, 1, piece(box({{1, 0}, {0, 1}}), read))};
  State state = started(program);
  set(state, 0, {0x1p24, 1, 1, -3});  // in float, 2^24 + 1 is 2^24 again
  advance(program, state, 1);
  EXPECT_EQ(state.reductions[0].evaluations, 0);
  EXPECT_EQ(state.reductions[1].real, -3);
  advance(program, state, 1);
  EXPECT_EQ(state.reductions[0].evaluations, 1);
  // Lanes 0 and 32 are added first, then the sum of lanes 1 and 33.
  EXPECT_EQ(state.reductions[0].real, 0x1p24 - 2);
  EXPECT_EQ(state.reductions[2].real, 0x1p24);
  EXPECT_EQ(state.reductions[3].real, -3);
  EXPECT_EQ(state.reductions[4].real, INFINITY);
}

// Implements the summation order of the language reference directly, tile by tile.
float sum_in_tiles(const State& state, const ir::Box& region) {
  const auto lanes_of = [] { return std::vector<float>(256, 0.0f); };
  const auto pairwise = [](std::vector<float> lanes) {
    while (lanes.size() > 1) {
      const size_t half = lanes.size() / 2;
      for (size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
      lanes.resize(half);
    }
    return lanes[0];
  };
  const ConcreteBox bounds = *concrete(region, {});
  ConcreteBox outer = bounds;  // padded to three dimensions
  while (outer.size() < 3) outer.insert(outer.begin(), {0, 0});
  const bool flat = bounds.size() == 1;
  const int64_t height = flat ? 1 : 32, width = flat ? 1024 : 32;
  std::vector<float> tiles;
  for (int64_t z = outer[0][0]; z <= outer[0][1]; ++z) {
    for (int64_t y0 = outer[1][0]; y0 <= outer[1][1]; y0 += height) {
      for (int64_t x0 = outer[2][0]; x0 <= outer[2][1]; x0 += width) {
        auto lanes = lanes_of();
        for (int64_t n = 0; n < height * width; ++n) {
          std::vector<int64_t> point = {z, y0 + n / width, x0 + n % width};
          if (point[1] > outer[1][1] || point[2] > outer[2][1]) continue;
          point.erase(point.begin(), point.end() - static_cast<int>(bounds.size()));
          const FieldData& field = state.fields[0];
          lanes[n % 256] += static_cast<float>(field.real(0, 0, field.position(point)));
        }
        tiles.push_back(pairwise(lanes));
      }
    }
  }
  auto lanes = lanes_of();
  for (size_t t = 0; t < tiles.size(); ++t) lanes[t % 256] += tiles[t];
  return pairwise(lanes);
}

TEST(Interpreter, ReducesInTiles) {
  const std::pair<ir::Box, ir::Box> cases[] = {
      {box({{0, 2500}}), box({{3, 2490}})},
      {box({{0, 999}, {0, 70}}), box({{5, 990}, {2, 69}})},
      {box({{0, 4}, {0, 40}, {0, 33}}), box({{0, 4}, {0, 40}, {1, 33}})},
      {box({{0, 2}, {0, 1100}}), box({{1, 2}, {0, 1100}})},
  };
  for (const auto& [grid, region] : cases) {
    ir::Program program;
    program.domain().box = grid;
    program.fields = {field("A", grid)};
    const std::vector<int> here(grid.ranges.size(), 0);
    program.reductions = {reduction("sum", ir::Reducer::Sum, 1,
                                    piece(region, [&](Expression& e) { return e.read(0, here); }))};
    State state = started(program);
    for (int64_t p = 0; p < state.fields[0].points; ++p) {
      state.fields[0].set_real(0, 0, p, std::sin(static_cast<double>(p * p % 1009)));
    }
    advance(program, state, 1);
    EXPECT_EQ(static_cast<float>(state.reductions[0].real), sum_in_tiles(state, region));
  }
}

TEST(Interpreter, StopsWhenAReductionMeetsTheCondition) {
  ir::Program program;
  program.domain().box = box({{0, 9}});
  program.fields = {field("A", program.grid(), Scalar::I32)};
  program.functions = {
      function("count", 0, {piece(program.grid(), [](Expression& e) {
                 return e.op(Op::Add, {e.read(0, {0}, 0, Scalar::I32), e.number(Scalar::I32, 1)});
               })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  program.reductions = {reduction(
      "sum", ir::Reducer::Sum, 3,
      piece(program.grid(), [](Expression& e) { return e.read(0, {0}, 0, Scalar::I32); }))};
  ir::Stop stop;
  Expression e(stop.graph);
  stop.condition = e.op(Op::Ge, {e.reduction(0, Scalar::I32), e.number(Scalar::I32, 35)});
  program.run.until = std::move(stop);
  State state = started(program);
  EXPECT_EQ(advance(program, state, 5), 5);
  EXPECT_FALSE(state.stopped);  // 50 by now; last evaluated when it was 30
  EXPECT_EQ(advance(program, state, 100), 1);
  EXPECT_TRUE(state.stopped);
  EXPECT_EQ(state.reductions[0].integer, 60);
  EXPECT_EQ(advance(program, state, 100), 0);
  EXPECT_EQ(state.step, 6);
}

// The condition also reads `time`, which by itself would hold after step 3.
TEST(Interpreter, StopIsOnlyEvaluatedWithItsReductions) {
  ir::Program program = neighbour_sum(5);
  const auto read = [](Expression& e) { return e.read(0, {0}); };
  program.reductions = {reduction("often", ir::Reducer::Sum, 2, piece(program.grid(), read)),
                        reduction("later", ir::Reducer::Sum, 6, piece(program.grid(), read))};
  const auto stop_step = [&](ir::ReductionId named) {
    ir::Stop stop;
    Expression e(stop.graph);
    const auto late = e.op(Op::Ge, {e.time(), e.number(Scalar::I32, 2)});
    const auto small = e.op(Op::Lt, {e.reduction(0, Scalar::F32), e.number(Scalar::F32, 1)});
    const auto other = e.op(Op::Lt, {e.reduction(named, Scalar::F32), e.number(Scalar::F32, 1)});
    stop.condition = e.op(Op::And, {late, e.op(Op::And, {small, other})});
    program.run.until = std::move(stop);
    State state = started(program);
    return advance(program, state, 10);
  };
  EXPECT_EQ(stop_step(0), 4);
  EXPECT_EQ(stop_step(1), 6);  // `later` has no value before
}

TEST(Interpreter, ProgressCallbackCanInterrupt) {
  const ir::Program program = neighbour_sum(5);
  State state = started(program);
  std::vector<int64_t> seen;
  const auto until_three = [&](int64_t step) {
    seen.push_back(step);
    return step < 3;
  };
  EXPECT_EQ(advance(program, state, 10, until_three), 3);
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_FALSE(state.stopped);
}

TEST(Interpreter, ParamsTimeAndOpenSizes) {
  ir::Program program;
  program.params = {{"N", Scalar::I32, {}, {}, {}}, {"alpha", Scalar::F32, {}, {}, {}}};
  program.domain().box.ranges = {{{0, {}}, {-1, {{0, 1}}}}};  // 0..N-1
  program.fields = {field("A", program.grid())};
  program.functions = {function("f", 0, {piece(program.grid(), [](Expression& e) {
                                  const auto time = e.convert(e.time(), Scalar::F32);
                                  const auto n = e.convert(e.param(0, Scalar::I32), Scalar::F32);
                                  return e.op(Op::Fma, {e.param(1, Scalar::F32), time, n});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program, {3, 0}, {0, 0.1});
  advance(program, state, 2);
  const double expected = std::fma(0.1f, 1.0f, 3.0f);
  EXPECT_EQ(values(state, 0), Values(3, expected));
}

// Rows longer than the interpreter's chunk, so that row buffers are reused.
TEST(Interpreter, LongRows) {
  const int64_t n = 3 * 1024 + 17;
  const ir::Program program = neighbour_sum(n);
  State state = started(program);
  Values expected(n);
  for (int64_t i = 0; i < n; ++i) expected[i] = static_cast<double>(i % 7);
  set(state, 0, expected);
  const Values before = expected;
  for (int64_t i = 1; i + 1 < n; ++i) expected[i] = before[i - 1] + before[i + 1];
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), expected);
}

// Large enough for several threads; rows are split, and work items end within a plane.
ir::Program large_program() {
  ir::Program program;
  program.domain().box = box({{0, 160}, {-3, 1}, {0, 1100}});
  program.fields = {field("A", program.grid()), field("B", program.grid(), Scalar::F16)};
  program.fields[0].history = 2;
  const auto number = [](Expression& e) {
    const auto plane = e.op(Op::Mul, {e.index(0), e.number(Scalar::I32, 7919)});
    const auto line = e.op(Op::Mul, {e.index(1), e.index(2)});
    return e.op(Op::Sin, {e.convert(e.op(Op::Add, {plane, line}), Scalar::F32)});
  };
  program.inits = {{0, piece(program.grid(), number)},
                   {1, piece(program.grid(), [&](Expression& e) {
                      return e.convert(e.op(Op::Exp, {number(e)}), Scalar::F16);
                    })}};
  program.functions = {
      function("f", 0, {piece(box({{1, 159}, {-3, 1}, {2, 1100}}), [](Expression& e) {
                 const auto sum = e.op(Op::Add, {e.read(0, {1, 0, 0}), e.read(0, {-1, 0, -2})});
                 return e.op(Op::Fma, {sum, e.read(1, {0, 0, 0}), e.read(0, {0, 0, 0}, 1)});
               })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  program.reductions = {
      reduction("sum", ir::Reducer::Sum, 1, piece(program.grid(), [](Expression& e) {
                  return e.read(0, {0, 0, 0});
                }))};
  return program;
}

// A random number generator that relies on wrap-around: 5 x + 13 modulo 2^bits.
TEST(Interpreter, SmallIntegersWrapAround) {
  const std::pair<Scalar, int64_t> types[] = {
      {Scalar::U8, 256}, {Scalar::U16, 65536}, {Scalar::I8, 256}, {Scalar::I16, 65536}};
  for (const auto& [type, size] : types) {
    ir::Program program;
    program.domain().box = box({{0, 2}});
    program.fields = {field("A", program.grid(), type)};
    program.functions = {
        function("f", 0, {piece(program.grid(), [&](Expression& e) {
                   const auto five = e.number(Scalar::I32, 5);
                   const auto more = e.number(Scalar::I32, 13);
                   const auto old = e.read(0, {0}, 0, Scalar::I32);
                   return e.convert(e.op(Op::Add, {e.op(Op::Mul, {old, five}), more}), type);
                 })})};
    program.run.body = ir::applied_in_order(program.functions.size());
    State state = started(program);
    int64_t expected = 0;
    for (int step = 0; step < 20; ++step) {
      advance(program, state, 1);
      expected = (5 * expected + 13) % size;
      const int64_t value = state.fields[0].integer(0, 0, 1);
      EXPECT_EQ((value + size) % size, expected) << name(type);
      EXPECT_TRUE(integer_range(type).holds(value)) << name(type);
    }
  }
}

TEST(Interpreter, ResultsDoNotDependOnTheNumberOfThreads) {
  const ir::Program program = large_program();
  const auto run = [&](const char* threads) {
    setenv("STENCIL_THREADS", threads, 1);
    State state = started(program);
    const FieldData first = state.fields[0];
    advance(program, state, 3);
    unsetenv("STENCIL_THREADS");
    return std::tuple(first.levels, state.fields[0].levels, state.fields[1].levels,
                      state.reductions[0].real);
  };
  const auto alone = run("1");
  const auto& [first, last, constant, sum] = alone;
  EXPECT_EQ(first[0], first[1]);
  EXPECT_NE(first[0], last[0]);
  EXPECT_NE(sum, 0);
  for (const char* threads : {"2", "5", "64"}) EXPECT_EQ(run(threads), alone) << threads;
}

// Fields without an init become zero again; fields with one get its values in all levels.
TEST(Interpreter, InitialisesAnAdvancedState) {
  ir::Program program = large_program();
  const State fresh = started(program);
  State state = fresh;
  advance(program, state, 2);
  initialise(program, state);
  EXPECT_EQ(state.fields[0].levels, fresh.fields[0].levels);
  program.inits.erase(program.inits.begin());
  initialise(program, state);
  for (const FieldData::Level& level : state.fields[0].levels) {
    EXPECT_TRUE(
        std::all_of(level[0].begin(), level[0].end(), [](auto b) { return b == std::byte{0}; }));
  }
  EXPECT_EQ(state.fields[1].levels, fresh.fields[1].levels);
}

TEST(Interpreter, ComponentsAreWrittenTogether) {
  ir::Program program;
  program.domain().box = box({{0, 1}});
  program.fields = {field("S", program.grid())};
  program.fields[0].components = {{".a", Scalar::F32}, {".b", Scalar::F64}};
  ir::Piece exchange = piece(program.grid(), [](Expression& e) {
    return e.convert(e.read(0, {0}, 0, Scalar::F64, 1), Scalar::F32);
  });
  Expression e(exchange.graph);
  exchange.results.push_back(e.convert(e.read(0, {0}), Scalar::F64));
  program.functions = {function("exchange", 0, {exchange})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {1, 2});
  state.fields[0].set_real(0, 1, 0, 0.1);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{0.1f, 0}));
  EXPECT_EQ(values(state, 0, 0, 1), (Values{1, 2}));
}

// Game of Life on a torus: a glider moves by one diagonal in four steps.
TEST(Interpreter, GameOfLife) {
  ir::Program program;
  program.domain().box = box({{0, 5}, {0, 5}});
  program.fields = {field("L", program.grid(), Scalar::I32)};
  program.fields[0].boundary = ir::uniform_boundary(2, {ir::BoundaryKind::Periodic, {}});
  program.functions = {
      function("live", 0, {piece(program.grid(), [](Expression& e) {
                 ir::NodeId count = e.number(Scalar::I32, 0);
                 for (int a = -1; a <= 1; ++a) {
                   for (int b = -1; b <= 1; ++b) {
                     if (a == 0 && b == 0) continue;
                     count = e.op(Op::Add, {count, e.read(0, {a, b}, 0, Scalar::I32)});
                   }
                 }
                 const auto one = e.number(Scalar::I32, 1);
                 const auto three = e.op(Op::Eq, {count, e.number(Scalar::I32, 3)});
                 const auto two = e.op(Op::Eq, {count, e.number(Scalar::I32, 2)});
                 const auto alive = e.op(Op::Eq, {e.read(0, {0, 0}, 0, Scalar::I32), one});
                 const auto lives = e.op(Op::Or, {three, e.op(Op::And, {two, alive})});
                 return e.op(Op::Select, {lives, one, e.number(Scalar::I32, 0)});
               })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  Values glider(36);
  for (const int at : {1, 8, 12, 13, 14}) glider[at] = 1;
  set(state, 0, glider);
  advance(program, state, 4);
  Values moved(36);
  for (const int at : {1, 8, 12, 13, 14}) moved[at + 7] = 1;
  EXPECT_EQ(values(state, 0), moved);
  advance(program, state, 20);
  EXPECT_EQ(values(state, 0), glider);  // six diagonals: once around the torus
}

}  // namespace
}  // namespace stencil::reference
