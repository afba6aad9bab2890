#include "compiler/decompose/restrict.h"

#include <algorithm>
#include <map>

#include "compiler/decompose/exchanges.h"
#include "compiler/decompose/needs.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::decompose {

namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // beyond every coordinate

ir::Range range_of(int64_t low, int64_t high) {
  return {{low, {}}, {high, {}}};
}

ir::Node integer_node(int64_t value) {
  return {ir::Constant{0, value}, Scalar::I32, {}, ""};
}
ir::NodeId add_operation(ir::Graph& graph, Op op, Scalar type, std::vector<ir::NodeId> operands) {
  return graph.add({ir::Operation{op, std::move(operands)}, type, {}, ""});
}

class Restriction {
 public:
  Restriction(const ir::Program& whole, const Decomposition& decomposition, int part,
              bool rounds_are_tiles)
      : whole_(whole),
        decomposition_(decomposition),
        part_(part),
        rounds_are_tiles_(rounds_are_tiles),
        out_(whole) {
    const ir::Points owned = decomposition.owned(part);
    for (size_t d = 0; d < owned.size(); ++d) {
      const auto& [low, high] = owned[d];
      const auto& depth = decomposition.needs.depth[d];
      const bool cut = decomposition.cuts[d] > 1, wraps = decomposition.wraps[d];
      const bool cut_low = cut && (wraps || low > low_of(whole.grid, d));
      const bool cut_high = cut && (wraps || high < high_of(whole.grid, d));
      memory_.push_back({cut_low ? low - depth.low : -kFar, cut_high ? high + depth.high : kFar});
    }
  }

