// The interface of a module: the arrays and params that its user sees, their names and sizes.
//
// It depends only on the program, so all schedules of a program have the same entry points, and
// drivers, the runtime and the self-check can exchange schedules. Known sizes become named
// constants. Open sizes stay affine expressions of the params. Both use the same code path.
#include "compiler/schedule/common/interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/ir/axes.h"
#include "compiler/ir/passes.h"
#include "compiler/schedule/common/describe.h"
#include "compiler/schedule/common/evaluate.h"
#include "compiler/support/magnitude.h"

namespace stencil::schedule {

using kernel::Expr;

std::vector<std::string> axis_names(int rank) {
  return {kAxes.rend() - rank, kAxes.rend()};  // x comes last
}

namespace {

// ".u[0]" -> "_u_0": the tail of a component's C name.
std::string identifier_of(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (c == ']') continue;
    out += c == '.' || c == '[' ? '_' : c;
  }
  return out;
}

std::string component_name(const ir::Field& field, size_t component) {
  return field.name + identifier_of(field.components[component].path);
}

// Names visible in emitted files. Fields with several components become arrays with names of their
// own.
std::set<std::string> declared_names(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Param& param : program.params) names.insert(param.name);
  for (const ir::Field& field : program.fields) names.insert(field.name);
  for (const ir::Reduction& reduction : program.reductions) names.insert(reduction.name);
  return names;
}

constexpr const char* kPitch = "elements from one row to the next, in memory";

bool in_box(const ir::Affine& affine, const std::vector<bool>& open_used) {
  for (const auto& [param, coefficient] : affine.terms) {
    if (open_used[param]) return true;
  }
  return false;
}

}  // namespace

Interface::Interface(const ir::Program& program, Rows rows) : program_(program) {
  for (const char* name : {"block", "first_step", "steps"}) names_.reserve(name);
  for (const char* thread : kernel::kThreadNames) names_.reserve(thread);
  set_program_names_aside();
  // Names from the program are kept unless kernels need them. The array name of a component is made
  // up; if it clashes with a declared name, the array is renamed.
  const ir::Program& whole = ir::whole_of(program);
  const std::set<std::string> declared = declared_names(whole);
  for (const ir::Param& param : program.params) {
    param_names_.push_back(param.folded() ? param.name : names_.keep(param.name));
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    first_array_.emplace_back();
    for (size_t c = 0; c < field.components.size(); ++c) {
      kernel::Array array;
      const std::string name = component_name(field, c);
      const bool spelt_alike = name != field.name && declared.count(name) > 0;
      array.name = spelt_alike ? names_.unique(name) : names_.keep(name);
      array.type = field.components[c].type;
      array.levels = field.history;
      array.copies = field.history;
      array.written = ir::changes(whole, static_cast<ir::FieldId>(f));
      array.field = static_cast<int>(f);
      array.component = static_cast<int>(c);
      first_array_.back().push_back(static_cast<int>(arrays_.size()));
      arrays_.push_back(std::move(array));
    }
  }
  for (const kernel::Array& array : arrays_) {  // after the fields, which have priority
    slot_names_.push_back({array.name});
    for (int slot = 1; slot < 2 * array.levels; ++slot) {
      std::string wanted = fmt::format("{}_{}", array.name, slot);
      if (slot >= array.levels) wanted = array.name + "_next";
      if (slot > array.levels) wanted += fmt::format("_{}", slot - array.levels);
      slot_names_.back().push_back(names_.unique(wanted));
    }
  }
  name_sizes();
  for (kernel::Array& array : arrays_) {
    const ir::Box& box = program.fields[array.field].box;
    for (int d = 0; d < box.rank(); ++d) array.extents.push_back(extent(box, d));
  }
  lay_out(rows);

  std::vector<bool> open(program.params.size(), false);
  for (size_t p = 0; p < program.params.size(); ++p) open[p] = program.params[p].open();
  std::vector<bool> sizes(program.params.size(), false);
  for (size_t p = 0; p < program.params.size(); ++p) {
    std::vector<bool> only(program.params.size(), false);
    only[p] = open[p];
    for (const ir::Field& field : program.fields) {
      for (const ir::Range& range : field.box.ranges) {
        sizes[p] = sizes[p] || in_box(range.low, only) || in_box(range.high, only);
      }
    }
  }
  for (size_t p = 0; p < program.params.size(); ++p) {
    const ir::Param& param = program.params[p];
    if (param.folded()) continue;
    kernel::Parameter parameter;
    parameter.name = param_names_[p];
    parameter.type = param.type;
    parameter.real_default = param.real_value;
    parameter.is_size = sizes[p];
    parameter.most = ir::largest_magnitude(program, static_cast<ir::ParamId>(p));
    parameter.param = static_cast<int>(p);
    if (param.derived) {
      parameter.derived = value_on_params(*this, param.derived->graph, param.derived->value);
      parameter.derived_text = param.derived->text;
    }
    parameters_.push_back(std::move(parameter));
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (program.fields[f].is_point_set()) provide_points(static_cast<ir::FieldId>(f));
  }
}

