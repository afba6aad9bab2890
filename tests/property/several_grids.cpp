// Sizes are drawn first, so that bounds are known when accesses are drawn.
#include "tests/property/several_grids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tests/property/grid_accesses.h"

namespace stencil::property {
namespace several {
namespace {

class SeveralGrids : private Accesses {
 public:
  using Accesses::Accesses;

  GeneratedProgram run() {
    out_.rank = grids_.rank();
    note_grids();
    make_places();
    make_fields();
    std::string items = make_functions();
    items += make_steps();
    items += make_final_reduction();
    std::string text;
    for (size_t d = 0; d < rank(); ++d) {
      out_.integers.emplace_back(fmt::format("N{}", d), grids_.size(d));
      out_.size_periods.push_back(grids_.period(d));
      text += fmt::format("param N{} : integer;\n", d);
    }
    out_.integers.emplace_back("m", random_.between(-3, 5));
    out_.reals.emplace_back("alpha", random_.unit());
    text += "param m : integer;\nparam alpha : real = 0.375;\n";
    out_.text = text + declarations() + items;
    out_.constructs = constructs_;
    return std::move(out_);
  }

 private:
  // --- Grids and fields ---

  void note_grids() {
    for (const DerivedGrid& grid : grids_.all()) {
      if (grid.of < 0) continue;
      covers(grid.cells ? "cells" : "vertices");
      if (grid.of > 0) covers("chain");
      for (size_t d = 0; d < rank(); ++d) {
        covers(fmt::format("ratio {}", grid.ratios[d]));
        if (grids_.first(d) < 0) covers("negative first index");
        if (grids_.first(d) % grid.total[d] != 0) covers("first index that is no multiple");
      }
    }
  }

  void make_places() {
    for (size_t g = 0; g < grids_.all().size(); ++g) {
      const std::vector<int> none(rank(), 0);
      places_.push_back({grids_.all()[g].name, static_cast<int>(g), none, none});
    }
    const int subgrids = random_.between(0, 3);
    for (int s = 0; s < subgrids; ++s) {
      Place place{fmt::format("S{}", s), random_.below(static_cast<int>(grids_.all().size())),
                  std::vector<int>(rank()), std::vector<int>(rank())};
      bool fits = true;
      for (size_t d = 0; d < rank(); ++d) {
        place.low[d] = random_.between(0, 2);
        place.high[d] = random_.between(0, 2);
        const auto [low, high] = grids_.bounds(place.grid, d);
        fits &= high - low >= place.low[d] + place.high[d] + 1;
      }
      if (fits) places_.push_back(place);
    }
  }

  void make_fields() {
    const int count = random_.between(3, 6);
    for (int f = 0; f < count; ++f) {
      const int grids = static_cast<int>(grids_.all().size());
      Field field{std::string(1, static_cast<char>('A' + f)),
                  "real",
                  Value::Real,
                  random_.chance(65) ? random_.below(grids)
                                     : random_.below(static_cast<int>(places_.size())),
                  {}};
      if (f < 2) field.place = f == 0 ? 0 : random_.between(1, grids - 1);
      switch (random_.weighted({60, 8, 10, 6, 8, 8})) {
        case 1:
          field.type = "float";
          break;
        case 2:
          field.type = "double";
          break;
        case 3:
          field.type = "half";
          break;
        case 4:
          field.type = "integer";
          field.value = Value::Integer;
          break;
        case 5:
          field.type = "vector 2 of real";
          field.value = Value::Vector;
          break;
        default:
          break;
      }
      field.constant = f > 1 && random_.chance(20);
      if (!field.constant && random_.chance(20)) field.history = random_.between(2, 3);
      field.boundary = boundary_of(field);
      covers("type " + field.type);
      if (static_cast<size_t>(field.place) >= grids_.all().size()) covers("field on a sub-grid");
      fields_.push_back(field);
    }
  }

  Boundary boundary_of(const Field& field) {
    const bool part = static_cast<size_t>(field.place) >= grids_.all().size();
    const Rules permitted = part || random_.chance(60)      ? Rules::Plain
                            : field.value == Value::Integer ? Rules::Computed
                                                            : Rules::All;
    const Boundary found = random_boundary(random_, out_.rank, false, permitted);
    for (size_t d = 0; d < rank(); ++d) {
      const bool small = extent(places_[field.place], d) < 2;
      if (small && needs_two_points(found.dimensions[d])) return no_boundary(out_.rank);
    }
    return found;
  }

