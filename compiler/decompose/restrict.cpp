#include "compiler/decompose/restrict.h"

#include <algorithm>
#include <map>

#include "compiler/decompose/exchanges.h"
#include "compiler/decompose/needs.h"
#include "compiler/decompose/pieces.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::decompose {

namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // beyond every coordinate

ir::Range range_of(int64_t low, int64_t high) {
  return {{low, {}}, {high, {}}};
}

class Restriction {
 public:
  Restriction(const ir::Program& whole, const Decomposition& decomposition, int subdomain,
              bool in_common_tiles)
      : whole_(whole),
        decomposition_(decomposition),
        subdomain_(subdomain),
        in_common_tiles_(in_common_tiles),
        out_(whole) {
    const ir::Points owned = decomposition.owned(subdomain);
    for (size_t d = 0; d < owned.size(); ++d) {
      const auto& [low, high] = owned[d];
      const auto& depth = decomposition.needs.depth[d];
      const bool cut = decomposition.cuts[d] > 1, wraps = decomposition.wraps[d];
      const bool cut_low = cut && (wraps || low > low_of(whole.grid(), d));
      const bool cut_high = cut && (wraps || high < high_of(whole.grid(), d));
      memory_.push_back({cut_low ? low - depth.low : -kFar, cut_high ? high + depth.high : kFar});
    }
  }

  ir::Program run() {
    for (size_t d = 0; d < memory_.size(); ++d) {
      out_.domain().box.ranges[d] = held(whole_.grid().ranges[d], d);
    }
    if (in_common_tiles_) set_rim();
    for (ir::Field& field : out_.fields) restrict_field(field);
    for (ir::Function& function : out_.functions) restrict_function(function);
    for (ir::Init& init : out_.inits) restrict_init(init);
    share_reductions();
    return std::move(out_);
  }

 private:
  void set_rim() {
    const analysis::Margin left = left_by_tile(whole_, decomposition_);
    const analysis::Margin& depth = decomposition_.needs.depth;
    for (size_t d = 0; d < memory_.size(); ++d) {
      out_.origin.rim.push_back({memory_[d][0] == -kFar ? 0 : depth[d].low - left[d].low,
                                 memory_[d][1] == kFar ? 0 : depth[d].high - left[d].high});
    }
  }

  bool wraps(size_t d) const { return decomposition_.wraps[d]; }
  int64_t period(size_t d) const {
    return high_of(whole_.grid(), d) - low_of(whole_.grid(), d) + 1;
  }

  // The part of a range that is in memory. It keeps at least one point, the nearest one, because a
  // field with zero extent would look like an error. No access reads that point.
  ir::Range held(const ir::Range& range, size_t d) const {
    const auto& [first, last] = memory_[d];
    if (wraps(d)) return range_of(first, last);
    const int64_t low = std::max(range.low.constant, first);
    const int64_t high = std::min(range.high.constant, last);
    if (low <= high) return range_of(low, high);
    return range.high.constant < first ? range_of(range.high.constant, range.high.constant)
                                       : range_of(range.low.constant, range.low.constant);
  }

  void restrict_field(ir::Field& field) const {
    if (field.read_in_place()) return;
    for (size_t d = 0; d < memory_.size(); ++d) {
      const auto& [first, last] = memory_[d];
      const bool ends_low = !wraps(d) && field.box.ranges[d].low.constant >= first;
      const bool ends_high = !wraps(d) && field.box.ranges[d].high.constant <= last;
      field.box.ranges[d] = held(field.box.ranges[d], d);
      if (!ends_low) field.boundary[d].low = {};
      if (!ends_high) field.boundary[d].high = {};
    }
  }

  // The part of a range, shifted by `images` periods, whose values can be computed.
  ir::Range computed(const ir::Range& range, size_t d, int64_t images,
                     const analysis::Reach& reach) const {
    const auto& [first, last] = memory_[d];
    const int64_t shift = images * period(d);
    const int64_t low = first == -kFar ? -kFar : first + reach.low;
    const int64_t high = last == kFar ? kFar : last - reach.high;
    return range_of(std::max(range.low.constant + shift, low),
                    std::min(range.high.constant + shift, high));
  }

