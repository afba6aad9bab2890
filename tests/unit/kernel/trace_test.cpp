// Traces of kernels that are small enough to count by hand, executed as on a GPU.
#include "compiler/kernel/trace.h"

#include <gtest/gtest.h>

namespace stencil::kernel {
namespace {

class Traced : public testing::Test {
 protected:
  // Buffers of the kernel: global F64 (two) and F32, shared F64 and F32; integers per thread, per
  // block and shared; a double per thread.
  static constexpr BufferId kReal = 0, kOut = 1, kSingle = 2, kShared = 3, kSharedSingle = 4,
                            kOwn = 5, kBlock = 6, kFlags = 7, kKept = 8;

  Traced() {
    kernel_.name = "k";
    kernel_.threads = {64};
    const auto global = [](const char* name, Scalar type) {
      return Buffer{name, type, Space::Global, {integer(16), integer(128)}, false, false, ""};
    };
    const auto local = [](const char* name, Scalar type, Space space, int extent) {
      return Buffer{name, type, space, {integer(extent)}, false, false, ""};
    };
    kernel_.buffers = {global("real", Scalar::F64),
                       global("out", Scalar::F64),
                       global("single", Scalar::F32),
                       local("shared", Scalar::F64, Space::Shared, 4096),
                       local("shared_single", Scalar::F32, Space::Shared, 4096),
                       local("own", Scalar::I32, Space::Thread, 4),
                       local("block_value", Scalar::I32, Space::Block, 1),
                       local("flags", Scalar::I32, Space::Shared, 64),
                       local("kept", Scalar::F64, Space::Thread, 8)};
  }

  static Expr thread() { return variable("thread_x"); }
  static Expr op(Op op, std::vector<Expr> operands) { return operation(op, std::move(operands)); }
  static Expr real_at(const Expr& x) { return load(kReal, {integer(0), x}, Scalar::F64); }
  static Statement threads(Body body) { return {Threads{std::move(body)}}; }
  static Statement keep(const Expr& value, int place = 0) {
    return {Store{kKept, {integer(place)}, value}};
  }
  static Statement set(BufferId buffer, const Expr& index, const Expr& value) {
    return {Store{buffer, {index}, value}};
  }
  static Statement out(const Expr& x) {
    return {Store{kOut, {integer(0), x}, real(0, Scalar::F64)}};
  }
  static Statement when(const Expr& condition, Body then, Body otherwise = {}) {
    return {If{condition, std::move(then), std::move(otherwise)}};
  }

  Module module_of(Body body, int64_t blocks = 1) {
    kernel_.body = std::move(body);
    Module module;
    module.kernels = {kernel_};
    module.plan.actions = {Launch{0, {}, {}, integer(blocks, Scalar::I64)}};
    module.plan.points = integer(100, Scalar::I64);
    return module;
  }
  TracedKernel trace_of(Body body, int64_t blocks = 1, int64_t most_work = 0) {
    std::string problem;
    const auto trace =
        kernel::trace(module_of(std::move(body), blocks), {.most_work = most_work}, problem);
    EXPECT_TRUE(trace) << problem;
    return trace ? trace->total() : TracedKernel{};
  }
  Counters counts_of(Body body) { return trace_of(std::move(body)).counts; }

