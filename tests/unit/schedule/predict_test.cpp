// The performance model: its predictions for works built by hand.
#include "compiler/schedule/model/predict.h"

#include <gtest/gtest.h>

#include <functional>

namespace stencil::schedule {
namespace {

// Sixteen full waves of blocks whose limits are all of similar weight.
Work usual() {
  Work work;
  work.threads = 128;
  work.registers = 40;
  work.shared_bytes = 4 << 10;
  work.iterations = 20;
  work.iteration = {.single = 40, .loads = 1, .stores = 1, .shared = 4, .shuffles = 2};
  work.iteration.accesses = 4;
  work.ahead = 2;
  work.barriers = 1;
  work.row = 32;
  work.bytes = 1024;
  work.footprint = 1e9;
  work.blocks = 132 * 12 * 16;  // registers allow twelve blocks per multiprocessor
  return work;
}

Prediction of(const Work& work, const Machine& machine = gpu(), int steps = 1) {
  return predict({steps, 1e6, {work}}, machine);
}

double seconds(const Work& work, const Machine& machine = gpu()) {
  return of(work, machine).seconds;
}

double with(const std::function<void(Work&)>& change, const Machine& machine = gpu()) {
  Work work = usual();
  change(work);
  return seconds(work, machine);
}

TEST(Predict, EveryKindOfWorkCosts) {
  const double before = seconds(usual());
  double Operations::*const classes[] = {
      &Operations::single,  &Operations::real,       &Operations::integer,
      &Operations::calls,   &Operations::real_calls, &Operations::multiplied,
      &Operations::selects, &Operations::loads,      &Operations::real_multiplied,
      &Operations::stores,  &Operations::copies,     &Operations::bulk,
      &Operations::shared,  &Operations::shuffles,   &Operations::accesses,
      &Operations::points,
  };
  for (size_t i = 0; i < std::size(classes); ++i) {
    double last = before;
    for (const double more : {10.0, 20.0, 40.0}) {
      const double now = with([&](Work& work) { work.iteration.*classes[i] += more; });
      EXPECT_GT(now, last) << i << ", " << more;
      last = now;
    }
  }
  EXPECT_GT(with([](Work& work) { work.iterations *= 2; }), 1.9 * before);
  EXPECT_GT(with([](Work& work) { work.barriers += 1; }), before);
  EXPECT_GT(with([](Work& work) { work.bytes *= 2; }), before);
  EXPECT_LT(with([](Work& work) { work.compulsory /= 2; }), before) << "cached";
  EXPECT_LT(with([](Work& work) { work.footprint = 1e5; }), before) << "it stays in the cache";
  EXPECT_GT(with([](Work& work) { work.edge = 1, work.edge_selects = 10; }), before);
  EXPECT_EQ(with([](Work& work) { work.edge_selects = 10; }), before) << "no block is at the edge";
}

TEST(Predict, LoadLatencyCountsIfNothingHidesIt) {
  Work work = usual();
  work.blocks = 132;
  work.iteration = {.single = 4, .loads = 1};
  double last = 0;
  for (const double ahead : {3.0, 2.0, 1.0, 0.0}) {
    work.ahead = ahead;
    const double now = seconds(work);
    EXPECT_GT(now, last) << ahead;
    last = now;
  }
  EXPECT_EQ(of(work).limit, Limit::Latency);
}

TEST(Predict, BlocksComeInWaves) {
  Work work = usual();
  const Prediction sixteen = of(work);
  EXPECT_EQ(sixteen.blocks_per_multiprocessor, 12);
  EXPECT_DOUBLE_EQ(sixteen.waves, 16);
  EXPECT_DOUBLE_EQ(sixteen.blocks, work.blocks);
  EXPECT_DOUBLE_EQ(sixteen.occupancy, 12 * 128 / 2048.0);
  EXPECT_NEAR(sixteen.of(Limit::Tail), 0, 1e-12);
  const double launch = gpu().launch_seconds;
  work.blocks *= 2;
  EXPECT_NEAR(seconds(work) - launch, 2 * (sixteen.seconds - launch), 1e-9 * sixteen.seconds);

  // One block more than a wave causes a second wave. With many waves this hardly matters.
  work.blocks = 132 * 12;
  const Prediction one = of(work);
  work.blocks += 1;
  const Prediction more = of(work);
  EXPECT_GT(more.seconds, 1.05 * one.seconds);
  EXPECT_GT(more.of(Limit::Tail), 0);
  EXPECT_NEAR(more.seconds - launch,
              one.seconds - launch + more.of(Limit::Tail) + (one.seconds - launch) / (132 * 12),
              1e-3 * one.seconds);
  work.blocks = 132 * 12 * 16 + 1;
  EXPECT_LT(seconds(work), 1.01 * sixteen.seconds);
  // A partial first wave is not a tail: the machine is short of blocks.
  work.blocks = 132;
  EXPECT_EQ(of(work).of(Limit::Tail), 0);
  EXPECT_LT(seconds(work), one.seconds);
}

TEST(Predict, CostsOfLaunchesAndKernelsAddUp) {
  Work work = usual();
  const double once = seconds(work);
  work.launches = 3;
  EXPECT_NEAR(seconds(work), 3 * once, 1e-9 * once);
  EXPECT_NEAR(of(work).of(Limit::Launch), 3 * gpu().launch_seconds, 1e-15);
  work.launches = 1;
  const Prediction two = predict({1, 1e6, {work, work}}, gpu());
  EXPECT_NEAR(two.seconds, 2 * once, 1e-9 * once);
  EXPECT_NEAR(two.of(Limit::Launch), 2 * gpu().launch_seconds, 1e-15);
  // Seconds are per step of the whole grid.
  const Prediction four = predict({4, 1e6, {work, work}}, gpu());
  EXPECT_NEAR(four.seconds, once / 2, 1e-9 * once);
  EXPECT_NEAR(four.of(Limit::Launch), gpu().launch_seconds / 2, 1e-15);
  EXPECT_NEAR(four.points_per_second, 1e6 / four.seconds, 1e-3 * four.points_per_second);
}

// The prediction describes the slowest kernel, but reports a spill in any kernel.
TEST(Predict, TheSlowestKernelIsDescribed) {
  Work large = usual(), small = usual();
  large.iterations *= 4;
  small.registers = 400;
  small.blocks = 7;
  for (const TileWork& tile :
       {TileWork{1, 1e6, {large, small}}, TileWork{1, 1e6, {small, large}}}) {
    const Prediction both = predict(tile, gpu());
    EXPECT_EQ(both.blocks, large.blocks);
    EXPECT_EQ(both.registers, 40);
    EXPECT_EQ(both.wanted, 40);
    EXPECT_TRUE(both.spills);
  }
}

TEST(Predict, NamesTheLargestTerm) {
  struct Case {
    Limit limit;
    std::function<void(Work&)> change;
  };
  const Case cases[] = {
      {Limit::Memory, [](Work& work) { work.bytes = 1 << 20; }},
      {Limit::Cache, [](Work& work) { work.bytes = 1 << 20, work.compulsory = 0.01; }},
      {Limit::Instructions, [](Work& work) { work.iteration.single = 4000; }},
      {Limit::Latency, [](Work& work) { work.blocks = 1, work.iteration.single = 200; }},
      {Limit::Launch, [](Work& work) { work.blocks = 1, work.iterations = 2; }},
      {Limit::Tail,
       // A second wave of one block; all other terms are small.
       [](Work& work) {
         work.threads = 1024, work.registers = 64, work.blocks = 133, work.barriers = 2;
         work.iteration = {.single = 45}, work.bytes = 31800, work.compulsory = 0.23;
         work.iterations = 1000;
       }},
  };
  for (const Case& each : cases) {
    Work work = usual();
    each.change(work);
    const Prediction prediction = of(work);
    SCOPED_TRACE(name(each.limit));
    EXPECT_EQ(name(prediction.limit), std::string(name(each.limit)));
    double next = 0;
    for (size_t i = 0; i < kLimits; ++i) {
      const double term = prediction.alone[i];
      EXPECT_LE(term, prediction.of(prediction.limit)) << i;
      if (static_cast<Limit>(i) != prediction.limit) next = std::max(next, term);
    }
    EXPECT_DOUBLE_EQ(prediction.headroom, prediction.of(prediction.limit) / next);
    EXPECT_GE(prediction.headroom, 1);
    // Terms overlap. The total exceeds each of them, and is at most their sum if every
    // multiprocessor has a block.
    double sum = 0;
    for (const double term : prediction.alone) sum += term;
    EXPECT_GE(prediction.seconds, prediction.of(prediction.limit));
    if (work.blocks >= gpu().multiprocessors) {
      EXPECT_LE(prediction.seconds, 1.0001 * sum);
    }
  }
}

TEST(Predict, ThreadsWithTooFewRegistersSpill) {
  // A block of 1024 threads limits each thread to 64 registers.
  Work work = usual();
  work.threads = 1024;
  work.blocks = 132 * 64;
  work.registers = 60;
  EXPECT_FALSE(of(work).spills);
  EXPECT_EQ(of(work).registers, 60);
  work.registers = 100;
  EXPECT_TRUE(of(work).spills);
  EXPECT_EQ(of(work).registers, 64);
  EXPECT_EQ(of(work).wanted, 100);
  const double spilling = seconds(work);
  work.threads = 512;
  work.blocks *= 2;
  EXPECT_FALSE(of(work).spills) << "leaves 128 per thread";
  EXPECT_LT(seconds(work), spilling);
  // Four blocks of 512 threads leave 32 registers per thread.
  work.promised = 4;
  EXPECT_TRUE(of(work).spills);
  EXPECT_EQ(of(work).registers, 32);
  // A thread has at most 255 registers.
  work.promised = 0;
  work.threads = 32;
  work.registers = 250;
  EXPECT_FALSE(of(work).spills);
  work.registers = 400;
  EXPECT_TRUE(of(work).spills);
  EXPECT_EQ(of(work).registers, 255);
}

// Under a tighter launch bound the compiler still saves a few registers. At the
// hardware limit it already has.
TEST(Predict, LaunchBoundsSaveSomeRegistersBeforeSpilling) {
  Work work = usual();
  work.blocks = 132 * 64;
  work.threads = 512;  // 128 registers
  work.registers = 1.15 * 128;
  EXPECT_FALSE(of(work).spills);
  work.threads = 32;
  work.registers = 1.15 * 255;
  EXPECT_TRUE(of(work).spills);
  // Each missing register costs time, the first ones little.
  work.registers = 1.02 * 255;
  EXPECT_FALSE(of(work).spills);
  const double softly = seconds(work);
  work.registers = 0.9 * 255;
  EXPECT_LT(seconds(work), softly);
  EXPECT_NEAR(seconds(work), with([](Work& other) {
                other.blocks = 132 * 64, other.threads = 32, other.registers = 0.89 * 255;
              }),
              0.02 * softly);
}

// With many waves the mean over blocks counts. With one wave, the multiprocessor
// with the most edge blocks decides.
TEST(Predict, OneWaveTakesAsLongAsItsEdgeBlocks) {
  const auto slower = [](double blocks, int threads) {
    const auto change = [&](Work& work) {
      work.blocks = blocks, work.threads = threads, work.registers = 255;
    };
    return with([&](Work& work) { change(work), work.edge = 0.1, work.edge_selects = 60; }) /
           with(change);
  };
  const double many = slower(132 * 64, 256), one = slower(132, 256), shared = slower(132 * 8, 32);
  EXPECT_GT(many, 1.005);
  EXPECT_GT(one, 1 + 3 * (many - 1)) << "one block per multiprocessor, at the edge or not";
  EXPECT_GT(shared, many);
  EXPECT_LT(shared, one) << "eight blocks, some at the edge";
}

// A single warp waits for each call; many warps hide the latency.
TEST(Predict, CallLatencyCountsForFewWarps) {
  const auto longer = [](double blocks) {
    const auto change = [&](Work& work) { work.blocks = blocks, work.threads = 32; };
    return with([&](Work& work) { change(work), work.iteration.real_calls = 4; }) / with(change);
  };
  EXPECT_GT(longer(132), longer(132 * 32));
}

// Several points per thread hide latency.
TEST(Predict, SeveralPointsPerThreadHideLatency) {
  const auto of_points = [](double points) {
    return with([&](Work& work) {
      work.blocks = 132, work.threads = 32, work.points = points, work.iteration.single = 900;
    });
  };
  EXPECT_LT(of_points(8), of_points(1));
}

TEST(Predict, DoublesCostTheRateOfTheMachine) {
  Machine machine = gpu();
  const auto doubles = [](Work& work) { work.iteration = {.real = 100}; };
  const double cheap = with(doubles, machine);
  EXPECT_GT(cheap, with([](Work& work) { work.iteration = {.single = 100}; }, machine));
  EXPECT_DOUBLE_EQ(instructions({.single = 7}, machine), 7);
  const double dear_before = instructions({.real = 10}, machine);
  const double called = instructions({.real_calls = 1}, machine);
  const double multiplied = instructions({.real_multiplied = 1}, machine);
  machine.double_cost *= 32;
  EXPECT_GT(with(doubles, machine), 10 * cheap);
  EXPECT_DOUBLE_EQ(instructions({.real = 10}, machine), 32 * dear_before);
  EXPECT_DOUBLE_EQ(instructions({.real_calls = 1}, machine), 32 * called);
  EXPECT_DOUBLE_EQ(instructions({.real_multiplied = 1}, machine), 32 * multiplied);
  EXPECT_DOUBLE_EQ(instructions({.single = 7}, machine), 7);
}

TEST(Predict, OccupancyIsTheMinimumOverAllLimits) {
  const auto blocks_of = [](int threads, double registers, int64_t shared,
                            const Machine& machine = gpu()) {
    Work work = usual();
    work.threads = threads;
    work.registers = registers;
    work.shared_bytes = shared;
    return of(work, machine).blocks_per_multiprocessor;
  };
  // Registers: 65536, allocated in units of 8 per thread.
  EXPECT_EQ(blocks_of(256, 64, 0), 4);
  EXPECT_EQ(blocks_of(256, 65, 0), 3);  // 72: 7 warps for each of four schedulers
  EXPECT_EQ(blocks_of(256, 128, 0), 2);
  // Shared memory: 228 KiB, of which the system reserves 1 KiB per block.
  EXPECT_EQ(blocks_of(64, 16, (57 << 10) - (1 << 10)), 4);
  EXPECT_EQ(blocks_of(64, 16, (57 << 10) - (1 << 10) + 1), 3);
  EXPECT_EQ(blocks_of(64, 16, 227 << 10), 1);
  // Threads: 2048, in whole warps.
  EXPECT_EQ(blocks_of(512, 16, 0), 4);
  EXPECT_EQ(blocks_of(513, 16, 0), 3);
  EXPECT_EQ(blocks_of(100, 16, 0), 16);
  // Blocks: 32.
  EXPECT_EQ(blocks_of(32, 16, 0), 32);
  // At least one, whatever is requested.
  EXPECT_EQ(blocks_of(1024, 64, 500 << 10), 1);

  Machine small = gpu();
  small.threads_per_multiprocessor = 1024;
  EXPECT_EQ(blocks_of(512, 16, 0, small), 2);
  small.blocks_per_multiprocessor = 1;
  EXPECT_EQ(blocks_of(32, 16, 0, small), 1);
}

TEST(Predict, FasterMachinesAreFaster) {
  for (double Machine::*const rate :
       {&Machine::clock, &Machine::bytes_per_second, &Machine::cache_bytes_per_second}) {
    Machine machine = gpu();
    machine.*rate *= 2;
    EXPECT_LT(seconds(usual(), machine), seconds(usual()));
  }
  Machine machine = gpu();
  machine.launch_seconds *= 2;
  EXPECT_NEAR(seconds(usual(), machine) - seconds(usual()), gpu().launch_seconds, 1e-12);
  for (const Machine& each : machine_table()) {
    const Prediction prediction = of(usual(), each);
    EXPECT_GT(prediction.seconds, 0) << each.name;
    EXPECT_LT(prediction.seconds, 1) << each.name;
  }
}

TEST(Predict, PrefetchDistanceHidesLatency) {
  const auto streamed = [](double ahead, double barriers, double awaited) {
    return with([=](Work& w) {
      w.iterations = 100, w.ahead = ahead, w.barriers = barriers, w.awaited = awaited;
    });
  };
  EXPECT_LT(streamed(3, 0, 0), streamed(2, 0, 0));
  EXPECT_LT(streamed(4, 0, 0), streamed(3, 0, 0));
  EXPECT_EQ(streamed(4, 1, 0), streamed(3, 1, 0)) << "all threads of the block wait";
  EXPECT_EQ(streamed(4, 0, 1), streamed(3, 0, 1)) << "loaded values are moved and awaited";
}

TEST(Predict, ConflictsAndAwaitedLoadsCost) {
  const double usually = with([](Work&) {});
  EXPECT_GT(with([](Work& w) { w.iteration.conflicts += 100; }), usually);
  const auto moved = [](double times) {
    return [times](Work& w) { w.blocks = 132, w.iterations = 100, w.ahead = 2, w.awaited = times; };
  };
  EXPECT_GT(with(moved(1)), with(moved(0.5)));
  EXPECT_GT(with(moved(0.5)), with(moved(0)));
}

TEST(Predict, CpuCoresRunBlocksOneAfterAnother) {
  Machine machine = cpu();
  Work work = usual();
  work.blocks = 16 * 100;  // cores
  work.footprint = 1e3;    // all cores share memory bandwidth
  const Prediction before = of(work, machine);
  EXPECT_EQ(before.blocks_per_multiprocessor, 1);
  EXPECT_FALSE(before.spills);
  EXPECT_DOUBLE_EQ(before.waves, 100);
  EXPECT_DOUBLE_EQ(before.occupancy, 1);
  EXPECT_EQ(before.of(Limit::Tail), 0);
  EXPECT_EQ(before.of(Limit::Latency), 0);
  work.blocks *= 2;
  EXPECT_NEAR(seconds(work, machine) - machine.launch_seconds,
              2 * (before.seconds - machine.launch_seconds), 1e-9 * before.seconds);
  // Seventeen blocks keep sixteen cores busy for two rounds.
  work.blocks = 16;
  const double round = seconds(work, machine) - machine.launch_seconds;
  work.blocks = 17;
  const Prediction uneven = of(work, machine);
  EXPECT_NEAR(uneven.seconds - machine.launch_seconds, 2 * round, 1e-9 * round);
  EXPECT_NEAR(uneven.of(Limit::Tail), 2 * round * 15 / 32, 1e-9 * round);

  const double usually = with([](Work&) {}, machine);
  const auto far = [](double held) {
    return [held](Work& w) { w.held_bytes = held, w.planes_read = 100; };
  };
  EXPECT_GT(with(far(1e5), machine), with(far(1e3), machine)) << "from the L2 cache";
  EXPECT_GT(with(far(1e8), machine), 1.1 * with(far(3e5), machine)) << "from memory";
  EXPECT_LT(with([](Work& w) { w.inside = 0.5; }, machine), usually);
  EXPECT_GT(with([](Work& w) { w.iteration.single += 10; }, machine), usually);
  EXPECT_GT(with([](Work& w) { w.iteration.real += 10; }, machine),
            with([](Work& w) { w.iteration.single += 10; }, machine));
  EXPECT_GT(with([](Work& w) { w.iteration.calls += 1; }, machine), usually);
  EXPECT_GT(with([](Work& w) { w.iteration.loads += 10; }, machine), usually);
  EXPECT_GT(with([](Work& w) { w.bytes *= 2; }, machine), usually);
  EXPECT_GT(with([](Work& w) { w.row = 8; }, machine), usually) << "short rows";
  EXPECT_GT(with([](Work& w) { w.stages = 2; }, machine), usually);
  EXPECT_LT(with([](Work& w) { w.footprint = 1e5; }, machine), usually);
  EXPECT_EQ(with([](Work& w) { w.registers = 400; }, machine), usually);
  const auto memory = [](Work& w) { w.bytes = 1 << 20; };
  Work asks = usual();
  memory(asks);
  EXPECT_EQ(of(asks, machine).limit, Limit::Memory);
}

// Machine code that takes as many issue slots as the model counts. Tests add instructions of some
// class.
Issued as_counted(const Work& work) {
  Issued issued;
  issued.all = 1;
  issued.all = counted_slots(work, gpu()) / issued_slots(issued, gpu());
  return issued;
}

TEST(Predict, MachineCodeReplacesTheIssueCount) {
  Work work = usual();
  work.iteration.single = 400;  // limited by instruction issue
  const double before = seconds(work);
  ASSERT_EQ(of(work).limit, Limit::Instructions);
  work.issued = as_counted(work);
  EXPECT_NEAR(seconds(work), before, 1e-9 * before) << "it is as expected";
  work.issued->all *= 2;
  const double twice = seconds(work);
  EXPECT_GT(twice, 1.3 * before);
  EXPECT_LT(twice, 2 * before) << "counted work contributes";
  work.issued->all /= 4;
  EXPECT_LT(seconds(work), 0.8 * before);

  // A single block waits for its instructions.
  Work alone = usual();
  alone.blocks = 132;
  alone.iteration.single = 800;
  alone.issued = as_counted(alone);
  ASSERT_EQ(of(alone).limit, Limit::Latency);
  const double waits = of(alone).of(Limit::Latency);
  alone.issued->all *= 2;
  EXPECT_GT(of(alone).of(Limit::Latency), 1.3 * waits);

  // The memory time does not change.
  Work moves = usual();
  moves.bytes = 1 << 18;
  moves.issued = as_counted(moves);
  ASSERT_EQ(of(moves).limit, Limit::Memory);
  const Prediction usually = of(moves);
  moves.issued->all *= 1.3;
  EXPECT_EQ(of(moves).of(Limit::Memory), usually.of(Limit::Memory));
  EXPECT_LT(of(moves).seconds, 1.01 * usually.seconds);
}

TEST(Predict, SomeClassesOfMachineCodeCostMore) {
  Issued issued;
  issued.all = 100;
  const double plain = issued_slots(issued, gpu());
  double Issued::*const dearer[] = {&Issued::global, &Issued::shared, &Issued::local,
                                    &Issued::shuffles, &Issued::branches};
  for (double Issued::*const one : dearer) {
    Issued other = issued;
    other.*one = 10;
    EXPECT_GT(issued_slots(other, gpu()), plain);
  }
  Issued doubles = issued;
  doubles.doubles = 10;
  EXPECT_EQ(issued_slots(doubles, gpu()), plain) << "half as many units";
  EXPECT_GT(issued_slots(doubles, *find_machine("sm_120")), 2 * plain) << "a 64th";
}

// Machine code includes spill instructions, and a separate version for edge blocks.
TEST(Predict, MachineCodeCoversSpillsAndEdgeVersions) {
  Work work = usual();
  work.registers = 300;
  work.issued = as_counted(work);
  const double spills = seconds(work);
  work.issued.reset();
  EXPECT_GT(seconds(work), 1.05 * spills);

  Work split = usual();
  split.iteration.single = 400;
  split.edge_selects = 20;
  split.issued = as_counted(split);
  split.edge_issued = split.issued;
  split.edge_issued->all *= 3;
  const double inside = seconds(split);
  split.edge = 0.5;
  const double half = seconds(split);
  split.edge = 1;
  EXPECT_GT(half, 1.2 * inside);
  EXPECT_GT(seconds(split), 1.2 * half);
  EXPECT_GT(counted_slots(split, gpu(), true), counted_slots(split, gpu()));
  split.edge_issued.reset();
  EXPECT_LT(seconds(split), 1.3 * inside) << "the other version represents it";
}

}  // namespace
}  // namespace stencil::schedule
