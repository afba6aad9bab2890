// Counts of kernels that are small enough to count by hand.
#include "compiler/kernel/count.h"

#include <gtest/gtest.h>

#include "compiler/kernel/walk.h"

namespace stencil::kernel {
namespace {

Expr var(const char* name) {
  return variable(name);
}
Expr at(BufferId buffer, const Expr& index) {
  return load(buffer, {index}, Scalar::F32);
}
Expr f32(double value) {
  return real(value, Scalar::F32);
}

// Blocks of 8 x 4 threads; A and B are in global memory, s in shared memory, `own` is per thread;
// extents are 100.
Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = {8, 4};
  kernel.buffers = {{"A", Scalar::F32, Space::Global, {var("N")}, true, false, ""},
                    {"B", Scalar::F32, Space::Global, {var("N")}, false, false, ""},
                    {"s", Scalar::F32, Space::Shared, {integer(32)}, false, false, ""},
                    {"own", Scalar::F32, Space::Thread, {integer(4)}, false, false, ""},
                    {"d", Scalar::F64, Space::Global, {var("N")}, false, false, ""},
                    {"h", Scalar::F16, Space::Global, {var("N")}, false, false, ""}};
  kernel.body = std::move(body);
  return kernel;
}
Count count_of(Body body, const Environment& known = {}) {
  return count(kernel_of(std::move(body)), {{"N", Scalar::I32, 100, ""}}, known);
}
Statement store(const Expr& value) {
  return {Store{1, {integer(0)}, value}};
}
Statement threads(Body body) {
  return {Threads{std::move(body)}};
}

// The bytes of an array of four floats count only if a loop that is not unrolled indexes it.
TEST(Count, BytesIndexedByLoops) {
  const auto bytes = [](LoopKind kind, const Expr& index) {
    Body body = {{Store{3, {index}, f32(0)}}};
    return indexed_bytes(
        kernel_of({threads({{For{kind, "i", integer(0), integer(4), 1, std::move(body)}}})}));
  };
  EXPECT_EQ(bytes(LoopKind::Rolled, var("i")), 16);
  EXPECT_EQ(bytes(LoopKind::Rolled, integer(0)), 0);
  EXPECT_EQ(bytes(LoopKind::Unrolled, var("i")), 0);
  EXPECT_EQ(bytes(LoopKind::Steps, var("i")), 0);
}

TEST(Count, OperationsByClassAndType) {
  const Expr a = at(0, integer(0));
  const Expr x = load(4, {integer(0)}, Scalar::F64);
  const auto op = [](Op op, std::vector<Expr> operands) { return operation(op, operands); };
  const Count count = count_of(
      {threads({store(op(Op::Add, {op(Op::Mul, {a, f32(3)}), op(Op::Sub, {a, f32(1)})})),
                store(op(Op::Fma, {a, f32(3), f32(4)})),
                store(op(Op::Div, {op(Op::Sqrt, {a}), op(Op::Exp, {op(Op::Max, {a, f32(0)})})})),
                {Store{4, {integer(0)}, op(Op::Mul, {x, convert(a, Scalar::F64)})}},
                store(op(Op::Select, {op(Op::Lt, {a, f32(0)}), a, f32(1)}))})});
  const Tally& tally = count.threads;
  EXPECT_EQ(tally.single.add, 32 * 2);
  EXPECT_EQ(tally.single.multiply, 32);
  EXPECT_EQ(tally.single.fma, 32);
  EXPECT_EQ(tally.single.divide, 32);
  EXPECT_EQ(tally.single.root, 32);
  EXPECT_EQ(tally.single.function, 32);
  EXPECT_EQ(tally.single.simple, 32);
  EXPECT_EQ(tally.real.multiply, 32);
  EXPECT_EQ(tally.real.add, 0);
  EXPECT_EQ(tally.convert, 32);
  EXPECT_EQ(tally.compare, 32);
  EXPECT_EQ(tally.select, 32);
  EXPECT_EQ(tally.integer, 0);
  EXPECT_EQ(tally.branch, 0);
  EXPECT_EQ(tally.of(Space::Global).read, 32 * (5 * 4 + 8))
      << "each node counts once per statement";
  EXPECT_EQ(tally.of(Space::Global).written, 32 * (4 * 4 + 8));
  EXPECT_TRUE(count.loops.empty() && count.choices.empty());
}

TEST(Count, BytesBySpace) {
  const Count count = count_of(
      {threads({{Store{2, {var("thread_x")}, at(0, add(var("thread_x"), integer(1)))}},
                {Copy{3, {integer(0)}, 0, {integer(4)}, 4}},
                {Store{5, {integer(0)}, convert(at(3, integer(2)), Scalar::F16)}}}),
       {Barrier{}},
       {Shuffle{
           "i", 2, {{3, {var("i")}, 3, {integer(3)}, -1}, {3, {var("i")}, 3, {integer(2)}, 1}}}}});
  EXPECT_EQ(count.threads.of(Space::Shared).written, 32 * 4);
  EXPECT_EQ(count.threads.of(Space::Global).read, 32 * (4 + 16));
  EXPECT_EQ(count.threads.of(Space::Global).written, 32 * 2) << "a half";
  EXPECT_EQ(count.threads.of(Space::Thread).written, 32 * 16);
  EXPECT_EQ(count.threads.of(Space::Thread).read, 32 * 4);
  EXPECT_EQ(count.threads.integer, 32) << "an index";
  EXPECT_EQ(count.threads.shuffle, 32 * 4);
  EXPECT_EQ(count.block.barrier, 1);
}

TEST(Count, LoopsOfKnownLengthAreMultiplied) {
  const Body body = {threads({store(f32(1))}), {Barrier{}}};
  const Count count =
      count_of({{For{LoopKind::Serial,
                     "i",
                     integer(0),
                     var("N"),
                     3,
                     {{For{LoopKind::Unrolled, "j", integer(0), integer(2), 1, body}}}}}});
  EXPECT_EQ(count.block.barrier, 34 * 2) << "34 = 100 / 3, rounded up";
  EXPECT_EQ(count.threads.of(Space::Global).written, 34 * 2 * 32 * 4);
}

TEST(Count, UnrolledLoopsDecideConditions) {
  const Count count = count_of({threads(
      {{For{LoopKind::Unrolled,
            "j",
            integer(0),
            integer(8),
            1,
            {{If{less(var("j"), integer(3)), {store(f32(1))}, {store(at(0, integer(0)))}}}}}}})});
  EXPECT_EQ(count.threads.of(Space::Global).written, 8 * 32 * 4);
  EXPECT_EQ(count.threads.of(Space::Global).read, 5 * 32 * 4);
  EXPECT_EQ(count.threads.branch, 0);
  EXPECT_TRUE(count.choices.empty());
}

// The caller supplies unknown loop counts, such as points per step and numbers of steps.
TEST(Count, UnknownCountsComeFromTheCaller) {
  const Body body = {{Let{"from", add(var("first"), integer(2))}},
                     {For{LoopKind::Serial,
                          "n",
                          var("from"),
                          var("last"),
                          1,
                          {threads({{If{less(var("thread_x"), var("edge")), {store(f32(1))}, {}}}}),
                           {Barrier{}}}}}};
  const Count open = count_of(body);
  EXPECT_EQ(open.block.barrier, 0);
  ASSERT_EQ(open.loops.size(), 1u);
  EXPECT_EQ(open.loops[0].name, "n");
  EXPECT_EQ(open.loops[0].iteration.block.barrier, 1);
  EXPECT_EQ(open.loops[0].iteration.threads.branch, 32);
  ASSERT_EQ(open.loops[0].iteration.choices.size(), 1u);
  const Count total = open.total([](const Count::Loop&) { return 10.0; },
                                 [](const Count::Choice&) { return 0.25; });
  EXPECT_TRUE(total.loops.empty() && total.choices.empty());
  EXPECT_EQ(total.block.barrier, 10);
  EXPECT_EQ(total.threads.of(Space::Global).written, 10 * 32 * 4 / 4);
  // If variables have values, the caller supplies fewer counts.
  const Count known = count_of(body, [](const std::string& name) -> std::optional<int64_t> {
    return name == "first" ? std::optional(1) : name == "last" ? std::optional(9) : std::nullopt;
  });
  EXPECT_TRUE(known.loops.empty());
  EXPECT_EQ(known.block.barrier, 6);
  EXPECT_EQ(known.choices.size(), 1u) << "loops of all iterations are merged";
  EXPECT_EQ(known.choices[0].then.threads.of(Space::Global).written, 6 * 32 * 4);
}

TEST(Count, CopiesOfOneLoopAreMerged) {
  const Expr end = var("end");
  const Body inner = {{For{LoopKind::Serial, "n", integer(0), end, 1, {{Barrier{}}}}}};
  const Count count = count_of({{For{LoopKind::Unrolled, "j", integer(0), integer(4), 1, inner}}});
  ASSERT_EQ(count.loops.size(), 1u);
  EXPECT_EQ(count.loops[0].iteration.block.barrier, 4);
}

// Three passes over two versions of a loop; then the loop alone.
TEST(Count, CountsCopiesAndStartsOfLoops) {
  const Statement loop = {For{
      LoopKind::Serial, "n", integer(0), var("last"), 1, {threads({store(f32(1))}), {Barrier{}}}}};
  const Statement versions = {For{LoopKind::Steps, "v", integer(0), integer(2), 1, {loop}}};
  const Count count = count_of(
      {{For{LoopKind::Serial, "pass", integer(0), integer(3), 1, {versions}}}, {Barrier{}}});
  ASSERT_EQ(count.loops.size(), 1u);
  EXPECT_EQ(count.loops[0].copies, 2);
  EXPECT_EQ(count.loops[0].starts, 6);
  EXPECT_EQ(count.loops[0].iteration.block.barrier, 6);
  EXPECT_EQ(count.loops[0].iteration.threads.of(Space::Global).written, 6 * 32 * 4);
  const Count once = count_of({loop});
  EXPECT_EQ(once.loops[0].copies, 1);
  EXPECT_EQ(once.loops[0].starts, 1);
}

TEST(Count, BulkCopiesCountForTheBlock) {
  Kernel kernel =
      kernel_of({{BulkCopies{integer(0), {{0, {var("first"), integer(0)}, 2, {integer(0)}}}}},
                 {AwaitBulk{integer(0)}}});
  kernel.bulk_sources = {{"boxes", 0, {4, 8}}};
  kernel.bulk_batches = 1;
  const Count count = kernel::count(kernel, {});
  EXPECT_EQ(count.block.of(Space::Global).read, 4 * 8 * 4);
  EXPECT_EQ(count.block.of(Space::Shared).written, 4 * 8 * 4);
  EXPECT_EQ(count.block.barrier, 1);
}

TEST(Count, CountsThreadLoops) {
  Threads section{{store(f32(1))}};
  section.loops = {{"thread_y", integer(0), integer(4)}, {"thread_x", integer(0), var("end"), 8}};
  section.conditions = {less(var("first"), var("end"))};
  Kernel kernel = kernel_of({{section}});
  kernel.thread_loops = true;
  const Count count = kernel::count(kernel, {});
  EXPECT_EQ(count.block.branch, 1);
  ASSERT_EQ(count.choices.size(), 1u);
  const Count& inside = count.choices[0].then;
  ASSERT_EQ(inside.loops.size(), 1u);
  EXPECT_EQ(inside.loops[0].most, 8);
  EXPECT_EQ(inside.loops[0].iteration.threads.of(Space::Global).written, 4 * 4)
      << "the loop around it is known";
}

}  // namespace
}  // namespace stencil::kernel
