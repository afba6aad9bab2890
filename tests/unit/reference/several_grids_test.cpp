// Accesses between grids: every point that the interpreter reads, compared with the definition.
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Kind = ir::BoundaryKind;

int64_t floor_of(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  while (quotient * divisor > value) --quotient;
  return quotient;
}

struct Map {
  int scale, offset, divisor;
  int64_t of(int64_t i) const { return floor_of(scale * i + offset, divisor); }
};

// Reads `from` at the points of `to`, with the given maps.
ir::Program reading(const ir::Box& from, const ir::Box& to, const std::vector<Map>& maps,
                    const std::vector<ir::Boundary>& rules) {
  ir::Program program;
  program.domain().box = to;
  ir::Domain other;
  other.box = from;
  other.coarsened = ir::Coarsening{0, std::vector<int>(maps.size(), 2), false};
  program.domains.push_back(other);
  program.fields = {field("A", from), field("B", to)};
  program.fields[0].domain = 1;
  program.fields[0].boundary = rules;
  ir::Access access{0, 0, 0, std::vector<ir::IndexMap>(maps.size()), 0};
  access.in_place = true;
  for (size_t d = 0; d < maps.size(); ++d) {
    access.maps[d].offset = maps[d].offset;
    access.maps[d].scale = maps[d].scale;
    access.maps[d].divisor = maps[d].divisor;
  }
  ir::Piece piece;
  piece.region = to;
  piece.results = {piece.graph.add({access, Scalar::F32, {}, ""})};
  program.functions = {function("read", 1, {piece})};
  program.run.body = ir::applied_in_order(1);
  return program;
}

ir::BoundaryRule rule_of(Kind kind) {
  ir::BoundaryRule rule{kind, {}};
  if (kind == Kind::Constant) rule.values = {-1};
  return rule;
}

// The index in low..high that the rules of both sides find, or nullopt for a constant.
std::optional<int64_t> found(int64_t at, int64_t low, int64_t high, Kind below, Kind above) {
  for (int times = 0; times < 100; ++times) {
    if (low <= at && at <= high) return at;
    const int64_t edge = at < low ? low : high;
    switch (at < low ? below : above) {
      case Kind::Clamp:
        return edge;
      case Kind::Mirror:
        at = 2 * edge - at;
        break;
      case Kind::Periodic:
        at += at < low ? high - low + 1 : -(high - low + 1);
        break;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

TEST(SeveralGrids, AccessesReadTheDefinedPoint) {
  for (const Map& shape : {Map{1, 0, 2}, {2, 0, 1}, {3, 0, 1}, {1, 0, 3}, {2, 0, 3}, {3, 0, 2}}) {
    for (int offset = -7; offset <= 7; ++offset) {
      const Map map = {shape.scale, offset, shape.divisor};
      for (const auto& [below, above] : {std::pair(Kind::Clamp, Kind::Clamp),
                                         {Kind::Mirror, Kind::Mirror},
                                         {Kind::Periodic, Kind::Periodic},
                                         {Kind::Constant, Kind::Constant},
                                         {Kind::Constant, Kind::Clamp},
                                         {Kind::Mirror, Kind::Constant}}) {
        const int64_t low = -3, high = 3;
        const ir::Program program =
            reading(box({{low, high}}), box({{-5, 6}}), {map}, {{rule_of(below), rule_of(above)}});
        State state = started(program);
        set(state, 0, {10, 20, 30, 40, 50, 60, 70});
        advance(program, state, 1);
        std::vector<double> expected;
        for (int64_t i = -5; i <= 6; ++i) {
          const auto at = found(map.of(i), low, high, below, above);
          expected.push_back(at ? 10 * static_cast<double>(*at - low + 1) : -1);
        }
        EXPECT_EQ(values(state, 1), expected)
            << shape.scale << " * i + " << offset << " over " << shape.divisor;
      }
    }
  }
}

TEST(SeveralGrids, EachDimensionHasItsOwnMap) {
  const ir::Box from = box({{-2, 2}, {0, 3}}), to = box({{-3, 2}, {-1, 4}});
  const std::vector<Map> maps = {{1, 1, 2}, {3, -2, 2}};
  const ir::Boundary clamp = {rule_of(Kind::Clamp), rule_of(Kind::Clamp)};
  const ir::Program program = reading(from, to, maps, {clamp, clamp});
  State state = started(program);
  std::vector<double> numbers(20);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  set(state, 0, numbers);
  advance(program, state, 1);
  std::vector<double> expected;
  for (int64_t i = -3; i <= 2; ++i) {
    for (int64_t j = -1; j <= 4; ++j) {
      const int64_t row = *found(maps[0].of(i), -2, 2, Kind::Clamp, Kind::Clamp);
      const int64_t column = *found(maps[1].of(j), 0, 3, Kind::Clamp, Kind::Clamp);
      expected.push_back(static_cast<double>((row + 2) * 4 + column));
    }
  }
  EXPECT_EQ(values(state, 1), expected);
}

TEST(SeveralGrids, AccessesThatLeaveAFieldWithoutARuleAreRefused) {
  const auto program = [](const Map& map, int64_t last) {
    return reading(box({{0, 3}}), box({{0, last}}), {map}, {{{}, {}}});
  };
  // The index at the last point is 3 = 7 / 2, or 2 * 1 + 1.
  started(program({1, 0, 2}, 7));
  started(program({2, 1, 1}, 1));
  EXPECT_EQ(refused(program({1, 1, 2}, 7)),
            "function 'read': an access to field 'A' leaves the field");
  EXPECT_EQ(refused(program({1, -1, 2}, 7)),
            "function 'read': an access to field 'A' leaves the field");
  EXPECT_EQ(refused(program({2, 2, 1}, 1)),
            "function 'read': an access to field 'A' leaves the field");
}

}  // namespace
}  // namespace stencil::reference
