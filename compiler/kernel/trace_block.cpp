// Execution of statements. All threads follow the control flow together, as the threads of a warp
// do: a body runs once for all threads that reach it, and both sides of a condition run one after
// the other.
#include "compiler/kernel/trace_block.h"

#include <algorithm>
#include <utility>

#include "compiler/kernel/evaluate.h"

namespace stencil::kernel::tracing {

BlockTracer::BlockTracer(const KernelCode& code, const std::map<std::string, int64_t>& values)
    : code_(code),
      kernel_(*code.kernel),
      threads_(static_cast<int>(kernel_.threads.product())),
      all_(Mask::all(threads_)),
      warps_((threads_ + kWarpThreads - 1) / kWarpThreads),
      states_(code.most_nodes),
      variables_(static_cast<size_t>(code.variables)) {
  for (const auto& [name, place] : code.outside) {
    const auto known = values.find(name);
    if (known != values.end()) variables_[place].set(known->second);
  }
  int64_t below = 1;  // product of the faster dimensions
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    const int length = kernel_.threads[axis];
    Value& variable = variables_[code.outside.at(kThreadNames[axis])];
    variable.set(0);
    if (length > 1) {
      int64_t* const each = variable.vary(threads_);
      for (int64_t i = 0; i < threads_; ++i) each[i] = i / below % length;
    }
    below *= length;
  }
  ++statement_;
  nodes_ = &code.extent_code.nodes;
  for (const std::vector<int>& roots : code.extents) {
    std::vector<int64_t>& extents = extents_.emplace_back();
    for (int root : roots) {
      const Value& extent = value(root, all_);
      extents.push_back(extent.known && extent.uniform ? extent.one : -1);
    }
  }
  counts_ = {};
  std::vector<NamedConstant> constants;
  for (const auto& [name, number] : values) constants.push_back({name, Scalar::I64, number, ""});
  shared_offsets_ = shared_layout(kernel_, constants).offsets;
  for (size_t id = 0; id < kernel_.buffers.size(); ++id) {
    const Buffer& buffer = kernel_.buffers[id];
    const bool known = std::all_of(extents_[id].begin(), extents_[id].end(),
                                   [](int64_t extent) { return extent >= 0; });
    kept_.push_back(buffer.space != Space::Global && !is_float(buffer.type) && known);
    int64_t elements = buffer.space == Space::Thread ? threads_ : 1;
    for (int64_t extent : extents_[id]) elements *= extent;
    memory_.emplace_back(kept_.back() ? static_cast<size_t>(elements) : 0);
  }
}

void BlockTracer::run(int64_t block) {
  variables_[code_.outside.at("block")].set(block);
  reset_memory();
  run(code_.body, all_);
}

void BlockTracer::run(const CodeBody& body, const Mask& mask) {
  for (const Code& code : body) run(code, mask);
}

void BlockTracer::run(const Code& code, const Mask& mask) {
  struct Visitor {
    BlockTracer& self;
    const Code& code;
    const Mask& mask;

    void operator()(const Comment&) const {}
    void operator()(const Let&) const { self.run_let(code, mask); }
    void operator()(const Store& store) const { self.run_store(code, store, mask); }
    void operator()(const Copy& copy) const { self.run_copy(code, copy, mask); }
    void operator()(const CommitCopies&) const {}
    void operator()(const AwaitCopies&) const {}
    void operator()(const For& loop) const { self.run_for(code, loop, mask); }
    void operator()(const If&) const { self.run_if(code, mask); }
    void operator()(const Threads&) const { self.run(code.body, mask); }
    void operator()(const Barrier&) const {
      ++self.counts_.barriers;
      self.counts_.operations += self.count(mask);
    }
    void operator()(const Shuffle& shuffle) const { self.run_shuffle(code, shuffle, mask); }
    void operator()(const BulkCopies& bulk) const { self.run_bulk(code, bulk, mask); }
    void operator()(const AwaitBulk&) const {
      self.value(code.roots[0], mask);
      ++self.counts_.barriers;
      self.counts_.operations += self.count(mask);
    }
    void operator()(const Scope&) const { self.run(code.body, mask); }
  };
  nodes_ = &code.nodes;
  ++statement_;
  std::visit(Visitor{*this, code, mask}, code.statement->kind);
}

void BlockTracer::run_let(const Code& code, const Mask& mask) {
  Value& variable = variables_[code.variable];
  const Value& result = value(code.roots[0], mask);
  variable.known = result.known;
  variable.uniform = result.uniform;
  variable.one = result.one;
  if (!result.uniform) variable.each = result.each;
  const auto& let = std::get<Let>(code.statement->kind);
  if (let.cases) branch(mask, result.known ? where(result, mask, threads_) : mask);
}

void BlockTracer::branch(const Mask& mask, const Mask& taken) {
  for (int warp = 0; warp < warps_; ++warp) {
    const uint32_t active = mask.warp(warp), yes = taken.warp(warp) & active;
    if (active == 0) continue;
    ++counts_.branches;
    counts_.operations += std::popcount(active);
    if (yes != 0 && yes != active) ++counts_.divergent_branches;
  }
}

void BlockTracer::run_uncertain(const CodeBody& body, const Mask& mask) {
  ++uncertain_;
  run(body, mask);
  --uncertain_;
}