  void restrict_function(ir::Function& function) const {
    std::vector<ir::Piece> pieces;
    for (const ir::Piece& piece : function.pieces) {
      const analysis::Margin reach = reach_of(whole_, piece);
      std::vector<ir::Piece> here = {piece};
      for (size_t d = 0; d < memory_.size(); ++d) {
        std::vector<ir::Piece> next;
        for (const ir::Piece& each : here) append_images(each, d, reach[d], next);
        here = std::move(next);
      }
      std::move(here.begin(), here.end(), std::back_inserter(pieces));
    }
    if (pieces.empty()) {  // a function must have a piece; this one has no points
      pieces.push_back(function.pieces.front());
      for (size_t d = 0; d < memory_.size(); ++d) {
        const int64_t low = low_of(ir::target_box(out_, function), d);
        pieces.back().region.ranges[d] = range_of(low, low - 1);
      }
    }
    for (ir::Piece& piece : pieces) settle_accesses(piece);
    function.pieces = std::move(pieces);
  }

  void append_images(const ir::Piece& piece, size_t d, const analysis::Reach& reach,
                     std::vector<ir::Piece>& to) const {
    const ir::Range& range = piece.region.ranges[d];
    const auto append = [&](const ir::Range& at, int64_t images) {
      if (at.high.constant < at.low.constant) return;
      to.push_back(piece);
      to.back().region.ranges[d] = at;
      if (images != 0) move_back(to.back(), d, images * period(d));
    };
    if (!wraps(d)) return append(computed(range, d, 0, reach), 0);
    if (range == whole_.grid().ranges[d] && !depends_on(piece, d)) {
      const ir::Range all =
          range_of(range.low.constant - period(d), range.high.constant + period(d));
      return append(computed(all, d, 0, reach), 0);
    }
    for (int64_t images = -1; images <= 1; ++images) {
      append(computed(range, d, images, reach), images);
    }
  }

  // Shifts the piece to points `shift` points higher.
  void move_back(ir::Piece& piece, size_t d, int64_t shift) const {
    move_profiles(whole_, piece, d, shift);
    replace_index(piece, d, [&](ir::Graph& graph, ir::NodeId here) {
      return add_operation(graph, Op::Sub, Scalar::I32, {here, add_integer(graph, shift)});
    });
  }

  // Keeps only the escapes that are possible in the current region of the piece.
  void settle_accesses(ir::Piece& piece) const {
    std::vector<ir::NodeId*> roots;
    for (ir::NodeId& result : piece.results) roots.push_back(&result);
    ir::rewrite_graph(piece.graph, roots, [&](ir::Graph& graph, ir::Node node) {
      if (auto* access = std::get_if<ir::Access>(&node.kind)) {
        if (!access->in_place) settle(piece.region, *access);
      }
      return graph.add(std::move(node));
    });
  }

  void settle(const ir::Box& region, ir::Access& access) const {
    const ir::Field& field = out_.fields[access.field];
    for (size_t d = 0; d < memory_.size(); ++d) {
      const int64_t offset = access.offset(d);
      const bool below = field.boundary[d].low.kind != ir::BoundaryKind::None &&
                         low_of(region, d) + offset < low_of(field.box, d);
      const bool above = field.boundary[d].high.kind != ir::BoundaryKind::None &&
                         high_of(region, d) + offset > high_of(field.box, d);
      if (!below) access.escapes &= ~(1u << (2 * d));
      if (!above) access.escapes &= ~(2u << (2 * d));
    }
    if (access.escapes == 0) access.excess.clear();
  }

  // Images have the initial values of the points that they represent.
  void restrict_init(ir::Init& init) const {
    ir::Piece& piece = init.piece;
    const ir::Field& field = out_.fields[init.field];
    if (field.read_in_place()) return;
    piece.region = field.box;
    for (size_t d = 0; d < memory_.size(); ++d) {
      if (!wraps(d)) continue;
      replace_index(piece, d, [&](ir::Graph& graph, ir::NodeId here) {
        return add_wrapped(graph, here, add_integer(graph, low_of(whole_.grid(), d)),
                           add_integer(graph, high_of(whole_.grid(), d)),
                           add_integer(graph, period(d)));
      });
    }
  }

