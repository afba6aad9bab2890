// Keys of values. The elaborator stores the result of a function application under a key of its
// arguments. Arithmetic stores weak values under a key of their operands. Constants are identified
// by type and by the bits of both tracks, nodes by their id. Weak values are shared objects
// (Arithmetic::weak), so their address identifies them.
#include "compiler/sema/value.h"

#include <bit>

namespace stencil::sema {
namespace {

void append_key(std::vector<int64_t>& key, const Constant& constant) {
  key.insert(key.end(), {constant.type ? static_cast<int64_t>(*constant.type) : -1,
                         constant.integer.has_value(), constant.integer.value_or(0),
                         std::bit_cast<int64_t>(constant.real)});
}

}  // namespace

void append_key(std::vector<int64_t>& key, const Leaf& leaf) {
  if (const auto* id = std::get_if<ir::NodeId>(&leaf)) {
    key.insert(key.end(), {0, *id});
  } else if (const auto* choice = std::get_if<Choice>(&leaf)) {
    key.insert(key.end(), {1, choice->condition});
    append_key(key, choice->if_true);
    append_key(key, choice->if_false);
  } else if (const auto* constant = std::get_if<Constant>(&leaf)) {
    key.insert(key.end(), {2, leaf.coordinate});
    append_key(key, *constant);
  } else {  // weak values are equal only if they are the same object (Arithmetic::weak)
    const auto* weak = std::get<Weak>(leaf).get();
    key.insert(key.end(), {3, static_cast<int64_t>(reinterpret_cast<intptr_t>(weak))});
  }
}

}  // namespace stencil::sema