  std::string declarations() {
    std::vector<std::string> ranges;
    for (size_t d = 0; d < rank(); ++d) {
      ranges.push_back(fmt::format("{}..N{}{:+}", grids_.first(d), d, grids_.first(d) - 1));
    }
    std::string text = fmt::format("grid G = [{}]", fmt::join(ranges, ", "));
    if (random_.chance(40)) text += " origin 0.5 spacing 0.25";
    text += ";\n";
    // For smaller sizes an access might meet a rule that does not apply between grids. Points of
    // fixed edges must be boxes.
    const bool plain = std::all_of(fields_.begin(), fields_.end(),
                                   [](const Field& field) { return field.boundary.plain(); });
    for (size_t d = 0; d < rank(); ++d) {
      const int64_t least = std::max(1, 1 - grids_.first(d));
      const bool loose = plain && least < grids_.size(d) && random_.chance(40);
      text += fmt::format(
          "require N{} >= {};\n", d,
          loose ? least + random_.below(static_cast<int>(grids_.size(d) - least)) : grids_.size(d));
    }
    for (const DerivedGrid& grid : grids_.all()) {
      if (grid.of >= 0) text += grid.declaration(grids_.all()[grid.of].name);
    }
    for (size_t p = grids_.all().size(); p < places_.size(); ++p) {
      const Place& place = places_[p];
      text += fmt::format("subgrid {} of {} = {};\n", place.name, grids_.all()[place.grid].name,
                          box(place.low, place.high));
    }
    for (const Field& field : fields_) {
      text += fmt::format("field {} : {} on {}", field.name, field.type, places_[field.place].name);
      if (field.history > 1) text += fmt::format(" history {}", field.history);
      if (field.constant) text += " constant";
      const std::string& rules = field.boundary.text;
      const bool written =
          std::find(written_.begin(), written_.end(), field.name) != written_.end();
      if (!field.boundary.none()) {
        text += " boundary " + (written ? rules : with_constant_edges(rules));
      }
      text += ";\n";
    }
    return text;
  }

  static std::string at_first(int points) {
    return points == 0 ? "first" : fmt::format("first+{}", points);
  }
  static std::string at_last(int points) {
    return points == 0 ? "last" : fmt::format("last-{}", points);
  }
  std::string box(const std::vector<int>& low, const std::vector<int>& high) const {
    std::vector<std::string> ranges;
    for (size_t d = 0; d < rank(); ++d) {
      ranges.push_back(at_first(low[d]) + ".." + at_last(high[d]));
    }
    return fmt::format("[{}]", fmt::join(ranges, ", "));
  }

  // --- Regions ---

  Span random_span(const Place& place, size_t d) {
    Span span{Span::Whole, place.low[d], place.high[d]};
    const auto [low, high] = grids_.bounds(place.grid, d);
    const auto fits = [&, first = low, last = high](int more) {
      return last - first + 1 > span.low + span.high + more;
    };
    if (random_.chance(45) && fits(2)) ++span.low, ++span.high;
    if (random_.chance(10) && fits(2)) span.low += 2;
    const int roll = random_.below(100);
    if (roll < 4) span.form = Span::AtFirst;
    if (roll >= 4 && roll < 8) span.form = Span::AtLast;
    if (roll >= 8 && roll < 14 && low >= 0 && !has_fixed_edges()) {
      const bool lower = random_.chance(50);
      const bool enough = lower ? fits(2 * span.low + 2) : fits(2 * span.high + 4);
      if (enough) span.form = lower ? Span::LowerHalf : Span::UpperHalf;
    }
    if (span.form != Span::AtFirst && span.form != Span::AtLast && random_.chance(8)) {
      span.stride = random_.between(2, 3);
      covers("stride");
    }
    return span;
  }
  bool has_fixed_edges() const {
    return std::any_of(fields_.begin(), fields_.end(), [](const Field& field) {
      return field.boundary.text.find("fixed") != std::string::npos;
    });
  }
  Region random_region(const Place& place) {
    Region region;
    for (size_t d = 0; d < rank(); ++d) region.push_back(random_span(place, d));
    return region;
  }

