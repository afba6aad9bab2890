// Subgrids omit some points at the edges of the grid, or are thin boxes along one edge. Fields live
// on them or on the whole grid and have any boundary. Functions write a field's box, part of it, or
// one edge of it. They read any field at small offsets: from inside it, a few
// points outside, and outside the halo.
//
// Bounds are distances from the low or high edge of the grid. Whether an access of a field without
// a boundary is provably inside is therefore decided here as in the compiler, for all sizes that
// `require` permits.
#include "tests/property/subgrids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/property/random.h"

namespace stencil::property {
namespace {

struct Bound {
  bool from_high = false;  // counted from the high edge of the grid
  int points = 0;
};
struct Range {
  Bound low, high;
};
using Box = std::vector<Range>;

struct Field {
  std::string name;
  int subgrid = -1;  // -1: on the whole grid
  std::string boundary;
  int history = 1;
  bool constant = false;
};

class SubgridGenerator {
 public:
  explicit SubgridGenerator(uint64_t seed) : random_(seed) {}

  GeneratedProgram run() {
    out_.rank = random_.pick<int>({1, 2, 2, 2, 3, 3});
    least_ = rank() == 3 ? 10 : 14;
    covers(inside_halo_ ? "reads inside the halo" : "reads outside the halo");
    grid_ = Box(static_cast<size_t>(rank()), Range{{false, 0}, {true, 0}});
    const int boxes = random_.between(1, 3);
    for (int s = 0; s < boxes; ++s) subgrids_.push_back(random_subgrid());
    make_fields();
    std::string text;
    for (size_t d = 0; d < grid_.size(); ++d) {
      const int size = least_ + random_.below(rank() == 1 ? 200 : rank() == 2 ? 45 : 12);
      const bool bulk = d + 1 == grid_.size() && random_.chance(50);
      out_.integers.emplace_back(size_name(d), bulk ? (size + 7) / 8 * 8 : size);
      text += fmt::format("param {} : integer;\n", size_name(d));
    }
    text += fmt::format("grid G = [{}] steps 4;\n", print(grid_));
    for (size_t d = 0; d < grid_.size(); ++d) {
      text += fmt::format("require {} >= {};\n", size_name(d), least_);
    }
    for (size_t s = 0; s < subgrids_.size(); ++s) {
      text += fmt::format("subgrid S{} of G = [{}];\n", s, print(subgrids_[s]));
    }
    for (const Field& field : fields_) text += declare(field);
    const int functions = random_.between(1, 4);
    for (int f = 0; f < functions; ++f) text += make_stencil(f);
    if (random_.chance(15)) text += make_reduction();
    out_.text = text;
    return std::move(out_);
  }

 private:
  int rank() const { return out_.rank; }
  void covers(const std::string& construct) { out_.constructs.insert("sub-grids: " + construct); }
  static std::string size_name(size_t d) { return fmt::format("N{}", d); }

  static std::string print(const Bound& bound, size_t d) {
    return bound.from_high ? fmt::format("{}-{}", size_name(d), bound.points + 1)
                           : fmt::format("{}", bound.points);
  }
  static std::string print(const Box& box) {
    std::vector<std::string> ranges;
    for (size_t d = 0; d < box.size(); ++d) {
      ranges.push_back(fmt::format("{}..{}", print(box[d].low, d), print(box[d].high, d)));
    }
    return fmt::format("{}", fmt::join(ranges, ", "));
  }

  static Bound moved(Bound bound, int offset) {
    bound.points += bound.from_high ? -offset : offset;
    return bound;
  }
  // Holds for every permitted size.
  bool at_most(const Bound& a, const Bound& b) const {
    if (a.from_high == b.from_high)
      return a.from_high ? a.points >= b.points : a.points <= b.points;
    return b.from_high && a.points <= least_ - 1 - b.points;
  }
  bool within(const Box& inner, const std::vector<int>& offset, const Box& outer) const {
    for (size_t d = 0; d < inner.size(); ++d) {
      if (!at_most(outer[d].low, moved(inner[d].low, offset[d]))) return false;
      if (!at_most(moved(inner[d].high, offset[d]), outer[d].high)) return false;
    }
    return true;
  }

  // --- Declarations ---

  Range random_range() {
    const int most = rank() == 3 ? 3 : 5;
    const int kept = random_.chance(70) ? random_.between(0, 2) : random_.between(0, most);
    switch (random_.below(10)) {
      case 0:  // thin, at either edge
      case 1:
        return {{false, kept}, {false, kept + random_.below(3)}};
      case 2:
        return {{true, kept + random_.below(3)}, {true, kept}};
      case 3:
      case 4:
        return {{false, 0}, {true, 0}};
      default:
        return {{false, kept}, {true, random_.chance(50) ? kept : random_.between(0, most)}};
    }
  }

  Box random_subgrid() {
    Box box;
    for (int d = 0; d < rank(); ++d) box.push_back(random_range());
    return box;
  }

