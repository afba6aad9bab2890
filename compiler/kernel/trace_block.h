// Execution of a kernel's blocks, one after the other, and counts of what they do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/kernel/trace_access.h"
#include "compiler/kernel/trace_code.h"
#include "compiler/kernel/trace_values.h"

namespace stencil::kernel::tracing {

class BlockTracer {
 public:
  // `values`: of constants and of scalars, as far as they are known.
  BlockTracer(const KernelCode& code, const std::map<std::string, int64_t>& values);

  void run(int64_t block);

  const Counters& counts() const { return counts_; }
  bool data_dependent() const { return data_dependent_; }
  int64_t work() const { return work_; }  // evaluations of expressions so far

 private:
  // What is known of a node of the statement at hand.
  struct State {
    uint64_t statement = 0;  // that it is of
    Mask done;               // the threads that have evaluated it
    Value value;
    Value offset;  // of a load
    const Value* result = nullptr;
  };
  using Roots = const int*;

  // Statements (trace_block.cpp).
  void run(const CodeBody& body, const Mask& mask);
  void run(const Code& code, const Mask& mask);
  void run_let(const Code& code, const Mask& mask);
  void run_if(const Code& code, const Mask& mask);
  void run_for(const Code& code, const For& loop, const Mask& mask);
  void run_iterations(const Code& code, const For& loop, const Mask& mask, const Value& begin,
                      const Value& end);
  void run_uncertain(const CodeBody& body, const Mask& mask);
  void run_shuffle(const Code& code, const Shuffle& shuffle, const Mask& mask);
  void shuffle_integers(const Shuffle::Move& move, const Value& to, const Value& from,
                        const Mask& mask);
  void run_bulk(const Code& code, const BulkCopies& bulk, const Mask& mask);
  void run_bulk(const BulkCopy& copy, Roots origin, const Mask& mask);
  // Counts a condition that the threads of `mask` ask, and on which those of `taken` agree.
  void branch(const Mask& mask, const Mask& taken);

  // Expressions (trace_expressions.cpp).
  const Value& value(int node, const Mask& mask);
  // For the threads of `mask`, which have not evaluated it before.
  void evaluate(const CodeNode& node, State& state, const Mask& mask);
  void operation(const CodeNode& node, State& state, const Mask& mask);
  void select(const CodeNode& node, State& state, const Mask& mask);
  void logic(const CodeNode& node, State& state, const Mask& mask);
  void count_operation(const CodeNode& node, const Mask& mask);
  int64_t count(const Mask& mask);
  const Value& evaluated(int node);  // zero if no thread has evaluated it
  Mask may_hold(int node, const Mask& mask);

  // Memory (trace_memory.cpp).
  const Buffer& buffer(BufferId id) const { return kernel_.buffers[static_cast<size_t>(id)]; }
  void offset(BufferId id, Roots index, const Mask& mask, Value& out);
  void run_store(const Code& code, const Store& store, const Mask& mask);
  void run_copy(const Code& code, const Copy& copy, const Mask& mask);
  void load(const CodeNode& node, State& state, const Mask& mask);
  // `count` elements of each thread from `offset` on, counted as loads or stores. An access that
  // another one counts as an operation (a copy in the background) has no `instruction` of its own.
  void access(BufferId id, const Value& offset, int count, const Mask& mask, bool stores,
              bool instruction = true);
  void access_warp(const Buffer& buffer, const WarpAccess& warp, bool stores);
  bool is_kept(BufferId id) const { return kept_[static_cast<size_t>(id)] != 0; }
  void reset_memory();
  void read(BufferId id, const Value& offset, int64_t further, const Mask& mask, Value& out);
  void write(BufferId id, const Value& offset, int64_t further, const Value& value,
             const Mask& mask);

  const KernelCode& code_;
  const Kernel& kernel_;
  const int threads_;
  const Mask all_;
  const int warps_;
  Counters counts_;
  bool data_dependent_ = false;
  int64_t work_ = 0;
  int uncertain_ = 0;                             // sides around that data may leave out
  uint64_t statement_ = 0;                        // executions of statements so far
  const std::vector<CodeNode>* nodes_ = nullptr;  // of the statement at hand
  std::vector<State> states_;                     // by node of it
  std::vector<Value> variables_;
  std::vector<std::vector<int64_t>> extents_;  // by buffer; -1: unknown
  std::vector<int64_t> shared_offsets_;        // by buffer
  std::vector<char> kept_;                     // by buffer: its integers are held in `memory_`
  std::vector<std::vector<int64_t>> memory_;   // by buffer and element; of Thread then by thread
  Mask counted_;                               // by count(), latest
  int64_t number_ = 0;                         // of its threads
  Value offset_, other_offset_, read_, scaled_, sum_;  // scratch
};

}  // namespace stencil::kernel::tracing
