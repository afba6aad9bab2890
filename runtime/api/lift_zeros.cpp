#include "runtime/api/lift_zeros.h"

namespace stencil::api {

namespace {

// Whether the program calls fmax or fmin. In the runs of a proof the original calls versions that
// return the same zero as the program (runtime/host/load.cpp), although C does not specify its
// sign.
bool calls_fmax(const lifter::Lifted& lifted) {
  bool out = false;
  for (const auto& nest : lifted.execution.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const lifter::Store& store : leaf) {
          lifter::each_node(store.value, [&](lifter::X n) {
            out =
                out || (n->kind == lifter::XKind::Call && (n->text == "fmax" || n->text == "fmin"));
          });
        }
      }
    }
  }
  return out;
}

}  // namespace

std::string same_bits(const lifter::Lifted& lifted, bool differ) {
  const std::string same = "every bit is the same";
  if (differ && !lifted.program.point_sets.empty())
    return same + " except for the sign of zeros to which sources are added";
  if (differ || calls_fmax(lifted))
    return same + " except for the sign of zeros, which fmax and fmin do not specify";
  return same;
}

}  // namespace stencil::api
