#include "compiler/decompose/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/decompose/needs.h"
#include "compiler/decompose/pieces.h"
#include "compiler/ir/rewrite.h"

namespace stencil::decompose {

namespace {

using analysis::Margin;
using ir::Affine;

// --- Formulas of bounds

// Adds the value of an affine function to a graph.
ir::NodeId add_affine(ir::Graph& graph, const ir::Program& program, const Affine& affine) {
  ir::NodeId sum = add_integer(graph, affine.constant, Scalar::I64);
  for (const auto& [param, coefficient] : affine.terms) {
    const Scalar type = program.params[param].type;
    ir::NodeId term = graph.add({ir::ParamRef{param}, type, {}, ""});
    if (type != Scalar::I64) term = add_operation(graph, Op::Convert, Scalar::I64, {term});
    if (coefficient != 1) {
      const ir::NodeId factor = add_integer(graph, coefficient, Scalar::I64);
      term = add_operation(graph, Op::Mul, Scalar::I64, {term, factor});
    }
    sum = add_operation(graph, Op::Add, Scalar::I64, {sum, term});
  }
  return sum;
}

ir::NodeId narrowed(ir::Graph& graph, ir::NodeId value) {
  return add_operation(graph, Op::Convert, Scalar::I32, {value});
}

// The formula of a bound, as a graph and as text.
class Formula {
 public:
  struct Term {
    ir::NodeId node;
    std::string text;
  };
  explicit Formula(const ir::Program& program)
      : program_(program), names_(ir::param_names(program)) {}

  Term affine(const Affine& value) {
    return {add_affine(graph_, program_, value), ir::print(value, names_)};
  }
  Term max(const Term& a, const Term& b) { return chosen(Op::Max, "max", a, b); }
  Term min(const Term& a, const Term& b) { return chosen(Op::Min, "min", a, b); }
  Term if_greater(const Term& a, const Term& b, const Term& then, const Term& otherwise) {
    const ir::NodeId holds = add_operation(graph_, Op::Gt, Scalar::Bool, {a.node, b.node});
    return {add_operation(graph_, Op::Select, Scalar::I64, {holds, then.node, otherwise.node}),
            fmt::format("{} > {} ? {} : {}", a.text, b.text, then.text, otherwise.text)};
  }

  ir::Derivation done(const Term& value) {
    ir::Derivation out{graph_, 0, value.text};
    out.value = narrowed(out.graph, value.node);
    return out;
  }

 private:
  Term chosen(Op op, const char* name, const Term& a, const Term& b) {
    return {add_operation(graph_, op, Scalar::I64, {a.node, b.node}),
            fmt::format("{}({}, {})", name, a.text, b.text)};
  }

  const ir::Program& program_;
  const std::vector<std::string> names_;
  ir::Graph graph_;
};

// --- The derivation

std::set<std::string> names_of(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Param& param : program.params) names.insert(param.name);
  for (const ir::Field& field : program.fields) names.insert(field.name);
  for (const ir::Function& function : program.functions) names.insert(function.name);
  return names;
}

class BoxDerivation {
 public:
  BoxDerivation(const ir::Program& whole, BoxProgram& out)
      : whole_(whole), box_(out), out_(out.program), names_(names_of(whole)) {
    const size_t rank = whole.grid().ranges.size();
    out_ = whole;
    box_.whole = whole.grid();
    out_.steps = Affine{box_.steps, {}};
    box_.first = static_cast<ir::ParamId>(whole.params.size());
    for (size_t d = 0; d < rank; ++d) {
      low_.push_back(add_param("box_low", d, {}));
      high_.push_back(add_param("box_high", d, {}));
    }
  }

  void run() {
    add_checks();
    for (size_t d = 0; d < low_.size(); ++d) add_memory(d);
    for (size_t d = 0; d < low_.size(); ++d) out_.domain().box.ranges[d] = {first_[d], last_[d]};
    for (ir::Field& field : out_.fields) restrict_field(field);
    for (ir::Function& function : out_.functions) restrict_function(function);
    for (ir::Init& init : out_.inits) restrict_init(init);
  }

