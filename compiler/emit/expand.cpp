// Passes that replace features which a target lacks. Shuffles go through shared memory. Vector
// copies become element copies, async copies become synchronous, and the threads of a block do bulk
// copies. Loops zero large arrays.
#include <algorithm>
#include <map>

#include "compiler/emit/passes.h"
#include "compiler/kernel/evaluate.h"

namespace stencil::emit {

using namespace kernel;

namespace {

// The row-major number of a thread in its block, ignoring the dimensions before `first`.
Expr thread_number(const Kernel& kernel, size_t first) {
  Expr number = integer(0);
  for (size_t axis = kMaxRank; axis-- > first;) {
    const int count = kernel.threads[axis];
    if (count > 1) number = add(mul(number, integer(count)), variable(kThreadNames[axis]));
  }
  return number;
}

}  // namespace

// The body for name = 0 .. count-1; without a loop if count is 1.
Body counted(const std::string& name, int count, Body body) {
  Body out;
  if (count == 1) return body;
  out.push_back({For{LoopKind::Unrolled, name, integer(0), integer(count), 1, std::move(body)}});
  return out;
}

// thread_x + lane, or thread_x if that is outside the row.
Expr neighbour(int lane, int threads_x) {
  if (threads_x == 1) return integer(0);
  const Expr own = variable("thread_x");
  const Expr other = lane < 0 ? sub(own, integer(-lane)) : add(own, integer(lane));
  const Expr exists =
      lane < 0 ? operation(Op::Ge, {own, integer(-lane)}) : less(own, integer(threads_x - lane));
  return operation(Op::Select, {exists, other, own});
}

Kernel expand_shuffles(Kernel kernel, FreshNames& fresh) {
  // One scratch buffer per type, sized for the largest shuffle.
  std::map<Scalar, int64_t> places;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* shuffle = std::get_if<Shuffle>(&statement.kind);
    std::map<Scalar, int64_t> own;
    if (!shuffle) return;
    for (const Shuffle::Move& move : shuffle->moves) {
      own[kernel.buffers[move.from].type] += shuffle->count;
    }
    for (const auto& [type, count] : own) places[type] = std::max(places[type], count);
  });
  const int x = kernel.threads[0];
  std::map<Scalar, BufferId> scratch;
  for (const auto& [type, count] : places) {
    Buffer buffer;
    buffer.name = fresh("exchange");
    buffer.type = type;
    buffer.space = Space::Shared;
    buffer.extents = {integer(count), integer(kernel.threads.product(1)), integer(x)};
    buffer.comment = "values for neighbouring threads";
    scratch[type] = static_cast<BufferId>(kernel.buffers.size());
    kernel.buffers.push_back(std::move(buffer));
  }
  const Expr row = thread_number(kernel, 1);
  const Expr lane = x > 1 ? variable("thread_x") : integer(0);
  const auto through_memory = [&](Statement statement, Body& out) {
    const auto* shuffle = std::get_if<Shuffle>(&statement.kind);
    if (!shuffle) return out.push_back(std::move(statement));
    std::map<Scalar, int64_t> used;
    Body give, take;
    for (const Shuffle::Move& move : shuffle->moves) {
      const Scalar type = kernel.buffers[move.from].type;
      const Expr number = shuffle->count > 1 ? variable(shuffle->name) : integer(0);
      const Expr place = add(number, integer(used[type]));
      used[type] += shuffle->count;
      give.push_back(
          {Store{scratch[type], {place, row, lane}, load(move.from, move.from_index, type)}});
      take.push_back({Store{move.to, move.to_index,
                            load(scratch[type], {place, row, neighbour(move.lane, x)}, type)}});
    }
    out.push_back({Threads{counted(shuffle->name, shuffle->count, std::move(give))}});
    out.push_back({Barrier{}});
    out.push_back({Threads{counted(shuffle->name, shuffle->count, std::move(take))}});
    out.push_back({Barrier{}});
  };
  kernel.body = rewrite_body(std::move(kernel.body), through_memory);
  return kernel;
}

Kernel expand_async_copies(Kernel kernel, FreshNames&) {
  const auto at_once = [](Statement statement, Body& out) {
    const bool batches = std::holds_alternative<CommitCopies>(statement.kind) ||
                         std::holds_alternative<AwaitCopies>(statement.kind);
    if (batches) return;
    if (auto* copy = std::get_if<Copy>(&statement.kind)) copy->async = false;
    out.push_back(std::move(statement));
  };
  kernel.body = rewrite_body(std::move(kernel.body), at_once);
  return kernel;
}

Kernel expand_copies(Kernel kernel, FreshNames& fresh) {
  const std::string name = fresh("e");
  const auto by_element = [&](Statement statement, Body& out) {
    auto* copy = std::get_if<Copy>(&statement.kind);
    if (!copy) return out.push_back(std::move(statement));
    if (copy->count > 1) {
      copy->to_index.back() = add(copy->to_index.back(), variable(name));
      copy->from_index.back() = add(copy->from_index.back(), variable(name));
    }
    const Scalar type = kernel.buffers[copy->from].type;
    Body element;
    element.push_back({Store{copy->to, copy->to_index, load(copy->from, copy->from_index, type)}});
    for (Statement& inner : counted(name, copy->count, std::move(element))) {
      out.push_back(std::move(inner));
    }
  };
  kernel.body = rewrite_body(std::move(kernel.body), by_element);
  return kernel;
}

