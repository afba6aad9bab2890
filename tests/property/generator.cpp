// Programs are generated as text, so that the parser and semantic analysis are part of what is
// tested.
//
// Functions come first: each collects, per dimension, how far its accesses reach beyond the point
// towards edges without a boundary rule; the regions keep that distance from the grid's edges, and
// the grid is then made at least large enough for every region to have a point. Expressions are
// mostly damped sums, so that values stay finite over many steps and a wrong bit anywhere shows.
#include "tests/property/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/boundaries.h"

namespace stencil::property {

uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
int Random::below(int n) {
  return static_cast<int>(next() % static_cast<uint64_t>(n));
}
int Random::between(int low, int high) {
  return low + below(high - low + 1);
}
bool Random::chance(int percent) {
  return below(100) < percent;
}
double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

namespace {

enum class Element { Real, Integer, Vector };

struct Field {
  std::string name;
  Element element = Element::Real;
  Boundary boundary;
  bool constant = false;
  bool inner = false;  // on a sub-grid that leaves out the points at the edges
  int history = 1;
};

// How far the accesses of a piece reach below and above the point, per dimension, towards edges
// without a boundary rule.
struct Reach {
  std::vector<int> low, high;
  explicit Reach(int rank) : low(static_cast<size_t>(rank)), high(static_cast<size_t>(rank)) {}
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  GeneratedProgram run() {
    out_.rank = random_.between(1, 3);
    needed_.assign(static_cast<size_t>(out_.rank), 1);
    tiny_ = random_.chance(20);
    make_fields();
    const bool has_lap = random_.chance(25);
    std::string functions = has_lap ? make_function() : "";
    const int count = random_.between(1, 3);
    for (int f = 0; f < count; ++f) functions += make_stencil(f);
    if (random_.chance(30)) functions += make_reductions();
    choose_sizes();
    std::string text;
    for (const auto& [name, value] : out_.sizes) text += fmt::format("param {} : integer;\n", name);
    text += "param alpha : real = 0.375;\n";
    text += "grid G = [" + full_box() + "] steps 4;\n";
    for (size_t d = 0; d < needed_.size(); ++d) {
      text += fmt::format("require {} >= {};\n", size_name(d), needed_[d]);
    }
    const auto inner = [](const Field& field) { return field.inner; };
    if (std::any_of(fields_.begin(), fields_.end(), inner)) {
      text += "subgrid H of G = [" + inner_box() + "];\n";
    }
    for (const Field& field : fields_) text += declare(field);
    out_.text = text + functions;
    return std::move(out_);
  }

 private:
  int rank() const { return out_.rank; }
  void covers(const std::string& construct) { out_.constructs.insert(construct); }
  static std::string size_name(size_t d) { return fmt::format("N{}", d); }

  std::string full_box() const {
    std::vector<std::string> ranges;
    for (int d = 0; d < rank(); ++d)
      ranges.push_back(fmt::format("0..{}-1", size_name(static_cast<size_t>(d))));
    return fmt::format("{}", fmt::join(ranges, ", "));
  }

  std::string inner_box() const {
    std::vector<std::string> ranges;
    for (int d = 0; d < rank(); ++d)
      ranges.push_back(fmt::format("1..{}-2", size_name(static_cast<size_t>(d))));
    return fmt::format("{}", fmt::join(ranges, ", "));
  }

  // --- Declarations ---

  void make_fields() {
    const int written = random_.between(1, 3);
    for (int f = 0; f < written; ++f) {
      Field field;
      field.name = std::string(1, static_cast<char>('A' + f));
      if (random_.chance(12)) field.element = Element::Integer;
      if (random_.chance(10)) field.element = Element::Vector;
      field.boundary = random_boundary(random_, rank(), tiny_);
      field.inner = field.boundary.covers() && random_.chance(8);
      if (random_.chance(20)) field.history = random_.between(2, 4);
      fields_.push_back(field);
    }
    if (random_.chance(35)) {
      Field field;
      field.name = "K";
      field.constant = true;
      field.boundary = random_boundary(random_, rank(), tiny_);
      fields_.push_back(field);
      covers("coefficient field");
    }
    for (const Field& field : fields_) {
      if (field.element == Element::Integer) covers("integer field");
      if (field.element == Element::Vector) covers("vector field");
      if (field.history > 1) covers(fmt::format("history {}", field.history));
      if (field.inner) {
        covers("field on a sub-grid");
        for (int& extent : needed_) extent = 3;
      }
      for (const std::string& construct : field.boundary.constructs()) covers(construct);
    }
  }