  std::string print(const Region& region, bool names) const {
    std::vector<std::string> ranges;
    for (size_t d = 0; d < rank(); ++d) {
      const Span& span = region[d];
      const std::string low = at_first(span.low), high = at_last(span.high);
      const std::string middle = "(first+last)/2";
      std::string text = span.form == Span::AtFirst     ? low
                         : span.form == Span::AtLast    ? high
                         : span.form == Span::LowerHalf ? low + ".." + middle
                         : span.form == Span::UpperHalf ? middle + "+1.." + high
                                                        : low + ".." + high;
      if (span.stride > 1) text += fmt::format(" by {}", span.stride);
      ranges.push_back(names ? fmt::format("i{} in {}", d, text) : text);
    }
    return fmt::format("[{}]", fmt::join(ranges, ", "));
  }

  // --- Values ---

  std::string term() {
    std::string found;
    switch (random_.weighted({60, 8, 6, 5, 8, 8})) {
      case 1:
        found = comprehension();
        break;
      case 2:
        found = call();
        break;
      case 3:
        found = has_names_ ? varying() : "";
        break;
      case 4: {
        found = access([](const Field& field) { return field.value == Value::Integer; });
        if (!found.empty()) found = "0.03125 * " + found;
        break;
      }
      case 5: {
        found = access([](const Field& field) { return field.value == Value::Vector; });
        if (!found.empty()) found += fmt::format("[{}]", random_.below(2));
        break;
      }
      default:
        break;
    }
    if (found.empty()) {
      found = access([](const Field& field) { return field.value == Value::Real; });
    }
    if (found.empty()) return "0.5";
    return random_.chance(30) ? fmt::format("{:.3f} * {}", random_.unit(), found) : found;
  }

  std::string value() {
    const int terms = random_.between(1, 4);
    std::string sum = term();
    for (int t = 1; t < terms; ++t) sum += " + " + term();
    const int d = random_.below(out_.rank);
    switch (random_.weighted({62, 8, 8, 6, 5, 11})) {
      case 1:
        covers("coordinates");
        sum += has_names_ ? fmt::format(" + 0.01 * position(i{})", d)
                          : fmt::format(" + 0.125 * spacing({0}) + 0.01 * origin({0})", d);
        break;
      case 2:
        covers("index");
        sum += has_names_ ? fmt::format(" + 0.01 * i{}", d) : " + 0.015625 * time";
        break;
      case 3:
        sum = fmt::format("{} + select({} < {}, {}, 0.25)", sum, term(), term(), term());
        break;
      case 4:
        if (has_names_) sum += fmt::format(" + 0.1 * random(i{}, time)", d);
        break;
      case 5:
        if (!totals_.empty()) {
          covers("reduction in the step");
          sum += fmt::format(" + min(max(0.001 * {}, -1), 1)", random_.pick(totals_));
        }
        break;
      default:
        break;
    }
    return fmt::format("{:.3f} * ({}) + 0.0625", 0.8 / terms, sum);
  }

  std::string integer_value() {
    const auto integers = [](const Field& field) { return field.value == Value::Integer; };
    const std::string a = access(integers), b = access(integers);
    if (a.empty() || b.empty()) return fmt::format("integer(8 * ({})) % 97", value());
    return fmt::format("({} + 3 * {}) % 97", a, b);
  }

  std::string value_for(const Field& target) {
    if (target.value == Value::Integer) return integer_value();
    if (target.value == Value::Real) return value();
    const auto vectors = [](const Field& field) { return field.value == Value::Vector; };
    const std::string whole = random_.chance(40) ? access(vectors) : "";
    return whole.empty() ? fmt::format("{{{}, {}}}", value(), value())
                         : fmt::format("0.5 * {} + {}", whole, value());
  }

  std::string where() {
    if (!random_.chance(15)) return "";
    covers("where");
    if (has_names_ && random_.chance(50))
      return fmt::format(" where i0 % 2 == {}", random_.below(2));
    return fmt::format(" where {} > {}", term(), term());
  }

  // --- Stencil functions, repeats and reductions ---