  ir::Program run() {
    for (size_t d = 0; d < memory_.size(); ++d) {
      out_.grid.ranges[d] = held(whole_.grid.ranges[d], d);
    }
    if (rounds_are_tiles_) set_rim();
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
      out_.rim.push_back({memory_[d][0] == -kFar ? 0 : depth[d].low - left[d].low,
                          memory_[d][1] == kFar ? 0 : depth[d].high - left[d].high});
    }
  }

  bool wraps(size_t d) const { return decomposition_.wraps[d]; }
  int64_t period(size_t d) const { return high_of(whole_.grid, d) - low_of(whole_.grid, d) + 1; }

  // What there is memory for of a range of the grid. At least one point, because empty fields
  // cannot be told from mistakes: of what lies elsewhere the nearest one, which nobody reads.
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

  // How far the values of a piece are read around its points.
  analysis::Margin reach_of(const ir::Piece& piece) const {
    analysis::Margin out(memory_.size());
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (access->in_place) continue;
      const ir::Field& field = whole_.fields[static_cast<size_t>(access->field)];
      analysis::Margin reach;
      for (size_t d = 0; d < out.size(); ++d) {
        reach.push_back(analysis::reach_of(field, *access, d));
      }
      out = analysis::hull(out, reach);
    }
    return out;
  }

  // A range of points, `images` periods away, as far as their values can be computed.
  ir::Range computed(const ir::Range& range, size_t d, int64_t images,
                     const analysis::Reach& reach) const {
    const auto& [first, last] = memory_[d];
    const int64_t shift = images * period(d);
    const int64_t low = first == -kFar ? -kFar : first + reach.low;
    const int64_t high = last == kFar ? kFar : last - reach.high;
    return range_of(std::max(range.low.constant + shift, low),
                    std::min(range.high.constant + shift, high));
  }

  // The value is that of the same point wherever an image of it lies.
  bool depends_on(const ir::Piece& piece, size_t d) const {
    const auto needed = ir::reachable(piece.graph, piece.results);
    for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
      if (!needed[static_cast<size_t>(id)]) continue;
      const ir::Node& node = piece.graph[id];
      if (const auto* index = std::get_if<ir::Index>(&node.kind)) {
        if (index->dimension == static_cast<int>(d)) return true;
      }
      if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
        if (access->in_place) return true;
      }
    }
    return false;
  }

  void restrict_function(ir::Function& function) const {
    std::vector<ir::Piece> pieces;
    for (const ir::Piece& piece : function.pieces) {
      const analysis::Margin reach = reach_of(piece);
      std::vector<ir::Piece> here = {piece};
      for (size_t d = 0; d < memory_.size(); ++d) {
        std::vector<ir::Piece> next;
        for (const ir::Piece& each : here) append_images(each, d, reach[d], next);
        here = std::move(next);
      }
      std::move(here.begin(), here.end(), std::back_inserter(pieces));
    }
    if (pieces.empty()) {  // a function has one, and this one has no points
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
    if (range == whole_.grid.ranges[d] && !depends_on(piece, d)) {
      const ir::Range all =
          range_of(range.low.constant - period(d), range.high.constant + period(d));
      return append(computed(all, d, 0, reach), 0);
    }
    for (int64_t images = -1; images <= 1; ++images) {
      append(computed(range, d, images, reach), images);
    }
  }

  // Profiles lie where they do in the whole grid.
  void move_back(ir::Access& access, size_t d, int64_t shift) const {
    if (!access.in_place || access.at_points) return;
    const ir::Field& field = whole_.fields[static_cast<size_t>(access.field)];
    for (size_t own = 0; own < access.offsets.size(); ++own) {
      if (field.dimension(own) == static_cast<int>(d))
        access.offsets[own] -= static_cast<int>(shift);
    }
  }

  // The graph for points that lie `shift` points above those that it was for.
  void move_back(ir::Piece& piece, size_t d, int64_t shift) const {
    std::vector<ir::NodeId*> roots;
    for (ir::NodeId& result : piece.results) roots.push_back(&result);
    ir::rewrite_graph(piece.graph, roots, [&](ir::Graph& graph, ir::Node node) {
      if (auto* access = std::get_if<ir::Access>(&node.kind)) move_back(*access, d, shift);
      const auto* index = std::get_if<ir::Index>(&node.kind);
      if (!index || index->dimension != static_cast<int>(d)) return graph.add(std::move(node));
      const ir::NodeId here = graph.add(std::move(node));
      const ir::NodeId by = graph.add(integer_node(shift));
      return add_operation(graph, Op::Sub, Scalar::I32, {here, by});
    });
  }

  // Which rules the accesses of a piece may meet, with its region as it is now.
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
    const ir::Field& field = out_.fields[static_cast<size_t>(access.field)];
    for (size_t d = 0; d < memory_.size(); ++d) {
      const int64_t offset = access.offsets[d];
      const bool below = field.boundary[d].low.kind != ir::BoundaryKind::None &&
                         low_of(region, d) + offset < low_of(field.box, d);
      const bool above = field.boundary[d].high.kind != ir::BoundaryKind::None &&
                         high_of(region, d) + offset > high_of(field.box, d);
      if (!below) access.escapes &= ~(1u << (2 * d));
      if (!above) access.escapes &= ~(2u << (2 * d));
    }
    if (access.escapes == 0) access.excess.clear();
  }

  // Images have the values of the points that they stand for.
  void restrict_init(ir::Init& init) const {
    ir::Piece& piece = init.piece;
    const ir::Field& field = out_.fields[static_cast<size_t>(init.field)];
    if (field.read_in_place()) return;
    piece.region = field.box;
    std::vector<ir::NodeId*> roots;
    for (ir::NodeId& result : piece.results) roots.push_back(&result);
    ir::rewrite_graph(piece.graph, roots, [&](ir::Graph& graph, ir::Node node) {
      const auto* index = std::get_if<ir::Index>(&node.kind);
      const auto d = static_cast<size_t>(index ? index->dimension : 0);
      const ir::NodeId here = graph.add(std::move(node));
      return index && wraps(d) ? add_wrapped(graph, here, d) : here;
    });
  }

  ir::NodeId add_wrapped(ir::Graph& graph, ir::NodeId at, size_t d) const {
    const ir::NodeId low = graph.add(integer_node(low_of(whole_.grid, d)));
    const ir::NodeId high = graph.add(integer_node(high_of(whole_.grid, d)));
    const ir::NodeId by = graph.add(integer_node(period(d)));
    const ir::NodeId below = add_operation(graph, Op::Lt, Scalar::Bool, {at, low});
    const ir::NodeId above = add_operation(graph, Op::Gt, Scalar::Bool, {at, high});
    const ir::NodeId up = add_operation(graph, Op::Add, Scalar::I32, {at, by});
    const ir::NodeId down = add_operation(graph, Op::Sub, Scalar::I32, {at, by});
    const ir::NodeId raised = add_operation(graph, Op::Select, Scalar::I32, {below, up, at});
    return add_operation(graph, Op::Select, Scalar::I32, {above, down, raised});
  }

  void share_reductions() {
    auto part = std::make_shared<ir::Part>();
    part->number = part_;
    part->count = decomposition_.parts();
    part->owned = decomposition_.owned(part_);
    for (size_t d = 0; d < memory_.size(); ++d) {
      part->grid.push_back({low_of(whole_.grid, d), high_of(whole_.grid, d)});
    }
    part->halos = halos_of(whole_, decomposition_, part_);
    for (size_t r = 0; r < out_.reductions.size(); ++r) {
      part->tiles.emplace_back();
      part->profiles.emplace_back();
      ir::Reduction& reduction = out_.reductions[r];
      if (!reduction.target) {
        part->tiles[r] = tiles_of(whole_, reduction, decomposition_);
        take(region_of(whole_, reduction, *part->tiles[r], part_), reduction);
      } else if (!reduction.at) {
        ir::Points region;
        for (size_t d = 0; d < memory_.size(); ++d) {
          const int64_t low = std::max(low_of(reduction.piece.region, d), part->owned[d][0]);
          const int64_t high = std::min(high_of(reduction.piece.region, d), part->owned[d][1]);
          region.push_back({low, std::max(high, low - 1)});
        }
        take(region, reduction);
        part->profiles[r] = profile_exchanges(whole_, decomposition_, part_, *reduction.target);
      }
      if (reduction.at) take(weighed(reduction), reduction);
      settle_accesses(reduction.piece);
    }
    out_.part = std::move(part);
  }

  // What the points of a record that the part owns may weigh.
  ir::Points weighed(const ir::Reduction& record) const {
    const ir::Points owned = decomposition_.owned(part_);
    const int64_t width = whole_.fields[static_cast<size_t>(*record.at)].width;
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
  const int part_;
  const bool rounds_are_tiles_;
  ir::Program out_;
  ir::Points memory_;  // +-kFar where it ends with the grid
};

}  // namespace

