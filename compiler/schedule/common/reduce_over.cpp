// Each point of the profile reduces a box, which is cut into tiles like the region of any other
// reduction (docs/reference/language.md). A block handles one tile for several neighbouring points:
//
//   first kernel    16 lanes reduce the tile at each of 16 points; the lanes are then combined
//                   pairwise in shared memory
//   second kernel   does the same with the values of the tiles; not needed if there is only one
//                   tile
//
// Threads that differ in x read adjacent memory. If x is a reduced dimension, these threads are the
// lanes of one point. Otherwise they are different points of the profile. If they were lanes in a
// mean over the outermost dimension, they would read one element per row. Having few lanes keeps
// the pairwise part short when few points are reduced, such as the levels of an ocean model. A warp
// reads runs of 16 elements.
#include "compiler/schedule/common/reduce_over.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

constexpr int kPoints = 16;  // profile points per block, along the profile's last dimension

class ProfileLowering {
 public:
  ProfileLowering(const ReductionModule& to, const ir::Reduction& reduction)
      : to_(to),
        reduction_(reduction),
        type_(ir::value_type(reduction)),
        profile_(to.program.fields[*reduction.target]),
        over_(ir::reduced_dimensions(to.program, reduction)) {}

  ProfileLaunches run();

 private:
  // A kernel whose blocks handle neighbouring points of the profile, with several lanes for each.
  struct Parts {
    KernelBuilder builder;
    Lanes lanes;
    Expr number;  // this thread's point within the block
    kernel::BufferId total;
    Tiling tiling;
  };
  Parts begin(const std::string& name, const std::string& comment, const ir::Box& box,
              const std::vector<TileLength>& lengths, bool lanes_in_rows) const;
  Body take_in_tile(Parts& parts, Body& lets) const;
  Body take_in_values(Parts& parts, Body& lets) const;
  kernel::Launch finish(Parts parts, Body lets, Body taken, bool gives_profile);
  void store(Parts& parts, const Expr& value, bool gives_profile, Body& body) const;
  void tell_of_nan(Parts& parts, Body& body) const;

  std::vector<TileLength> lengths(bool of_tiles) const;
  Point point_of(Parts& parts, Body& body) const;
  Expr exists(const Point& point) const;
  Expr number_of(const Point& point) const;
  Expr number_of_tile(const Point& origin) const;
  Expr count_of_points() const;

  int rank() const { return to_.interface.rank(); }
  // The dimension along which a block has several points.
  int row() const { return profile_.dimensions().back(); }
  bool is_reduced(int d) const { return std::find(over_.begin(), over_.end(), d) != over_.end(); }

  const ReductionModule& to_;
  const ir::Reduction& reduction_;
  const Scalar type_;
  const ir::Field& profile_;
  const std::vector<int> over_;
  Expr tiles_ = kernel::integer(1, Scalar::I64);  // number of tiles per point
  int values_ = kernel::kNoScratch;  // tile values: tile 0 for all points, then tile 1, ...
  kernel::BufferId some_nan_ = -1;   // in the current kernel: one word per point of a block
  ProfileLaunches out_;
};

// Lengths of a block per dimension. `of_tiles`: in the kernel that reduces tiles of points;
// otherwise in the second kernel, which reduces one value per tile.
std::vector<TileLength> ProfileLowering::lengths(bool of_tiles) const {
  const std::vector<int64_t> tile = ir::reduction_tile(static_cast<int>(over_.size()));
  std::vector<TileLength> out;
  size_t reduced = 0;
  for (int d = 0; d < rank(); ++d) {
    int64_t length = d == row() ? kPoints : 1;
    if (is_reduced(d)) length = of_tiles ? tile[reduced++] : 1;
    out.push_back({length, kernel::integer(length)});
  }
  return out;
}

ProfileLowering::Parts ProfileLowering::begin(const std::string& name, const std::string& comment,
                                              const ir::Box& box,
                                              const std::vector<TileLength>& lengths,
                                              bool lanes_in_rows) const {
  KernelBuilder builder =
      to_.builder(name, fmt::format("Reduction {}: {}", reduction_.name, comment));
  builder.kernel().threads =
      lanes_in_rows ? Shape{ir::kProfileLanes, kPoints} : Shape{kPoints, ir::kProfileLanes};
  const Expr x = kernel::variable("thread_x");
  const Expr y = kernel::variable("thread_y");
  const Expr number = lanes_in_rows ? y : x;
  const auto index = [=](const Expr& lane) {
    return lanes_in_rows ? std::vector<Expr>{number, lane} : std::vector<Expr>{lane, number};
  };
  const kernel::BufferId lanes =
      builder.local(kernel::Space::Shared, "lanes", type_,
                    {kernel::integer(lanes_in_rows ? kPoints : ir::kProfileLanes),
                     kernel::integer(lanes_in_rows ? ir::kProfileLanes : kPoints)},
                    "");
  const kernel::BufferId total = builder.local(kernel::Space::Thread, "total", type_, {}, "");
  Tiling tiling = tile_box(box, lengths, builder, to_.module);
  return {std::move(builder),
          {ir::kProfileLanes, lanes_in_rows ? x : y, lanes, index},
          number,
          total,
          std::move(tiling)};
}