  std::string declare(const Field& field) const {
    const char* type = field.element == Element::Real      ? "real"
                       : field.element == Element::Integer ? "integer"
                                                           : "vector 2 of real";
    std::string text =
        fmt::format("field {} : {} on {}", field.name, type, field.inner ? "H" : "G");
    if (field.history > 1) text += fmt::format(" history {}", field.history);
    if (field.constant) text += " constant";
    if (field.boundary.text != "none") text += " boundary " + field.boundary.text;
    return text + ";\n";
  }

  // function lap(u : field) = ...: a sum over neighbours along one random axis.
  std::string make_function() {
    lap_axis_ = random_.below(rank());
    lap_radius_ = random_.between(1, 2);
    std::vector<std::string> plus, minus;
    for (int d = 0; d < rank(); ++d) {
      plus.push_back(fmt::format("{}", d == lap_axis_ ? lap_radius_ : 0));
      minus.push_back(fmt::format("{}", d == lap_axis_ ? -lap_radius_ : 0));
    }
    std::vector<std::string> zero(static_cast<size_t>(rank()), "0");
    return fmt::format("function lap(u : field) = u[{}] + u[{}] - 2 * u[{}];\n",
                       fmt::join(plus, ","), fmt::join(minus, ","), fmt::join(zero, ","));
  }

  // --- Stencil functions ---

  // How far the target's domain keeps from the grid's edges.
  Reach edge_of(const Field& target) const {
    Reach edge(rank());
    if (target.inner) {
      std::fill(edge.low.begin(), edge.low.end(), 1);
      std::fill(edge.high.begin(), edge.high.end(), 1);
    }
    return edge;
  }

  std::string make_stencil(int number) {
    std::vector<const Field*> targets;
    for (const Field& field : fields_) {
      if (!field.constant) targets.push_back(&field);
    }
    const Field& target = *random_.pick(targets);
    const std::string head = fmt::format("stencil f{} : {}", number, target.name);
    if (random_.chance(25)) return head + " {\n" + make_pieces(target) + "}\n";
    Reach reach = edge_of(target);
    const std::string value = target_value(target, reach);
    if (!lets_.empty()) {
      std::string body;
      for (const std::string& let : lets_) body += "  " + let + "\n";
      lets_.clear();
      covers("let");
      return head + " {\n" + body + fmt::format("  [{}] = {};\n}}\n", region(reach, true), value);
    }
    return head + fmt::format("[{}] = {};\n", region(reach, true), value);
  }

  // One or two reductions, of values around one per point, and perhaps a condition that some of the
  // runs meet.
  std::string make_reductions() {
    allow_lets_ = false;
    std::string out;
    std::vector<std::string> conditions;
    const int count = random_.between(1, 2);
    for (int r = 0; r < count; ++r) {
      Reach reach(rank());
      uses_index_.clear();
      const std::string reducer = random_.pick<std::string>({"sum", "sum", "prod", "min", "max"});
      covers("reduction " + reducer);
      const std::string value = reduced_value(reducer, reach);
      const int every = random_.pick<int>({1, 2, 3, 5});
      out += fmt::format("reduce r{} = {}({}) on [{}]", r, reducer, value, region(reach, true));
      out += every == 1 && random_.chance(50) ? ";\n" : fmt::format(" every {};\n", every);
      const std::string threshold = fmt::format("{:.3f}", 2 * random_.unit() - 0.5);
      conditions.push_back(fmt::format("r{} {} {}", r, random_.chance(50) ? "<" : ">", threshold));
    }
    allow_lets_ = true;
    if (random_.chance(40)) return out;
    covers("stop");
    std::string condition =
        fmt::format("{}", fmt::join(conditions, random_.chance(50) ? " and " : " or "));
    if (random_.chance(30)) condition = fmt::format("({}) and time >= 2", condition);
    return out + fmt::format("stop when {};\n", condition);
  }

  std::string reduced_value(const std::string& reducer, Reach& reach) {
    const Field& field = random_.pick(fields_);
    allow_index_ = true;
    if (field.element == Element::Integer) {
      covers("reduction of integers");
      const std::string value = access(field, reach);
      return reducer == "prod" ? fmt::format("select({} > 0, 1, -1)", value) : value;
    }
    if (field.history > 1 && random_.chance(60)) {
      covers("reduction of a change");
      const std::string here = fmt::format("{}", fmt::join(std::vector<int>(rank(), 0), ","));
      const std::string part = field.element == Element::Vector ? "[1]" : "";
      return fmt::format("abs({0}[{1}]{2} - {0}@-1[{1}]{2})", field.name, here, part);
    }
    const std::string value = real_term(reach, 1);
    if (reducer == "prod") return fmt::format("1 + 0.01 * ({})", value);
    switch (random_.below(3)) {
      case 0:
        return fmt::format("({}) * {}", value, real_access(reach));
      case 1:
        return fmt::format("abs({} - {})", value, real_access(reach));
      default:
        return value;
    }
  }

