// Kernels on memory and registers; shared memory is in block_modules.cpp.
//
// A value that a thread keeps between passes has its own buffer. On a GPU the buffer is a register.
// If threads are loops, it is an array over the threads in the L1 cache, which each pass loads and
// stores as vectors. Each pass does enough work to hide these accesses.
#include "runtime/measure/modules.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/measure/draft.h"

namespace stencil::measure {

using namespace kernel;

reference::State state_of(const Work& work) {
  reference::State state;
  state.integer_params = {work.kernel, work.blocks, work.passes, work.chunks, 0, 0};
  state.real_params = {0, 0, 0, 0, 0.5, 1};
  return state;
}

int steps_of_launch(const Module& module) {
  return module.plan.time_tile;
}

namespace {

// Initial value of a thread's chain, one of 4 different values, so that compilers cannot merge
// chains.
Expr first_value(int chain, Scalar type) {
  const Expr number = operation(Op::BitAnd, {kernel::add(thread(), integer(chain)), integer(3)});
  return multiply_add(convert(number, type), type);
}

// `chains` values per thread, and `length` dependent multiply-adds for each of them, interleaved.
std::vector<BufferId> make_chains(Kernel& kernel, Scalar type, int chains) {
  std::vector<BufferId> out;
  for (int c = 0; c < chains; ++c)
    out.push_back(of_thread(kernel, fmt::format("chain_{}", c), type));
  return out;
}
Body lengthen(const std::vector<BufferId>& chains, Scalar type, int length) {
  Body body;
  std::vector<Expr> values;
  const auto name = [&](size_t chain, int link) {
    body.push_back(let(fmt::format("v_{}_{}", chain, link), values[chain]));
    values[chain] = variable(fmt::format("v_{}_{}", chain, link), type);
  };
  for (size_t c = 0; c < chains.size(); ++c) {
    values.push_back(read(chains[c], type));
    name(c, 0);
  }
  for (int link = 1; link <= length; ++link) {
    for (size_t c = 0; c < chains.size(); ++c) {
      values[c] = multiply_add(values[c], type);
      name(c, link);
    }
  }
  for (size_t c = 0; c < chains.size(); ++c) body.push_back(store(chains[c], values[c]));
  return body;
}

// Multiply-adds: `chains` per thread, `length` per chain and pass.
Kernel chain_kernel(const std::string& name, Scalar type, int size, int chains, int length) {
  Kernel kernel = kernel_of(name, size);
  const BufferId out = global(kernel, "out", type, results(size), false);
  const std::vector<BufferId> all = make_chains(kernel, type, chains);
  Body first, last;
  Expr sum;
  for (size_t c = 0; c < all.size(); ++c) {
    first.push_back(store(all[c], first_value(static_cast<int>(c), type)));
    const Expr end = read(all[c], type);
    sum = sum ? add(sum, end) : end;
  }
  last.push_back(store(out, own_place(size), sum));
  kernel.body = {threads(first), repeat("pass", passes(), {threads(lengthen(all, type, length))}),
                 threads(last)};
  return kernel;
}

int block_size(const schedule::Machine& machine) {
  return machine.threads_are_loops ? 64 : std::min(256, machine.threads_in_x);
}

}  // namespace

Benchmark arithmetic(Scalar type, const schedule::Machine& machine) {
  constexpr int kChains = 4;
  const int size = block_size(machine);
  // In a loop over threads, short chains overlap with those of the next vector.
  const int length = machine.threads_are_loops ? 8 : 32;
  Draft draft(type == Scalar::F64 ? "arithmetic_double" : "arithmetic_float", type);
  const int out = draft.memory("out", type, results(size));
  draft.measured(chain_kernel("registers", type, size, kChains, length), {out});
  draft.measured(chain_kernel("chain", type, 1, 1, kChainLength), {out});
  return {draft.finish(), size, double{kChains} * length * size};
}

Benchmark reads(Scalar type, const schedule::Machine& machine) {
  const int size = block_size(machine);
  const int64_t elements = kChunkBytes / size_in_bytes(type);
  const int64_t loads = std::min<int64_t>(16, elements / size);
  const int64_t rows = elements / (size * loads);
  Draft draft(type == Scalar::I64 ? "reads_long" : "reads", Scalar::F32);
  const Expr all = mul(chunks(), long_of(elements));
  const int data = draft.memory("data", type, all);
  const int out = draft.memory("out", type, results(size));

  Kernel fill = kernel_of("fill", size);
  const BufferId filled = global(fill, "data", type, all, false);
  const Expr to =
      add(mul(block(), long_of(elements)), long_of(mul(variable("row"), integer(size))));
  fill.body = {
      repeat("row", integer(elements / size),
             {let("to", to), threads({store(filled, place(variable("to", Scalar::I64), 0),
                                            convert(add(thread(), variable("row")), type))})})};
  draft.prepares(std::move(fill), {data});

  Kernel kernel = kernel_of("read", size);
  const BufferId from = global(kernel, "data", type, all, true);
  const BufferId result = global(kernel, "out", type, results(size), false);
  const BufferId chunk = of_block(kernel, "chunk", Scalar::I64);
  const BufferId sum = of_thread(kernel, "sum", type);
  const Expr base = variable("base", Scalar::I64), next = variable("next", Scalar::I64);
  Body row = {};
  Expr total;
  for (int64_t l = 0; l < loads; ++l) {
    const Expr value = read(from, place(base, l * size), type);
    total = total ? exclusive_or(total, value) : value;
  }
  row.push_back(store(sum, exclusive_or(read(sum, type), total)));
  const Expr at = read(chunk, integer(0), Scalar::I64);
  const Expr start =
      operation(Op::Mod, {operation(Op::Div, {mul(block(), chunks()), blocks()}), chunks()});
  const Expr in_chunk = long_of(mul(variable("row"), integer(size * loads)));
  kernel.body = {
      store(chunk, integer(0), start), threads({store(sum, zero(type))}),
      repeat("pass", passes(),
             {repeat("row", integer(rows),
                     {let("base", add(mul(at, long_of(elements)), in_chunk)), threads(row)}),
              let("next", add(at, long_of(1))),
              store(chunk, integer(0),
                    operation(Op::Select, {less(next, chunks()), next, long_of(0)}))}),
      threads({store(result, own_place(size), read(sum, type))})};
  draft.measured(std::move(kernel), {data, out});
  return {draft.finish(), size, static_cast<double>(kChunkBytes)};
}

namespace {

// Source and target memory for a copy of F32 or F64; a kernel fills the source.
struct Ends {
  int from, to;   // results of Draft::memory()
  Expr elements;  // of each
  int64_t in_chunk;
};
Ends make_ends(Draft& draft, Scalar type, int size) {
  Ends ends;
  ends.in_chunk = kChunkBytes / size_in_bytes(type);
  ends.elements = mul(chunks(), long_of(ends.in_chunk));
  ends.from = draft.memory("source", type, ends.elements);
  ends.to = draft.memory("target", type, ends.elements);
  Kernel fill = kernel_of("fill", size);
  const BufferId source = global(fill, "source", type, ends.elements, false);
  const BufferId target = global(fill, "target", type, ends.elements, false);
  const Expr to =
      add(mul(block(), long_of(ends.in_chunk)), long_of(mul(variable("row"), integer(size))));
  const Expr here = place(variable("to", Scalar::I64), 0);
  fill.body = {repeat("row", integer(ends.in_chunk / size),
                      {let("to", to), threads({store(source, here, term(type)),
                                               store(target, here, zero(type))})})};
  draft.prepares(std::move(fill), {ends.from, ends.to});
  return ends;
}

}  // namespace

Benchmark copies(const schedule::Machine& machine) {
  constexpr Scalar kType = Scalar::F32;
  const bool loops = machine.threads_are_loops;
  const int size = loops ? 512 : block_size(machine);
  const int vector = loops ? 1 : 4, moves = loops ? 1 : 4;
  Draft draft("copies", kType);
  const Ends ends = make_ends(draft, kType, size);
  Kernel kernel = kernel_of("copy", size);
  const BufferId from = global(kernel, "source", kType, ends.elements, true);
  const BufferId to = global(kernel, "target", kType, ends.elements, false);
  const BufferId held = of_thread(kernel, "held", kType, vector * moves);
  Body body;
  const auto at = [&](int move) {
    return add(variable("base", Scalar::I64),
               long_of(mul(add(thread(), integer(move * size)), integer(vector))));
  };
  for (int m = 0; m < moves; ++m) {
    body.push_back({Copy{held, {integer(m * vector)}, from, {at(m)}, vector}});
  }
  for (int m = 0; m < moves; ++m) {
    body.push_back({Copy{to, {at(m)}, held, {integer(m * vector)}, vector}});
  }
  const int64_t row = int64_t{size} * vector * moves;
  const Expr base =
      add(mul(block(), long_of(ends.in_chunk)), long_of(mul(variable("row"), integer(row))));
  kernel.body = {repeat("row", integer(std::max<int64_t>(1, ends.in_chunk / row)),
                        {let("base", base), threads(body)})};
  draft.measured(std::move(kernel), {ends.from, ends.to});
  return {draft.finish(), size, 2.0 * kChunkBytes};
}

Benchmark overlap(Scalar type, const schedule::Machine& machine) {
  constexpr int kElements = 8;  // per thread: loads in flight, and independent chains
  const int size = block_size(machine);
  Draft draft(type == Scalar::F64 ? "overlap_double" : "overlap_float", type);
  const Ends ends = make_ends(draft, type, size);
  Kernel kernel = kernel_of("overlap", size);
  const BufferId from = global(kernel, "source", type, ends.elements, true);
  const BufferId to = global(kernel, "target", type, ends.elements, false);
  const std::vector<BufferId> chains = make_chains(kernel, type, kElements);
  const Expr base = variable("base", Scalar::I64);
  Body loads, stores;
  for (int c = 0; c < kElements; ++c) {
    const Expr at = place(base, int64_t{c} * size);
    loads.push_back(store(chains[c], read(from, at, type)));
    stores.push_back(store(to, at, read(chains[c], type)));
  }
  const int64_t row = int64_t{size} * kElements;
  const Expr first =
      add(mul(block(), long_of(ends.in_chunk)), long_of(mul(variable("row"), integer(row))));
  kernel.body = {repeat(
      "row", integer(ends.in_chunk / row),
      {let("base", first), threads(loads),
       repeat("pass", passes(), {threads(lengthen(chains, type, kOverlapped))}), threads(stores)})};
  draft.measured(std::move(kernel), {ends.from, ends.to});
  return {draft.finish(), size, static_cast<double>(ends.in_chunk)};
}

// Nodes are visited in the order of a full-period linear congruential generator (D. Knuth, The Art
// of Computer Programming, volume 2, 3.2.1.2, theorem A: for a power of two, the factor is 1 modulo
// 4 and the increment odd), which defeats prefetching. Memory written after the links evicts them
// from caches that cannot hold everything.
Benchmark chase(const schedule::Machine& machine) {
  constexpr int64_t kFactor = 1664525, kIncrement = 1013904223;
  const Scalar type = machine.threads_are_loops ? Scalar::I64 : Scalar::I32;
  const int64_t apart = kChaseBytes / size_in_bytes(type);
  constexpr int64_t kFlushed = 4;  // a quarter of the memory has links
  Draft draft("chase", Scalar::F32);
  const Expr nodes = mul(chunks(), long_of(kChaseNodes));
  const Expr elements = mul(nodes, long_of(kFlushed * apart));
  const int next = draft.memory("next", type, elements);
  const int place_memory = draft.memory("place", type, long_of(1));

  Kernel fill = kernel_of("fill", kChaseNodes);
  const BufferId filled = global(fill, "next", type, elements, false);
  const BufferId begin = global(fill, "place", type, long_of(1), false);
  const Expr node = variable("node", Scalar::I64);
  const Expr follower = operation(
      Op::BitAnd, {add(mul(node, long_of(kFactor)), long_of(kIncrement)), sub(nodes, long_of(1))});
  fill.body = {threads(
      {let("node", place(mul(block(), long_of(kChaseNodes)), 0)),
       store(filled, mul(node, long_of(apart)), convert(mul(follower, long_of(apart)), type)),
       {If{less(node, long_of(1)), {store(begin, long_of(0), zero(type))}, {}}}})};
  draft.prepares(std::move(fill), {next, place_memory});

  Kernel flush = kernel_of("flush", kChaseNodes);
  const BufferId flushed = global(flush, "next", type, elements, false);
  Body rest = {let("node", place(mul(block(), long_of(kChaseNodes)), 0))};
  for (int64_t part = 1; part < kFlushed; ++part) {
    const Expr other = add(node, mul(nodes, long_of(part)));
    rest.push_back(store(flushed, mul(other, long_of(apart)), zero(type)));
  }
  flush.body = {threads(rest)};
  draft.prepares(std::move(flush), {next});

  Kernel kernel = kernel_of("chase", 1);
  const BufferId from = global(kernel, "next", type, elements, true);
  const BufferId kept = global(kernel, "place", type, long_of(1), false);
  const BufferId at = of_thread(kernel, "at", type);
  Body body;
  Expr value = read(at, type);
  for (int l = 0; l < kChaseLength; ++l) {
    body.push_back(let(fmt::format("at_{}", l), read(from, value, type)));
    value = variable(fmt::format("at_{}", l), type);
  }
  body.push_back(store(at, value));
  kernel.body = {threads({store(at, read(kept, long_of(0), type))}),
                 repeat("pass", passes(), {threads(body)}),
                 threads({store(kept, long_of(0), read(at, type))})};
  draft.measured(std::move(kernel), {next, place_memory});
  return {draft.finish(), 1, kChaseLength};
}

}  // namespace stencil::measure
