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

// Points of the grid from one to another, which are the same for all threads of a block.
struct GridBox {
  Point first, last;
};

// The points of a thread, for sums over entries that weigh at them: in parts, those of which lie
// side by side in the last dimension. Loops are null where there is one iteration.
struct PointLanes {
  using Loop = std::function<kernel::Body(kernel::Body)>;
  Loop for_each_part, for_each_column;
  std::vector<kernel::Expr> extents, index;  // of the parts, as far as there are several
  int columns = 1;                           // points of a part
  // Sums are kept for so many steps, those of different groups apart; null: for one at a time.
  kernel::Expr steps, step;
  int group = 0;
  kernel::Expr column_index;  // if there are several
  kernel::Body lets;          // of a part: define what follows
  kernel::Expr exists;        // there are such points
  Point first;                // the first column
  kernel::Expr last_column;
  kernel::Expr column;  // in for_each_column
  // The points of the rows that all threads of the block have, if those without entries are to be
  // left out together. Null: each thread looks for its own.
  kernel::Expr row_first, row_last;
};

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
  // The same with other elements, as many as have room.
  kernel::BufferId view(const kernel::Plan& plan, int index, Scalar type, bool stored);
  // The value of a reduction that is in the plan.
  kernel::Expr load_reduction(const ir::ReductionRef& read);
  // That, for evaluate().
  ReadReduction reductions() {
    return [this](const ir::ReductionRef& read) { return load_reduction(read); };
  }
  // What a thread keeps: one buffer for each such thing, whatever it is used for in turn. `key`
  // tells things of one name apart.
  kernel::BufferId kept_by_thread(const std::string& name, const std::string& key, Scalar type,
                                  const std::vector<kernel::Expr>& extents,
                                  const std::string& comment = "");
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
  // Adds the coordinates of a dimension from one place to another to a box, as far as the grid has
  // them. `images`: places beyond it are points of its far side.
  void append_in_grid(int d, const kernel::Expr& first, const kernel::Expr& last, bool images,
                      GridBox& to) const;
  // No point of the sets that are read weighs in the box; a variable that `body` defines.
  kernel::Expr none_weighs(const std::vector<ir::Access>& reads, const GridBox& box,
                           kernel::Body& body);
  // What is done at points of the grid, as `make` writes it: where `none` weighs without looking
  // for any, elsewhere behind what `ahead` writes, if it is given.
  kernel::Body by_points(const std::vector<ir::Access>& reads, const kernel::Expr& none,
                         const std::function<kernel::Body()>& make,
                         const std::function<kernel::Body()>& ahead = {});
  // Makes sums for all points of a thread: zeros first, for all threads.
  struct SumsAhead {
    kernel::Body zeros, sums;
  };
  SumsAhead sum_ahead(const std::vector<ir::Access>& reads, const PointLanes& lanes,
                      const kernel::Expr& time);
  // Has `make` of by_points() read them, if `ahead` calls it.
  void read_sums(const std::vector<ir::Access>& reads, const PointLanes& lanes);
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

  // The slab of a plane, which is negative where no point of the set weighs.
  kernel::Expr slab_of(const kernel::PointSet& set, const kernel::Expr& plane);
  // The entries of a row's buckets from one point to another, in a slab that there is.
  struct Entries {
    kernel::Expr begin, end;
  };
  Entries entries_of(const kernel::PointSet& set, const kernel::Expr& slab, const Point& first,
                     const kernel::Expr& last_column);
  kernel::BufferId table(int memory);  // of points, by scratch memory

 private:
  struct SumTo {
    kernel::BufferId buffer;
    std::vector<kernel::Expr> index;
    kernel::Expr column;  // of the point
    PointLanes::Loop for_each_column;
  };
  struct Sum {
    kernel::BufferId buffer;
    std::vector<kernel::Expr> index;
    Scalar type;
  };
  // Where that of a read is kept, by its place among the reads.
  Sum sum_of(const std::vector<ir::Access>& reads, size_t r, const PointLanes& lanes);
  const kernel::PointSet& set_of(const ir::Access& access) const;
  kernel::Expr from_low(const kernel::Expr& at, int d) const;
  kernel::Expr none_weighs_in(const kernel::PointSet& set, const GridBox& box, kernel::Body& body);
  kernel::Body add_entries(const ir::Access& access, const Landing& landing, const Entries& entries,
                           const SumTo& to, Names& names);
  kernel::Expr given_at_points(const ir::Access& access, Landings& landings, const Within& within);

  const Interface& interface_;
  const kernel::Module& module_;
  KernelScope scope_;
  kernel::Kernel kernel_;
  std::map<std::pair<int, int>, kernel::BufferId> globals_;  // (array, slot)
  std::map<int, kernel::BufferId> values_;                   // of reductions, by scratch memory
  bool no_points_ = false;                                   // where none of any set weighs
  std::vector<std::pair<ir::Access, kernel::Expr>> sums_;    // that were made ahead
  std::map<std::string, kernel::BufferId> kept_;             // by threads, by what it is
  std::map<int, kernel::BufferId> tables_;                   // of points, likewise
  std::vector<std::pair<kernel::BufferId, kernel::ArrayArgument>> arguments_;
  std::vector<kernel::ArrayArgument> described_;  // per bulk source
};

}  // namespace stencil::schedule
