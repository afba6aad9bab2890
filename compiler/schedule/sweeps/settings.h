// Settings that only the `sweeps` family has.
#pragma once

#include <vector>

namespace stencil::schedule {

struct Setting;

// What a thread that sweeps a column of planes keeps in registers.
enum class Column {
  Cache,      // nothing: every operand is loaded when it is used, usually from cache
  Registers,  // operands, from the first plane that reads an operand to the last
  Partial,    // values computed from the planes loaded so far, such as partial sums
};

// Where a thread reads operands at neighbouring points.
enum class Operands {
  Cache,     // global memory
  Shared,    // shared memory, which holds the block's tile and its halo
  Rows,      // shared memory; the halo beyond row ends stays in global memory
  Tile,      // shared memory for the tile only; the whole halo stays in global memory
  Shuffles,  // warp shuffles along x, global memory in other directions
};

// Which threads load the halo of a shared-memory tile.
enum class Halo {
  Border,  // threads at the border, in addition to their own points
  Cover,   // extra threads that only load
  Remap,   // all threads, renumbered over the tile including its halo
};

// Where sweeps load operands of global memory.
enum class Memory {
  Plain,   // the arrays themselves: loads beside points test the bounds of their field
  Haloed,  // copies with a halo, filled before each sweep (haloed.h)
};

struct SweepsSettings {
  Column column = Column::Cache;
  Operands operands = Operands::Cache;
  Halo halo = Halo::Border;
  Memory memory = Memory::Plain;
  friend bool operator==(const SweepsSettings&, const SweepsSettings&) = default;
};

// All settings of the family, in printing order.
std::vector<Setting> sweeps_settings();

}  // namespace stencil::schedule