  Kernel kernel_;
};

TEST_F(Traced, CountsSectorsAndLinesOfWarps) {
  const auto touched = [&](const Expr& x) {
    const Counters c = counts_of({threads({keep(real_at(x))})});
    EXPECT_EQ(c.load_requests, 2);
    EXPECT_EQ(c.global_loads, 64);
    EXPECT_EQ(c.loads64, 64);
    EXPECT_EQ(c.load_bytes, 512);
    return std::pair(c.load_sectors, c.load_lines);
  };
  EXPECT_EQ(touched(thread()), std::pair(int64_t{16}, int64_t{4}));
  EXPECT_EQ(touched(add(thread(), integer(1))), std::pair(int64_t{18}, int64_t{6}));
  EXPECT_EQ(touched(mul(thread(), integer(4))), std::pair(int64_t{64}, int64_t{16}));
  EXPECT_EQ(touched(sub(integer(63), thread())), std::pair(int64_t{16}, int64_t{4}));
  EXPECT_EQ(touched(integer(5)), std::pair(int64_t{2}, int64_t{2}));
  const Counters stores = counts_of(
      {threads({out(thread()), {Store{kSingle, {integer(1), thread()}, real(0, Scalar::F32)}}})});
  EXPECT_EQ(stores.stores64, 64);
  EXPECT_EQ(stores.stores32, 64);
  EXPECT_EQ(stores.global_stores, 128);
  EXPECT_EQ(stores.store_bytes, 768);
  EXPECT_EQ(stores.store_requests, 4);
  EXPECT_EQ(stores.store_sectors, 16 + 8);
  EXPECT_EQ(stores.store_lines, 4 + 2);
  EXPECT_EQ(stores.global_loads, 0);
}

TEST_F(Traced, BankConflicts) {
  kernel_.threads = {32};
  const auto loads = [&](BufferId buffer, const Expr& x) {
    const Scalar type = kernel_.buffers[buffer].type;
    const Expr value = convert(load(buffer, {x}, type), Scalar::F64);
    return counts_of({threads({keep(value)})}).shared_load_wavefronts;
  };
  EXPECT_EQ(loads(kSharedSingle, thread()), 1);
  EXPECT_EQ(loads(kSharedSingle, integer(7)), 1);
  EXPECT_EQ(loads(kSharedSingle, mul(thread(), integer(2))), 2);
  EXPECT_EQ(loads(kSharedSingle, mul(thread(), integer(33))), 1);
  EXPECT_EQ(loads(kSharedSingle, mul(thread(), integer(32))), 32);
  EXPECT_EQ(loads(kShared, thread()), 2);
  EXPECT_EQ(loads(kShared, integer(7)), 1);
  EXPECT_EQ(loads(kShared, op(Op::Div, {thread(), integer(2)})), 1);
  EXPECT_EQ(loads(kShared, mul(thread(), integer(2))), 4);
  EXPECT_EQ(loads(kShared, mul(thread(), integer(16))), 32);
  // Each half of the warp accesses half of the banks twice, although the warp as a
  // whole covers all banks evenly.
  const Expr half = op(Op::Div, {thread(), integer(16)});
  EXPECT_EQ(loads(kShared, add(mul(thread(), integer(2)), half)), 4);
  const Counters stores = counts_of({threads(
      {set(kShared, mul(thread(), integer(2)), real(0, Scalar::F64)),
       when(less(thread(), integer(16)), {set(kShared, thread(), real(0, Scalar::F64))})})});
  EXPECT_EQ(stores.shared_store_wavefronts, 4 + 1);
  EXPECT_EQ(stores.shared_stores, 32 + 16);
}

TEST_F(Traced, BranchesAndDivergence) {
  const Counters split = counts_of(
      {threads({when(less(thread(), integer(16)), {out(thread())}, {keep(real_at(thread()))})})});
  EXPECT_EQ(split.branches, 2);
  EXPECT_EQ(split.divergent_branches, 1);
  EXPECT_EQ(split.global_stores, 16);
  EXPECT_EQ(split.store_requests, 1);
  EXPECT_EQ(split.global_loads, 48);
  EXPECT_EQ(split.load_requests, 2);
  const Counters by_warp =
      counts_of({threads({when(less(thread(), integer(32)), {out(thread())})})});
  EXPECT_EQ(by_warp.branches, 2);
  EXPECT_EQ(by_warp.divergent_branches, 0);
  EXPECT_EQ(by_warp.global_stores, 32);
}

TEST_F(Traced, CompileTimeOperationsAreNotCounted) {
  const auto loop = [&](LoopKind kind) {
    const Expr even = op(Op::Eq, {op(Op::Mod, {variable("i"), integer(2)}), integer(0)});
    return counts_of({threads({{For{kind,
                                    "i",
                                    integer(0),
                                    integer(4),
                                    1,
                                    {when(even, {out(add(thread(), variable("i")))})}}}})});
  };
  const Counters unrolled = loop(LoopKind::Unrolled), serial = loop(LoopKind::Serial);
  EXPECT_EQ(unrolled.global_stores, 128);
  EXPECT_EQ(unrolled.branches, 0);
  EXPECT_EQ(unrolled.operations, 2 * 64 * 2);  // the addition and the store
  EXPECT_EQ(serial.global_stores, 128);
  EXPECT_EQ(serial.branches, 2 * (5 + 4));
  EXPECT_EQ(serial.divergent_branches, 0);
}

// Threads 0 to 7 take two iterations, the others one.
TEST_F(Traced, CountsDivergentLoopExits) {
  kernel_.threads = {32};
  const Counters c = counts_of(
      {threads({{For{LoopKind::Serial, "i", thread(), integer(40), 32, {out(variable("i"))}}}})});
  EXPECT_EQ(c.global_stores, 40);
  EXPECT_EQ(c.store_requests, 2);
  EXPECT_EQ(c.store_sectors, 8 + 2);
  EXPECT_EQ(c.branches, 3);
  EXPECT_EQ(c.divergent_branches, 1);
}

TEST_F(Traced, ArmsOfSelectsAreTakenByThread) {
  const Expr few = less(thread(), integer(8));
  const Expr other = load(kOut, {integer(0), thread()}, Scalar::F64);
  const Counters two =
      counts_of({threads({keep(op(Op::Select, {few, real_at(thread()), other}))})});
  EXPECT_EQ(two.global_loads, 64);
  EXPECT_EQ(two.load_requests, 3);
  EXPECT_EQ(two.branches, 0);
  // A load that both arms contain is done once.
  const Expr same = real_at(thread());
  const Counters one =
      counts_of({threads({keep(op(Op::Select, {few, add(same, real(1, Scalar::F64)), same}))})});
  EXPECT_EQ(one.global_loads, 64);
  EXPECT_EQ(one.flops, 8);
}

TEST_F(Traced, EqualExpressionsOfOneStatementCountOnce) {
  const Expr square = mul(real_at(thread()), real_at(thread()));
  const Counters c = counts_of({threads({keep(square), keep(square)})});
  EXPECT_EQ(c.global_loads, 2 * 64);
  EXPECT_EQ(c.flops, 2 * 64);
  EXPECT_EQ(c.real.multiply, 2 * 64);
}

TEST_F(Traced, FlopsByClass) {
  const Expr x = real_at(thread());
  const Counters c =
      counts_of({threads({keep(op(Op::Fma, {x, x, x})), keep(op(Op::Div, {x, op(Op::Sqrt, {x})})),
                          keep(op(Op::Max, {x, real(0, Scalar::F64)}))})});
  EXPECT_EQ(c.real.fma, 64);
  EXPECT_EQ(c.real.divide, 64);
  EXPECT_EQ(c.real.root, 64);
  EXPECT_EQ(c.real.simple, 64);
  EXPECT_EQ(c.flops, 64 * (2 + 1 + 1));
}

// Three buffers: a bit per thread, set in one section and tested in another; flags in shared memory
// that other threads read; and a flag of the block.
TEST_F(Traced, BuffersKeepIntegers) {
  const Expr own = load(kOwn, {integer(1)}, Scalar::I32);
  const Expr bit = op(Op::Shl, {integer(1), op(Op::Mod, {thread(), integer(4)})});
  const Expr third = op(Op::BitAnd, {op(Op::Shr, {own, integer(2)}), integer(1)});
  const Expr other = load(kFlags, {sub(integer(63), thread())}, Scalar::I32);
  const Counters c =
      counts_of({set(kBlock, integer(0), integer(3)),
                 threads({set(kOwn, integer(1), bit), set(kFlags, thread(), thread())}),
                 {Barrier{}},
                 threads({when(op(Op::Ne, {third, integer(0)}), {out(thread())}),
                          when(less(other, integer(10)), {keep(real_at(thread()))}),
                          when(less(load(kBlock, {integer(0)}, Scalar::I32), integer(3)),
                               {out(thread()), out(thread())})})});
  EXPECT_EQ(c.global_stores, 16);
  EXPECT_EQ(c.global_loads, 10);
  EXPECT_EQ(c.load_requests, 1);
  EXPECT_EQ(c.barriers, 1);
}

TEST_F(Traced, ConditionsOnDataTakeBothSides) {
  const Expr negative = less(real_at(thread()), real(0, Scalar::F64));
  const Expr both = op(Op::And, {less(thread(), integer(8)), negative});
  const TracedKernel traced =
      trace_of({threads({when(both, {out(thread())}, {out(add(thread(), integer(1)))})})});
  EXPECT_TRUE(traced.data_dependent);
  EXPECT_EQ(traced.counts.global_loads, 8);  // only where the left side of `and` holds
  EXPECT_EQ(traced.counts.global_stores, 8 + 64);
  // A value stored under a condition on data is unknown afterwards.
  const Expr own = load(kOwn, {integer(0)}, Scalar::I32);
  const TracedKernel stored = trace_of({threads(
      {set(kOwn, integer(0), integer(1)), when(negative, {set(kOwn, integer(0), integer(0))}),
       when(op(Op::Eq, {own, integer(0)}), {out(thread())}, {out(thread())})})});
  EXPECT_EQ(stored.counts.global_stores, 128);
  EXPECT_FALSE(
      trace_of(
          {threads({keep(op(Op::Select, {negative, real(1, Scalar::F64), real(2, Scalar::F64)}))})})
          .data_dependent);
}

TEST_F(Traced, CopiesMoveVectors) {
  const Expr four = mul(thread(), integer(4));
  const auto copy = [&](BufferId to, std::vector<Expr> index, int count, bool async) {
    return Statement{Copy{to, std::move(index), kReal, {thread(), integer(0)}, count, async}};
  };
  kernel_.threads = {16};
  const Counters two = counts_of({threads({copy(kKept, {integer(0)}, 2, false)})});
  EXPECT_EQ(two.loads64, 32);
  EXPECT_EQ(two.load_requests, 1);
  EXPECT_EQ(two.load_sectors, 16);
  EXPECT_EQ(two.operations, 16);
  const Counters async = counts_of({threads({copy(kShared, {four}, 4, true)})});
  EXPECT_EQ(async.loads64, 64);
  EXPECT_EQ(async.load_bytes, 512);
  EXPECT_EQ(async.load_requests, 2);
  EXPECT_EQ(async.load_sectors, 32);
  EXPECT_EQ(async.shared_stores, 64);
  // Eight threads at a time, each with 16 of every 32 bytes: two threads access each bank.
  EXPECT_EQ(async.shared_store_wavefronts, 2 * 2 * 2);
  EXPECT_EQ(async.operations, 16 + 2 * 16);  // the index and the copies
}

// A box of 4 x 8 points, of which 3 rows and 6 columns lie within the array.
TEST_F(Traced, BulkCopiesReadOnlyPointsOfTheArray) {
  kernel_.bulk_sources = {{"source", kReal, {4, 8}}};
  kernel_.bulk_batches = 1;
  const Counters c = counts_of(
      {{BulkCopies{integer(0), {{0, {integer(-1), integer(122)}, kShared, {integer(0)}}}}},
       {AwaitBulk{integer(0)}}});
  EXPECT_EQ(c.loads64, 18);
  EXPECT_EQ(c.load_bytes, 144);
  EXPECT_EQ(c.load_requests, 1);
  EXPECT_EQ(c.load_sectors, 3 * 2);
  EXPECT_EQ(c.load_lines, 3);
  EXPECT_EQ(c.shared_stores, 32);
  EXPECT_EQ(c.shared_store_wavefronts, 2);
  EXPECT_EQ(c.barriers, 1);
}

// Shuffles two integers and two doubles per thread, then compares the second integer.
TEST_F(Traced, ShufflesMoveIntegers) {
  kernel_.threads = {32, 2};
  const Expr n = variable("n"), second = add(n, integer(2));
  const Statement shuffle{
      Shuffle{"n", 2, {{kOwn, {second}, kOwn, {n}, -1}, {kKept, {second}, kKept, {n}, 1}}}};
  const Expr moved = load(kOwn, {integer(3)}, Scalar::I32);
  const Counters c =
      counts_of({threads({set(kOwn, integer(0), integer(99)), set(kOwn, integer(1), thread())}),
                 shuffle, threads({when(less(moved, thread()), {out(thread())})})});
  EXPECT_EQ(c.shuffles, 2 * 2 * (1 + 2));
  EXPECT_EQ(c.global_stores, 2 * 31);  // the first thread of each row keeps its value
}

TEST_F(Traced, SamplesAreScaled) {
  const Expr mine = less(variable("block", Scalar::I64), integer(500, Scalar::I64));
  const Body body = {threads({out(thread()), when(mine, {keep(real_at(thread()))})})};
  const TracedKernel all = trace_of(body, 1000), some = trace_of(body, 1000, 1);
  EXPECT_FALSE(all.sampled);
  EXPECT_EQ(all.counts.global_stores, 64000);
  EXPECT_EQ(all.counts.global_loads, 32000);
  EXPECT_TRUE(some.sampled);
  EXPECT_EQ(some.blocks, 1000);
  EXPECT_EQ(some.counts.global_stores, 64000);
  EXPECT_EQ(some.counts.global_loads, 32000);  // half of 32 blocks
  EXPECT_FALSE(trace_of(body, 32, 1).sampled);
  EXPECT_FALSE(trace_of(body, 1000, 1 << 20).sampled);
}

TEST_F(Traced, LaunchesOfATile) {
  Module module = module_of({threads({out(thread())})}, 3);
  module.kernels.push_back(kernel_);
  Plan& plan = module.plan;
  plan.time_tile = 4;
  const Launch other{1, {}, {}, integer(2, Scalar::I64)};
  Launch never = other;
  never.steps = 3;
  plan.actions = {plan.actions[0], Rotate{0}, never, Repeat{{2, {}, {other}}, 5}};
  plan.reductions = {{"r", Scalar::F64, 8, {other}}};
  std::string problem;
  const auto trace = kernel::trace(module, {}, problem);
  ASSERT_TRUE(trace) << problem;
  EXPECT_EQ(trace->steps, 4);
  EXPECT_EQ(trace->points, 100);
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].blocks, 3);
  EXPECT_EQ(trace->kernels[1].launches, 3);  // tiles of 2, 2 and 1 iterations
  EXPECT_EQ(trace->kernels[1].blocks, 6);
  EXPECT_EQ(trace->total().counts.global_stores, 9 * 64);
  ASSERT_EQ(trace->reductions.size(), 1u);
  EXPECT_EQ(trace->reductions[0].counts.global_stores, 2 * 64);
}

