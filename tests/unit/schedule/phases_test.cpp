// Steps divided into phases: each family lowers every phase, and the results are joined.
#include "compiler/schedule/phases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/phases.h"
#include "compiler/schedule/model/predict.h"
#include "compiler/schedule/scheduler.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

constexpr const char* kCut =
    "grid G = [0..127, 0..127] steps 12; field A, B, C : real on G; field H : real on G history 2;"
    "stencil s : A[1..126, 1..126] = A[0,-1] + A[0,1] + C[0,0];"
    "stencil t : B on G = A[0,0] * 0.5;"
    "reduce top = max(B[0,0]) on G;"
    "repeat 7 { stencil u : C[1..126, 1..126] = 0.25 * (C[-1,0] + C[1,0]) + B[0,0] / top; }"
    "stencil v : H on G = C[0,0] + H@-1[0,0];";

kernel::Module lowered(const ir::Program& program, const std::string& line) {
  Diagnostics diagnostics;
  Scheduler scheduler(program);
  const auto schedule = scheduler.parse(line, diagnostics);
  EXPECT_TRUE(schedule);
  auto module = scheduler.lower(*schedule, diagnostics);
  EXPECT_TRUE(module) << line;
  if (!module) return {};
  for (const std::string& violation : kernel::verify(*module)) ADD_FAILURE() << violation;
  return std::move(*module);
}

size_t launches(const kernel::Plan& plan) {
  size_t count = 0;
  kernel::for_each_action(plan, [&](const kernel::Action& action, const kernel::Loop&) {
    count += std::holds_alternative<kernel::Launch>(action) ? 1 : 0;
  });
  return count;
}

std::vector<const kernel::Repeat*> repeats(const kernel::Plan& plan) {
  std::vector<const kernel::Repeat*> found;
  kernel::for_each_action(plan, [&](const kernel::Action& action, const kernel::Loop&) {
    if (const auto* repeat = std::get_if<kernel::Repeat>(&action)) found.push_back(repeat);
  });
  return found;
}

TEST(Phases, AreTiledSeparately) {
  const ir::Program program = test::load(kCut);
  for (const auto& [line, kernels, time_tile] :
       {std::tuple{"direct", 4 + 2, 1},
        {"overlapped T=3 block=16x8 elements=2x3", 3 + 2, 3},
        {"streaming T=3 block=32x4", 2 + 2 + 1, 3},
        {"planes T=3 block=64", 2 + 2 + 1, 3},
        {"overlapped T=9 block=64x8 elements=1x8", 3 + 2, 7}}) {
    SCOPED_TRACE(line);
    const kernel::Plan plan = lowered(program, line).plan;
    EXPECT_EQ(plan.time_tile, 1);
    ASSERT_EQ(repeats(plan).size(), 1u);
    const kernel::Repeat& repeat = *repeats(plan)[0];
    EXPECT_EQ(repeat.iterations, 7);
    EXPECT_EQ(repeat.time_tile, time_tile);
    if (repeat.tile_sizes.size() < 2) {
      EXPECT_EQ(launches(plan), static_cast<size_t>(kernels));
    }
    for (const kernel::Array& array : plan.arrays) {
      EXPECT_TRUE(array.written) << array.name;
      EXPECT_LE(array.copies, array.levels + 1) << array.name;
    }
  }
}

// What is appended while a repeat is open belongs to it, with the time tile of the moment.
TEST(Phases, RepeatsMayStandInRepeats) {
  kernel::Plan plan;
  plan.actions = {kernel::Rotate{0}};
  append_repeat(plan, 3, [&] {
    plan.actions.push_back(kernel::Rotate{1});
    append_repeat(plan, 5, [&] {
      plan.time_tile = 2;
      plan.actions.push_back(kernel::Rotate{2});
    });
    plan.actions.push_back(kernel::Rotate{3});
  });
  EXPECT_EQ(plan.time_tile, 1);
  ASSERT_EQ(plan.actions.size(), 2u);
  const auto& outer = std::get<kernel::Repeat>(plan.actions[1]);
  EXPECT_EQ(outer.iterations, 3);
  EXPECT_EQ(outer.time_tile, 1);
  ASSERT_EQ(outer.actions.size(), 3u);
  const auto& inner = std::get<kernel::Repeat>(outer.actions[1]);
  EXPECT_EQ(inner.iterations, 5);
  EXPECT_EQ(inner.time_tile, 2);
  EXPECT_EQ(std::get<kernel::Rotate>(inner.actions.at(0)).array, 2);
  EXPECT_EQ(std::get<kernel::Rotate>(outer.actions[2]).array, 3);
}

