// Builds a kernel together with its launch, so that the kernel's buffers and the launch's arguments
// match.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/plan.h"
#include "compiler/schedule/common/evaluate.h"
#include "compiler/schedule/common/kernel_scope.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

// A box of the grid, bounds inclusive, that is the same for all threads of a block.
struct GridBox {
  Point first, last;
};

// The points of a thread, for sums over the entries of a point set (sources). Points adjacent in
// the last dimension form a part. A loop is null if it would have one iteration.
struct PointLanes {
  using Loop = std::function<kernel::Body(kernel::Body)>;
  Loop for_each_part, for_each_column;
  std::vector<kernel::Expr> extents, index;  // of the loop over parts; empty for a single part
  int columns = 1;                           // points per part
  // If sums of several steps are kept at once: the number of steps, and the current one. Null: one
  // step. Each `group` has its own sums.
  kernel::Expr steps, step;
  int group = 0;
  kernel::Expr column_index;  // null for a single column
  kernel::Body lets;          // of a part: definitions used by the members below
  kernel::Expr exists;        // condition: the part has points
  Point first;                // first column of the part
  kernel::Expr last_column;
  kernel::Expr column;  // current column, inside for_each_column
  // Range of the block's rows, if rows without entries are skipped by the whole block. Null: each
  // thread looks up the entries of its own points.
  kernel::Expr row_first, row_last;
};

class KernelBuilder {
 public:
  // The kernel will be added to `module` and may use its constants.
  KernelBuilder(const Interface& interface, const kernel::Module& module, std::string name,
                std::string comment);

  // Adds a constant to the module, under a name that no other kernel of the module uses.
  kernel::Expr constant(kernel::Module& module, const std::string& wanted, int64_t value,
                        std::string comment);

  // A number such as that of the tiles: a constant of the module, which kernels share if value and
  // comment agree; a literal if it is 0 or 1.
  kernel::Expr number_of(kernel::Module& module, const std::string& wanted, int64_t value,
                         const std::string& comment);

  // Sets the threads of a block and the points of a thread. Their numbers are literals with the
  // names of constants, which kernels share.
  void set_block(kernel::Module& module, const Shape& threads, const Shape& elements);
  // By dimension of the grid.
  const kernel::Expr& threads(int d) const { return threads_[interface_.rank() - 1 - d]; }
  const kernel::Expr& elements(int d) const { return elements_[interface_.rank() - 1 - d]; }

  // The kernel argument for one slot of a component. Repeated calls return the same buffer.
  // `stored`: the kernel writes to it.
  kernel::BufferId global(ir::FieldId field, int component, int slot, bool stored);
  // The kernel argument for scratch memory of the plan; a new buffer for each call.
  kernel::BufferId scratch(const kernel::Plan& plan, int index, bool stored);
  // Scratch memory of the plan, viewed as elements of another type.
  kernel::BufferId view(const kernel::Plan& plan, int index, Scalar type, bool stored);
  // The value of a reduction in the plan.
  kernel::Expr load_reduction(const ir::ReductionRef& read);
  // load_reduction() as a callback for evaluate().
  ReadReduction reductions() {
    return [this](const ir::ReductionRef& read) { return load_reduction(read); };
  }
  // A per-thread buffer that is shared by all uses with the same name, key, type and extents. `key`
  // distinguishes buffers of the same name.
  kernel::BufferId kept_by_thread(const std::string& name, const std::string& key, Scalar type,
                                  const std::vector<kernel::Expr>& extents,
                                  const std::string& comment = "");
  kernel::BufferId local(kernel::Space space, const std::string& name, Scalar type,
                         std::vector<kernel::Expr> extents, std::string comment);

  // A source of bulk copies: boxes of one slot of a component. Repeated calls return the same
  // source.
  int boxes(ir::FieldId field, int component, int slot, const std::vector<int>& box);