// 3 x 2 iterations of the inner repeat, in tiles of 4 and 1, between two launches of the outer one.
TEST_F(Traced, LaunchesOfNestedRepeats) {
  Module module = module_of({threads({out(thread())})}, 3);
  module.kernels.push_back(kernel_);
  const Launch outer{0, {}, {}, integer(3, Scalar::I64)};
  Launch whole{1, {}, {}, integer(2, Scalar::I64), 4}, rest = whole;
  rest.steps = 1;
  const Repeat inner{{4, {4, 1}, {whole, rest}}, 6};
  module.plan.actions = {outer, Repeat{{1, {}, {inner, outer}}, 3}};
  std::string problem;
  const auto trace = kernel::trace(module, {}, problem);
  ASSERT_TRUE(trace) << problem;
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].launches, 1 + 3);
  EXPECT_EQ(trace->kernels[1].launches, 3 * (1 + 2));
}

TEST_F(Traced, ScalarsAndParams) {
  kernel_.scalars = {{"n", Scalar::I32}, {"steps", Scalar::I32}, {"first", Scalar::I32}};
  const auto inside = [](const char* name) { return less(thread(), variable(name)); };
  Module module = module_of(
      {threads({when(inside("n"), {out(thread())}), when(inside("steps"), {out(thread())}),
                when(inside("first"), {out(thread())})})});
  module.plan.time_tile = 3;
  module.plan.parameters = {{"N", Scalar::I32, {}, 5}};
  auto& launch = std::get<Launch>(module.plan.actions[0]);
  launch.scalars = {ParameterArgument{0}, StepCount{}, FirstStep{}};
  launch.blocks = convert(variable("N"), Scalar::I64);
  std::string problem;
  EXPECT_EQ(kernel::trace(module, {}, problem)->total().counts.global_stores, 5 * (5 + 3));
  const TraceOptions seven{.known = [](const std::string&) { return std::optional<int64_t>(7); }};
  EXPECT_EQ(kernel::trace(module, seven, problem)->total().counts.global_stores, 7 * (7 + 3));
  module.plan.parameters[0].integer_default.reset();
  EXPECT_FALSE(kernel::trace(module, {}, problem));
  EXPECT_EQ(problem, "the number of blocks of kernel k depends on N, which has no value");
  module.kernels[0].thread_loops = true;
  EXPECT_FALSE(kernel::trace(module, seven, problem));
  EXPECT_EQ(problem, "kernel k has loops in place of threads");
}

}  // namespace
}  // namespace stencil::kernel
