// Sizes are folded into the IR before boxes exist: a program with N = 512 has the bound 511,
// without a trace of N - 1. So the text omits everything that may be a size. Two programs that
// differ only in such numbers share a fingerprint. The worst consequence is a suboptimal line:
// results do not depend on the schedule, and a line that a program refuses is skipped.
#include "runtime/tune/fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "compiler/ir/rewrite.h"
#include "compiler/reference/state.h"
#include "compiler/support/numbers.h"

namespace stencil::tune {

namespace {

constexpr int64_t kFarthest = 64;        // points from an end of the grid
constexpr int64_t kLargestConstant = 8;  // integers that are not sizes

class Canonical {
 public:
  explicit Canonical(const ir::Program& program) : program_(program) {}

  std::string text() {
    std::string out =
        fmt::format("{} {} {}\n", name(program_.real), name(program_.fp), program_.grid().rank());
    for (const ir::Domain& domain : program_.domains) {
      if (!domain.coarsened) continue;
      const auto& [of, ratios, cells] = *domain.coarsened;
      out += fmt::format("grid of {} by {}{}\n", of, fmt::join(ratios, " "), cells ? " cells" : "");
    }
    for (const ir::Field& field : program_.fields) {
      out += text_of(field);
      if (field.domain != 0) out += fmt::format("on grid {}\n", field.domain);
    }
    for (const ir::Function& function : program_.functions) {
      out += fmt::format("function {}\n", fmt::join(function.targets, " "));
      for (const ir::Piece& piece : function.pieces) out += text_of(piece);
    }
    for (const ir::Phase& phase : ir::phases(program_)) {
      if (phase.iterations_per_step() == 1 && ir::applies_in_order(program_)) continue;
      out += fmt::format("repeat {} {}\n", fmt::join(phase.functions, ","), phase.iterations);
      if (phase.times > 1) out += fmt::format("within {}\n", phase.times);
    }
    for (const ir::Reduction& reduction : program_.reductions) {
      const auto over = ir::reduced_dimensions(program_, reduction);
      out += fmt::format("reduce {} every {}{}\n", static_cast<int>(reduction.reducer),
                         reduction.every,
                         reduction.at       ? fmt::format(" at {}", *reduction.at)
                         : reduction.target ? fmt::format(" over {}", fmt::join(over, " "))
                                            : "");
      out += text_of(reduction.piece);
    }
    if (program_.run.until) out += "stop\n";
    return out;
  }

 private:
  std::string text_of(const ir::Affine& bound, size_t dimension) const {
    const ir::Range& grid = program_.grid().ranges[dimension];
    const ir::Affine low = bound - grid.low, high = bound - grid.high;
    const auto distance = [](const ir::Affine& from) {
      return from.is_constant() ? std::abs(from.constant) : INT64_MAX;
    };
    const bool nearer_low = distance(low) <= distance(high);
    const ir::Affine& nearer = nearer_low ? low : high;
    if (distance(nearer) > kFarthest) return "inner";
    return fmt::format("{}{:+}", nearer_low ? "low" : "high", nearer.constant);
  }

  std::string text_of(const ir::Box& box) const {
    std::string out;
    for (size_t d = 0; d < box.ranges.size(); ++d) out += text_of(box.ranges[d], d);
    return out;
  }
  std::string text_of(const ir::Range& range, size_t dimension) const {
    return fmt::format(" {}..{}", text_of(range.low, dimension), text_of(range.high, dimension));
  }

  std::string text_of(const ir::BoundaryRule& rule) {
    std::string out = fmt::format(" {}", static_cast<int>(rule.kind));
    for (const double value : rule.values) out += "," + constant(value);
    return out;
  }

  std::string text_of(const ir::Field& field) {
    std::string out = fmt::format("field {}{}", field.history, field.constant ? " constant" : "");
    for (const ir::Component& component : field.components) {
      out += fmt::format(" {}", name(component.type));
    }
    if (const ir::PointSet* set = field.as_point_set()) {
      out += fmt::format(" points weighing {}{}", set->width, decade_of(field));
    }
    // The number of steps of a series does not affect schedules.
    for (size_t d = 0; d < field.box.ranges.size(); ++d) {
      const int of_grid = field.dimension(d);
      if (field.read_in_place()) out += fmt::format(" along {}", of_grid);
      if (of_grid >= 0) {
        out += text_of(field.box.ranges[d], static_cast<size_t>(of_grid));
      }
    }
    for (const ir::Boundary& rules : field.boundary)
      out += text_of(rules.low) + text_of(rules.high);
    return out + "\n";
  }

