// Which barriers the verifier requires: ring buffers, and elements that only one thread accesses.
#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"

namespace stencil::kernel {
namespace {

Expr v(const char* name) {
  return variable(name);
}

const std::vector<std::string> kSound;
const std::vector<std::string> kReadTooSoon = {
    "kernel k: shared buffer 'ring' is read without a barrier after it was written"};
const std::vector<std::string> kBothTooSoon = {
    "kernel k: shared buffer 'ring' is read without a barrier after it was written",
    "kernel k: shared buffer 'ring' is written without a barrier after it was read"};
const std::vector<std::string> kWrittenTooSoon = {
    "kernel k: shared buffer 'ring' is written without a barrier after it was read"};

// The verifier's messages for a body over two buffers. Buffer 0, `ring`, is shared: ring indices x
// rows x columns. Buffer 1 is per thread.
std::vector<std::string> violations(const Body& body, Shape threads = {32}) {
  Module module;
  module.name = "m";
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = threads;
  kernel.buffers = {
      {"ring", Scalar::F32, Space::Shared, {integer(4), integer(8), integer(64)}, false, false, ""},
      {"own", Scalar::F32, Space::Thread, {integer(4)}, false, false, ""}};
  kernel.body = body;
  module.kernels = {kernel};
  module.plan.points = integer(1, Scalar::I64);
  return verify(module);
}

Expr ring_index(const Expr& count, int length) {
  return operation(Op::Mod, {count, integer(length)});
}
Expr ring_index(const char* loop, int ahead, int length) {
  return ring_index(add(v(loop), integer(ahead)), length);
}

// Sections that read or write one element.
Statement read(const Expr& ring_index, const Expr& row, const Expr& column) {
  return {Threads{{{Store{1, {integer(0)}, load(0, {ring_index, row, column}, Scalar::F32)}}}}};
}
Statement write(const Expr& ring_index, const Expr& row, const Expr& column) {
  return {Threads{{{Store{0, {ring_index, row, column}, load(1, {integer(0)}, Scalar::F32)}}}}};
}
// Writes the thread's own element; reads the neighbour's.
Statement publish(const Expr& ring_index) {
  return write(ring_index, integer(0), v("thread_x"));
}
Statement fetch(const Expr& ring_index) {
  return read(ring_index, integer(0), add(v("thread_x"), integer(1)));
}

Body loop(Body body, int64_t step = 1) {
  return {{For{LoopKind::Serial, "n", integer(0), integer(16), step, std::move(body)}}};
}

TEST(Ring, AnotherRingIndexNeedsNoBarrier) {
  EXPECT_EQ(
      violations(loop({fetch(ring_index("n", 0, 2)), publish(ring_index("n", 1, 2)), {Barrier{}}})),
      kSound);
  EXPECT_EQ(
      violations(loop({publish(ring_index("n", 1, 2)), fetch(ring_index("n", 0, 2)), {Barrier{}}})),
      kSound);
}

TEST(Ring, TheSameRingIndexNeedsABarrier) {
  EXPECT_EQ(
      violations(loop({publish(ring_index("n", 1, 2)), fetch(ring_index("n", 1, 2)), {Barrier{}}})),
      kReadTooSoon);
  EXPECT_EQ(
      violations(loop({fetch(ring_index("n", 0, 2)), publish(ring_index("n", 0, 2)), {Barrier{}}})),
      kWrittenTooSoon);
  EXPECT_EQ(violations(loop({publish(ring_index("n", 1, 2)),
                             {Barrier{}},
                             fetch(ring_index("n", 1, 2)),
                             {Barrier{}}})),
            kSound);
}

TEST(Ring, RingIndicesWrapAround) {
  const auto written_ahead = [](int ahead, int length) {
    return violations(loop(
        {fetch(ring_index("n", 0, length)), publish(ring_index("n", ahead, length)), {Barrier{}}}));
  };
  EXPECT_EQ(written_ahead(2, 2), kWrittenTooSoon);
  EXPECT_EQ(written_ahead(2, 3), kSound);
  EXPECT_EQ(written_ahead(3, 3), kWrittenTooSoon);
  EXPECT_EQ(written_ahead(5, 3), kSound);
}

TEST(Ring, OrdersTheNextIterationToo) {
  // The next iteration reads the ring index just written.
  EXPECT_EQ(
      violations(loop({fetch(ring_index("n", 0, 2)), {Barrier{}}, publish(ring_index("n", 1, 2))})),
      kReadTooSoon);
  EXPECT_EQ(
      violations(loop({{Barrier{}}, fetch(ring_index("n", 0, 2)), publish(ring_index("n", 1, 2))})),
      kSound);
  // The next iteration writes the ring index just read.
  EXPECT_EQ(
      violations(loop({publish(ring_index("n", 0, 2)), {Barrier{}}, fetch(ring_index("n", 1, 2))})),
      kWrittenTooSoon);
  // Both.
  EXPECT_EQ(violations(loop({fetch(ring_index("n", 0, 2)), publish(ring_index("n", 1, 2))})),
            kBothTooSoon);
}

TEST(Ring, IterationsAdvanceByTheStepOfTheLoop) {
  const Body body = {fetch(ring_index("n", 0, 4)), publish(ring_index("n", 1, 4))};
  EXPECT_EQ(violations(loop(body, 2)), kSound)
      << "only odd ring indices are written, even ones read";
  EXPECT_EQ(violations(loop(body, 1)), kBothTooSoon);  // the ring index is reused
  const Body two_ahead = {fetch(ring_index("n", 0, 4)), publish(ring_index("n", 2, 4))};
  EXPECT_EQ(violations(loop(two_ahead, 2)), kBothTooSoon);
}

TEST(Ring, RingIndicesReusedSeveralIterationsLaterAreOrdered) {
  const Body two_ahead = {fetch(ring_index("n", 0, 4)), publish(ring_index("n", 2, 4))};
  EXPECT_EQ(violations(loop(two_ahead)), kBothTooSoon);
  const Body six_ahead = {fetch(ring_index("n", 0, 8)), publish(ring_index("n", 6, 8))};
  const std::vector<std::string> written_first = {kBothTooSoon[1], kBothTooSoon[0]};
  EXPECT_EQ(violations(loop(six_ahead)), written_first);  // in two iterations, read in six
}

TEST(OwnElement, UniformIndicesAreShared) {
  const Expr zero = integer(0);
  EXPECT_EQ(violations({write(zero, zero, zero), read(zero, zero, zero)}), kReadTooSoon);
  EXPECT_EQ(violations({write(zero, zero, v("thread_x")), read(zero, zero, v("thread_x"))}),
            kSound);
}

TEST(OwnElement, IndicesThatLackAnAxisAreShared) {
  const Expr zero = integer(0);
  const Expr x = v("thread_x");
  EXPECT_EQ(violations({write(zero, zero, x), read(zero, zero, x)}, {8, 8, 1}), kReadTooSoon);
  const Expr both = add(mul(v("thread_y"), integer(8)), x);
  EXPECT_EQ(violations({write(zero, zero, both), read(zero, zero, both)}, {8, 8, 1}), kSound);
}

TEST(Ring, RingIndicesOfDifferentVariablesOrModuliMayCoincide) {
  const Body inner = {fetch(ring_index("n", 0, 2)), publish(ring_index("m", 1, 2)), {Barrier{}}};
  EXPECT_EQ(violations({{For{LoopKind::Serial, "m", integer(0), integer(4), 2, loop(inner, 2)}}}),
            kWrittenTooSoon);
  EXPECT_EQ(
      violations(loop({fetch(ring_index("n", 0, 2)), publish(ring_index("n", 1, 3)), {Barrier{}}})),
      kWrittenTooSoon);
  EXPECT_EQ(violations(loop({fetch(v("n")), publish(ring_index("n", 1, 2)), {Barrier{}}})),
            kWrittenTooSoon);
}

// An unrolled loop leaves literals where the index of a ring was.
TEST(Ring, RingIndicesOfUnrolledLoopsAreLiterals) {
  const auto own = [](int part, int ring_index) {
    return write(integer(part), integer(ring_index), v("thread_x"));
  };
  const auto next = [](int part, int ring_index) {
    return read(integer(part), integer(ring_index), add(v("thread_x"), integer(1)));
  };
  EXPECT_EQ(violations({own(1, 0), next(1, 2)}), kSound);
  EXPECT_EQ(violations({own(1, 0), next(1, 0)}), kReadTooSoon);
  EXPECT_EQ(violations({next(1, 2), own(1, 2)}), kWrittenTooSoon);
  EXPECT_EQ(violations({own(1, 0), read(integer(1), v("thread_x"), integer(0))}), kReadTooSoon);
}

// A step writes at [step] and reads at [step - 1].
TEST(Parts, AreDistinguishedByALoopVariable) {
  const auto part = [](int64_t by) { return add(v("n"), integer(by)); };
  EXPECT_EQ(violations(loop({publish(part(1)), fetch(part(0)), {Barrier{}}})), kSound);
  EXPECT_EQ(violations(loop({publish(part(1)), fetch(part(1)), {Barrier{}}})), kReadTooSoon);
  // The next iteration reads what this one wrote.
  EXPECT_EQ(violations(loop({fetch(part(-1)), publish(part(0))})), kReadTooSoon);
  EXPECT_EQ(violations(loop({fetch(part(-1)), publish(part(0)), {Barrier{}}})), kSound);
}

TEST(Parts, AreReusedByTheNextRunOfTheLoop) {
  const Body run = loop({fetch(v("n")), publish(add(v("n"), integer(64)))});
  EXPECT_EQ(violations(run), kSound);
  EXPECT_EQ(violations({{For{LoopKind::Serial, "m", integer(0), integer(4), 1, run}}}),
            std::vector<std::string>({kReadTooSoon[0], kWrittenTooSoon[0]}));
}

// (n + u + 1) % 2 in an unrolled loop over u: both loop variables count.
TEST(Ring, CountsSumsOfLoopVariables) {
  const Expr now = add(v("n"), v("u"));
  const auto unrolled = [&](Body body) {
    return loop({{For{LoopKind::Unrolled, "u", integer(0), integer(2), 1, std::move(body)}}}, 2);
  };
  const Expr ahead = add(now, integer(1));
  EXPECT_EQ(
      violations(unrolled({fetch(ring_index(now, 2)), publish(ring_index(ahead, 2)), {Barrier{}}})),
      kSound);
  EXPECT_EQ(violations(unrolled({fetch(ring_index(now, 2)), publish(ring_index(ahead, 2))})),
            kBothTooSoon);
}

TEST(Ring, BarriersInABranchDoNotCount) {
  const Statement branch = {If{less(v("n"), integer(3)), {{Barrier{}}}, {}}};
  EXPECT_EQ(
      violations(loop({fetch(ring_index("n", 0, 2)), publish(ring_index("n", 1, 2)), branch})),
      kBothTooSoon);
}

TEST(RingIndices, WithDifferentLiteralsAreDisjoint) {
  const Expr zero = integer(0), one = integer(1), row = zero, column = v("thread_x");
  EXPECT_EQ(violations({write(zero, row, column), read(one, row, add(column, one))}), kSound);
  EXPECT_EQ(violations({write(one, row, column), read(one, row, add(column, one))}), kReadTooSoon);
  EXPECT_EQ(violations(loop({write(ring_index("n", 0, 2), row, column),
                             read(one, row, add(column, one)),
                             {Barrier{}}})),
            kReadTooSoon)
      << "the loop reaches ring index 1";
}

TEST(OwnElement, NeedsEveryThreadAxis) {
  const Expr row = v("thread_y"), column = v("thread_x");
  const Expr zero = integer(0), one = integer(1);
  const Shape flat = {32}, tall = {8, 8};
  // The first indices differ, but in the others each thread uses its own element.
  EXPECT_EQ(violations({write(zero, row, column), read(one, row, column)}, tall), kSound);
  EXPECT_EQ(violations({write(zero, integer(3), column), read(one, integer(3), column)}, flat),
            kSound);
  EXPECT_EQ(violations({write(row, zero, column), read(row, one, column)}, tall), kSound);
  // An axis is missing, shifted, or in another position.
  EXPECT_EQ(violations({write(zero, integer(3), column), read(zero, integer(3), column)}, tall),
            kReadTooSoon);
  EXPECT_EQ(violations({write(zero, row, column), read(zero, row, add(column, one))}, tall),
            kReadTooSoon);
  EXPECT_EQ(violations({write(zero, row, column), read(zero, add(row, one), column)}, tall),
            kReadTooSoon);
  EXPECT_EQ(violations({write(zero, row, column), read(zero, column, row)}, tall), kReadTooSoon);
  EXPECT_EQ(violations({read(zero, row, add(column, one)), write(zero, row, column)}, tall),
            kWrittenTooSoon);
}

// Threads of more than three dimensions: w is the fourth.
TEST(OwnElement, NeedsAxesBeyondTheThird) {
  const Expr row = v("thread_w"), column = v("thread_x"), zero = integer(0), one = integer(1);
  const Shape deep = {8, 1, 1, 8};
  EXPECT_EQ(violations({write(zero, row, column), read(one, row, column)}, deep), kSound);
  EXPECT_EQ(violations({write(zero, zero, column), read(zero, zero, column)}, deep), kReadTooSoon);
  EXPECT_EQ(violations({write(zero, row, column), read(zero, add(row, one), column)}, deep),
            kReadTooSoon);
}

TEST(OwnElement, NeedsNoBarrierAtAnyRingIndex) {
  const Expr row = v("thread_y"), column = v("thread_x");
  const Shape tall = {8, 8};
  EXPECT_EQ(violations(loop({write(ring_index("n", 1, 2), row, column),
                             read(ring_index("n", 1, 2), row, column)}),
                       tall),
            kSound);
}

// A ring index may be written while others are read at offsets, if threads read only their own
// element of the written one.
TEST(OwnElement, IsRequiredOnlyAtTheWrittenRingIndex) {
  const Expr row = v("thread_y"), column = v("thread_x"), one = integer(1);
  const Shape tall = {8, 8};
  for (const int other : {1, 2}) {
    const Body body = loop({read(ring_index("n", other, 2), row, add(column, one)),
                            read(ring_index("n", 2, 2), row, column),
                            write(ring_index("n", 2, 2), row, column),
                            {Barrier{}}});
    EXPECT_EQ(violations(body, tall), other == 1 ? kSound : kWrittenTooSoon);
  }
}

TEST(OwnElement, IsCheckedForEveryAccess) {
  const Expr row = v("thread_y"), column = v("thread_x"), zero = integer(0);
  EXPECT_EQ(violations({write(zero, row, column), read(integer(1), row, column),
                        read(zero, row, sub(column, integer(1)))},
                       {8, 8, 1}),
            kReadTooSoon);
}

// Copies read and write like stores. This includes async copies: waiting for them synchronizes only
// the thread itself.
TEST(Copies, ReadAndWriteLikeStores) {
  for (const bool async : {false, true}) {
    Module module;
    module.name = "m";
    Kernel kernel;
    kernel.name = "k";
    kernel.threads = {8, 1, 1};
    kernel.buffers = {{"ring", Scalar::F32, Space::Shared, {integer(32)}, false, false, ""},
                      {"A", Scalar::F32, Space::Global, {integer(32)}, true, false, ""},
                      {"own", Scalar::F32, Space::Thread, {integer(4)}, false, false, ""}};
    const Expr first = mul(v("thread_x"), integer(4));
    const auto take = [&](const Expr& from) {
      return Statement{Threads{{{Copy{2, {integer(0)}, 0, {from}, 4}}}}};
    };
    const Statement stage = {
        Threads{{{Copy{0, {first}, 1, {first}, 4, async}}, {CommitCopies{}}, {AwaitCopies{0}}}}};
    module.plan.points = integer(1, Scalar::I64);
    const auto said = [&](const Body& body) {
      kernel.body = body;
      module.kernels = {kernel};
      return verify(module);
    };
    const Expr beside = sub(integer(28), first);
    EXPECT_EQ(said({stage, take(first)}), kSound);
    EXPECT_EQ(said({stage, take(beside)}), kReadTooSoon);
    EXPECT_EQ(said({stage, {Barrier{}}, take(beside)}), kSound);
    EXPECT_EQ(said({take(beside), stage}), kWrittenTooSoon);
  }
}

// A shuffle exchanges values without shared memory and does not act as a barrier.
TEST(Shuffles, AreNoBarriers) {
  const Statement shuffle = {Shuffle{"", 1, {{1, {integer(1)}, 1, {integer(0)}, 1}}}};
  EXPECT_EQ(violations({publish(integer(0)), shuffle, fetch(integer(0))}), kReadTooSoon);
  EXPECT_EQ(violations({publish(integer(0)), {Barrier{}}, shuffle, fetch(integer(0))}), kSound);
}

// Violations in a kernel whose ring of length two is filled by bulk copies.
std::vector<std::string> bulk_violations(const Body& body) {
  Module module;
  module.name = "m";
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = {32, 1, 1};
  kernel.buffers = {
      {"ring", Scalar::F32, Space::Shared, {integer(2), integer(64)}, false, false, "", 128},
      {"own", Scalar::F32, Space::Thread, {integer(4)}, false, false, ""},
      {"A", Scalar::F32, Space::Global, {integer(9), integer(64)}, true, false, ""}};
  kernel.bulk_sources = {{"A_boxes", 2, {1, 64}}};
  kernel.bulk_batches = 2;
  kernel.body = body;
  module.kernels = {kernel};
  module.plan.points = integer(1, Scalar::I64);
  return verify(module);
}
Statement bring(const Expr& batch) {
  return {BulkCopies{batch, {{0, {batch, integer(0)}, 0, {ring_index(batch, 2), integer(0)}}}}};
}
Statement await(const Expr& batch) {
  return {AwaitBulk{batch}};
}
Statement take(const Expr& batch, const Expr& column) {
  return {
      Threads{{{Store{1, {integer(0)}, load(0, {ring_index(batch, 2), column}, Scalar::F32)}}}}};
}

const std::vector<std::string> kNotAwaited = {
    "kernel k: shared buffer 'ring' is read before its bulk copies are awaited"};
const std::vector<std::string> kOverwritten = {
    "kernel k: shared buffer 'ring' is copied to without a barrier after it was read"};

// Each iteration reads the batch that the previous one requested.
Body pipelined(Body iteration) {
  return {bring(integer(0)),
          {For{LoopKind::Serial, "n", integer(0), integer(9), 1, std::move(iteration)}}};
}

TEST(BulkCopies, AreOrderedByAwaitsAndBarriers) {
  const Expr n = v("n"), next = add(v("n"), integer(1)), x = v("thread_x");
  const Statement barrier = {Barrier{}};
  EXPECT_EQ(bulk_violations(pipelined({bring(next), await(n), take(n, x), barrier})), kSound);
  EXPECT_EQ(bulk_violations(pipelined({await(n), take(n, x), barrier, bring(next)})), kSound);
  const Statement guarded = {If{less(next, integer(9)), {bring(next)}, {}}};
  EXPECT_EQ(bulk_violations(pipelined({guarded, await(n), take(n, x), barrier})), kSound);
}

TEST(BulkCopies, NeedABarrierAfterTheReadersOfTheirRingIndex) {
  const Expr n = v("n"), next = add(v("n"), integer(1)), x = v("thread_x");
  EXPECT_EQ(bulk_violations(pipelined({bring(next), await(n), take(n, x)})), kOverwritten)
      << "a read of the previous iteration, even of the thread's own element";
  const Body late = {await(n), take(n, x), bring(add(n, integer(2)))};
  EXPECT_EQ(bulk_violations(pipelined(late)), kOverwritten) << "a read of the same iteration";
}

TEST(BulkCopies, AreReadOnlyAfterTheirAwait) {
  const Expr n = v("n"), next = add(v("n"), integer(1)), x = v("thread_x");
  const Statement barrier = {Barrier{}};
  EXPECT_EQ(bulk_violations(pipelined({bring(next), take(n, x), barrier})), kNotAwaited)
      << "a barrier does not wait for them";
  EXPECT_EQ(bulk_violations(pipelined({bring(next), await(n), take(next, x), barrier})),
            kNotAwaited);
  EXPECT_EQ(bulk_violations(
                pipelined({await(n), barrier, bring(add(n, integer(2))), take(n, x), barrier})),
            kNotAwaited)
      << "overwritten since";
  const Statement sometimes = {If{less(n, integer(3)), {await(n)}, {}}};
  EXPECT_EQ(bulk_violations(pipelined({bring(next), sometimes, take(n, x), barrier})), kNotAwaited);
  EXPECT_EQ(bulk_violations({bring(integer(0)), await(integer(0)), take(integer(0), x)}), kSound);
  EXPECT_EQ(bulk_violations(
                {bring(integer(0)), bring(integer(1)), await(integer(0)), take(integer(1), x)}),
            kNotAwaited);
}

TEST(BulkCopies, StayReadableUntilTheirRingIndexIsRefilled) {
  const Expr n = v("n"), next = add(v("n"), integer(1)), x = v("thread_x");
  const Statement barrier = {Barrier{}};
  EXPECT_EQ(bulk_violations(pipelined({await(n), take(next, x), barrier, bring(next)})), kSound)
      << "ring index n + 1 of two still holds the batch before";
}

TEST(BulkCopies, AreTheOnlyWritersOfTheirBuffers) {
  const Expr zero = integer(0);
  const Statement store = {
      Threads{{{Store{0, {zero, v("thread_x")}, load(1, {zero}, Scalar::F32)}}}}};
  EXPECT_EQ(bulk_violations({store, {Barrier{}}, bring(zero), await(zero)}),
            std::vector<std::string>{
                "kernel k: shared buffer 'ring' is written by threads and by bulk copies"});
  const Statement astray = {BulkCopies{zero, {{0, {zero, zero}, 0, {integer(1), zero}}}}};
  EXPECT_EQ(bulk_violations({astray, await(zero)}),
            std::vector<std::string>{
                "kernel k: bulk copies to another ring index of 'ring' than their batch's"});
}

}  // namespace
}  // namespace stencil::kernel