// Tables get their maximum size, for any positions of the points.
void Interface::provide_points(ir::FieldId id) {
  const ir::Field& field = program_.fields[id];
  const ir::Box& grid = program_.domains[field.domain].box;
  kernel::PointSet set{};
  set.name = field.name;
  set.arrays = array_of(id, 0);
  const ir::PointSet& declared = *field.as_point_set();
  set.width = declared.width;
  set.weighted = declared.weighted;
  const auto number = [](int64_t value) { return kernel::integer(value, Scalar::I64); };
  const auto points_of = [&](const ir::Box& box, int d) {
    const ir::Range& range = box.ranges[d];
    return affine_long(range.high - range.low + 1);
  };
  set.points = points_of(field.box, 0);
  int64_t corners = 1;
  for (int d = 0; d < rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    set.low.push_back(affine_long(grid.ranges[i].low));
    set.high.push_back(affine_long(grid.ranges[i].high));
    set.first.push_back(affine_long(declared.within.ranges[i].low));
    set.last.push_back(affine_long(declared.within.ranges[i].high));
    corners *= declared.width;
  }
  const int last = rank() - 1;
  const Expr planes = last > 0 ? points_of(grid, 0) : number(1);
  const auto parts_of = [&](int d, int64_t length) {
    const Expr farthest = kernel::sub(points_of(grid, d), number(1));
    return kernel::add(kernel::operation(Op::Div, {farthest, number(length)}), number(1));
  };
  Expr starts =
      kernel::operation(Op::Min, {planes, kernel::mul(set.points, number(declared.width))});
  for (int d = 1; d < last; ++d) starts = kernel::mul(starts, points_of(grid, d));
  const Expr buckets = parts_of(last, kernel::kPointBucket);
  starts = kernel::add(kernel::mul(starts, buckets), number(1));
  const Expr groups = last > 1 ? parts_of(last - 1, kernel::kPointRows) : number(1);
  Expr counts = kernel::mul(kernel::add(groups, number(1)), kernel::add(buckets, number(1)));
  counts = kernel::mul(counts, kernel::add(planes, number(1)));
  const Expr entries = kernel::mul(set.points, number(corners));
  Names names = names_;
  const auto table = [&](const char* what, Scalar type, const Expr& elements) {
    tables_.push_back({names.unique(fmt::format("{}_{}", field.name, what)), type, elements});
    return static_cast<int>(tables_.size()) - 1;
  };
  if (program_.origin.subdomain) {
    set.owned = program_.origin.subdomain->owned[static_cast<size_t>(field.domain)];
  }
  set.weight = declared.weight;
  set.slabs = table("slabs", Scalar::I32, planes);
  set.starts = table("starts", Scalar::I32, starts);
  set.columns = table("columns", Scalar::I32, entries);
  set.numbers = table("numbers", Scalar::I32, entries);
  set.weights = table("weights", set.weight, entries);
  set.entries = table("entries", Scalar::I32, entries);
  set.firsts = table("firsts", Scalar::I32, kernel::mul(set.points, number(rank())));
  set.counts = table("counts", Scalar::I32, counts);
  set_of_field_[id] = static_cast<int>(point_sets_.size());
  point_sets_.push_back(std::move(set));
}

const kernel::PointSet& Interface::point_set(ir::FieldId set) const {
  return point_sets_[set_of_field_.at(set)];
}

