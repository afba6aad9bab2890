// A kernel under construction, with the launch that goes with it: the two lists of arrays stay in
// step.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/schedule/parts/evaluate.h"
#include "compiler/schedule/parts/kernel_scope.h"
#include "compiler/schedule/parts/tiling.h"

namespace stencil::schedule {

class KernelBuilder {
 public:
  // To be added to `module`, whose constants it may name.
  KernelBuilder(const Interface& interface, const kernel::Module& module, std::string name,
                std::string comment);

  // A constant of the module, under a name that none of its kernels uses.
  kernel::Expr constant(kernel::Module& module, const std::string& wanted, int64_t value,
                        std::string comment);

  // The argument for one slot of one component; the same buffer each time it is asked for.
  // `stored`: the kernel writes to it.
  kernel::BufferId global(ir::FieldId field, int component, int slot, bool stored);
  // The argument for scratch memory of the plan; one buffer per call.
  kernel::BufferId scratch(const kernel::Plan& plan, int index, bool stored);
  // The value of a reduction that is in the plan.
  kernel::Expr load_reduction(const ir::ReductionRef& read);
  // That, for evaluate().
  ReadReduction reductions() {
    return [this](const ir::ReductionRef& read) { return load_reduction(read); };
  }
  kernel::BufferId local(kernel::Space space, const std::string& name, Scalar type,
                         std::vector<kernel::Expr> extents, std::string comment);

  // Boxes of one slot of a component, for bulk copies: the same source each time it is asked for.
  int boxes(ir::FieldId field, int component, int slot, const std::vector<int>& box);

  // Load of `access` from global memory, boundary rule included, for a piece evaluated at `point`.
  kernel::Expr load_global(const ir::Access& access, const Point& point);
  // Likewise, where it is known where the access lands.
  kernel::Expr load_global(const ir::Access& access, const Landing& landing);
  // What an access in place gives. `within`: makes a coordinate of the grid, by its dimension, one
  // that the grid has.
  using Within = std::function<kernel::Expr(int, const kernel::Expr&)>;
  kernel::Expr load_in_place(const ir::Access& access, Landings& landings,
                             const Within& within = {});
  // What is done in a plane, as `make` writes it: in planes in which no point of these sets weighs
  // without looking for any. `plane`: an index of the grid's outermost dimension.
  kernel::Body by_points(const std::set<ir::FieldId>& sets, const kernel::Expr& plane,
                         const std::function<kernel::Body()>& make);
  void store_global(ir::FieldId field, int component, int slot, const Point& point,
                    kernel::Expr value, kernel::Body& body);

  const Interface& interface() const { return interface_; }
  Names& names() { return scope_.names(); }
  KernelScope& scope() { return scope_; }
  kernel::Kernel& kernel() { return kernel_; }

  // Binds the scalars and adds the kernel to the module; returns its launch over `blocks`.
  kernel::Launch launch(kernel::Expr blocks, kernel::Module& module);
  // The same, with the launch as the module's next action.
  void finish(kernel::Expr blocks, kernel::Module& module);

 private:
  kernel::BufferId table(int memory);  // of points, by scratch memory
  kernel::Expr slab_of(const kernel::PointSet& set, const kernel::Expr& plane);
  kernel::Expr sum_at_points(const ir::Access& access, const Landing& landing, const Point& at,
                             Landings& landings);

  const Interface& interface_;
  const kernel::Module& module_;
  KernelScope scope_;
  kernel::Kernel kernel_;
  std::map<std::pair<int, int>, kernel::BufferId> globals_;  // (array, slot)
  std::map<int, kernel::BufferId> values_;                   // of reductions, by scratch memory
  bool no_points_ = false;                                   // where none of any set weighs
  std::map<int, kernel::BufferId> tables_;                   // of points, likewise
  std::vector<std::pair<kernel::BufferId, kernel::ArrayArgument>> arguments_;
  std::vector<kernel::ArrayArgument> described_;  // per bulk source
};

}  // namespace stencil::schedule
