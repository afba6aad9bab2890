#include "tests/property/grid_accesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil::property::several {
namespace {

Grids draw_grids(Random& random) {
  static const std::vector<std::vector<int64_t>> kSizes = {
      {16, 24, 36, 37, 64, 65, 71, 96, 129, 200},
      {12, 16, 17, 24, 25, 31, 33, 40, 48, 65},
      {8, 9, 12, 12, 13, 15, 16, 17, 18},
      {4, 5, 6, 8, 9}};
  const int rank = 1 + random.weighted({30, 43, 22, 5});
  std::vector<int> first;
  std::vector<int64_t> sizes;
  const bool moved = random.chance(60);
  for (int d = 0; d < rank; ++d) {
    const int low = !moved              ? 0
                    : random.chance(50) ? 4 * random.between(-3, 2)
                                        : random.between(-9, 5);
    sizes.push_back(random.pick(kSizes[rank - 1]));
    // A bound that may be negative cannot be divided if sizes are open.
    first.push_back(std::max(low, 1 - static_cast<int>(sizes.back())));
  }
  Grids grids(first, sizes);
  grids.derive(random, random.between(1, 3));
  return grids;
}

// Whether the rule may be met from another grid.
bool applies_across(const std::string& rule) {
  for (const char* word : {"clamp", "mirror", "periodic"}) {
    if (rule == word) return true;
  }
  return rule == "constant 0" || rule == "constant 1" || rule == "constant 2";
}

}  // namespace

Accesses::Accesses(uint64_t seed) : random_(seed), grids_(draw_grids(random_)) {}

Bounds Accesses::bounds(const Place& place, size_t d, int64_t size) const {
  const auto [low, high] = *grids_.bounds(place.grid, d, size);
  return {low + place.low[d], high - place.high[d]};
}

int64_t Accesses::extent(const Place& place, size_t d) const {
  const auto [low, high] = bounds(place, d, grids_.size(d));
  return high - low + 1;
}

Bounds Accesses::bounds(const Span& span, size_t d, int64_t size) const {
  const auto [first, last] = *grids_.bounds(grid_, d, size);
  const int64_t low = first + span.low, high = last - span.high;
  switch (span.form) {
    case Span::AtFirst:
      return {low, low};
    case Span::AtLast:
      return {high, high};
    case Span::LowerHalf:
      return {low, (first + last) / 2};
    case Span::UpperHalf:
      return {(first + last) / 2 + 1, high};
    case Span::Whole:
      break;
  }
  return {low, high};
}

Accesses::Reach Accesses::reach(const Field& field, int offset, size_t d, bool larger) const {
  const auto [scale, divisor] = grids_.map(grid_, places_[field.place].grid, d);
  Reach out;
  for (const int64_t size : grids_.sizes(d)) {
    if (!larger && size != grids_.size(d)) continue;
    const auto [low, high] = bounds((*region_)[d], d, size);
    const auto [first, last] = bounds(places_[field.place], d, size);
    const int64_t least = floor_of(scale * low + offset, divisor);
    const int64_t most = floor_of(scale * high + offset, divisor);
    out.below = std::max(out.below, first - least);
    out.above = std::max(out.above, most - last);
    out.touches_low |= least <= first;
    out.touches_high |= most >= last;
  }
  return out;
}

bool Accesses::allows(const Field& field, const Offset& offset) {
  const bool across = places_[field.place].grid != grid_;
  const bool larger = random_.chance(70);
  std::set<std::string> met;
  for (size_t d = 0; d < rank(); ++d) {
    const Boundary::Sides& sides = field.boundary.dimensions[d];
    const int64_t points = extent(places_[field.place], d);
    const Reach surely = reach(field, offset[d], d, true);
    const Reach found = larger ? surely : reach(field, offset[d], d, false);
    // A read towards a linear side may also read the next point in the opposite direction.
    if (sides.low == "linear" && sides.high == "none" && offset[d] < 0 &&
        reach(field, 1, d, larger).above > 0) {
      return false;
    }
    if (sides.high == "linear" && sides.low == "none" && offset[d] > 0 &&
        reach(field, -1, d, larger).below > 0) {
      return false;
    }
    for (const bool low : {true, false}) {
      const std::string& rule = low ? sides.low : sides.high;
      const int64_t beyond = low ? surely.below : surely.above;
      if (rule == "none") {
        if ((low ? found.below : found.above) > 0) return false;
        continue;
      }
      const bool fixed = rule.starts_with("fixed");
      const bool meets = fixed ? (low ? surely.touches_low : surely.touches_high) : beyond > 0;
      if (across && meets && !applies_across(rule)) return false;
      const int over = static_cast<int>(low ? -beyond : beyond);
      if (beyond > 0 && points_needed(sides, over) > points) return false;
      if (across && beyond > 0) met.insert(rule.substr(0, rule.find(' ')));
    }
  }
  for (const std::string& rule : met) covers(rule + " met from another grid");
  return true;
}