 private:
  bool wraps(size_t d) const { return box_.wraps[d]; }
  const Affine& grid_low(size_t d) const { return whole_.grid().ranges[d].low; }
  const Affine& grid_high(size_t d) const { return whole_.grid().ranges[d].high; }
  Affine period(size_t d) const { return grid_high(d) - grid_low(d) + 1; }

  Affine add_param(const std::string& what, size_t d, std::optional<ir::Derivation> derived) {
    const std::string base = fmt::format("{}_{}", what, kAxes[whole_.grid().ranges.size() - 1 - d]);
    std::string name = base;
    for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    ir::Param param;
    param.name = name;
    param.type = Scalar::I32;
    param.derived = std::move(derived);
    out_.params.push_back(std::move(param));
    return Affine{0, {{static_cast<ir::ParamId>(out_.params.size()) - 1, 1}}};
  }

  // A bound derived from others; equal formulas share one param.
  Affine bound(const std::string& what, size_t d, Formula& formula, const Formula::Term& value) {
    const auto [known, fresh] = bounds_.try_emplace(value.text);
    if (fresh) known->second = add_param(what, d, formula.done(value));
    return known->second;
  }

  void require(Affine nonnegative, const std::string& message) {
    if (nonnegative.is_constant() && nonnegative.constant >= 0) return;
    const auto same = [&](const ir::Check& check) {
      return check.any_nonnegative == std::vector{nonnegative};
    };
    if (std::any_of(out_.checks.begin(), out_.checks.end(), same)) return;
    out_.checks.push_back({{std::move(nonnegative)}, "L034", message, whole_.domain().span});
  }

  void add_checks() {
    for (size_t d = 0; d < low_.size(); ++d) {
      const std::string axis = kAxes[low_.size() - 1 - d];
      const std::string outside = fmt::format("the box does not lie within the grid in {}", axis);
      require(low_[d] - grid_low(d), outside);
      require(grid_high(d) - high_[d], outside);
      require(high_[d] - low_[d], fmt::format("the box has no points in {}", axis));
      if (!wraps(d)) continue;
      require(
          period(d) - std::max(box_.depth[d].low, box_.depth[d].high),
          fmt::format("the grid is periodic in {} and has fewer points than the depth of the halo",
                      axis));
    }
    for (const ir::Field& field : whole_.fields) {
      if (field.read_in_place()) continue;
      for (const ir::Range& range : field.box.ranges) {
        require(range.high - range.low, fmt::format("array {}: an extent is below 1", field.name));
      }
    }
  }

  // Adds the bounds of the box's memory in dimension d.
  void add_memory(size_t d) {
    const auto& [below, above] = box_.depth[d];
    const auto end = [&](const char* what, const Affine& beyond, const Affine& edge, bool low) {
      Formula formula(out_);
      const auto a = formula.affine(edge), b = formula.affine(beyond);
      return bound(what, d, formula, low ? formula.max(a, b) : formula.min(a, b));
    };
    const Affine first = low_[d] - below, last = high_[d] + above;
    const bool as_deep = wraps(d);  // otherwise clipped at the edge of the grid
    first_.push_back(as_deep || below == 0 ? first : end("memory_low", first, grid_low(d), true));
    last_.push_back(as_deep || above == 0 ? last : end("memory_high", last, grid_high(d), false));
  }

  // The part of a range that is in memory. It keeps at least one point, the nearest one, because a
  // field with zero extent would look like an error. No access reads that point.
  ir::Range held(const ir::Range& range, size_t d) {
    if (range == whole_.grid().ranges[d]) return out_.grid().ranges[d];
    Formula low(out_);
    const auto bottom = low.max(low.affine(range.low), low.affine(first_[d]));
    const Affine first = bound("low", d, low, low.min(bottom, low.affine(range.high)));
    Formula high(out_);
    const auto top = high.min(high.affine(range.high), high.affine(last_[d]));
    return {first, bound("high", d, high, high.max(top, high.affine(range.low)))};
  }