// The stop condition is evaluated before a step with a repeat begins, because a run cannot end
// inside the loop of a repeat.
TEST(Phases, OfARepeatFollowTheStopCondition) {
  const std::string grid = "grid G = [0..127] steps 12; field A : real on G;";
  const std::string stencil = "stencil s : A[1..126] = 0.5 * (A[-1] + A[1]);";
  const std::string stop = "reduce r = max(A[0]) on G; stop when r < 1;";
  const ir::Program once = test::load(grid + stencil + stop);
  const ir::Program repeated = test::load(grid + "repeat 3 {" + stencil + "}" + stop);
  for (const char* line : {"direct", "overlapped T=2"}) {
    EXPECT_EQ(kernel::answer_point(lowered(once, line)), 1u) << line;
    EXPECT_EQ(kernel::answer_point(lowered(repeated, line)), std::nullopt) << line;
  }
}

// A step without phases is planned as one program.
TEST(Phases, OfAnUndividedStepAreTheProgram) {
  const ir::Program program = test::load(
      "grid G = [0..127] steps 12; field A : real on G; stencil s : A[1..126] = A[-1] + A[1];"
      "reduce r = sum(A[0]) on G every 4; stop when r < 1;");
  const Phases phases(program);
  EXPECT_FALSE(phases.cut());
  ASSERT_EQ(phases.all().size(), 1u);
  EXPECT_EQ(&phases.main().tiles.program(), &program);
  const kernel::Plan plan = lowered(program, "overlapped T=4").plan;
  EXPECT_EQ(plan.time_tile, 4);
  EXPECT_TRUE(repeats(plan).empty());
}

TEST(Phases, MainIsThePhaseWithTheMostWork) {
  const ir::Program program = test::load(kCut);
  const Phases phases(program);
  ASSERT_EQ(phases.all().size(), 3u);
  EXPECT_EQ(phases.main().phase.functions.front(), 2u);
  EXPECT_EQ(phases.most_iterations(), 7);
  Schedule schedule;
  schedule.time_tile = 9;
  EXPECT_EQ(phases.all()[0]->limited(schedule).time_tile, 1);
  EXPECT_EQ(phases.all()[1]->limited(schedule).time_tile, 7);
}

// The largest tile that memory allows for one field is too large for six.
TEST(Phases, AllFitTheProposedSchedule) {
  std::string text =
      "grid G = [0..999, 0..999] steps 4; field P, A, B, C, D, E, F : double on G;"
      "repeat 20 { stencil p : P[1..998, 1..998] = 0.25 * (P[-1,0] + P[1,0]); }";
  for (const std::string field : {"A", "B", "C", "D", "E", "F"}) {
    text += "stencil " + field + " : " + field + "[1..998, 1..998] = P[0,-1] + " + field + "[1,0];";
  }
  const ir::Program program = test::load(text);
  for (const char* machine : {"cpu", "sm_90"}) {
    Scheduler scheduler(program, *find_machine(machine));
    for (const char* family : {"overlapped", "planes", "direct"}) {
      Diagnostics diagnostics;
      const auto schedule = scheduler.parse(family, diagnostics);
      EXPECT_TRUE(scheduler.plan(*schedule, diagnostics)) << family << " for " << machine;
    }
  }
}

// A cycle that applies itself twice: phases that are alike share one plan and its kernels.
std::string cycles(int levels, int times) {
  return "param L : integer = " + std::to_string(levels) +
         "; param M : integer = " + std::to_string(times) +
         "; grid G = [0..127, 0..127] levels L by 2 cells steps 12; field u, r : real on G "
         "boundary clamp;"
         "stencil smooth : u on G = 0.25 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + r[0,0];"
         "stencil down : r on G = fine u[0,0] - fine u[1,1];"
         "stencil zero : u on G = 0;"
         "stencil up : u on G = u[0,0] + coarse u[0,0];"
         "cycle v { repeat 6 { smooth; } if level < L - 1 { coarser { down; zero; v; if M > 1 { v; "
         "} "
         "} up; }"
         " smooth; }"
         "step { v; }";
}