void Interface::set_program_names_aside() {
  const ir::Program& whole = ir::whole_of(program_);
  for (const ir::Param& param : whole.params) names_.set_aside(param.name);
  for (const ir::Field& field : whole.fields) {
    for (size_t c = 0; c < field.components.size(); ++c) {
      names_.set_aside(component_name(field, c));
    }
  }
  for (const ir::Reduction& reduction : whole.reductions) names_.set_aside(reduction.name);
  const auto local_names = [&](const ir::Graph& graph) {
    for (const ir::Node& node : graph.nodes()) {
      if (!node.hint.empty()) names_.set_aside(node.hint);
    }
  };
  for (const ir::Function& function : whole.functions) {
    for (const ir::Piece& piece : function.pieces) local_names(piece.graph);
  }
  for (const ir::Init& init : whole.inits) local_names(init.piece.graph);
  for (const ir::Reduction& reduction : whole.reductions) local_names(reduction.piece.graph);
  if (whole.run.until) local_names(whole.run.until->graph);
}

Names Interface::names_in(const kernel::Module& module) const {
  Names names = names_;
  for (const kernel::NamedConstant& constant : module.constants) names.reserve(constant.name);
  for (const kernel::Kernel& kernel : module.kernels) names.reserve(kernel.name);
  for (const kernel::Scratch& scratch : module.plan.scratch) names.reserve(scratch.name);
  for (const kernel::Reduction& reduction : module.plan.reductions) names.reserve(reduction.name);
  return names;
}

// Names size_z, size_y, size_x, ... for the extents of the first grid that are known, and
// size_z_C, ... for those of a further grid C. A phase has the names of its whole program.
void Interface::name_sizes() {
  const auto axes = axis_names(rank());
  for (const ir::Domain& domain : program_.domains) {
    const bool first = !domain.coarsened;
    const std::string grid = first ? "the grid" : domain.name;
    for (int d = 0; d < rank(); ++d) {
      const ir::Range& range = domain.box.ranges[d];
      const ir::Affine extent = range.high - range.low + 1;
      if (!extent.is_constant()) continue;
      const std::string name = names_.unique("size_" + axes[d] + (first ? "" : "_" + domain.name));
      sizes_.push_back(
          {name, Scalar::I32, extent.constant, fmt::format("points of {} in {}", grid, axes[d])});
      named_sizes_.push_back({range, d, name});
    }
  }
}

// The named size of a grid that has this range in this dimension; null if there is none.
const Interface::NamedSize* Interface::named_size(const ir::Range& range, int dimension) const {
  const auto found = std::find_if(
      named_sizes_.begin(), named_sizes_.end(),
      [&](const NamedSize& size) { return size.dimension == dimension && size.range == range; });
  return found == named_sizes_.end() ? nullptr : &*found;
}

namespace {

Expr rounded_down(const Expr& value, int64_t unit) {
  return kernel::operation(Op::BitAnd, {value, kernel::integer(-unit)});
}
Expr remainder(const Expr& value, int64_t unit) {
  if (unit == 1) return kernel::integer(0);
  return kernel::operation(Op::BitAnd, {value, kernel::integer(unit - 1)});
}
bool is_zero(const Expr& expr) {
  const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind);
  return literal && literal->value == 0;
}

}  // namespace

// Lays out the rows of all arrays. Known pitches become named constants.
void Interface::lay_out(Rows rows) {
  for (kernel::Array& array : arrays_) {
    const ir::Field& field = program_.fields[array.field];
    const RowLayout layout = lay_out_rows(program_, field, array.type, rows);
    alignments_.push_back(layout.alignment);
    if (layout.unit == 0) continue;
    const ir::Range& row = field.box.ranges.back();
    const ir::Range& grid_row = program_.domains[field.domain].box.ranges.back();
    const Expr lead = remainder(affine(row.low - grid_row.low), layout.unit);
    const Expr used = kernel::add(affine(row.high - row.low + 1), lead);
    array.row_pitch =
        rounded_down(kernel::add(used, kernel::integer(layout.unit - 1)), layout.unit);
    if (!is_zero(lead)) array.row_lead = lead;
    const auto* pitch = std::get_if<kernel::IntegerLiteral>(&array.row_pitch->kind);
    if (!pitch) continue;
    const auto same = std::find_if(sizes_.begin(), sizes_.end(), [&](const auto& constant) {
      return constant.value == pitch->value && constant.comment == kPitch;
    });
    const std::string name = same == sizes_.end() ? names_.unique("pitch") : same->name;
    if (same == sizes_.end()) sizes_.push_back({name, Scalar::I32, pitch->value, kPitch});
    array.row_pitch = kernel::variable(name);
  }
}