  // Three pieces along one dimension: a lower edge, the middle, an upper edge.
  std::string make_pieces(const Field& target) {
    covers("pieces");
    const int axis = random_.below(rank());
    const int edge = random_.between(1, 2);
    allow_lets_ = false;
    std::string out;
    for (int piece = 0; piece < 3; ++piece) {
      Reach reach = edge_of(target);
      std::string value = target_value(target, reach);
      const size_t a = static_cast<size_t>(axis);
      std::vector<std::string> ranges;
      for (int d = 0; d < rank(); ++d) {
        if (d != axis) ranges.push_back(range(static_cast<size_t>(d), reach));
      }
      const std::string size = size_name(a);
      const int low = reach.low[a];
      const int high = reach.high[a];
      std::string along_axis;
      if (piece == 0) {  // [low .. low+edge-1]: starts where the accesses stay inside
        along_axis = fmt::format("{}..{}", low, low + edge - 1);
        first_end_ = low + edge;
        needed_[a] = std::max(needed_[a], low + edge + high);
      } else if (piece == 1) {
        middle_begin_ = std::max(first_end_, low);
        middle_high_ = std::max(high, edge + 4);
        along_axis = fmt::format("{}..{}-{}", middle_begin_, size, middle_high_ + 1);
        needed_[a] = std::max(needed_[a], middle_begin_ + middle_high_ + 1);
      } else {
        const int top = std::min(high, middle_high_ - 1);
        if (top < high) return close_pieces(out);
        along_axis = fmt::format("{}-{}..{}-{}", size, middle_high_, size, top + 1);
        needed_[a] = std::max(needed_[a], std::max(low, middle_begin_) + middle_high_ + 1);
      }
      ranges.insert(ranges.begin() + axis, along_axis);
      out += fmt::format("  [{}] = {};\n", fmt::join(ranges, ", "), value);
    }
    return close_pieces(out);
  }

  std::string close_pieces(std::string out) {
    allow_lets_ = true;
    return out;
  }

  std::string range(size_t d, const Reach& reach) {
    needed_[d] = std::max(needed_[d], reach.low[d] + reach.high[d] + 1);
    const int skip =
        random_.chance(15) ? random_.between(1, 2) : 0;  // not all of what would be allowed
    if (skip) covers("sub-region");
    needed_[d] = std::max(needed_[d], reach.low[d] + reach.high[d] + skip + 1);
    return fmt::format("{}..{}-{}", reach.low[d] + skip, size_name(d), reach.high[d] + 1);
  }

  std::string region(const Reach& reach, bool index_names) {
    std::vector<std::string> ranges;
    for (int d = 0; d < rank(); ++d) {
      const std::string text = range(static_cast<size_t>(d), reach);
      const bool named = index_names && uses_index_.count(d);
      ranges.push_back(named ? fmt::format("i{} in {}", d, text) : text);
    }
    if (!uses_index_.empty()) covers("index names");
    uses_index_.clear();
    return fmt::format("{}", fmt::join(ranges, ", "));
  }

  std::string target_value(const Field& target, Reach& reach) {
    uses_index_.clear();
    const bool pieces = !allow_lets_;
    allow_index_ = !pieces;
    switch (target.element) {
      case Element::Real:
        return real_value(reach);
      case Element::Integer:
        return integer_value(reach);
      case Element::Vector:
        return fmt::format("{{{}, {}}}", real_value(reach), real_value(reach));
    }
    return "";
  }

  // --- Expressions ---

  std::string real_value(Reach& reach) {
    const int terms = random_.between(1, 5);
    std::string sum = real_term(reach, 0);
    for (int t = 1; t < terms; ++t) {
      sum += random_.chance(70) ? " + " : " - ";
      sum += real_term(reach, 0);
    }
    switch (random_.below(4)) {
      case 0:
        covers("division by a constant");
        return fmt::format("({}) / {}", sum, divisor(terms));
      case 1:
        return fmt::format("{:.3f} * ({})", 0.9 / terms, sum);
      case 2:
        return fmt::format("min(max(({}) * {:.4f}, -2), 3)", sum, 1.0 / terms);
      default:
        return fmt::format("{:.3f} * ({}) + 0.125", 0.7 / terms, sum);
    }
  }

