// Walks a kernel as one block executes it, and computes every integer twice: in 64 bits, and in the
// type that the emitted code uses. No array is allocated, so grids may have any size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::schedule {

class IndexWalk {
 public:
  // `variables`: params, first_step and steps.
  IndexWalk(const kernel::Module& module, std::map<std::string, int64_t> variables);

  // Walks the threads at the block's corners, or all threads; the first and last iterations of long
  // loops; and both branches of conditions on data.
  void walk(const kernel::Kernel& kernel, int64_t block, bool all_threads = false);

  // Integers that leave their type and indices outside their buffer; each text once.
  const std::map<std::string, int>& faults() const { return faults_; }
  int64_t checked() const { return checked_; }  // indices of global arrays
  // Offsets, in elements, of the first and the last store to arrays of at least two elements.
  int64_t first_stored() const { return first_stored_; }
  int64_t last_stored() const { return last_stored_; }

 private:
  using Value = std::optional<int64_t>;  // nullopt: data, or a float
  using Known = std::unordered_map<const kernel::ExprNode*, Value>;

  void walk(const kernel::Body& body);
  void walk(const kernel::For& loop);
  void walk(const kernel::Threads& threads);
  void bind(const std::string& name, Value value);
  void unbind(size_t bound);  // keeps the first `bound` bindings
  void store(const kernel::Store& store, Known& known);
  Value value(const kernel::Expr& expr);
  Value value(const kernel::Expr& expr, Known& known);
  Value operation(const kernel::ExprNode& node, const kernel::Operation& operation, Known& known);
  Value fitting(const kernel::ExprNode& node, __int128 exact);
  void access(kernel::BufferId buffer, const std::vector<kernel::Expr>& index, int count,
              bool stores, Known& known);
  void fault(const std::string& text) { ++faults_[kernel_->name + ": " + text]; }

  const kernel::Module& module_;
  // The values of each name in the enclosing scopes, innermost last; and the bound names, in order.
  std::unordered_map<std::string, std::vector<Value>> variables_;
  std::vector<std::vector<Value>*> bound_;
  const kernel::Kernel* kernel_ = nullptr;
  bool all_threads_ = false;
  int64_t thread_ = 0;                                         // its number within Threads
  std::map<std::pair<kernel::BufferId, int64_t>, Value> own_;  // single values of threads
  std::map<std::string, int> faults_;
  int64_t checked_ = 0;
  int64_t first_stored_ = INT64_MAX, last_stored_ = -1;
};

}  // namespace stencil::schedule
