#include "compiler/decompose/restrict.h"

#include <algorithm>
#include <array>
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
    for (size_t id = 0; id < whole.domains.size(); ++id) {
      take_domain(static_cast<ir::DomainId>(id));
    }
  }

  ir::Program run() {
    for (size_t id = 0; id < out_.domains.size(); ++id) {
      const auto domain = static_cast<ir::DomainId>(id);
      ir::Box& box = out_.domains[domain].box;
      for (size_t d = 0; d < rank(); ++d) box.ranges[d] = held(box.ranges[d], d, domain);
    }
    if (in_common_tiles_ && whole_.domains.size() == 1) set_rim();
    for (ir::Field& field : out_.fields) restrict_field(field);
    for (size_t f = 0; f < out_.functions.size(); ++f) {
      restrict_function(out_.functions[f], decomposition_.needs.computed[f]);
    }
    for (ir::Init& init : out_.inits) restrict_init(init);
    share_reductions();
    return std::move(out_);
  }

 private:
  void take_domain(ir::DomainId id) {
    const ir::Box& box = whole_.domains[id].box;
    const ir::Points owned = decomposition_.owned(subdomain_, id);
    ir::Points memory;
    for (size_t d = 0; d < owned.size(); ++d) {
      const auto& [low, high] = owned[d];
      const auto& depth = decomposition_.needs.depth[id][d];
      const bool cut = decomposition_.cuts[d] > 1;
      const bool cut_low = cut && (wraps(d) || low > low_of(box, d));
      const bool cut_high = cut && (wraps(d) || high < high_of(box, d));
      memory.push_back({cut_low ? low - depth.low : -kFar, cut_high ? high + depth.high : kFar});
    }
    memory_.push_back(std::move(memory));
  }

  void set_rim() {
    const analysis::Margin left = left_by_tile(whole_, decomposition_);
    const analysis::Margin& depth = decomposition_.needs.depth[0];
    for (size_t d = 0; d < rank(); ++d) {
      const auto& [first, last] = memory_[0][d];
      out_.origin.rim.push_back({first == -kFar ? 0 : depth[d].low - left[d].low,
                                 last == kFar ? 0 : depth[d].high - left[d].high});
    }
  }

  size_t rank() const { return decomposition_.cuts.size(); }
  bool wraps(size_t d) const { return decomposition_.wraps[d]; }
  int64_t period(size_t d, ir::DomainId domain) const {
    const ir::Box& box = whole_.domains[domain].box;
    return high_of(box, d) - low_of(box, d) + 1;
  }

  // The part of a range that is in memory. It keeps at least one point, the nearest one, because a
  // field with zero extent would look like an error. No access reads that point.
  ir::Range held(const ir::Range& range, size_t d, ir::DomainId domain) const {
    const auto& [first, last] = memory_[domain][d];
    if (wraps(d)) return range_of(first, last);
    const int64_t low = std::max(range.low.constant, first);
    const int64_t high = std::min(range.high.constant, last);
    if (low <= high) return range_of(low, high);
    return range.high.constant < first ? range_of(range.high.constant, range.high.constant)
                                       : range_of(range.low.constant, range.low.constant);
  }

  void restrict_field(ir::Field& field) const {
    if (field.read_in_place()) return;
    for (size_t d = 0; d < rank(); ++d) {
      const auto& [first, last] = memory_[field.domain][d];
      const bool ends_low = !wraps(d) && field.box.ranges[d].low.constant >= first;
      const bool ends_high = !wraps(d) && field.box.ranges[d].high.constant <= last;
      field.box.ranges[d] = held(field.box.ranges[d], d, field.domain);
      if (!ends_low) field.boundary[d].low = {};
      if (!ends_high) field.boundary[d].high = {};
    }
  }

  // The points that a piece can compute: `low` to `high` per dimension. Those that read other grids
  // need not compute more than the analysis asks for, and memory is known to hold what these read.
  ir::Points computable(const ir::Piece& piece, ir::DomainId domain,
                        const analysis::Margin& needed) const {
    const analysis::Margin reach = reach_of(whole_, piece);
    const bool across = reads_other_grids(whole_, piece);
    const ir::Points owned = decomposition_.owned(subdomain_, domain);
    ir::Points out;
    for (size_t d = 0; d < rank(); ++d) {
      const auto& [first, last] = memory_[domain][d];
      int64_t low = first == -kFar ? -kFar : first + reach[d].low;
      int64_t high = last == kFar ? kFar : last - reach[d].high;
      if (across && first != -kFar) low = std::max(low, owned[d][0] - needed[d].low);
      if (across && last != kFar) high = std::min(high, owned[d][1] + needed[d].high);
      out.push_back({low, high});
    }
    return out;
  }

  void restrict_function(ir::Function& function, const analysis::Margin& needed) const {
    std::vector<ir::Piece> pieces;
    for (const ir::Piece& piece : function.pieces) {
      const ir::Points within = computable(piece, function.domain, needed);
      std::vector<ir::Piece> here = {piece};
      for (size_t d = 0; d < rank(); ++d) {
        std::vector<ir::Piece> next;
        for (const ir::Piece& each : here) {
          append_images(each, d, function.domain, within[d], next);
        }
        here = std::move(next);
      }
      std::move(here.begin(), here.end(), std::back_inserter(pieces));
    }
    if (pieces.empty()) {  // a function must have a piece; this one has no points
      pieces.push_back(function.pieces.front());
      for (size_t d = 0; d < rank(); ++d) {
        const int64_t low = low_of(ir::target_box(out_, function), d);
        pieces.back().region.ranges[d] = range_of(low, low - 1);
      }
    }
    for (ir::Piece& piece : pieces) settle_accesses(piece);
    function.pieces = std::move(pieces);
  }

  // Appends the piece on the part of its region that lies `within` these bounds, and on its images.
  void append_images(const ir::Piece& piece, size_t d, ir::DomainId domain,
                     const std::array<int64_t, 2>& within, std::vector<ir::Piece>& to) const {
    const ir::Range& range = piece.region.ranges[d];
    const int64_t low = range.low.constant, high = range.high.constant;
    const auto append = [&](int64_t first, int64_t last, int64_t shift) {
      first = std::max(first, within[0]);
      last = std::min(last, within[1]);
      if (last < first) return;
      to.push_back(piece);
      to.back().region.ranges[d] = range_of(first, last);
      if (shift != 0) move_back(to.back(), d, shift);
    };
    if (!wraps(d)) return append(low, high, 0);
    const int64_t period = this->period(d, domain);
    if (range == whole_.domains[domain].box.ranges[d] && !depends_on(piece, d)) {
      return append(low - period, high + period, 0);
    }
    for (const int64_t shift : {-period, int64_t{0}, period}) {
      append(low + shift, high + shift, shift);
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
        if (!out_.fields[access->field].read_in_place()) settle(piece.region, *access);
      }
      return graph.add(std::move(node));
    });
  }

  void settle(const ir::Box& region, ir::Access& access) const {
    const ir::Field& field = out_.fields[access.field];
    for (size_t d = 0; d < rank(); ++d) {
      const ir::IndexMap& map = access.maps[d];
      const bool below = field.boundary[d].low.kind != ir::BoundaryKind::None &&
                         map.of(low_of(region, d)) < low_of(field.box, d);
      const bool above = field.boundary[d].high.kind != ir::BoundaryKind::None &&
                         map.of(high_of(region, d)) > high_of(field.box, d);
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
    const ir::Box& grid = whole_.domains[field.domain].box;
    for (size_t d = 0; d < rank(); ++d) {
      if (!wraps(d)) continue;
      replace_index(piece, d, [&](ir::Graph& graph, ir::NodeId here) {
        return add_wrapped(graph, here, add_integer(graph, low_of(grid, d)),
                           add_integer(graph, high_of(grid, d)),
                           add_integer(graph, period(d, field.domain)));
      });
    }
  }

  void share_reductions() {
    auto subdomain = std::make_shared<ir::Subdomain>();
    subdomain->number = subdomain_;
    subdomain->count = decomposition_.subdomains();
    for (size_t id = 0; id < memory_.size(); ++id) {
      subdomain->owned.push_back(decomposition_.owned(subdomain_, static_cast<ir::DomainId>(id)));
    }
    for (const analysis::Reach& depth : decomposition_.needs.depth[0]) {
      subdomain->depth.push_back({depth.low, depth.high});
    }
    for (const auto& [low, high] : memory_[0])
      subdomain->neighbours.push_back({low != -kFar, high != kFar});
    subdomain->halo_exchanges = halos_of(whole_, decomposition_, subdomain_);
    subdomain->start_exchanges = halos_of_start(whole_, decomposition_, subdomain_);
    for (size_t r = 0; r < out_.reductions.size(); ++r) {
      subdomain->tiles.emplace_back();
      subdomain->profiles.emplace_back();
      ir::Reduction& reduction = out_.reductions[r];
      if (!reduction.target) {
        subdomain->tiles[r] = tiles_of(whole_, reduction, decomposition_);
        take(region_of(whole_, reduction, *subdomain->tiles[r], subdomain_), reduction);
      } else if (!reduction.at) {
        ir::Points region;
        const ir::Points owned = decomposition_.owned(subdomain_, reduction.domain);
        for (size_t d = 0; d < rank(); ++d) {
          const int64_t low = std::max(low_of(reduction.piece.region, d), owned[d][0]);
          const int64_t high = std::min(high_of(reduction.piece.region, d), owned[d][1]);
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
    const ir::Points owned = decomposition_.owned(subdomain_, record.domain);
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
  IdVector<ir::DomainId, ir::Points> memory_;  // +-kFar where it ends with the grid
};

}  // namespace

int64_t wrapped(const ir::Program& program, const Decomposition& decomposition, size_t d,
                int64_t coordinate, ir::DomainId domain) {
  if (!decomposition.wraps[d]) return coordinate;
  const ir::Box& grid = program.domains[domain].box;
  const int64_t low = low_of(grid, d), high = high_of(grid, d);
  const int64_t period = high - low + 1;
  return coordinate < low    ? coordinate + period
         : coordinate > high ? coordinate - period
                             : coordinate;
}

ir::Points owned_points(const ir::Program& program, const Decomposition& decomposition,
                        int subdomain, ir::FieldId id) {
  const ir::Field& field = program.fields[id];
  const ir::Points owned = decomposition.owned(subdomain, field.domain);
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