void BlockTracer::run_if(const Code& code, const Mask& mask) {
  const Value& condition = value(code.roots[0], mask);
  if (!condition.known) {
    data_dependent_ = true;
    const Mask may_hold = this->may_hold(code.roots[0], mask);
    branch(mask, mask);
    if (!may_hold.none()) run_uncertain(code.body, may_hold);
    if (!code.otherwise.empty()) run_uncertain(code.otherwise, mask);
    return;
  }
  const Mask holds = where(condition, mask, threads_);
  const Mask fails = mask.without(holds);
  if (!code.fixed) branch(mask, holds);
  if (!holds.none()) run(code.body, holds);
  if (!code.otherwise.empty() && !fails.none()) run(code.otherwise, fails);
}

void BlockTracer::run_for(const Code& code, const For& loop, const Mask& mask) {
  const Value begin = value(code.roots[0], mask), end = value(code.roots[1], mask);
  if (begin.known && end.known) return run_iterations(code, loop, mask, begin, end);
  data_dependent_ = true;
  branch(mask, mask);
  variables_[code.variable].forget();
  run_uncertain(code.body, mask);
}

void BlockTracer::run_iterations(const Code& code, const For& loop, const Mask& mask,
                                 const Value& begin, const Value& end) {
  Value& variable = variables_[code.variable];
  const Value step{true, true, loop.step};
  Value counter = begin, next, goes_on;
  Mask active = mask;
  while (true) {
    apply(Op::Lt, Scalar::Bool, counter, end, threads_, goes_on);
    const Mask inside = where(goes_on, active, threads_);
    if (!code.fixed) {
      branch(active, inside);
      counts_.operations += 2 * count(inside);  // the increment, and the next comparison
    }
    active = inside;
    if (active.none()) return;
    variable = counter;
    run(code.body, active);
    apply(Op::Add, loop.begin->type, counter, step, threads_, next);
    std::swap(counter, next);
  }
}

void BlockTracer::run_shuffle(const Code& code, const Shuffle& shuffle, const Mask& mask) {
  for (int n = 0; n < shuffle.count; ++n) {
    if (code.variable >= 0) variables_[code.variable].set(n);
    ++statement_;
    Roots index = code.roots.data();
    for (const Shuffle::Move& move : shuffle.moves) {
      const int words = std::max(1, size_in_bytes(buffer(move.from).type) / 4);
      counts_.shuffles += static_cast<int64_t>(warps_) * words;
      counts_.operations += static_cast<int64_t>(threads_) * words;
      offset(move.to, index, mask, offset_);
      index += move.to_index.size();
      offset(move.from, index, mask, other_offset_);
      index += move.from_index.size();
      if (is_kept(move.to)) shuffle_integers(move, offset_, other_offset_, mask);
    }
  }
}

void BlockTracer::shuffle_integers(const Shuffle::Move& move, const Value& to, const Value& from,
                                   const Mask& mask) {
  read(move.from, from, 0, mask, read_);
  Value moved;
  if (read_.known) {
    const int row = kernel_.threads[0];
    int64_t* const each = moved.vary(threads_);
    for (int thread = 0; thread < threads_; ++thread) {
      const int other = thread % row + move.lane;
      each[thread] = read_.of(other >= 0 && other < row ? thread + move.lane : thread);
    }
  }
  write(move.to, to, 0, moved, mask);
}

void BlockTracer::run_bulk(const Code& code, const BulkCopies& bulk, const Mask& mask) {
  value(code.roots[0], mask);
  Roots index = code.roots.data() + 1;
  for (const BulkCopy& copy : bulk.copies) {
    run_bulk(copy, index, mask);
    index += copy.origin.size() + copy.to_index.size();
  }
}

// Counts the box row by row, clipped to the array.
void BlockTracer::run_bulk(const BulkCopy& copy, Roots origin, const Mask& mask) {
  const BulkSource& source = kernel_.bulk_sources[copy.source];
  const std::vector<int64_t>& extents = extents_[source.buffer];
  const int bytes = size_in_bytes(buffer(source.buffer).type);
  const size_t rank = source.box.size();
  std::vector<int64_t> begin(rank), end(rank);
  int64_t elements = 1, box = 1;
  for (size_t d = 0; d < rank; ++d) {
    const Value& at = value(origin[d], mask);
    const bool known = at.known && at.uniform && extents[d] >= 0;
    if (!known) data_dependent_ = true;
    const int64_t first = known ? at.one : 0, extent = known ? extents[d] : source.box[d];
    begin[d] = std::clamp<int64_t>(first, 0, extent);
    end[d] = std::clamp<int64_t>(first + source.box[d], begin[d], extent);
    elements *= end[d] - begin[d];
    box *= source.box[d];
  }
  counts_.operations += 1;
  counts_.load_requests += 1;
  counts_.global_loads += elements;
  if (bytes == 4) counts_.loads32 += elements;
  if (bytes == 8) counts_.loads64 += elements;
  counts_.load_bytes += elements * bytes;
  counts_.shared_stores += box;
  counts_.shared_store_wavefronts += (box * bytes + 127) / 128;
  if (elements == 0) return;
  for (std::vector<int64_t> row = begin;;) {
    int64_t first = 0;
    for (size_t d = 0; d < rank; ++d) first = first * extents[d] + row[d];
    const Touched touched =
        tracing::touched(first * bytes, (end[rank - 1] - begin[rank - 1]) * bytes);
    counts_.load_sectors += touched.sectors;
    counts_.load_lines += touched.lines;
    size_t d = rank - 1;
    while (d-- > 0) {
      if (++row[d] < end[d]) break;
      row[d] = begin[d];
    }
    if (d > rank) return;
  }
}

}  // namespace stencil::kernel::tracing