  void restrict_field(ir::Field& field) {
    if (field.read_in_place()) return;
    for (size_t d = 0; d < low_.size(); ++d) {
      field.box.ranges[d] = held(field.box.ranges[d], d);
      if (wraps(d)) field.boundary[d] = {};
    }
  }

  // The part of a range whose values can be computed. If `edge` is set, memory may end with the
  // grid, and the range then extends to that edge.
  ir::Range computed(const ir::Range& range, size_t d, const analysis::Reach& reach, bool edge) {
    const Affine first = first_[d] + reach.low, last = last_[d] - reach.high;
    Formula low(out_);
    auto bottom = low.max(low.affine(range.low), low.affine(first));
    const Affine from_low = range.low - grid_low(d);
    if (edge && !(from_low.is_constant() && from_low.constant >= reach.low)) {
      bottom = low.if_greater(low.affine(first_[d]), low.affine(grid_low(d)), bottom,
                              low.affine(range.low));
    }
    Formula high(out_);
    auto top = high.min(high.affine(range.high), high.affine(last));
    const Affine from_high = grid_high(d) - range.high;
    if (edge && !(from_high.is_constant() && from_high.constant >= reach.high)) {
      top = high.if_greater(high.affine(grid_high(d)), high.affine(last_[d]), top,
                            high.affine(range.high));
    }
    return {bound("low", d, low, bottom), bound("high", d, high, top)};
  }

  void restrict_function(ir::Function& function) {
    std::vector<ir::Piece> pieces;
    for (const ir::Piece& piece : function.pieces) {
      const Margin reach = reach_of(whole_, piece);
      std::vector<ir::Piece> here = {piece};
      for (size_t d = 0; d < low_.size(); ++d) {
        std::vector<ir::Piece> next;
        for (const ir::Piece& each : here) append_images(each, d, reach[d], next);
        here = std::move(next);
      }
      std::move(here.begin(), here.end(), std::back_inserter(pieces));
    }
    for (ir::Piece& piece : pieces) settle_accesses(piece);
    function.pieces = std::move(pieces);
  }

  void append_images(const ir::Piece& piece, size_t d, const analysis::Reach& reach,
                     std::vector<ir::Piece>& to) {
    const ir::Range& range = piece.region.ranges[d];
    const auto append = [&](const ir::Range& at) {
      to.push_back(piece);
      to.back().region.ranges[d] = at;
    };
    const ir::Range& grid = whole_.grid().ranges[d];
    if (!wraps(d)) {
      if (range == grid && reach == analysis::Reach{}) return append(out_.grid().ranges[d]);
      return append(computed(range, d, reach, true));
    }
    if (range == grid && !depends_on(piece, d)) {
      return append({first_[d] + reach.low, last_[d] - reach.high});
    }
    for (const int64_t images : {-1, 0, 1}) {
      const Affine shift = period(d) * images;
      append(computed({range.low + shift, range.high + shift}, d, reach, false));
      if (images != 0) move_back(to.back(), d, shift);
    }
  }

  // Shifts the piece to points `shift` points higher.
  void move_back(ir::Piece& piece, size_t d, const Affine& shift) {
    move_profiles(whole_, piece, d, shift.constant);
    replace_index(piece, d, [&](ir::Graph& graph, ir::NodeId here) {
      const ir::NodeId by = narrowed(graph, add_affine(graph, out_, shift));
      return add_operation(graph, Op::Sub, Scalar::I32, {here, by});
    });
  }

  // Removes escapes in dimensions that wrap around: images make boundary conditions unnecessary
  // there.
  void settle_accesses(ir::Piece& piece) const {
    std::vector<ir::NodeId*> roots;
    for (ir::NodeId& result : piece.results) roots.push_back(&result);
    ir::rewrite_graph(piece.graph, roots, [&](ir::Graph& graph, ir::Node node) {
      auto* access = std::get_if<ir::Access>(&node.kind);
      for (size_t d = 0; access && !access->in_place && d < low_.size(); ++d) {
        if (wraps(d)) access->escapes &= ~(3u << (2 * d));
      }
      if (access && access->escapes == 0) access->excess.clear();
      return graph.add(std::move(node));
    });
  }