// Sweeps of grids that one block computes in the time of a launch share launches.
TEST(Phases, SmallGridsShareALaunch) {
  const ir::Program program = test::load(cycles(6, 1));  // 128 to 4 points per side
  const kernel::Module module = lowered(program, "direct");
  const auto merged = [&](const kernel::Kernel& kernel) {
    return kernel.name.find("_coarse") != std::string::npos;
  };
  const auto coarse = std::find_if(module.kernels.begin(), module.kernels.end(), merged);
  ASSERT_NE(coarse, module.kernels.end());
  const std::string text = kernel::print(module);
  EXPECT_NE(text.find("barrier for memory"), std::string::npos);
  size_t of_merged = 0;
  kernel::for_each_launch(module.plan, [&](const kernel::Launch& launch) {
    if (!merged(module.kernels[static_cast<size_t>(launch.kernel)])) return;
    ++of_merged;
    EXPECT_EQ(kernel::print(launch.blocks), "1L");
  });
  EXPECT_EQ(of_merged, 1u);  // the cycle passes the small levels once
  EXPECT_LT(launches(module.plan), 20u);
  // Both parities of the repeats: slots have their roles back, or are swapped by actions.
  EXPECT_EQ(kernel::verify(module), std::vector<std::string>{});
}

// The main phase has the requested schedule, even if one block could compute it.
TEST(Phases, ASmallMainPhaseKeepsItsSchedule) {
  std::string text = cycles(2, 1);
  text.replace(text.find("0..127, 0..127"), 14, "0..15, 0..15");
  const kernel::Module module = lowered(test::load(text), "overlapped T=3 block=16x8");
  const auto coarse = std::count_if(
      module.kernels.begin(), module.kernels.end(),
      [](const auto& kernel) { return kernel.name.find("_coarse") != std::string::npos; });
  EXPECT_EQ(coarse, 1);
  EXPECT_GT(module.kernels.size(), 1u);
}

TEST(Phases, ThatAreAlikeShareAPlan) {
  const auto counts = [](int levels, int times, const char* line) {
    const ir::Program program = test::load(cycles(levels, times));
    const Phases phases(program);
    return std::tuple{ir::phases(program).size(), phases.all().size(),
                      lowered(program, line).kernels.size()};
  };
  for (const char* line : {"direct", "overlapped T=3 block=16x8 elements=1x2"}) {
    SCOPED_TRACE(line);
    const auto [occurrences, plans, kernels] = counts(4, 1, line);
    EXPECT_EQ(occurrences, 4u + 3 + 3 + 1);  // repeats; down and zero; up and smooth; last smooth
    EXPECT_EQ(plans, occurrences);
    const auto [w_occurrences, w_plans, w_kernels] = counts(4, 2, line);
    EXPECT_EQ(w_occurrences, 3u + 2 * (3 + 2 * (3 + 2 * 2)));
    EXPECT_EQ(w_plans, plans);
    EXPECT_EQ(w_kernels, kernels);
    const auto [fewer_occurrences, fewer_plans, fewer] = counts(2, 2, line);
    const auto [more_occurrences, more_plans, more] = counts(6, 2, line);
    EXPECT_LE(fewer, kernels);
    EXPECT_LE(more - kernels, more_plans - plans);  // not with the applications
    EXPECT_EQ(more_plans - plans, plans - fewer_plans);
    EXPECT_GT(more_occurrences, 4 * w_occurrences);
  }
}