Offset Accesses::random_offset(const Field& field) {
  Offset offset;
  const int radius = random_.chance(10) ? 5 : random_.chance(60) ? 1 : 2;
  const bool star = random_.chance(40);
  const size_t axis = static_cast<size_t>(random_.below(grids_.rank()));
  for (size_t d = 0; d < rank(); ++d) {
    const int scale = grids_.map(grid_, places_[field.place].grid, d)[0];
    const bool moves = !star || d == axis;
    offset.push_back(!moves               ? 0
                     : random_.chance(40) ? random_.between(0, scale)
                                          : random_.between(-radius, radius));
  }
  return offset;
}

void Accesses::note_access(const Field& field) {
  const int to = places_[field.place].grid;
  if (to == grid_) return;
  bool scales = false, divides = false;
  for (size_t d = 0; d < rank(); ++d) {
    const auto [scale, divisor] = grids_.map(grid_, to, d);
    scales |= scale > 1;
    divides |= divisor > 1;
    if (scale > 1 && divisor > 1) covers("read of a sibling with another ratio");
    if (divisor > 1 && (divisor & (divisor - 1)) != 0) covers("read with an odd divisor");
  }
  covers(scales && divides ? "read of a finer and coarser grid"
         : scales          ? "read of a finer grid"
         : divides         ? "read of a coarser grid"
                           : "read of a grid with the same ratios");
}

const Field* Accesses::random_field(const Accept& accept) {
  std::vector<const Field*> possible;
  for (const Field& field : fields_) {
    if (accept(field)) possible.push_back(&field);
  }
  return possible.empty() ? nullptr : random_.pick(possible);
}

std::string Accesses::access(const Accept& accept) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Field* field = random_field(accept);
    if (!field) return "";
    const Offset offset = random_offset(*field);
    if (!allows(*field, offset)) continue;
    note_access(*field);
    return fmt::format("{}[{}]", level_of(*field), fmt::join(offset, ","));
  }
  return "";
}

std::string Accesses::level_of(const Field& field) {
  const int level = random_.chance(60) ? random_.below(field.history) : 0;
  return field.name + (level ? fmt::format("@-{}", level) : "");
}

std::string Accesses::comprehension() {
  const Field* field = random_field([](const Field& f) { return f.value == Value::Real; });
  if (!field) return "";
  const int low = random_.between(-1, 0), high = 1;
  const size_t axis = static_cast<size_t>(random_.below(grids_.rank()));
  const Offset base = random_offset(*field);
  std::vector<std::string> indices;
  for (size_t d = 0; d < rank(); ++d) {
    indices.push_back(d == axis ? "q" : fmt::format("{}", base[d]));
  }
  for (int q = low; q <= high; ++q) {
    Offset offset = base;
    offset[axis] = q;
    if (!allows(*field, offset)) return "";
  }
  covers("comprehension");
  note_access(*field);
  return fmt::format("sum(q in {}..{} : 0.25 * (2-abs(q)) * {}[{}])", low, high, level_of(*field),
                     fmt::join(indices, ","));
}

std::string Accesses::varying() {
  const Field* field = random_field([](const Field& f) { return f.value == Value::Real; });
  if (!field) return "";
  const size_t axis = static_cast<size_t>(random_.below(grids_.rank()));
  Offset offset(rank(), 0);
  std::vector<std::string> indices(rank(), "0");
  indices[axis] = fmt::format("(time + i{}) % 3 - 1 within 1", axis);
  for (int q = -1; q <= 1; ++q) {
    offset[axis] = q;
    if (!allows(*field, offset)) return "";
  }
  covers("varying offset");
  note_access(*field);
  return fmt::format("{}[{}]", level_of(*field), fmt::join(indices, ","));
}

std::string Accesses::call() {
  const Field* field = random_field([](const Field& f) { return f.value == Value::Real; });
  if (!field || functions_.empty()) return "";
  const auto& [name, reads] = random_.pick(functions_);
  Offset shift(rank());
  for (int& s : shift) s = random_.chance(50) ? 0 : random_.between(-1, 1);
  for (Offset offset : reads) {
    for (size_t d = 0; d < rank(); ++d) {
      offset[d] += shift[d] * grids_.map(grid_, places_[field->place].grid, d)[0];
    }
    if (!allows(*field, offset)) return "";
  }
  covers("function at an offset");
  note_access(*field);
  return fmt::format("{}({})[{}]", name, level_of(*field), fmt::join(shift, ","));
}

std::string Accesses::make_functions() {
  if (!random_.chance(50)) return "";
  const int count = random_.between(1, 2);
  std::string text;
  for (int f = 0; f < count; ++f) {
    const std::string name = fmt::format("mean{}", f);
    std::vector<Offset> reads;
    std::vector<std::string> terms;
    for (int t = 0; t < 2; ++t) {
      Offset offset(rank());
      for (int& o : offset) o = random_.between(-1, 1);
      reads.push_back(offset);
      terms.push_back(fmt::format("u[{}]", fmt::join(offset, ",")));
    }
    text += fmt::format("function {}(u : field) = 0.5 * ({});\n", name, fmt::join(terms, " + "));
    functions_.emplace_back(name, reads);
  }
  return text;
}

}  // namespace stencil::property::several
