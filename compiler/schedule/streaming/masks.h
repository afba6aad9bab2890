// Conditions that are the same for all planes of a patch. They are stored as bit masks that a
// thread computes once.
//
// The bits are spread: at most one of the lower seven bits of a byte is in use. ptxas tests several
// of these seven bits with one R2P instruction, which writes fixed predicate registers. Versions
// 12.9 to 13.5 let a second R2P overwrite a predicate that the next plane still needs
// (docs/design/notes/correctness.md).
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
    const Scalar type = word(columns);
    entry->second = context_.builder.local(kernel::Space::Thread, name, type, {}, comment);
    context_.builder.kernel().buffers[entry->second].zeroed = true;
    const Expr bit = kernel::operation(
        Op::Shl, {select(condition, kernel::integer(1, type), kernel::integer(0, type)),
                  bit_number(columns)});
    return context_.for_each_part(
        columns,
        as_body({kernel::Store{entry->second, {}, kernel::operation(Op::BitOr, {of(key), bit})}}));
  }
  // The mask of a key.
  Expr of(const std::string& key) const {
    const BufferId mask = masks_.at(key);
    return kernel::load(mask, {}, context_.builder.kernel().buffers[mask].type);
  }
  // Whether the mask's bit of the current part is set.
  Expr is_set(const Expr& mask, int columns) const {
    const Expr bit = kernel::operation(Op::Shr, {mask, bit_number(columns)});
    const Scalar type = word(columns);
    return kernel::operation(
        Op::Ne,
        {kernel::operation(Op::BitAnd, {bit, kernel::integer(1, type)}), kernel::integer(0, type)});
  }
  // Whether a mask has enough bits for the patch.
  bool has_room(int columns) const { return parts(columns) <= 16; }

 private:
  int parts(int columns) const { return context_.plan.patch[1] * columns; }
  // The type of a mask: each byte holds the bits of two parts.
  Scalar word(int columns) const { return parts(columns) <= 8 ? Scalar::I32 : Scalar::I64; }

  // Up to four parts have a byte each. Otherwise part 2 k has bit 8 k, and part 2 k + 1 bit 8 k
  // + 7.
  Expr bit_number(int columns) const {
    const Expr part = kernel::add(kernel::mul(context_.row(), literal(columns)),
                                  counter(context_.column_name, columns));
    if (parts(columns) <= 4) return kernel::mul(part, literal(8));
    return kernel::add(kernel::mul(divided(part, literal(2)), literal(8)),
                       kernel::mul(modulo(part, literal(2)), literal(7)));
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
