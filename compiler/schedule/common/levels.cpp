// A tile of n steps of a field with L levels creates min(n, L) new levels. If n < L, the L - n
// newest old levels age by n and stay in place. So slots rotate by min(n, L), which moves the last
// slots of an array to the front. The k-th oldest of the written levels goes to the k-th slot from
// the end, for any n.
//
// While one block writes a new level, other blocks may still read any old level beyond their own
// part. So no new level may overwrite an old one. With T steps per tile this requires min(T, L)
// spare copies. That suffices, because dropped old levels become the spare slots of the next tile.
#include "compiler/schedule/common/levels.h"

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
    const ir::Field& field = program.fields[array.field];
    const int made = analysis::levels_made(field, plan.time_tile);
    array.copies = array.levels + made;
    for (int steps = 1; steps <= made; ++steps) {
      plan.actions.push_back(kernel::Rotate{static_cast<int>(a), steps});
    }
  }
}

}  // namespace stencil::schedule