int64_t wrapped(const ir::Program& program, const Decomposition& decomposition, size_t d,
                int64_t coordinate) {
  if (!decomposition.wraps[d]) return coordinate;
  const int64_t low = low_of(program.grid, d), high = high_of(program.grid, d);
  const int64_t period = high - low + 1;
  return coordinate < low    ? coordinate + period
         : coordinate > high ? coordinate - period
                             : coordinate;
}

ir::Points owned_points(const ir::Program& program, const Decomposition& decomposition, int part,
                        ir::FieldId id) {
  const ir::Field& field = program.fields[static_cast<size_t>(id)];
  const ir::Points owned = decomposition.owned(part);
  ir::Points out;
  for (int d = 0; d < field.box.rank(); ++d) {
    const ir::Range& range = field.box.ranges[static_cast<size_t>(d)];
    const int of_grid = field.dimension(static_cast<size_t>(d));
    if (of_grid < 0) {
      out.push_back({range.low.constant, range.high.constant});
      continue;
    }
    const auto& [low, high] = owned[static_cast<size_t>(of_grid)];
    out.push_back({std::max(range.low.constant, low), std::min(range.high.constant, high)});
  }
  return out;
}

ir::Program restrict_to(const ir::Program& program, const Decomposition& decomposition, int part,
                        bool rounds_are_tiles) {
  return Restriction(program, decomposition, part, rounds_are_tiles).run();
}

}  // namespace stencil::decompose