kernel::Module Interface::empty_module() const {
  kernel::Module module;
  module.name = program_.name;
  module.constants = sizes_;
  module.fp = program_.fp;
  module.header = describe(program_);
  module.plan.arrays = arrays_;
  module.plan.parameters = parameters_;
  module.plan.most_steps = ir::most_steps(program_);
  module.plan.scratch = tables_;
  module.plan.point_sets = point_sets_;
  for (const ir::Param& param : program_.params) {
    if (!param.folded() || !param.derived) continue;
    const auto& [graph, value, text] = *param.derived;
    module.plan.pinned.push_back({param.name, param.type, value_on_params(*this, graph, value),
                                  text, param.real_value.value_or(0),
                                  param.integer_value.value_or(0)});
  }
  if (program_.steps) module.plan.default_steps = affine_long(*program_.steps);
  Expr points = kernel::integer(1, Scalar::I64);
  for (int d = 0; d < rank(); ++d) {
    points = kernel::mul(points, kernel::convert(extent(program_.grid(), d), Scalar::I64));
  }
  module.plan.points = points;
  const bool stored = std::any_of(program_.fields.begin(), program_.fields.end(),
                                  [&](const auto& field) { return field.box == program_.grid(); });
  for (int d = 0; d < rank() && !stored; ++d) {
    const ir::Range& range = program_.grid().ranges[d];
    module.plan.grid.push_back(affine_long(range.high - range.low + 1));
  }

  for (const ir::Check& check : program_.checks) {
    Expr condition = kernel::boolean(false);
    for (const ir::Affine& affine : check.any_nonnegative) {
      condition = kernel::operation(
          Op::Or,
          {condition, kernel::less_equal(kernel::integer(0, Scalar::I64), affine_long(affine))});
    }
    module.plan.checks.push_back({condition, check.message});
  }
  for (const ir::StepLimit& limit : program_.step_limits) {
    module.plan.step_limits.push_back({affine_long(limit.steps), limit.message});
  }
  for (const ir::Param& param : program_.params) {
    if (!param.affine || param.affine->is_constant() || param.type != Scalar::I32) continue;
    const Expr value = affine_long(*param.affine);
    module.plan.checks.push_back(
        {kernel::all_of({kernel::less_equal(kernel::integer(INT32_MIN, Scalar::I64), value),
                         kernel::less_equal(value, kernel::integer(INT32_MAX, Scalar::I64))}),
         fmt::format("param {} is out of range", param.name)});
  }
  limit_coordinates(module.plan.checks);
  for (const ir::Requirement& requirement : program_.requirements) {
    module.plan.checks.push_back({value_on_params(*this, requirement.graph, requirement.condition),
                                  "require " + requirement.text + " does not hold"});
  }
  for (const ir::Axis& axis : program_.domains.front().axes) {
    if (ir::is_known(axis)) continue;  // already verified
    const std::string message =
        fmt::format("spacing {} must be positive and finite, and origin {} finite",
                    axis.spacing_text, axis.origin_text);
    const auto& checks = module.plan.checks;
    const bool stated = std::any_of(checks.begin(), checks.end(),
                                    [&](const auto& check) { return check.message == message; });
    if (stated) continue;
    module.plan.checks.push_back({value_on_params(*this, axis.graph, axis.admissible), message});
  }
  return module;
}

