// Functions are drawn first: some read a finer or a coarser level. Blocks then apply them under
// conditions of `level`, so that each level they read exists. A cycle applies itself only in
// `coarser`, so it ends.
#include "tests/property/cycles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/property/random.h"

namespace stencil::property {
namespace {

struct Field {
  std::string name, type;
  bool levelled = true;  // false: with a history, written once per step
};
enum class Reads { Here, Fine, Coarse };
struct Function {
  std::string name;
  Reads reads;
};

// Which levels a block may be on.
struct Place {
  bool has_finer = false, has_coarser = false;  // known
  bool recursive = false;                       // may apply the cycles around it
  int depth = 0;
};

class Cycles {
 public:
  explicit Cycles(uint64_t seed) : random_(seed) {}

  GeneratedProgram run() {
    make_grid();
    make_fields();
    make_functions();
    make_totals();
    std::string blocks = make_cycles();
    const std::string start = random_.chance(30) ? fmt::format("start {}\n", block({})) : "";
    if (!start.empty()) covers("start");
    blocks += start + make_step();
    for (int d = 0; d < rank_; ++d) {
      out_.integers.emplace_back(fmt::format("N{}", d), sizes_[static_cast<size_t>(d)]);
      out_.size_periods.push_back(cells_ ? total_[static_cast<size_t>(d)] : 1);
    }
    out_.reals.emplace_back("alpha", random_.unit());
    out_.rank = rank_;
    out_.text = declarations_ + functions_text_ + totals_text_ + blocks + make_end();
    return std::move(out_);
  }

 private:
  void covers(const std::string& construct) { out_.constructs.insert("cycles: " + construct); }

  void make_grid() {
    rank_ = 1 + random_.weighted({30, 45, 25});
    levels_ = random_.chance(25) ? 0 : 1 + random_.weighted({10, 30, 35, 25});
    cells_ = random_.chance(50);
    const int usual = random_.chance(85) ? 2 : 3;
    if (usual == 3) levels_ = std::min(levels_, rank_ == 3 ? 2 : 3);
    std::vector<int> ratios;
    for (int d = 0; d < rank_; ++d) ratios.push_back(random_.chance(85) ? usual : d == 0 ? 2 : 1);
    const int coarsest = rank_ == 1 ? 12 : rank_ == 2 ? 7 : 4;  // points at most
    std::vector<std::string> ranges;
    for (int d = 0; d < rank_; ++d) {
      int total = 1;
      for (int l = 1; l < levels_; ++l) total *= ratios[static_cast<size_t>(d)];
      const int points = random_.between(3, coarsest);
      const int64_t size = levels_ == 0 ? random_.between(3, rank_ == 3 ? 20 : 60)
                           : cells_     ? points * total
                                        : (points - 1) * total + 1 + random_.below(total);
      total_.push_back(total);
      sizes_.push_back(size);
      ranges.push_back(fmt::format("0..N{}-1", d));
      declarations_ += fmt::format("param N{} : integer;\n", d);
    }
    declarations_ += "param alpha : real = 0.375;\n";
    for (int d = 0; d < rank_; ++d) {
      declarations_ += fmt::format("require N{} >= {};\n", d, sizes_[static_cast<size_t>(d)]);
    }
    declarations_ += fmt::format("grid G = [{}]", fmt::join(ranges, ", "));
    if (levels_ > 0) {
      declarations_ += fmt::format(" levels {} by [{}]{}", levels_, fmt::join(ratios, ", "),
                                   cells_ ? " cells" : "");
      covers(fmt::format("{} levels of {}", levels_, cells_ ? "cells" : "vertices"));
    } else {
      covers("one grid");
    }
    if (random_.chance(40)) declarations_ += " origin 0.5 spacing 0.25";
    declarations_ += ";\n";
    std::vector<std::string> inner;
    for (int d = 0; d < rank_; ++d) {
      const std::string low = random_.chance(30) ? "first" : "first+1";
      inner.push_back(low + (random_.chance(30) ? "..last" : "..last-1"));
    }
    declarations_ += fmt::format("subgrid S of G = [{}];\n", fmt::join(inner, ", "));
  }

  // Rules that apply between grids.
  std::string boundary() {
    std::vector<std::string> rules;
    for (int d = 0; d < rank_; ++d) {
      if (random_.chance(25)) {
        rules.emplace_back("periodic");
        continue;
      }
      std::vector<std::string> all = {"constant 0", "constant 1", "clamp", "mirror"};
      if (levels_ > 0) all.emplace_back("constant 0.25 * level");
      const std::string low = random_.pick(all), high = random_.pick(all);
      rules.push_back(low == high ? low : low + " .. " + high);
    }
    return fmt::format("[{}]", fmt::join(rules, ", "));
  }

