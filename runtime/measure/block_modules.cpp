// Benchmarks of shared memory, barriers and shuffles.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/measure/draft.h"
#include "runtime/measure/modules.h"

namespace stencil::measure {

using namespace kernel;

namespace {

Statement leave_result(BufferId out, int size, Expr value) {
  return threads({store(out, own_place(size), std::move(value))});
}

// Each thread reads kLoads elements per pass; neighbouring threads access neighbouring banks.
// Addresses depend on the pass, so the compiler cannot keep any value.
constexpr int kLoads = 32, kBanks = 32, kStarts = 8;

Kernel read_kernel(const std::string& name, Scalar type, int size) {
  Kernel kernel = kernel_of(name, size);
  const int rows = ((kLoads + kStarts) * kBanks + size - 1) / size + 1;
  const BufferId out = global(kernel, "out", type, results(size), false);
  const BufferId shared = shared_memory(kernel, "held", type, rows * size);
  const BufferId sum = of_thread(kernel, "sum", type);
  Body fill;
  for (int r = 0; r < rows; ++r) {
    const Expr at = add(thread(), integer(r * size));
    fill.push_back(store(shared, at, convert(at, type)));
  }
  fill.push_back(store(sum, zero(type)));
  const Expr start = operation(Op::BitAnd, {variable("pass"), integer(kStarts - 1)});
  Expr total;
  for (int l = 0; l < kLoads; ++l) {
    const Expr value = read(shared, add(variable("at"), integer(l * kBanks)), type);
    total = total ? exclusive_or(total, value) : value;
  }
  kernel.body = {threads(fill),
                 {Barrier{}},
                 repeat("pass", passes(),
                        {threads({let("at", add(mul(start, integer(kBanks)), thread())),
                                  store(sum, exclusive_or(read(sum, type), total))})}),
                 leave_result(out, size, read(sum, type))};
  return kernel;
}

// As in chase(), with addresses in different banks for the threads of a warp.
Kernel chase_kernel(int warp) {
  constexpr int kPlaces = 256, kFactor = 5, kIncrement = 3;
  Kernel kernel = kernel_of("shared_chase", warp);
  const BufferId out = global(kernel, "out", Scalar::I32, results(warp), false);
  const BufferId next = shared_memory(kernel, "held", Scalar::I32, kPlaces);
  const BufferId at = of_thread(kernel, "at", Scalar::I32);
  Body fill;
  for (int first = 0; first < kPlaces; first += warp) {
    const Expr place = add(thread(), integer(first));
    const Expr follower = add(mul(place, integer(kFactor)), integer(kIncrement));
    fill.push_back(store(next, place, operation(Op::BitAnd, {follower, integer(kPlaces - 1)})));
  }
  fill.push_back(store(at, thread()));
  Body body;
  Expr value = read(at, Scalar::I32);
  for (int l = 0; l < kChaseLength; ++l) {
    body.push_back(let(fmt::format("at_{}", l), read(next, value, Scalar::I32)));
    value = variable(fmt::format("at_{}", l));
  }
  body.push_back(store(at, value));
  kernel.body = {threads(fill),
                 {Barrier{}},
                 repeat("pass", passes(), {threads(body)}),
                 leave_result(out, warp, read(at, Scalar::I32))};
  return kernel;
}

// Each thread reads its neighbour's value and adds one.
Kernel exchange_kernel(int size) {
  Kernel kernel = kernel_of("exchange", size);
  const BufferId out = global(kernel, "out", Scalar::I32, results(size), false);
  const BufferId shared = shared_memory(kernel, "held", Scalar::I32, size);
  const BufferId value = of_thread(kernel, "value", Scalar::I32);
  const Expr neighbour = operation(Op::BitAnd, {add(thread(), integer(1)), integer(size - 1)});
  kernel.body = {
      threads({store(value, thread())}),
      repeat("pass", passes(),
             {threads({store(shared, thread(), read(value, Scalar::I32))}),
              {Barrier{}},
              threads({store(value, add(read(shared, neighbour, Scalar::I32), integer(1)))}),
              {Barrier{}}}),
      leave_result(out, size, read(value, Scalar::I32))};
  return kernel;
}

Kernel barrier_kernel(int size) {
  Kernel kernel = kernel_of(fmt::format("barriers_{}", size), size);
  const BufferId out = global(kernel, "out", Scalar::I32, results(size), false);
  kernel.body = {repeat("pass", passes(), Body(kBarriers, Statement{Barrier{}})),
                 leave_result(out, size, thread())};
  return kernel;
}

}  // namespace

SharedBenchmark shared(const schedule::Machine& machine) {
  SharedBenchmark made;
  made.threads = 32;  // a power of two
  while (made.threads * 2 <= std::min(256, machine.threads_in_x)) made.threads *= 2;
  const int size = made.threads;
  Draft draft("shared", Scalar::F32);
  const int out = draft.memory("out", Scalar::I32, results(std::max(size, machine.threads)));
  const int out_long = draft.memory("out_long", Scalar::I64, results(size));
  draft.measured(read_kernel("shared_reads", Scalar::I32, size), {out});
  draft.measured(read_kernel("shared_reads_long", Scalar::I64, size), {out_long});
  draft.measured(chase_kernel(machine.warp), {out});
  draft.measured(exchange_kernel(size), {out});
  for (int warps = 1; warps * machine.warp <= machine.threads_in_x; warps *= 2) {
    made.barrier_threads.push_back(warps * machine.warp);
    draft.measured(barrier_kernel(warps * machine.warp), {out});
  }
  made.bytes = double{kLoads} * size * size_in_bytes(Scalar::I32);
  made.bytes_long = double{kLoads} * size * size_in_bytes(Scalar::I64);
  made.module = draft.finish();
  return made;
}

Benchmark shuffles() {
  constexpr int kWarp = 32;  // maximum length of a shuffle's row
  Draft draft("shuffles", Scalar::F32);
  const int out = draft.memory("out", Scalar::I32, results(kWarp));
  Kernel kernel = kernel_of("shuffle", kWarp);
  const BufferId result = global(kernel, "out", Scalar::I32, results(kWarp), false);
  const BufferId ends[] = {of_thread(kernel, "one", Scalar::I32),
                           of_thread(kernel, "other", Scalar::I32)};
  Body body;
  for (int s = 0; s < kShuffles; ++s) {
    body.push_back({Shuffle{"", 1, {{ends[(s + 1) % 2], {}, ends[s % 2], {}, 1}}}});
  }
  kernel.body = {threads({store(ends[0], thread())}), repeat("pass", passes(), std::move(body)),
                 leave_result(result, kWarp, read(ends[0], Scalar::I32))};
  draft.measured(std::move(kernel), {out});
  return {draft.finish(), kWarp, kShuffles};
}

}  // namespace stencil::measure