// Checks that coordinates fit 32 bits: those of fields, and of regions that are not provably inside
// a field because they may be empty.
void Interface::limit_coordinates(std::vector<kernel::Check>& checks) const {
  const Expr farthest = kernel::integer(ir::kLargestCoordinate, Scalar::I64);
  const Expr least = kernel::sub(kernel::integer(0, Scalar::I64), farthest);
  std::vector<ir::Affine> limited;  // bounds already limited by a check, without their constants
  const auto slope = [](ir::Affine affine) {
    affine.constant = 0;
    return affine;
  };
  const auto is_limited = [&](const ir::Affine& bound) {
    return bound.is_constant() ||
           (magnitude(bound.constant) <= ir::kLargestOffset &&
            std::find(limited.begin(), limited.end(), slope(bound)) != limited.end());
  };
  const auto limit = [&](const ir::Range& range, const std::string& what, bool may_be_empty) {
    std::vector<Expr> all = {kernel::less_equal(least, affine_long(range.low)),
                             kernel::less_equal(affine_long(range.high), farthest),
                             kernel::less_equal(affine_long(range.high - range.low + 1), farthest)};
    if (may_be_empty) {
      all.push_back(kernel::less_equal(affine_long(range.low), farthest));
      all.push_back(kernel::less_equal(least, affine_long(range.high)));
    }
    checks.push_back({kernel::all_of(all), what + ": coordinates and extents are limited to 2^30"});
    for (const ir::Affine* bound : {&range.low, &range.high}) {
      if (magnitude(bound->constant) <= ir::kLargestOffset) limited.push_back(slope(*bound));
    }
  };
  for (const ir::Field& field : program_.fields) {
    for (const ir::Range& range : field.box.ranges) {
      if (range.low.is_constant() && range.high.is_constant()) continue;
      limit(range, "field " + field.name, false);
    }
  }
  const auto box = [&](const ir::Box& box, const std::string& what) {
    for (const ir::Range& range : box.ranges) {
      if (!is_limited(range.low) || !is_limited(range.high)) limit(range, what, true);
    }
  };
  for (const ir::Domain& domain : program_.domains) {
    box(domain.box, domain.coarsened ? "grid " + domain.name : "the grid");
  }
  for (const ir::Function& function : program_.functions) {
    for (const ir::Piece& piece : function.pieces) {
      box(piece.region, "a region of " + ir::target_names(program_, function));
    }
  }
  for (const ir::Reduction& reduction : program_.reductions) {
    box(reduction.piece.region, "the region of " + reduction.name);
  }
  for (const ir::Init& init : program_.inits) {
    const ir::Field& field = program_.fields[init.field];
    box(init.piece.region, "the initial values of " + field.name);
  }
}

Expr Interface::param(ir::ParamId id) const {
  return kernel::variable(param_names_[id], program_.params[id].type);
}

int Interface::array_of(ir::FieldId field, int component) const {
  return first_array_[field][component];
}

int Interface::components(ir::FieldId field) const {
  return static_cast<int>(first_array_[field].size());
}

Expr Interface::affine_long(const ir::Affine& value) const {
  Expr sum;
  for (const auto& [param, coefficient] : value.terms) {
    Expr term = kernel::mul(kernel::convert(this->param(param), Scalar::I64),
                            kernel::integer(coefficient, Scalar::I64));
    sum = sum ? kernel::add(sum, term) : term;
  }
  const Expr constant = kernel::integer(value.constant, Scalar::I64);
  return sum ? kernel::add(sum, constant) : constant;
}

Expr Interface::affine(const ir::Affine& value) const {
  bool simple = true;  // at most one param, with coefficient 1: I32 arithmetic cannot overflow
  for (const auto& [param, coefficient] : value.terms) {
    simple = simple && coefficient == 1 && program_.params[param].type == Scalar::I32;
  }
  simple = simple && value.terms.size() <= 1;
  if (!simple) return kernel::convert(affine_long(value), Scalar::I32);
  const Expr constant = kernel::integer(value.constant);
  if (value.terms.empty()) return constant;
  const Expr param = this->param(value.terms[0].first);
  if (value.constant < 0) return kernel::sub(param, kernel::integer(-value.constant));
  return kernel::add(param, constant);
}

Expr Interface::extent(const ir::Box& box, int dimension) const {
  const ir::Range& range = box.ranges[dimension];
  if (const NamedSize* size = named_size(range, dimension)) return kernel::variable(size->name);
  return affine(range.high - range.low + 1);
}

