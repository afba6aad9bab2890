// Memory accesses, and the integers stored in block and thread buffers.
#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/kernel/trace_block.h"

namespace stencil::kernel::tracing {

namespace {

constexpr int64_t kUnknownInteger = std::numeric_limits<int64_t>::min();
constexpr int kMostBytes = 16;  // largest access of a thread

// Elements per access when `count` contiguous elements are accessed.
int at_once(int count, int bytes) {
  int out = 1;
  while (2 * out * bytes <= kMostBytes && count % (2 * out) == 0) out *= 2;
  return out;
}

}  // namespace

// Offset in elements from the buffer's first element.
void BlockTracer::offset(BufferId id, Roots index, const Mask& mask, Value& out) {
  const std::vector<int64_t>& extents = extents_[id];
  bool known = true;
  for (size_t d = 0; d < extents.size(); ++d) {
    known = value(index[d], mask).known && known && (d == 0 || extents[d] >= 0);
  }
  if (!known) return out.forget();
  out.set(0);
  Value extent;
  for (size_t d = 0; d < extents.size(); ++d) {
    const Value& at = evaluated(index[d]);
    if (d == 0) {
      out = at;
      continue;
    }
    extent.set(extents[d]);
    apply(Op::Mul, Scalar::I64, out, extent, threads_, scaled_);
    apply(Op::Add, Scalar::I64, scaled_, at, threads_, sum_);
    std::swap(out, sum_);
  }
}

void BlockTracer::run_store(const Code& code, const Store& store, const Mask& mask) {
  offset(store.buffer, code.roots.data(), mask, offset_);
  const Value& stored = value(code.roots.back(), mask);
  access(store.buffer, offset_, 1, mask, true);
  if (is_kept(store.buffer)) write(store.buffer, offset_, 0, stored, mask);
}

void BlockTracer::run_copy(const Code& code, const Copy& copy, const Mask& mask) {
  offset(copy.to, code.roots.data(), mask, offset_);
  offset(copy.from, code.roots.data() + copy.to_index.size(), mask, other_offset_);
  access(copy.from, other_offset_, copy.count, mask, false);
  access(copy.to, offset_, copy.count, mask, true, !copy.async);
  for (int i = 0; i < copy.count && is_kept(copy.to); ++i) {
    read_.forget();
    if (is_kept(copy.from)) read(copy.from, other_offset_, i, mask, read_);
    write(copy.to, offset_, i, read_, mask);
  }
}

void BlockTracer::load(const CodeNode& node, State& state, const Mask& mask) {
  Value& at = state.offset;
  offset(node.buffer, node.operands.data(), mask, at);
  access(node.buffer, at, 1, mask, false);
  if (!is_kept(node.buffer)) return state.value.forget();
  read(node.buffer, at, 0, state.done, state.value);
}

void BlockTracer::access(BufferId id, const Value& offset, int count, const Mask& mask, bool stores,
                         bool instruction) {
  const Buffer& buffer = this->buffer(id);
  if (buffer.space != Space::Global && buffer.space != Space::Shared) return;
  const bool global = buffer.space == Space::Global;
  const int bytes = size_in_bytes(buffer.type);
  const int64_t elements = this->count(mask) * count;
  Counters& c = counts_;
  if (global) {
    (stores ? c.global_stores : c.global_loads) += elements;
    (stores ? c.store_bytes : c.load_bytes) += elements * bytes;
    if (bytes == 4) (stores ? c.stores32 : c.loads32) += elements;
    if (bytes == 8) (stores ? c.stores64 : c.loads64) += elements;
  } else {
    (stores ? c.shared_stores : c.shared_loads) += elements;
  }
  const int together = at_once(count, bytes);
  if (instruction) c.operations += elements / together;
  if (!offset.known && global) data_dependent_ = true;
  WarpAccess access;
  access.bytes = together * bytes;
  const int64_t base = global ? 0 : shared_offsets_[id];
  for (int done = 0; done < count; done += together) {
    for (int warp = 0; warp < warps_; ++warp) {
      access.count = 0;
      for (uint32_t left = mask.warp(warp); left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const auto n = static_cast<size_t>(access.count++);
        access.lanes[n] = lane;
        access.addresses[n] = offset.known
                                  ? base + (offset.of(warp * kWarpThreads + lane) + done) * bytes
                                  : int64_t{lane} * (global ? kSectorBytes : access.bytes);
      }
      if (access.count > 0) access_warp(buffer, access, stores);
    }
  }
}

void BlockTracer::access_warp(const Buffer& buffer, const WarpAccess& warp, bool stores) {
  Counters& c = counts_;
  if (buffer.space == Space::Shared) {
    (stores ? c.shared_store_wavefronts : c.shared_load_wavefronts) += wavefronts(warp);
    return;
  }
  const Touched touched = tracing::touched(warp);
  (stores ? c.store_requests : c.load_requests) += 1;
  (stores ? c.store_sectors : c.load_sectors) += touched.sectors;
  (stores ? c.store_lines : c.load_lines) += touched.lines;
}

void BlockTracer::reset_memory() {
  for (size_t id = 0; id < memory_.size(); ++id) {
    const bool zeroed = kernel_.buffers[id].zeroed;
    std::fill(memory_[id].begin(), memory_[id].end(), zeroed ? 0 : kUnknownInteger);
  }
}

// The result is known only if all threads of `mask` read known integers.
void BlockTracer::read(BufferId id, const Value& offset, int64_t further, const Mask& mask,
                       Value& out) {
  const std::vector<int64_t>& memory = memory_[id];
  if (!offset.known || memory.empty()) return out.forget();
  const bool own = buffer(id).space == Space::Thread;
  const int64_t scale = own ? threads_ : 1;
  const auto size = static_cast<int64_t>(memory.size());
  const auto element = [&](int thread) {
    const int64_t place = (offset.of(thread) + further) * scale + (own ? thread : 0);
    return place >= 0 && place < size ? memory[place] : kUnknownInteger;
  };
  if (offset.uniform && !own) {
    out.set(element(0));
    out.known = out.one != kUnknownInteger;
    return;
  }
  int64_t* const each = out.vary(threads_);
  bool known = true;
  for (int thread = 0; thread < threads_; ++thread) {
    each[thread] = mask.has(thread) ? element(thread) : 0;
    known = known && each[thread] != kUnknownInteger;
  }
  if (!known) out.forget();
}

// Stores unknown integers if the value, the offset, or whether the store executes is unknown.
void BlockTracer::write(BufferId id, const Value& offset, int64_t further, const Value& value,
                        const Mask& mask) {
  std::vector<int64_t>& memory = memory_[id];
  if (!offset.known) return std::fill(memory.begin(), memory.end(), kUnknownInteger);
  const Buffer& buffer = this->buffer(id);
  const bool own = buffer.space == Space::Thread, known = value.known && uncertain_ == 0;
  const int64_t scale = own ? threads_ : 1;
  const auto size = static_cast<int64_t>(memory.size());
  for (int thread = 0; thread < threads_; ++thread) {
    if (!mask.has(thread)) continue;
    const int64_t place = (offset.of(thread) + further) * scale + (own ? thread : 0);
    if (place < 0 || place >= size) continue;
    memory[place] = known ? stored_as(buffer.type, value.of(thread)) : kUnknownInteger;
  }
}

}  // namespace stencil::kernel::tracing
