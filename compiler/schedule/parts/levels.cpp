// A tile of n steps of a field with L levels leaves min(n, L) new levels; the L - n newest of the
// old ones, if that is positive, grow older by n and stay where they are. So slots rotate by
// min(n, L), which brings the last slots of an array to the front: of the levels that are written
// the k-th oldest goes to the k-th slot from the end, whatever n is.
//
// While one block writes its part of a new level, another may still be reading any old one beyond
// its own part. No new level may therefore have the memory of an old one: with T steps per tile
// that takes min(T, L) spare copies, and as many are enough, since old levels that are dropped
// become the spares of the next tile.
#include "compiler/schedule/parts/levels.h"

#include "compiler/analysis/time_tile.h"

namespace stencil::schedule {

int result_slot(const ir::Field& field, int time_tile, int steps, int level) {
  const int copies = field.history + analysis::levels_made(field, time_tile);
  return copies - analysis::levels_made(field, steps) + level;
}

void rotate_levels(const ir::Program& program, kernel::Plan& plan) {
  for (size_t a = 0; a < plan.arrays.size(); ++a) {
    kernel::Array& array = plan.arrays[a];
    if (!ir::is_written(program, array.field)) continue;
    const ir::Field& field = program.fields[static_cast<size_t>(array.field)];
    const int made = analysis::levels_made(field, plan.time_tile);
    array.copies = array.levels + made;
    for (int steps = 1; steps <= made; ++steps) {
      plan.actions.push_back(kernel::Rotate{static_cast<int>(a), steps});
    }
  }
}

}  // namespace stencil::schedule
