#include "tests/property/boxes.h"

#include <algorithm>

#include "compiler/ir/passes.h"
#include "tests/property/case.h"

namespace stencil::property {

namespace {

test::InBoxes::Bounds draw_bounds(Random& random, const Recipe& recipe, const ir::Program& program,
                                  const std::vector<int64_t>& params) {
  test::InBoxes::Bounds out;
  for (size_t d = 0; d < recipe.cuts.size(); ++d) {
    const ir::Range& range = program.grid().ranges[d];
    const int64_t low = *ir::evaluate(range.low, params), high = *ir::evaluate(range.high, params);
    std::set<int64_t> bounds = {low, high + 1};
    for (int cut = 1; cut < recipe.cuts[d]; ++cut) {
      const int64_t near = std::min<int64_t>(high, *bounds.begin() + random.between(1, 3));
      const int64_t anywhere = low + random.below(static_cast<int>(high - low + 1));
      bounds.insert(random.chance(25) ? near : anywhere);
    }
    out.emplace_back(bounds.begin(), bounds.end());
  }
  return out;
}

}  // namespace

std::shared_ptr<const Boxed> box_up(const Recipe& recipe, const ir::Program& program,
                                    const std::vector<int64_t>& params, std::string& refusal,
                                    std::string& problem) {
  Random random(recipe.data_seed + 3);
  Diagnostics refusals;
  auto box = decompose::box_program(program, recipe.exchange, refusals);
  if (!box) {
    refusal = refusals.items().front().code;
    return nullptr;
  }
  const auto unsound = ir::verify(box->program);
  if (!unsound.empty()) {
    problem = "IR of boxes: " + unsound[0];
    return nullptr;
  }
  auto out = std::make_shared<Boxed>();
  out->whole = program;
  out->box = std::move(*box);
  out->bounds = draw_bounds(random, recipe, program, params);
  out->lengths = {recipe.exchange, random.between(1, static_cast<int>(recipe.exchange))};
  // For open sizes, whether a periodic grid has enough points is only known here.
  for (size_t d = 0; d < out->bounds.size(); ++d) {
    const auto& [low, high] = out->box.depth[d];
    if (!out->box.wraps[d] || std::max(low, high) <= out->bounds[d].back() - out->bounds[d][0])
      continue;
    refusal = "L034";
    return nullptr;
  }
  return out;
}

// --- Coverage
// ----------------------------------------------------------------------------------------

std::set<std::string> constructs_of(const Boxed& boxed) {
  const ir::Program& program = boxed.whole;
  std::set<std::string> found;
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    if (field.is_point_set()) found.insert("points");
    if (field.read_in_place()) {
      if (!field.set()) found.insert("profile or series");
      continue;
    }
    for (const ir::Boundary& rules : field.boundary) {
      if (rules.has(ir::BoundaryKind::Mirror)) found.insert("mirror");
      if (rules.has(ir::BoundaryKind::Clamp)) found.insert("clamp");
      if (rules.has(ir::BoundaryKind::Constant)) found.insert("constant");
    }
    if (field.box.ranges != program.grid().ranges) found.insert("sub-grid");
    if (field.history > 1) found.insert("several levels");
  }
  for (size_t d = 0; d < boxed.bounds.size(); ++d) {
    const bool several = boxed.bounds[d].size() > 2;
    if (boxed.box.wraps[d]) found.insert(several ? "images of other boxes" : "images of its own");
    if (several) found.insert("several boxes in a dimension");
    for (size_t b = 0; b + 1 < boxed.bounds[d].size(); ++b) {
      if (boxed.bounds[d][b + 1] - boxed.bounds[d][b] == 1) found.insert("a single point");
    }
  }
  for (size_t f = 0; f < program.functions.size(); ++f) {
    const ir::Function& whole = program.functions[f];
    if (boxed.box.program.functions[f].pieces.size() > whole.pieces.size()) {
      found.insert("pieces for images");
    }
    if (whole.targets.size() > 1) found.insert("several targets");
  }
  if (program.functions.size() > 1) found.insert("several functions");
  if (ir::repeats_in_steps(program)) found.insert("repeat");
  if (boxed.box.steps > 1) found.insert("several steps in a call");
  return found;
}

const std::set<std::string>& boxed_constructs() {
  static const std::set<std::string> kAll = {"points",
                                             "profile or series",
                                             "mirror",
                                             "clamp",
                                             "constant",
                                             "sub-grid",
                                             "several levels",
                                             "images of other boxes",
                                             "images of its own",
                                             "several boxes in a dimension",
                                             "a single point",
                                             "pieces for images",
                                             "several targets",
                                             "several functions",
                                             "repeat",
                                             "several steps in a call"};
  return kAll;
}

}  // namespace stencil::property