  // The order of magnitude of a set's points: the fastest schedule differs between few and
  // thousands.
  static std::string decade_of(const ir::Field& set) {
    const ir::Range& range = set.box.ranges.back();
    const ir::Affine count = range.high - range.low + 1;
    if (!count.is_constant()) return "";
    int decade = 0;
    for (int64_t rest = count.constant; rest >= 10; rest /= 10) ++decade;
    return fmt::format(", some 10^{}", decade);
  }

  std::string text_of(const ir::Piece& piece) {
    std::string out = fmt::format("on{}\n", text_of(piece.region));
    const std::vector<bool> needed = ir::reachable(piece.graph, piece.results);
    std::vector<int> numbers(needed.size(), 0);  // numbers of the needed nodes, in order
    int next = 0;
    for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
      if (!needed[id]) continue;
      numbers[id] = next++;
      const ir::Node& node = piece.graph[id];
      out += fmt::format("{} {}\n", name(node.type), text_of(node, numbers));
    }
    for (const ir::NodeId result : piece.results) {
      out += fmt::format("= {}\n", numbers[result]);
    }
    return out;
  }

  std::string text_of(const ir::Node& node, const std::vector<int>& numbers) {
    struct Visitor {
      Canonical& self;
      const ir::Node& node;
      const std::vector<int>& numbers;
      std::string operator()(const ir::Constant& c) const {
        if (is_float(node.type)) return self.constant(c.real);
        const bool small = std::abs(c.integer) <= kLargestConstant;
        return small ? fmt::format("{}", c.integer) : "#";
      }
      std::string operator()(const ir::ParamRef& p) const {
        const auto known = static_cast<int>(self.params_.size());
        return fmt::format("param {}", self.params_.emplace(p.param, known).first->second);
      }
      std::string operator()(const ir::Index& i) const { return fmt::format("i{}", i.dimension); }
      std::string operator()(const ir::Time&) const { return "time"; }
      std::string operator()(const ir::ReductionRef& r) const {
        return fmt::format("reduction {}", r.reduction);
      }
      std::string operator()(const ir::Access& a) const {
        return fmt::format("{}.{}@{}[{}]{}", a.field, a.component, a.level,
                           fmt::join(offsets_of(a.maps), ","), a.escapes);
      }
      std::string operator()(const ir::Operation& o) const {
        std::string out = fmt::format("op{}", static_cast<int>(o.op));
        for (const ir::NodeId operand : o.operands) {
          out += fmt::format(" {}", numbers[operand]);
        }
        return out;
      }
    };
    return std::visit(Visitor{*this, node, numbers}, node.kind);
  }

  std::string constant(double value) {
    for (const double known : {0.0, 0.5, 1.0, 2.0}) {
      if (std::fabs(value) == known) return fmt::format("{}", value);
    }
    const auto next = static_cast<int>(constants_.size());
    return fmt::format("c{}",
                       constants_.emplace(std::bit_cast<uint64_t>(value), next).first->second);
  }

  const ir::Program& program_;
  std::map<uint64_t, int> constants_;  // bits -> number, by first appearance
  std::map<ir::ParamId, int> params_;  // param -> number, by first appearance
};

}  // namespace

std::string print(const Sizes& sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

std::optional<Sizes> parse_sizes(const std::string& text) {
  Sizes out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('x', begin), text.size());
    const auto extent = parse_integer(std::string_view(text).substr(begin, end - begin), 1);
    if (!extent) return std::nullopt;
    out.push_back(*extent);
    begin = end + 1;
  }
  return out;
}

double points_of(const Sizes& sizes) {
  double points = 1;
  for (const int64_t extent : sizes) points *= static_cast<double>(extent);
  return points;
}

std::optional<Sizes> sizes_of(const ir::Program& program, const std::vector<int64_t>& integers) {
  std::vector<int64_t> values = integers;
  const bool complete = values.size() >= program.params.size();
  for (const ir::Range& range : program.grid().ranges) {
    if (!complete && (!range.low.is_constant() || !range.high.is_constant())) return std::nullopt;
  }
  values.resize(std::max(values.size(), program.params.size()));
  const auto box = reference::concrete(program.grid(), values);
  if (!box) return std::nullopt;
  Sizes out;
  for (const auto& [low, high] : *box) {
    if (high < low) return std::nullopt;
    out.push_back(high - low + 1);
  }
  return out;
}

std::string canonical(const ir::Program& program) {
  return Canonical(program).text();
}

std::string fingerprint(const ir::Program& program) {
  const std::string text = canonical(program);
  XXH128_canonical_t digits;
  XXH128_canonicalFromHash(&digits, XXH3_128bits(text.data(), text.size()));
  std::string out;
  for (const unsigned char byte : digits.digest) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace stencil::tune