  void make_fields() {
    const int count = random_.between(2, 5);
    for (int f = 0; f < count; ++f) {
      Field field{std::string(1, static_cast<char>('A' + f)), "real"};
      const int roll = random_.below(100);
      if (roll < 8) field.type = "float";
      if (roll >= 8 && roll < 20) field.type = "double";
      if (roll >= 20 && roll < 26) field.type = "half";
      const bool history = f > 1 && random_.chance(20);
      field.levelled = !history;
      declarations_ += fmt::format("field {} : {} on G{} boundary {};\n", field.name, field.type,
                                   history ? " history 2" : "", boundary());
      if (history) covers("history");
      fields_.push_back(field);
    }
  }

  std::string offsets(int low, int high) {
    std::vector<int> out;
    for (int d = 0; d < rank_; ++d) {
      out.push_back(random_.chance(50) ? 0 : random_.between(low, high));
    }
    return fmt::format("[{}]", fmt::join(out, ","));
  }

  const Field& any_field(bool levelled) {
    while (true) {
      const Field& field = random_.pick(fields_);
      if (field.levelled || !levelled) return field;
    }
  }

  // `here`: a read on the level of the function. Fields with a history are read on level 0 only.
  std::string term(Reads reads, const std::string& more) {
    const std::string factor = random_.chance(40) ? fmt::format("{:.3f} * ", random_.unit()) : "";
    if (reads == Reads::Fine) {
      return fmt::format("{}fine {}{}", factor, any_field(true).name, offsets(-1, 2));
    }
    if (reads == Reads::Coarse) {
      return fmt::format("{}coarse {}{}", factor, any_field(true).name, offsets(-1, 1));
    }
    switch (random_.below(14)) {
      case 0:
        return levels_ > 0 ? "0.125 * level" : "0.25";
      case 1:
        return "0.01 * time";
      case 2:
        return fmt::format("0.01 * spacing({})", random_.below(rank_));
      case 3:
        return more.empty() ? "alpha" : more;
      default:
        return fmt::format("{}{}{}", factor, any_field(true).name, offsets(-2, 2));
    }
  }

  // "A on G = ..."
  std::string computed(const Field& target, Reads reads, const std::string& more,
                       const std::string& others) {
    std::string sum = term(reads, "");
    const int terms = random_.between(1, 4);
    for (int t = 1; t < terms; ++t) {
      const bool other = reads != Reads::Here && random_.chance(50);
      sum += " + " + term(other ? Reads::Here : reads, others);
    }
    if (!more.empty()) sum += " + " + more;
    const std::string region = random_.chance(50) ? "G" : "S";
    const std::string every = random_.chance(8) ? " every 2" : "";
    std::string where;
    if (random_.chance(15)) {
      where = random_.chance(50) ? fmt::format(" where {} > 0.25", term(Reads::Here, "")) : "";
    }
    const std::string value = fmt::format("{:.3f} * ({}) + 0.0625", 0.7 / (terms + 1), sum);
    return fmt::format("{}{} on {}{} = {};\n", target.name, every, region, where, value);
  }

  void make_functions() {
    const int count = random_.between(3, 6);
    for (int f = 0; f < count; ++f) {
      Reads reads = Reads::Here;
      if (levels_ > 1 && f > 0) {
        reads = f == 1               ? Reads::Fine
                : f == 2             ? Reads::Coarse
                : random_.chance(50) ? Reads::Here
                : random_.chance(50) ? Reads::Fine
                                     : Reads::Coarse;
      }
      const std::string name = fmt::format("f{}", f);
      functions_.push_back({name, reads});
      functions_text_ +=
          fmt::format("stencil {} : {}", name, computed(any_field(true), reads, "", ""));
    }
    for (const Field& field : fields_) {
      if (field.levelled) continue;
      const std::string name = "keep" + field.name;
      keepers_.push_back(name);
      functions_text_ +=
          fmt::format("stencil {} : {}", name,
                      computed(field, Reads::Here,
                               fmt::format("0.25 * {}@-1{}", field.name, offsets(-1, 1)), ""));
    }
  }

  // Reductions that the step evaluates, each with functions for the places before and after.
  void make_totals() {
    const int count = random_.weighted({55, 30, 15});
    for (int t = 0; t < count; ++t) {
      covers("reduction in the step");
      const std::string name = fmt::format("total{}", t);
      const std::string own = t > 0 && random_.chance(50) ? " + 0.001 * total0" : "";
      totals_text_ += fmt::format("reduce {} = {}({}{}{}) on {} initial 0.5;\n", name,
                                  random_.chance(50) ? "sum" : "max", any_field(true).name,
                                  offsets(-1, 1), own, random_.chance(50) ? "G" : "S");
      for (const char* const when : {"before", "after"}) {
        const std::string read = when[0] == 'b' || random_.chance(30) ? name + "@-1" : name;
        totals_text_ += fmt::format("stencil {}{} : {}", when, t,
                                    computed(any_field(true), Reads::Here,
                                             fmt::format("min(max(0.01 * {}, -1), 1)", read), ""));
      }
    }
    totals_ = count;
  }

  // --- Blocks ---

  std::string make_cycles() {
    cycles_ = random_.weighted({20, 50, 30});
    std::string text;
    for (int c = 0; c < cycles_; ++c) {
      current_ = c;
      recursions_ = 0;
      text += fmt::format("cycle c{} {}\n", c, block({.recursive = levels_ > 1}));
    }
    current_ = -1;
    return text;
  }