  // Of a magnitude of at least `terms`; odd, even, negative, no integer, a power of two.
  std::string divisor(int terms) {
    static const std::vector<std::string> kOthers = {"118", "159", "-6", "-7", "7.5", "8", "1000"};
    if (random_.chance(50)) return random_.pick(kOthers);
    return fmt::format("{}", terms + random_.between(0, 2));
  }

  std::string real_term(Reach& reach, int depth) {
    const int roll = depth > 2 ? random_.below(40) : random_.below(100);
    if (roll < 30) return real_access(reach);
    if (roll < 40) return fmt::format("{:.3f} * {}", random_.unit(), real_access(reach));
    if (roll < 46) return fmt::format("alpha * {}", real_access(reach));
    if (roll < 52) {
      return fmt::format("({} * {})", real_term(reach, depth + 1), real_term(reach, depth + 1));
    }
    if (roll < 57) {
      return fmt::format("({} - {})", real_term(reach, depth + 1), real_term(reach, depth + 1));
    }
    if (roll < 62) {
      covers("select");
      return fmt::format("select({} < {}, {}, {})", real_access(reach), real_access(reach),
                         real_term(reach, depth + 1), real_term(reach, depth + 1));
    }
    if (roll < 66) return fmt::format("sqrt(abs({}))", real_term(reach, depth + 1));
    if (roll < 70) {
      return fmt::format("{} / (2 + abs({}))", real_term(reach, depth + 1), real_access(reach));
    }
    if (roll < 74) {
      return fmt::format("fma({}, 0.5, {})", real_access(reach), real_term(reach, depth + 1));
    }
    if (roll < 78) return fmt::format("-{}", real_access(reach));
    if (roll < 82) return fmt::format("floor(4 * {}) / 4", real_access(reach));
    if (roll < 86 && allow_index_) return fmt::format("0.01 * {}", index_name());
    if (roll < 89) {
      covers("time");
      return "0.015625 * time";
    }
    if (roll < 93) return comprehension(reach);
    if (roll < 97 && allow_lets_ && lets_.size() < 3 && depth == 0) {
      const std::string name = fmt::format("v{}", lets_.size());
      const bool index_allowed = std::exchange(allow_index_, false);  // lets belong to no one piece
      const std::string value = real_term(reach, depth + 1);
      allow_index_ = index_allowed;
      lets_.push_back(fmt::format("let {} = {};", name, value));
      return fmt::format("({} - {} * {})", name, name, real_access(reach));
    }
    return lap_radius_ ? lap(reach) : real_access(reach);
  }

  std::string index_name() {
    const int d = random_.below(rank());
    uses_index_.insert(d);
    return fmt::format("i{}", d);
  }

  std::string comprehension(Reach& reach) {
    covers("comprehension");
    const Field* field = real_field();
    if (!field) return "0.5";
    const int axis = random_.below(rank());
    const int radius = random_.between(1, 2);
    std::vector<int> offset(static_cast<size_t>(rank()), 0);
    for (int o : {-radius, radius}) {
      offset[static_cast<size_t>(axis)] = o;
      note(*field, offset, reach);
    }
    std::vector<std::string> index(static_cast<size_t>(rank()), "0");
    index[static_cast<size_t>(axis)] = "q";
    return fmt::format("sum(q in -{}..{} : {}[{}]{}) / {}", radius, radius, field->name,
                       fmt::join(index, ","), field->element == Element::Vector ? "[1]" : "",
                       2 * radius + 1);
  }

  std::string lap(Reach& reach) {
    const Field* field = nullptr;
    for (const Field& f : fields_) {
      if (f.element == Element::Real) field = &f;
    }
    if (!field) return "0.25";
    covers("function at an offset");
    std::vector<int> shift = random_offset();
    for (int& o : shift) o = std::clamp(o, -1, 1);
    for (int o : {-lap_radius_, lap_radius_}) {
      std::vector<int> offset = shift;
      offset[static_cast<size_t>(lap_axis_)] += o;
      note(*field, offset, reach);
    }
    note(*field, shift, reach);
    return fmt::format("0.25 * lap({})[{}]", field->name, fmt::join(shift, ","));
  }

  const Field* real_field() {
    std::vector<const Field*> usable;
    for (const Field& field : fields_) {
      if (field.element != Element::Integer) usable.push_back(&field);
    }
    return usable.empty() ? nullptr : random_.pick(usable);
  }