  // Load of `access` from global memory, with boundary rules, for a piece evaluated at `point`.
  kernel::Expr load_global(const ir::Access& access, const Point& point);
  // As above, for an access whose boundary rules are already resolved.
  kernel::Expr load_global(const ir::Access& access, const ResolvedAccess& resolved);
  // The value of an in-place access. `within` maps a coordinate of a dimension into the grid.
  using Within = std::function<kernel::Expr(int, const kernel::Expr&)>;
  kernel::Expr load_in_place(const ir::Access& access, AccessResolver& resolver,
                             const Within& within = {});
  // Appends the range [first, last] of dimension d to a box, clipped to the grid. `images`:
  // coordinates beyond the grid wrap around to the far side.
  void append_in_grid(int d, const kernel::Expr& first, const kernel::Expr& last, bool images,
                      GridBox& to) const;
  // A Boolean variable, defined in `body`. It is true if no point of the sets in `reads` has an
  // entry in the box.
  kernel::Expr none_weighs(const std::vector<ir::Access>& reads, const GridBox& box,
                           kernel::Body& body);
  // The code of `make`. If `reads` is not empty, the code has two variants. If `none` holds at run
  // time, the variant without point sets runs. Otherwise the full variant runs, preceded by the
  // code of `ahead`, if given.
  kernel::Body by_points(const std::vector<ir::Access>& reads, const kernel::Expr& none,
                         const std::function<kernel::Body()>& make,
                         const std::function<kernel::Body()>& ahead = {});
  // Computes the sums over entries for all points of a thread: first the zeros, then the sums.
  struct SumsAhead {
    kernel::Body zeros, sums;
  };
  SumsAhead sum_ahead(const std::vector<ir::Access>& reads, const PointLanes& lanes,
                      const kernel::Expr& time);
  // Lets the code of `make` in by_points() read the sums of sum_ahead(). Call it from `ahead`.
  void read_sums(const std::vector<ir::Access>& reads, const PointLanes& lanes);
  void store_global(ir::FieldId field, int component, int slot, const Point& point,
                    kernel::Expr value, kernel::Body& body);

  const Interface& interface() const { return interface_; }
  Names& names() { return scope_.names(); }
  KernelScope& scope() { return scope_; }
  kernel::Kernel& kernel() { return kernel_; }

  // Binds the scalar arguments and adds the kernel to the module. Returns its launch of `blocks`
  // blocks.
  kernel::Launch launch(kernel::Expr blocks, kernel::Module& module);
  // As launch(), and appends the launch to the module's actions.
  void finish(kernel::Expr blocks, kernel::Module& module);

  // The slab number of a plane; negative if no point of the set has an entry there.
  kernel::Expr slab_of(const kernel::PointSet& set, const kernel::Expr& plane);
  // The entries of one row of an existing slab, from the bucket of `first` to that of
  // `last_column`.
  struct Entries {
    kernel::Expr begin, end;
  };
  Entries entries_of(const kernel::PointSet& set, const kernel::Expr& slab, const Point& first,
                     const kernel::Expr& last_column);
  kernel::BufferId table(int memory);  // table of a point set, by scratch memory

 private:
  struct SumTo {
    kernel::BufferId buffer;
    std::vector<kernel::Expr> index;
    kernel::Expr column;  // of the current point
    PointLanes::Loop for_each_column;
  };
  struct Sum {
    kernel::BufferId buffer;
    std::vector<kernel::Expr> index;
    Scalar type;
  };
  // Where the sum for read number `r` is kept.
  Sum sum_of(const std::vector<ir::Access>& reads, size_t r, const PointLanes& lanes);
  const kernel::PointSet& set_of(const ir::Access& access) const;
  kernel::Expr from_low(const kernel::Expr& at, int d) const;
  kernel::Expr none_weighs_in(const kernel::PointSet& set, const GridBox& box, kernel::Body& body);
  kernel::Body add_entries(const ir::Access& access, const ResolvedAccess& resolved,
                           const Entries& entries, const SumTo& to, Names& names);
  kernel::Expr given_at_points(const ir::Access& access, AccessResolver& resolver,
                               const Within& within);

  const Interface& interface_;
  const kernel::Module& module_;
  KernelScope scope_;
  kernel::Kernel kernel_;
  std::array<kernel::Expr, kMaxRank> threads_, elements_;
  std::map<std::pair<int, int>, kernel::BufferId> globals_;  // (array, slot)
  std::map<int, kernel::BufferId> values_;                   // of reductions, by scratch memory
  bool no_points_ = false;                                   // the variant without point sets
  std::vector<std::pair<ir::Access, kernel::Expr>> sums_;    // computed ahead
  std::map<std::string, kernel::BufferId> kept_;             // per-thread buffers, by name, key,
                                                             // type and extents
  std::map<int, kernel::BufferId> tables_;                   // of point sets, by scratch memory
  std::vector<std::pair<kernel::BufferId, kernel::ArrayArgument>> arguments_;
  std::vector<kernel::ArrayArgument> described_;  // per bulk source
};

}  // namespace stencil::schedule