  std::string make_stencil(bool repeated) {
    const Field* target = random_field(
        [&](const Field& field) { return !field.constant && (!repeated || field.history == 1); });
    if (!target) return "";
    std::vector<const Field*> targets = {target};
    const Field* second = random_field([&](const Field& field) {
      return field.place == target->place && &field != target && !field.constant &&
             (!repeated || field.history == 1);
    });
    if (second && random_.chance(30)) {
      covers("several targets");
      targets.push_back(second);
    }
    std::vector<std::string> names;
    for (const Field* field : targets) {
      names.push_back(field->name);
      written_.push_back(field->name);
    }
    const Place& place = places_[target->place];
    grid_ = place.grid;
    covers(grid_ == 0 ? "function of the first grid" : "function of a derived grid");
    Region region = random_region(place);
    region_ = &region;
    has_names_ = random_.chance(40);
    const std::string every =
        random_.chance(8) ? fmt::format(" every {}", random_.between(2, 3)) : "";
    std::string out =
        fmt::format("stencil f{} : {}{}", functions_made_++, fmt::join(names, ", "), every);
    const bool edge_apart = random_.chance(12) && region[0].form == Span::Whole;
    if (!edge_apart) {
      const std::string condition = where();
      return out + fmt::format(" {{ {}{} = {}; }}\n", print(region, has_names_), condition,
                               values_for(targets));
    }
    covers("pieces");
    const Region whole = region;
    region[0].form = Span::AtFirst;
    region[0].stride = 1;
    out += fmt::format(" {{\n  {} = {};\n", print(region, has_names_), values_for(targets));
    region = whole;
    ++region[0].low;
    const auto [low, high] = bounds(region[0], 0, grids_.size(0));
    if (low <= high) {
      out += fmt::format("  {} = {};\n", print(region, has_names_), values_for(targets));
    }
    return out + "}\n";
  }

  std::string values_for(const std::vector<const Field*>& targets) {
    if (targets.size() == 1) return value_for(*targets[0]);
    return fmt::format("{{{}, {}}}", value_for(*targets[0]), value_for(*targets[1]));
  }

  std::string make_steps() {
    std::string text;
    const int count = random_.between(2, 6);
    int open = 0;
    for (int f = 0; f < count; ++f) {
      if (open == 0 && random_.chance(20)) text += make_total();
      if (open < 2 && random_.chance(open == 0 ? 15 : 30)) {
        text += fmt::format("repeat {} {{\n", random_.between(1, 3));
        covers(open == 0 ? "repeat" : "repeat in a repeat");
        ++open;
        const std::string body = make_stencil(true);
        if (body.empty()) {  // all fields have a history
          text = close(text.substr(0, text.rfind("repeat")), open - 1);
          return functions_made_ == 0 ? text + make_stencil(false) : text;
        }
        text += body;
      } else {
        text += make_stencil(open > 0);
      }
      if (open > 0 && random_.chance(60)) {
        text += "}\n";
        --open;
      }
    }
    return close(text, open);
  }
  static std::string close(std::string text, int open) {
    for (; open > 0; --open) text += "}\n";
    return text;
  }

  // "sum(value) on region".
  std::string reduced() {
    grid_ = random_.below(static_cast<int>(grids_.all().size()));
    Region region = random_region(places_[grid_]);
    region_ = &region;
    covers(grid_ == 0 ? "reduction on the first grid" : "reduction on a derived grid");
    has_names_ = false;
    const std::string reducer = random_.pick<std::string>({"sum", "max", "min"});
    const std::string value = random_.chance(50) ? term() : this->value();
    const std::string condition = where();
    if (grid_ == 0 && random_.chance(50)) {
      Region plain = region;
      std::string text = print(plain, false);
      return fmt::format("{}({}) on {}{}", reducer, value, text, condition);
    }
    const std::string name = fmt::format("R{}", regions_made_++);
    region_items_ += fmt::format("subgrid {} of {} = {};\n", name, grids_.all()[grid_].name,
                                 print(region, false));
    return fmt::format("{}({}) on {}{}", reducer, value, name, condition);
  }

  std::string make_total() {
    const std::string name = fmt::format("total{}", totals_.size());
    const std::string value = reduced();
    const std::string text =
        std::exchange(region_items_, "") + fmt::format("reduce {} = {} initial 0;\n", name, value);
    totals_.push_back(name);
    return text;
  }

  std::string make_final_reduction() {
    if (!random_.chance(35)) return "";
    const std::string value = reduced();
    std::string text = std::exchange(region_items_, "") + fmt::format("reduce last0 = {}", value);
    if (random_.chance(40)) text += fmt::format(" every {}", random_.between(1, 3));
    text += ";\n";
    if (random_.chance(30)) text += "stop when last0 > 1.5;\n";
    return text;
  }

  GeneratedProgram out_;
  std::vector<std::string> written_, totals_;
  std::string region_items_;
  int functions_made_ = 0, regions_made_ = 0;
};

}  // namespace
}  // namespace several

GeneratedProgram random_program_on_several_grids(uint64_t seed) {
  return several::SeveralGrids(seed).run();
}

}  // namespace stencil::property