  std::vector<int> random_offset() {
    const int radius = random_.chance(12) ? 4 : random_.chance(50) ? 1 : 2;
    std::vector<int> offset(static_cast<size_t>(rank()), 0);
    if (random_.chance(60)) {  // a star: along one axis
      offset[static_cast<size_t>(random_.below(rank()))] = random_.between(-radius, radius);
    } else {
      for (int& o : offset) o = random_.between(-std::min(radius, 2), std::min(radius, 2));
    }
    return offset;
  }

  void note(const Field& field, const std::vector<int>& offset, Reach& reach) {
    for (size_t d = 0; d < offset.size(); ++d) {
      if (offset[d] == 4 || offset[d] == -4) covers("offset 4");
      const Demand needs = demand(field.boundary.dimensions[d], offset[d]);
      reach.low[d] = std::max(reach.low[d], needs.low);
      reach.high[d] = std::max(reach.high[d], needs.high);
      needed_[d] = std::max(needed_[d], needs.points);
    }
  }

  std::string access(const Field& field, Reach& reach) {
    const std::vector<int> offset = random_offset();
    note(field, offset, reach);
    const int level = random_.chance(60) ? random_.below(field.history) : 0;
    return fmt::format("{}{}[{}]", field.name, level > 0 ? fmt::format("@-{}", level) : "",
                       fmt::join(offset, ","));
  }

  std::string real_access(Reach& reach) {
    const Field& field = random_.pick(fields_);
    const std::string text = access(field, reach);
    if (field.element == Element::Vector) return text + (random_.chance(50) ? "[0]" : "[1]");
    if (field.element == Element::Integer) return fmt::format("0.0625 * {}", text);
    return text;
  }

  std::string integer_value(Reach& reach) {
    std::string sum = integer_term(reach);
    const int terms = random_.between(1, 3);
    for (int t = 1; t < terms; ++t)
      sum += (random_.chance(60) ? " + " : " - ") + integer_term(reach);
    return fmt::format("({}) % 97", sum);
  }

  std::string integer_term(Reach& reach) {
    std::vector<const Field*> integers;
    for (const Field& field : fields_) {
      if (field.element == Element::Integer) integers.push_back(&field);
    }
    const std::string a = access(*random_.pick(integers), reach);
    const std::string b = access(*random_.pick(integers), reach);
    switch (random_.below(9)) {
      case 0:
        return fmt::format("({} & {})", a, b);
      case 1:
        return fmt::format("({} ^ {})", a, b);
      case 2:
        return fmt::format("({} | 3)", a);
      case 3:
        return fmt::format("({} / 3)", a);
      case 4:
        return fmt::format("({} % ({} + 1))", a, b);  // may divide by zero: gives 0
      case 5:
        return fmt::format("select({} == {}, 1, {})", a, b, a);
      case 6:
        return fmt::format("({} << 1)", a);
      case 7:
        return fmt::format("({} >> 1)", a);
      default:
        return fmt::format("{} * 2", a);
    }
  }

  // Sizes: at least what the regions need; often exactly that, or near the multiples of small
  // tiles. Half of the rows are of a length that bulk copies can take.
  void choose_sizes() {
    static const int kLargest[] = {0, 300, 70, 26};
    for (size_t d = 0; d < needed_.size(); ++d) {
      int size = needed_[d];
      if (tiny_ || random_.chance(30))
        size += random_.between(0, 3);
      else if (random_.chance(50))
        size = random_.pick<int>({8, 16, 32, 64}) + random_.between(-1, 1);
      else
        size += random_.between(0, kLargest[rank()]);
      size = std::max(size, needed_[d]);
      size = std::min(size, std::max(kLargest[rank()], needed_[d]));
      if (d + 1 == needed_.size() && !tiny_ && random_.chance(50)) size = (size + 7) / 8 * 8;
      out_.sizes.emplace_back(size_name(d), size);
    }
  }

  Random random_;
  GeneratedProgram out_;
  std::vector<Field> fields_;
  std::vector<int> needed_;  // least extent per dimension
  bool tiny_ = false;        // hardly more points than that, and every edge has a rule
  std::vector<std::string> lets_;
  std::set<int> uses_index_;
  bool allow_lets_ = true;
  bool allow_index_ = true;
  int lap_axis_ = 0, lap_radius_ = 0;
  int first_end_ = 0, middle_begin_ = 0, middle_high_ = 0;
};

}  // namespace

GeneratedProgram random_program(uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace stencil::property