  std::string apply(const Place& place) {
    const Function& function = random_.pick(functions_);
    if (function.reads == Reads::Fine && !place.has_finer) {
      return fmt::format("if level > 0 {{ {}; }}", function.name);
    }
    if (function.reads == Reads::Coarse && !place.has_coarser) {
      return fmt::format("if level < {} {{ {}; }}", levels_ - 1, function.name);
    }
    return function.name + ";";
  }

  std::string coarser(Place place) {
    covers("coarser");
    const bool known = place.has_coarser;
    place.has_finer = true;
    place.has_coarser = false;
    ++place.depth;
    std::string inside = statements(place);
    if (place.recursive && recursions_ < 2 && random_.chance(80)) {
      ++recursions_;
      covers("a cycle that applies itself");
      inside += fmt::format(" c{};", current_);
      if (random_.chance(30) && recursions_ < 2) {
        ++recursions_;
        covers("a cycle that applies itself twice");
        inside += fmt::format(" c{};", current_);
      }
      if (random_.chance(50)) inside += " " + apply(place);
    }
    const std::string text = fmt::format("coarser {{ {} }}", inside);
    return known ? text
                 : fmt::format("if level < {} {{ {} {} }}", levels_ - 1, text,
                               apply({.has_finer = place.has_finer && false, .has_coarser = true}));
  }

  std::string statement(const Place& place) {
    if (place.depth > 2) return apply(place);
    Place inner = place;
    ++inner.depth;
    inner.recursive = false;
    switch (random_.weighted({50, 12, 12, levels_ > 1 ? 25 : 0, 10})) {
      case 1: {
        const bool by_level = levels_ > 0 && random_.chance(30);
        const int count = random_.weighted({3, 10, 20, 20, 10, 10, 10});
        covers(by_level ? "repeat by level" : "repeat");
        return fmt::format("repeat {} {{ {} }}", by_level ? "level + 1" : std::to_string(count),
                           statements(inner));
      }
      case 2: {
        const std::string condition =
            levels_ > 0
                ? fmt::format("level {} {}", random_.pick<std::string>({"==", "<", ">=", "!="}),
                              random_.below(levels_))
                : random_.pick<std::string>({"true", "1 > 2", "not false"});
        covers("if");
        std::string text = fmt::format("if {} {{ {} }}", condition, statements(inner));
        if (random_.chance(50)) text += fmt::format(" else {{ {} }}", statements(inner));
        return text;
      }
      case 3:
        return coarser(place);
      case 4: {  // another cycle; those below it do not apply this one
        const int first = current_ < 0 ? 0 : current_ + 1;
        if (first >= cycles_) return apply(place);
        return fmt::format("c{};", random_.between(first, cycles_ - 1));
      }
      default:
        return apply(place);
    }
  }

  std::string statements(const Place& place) {
    const int count = random_.between(1, place.depth > 0 ? 2 : 4);
    std::vector<std::string> out;
    for (int s = 0; s < count; ++s) out.push_back(statement(place));
    return fmt::format("{}", fmt::join(out, " "));
  }

  std::string block(const Place& place) { return fmt::format("{{ {} }}", statements(place)); }

  std::string make_step() {
    std::string text = "step { f0; ";
    if (levels_ > 1) text += "coarser { f1; } f2; ";
    for (int t = 0; t < totals_; ++t) {
      if (random_.chance(60)) text += fmt::format("before{}; ", t);
      if (random_.chance(60)) text += statements({}) + " ";
      text += fmt::format("total{}; ", t);
      if (random_.chance(80)) text += fmt::format("after{}; ", t);
    }
    for (const std::string& keeper : keepers_) {
      if (random_.chance(80)) text += keeper + "; ";
      if (random_.chance(50)) text += statements({}) + " ";
    }
    return text + statements({}) + " }\n";
  }

  std::string make_end() {
    if (!random_.chance(35)) return "";
    std::string text =
        fmt::format("reduce last0 = max({}{}) on G", any_field(true).name, offsets(0, 0));
    if (random_.chance(40)) text += fmt::format(" every {}", random_.between(1, 3));
    text += ";\n";
    if (random_.chance(40)) text += "stop when last0 > 1.5;\n";
    return text;
  }

  Random random_;
  GeneratedProgram out_;
  int rank_ = 1, levels_ = 0;  // 0: the grid has none
  bool cells_ = false;
  std::vector<int> total_;  // ratios of all levels
  std::vector<int64_t> sizes_;
  std::vector<Field> fields_;
  std::vector<Function> functions_;
  std::vector<std::string> keepers_;  // functions that write fields with a history
  int totals_ = 0, cycles_ = 0;
  int current_ = -1;  // the cycle whose block is drawn
  int recursions_ = 0;
  std::string declarations_, functions_text_, totals_text_;
};

}  // namespace

GeneratedProgram random_program_with_cycles(uint64_t seed) {
  return Cycles(seed).run();
}

}  // namespace stencil::property