  // Images have the initial values of the points that they represent.
  void restrict_init(ir::Init& init) {
    const ir::Field& field = out_.fields[init.field];
    if (field.read_in_place()) return;
    init.piece.region = field.box;
    for (size_t d = 0; d < low_.size(); ++d) {
      if (!wraps(d)) continue;
      replace_index(init.piece, d, [&](ir::Graph& graph, ir::NodeId here) {
        const auto node = [&](const Affine& value) {
          return narrowed(graph, add_affine(graph, out_, value));
        };
        return add_wrapped(graph, here, node(grid_low(d)), node(grid_high(d)), node(period(d)));
      });
    }
  }

  const ir::Program& whole_;
  BoxProgram& box_;
  ir::Program& out_;
  std::set<std::string> names_;
  std::map<std::string, Affine> bounds_;  // keyed by formula
  std::vector<Affine> low_, high_;        // bounds of the box per dimension
  std::vector<Affine> first_, last_;      // bounds of its memory
};

// --- Refusals and halo depths

class Boxes {
 public:
  Boxes(const ir::Program& program, int64_t steps, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics), cuts_(program.grid().ranges.size(), 2) {
    out_.steps = steps;
  }

  std::optional<BoxProgram> run() {
    refuse_grids();
    if (!refused_) refuse_start();
    if (refused_) return std::nullopt;
    settle_reductions();
    const auto wraps = dimensions_that_wrap(program_, cuts_, refusal_, diagnostics_);
    if (refused_ || !wraps) return std::nullopt;
    out_.wraps = *wraps;
    if (out_.steps > kMostBoxSteps) {
      too_deep(fmt::format("{} steps between exchanges are too many", out_.steps), kMostBoxSteps,
               out_.steps);
      return std::nullopt;
    }
    find_depth();
    if (!fits()) return std::nullopt;
    refuse_profiles_of_images();
    if (refused_) return std::nullopt;
    BoxDerivation(program_, out_).run();
    return std::move(out_);
  }

 private:
  void refuse(const Span& span, const std::string& why) {
    refused_ = true;
    diagnostics_.error(refusal_.code, span, refusal_.what + ": " + why).hint = refusal_.hint;
  }

  // A caller would have to exchange several halos per step. All levels of a grid have one message.
  void refuse_grids() {
    Span reported;
    for (const ir::Domain& domain : program_.domains) {
      if (!domain.coarsened || (reported.valid() && domain.span == reported)) continue;
      reported = domain.span;
      refuse(domain.span, fmt::format("grid '{}' is derived from '{}'", domain.name,
                                      program_.domains[domain.coarsened->of].name));
    }
  }

  // The entry points compute steps only.
  void refuse_start() {
    std::optional<size_t> first;
    ir::for_each_step(program_.start, [&](const ir::Step& step) {
      const auto* apply = std::get_if<ir::Apply>(&step.kind);
      if (apply && !first) first = apply->function;
    });
    if (!first) return;
    const ir::Function& function = program_.functions[*first];
    refuse(function.span, fmt::format("'start' applies '{}'", function.name));
  }

  // Reductions to one value that no step reads are not evaluated; all others are refused.
  void settle_reductions() {
    for (const ir::Reduction& reduction : program_.reductions) {
      if (reduction.at) {
        refuse(reduction.span,
               fmt::format("'{}' records at points that may lie in other boxes", reduction.name));
      } else if (reduction.in_step) {
        refuse(reduction.span,
               fmt::format("the step reads '{}', a reduction over the points of all boxes",
                           reduction.name));
      } else if (reduction.target) {
        refuse(reduction.span,
               fmt::format("'{}' is an array of reductions over the points of all boxes",
                           reduction.name));
      } else {
        out_.left_out.push_back(reduction.name);
      }
    }
    if (program_.run.until) {
      refuse(program_.run.until->span, "the stop condition depends on the points of all boxes");
    }
    if (!refused_) program_.reductions.clear();
  }

