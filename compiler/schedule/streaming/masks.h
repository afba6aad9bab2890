// Conditions that are the same for all planes of a patch. They are stored as bit masks that a
// thread computes once.
#pragma once

#include <map>
#include <string>

#include "compiler/schedule/streaming/point_flags.h"
#include "compiler/schedule/streaming/queues.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamMasks {
 public:
  explicit StreamMasks(const StreamContext& context) : context_(context) {}

  // Declares a mask with one bit for each of `columns` parts of each row of the patch, and sets the
  // bits where the condition holds. Does nothing if the key already has a mask.
  Body declare(const std::string& key, const std::string& name, const std::string& comment,
               int columns, const Expr& condition) {
    const auto [entry, fresh] = masks_.try_emplace(key, -1);
    if (!fresh) return {};
    entry->second = context_.builder.local(kernel::Space::Thread, name, Scalar::I32, {}, comment);
    context_.builder.kernel().buffers[entry->second].zeroed = true;
    const Expr bit = kernel::operation(
        Op::Shl, {select(condition, literal(1), literal(0)), bit_number(columns)});
    return context_.for_each_part(
        columns,
        as_body({kernel::Store{entry->second, {}, kernel::operation(Op::BitOr, {of(key), bit})}}));
  }
  // The mask of a key.
  Expr of(const std::string& key) const { return kernel::load(masks_.at(key), {}, Scalar::I32); }
  // Whether the mask's bit of the current part is set.
  Expr is_set(const Expr& mask, int columns) const {
    const Expr bit = kernel::operation(Op::Shr, {mask, bit_number(columns)});
    return kernel::operation(Op::Ne,
                             {kernel::operation(Op::BitAnd, {bit, literal(1)}), literal(0)});
  }
  // Whether a mask has enough bits for the patch.
  bool has_room(int columns) const { return context_.plan.patch[1] * columns <= 32; }

 private:
  Expr bit_number(int columns) const {
    return kernel::add(kernel::mul(context_.row(), literal(columns)),
                       counter(context_.column_name, columns));
  }

  const StreamContext& context_;
  std::map<std::string, BufferId> masks_;
};

// State used to compute and write a plane.
struct StreamParts {
  const StreamContext& context;
  const StreamTile& tile;
  const StreamQueues& queues;
  StreamMasks& masks;
  const StreamPointFlags& point_flags;  // of points that stages read
  const StreamPointFlags& sampled;      // of points that records sample
};

}  // namespace stencil::schedule
