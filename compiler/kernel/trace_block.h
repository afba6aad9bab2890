// Executes blocks of a kernel one after the other and counts what they do.
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
  // `values`: the known values of constants and scalars.
  BlockTracer(const KernelCode& code, const std::map<std::string, int64_t>& values);

  void run(int64_t block);

  const Counters& counts() const { return counts_; }
  bool data_dependent() const { return data_dependent_; }
  int64_t work() const { return work_; }  // expression evaluations so far

 private:
  // State of a node of the current statement.
  struct State {
    uint64_t statement = 0;  // the statement execution that it belongs to
    Mask done;               // threads that have evaluated the node
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
  // Counts a condition evaluated by the threads of `mask` and true for those of `taken`.
  void branch(const Mask& mask, const Mask& taken);

  // Expressions (trace_expressions.cpp).
  const Value& value(int node, const Mask& mask);
  // Evaluates the node for the threads of `mask`, which have not evaluated it before.
  void evaluate(const CodeNode& node, State& state, const Mask& mask);
  void operation(const CodeNode& node, State& state, const Mask& mask);
  void select(const CodeNode& node, State& state, const Mask& mask);
  void logic(const CodeNode& node, State& state, const Mask& mask);
  void count_operation(const CodeNode& node, const Mask& mask);
  int64_t count(const Mask& mask);
  const Value& evaluated(int node);  // zero if no thread has evaluated it
  Mask may_hold(int node, const Mask& mask);

  // Memory (trace_memory.cpp).
  const Buffer& buffer(BufferId id) const { return kernel_.buffers[id]; }
  void offset(BufferId id, Roots index, const Mask& mask, Value& out);
  void run_store(const Code& code, const Store& store, const Mask& mask);
  void run_copy(const Code& code, const Copy& copy, const Mask& mask);
  void load(const CodeNode& node, State& state, const Mask& mask);
  // Accesses `count` elements per thread starting at `offset`, counted as loads or stores.
  // `instruction` is false if another access already counts as the operation (an async copy).
  void access(BufferId id, const Value& offset, int count, const Mask& mask, bool stores,
              bool instruction = true);
  void access_warp(const Buffer& buffer, const WarpAccess& warp, bool stores);
  bool is_kept(BufferId id) const { return kept_[id] != 0; }
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
  int uncertain_ = 0;                             // depth in branches and loops that may not run
  uint64_t statement_ = 0;                        // statement executions so far
  const std::vector<CodeNode>* nodes_ = nullptr;  // of the current statement
  std::vector<State> states_;                     // by node of the current statement
  std::vector<Value> variables_;
  std::vector<std::vector<int64_t>> extents_;  // by buffer; -1: unknown
  std::vector<int64_t> shared_offsets_;        // by buffer
  std::vector<char> kept_;                     // by buffer: `memory_` holds its integers
  std::vector<std::vector<int64_t>> memory_;   // by buffer, element and (Thread buffers) thread
  Mask counted_;                               // mask of the last call of count()
  int64_t number_ = 0;                         // number of its threads
  Value offset_, other_offset_, read_, scaled_, sum_;  // scratch
};

}  // namespace stencil::kernel::tracing