  void make_fields() {
    const int count = random_.between(2, 4);
    for (int f = 0; f < count; ++f) {
      Field field;
      field.name = std::string(1, static_cast<char>('A' + f));
      if (random_.chance(65)) field.subgrid = random_.below(static_cast<int>(subgrids_.size()));
      field.boundary = random_.pick<std::string>(
          {"", "clamp", "clamp", "mirror", "mirror", "constant 1", "constant 0", "periodic"});
      field.constant = f > 0 && random_.chance(20);
      if (!field.constant && random_.chance(15)) field.history = random_.between(2, 3);
      covers(fmt::format(
          "{}{}", field.subgrid < 0 ? "whole, " : "",
          field.boundary.empty() ? "none" : field.boundary.substr(0, field.boundary.find(' '))));
      fields_.push_back(field);
    }
  }

  const Box& box_of(const Field& field) const {
    return field.subgrid < 0 ? grid_ : subgrids_[field.subgrid];
  }

  static std::string declare(const Field& field) {
    const std::string place = field.subgrid < 0 ? "G" : fmt::format("S{}", field.subgrid);
    std::string text = fmt::format("field {} : real on {}", field.name, place);
    if (field.history > 1) text += fmt::format(" history {}", field.history);
    if (field.constant) text += " constant";
    if (!field.boundary.empty()) text += " boundary " + field.boundary;
    return text + ";\n";
  }

  // --- Functions ---

  std::string make_stencil(int number) {
    std::vector<const Field*> targets;
    for (const Field& field : fields_) {
      if (!field.constant) targets.push_back(&field);
    }
    const Field& target = *random_.pick(targets);
    Box region = box_of(target);
    std::string out = fmt::format("stencil f{} : {} {{\n", number, target.name);
    if (random_.chance(40)) {  // keep away from some edges of the field
      for (size_t d = 0; d < region.size(); ++d) {
        const Range less = {moved(region[d].low, random_.below(3)),
                            moved(region[d].high, -random_.below(3))};
        if (at_most(less.low, less.high)) region[d] = less;
      }
    }
    if (random_.chance(35)) {  // the low or the high edge separately
      const size_t d = static_cast<size_t>(random_.below(rank()));
      Box edge = region, rest = region;
      if (random_.chance(50)) {
        edge[d].high = edge[d].low;
        rest[d].low = moved(rest[d].low, 1);
      } else {
        edge[d].low = edge[d].high;
        rest[d].high = moved(rest[d].high, -1);
      }
      out += fmt::format("  [{}] = {};\n", print(edge), value(edge));
      const bool alone = random_.chance(30) || !at_most(rest[d].low, rest[d].high);
      covers(alone ? "an edge alone" : "pieces");
      if (alone) return out + "}\n";
      region = rest;
    }
    return out + fmt::format("  [{}] = {};\n}}\n", print(region), value(region));
  }

  std::string value(const Box& region) {
    const int terms = random_.between(1, 4);
    std::string sum = term(region);
    for (int t = 1; t < terms; ++t) sum += " + " + term(region);
    if (random_.chance(10)) sum += " + 0.015625 * time";
    return fmt::format("{:.3f} * ({}) + 0.0625", 0.8 / terms, sum);
  }

  std::string term(const Box& region) {
    if (random_.chance(10)) {
      return fmt::format("select({} < {}, {}, 0.25)", access(region), access(region),
                         access(region));
    }
    return random_.chance(30) ? fmt::format("{:.3f} * {}", random_.unit(), access(region))
                              : access(region);
  }

  std::string access(const Box& region) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Field& field = random_.pick(fields_);
      const int radius = random_.chance(8) ? 3 : random_.chance(60) ? 1 : 2;
      std::vector<int> offset(static_cast<size_t>(rank()), 0);
      if (random_.chance(60)) {
        offset[random_.below(rank())] = random_.between(-radius, radius);
      } else {
        for (int& o : offset) o = random_.between(-1, 1);
      }
      const bool inside = within(region, offset, box_of(field));
      if (field.boundary.empty() && !inside) continue;
      if (inside_halo_ && !inside && may_resolve_outside_halo(field, region)) continue;
      const int level = random_.chance(60) ? random_.below(field.history) : 0;
      return fmt::format("{}{}[{}]", field.name, level ? fmt::format("@-{}", level) : "",
                         fmt::join(offset, ","));
    }
    return "0.5";
  }

  // Whether a read may resolve to a point that no tile holds.
  bool may_resolve_outside_halo(const Field& field, const Box& region) const {
    if (field.subgrid < 0 || field.boundary.starts_with("constant")) return false;
    if (field.boundary == "periodic") return true;
    Box around = box_of(field);
    for (Range& range : around) range = {moved(range.low, -4), moved(range.high, 4)};
    return !within(region, std::vector<int>(region.size(), 0), around);
  }

  std::string make_reduction() {
    const Field& field = random_.pick(fields_);
    const std::vector<int> here(static_cast<size_t>(rank()), 0);
    covers("reduction");
    return fmt::format("reduce r = sum({}[{}]) on [{}] every 2;\n", field.name,
                       fmt::join(here, ","), print(box_of(field)));
  }

  Random random_;
  GeneratedProgram out_;
  // all reads are inside the halo, so that time tiles are possible
  bool inside_halo_ = random_.chance(65);
  int least_ = 0;  // least extents of the grid
  Box grid_;
  std::vector<Box> subgrids_;
  std::vector<Field> fields_;
};

}  // namespace

GeneratedProgram random_subgrid_program(uint64_t seed) {
  return SubgridGenerator(seed).run();
}

}  // namespace stencil::property
