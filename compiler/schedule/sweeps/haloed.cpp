#include "compiler/schedule/sweeps/haloed.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/resolved_access.h"
#include "compiler/schedule/common/statements.h"
#include "compiler/schedule/sweeps/tile.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

constexpr int64_t kSector = 32;  // bytes

bool is_known(const ir::Box& box) {
  return std::all_of(box.ranges.begin(), box.ranges.end(), [](const ir::Range& range) {
    return range.low.is_constant() && range.high.is_constant();
  });
}

Scalar type_of(const ir::Program& program, const ir::Access& access) {
  const ir::Field& field = program.fields[access.field];
  return arithmetic_type(field.components[static_cast<size_t>(access.component)].type);
}

// The places that threads of the tile may load when they read at the offsets [-low, high].
HaloedCopy copy_of(const SweepTile& tile, const ir::Access& from, analysis::Margin reach) {
  HaloedCopy out{from, {}, {}};
  for (const TileWindow& window : tile.windows) {
    if (out.is_of(window.from)) reach = analysis::hull(reach, window.margin);
  }
  for (int d = 0; d < tile.rank; ++d) {
    const size_t i = static_cast<size_t>(d);
    const ir::Range& range = tile.tiled.ranges[i];
    int64_t low = range.low.constant, high = range.high.constant;
    if (tile.swept && d == 0) {
      low -= tile.column.lookback();
      high += tile.schedule.prefetch;
    } else {  // threads of the last tile may lie beyond the domain
      const int64_t core = std::max<int64_t>(tile.core(d), 1);  // the family refuses other tiles
      high = std::max(high, low + divide_up(high - low + 1, core) * core - 1);
      low -= tile.cover[i].low;
      high += tile.cover[i].high;
    }
    out.low.push_back(low - reach[i].low);
    out.high.push_back(high + reach[i].high);
  }
  return out;
}

// Lets rows begin and end at sectors, counted from the grid's edge, as rows of fields do.
void align_rows(const ir::Program& program, HaloedCopy& copy) {
  const int64_t unit = std::max<int64_t>(kSector / size_in_bytes(type_of(program, copy.from)), 1);
  const int64_t edge = program.grid().ranges.back().low.constant;
  int64_t& low = copy.low.back();
  const int64_t before = (low - edge) % unit;
  low -= before < 0 ? before + unit : before;
  copy.high.back() = low + divide_up(copy.high.back() - low + 1, unit) * unit - 1;
}

std::vector<HaloedCopy> copies_of(const ir::Program& program, const SweepTile& tile) {
  struct Read {
    ir::Access from;
    analysis::Margin reach;
    bool beside = false;
  };
  std::vector<Read> reads;
  for (const ir::Piece& piece : tile.sweep->function->pieces) {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (!is_operand(program, *access)) continue;
      ir::Access from = without_rules(*access);
      std::fill(from.maps.begin(), from.maps.end(), ir::IndexMap{});
      auto read = std::find_if(reads.begin(), reads.end(),
                               [&](const Read& known) { return known.from == from; });
      if (read == reads.end()) {
        read = reads.insert(reads.end(), {from, analysis::Margin(from.maps.size())});
      }
      read->beside |= !access->at_point() || access->escapes != 0;
      for (size_t d = 0; d < from.maps.size(); ++d) {
        const int64_t offset = access->offset(d);
        analysis::Reach& reach = read->reach[d];
        reach = {std::max(reach.low, -offset), std::max(reach.high, offset)};
      }
    }
  }
  std::vector<HaloedCopy> out;
  for (Read& read : reads) {
    if (!read.beside) continue;
    out.push_back(copy_of(tile, read.from, std::move(read.reach)));
    align_rows(program, out.back());
  }
  return out;
}

// Points of a copy beyond the field's box.
analysis::Margin beyond(const HaloedCopy& copy, const ir::Box& box) {
  analysis::Margin out;
  for (size_t d = 0; d < copy.low.size(); ++d) {
    const ir::Range& range = box.ranges[d];
    out.push_back({std::max<int64_t>(range.low.constant - copy.low[d], 0),
                   std::max<int64_t>(copy.high[d] - range.high.constant, 0)});
  }
  return out;
}

kernel::BufferId buffer_of(const kernel::Plan& plan, int memory, const HaloedCopy& copy,
                           bool stored, KernelBuilder& builder) {
  const kernel::BufferId buffer = builder.scratch(plan, memory, stored);
  std::vector<Expr>& extents = builder.kernel().buffers[static_cast<size_t>(buffer)].extents;
  extents.clear();
  for (size_t d = 0; d < copy.low.size(); ++d) extents.push_back(literal(copy.extent(d)));
  return buffer;
}

