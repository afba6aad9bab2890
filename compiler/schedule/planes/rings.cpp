#include "compiler/schedule/planes/rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace stencil::schedule {

PlanesRings::PlanesRings(const PlanesContext& context, const KernelOfSteps& kernel)
    : context_(context), rings_(context.plan.versions.size()) {
  std::vector<Expr> lengths;
  for (int d = 1; d < context.rank; ++d) {
    lengths.push_back(
        context.builder.constant(kernel.module, kernel.constant_name("tile_" + context.axes[d]),
                                 context.plan.cover[d], "places of a tile in " + context.axes[d]));
  }
  std::map<std::pair<int64_t, int64_t>, std::vector<int>> arrays;  // versions that share an array
  for (const PlanesStage& stage : context.plan.stages) {
    for (const analysis::StageResult& result : stage.results) {
      const PlanesVersion& made = context.version(result.made);
      if (made.ring == 0) continue;
      const auto function = static_cast<int64_t>(stage.function);
      arrays[context.alike ? std::pair(function, static_cast<int64_t>(made.target))
                           : std::pair(int64_t{made.field}, made.ring)]
          .push_back(result.made);
    }
  }
  for (const auto& [key, versions] : arrays) declare(versions, lengths);
}

void PlanesRings::declare(std::vector<int> versions, const std::vector<Expr>& lengths) {
  const PlanesVersion& any = context_.version(versions[0]);
  const auto step_of = [&](int id) { return context_.maker(context_.version(id)).step; };
  std::vector<Expr> extents = {literal(any.ring)};
  extents.insert(extents.end(), lengths.begin(), lengths.end());
  const bool several = context_.alike ? step_of(versions[0]) == 0 : versions.size() > 1;
  if (several) extents.insert(extents.begin(), literal(static_cast<int64_t>(versions.size())));
  Ring ring{any.ring, {}, {}};
  const ir::Field& field = context_.field_of(any);
  for (int c = 0; c < static_cast<int>(field.components.size()); ++c) {
    const auto kept = [&](int id) { return context_.is_kept(id, c); };
    ring.components.push_back(-1);
    if (std::none_of(versions.begin(), versions.end(), kept)) continue;
    const std::string name = context_.interface.array_name(any.field, c);
    ring.components.back() =
        context_.builder.local(kernel::Space::Shared, name + "_planes", field.components[c].type,
                               extents, fmt::format("planes of {} after a step", name));
  }
  if (context_.alike) versions = with_last(versions);
  for (size_t i = 0; i < versions.size(); ++i) {
    Ring& own = rings_[versions[i]] = ring;
    if (!several) continue;
    const int steps_ago = context_.plan.steps - 1 - step_of(versions[i]);
    own.version = {context_.alike ? plus(kernel::variable(context_.step), -steps_ago)
                                  : literal(static_cast<int64_t>(i))};
  }
}

// Adds the last step's version, which may have no ring but shares the body with the other steps.
std::vector<int> PlanesRings::with_last(std::vector<int> versions) const {
  const PlanesVersion& any = context_.version(versions[0]);
  const size_t function = context_.maker(any).function;
  for (const PlanesStage& stage : context_.plan.stages) {
    if (stage.function != function || stage.step != context_.plan.steps - 1) continue;
    const int made = stage.results[any.target].made;
    if (versions.back() != made) versions.push_back(made);
  }
  return versions;
}

bool PlanesRings::any() const {
  return std::any_of(rings_.begin(), rings_.end(),
                     [](const Ring& ring) { return !ring.components.empty(); });
}

Expr PlanesRings::ring_index(int id, int64_t age) const {
  const Expr n = kernel::variable(context_.iteration);
  return modulo(age == 0 ? n : plus(n, planes(id) - age), literal(planes(id)));
}

std::vector<Expr> PlanesRings::index(int id, const Expr& ring_index,
                                     const std::vector<Expr>& at) const {
  std::vector<Expr> out = rings_[id].version;
  out.push_back(ring_index);
  for (int d = 1; d < context_.rank; ++d) out.push_back(at.empty() ? context_.local(d) : at[d - 1]);
  return out;
}

Expr PlanesRings::load(int id, int component, const Expr& ring_index,
                       const std::vector<Expr>& at) const {
  const Scalar type = context_.field_of(context_.version(id)).components[component].type;
  return kernel::load(rings_[id].components[component], index(id, ring_index, at),
                      arithmetic_type(type));
}

kernel::Statement PlanesRings::store(int id, int component, const Expr& value) const {
  return {kernel::Store{rings_[id].components[component], index(id, ring_index(id, 0), {}), value}};
}

}  // namespace stencil::schedule