  // Shifting a read of a profile needs a constant period, which a grid of open size does not have.
  void refuse_profiles_of_images() {
    for (size_t d = 0; d < cuts_.size(); ++d) {
      const ir::Range& range = program_.grid().ranges[d];
      if (!out_.wraps[d] || (range.high - range.low).is_constant()) continue;
      for (const ir::Function& function : program_.functions) {
        for (const ir::Piece& piece : function.pieces) {
          if (!reads_profiles(program_, piece, d)) continue;
          refuse(piece.span,
                 fmt::format(
                     "a profile is read along {}, a periodic dimension whose size is open (--open)",
                     kAxes[cuts_.size() - 1 - d]));
          return;
        }
      }
    }
  }

  // If a step is cut into phases, each phase reads around the points that the next phase needs. The
  // depths of all phases therefore add up, and every field gets the sum.
  void find_depth() {
    Decomposition all;
    all.cuts = cuts_;
    if (!ir::cuts_steps(program_)) {
      const Needs needs = needs_of(program_, all, out_.steps);
      out_.depth = needs.depth[0];
      out_.needs = needs.by_occasion.front();
      return;
    }
    out_.depth.resize(cuts_.size());
    for (const ir::Phase& phase : ir::phases(program_)) {
      const ir::Program part = ir::phase_program(program_, phase);
      const Margin depth = needs_of(part, all, phase.iterations).depth[0];
      for (size_t d = 0; d < depth.size(); ++d) {
        out_.depth[d].low += out_.steps * phase.times * depth[d].low;
        out_.depth[d].high += out_.steps * phase.times * depth[d].high;
      }
    }
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      const ir::Field& field = program_.fields[f];
      if (field.read_in_place() || !ir::changes(program_, static_cast<ir::FieldId>(f))) continue;
      for (int level = 0; level < field.history; ++level) {
        out_.needs.push_back({static_cast<ir::FieldId>(f), level, out_.depth});
      }
    }
  }

  // An image may only be one period away. Depths that depend on params are checked before a run.
  bool fits() {
    for (size_t d = 0; d < cuts_.size(); ++d) {
      const ir::Range& range = program_.grid().ranges[d];
      const Affine points = range.high - range.low + 1;
      const int64_t depth = std::max(out_.depth[d].low, out_.depth[d].high);
      const bool deep = points.is_constant() && points.constant < depth;
      if (depth <= ir::kLargestOffset && (!out_.wraps[d] || !deep)) continue;
      const std::string of = fmt::format("the halo of {} step(s)", out_.steps);
      const std::string axis = kAxes[cuts_.size() - 1 - d];
      too_deep(deep ? fmt::format("{} is deeper in {} than the periodic grid", of, axis)
                    : of + " is too deep",
               deep ? points.constant : ir::kLargestOffset, depth);
      return false;
    }
    return true;
  }

  void too_deep(const std::string& what, int64_t most, int64_t found) {
    Diagnostic& error = diagnostics_.error("L034", program_.domain().span, what);
    error.expected = fmt::format("at most {}", most);
    error.found = fmt::format("{}", found);
    error.hint = "use fewer steps between exchanges (a smaller --boxes)";
  }

  const Refusal refusal_ = {"L033", "the grid cannot be split into boxes",
                            "omit --boxes, or remove the construct that the message names"};
  ir::Program program_;
  Diagnostics& diagnostics_;
  const Cuts cuts_;
  BoxProgram out_;
  bool refused_ = false;
};

}  // namespace

std::optional<BoxProgram> box_program(const ir::Program& program, int64_t steps,
                                      Diagnostics& diagnostics) {
  return Boxes(program, steps, diagnostics).run();
}

}  // namespace stencil::decompose