Expr Interface::high(const ir::Box& box, int dimension) const {
  const ir::Affine& bound = box.ranges[dimension].high;
  if (dimension >= rank()) return affine(bound);
  const ir::Range& grid = program_.grid().ranges[dimension];
  const ir::Affine from_end = grid.high - bound;
  const bool near_end = from_end.is_constant() && from_end.constant >= 0 && from_end.constant <= 16;
  const bool from_zero = grid.low.is_constant() && grid.low.constant == 0;
  if (!bound.is_constant() || !near_end || !from_zero) return affine(bound);
  return kernel::sub(extent(program_.grid(), dimension), kernel::integer(from_end.constant + 1));
}

bool Interface::wide(const ir::Box& box, bool padded) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t limit = padded ? kMost / 9 * 8 : kMost;  // up to an eighth may be padding
  int64_t points = 1;
  for (const ir::Range& range : box.ranges) {
    const ir::Affine extent = range.high - range.low + 1;
    if (!extent.is_constant() || extent.constant > limit) return true;
    points *= std::max<int64_t>(extent.constant, 1);
    if (points > limit) return true;
  }
  return false;
}

namespace {

// Whether a >= b holds for constant differences.
bool is_at_least(const ir::Affine& a, const ir::Affine& b) {
  const ir::Affine more = a - b;
  return more.is_constant() && more.constant >= 0;
}

}  // namespace

Expr Interface::inside(const Point& point, const ir::Box& box, const ir::Box* within) const {
  std::vector<Expr> conditions;
  for (int d = 0; d < rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    const ir::Range& range = box.ranges[i];
    const bool low_known = within && is_at_least(within->ranges[i].low, range.low);
    const bool high_known = within && is_at_least(range.high, within->ranges[i].high);
    if (range.low == range.high && !(low_known && high_known)) {
      conditions.push_back(kernel::operation(Op::Eq, {point[i], high(box, d)}));
      continue;
    }
    if (!low_known) conditions.push_back(kernel::operation(Op::Ge, {point[i], low(box, d)}));
    if (!high_known) conditions.push_back(kernel::less_equal(point[i], high(box, d)));
  }
  return kernel::all_of(std::move(conditions));
}

std::vector<Expr> Interface::index(const Point& point, ir::FieldId field, int component) const {
  const ir::Box& box = program_.fields[field].box;
  std::vector<Expr> out;
  for (int d = 0; d < box.rank(); ++d) out.push_back(kernel::sub(point[d], low(box, d)));
  out.back() = kernel::add(out.back(), lead(field, component));
  return out;
}

Expr Interface::lead(ir::FieldId field, int component) const {
  return kernel::lead_of(arrays_[array_of(field, component)]);
}

int64_t Interface::row_alignment(ir::FieldId field, int component) const {
  return alignments_[array_of(field, component)];
}

Expr Interface::first_vector(ir::FieldId field, int component, int64_t length) const {
  const ir::Box& box = program_.fields[field].box;
  return kernel::sub(low(box, rank() - 1), remainder(lead(field, component), length));
}

Expr Interface::last_vector(ir::FieldId field, int component, int64_t length) const {
  const ir::Box& box = program_.fields[field].box;
  const ir::Range& row = box.ranges.back();
  const Expr before = kernel::add(affine(row.high - row.low), lead(field, component));
  return kernel::sub(high(box, rank() - 1), remainder(before, length));
}

std::string Interface::array_name(ir::FieldId field, int component) const {
  return arrays_[array_of(field, component)].name;
}

std::string Interface::slot_name(ir::FieldId field, int component, int slot) const {
  return slot_names_[array_of(field, component)][slot];
}

kernel::Buffer Interface::global_buffer(ir::FieldId field, int component, std::string name,
                                        bool read_only) const {
  const kernel::Array& array = arrays_[array_of(field, component)];
  kernel::Buffer buffer;
  buffer.name = std::move(name);
  buffer.type = array.type;
  buffer.space = kernel::Space::Global;
  buffer.extents = kernel::stored_extents(array);
  buffer.read_only = read_only;
  buffer.wide = wide(program_.fields[field].box, kernel::is_padded(array));
  return buffer;
}

}  // namespace stencil::schedule
