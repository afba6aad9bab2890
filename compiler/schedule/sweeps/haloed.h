// Copies of arrays with a halo (memory=haloed; Holewinski, Pouchet and Sadayappan, ICS'12, section
// 4.4).
//
// Before a sweep, a kernel copies each array that the sweep reads beside its points into scratch
// memory. The copy extends beyond the field by all places that threads of the sweep may load. Its
// halo has the values of the field's boundary rules, and zeros where there is no rule; no result
// depends on these zeros. So the sweep loads operands without tests of bounds.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

struct SweepTile;

// The copy of an array. Its extents are known.
struct HaloedCopy {
  ir::Access from;                 // field, component and level; offsets are 0
  std::vector<int64_t> low, high;  // grid coordinates, inclusive; by dimension

  bool is_of(const ir::Access& read) const;
  int64_t extent(size_t d) const { return high[d] - low[d] + 1; }
  int64_t elements() const;
};

// Whether bounds of the program are known and accesses shift, as copies require. Else reports why
// not.
bool takes_halos(const ir::Program& program, Diagnostics& diagnostics);

// Gives the tiles their copies. Tiles that read the same array have equal copies.
void plan_copies(const ir::Program& program, std::vector<SweepTile>& tiles);

// Bytes per point that the copies of a tile read and write.
int64_t bytes_of_copies(const ir::Program& program, const SweepTile& tile);

// Fills copies before sweeps and gives sweeps access to them.
class HaloedMemory {
 public:
  HaloedMemory(const Interface& interface, kernel::Module& module)
      : interface_(interface), module_(module) {}

  // Appends the kernels that fill the tile's copies, except copies that are still up to date.
  void fill(const SweepTile& tile);
  // Marks copies of the fields that the tile writes as out of date.
  void write(const SweepTile& tile);
  // The tile's copies as buffers of the kernel that the builder makes, in the tile's order.
  std::vector<kernel::BufferId> read(const SweepTile& tile, KernelBuilder& builder);

 private:
  int memory_of(const HaloedCopy& copy);  // index into Plan::scratch

  const Interface& interface_;
  kernel::Module& module_;
  struct Filled {
    ir::Access from;
    int memory;
    bool up_to_date = false;
  };
  std::vector<Filled> copies_;
};

}  // namespace stencil::schedule