// This thread's point in grid dimensions. In reduced dimensions, the first point of the tile.
Point ProfileLowering::point_of(Parts& parts, Body& body) const {
  Point point = parts.tiling.origin;
  const auto d = static_cast<size_t>(row());
  point[d] =
      let(parts.builder.names(), body, axis_names(rank())[d], kernel::add(point[d], parts.number));
  return point;
}

Expr ProfileLowering::exists(const Point& point) const {
  return kernel::less_equal(point[row()], to_.interface.high(reduction_.piece.region, row()));
}

// Row-major number of a profile point (I64).
Expr ProfileLowering::number_of(const Point& point) const {
  Expr number = kernel::integer(0, Scalar::I64);
  for (int d = 0; d < profile_.box.rank(); ++d) {
    const auto of_grid = static_cast<size_t>(profile_.dimension(d));
    const Expr own = kernel::sub(point[of_grid], to_.interface.low(profile_.box, d));
    const Expr extent = kernel::convert(to_.interface.extent(profile_.box, d), Scalar::I64);
    number = kernel::add(kernel::mul(number, extent), kernel::convert(own, Scalar::I64));
  }
  return number;
}

Expr ProfileLowering::count_of_points() const {
  Expr count = kernel::integer(1, Scalar::I64);
  for (int d = 0; d < profile_.box.rank(); ++d) {
    const Expr extent = kernel::convert(to_.interface.extent(profile_.box, d), Scalar::I64);
    count = kernel::mul(count, extent);
  }
  return count;
}

// Number of a tile among those of one point (I64).
Expr ProfileLowering::number_of_tile(const Point& origin) const {
  const ir::Box& region = reduction_.piece.region;
  const auto of_block = lengths(true);
  Expr number = kernel::integer(0, Scalar::I64);
  for (const int d : over_) {
    const TileLength& length = of_block[d];
    const Expr own = divided(kernel::sub(origin[d], to_.interface.low(region, d)), length.expr);
    const Expr count = tile_count(to_.interface, region, d, length);
    number = kernel::add(kernel::mul(number, count), kernel::convert(own, Scalar::I64));
  }
  return number;
}

// Combines the total with this lane's points of the block's tile.
Body ProfileLowering::take_in_tile(Parts& parts, Body& lets) const {
  const auto axes = axis_names(rank());
  const auto of_block = lengths(true);
  Names& names = parts.builder.names();
  const Point at = point_of(parts, lets);
  Point point = at;
  Body body;
  std::vector<std::string> numbers;
  for (const int dimension : over_) {
    const auto d = static_cast<size_t>(dimension);
    numbers.push_back(of_block[d].points > 1 ? names.unique("e" + axes[d]) : "");
    if (numbers.back().empty()) continue;
    point[d] = let(names, body, axes[d], kernel::add(at[d], kernel::variable(numbers.back())));
  }
  take_in_point(parts.builder, reduction_, point, {parts.total, {}}, body);
  for (size_t i = over_.size(); i-- > 0;) {
    if (numbers[i].empty()) continue;
    const int d = over_[i];
    const bool across = i + 1 == over_.size();  // the lanes are distributed along this dimension
    const Expr rest = kernel::sub(plus(to_.interface.high(reduction_.piece.region, d), 1), at[d]);
    body = as_body(
        loop(kernel::LoopKind::Serial, numbers[i], across ? parts.lanes.lane : kernel::integer(0),
             smaller(of_block[d].expr, rest), across ? ir::kProfileLanes : 1, std::move(body)));
  }
  return guarded(exists(at), std::move(body));
}

// Combines the total with this lane's tile values.
Body ProfileLowering::take_in_values(Parts& parts, Body& lets) const {
  const kernel::BufferId values = parts.builder.scratch(to_.module.plan, values_, false);
  const Point at = point_of(parts, lets);
  const std::string tile = parts.builder.names().unique("tile");
  const Expr place = kernel::add(
      kernel::mul(kernel::variable(tile, Scalar::I64), count_of_points()), number_of(at));
  Body body;
  const Expr both = with_taken_in(reduction_.reducer, {parts.total, {}},
                                  kernel::load(values, {place}, type_), parts.builder, body);
  body.push_back({kernel::Store{parts.total, {}, both}});
  return guarded(exists(at), as_body(loop(kernel::LoopKind::Serial, tile,
                                          kernel::convert(parts.lanes.lane, Scalar::I64), tiles_,
                                          ir::kProfileLanes, std::move(body))));
}