// A function that reads levels reads other memory before a write of the field than after it.
// The phases of a step, as the names of their functions and the iterations.
std::vector<std::string> named_phases(const std::string& step, const std::string& more = "") {
  const ir::Program program = test::load(
      "grid G = [0..32, 0..32] levels 2 by 2 steps 3; field u, f : real on G boundary constant 0;" +
      more +
      "stencil s : u on G = 0.25 * (u[-1,0] + u[1,0] + f[0,0]);"
      "stencil t : f on G = f[0,0] - 0.5 * u[0,1];"
      "stencil up : u on G = u[0,0] + coarse u[0,0];"
      "stencil down : f on G = fine f[0,0] + fine u[1,0];"
      "step { " +
      step + " }");
  std::vector<std::string> out;
  for (const ir::Phase& phase : ir::phases(program)) {
    std::string& name = out.emplace_back();
    for (const size_t f : phase.functions) name += program.functions[f].name + " ";
    name += std::to_string(phase.iterations);
  }
  return out;
}

TEST(Phases, TakeIterationsOfRepeatsBesideThem) {
  using Names = std::vector<std::string>;
  const std::string coarser = " coarser { down; }";
  EXPECT_EQ(named_phases("t; repeat 6 { s; } t;" + coarser),
            (Names{"t s s s 1", "s s s t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("t; repeat 5 { s; } t;" + coarser),
            (Names{"t s s s 1", "s s t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("up; repeat 20 { s; } t;" + coarser),
            (Names{"up s s s 1", "s 14", "s s s t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("repeat 6 { s; } t;" + coarser), (Names{"s 3", "s s s t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("up; repeat 6 { s; }" + coarser),
            (Names{"up s s s 1", "s 3", "down_1 1"}));
  EXPECT_EQ(named_phases("t; repeat 4 { s; t; } up;" + coarser),
            (Names{"t s t 1", "s t 2", "s t up 1", "down_1 1"}));
  // Not beside: a function that reads a finer grid, one on another grid, several functions before,
  // a block of several kinds of statements.
  EXPECT_EQ(named_phases("t; coarser { down; repeat 6 { s; } } up;"),
            (Names{"t 1", "down_1 1", "s_1 6", "up 1"}));
  EXPECT_EQ(named_phases("t; t; repeat 6 { s; }" + coarser), (Names{"t t 1", "s 6", "down_1 1"}));
  EXPECT_EQ(named_phases("t; repeat 6 { s; t; s; t; } t;" + coarser),
            (Names{"t 1", "s t s t 6", "t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("t; repeat 3 { repeat 6 { s; } t; }" + coarser),
            (Names{"t 1", "s 3", "s s s t 1", "down_1 1"}));
  EXPECT_EQ(named_phases("repeat 6 { s; } m; t;" + coarser, "reduce m = max(u[0,0]) on G;"),
            (Names{"s 6", "t 1", "down_1 1"}));
}

TEST(Phases, AreNotAlikeIfLevelsHaveMoved) {
  const ir::Program program = test::load(
      "grid G = [0..63, 0..63] levels 2 by 2 steps 4; field h : real on G history 2;"
      "field u, v : real on G;"
      "stencil read : u on G = h[0,0] - h@-1[0,0]; stencil write : h on G = h[0,0] + u[0,0];"
      "stencil down : v on G = fine u[0,0];"
      "step { read; coarser { down; } write; coarser { down; } read; }");
  EXPECT_EQ(ir::phases(program).size(), 5u);
  const Phases phases(program);
  EXPECT_NE(phases.occurrences().front(), phases.occurrences().back());
}

// Each phase but the main one has the schedule or the sweeps of `direct`, whichever is predicted to
// be faster.
TEST(Phases, HaveTheFasterOfTwoPlans) {
  const ir::Program program = test::load(
      "grid G = [0..2047, 0..2047] levels 3 by 2 cells steps 12; field u, r : real on G "
      "boundary clamp;"
      "stencil smooth : u on G = 0.25 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + r[0,0];"
      "stencil down : r on G = fine u[0,0] - fine u[1,1];"
      "step { repeat 12 { smooth; } coarser { down; repeat 12 { smooth; } "
      "coarser { down; repeat 2 { smooth; } } } }");
  const Machine machine = gpu();
  for (const char* family : {"overlapped", "streaming"}) {
    Scheduler scheduler(program);
    Diagnostics diagnostics;
    const Phases& phases = scheduler.phases();
    for (const char* line : {"T=2 block=32x8", "T=6 block=16x8"}) {
      const auto schedule = scheduler.parse(std::string(family) + " " + line, diagnostics);
      ASSERT_TRUE(schedule) << line;
      const auto work = scheduler.plan(*schedule, diagnostics)->work();
      ASSERT_TRUE(work);
      double found = 0, expected = 0;
      for (const Work& kernel : work->kernels) found += kernel.launches;
      for (const auto& planned : phases.all()) {
        const auto seconds = [&](const PlanPtr& plan) {
          return predict(*plan->work(), machine).seconds;
        };
        const auto launches = [&](const PlanPtr& plan) {
          const TileWork tile = *plan->work();
          double count = 0;
          for (const Work& kernel : tile.kernels) count += kernel.launches;
          return count * planned->iterations / tile.steps;
        };
        const PlanPtr own = find_family(family)->plan(planned->tiles, planned->limited(*schedule),
                                                      machine, diagnostics);
        const PlanPtr direct = planned->swept(machine, schedule->rows).plan;
        const bool main = planned.get() == &phases.main();
        expected += launches(main || !(seconds(direct) < seconds(own)) ? own : direct);
      }
      EXPECT_NEAR(found, expected, 1e-9) << family << " " << line;
    }
  }
}

// Only grids that one block computes in the time of a launch are small.
TEST(Phases, LargerGridsKeepTheirLaunches) {
  std::string text = cycles(6, 1);
  text.replace(text.find("0..127, 0..127"), 14, "0..1023, 0..1023");
  const kernel::Module module = lowered(test::load(text), "direct");
  for (const char* name : {"smooth", "down_1", "smooth_1", "smooth_2", "_coarse"}) {
    EXPECT_TRUE(std::any_of(module.kernels.begin(), module.kernels.end(), [&](const auto& kernel) {
      return kernel.name.ends_with(name);
    })) << name;
  }
}

// The work of a step counts every application.
TEST(Phases, ThatShareAPlanAddUp) {
  const ir::Program program = test::load(cycles(3, 2));
  const Phases phases(program);
  double iterations = 0;
  for (const auto& planned : phases.all()) iterations += planned->iterations;
  double applied = 0;
  for (const ir::Phase& phase : ir::phases(program)) {
    applied += static_cast<double>(phase.iterations_per_step());
  }
  EXPECT_EQ(iterations, applied);
  Scheduler scheduler(program);
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse("direct", diagnostics);
  const auto work = scheduler.plan(*schedule, diagnostics)->work();
  double launches = 0;
  for (const Work& kernel : work->kernels) launches += kernel.launches;
  size_t functions = 0;
  for (const ir::Phase& phase : ir::phases(program)) {
    functions += phase.functions.size() * static_cast<size_t>(phase.iterations_per_step());
  }
  EXPECT_EQ(launches, static_cast<double>(functions));
}

// The phases of `start` are planned, but they are no part of the work of a step.
TEST(Phases, OfTheStartDoNotBelongToAStep) {
  const std::string text =
      "grid G = [0..127, 0..127] steps 12; field u, f : real on G boundary clamp;"
      "stencil smooth : u on G = 0.25 * (u[-1,0] + u[1,0]) + f[0,0];"
      "stencil source : f on G = u[0,1]; reduce m = max(u[0,0]) on G;";
  const ir::Program with =
      test::load(text + "start { source; repeat 9 { source; smooth; } } step { smooth; }");
  const Phases phases(with);
  EXPECT_EQ(phases.in_start(), 2u);
  EXPECT_EQ(phases.all().size(), 3u);
  EXPECT_EQ(phases.main().phase.functions.size(), 1u);
  const kernel::Plan plan = lowered(with, "direct").plan;
  EXPECT_EQ(plan.start.actions.size(), 2u);
  EXPECT_EQ(plan.time_tile, 1);
  Scheduler scheduler(with);
  Diagnostics diagnostics;
  const auto work = scheduler.plan(*scheduler.parse("direct", diagnostics), diagnostics)->work();
  ASSERT_TRUE(work);
  ASSERT_EQ(work->kernels.size(), 1u);
  const ir::Program without = test::load(text + "step { smooth; }");
  Scheduler alone(without);
  const auto same = alone.plan(*alone.parse("direct", diagnostics), diagnostics)->work();
  EXPECT_EQ(work->kernels[0].bytes, same->kernels.at(0).bytes);
}

// Sweeps of small grids share launches in `start` too.
TEST(Phases, SmallGridsOfTheStartShareALaunch) {
  std::string text = cycles(3, 1);
  text.replace(text.find("step { v; }"), 11, "start { v; } step { smooth; }");
  text.replace(text.find("0..127, 0..127"), 14, "0..15, 0..15");
  const kernel::Module module = lowered(test::load(text), "direct");
  const auto named = [&](const std::string& part) {
    return std::count_if(module.kernels.begin(), module.kernels.end(), [&](const auto& kernel) {
      return kernel.name.find(part) != std::string::npos;
    });
  };
  EXPECT_EQ(named("_start"), 1);
  EXPECT_EQ(named("_coarse"), 0);
}

// Costs are per point of the first grid, whatever grid a phase has.
TEST(Phases, CostsOfLevelsAreThoseOfTheirPoints) {
  const std::string text =
      "grid G = [0..127, 0..127] levels 2 by 2 cells steps 12; field u, r : real on G;"
      "stencil smooth : u on G = 0.5 * u[0,0] + r[0,0];"
      "stencil source : r on G = 0.5 * u[0,0];";
  const auto cost = [&](const std::string& step) {
    const ir::Program program = test::load(text + "step { " + step + " }");
    Scheduler scheduler(program);
    Diagnostics diagnostics;
    return scheduler.plan(*scheduler.parse("direct", diagnostics), diagnostics)->cost();
  };
  const Footprint fine = cost("repeat 6 { smooth; source; }");
  const Footprint both =
      cost("repeat 6 { smooth; source; } coarser { repeat 6 { smooth; source; } }");
  EXPECT_NEAR(both.bytes_read, 1.25 * fine.bytes_read, 1e-9);
  EXPECT_NEAR(both.bytes_written, 1.25 * fine.bytes_written, 1e-9);
  EXPECT_NEAR(fine.redundancy, 1, 1e-9);
  EXPECT_NEAR(both.redundancy, 1, 1e-9);
}

// The cost of a step is the sum over its phases and reductions.
TEST(Phases, MayHaveSettingsOfTheirOwn) {
  const ir::Program program = test::load(kCut);
  const std::string line =
      "overlapped T=3 block=16x8 elements=2x3 regions=hull; 7 u: streaming T=5 block=32x4; v: "
      "direct";
  const kernel::Module module = lowered(program, line);
  std::vector<std::string> kernels;
  for (const auto& kernel : module.kernels) kernels.push_back(kernel.name);
  EXPECT_NE(std::find(kernels.begin(), kernels.end(), module.name + "_stream"), kernels.end());
  EXPECT_EQ(repeats(module.plan).size(), 1u);
  Scheduler scheduler(program);
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse(line, diagnostics);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->family, "overlapped");
  ASSERT_EQ(schedule->phases.size(), 2u);
  EXPECT_EQ(schedule->phases[0].phase, "7 u");
  EXPECT_EQ(schedule->phases[0].schedule.time_tile, 5);
  EXPECT_EQ(schedule->phases[1].schedule.family, "direct");
  const std::string printed = print(*schedule, 2);
  EXPECT_EQ(*scheduler.parse(printed, diagnostics), *schedule) << printed;
  // A later setting of the same phase replaces the first one.
  const auto again = scheduler.parse(printed + "; v: streaming T=1", diagnostics);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->phases.size(), 2u);
  EXPECT_EQ(again->phases[1].schedule.family, "streaming");
  EXPECT_TRUE(diagnostics.items().empty());
}

TEST(Phases, SettingsOfUnknownPhasesAreErrors) {
  const ir::Program program = test::load(kCut);
  Scheduler scheduler(program);
  for (const auto& [line, code] : {std::pair{"direct; u: direct", "L001"},
                                   {"direct; 7 u", "L001"},
                                   {"direct; 7 u: nothing", "L001"},
                                   {"direct; v: direct T=3", "L001"},
                                   {"direct;", ""}}) {
    Diagnostics diagnostics;
    const auto schedule = scheduler.parse(line, diagnostics);
    EXPECT_EQ(schedule.has_value(), *code == 0) << line;
    if (!schedule) {
      EXPECT_EQ(diagnostics.items().front().code, code) << line;
    }
  }
  const ir::Program whole = test::load(
      "grid G = [0..9]; field A : real on G; "
      "stencil s : A on G = 2 * A[0];");
  Diagnostics diagnostics;
  EXPECT_FALSE(Scheduler(whole).parse("direct; t: direct", diagnostics));
}

// Among the settings of all phases, the refused ones decide.
TEST(Phases, RefusalsOfTheirSettingsAreReported) {
  const ir::Program program = test::load(kCut);
  Scheduler scheduler(program);
  Diagnostics diagnostics;
  const auto schedule =
      scheduler.parse("direct; 7 u: streaming T=7 block=32x16 elements=64x1", diagnostics);
  ASSERT_TRUE(schedule);
  EXPECT_FALSE(scheduler.plan(*schedule, diagnostics));
  ASSERT_FALSE(diagnostics.items().empty());
  ASSERT_EQ(diagnostics.items().back().related.size(), 1u);
  EXPECT_EQ(diagnostics.items().back().related[0].message, "in the phase 7 u");
}

TEST(Phases, OfSeveralGridsAreChosenOneByOne) {
  const ir::Program program = test::load(
      "param N : integer = 256; grid F = [0..N-1, 0..N-1, 0..N-1] steps 10; grid C of F by 2 cells;"
      "field u : real on F boundary constant 0; field v : real on C boundary constant 0;"
      "function lap(w : field) = w[-1,0,0] + w[1,0,0] + w[0,-1,0] + w[0,1,0] + w[0,0,-1] + "
      "w[0,0,1] - 6 * w[0,0,0];"
      "repeat 6 { stencil s : u on F = u[0,0,0] + 0.1 * lap(u); }"
      "repeat 6 { stencil t : v on C = v[0,0,0] + 0.1 * lap(v) + u[0,0,0]; }");
  Scheduler scheduler(program);
  const Schedule schedule = scheduler.choose().schedule;
  Diagnostics diagnostics;
  EXPECT_TRUE(scheduler.plan(schedule, diagnostics));
  const auto sizes = [&](const std::string& line) {
    const auto work = scheduler.plan(*scheduler.parse(line, diagnostics), diagnostics)->work();
    return predict(*work, gpu()).seconds;
  };
  Schedule one = schedule;
  one.phases.clear();
  EXPECT_LE(sizes(print(schedule, 3)), 1.001 * sizes(print(one, 3)));
  // No tile does more iterations than its launches need: 6 = 3 + 3, not 4 + 2.
  for (const int steps :
       {schedule.time_tile,
        schedule.phases.empty() ? schedule.time_tile : schedule.phases[0].schedule.time_tile}) {
    EXPECT_EQ(6 % steps, 0) << print(schedule, 3);
  }
}

TEST(Phases, CostsAddUp) {
  const ir::Program program = test::load(kCut);
  Scheduler scheduler(program);
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse("overlapped T=3 block=16x8 elements=2x3", diagnostics);
  const PlanPtr plan = scheduler.plan(*schedule, diagnostics);
  ASSERT_TRUE(plan);
  const auto work = plan->work();
  ASSERT_TRUE(work);
  EXPECT_EQ(work->steps, 1);
  ASSERT_EQ(work->kernels.size(), 5u);
  const double expected[] = {1, 1, 1, 3, 1};  // 7 iterations by T=3
  double bytes = 0;
  for (size_t k = 0; k < 5; ++k) EXPECT_EQ(work->kernels[k].launches, expected[k]) << k;
  for (const auto& planned : scheduler.phases().all()) {
    const Schedule of_phase = planned->limited(*schedule);
    const PlanPtr alone =
        find_family("overlapped")->plan(planned->tiles, of_phase, gpu(), diagnostics);
    bytes += alone->cost().bytes_read * static_cast<double>(planned->phase.iterations);
  }
  EXPECT_NEAR(plan->cost().bytes_read, bytes + 4, 1e-9);  // plus B, for the reduction
}

}  // namespace
}  // namespace stencil::schedule