namespace {

// Distributes the elements of boxes over the threads of a block.
class BoxCopier {
 public:
  BoxCopier(const Kernel& kernel, FreshNames& fresh)
      : kernel_(kernel),
        element_(fresh("e")),
        number_(thread_number(kernel, 0)),
        count_(kernel.threads.product()) {
    size_t rank = 0;
    for (const BulkSource& source : kernel.bulk_sources) rank = std::max(rank, source.box.size());
    for (size_t d = 0; d < rank; ++d) coordinates_.push_back(fresh("at"));
  }

  // Copies element `e` of the box, or stores a zero if it lies outside the source.
  Statement copy(const BulkCopy& copy) const {
    const BulkSource& source = kernel_.bulk_sources[copy.source];
    const Buffer& from = kernel_.buffers[source.buffer];
    const size_t ahead = copy.to_index.size() - source.box.size();
    std::vector<Expr> to = copy.to_index, at;
    std::vector<Expr> conditions;
    Body body;
    int64_t inner = 1;  // stride of this dimension in elements of the box
    for (size_t d = source.box.size(); d-- > 0;) {
      Expr step = variable(element_);
      if (inner > 1) step = operation(Op::Div, {step, integer(inner)});
      if (d > 0) step = operation(Op::Mod, {step, integer(source.box[d])});
      if (source.box[d] == 1) step = integer(0);
      inner *= source.box[d];
      to[ahead + d] = add(to[ahead + d], step);
      body.push_back({Let{coordinates_[d], add(copy.origin[d], step)}});
      at.insert(at.begin(), variable(coordinates_[d]));
      conditions.push_back(operation(Op::Ge, {at.front(), integer(0)}));
      conditions.push_back(less(at.front(), convert(from.extents[d], Scalar::I32)));
    }
    Body inside, outside;
    inside.push_back({Store{copy.to, to, load(source.buffer, at, from.type)}});
    outside.push_back({Store{copy.to, to, zero(from.type)}});
    body.push_back({If{all_of(std::move(conditions)), std::move(inside), std::move(outside)}});
    return {For{LoopKind::Serial, element_, number_, integer(inner), count_, std::move(body)}};
  }

 private:
  const Kernel& kernel_;
  std::string element_;
  std::vector<std::string> coordinates_;
  Expr number_;  // of the thread in its block
  int64_t count_;
};

}  // namespace

Kernel expand_bulk_copies(Kernel kernel, FreshNames& fresh) {
  if (kernel.bulk_batches == 0) return kernel;
  const BoxCopier copier(kernel, fresh);
  const auto by_threads = [&](Statement statement, Body& out) {
    if (std::holds_alternative<AwaitBulk>(statement.kind)) return out.push_back({Barrier{}});
    const auto* bulk = std::get_if<BulkCopies>(&statement.kind);
    if (!bulk) return out.push_back(std::move(statement));
    Body all;
    for (const BulkCopy& copy : bulk->copies) all.push_back(copier.copy(copy));
    out.push_back({Threads{std::move(all)}});
  };
  kernel.body = rewrite_body(std::move(kernel.body), by_threads);
  kernel.bulk_sources.clear();
  kernel.bulk_batches = 0;
  return kernel;
}

Kernel zero_by_loops(Kernel kernel, FreshNames& fresh) {
  // Larger arrays are zeroed by loops. The smallest of them that occurred had 8,240 bytes.
  constexpr int64_t kTakenApart = 8192;
  Body zeros;
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    Buffer& buffer = kernel.buffers[b];
    if (buffer.space != Space::Thread || !buffer.zeroed) continue;
    std::vector<int64_t> extents;
    int64_t bytes = size_in_bytes(buffer.type);
    for (const Expr& extent : buffer.extents) {
      extents.push_back(evaluate(extent, {}).value_or(1));
      bytes *= extents.back();
    }
    if (bytes <= kTakenApart) continue;
    buffer.zeroed = false;
    std::vector<Expr> index;
    std::vector<std::string> names;
    for (const int64_t extent : extents) {
      names.push_back(fresh("place"));
      index.push_back(extent == 1 ? integer(0) : variable(names.back()));
    }
    Body body;
    body.push_back({Store{static_cast<BufferId>(b), index, zero(buffer.type)}});
    for (size_t d = extents.size(); d-- > 0;) {
      body = counted(names[d], static_cast<int>(extents[d]), std::move(body));
    }
    zeros.insert(zeros.end(), body.begin(), body.end());
  }
  if (!zeros.empty()) kernel.body.insert(kernel.body.begin(), {Threads{std::move(zeros)}});
  return kernel;
}

}  // namespace stencil::emit