// The kernel that fills a copy, one thread per element.
void append_fill(const Interface& interface, const HaloedCopy& copy, int memory, const Shape& block,
                 kernel::Module& module) {
  const ir::Access& from = copy.from;
  const std::string name = interface.slot_name(from.field, from.component, from.level);
  Names names = interface.names_in(module);
  KernelBuilder builder(interface, module, names.unique(module.name + "_halo_of_" + name),
                        fmt::format("Copies {}, and its halo by the boundary rules.", name));
  builder.set_block(module, block, {});
  const int rank = interface.rank();
  const auto axes = axis_names(rank);
  ir::Box box;
  std::vector<TileLength> lengths;
  for (int d = 0; d < rank; ++d) {
    const auto i = static_cast<size_t>(d);
    box.ranges.push_back({{copy.low[i], {}}, {copy.high[i], {}}});
    lengths.push_back({along(block, rank, d), builder.threads(d)});
  }
  Tiling tiling = tile_box(box, lengths, builder, module);
  Body body;
  Point at;
  std::vector<Expr> index, conditions;
  for (int d = 0; d < rank; ++d) {
    const auto i = static_cast<size_t>(d);
    const Expr thread = along(block, rank, d) > 1
                            ? kernel::variable(kernel::kThreadNames[rank - 1 - d])
                            : literal(0);
    at.push_back(let(builder.names(), body, axes[i], kernel::add(tiling.origin[i], thread)));
    index.push_back(plus(at.back(), -copy.low[i]));
    conditions.push_back(kernel::less_equal(at.back(), literal(copy.high[i])));
  }
  const ir::Field& field = interface.program().fields[from.field];
  const Expr value = builder.load_global(
      from, resolve_place(interface, from.field, from.component, at, beyond(copy, field.box)));
  const kernel::BufferId to = buffer_of(module.plan, memory, copy, true, builder);
  append(body, guarded(kernel::all_of(std::move(conditions)),
                       as_body({kernel::Store{to, std::move(index), value}})));
  const Expr blocks = tiling.blocks;
  builder.kernel().body = std::move(tiling.lets);
  builder.kernel().body.push_back(threads(std::move(body)));
  builder.finish(blocks, module);
}

}  // namespace

bool HaloedCopy::is_of(const ir::Access& read) const {
  return read.field == from.field && read.component == from.component && read.level == from.level;
}

int64_t HaloedCopy::elements() const {
  int64_t out = 1;
  for (size_t d = 0; d < low.size(); ++d) out = bounded_product(out, extent(d));
  return out;
}

bool takes_halos(const ir::Program& program, Diagnostics& diagnostics) {
  const auto refuse = [&](const char* why, const Span& span, const char* expected) {
    Diagnostic& error = diagnostics.error(
        "L029", span, fmt::format("sweeps refused: memory=haloed does not support {}", why));
    error.expected = expected;
    error.hint = "leave out memory=haloed";
    return false;
  };
  if (program.domains.size() > 1) {
    return refuse("programs with several grids", program.domain().span, "a single grid");
  }
  constexpr const char* kKnown = "bounds without open params: give their values with -D";
  const char* const open = "open sizes, because the extents of halos must be known";
  if (!is_known(program.grid())) return refuse(open, program.domain().span, kKnown);
  for (const ir::Field& field : program.fields) {
    if (!field.read_in_place() && !is_known(field.box)) return refuse(open, field.span, kKnown);
  }
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      if (!is_known(piece.region)) return refuse(open, piece.span, kKnown);
    }
  }
  return true;
}

void plan_copies(const ir::Program& program, std::vector<SweepTile>& tiles) {
  for (SweepTile& tile : tiles) tile.copies = copies_of(program, tile);
  for (SweepTile& tile : tiles) {
    for (HaloedCopy& copy : tile.copies) {
      for (const SweepTile& other : tiles) {
        for (const HaloedCopy& same : other.copies) {
          if (!same.is_of(copy.from)) continue;
          for (size_t d = 0; d < copy.low.size(); ++d) {
            copy.low[d] = std::min(copy.low[d], same.low[d]);
            copy.high[d] = std::max(copy.high[d], same.high[d]);
          }
        }
      }
    }
  }
}

int64_t bytes_of_copies(const ir::Program& program, const SweepTile& tile) {
  int64_t out = 0;
  for (const HaloedCopy& copy : tile.copies) {
    out += size_in_bytes(type_of(program, copy.from));
  }
  return out;
}

int HaloedMemory::memory_of(const HaloedCopy& copy) {
  for (size_t c = 0; c < copies_.size(); ++c) {
    if (copy.is_of(copies_[c].from)) return static_cast<int>(c);
  }
  const ir::Access& from = copy.from;
  Names names = interface_.names_in(module_);
  const std::string name = interface_.slot_name(from.field, from.component, from.level);
  copies_.push_back({from, static_cast<int>(module_.plan.scratch.size())});
  module_.plan.scratch.push_back({names.unique(name + "_haloed"),
                                  type_of(interface_.program(), from),
                                  kernel::integer(copy.elements(), Scalar::I64)});
  return static_cast<int>(copies_.size()) - 1;
}

void HaloedMemory::fill(const SweepTile& tile) {
  for (const HaloedCopy& copy : tile.copies) {
    Filled& of = copies_[static_cast<size_t>(memory_of(copy))];
    if (of.up_to_date) continue;
    append_fill(interface_, copy, of.memory, tile.schedule.block, module_);
    of.up_to_date = true;
  }
}

void HaloedMemory::write(const SweepTile& tile) {
  for (const SweptTarget& target : tile.sweep->targets) {
    for (Filled& copy : copies_) {
      if (copy.from.field == target.field) copy.up_to_date = false;
    }
  }
}

std::vector<kernel::BufferId> HaloedMemory::read(const SweepTile& tile, KernelBuilder& builder) {
  std::vector<kernel::BufferId> out;
  for (const HaloedCopy& copy : tile.copies) {
    const Filled& of = copies_[static_cast<size_t>(memory_of(copy))];
    out.push_back(buffer_of(module_.plan, of.memory, copy, false, builder));
  }
  return out;
}

}  // namespace stencil::schedule