  void share_reductions() {
    auto subdomain = std::make_shared<ir::Subdomain>();
    subdomain->number = subdomain_;
    subdomain->count = decomposition_.subdomains();
    subdomain->owned = decomposition_.owned(subdomain_);
    for (const analysis::Reach& depth : decomposition_.needs.depth) {
      subdomain->depth.push_back({depth.low, depth.high});
    }
    for (const auto& [low, high] : memory_)
      subdomain->neighbours.push_back({low != -kFar, high != kFar});
    for (size_t d = 0; d < memory_.size(); ++d) {
      subdomain->grid.push_back({low_of(whole_.grid(), d), high_of(whole_.grid(), d)});
    }
    subdomain->halo_exchanges = halos_of(whole_, decomposition_, subdomain_);
    for (size_t r = 0; r < out_.reductions.size(); ++r) {
      subdomain->tiles.emplace_back();
      subdomain->profiles.emplace_back();
      ir::Reduction& reduction = out_.reductions[r];
      if (!reduction.target) {
        subdomain->tiles[r] = tiles_of(whole_, reduction, decomposition_);
        take(region_of(whole_, reduction, *subdomain->tiles[r], subdomain_), reduction);
      } else if (!reduction.at) {
        ir::Points region;
        for (size_t d = 0; d < memory_.size(); ++d) {
          const int64_t low = std::max(low_of(reduction.piece.region, d), subdomain->owned[d][0]);
          const int64_t high = std::min(high_of(reduction.piece.region, d), subdomain->owned[d][1]);
          region.push_back({low, std::max(high, low - 1)});
        }
        take(region, reduction);
        subdomain->profiles[r] =
            profile_exchanges(whole_, decomposition_, subdomain_, *reduction.target);
      }
      if (reduction.at) take(weighed(reduction), reduction);
      settle_accesses(reduction.piece);
    }
    out_.origin.subdomain = std::move(subdomain);
  }

  // The grid points at which the subdomain's points of a record may have weights.
  ir::Points weighed(const ir::Reduction& record) const {
    const ir::Points owned = decomposition_.owned(subdomain_);
    const int64_t width = whole_.fields[*record.at].as_point_set()->width;
    ir::Points out;
    for (size_t d = 0; d < owned.size(); ++d) {
      const int64_t low = std::max(low_of(record.piece.region, d), owned[d][0] - width);
      const int64_t high = std::min(high_of(record.piece.region, d), owned[d][1] + width);
      out.push_back({low, std::max(high, low - 1)});
    }
    return out;
  }

  void take(const ir::Points& points, ir::Reduction& reduction) const {
    for (size_t d = 0; d < points.size(); ++d) {
      reduction.piece.region.ranges[d] = range_of(points[d][0], points[d][1]);
    }
  }

  const ir::Program& whole_;
  const Decomposition& decomposition_;
  const int subdomain_;
  const bool in_common_tiles_;
  ir::Program out_;
  ir::Points memory_;  // +-kFar where it ends with the grid
};

}  // namespace

int64_t wrapped(const ir::Program& program, const Decomposition& decomposition, size_t d,
                int64_t coordinate) {
  if (!decomposition.wraps[d]) return coordinate;
  const int64_t low = low_of(program.grid(), d), high = high_of(program.grid(), d);
  const int64_t period = high - low + 1;
  return coordinate < low    ? coordinate + period
         : coordinate > high ? coordinate - period
                             : coordinate;
}

ir::Points owned_points(const ir::Program& program, const Decomposition& decomposition,
                        int subdomain, ir::FieldId id) {
  const ir::Field& field = program.fields[id];
  const ir::Points owned = decomposition.owned(subdomain);
  ir::Points out;
  for (int d = 0; d < field.box.rank(); ++d) {
    const ir::Range& range = field.box.ranges[d];
    const int of_grid = field.dimension(static_cast<size_t>(d));
    if (of_grid < 0) {
      out.push_back({range.low.constant, range.high.constant});
      continue;
    }
    const auto& [low, high] = owned[of_grid];
    out.push_back({std::max(range.low.constant, low), std::min(range.high.constant, high)});
  }
  return out;
}

ir::Program restrict_to(const ir::Program& program, const Decomposition& decomposition,
                        int subdomain, bool in_common_tiles) {
  return Restriction(program, decomposition, subdomain, in_common_tiles).run();
}

}  // namespace stencil::decompose