// Lane 0 stores the value of its point.
void ProfileLowering::store(Parts& parts, const Expr& value, bool gives_profile, Body& body) const {
  const Point point = point_of(parts, body);
  Body stored;
  if (gives_profile) {
    Point own;
    for (const int d : profile_.dimensions()) own.push_back(point[d]);
    parts.builder.store_global(*reduction_.target, 0, profile_.history - 1, own, value, stored);
  } else {
    const kernel::BufferId values = parts.builder.scratch(to_.module.plan, values_, true);
    const Expr place = kernel::add(
        kernel::mul(number_of_tile(parts.tiling.origin), count_of_points()), number_of(point));
    stored.push_back({kernel::Store{values, {place}, value}});
  }
  append(body, guarded(exists(point), std::move(stored)));
  if (some_nan_ < 0) return;
  const Expr found = both(exists(point), is_nan(value));
  body.push_back({kernel::Store{some_nan_, {parts.number}, select(found, literal(1), literal(0))}});
}

// Stores whether one of the block's points is NaN.
void ProfileLowering::tell_of_nan(Parts& parts, Body& body) const {
  Expr any = kernel::load(some_nan_, {kernel::integer(0)}, Scalar::I32);
  for (int p = 1; p < kPoints; ++p) {
    const Expr other = kernel::load(some_nan_, {kernel::integer(p)}, Scalar::I32);
    any = kernel::operation(Op::BitOr, {any, other});
  }
  const kernel::BufferId words = parts.builder.scratch(to_.module.plan, out_.some_nan, true);
  const Expr first = both(is_equal(kernel::variable("thread_x"), literal(0)),
                          is_equal(kernel::variable("thread_y"), literal(0)));
  const Expr block = kernel::variable("block", Scalar::I64);
  body.push_back({kernel::Barrier{}});
  body.push_back(threads(guarded(first, as_body({kernel::Store{words, {block}, any}}))));
}

// `taken`: combines the lane's values into the total, after `lets`.
kernel::Launch ProfileLowering::finish(Parts parts, Body lets, Body taken, bool gives_profile) {
  const Lanes& lanes = parts.lanes;
  some_nan_ = -1;
  if (gives_profile && is_float(type_)) {
    some_nan_ = parts.builder.local(kernel::Space::Shared, "some_nan", Scalar::I32,
                                    {kernel::integer(kPoints)}, "");
    const Expr least = kernel::integer(1, Scalar::I64);
    out_.some_nan = to_.add_scratch(reduction_.name + "_some_nan", Scalar::I32,
                                    kernel::operation(Op::Max, {parts.tiling.blocks, least}));
  }
  Body section = std::move(lets);
  section.push_back({kernel::Store{parts.total, {}, identity(reduction_.reducer, type_)}});
  append(section, std::move(taken));
  section.push_back(
      {kernel::Store{lanes.buffer, lanes.index(lanes.lane), kernel::load(parts.total, {}, type_)}});
  Body body = std::move(parts.tiling.lets);
  body.push_back(threads(std::move(section)));
  const WithResult with_result = [&](const Expr& value, Body& at_end) {
    store(parts, value, gives_profile, at_end);
  };
  combine_lanes(reduction_.reducer, type_, lanes, with_result, parts.builder, body);
  if (some_nan_ >= 0) tell_of_nan(parts, body);
  parts.builder.kernel().body = std::move(body);
  return parts.builder.launch(parts.tiling.blocks, to_.module);
}

ProfileLaunches ProfileLowering::run() {
  const ir::Box& region = reduction_.piece.region;
  const auto of_tiles = lengths(true);
  ir::Box values = region;
  for (const int d : over_) {
    const auto i = static_cast<size_t>(d);
    tiles_ = kernel::mul(tiles_, tile_count(to_.interface, region, d, of_tiles[i]));
    values.ranges[i].high = values.ranges[i].low;
  }
  const auto* known = std::get_if<kernel::IntegerLiteral>(&tiles_->kind);
  const bool one_tile = known && known->value == 1;
  const bool rows = is_reduced(rank() - 1);
  const std::string name = "reduce_" + reduction_.name;
  if (!one_tile) {
    const Expr least = kernel::integer(1, Scalar::I64);
    values_ = to_.add_scratch(
        reduction_.name + "_tiles", type_,
        kernel::operation(Op::Max, {kernel::mul(tiles_, count_of_points()), least}));
  }
  Body lets;
  Parts tiles = begin(one_tile ? name : name + "_tiles",
                      one_tile ? "a block reduces all values of some profile points."
                               : "a block reduces one tile of some profile points.",
                      region, of_tiles, rows);
  Body taken = take_in_tile(tiles, lets);
  out_.launches.push_back(finish(std::move(tiles), std::move(lets), std::move(taken), one_tile));
  if (one_tile) return out_;
  lets = {};
  Parts parts = begin(name, "a block combines the tile values of some profile points.", values,
                      lengths(false), false);
  taken = take_in_values(parts, lets);
  out_.launches.push_back(finish(std::move(parts), std::move(lets), std::move(taken), true));
  return out_;
}

}  // namespace

ProfileLaunches reduce_to_profile(const ReductionModule& to, const ir::Reduction& reduction) {
  return ProfileLowering(to, reduction).run();
}

}  // namespace stencil::schedule
