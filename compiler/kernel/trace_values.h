// Integer values of all threads of a block, and masks of active threads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "compiler/kernel/trace.h"

namespace stencil::kernel::tracing {

// A set of threads of a block.
class Mask {
 public:
  static Mask all(int threads) {
    Mask out;
    for (int i = 0; i < threads; ++i) out.set(i);
    return out;
  }
  void set(int thread) { words_[thread / kWarpThreads] |= uint32_t{1} << (thread % kWarpThreads); }
  bool has(int thread) const {
    return (warp(thread / kWarpThreads) >> (thread % kWarpThreads)) & 1;
  }
  // The active threads of a warp, one bit each.
  uint32_t warp(int number) const { return words_[number]; }
  void set_warp(int number, uint32_t threads) { words_[number] = threads; }
  bool none() const {
    uint32_t any = 0;
    for (uint32_t word : words_) any |= word;
    return any == 0;
  }
  int count() const {
    int out = 0;
    for (uint32_t word : words_) out += std::popcount(word);
    return out;
  }
  friend bool operator==(const Mask&, const Mask&) = default;
  Mask& operator|=(const Mask& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  Mask& operator&=(const Mask& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  Mask without(const Mask& other) const {
    Mask out;
    for (size_t i = 0; i < words_.size(); ++i) out.words_[i] = words_[i] & ~other.words_[i];
    return out;
  }

 private:
  std::array<uint32_t, kBlockThreads / kWarpThreads> words_{};
};

// A value of type Bool, I32 or I64, computed in 64 bits. Inactive threads have arbitrary values.
struct Value {
  bool known = false;   // false: unknown for all threads
  bool uniform = true;  // all threads have the value `one`
  int64_t one = 0;
  std::vector<int64_t> each = {};  // by thread, if not uniform

  int64_t of(int thread) const { return uniform ? one : each[thread]; }
  void set(int64_t value) {
    known = uniform = true;
    one = value;
  }
  void forget() {
    known = false;
    uniform = true;
  }
  // Becomes a per-thread value with unspecified elements.
  int64_t* vary(int threads) {
    known = true;
    uniform = false;
    each.resize(static_cast<size_t>(threads));
    return each.data();
  }
};

// out = op(a, b), as support/evaluate.h defines it, of type `type`; `a` and `b` are known. Unary
// operators ignore `b`. `out` must not be `a` or `b`.
void apply(Op op, Scalar type, const Value& a, const Value& b, int threads, Value& out);

// The value after storing an integer to a buffer of this type.
int64_t stored_as(Scalar type, int64_t value);

// The threads of `mask` for which a known condition is true.
Mask where(const Value& condition, const Mask& mask, int threads);

}  // namespace stencil::kernel::tracing
