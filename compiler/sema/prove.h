// Proves that bounds hold for all valid params. Conditions that cannot be proved become run-time
// checks.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/boxes.h"
#include "compiler/ir/region.h"
#include "compiler/sema/environment.h"

namespace stencil::sema {

using ir::decide;
using ir::Verdict;

// Adds a limit on the number of steps of a run. If the facts show that the program exceeds the
// limit, reports S031 at `span` and returns false.
bool limit_steps(Environment& env, const std::vector<ir::Affine>& facts, const ir::StepLimit& limit,
                 Span span);

// env.facts, plus the facts that follow if `box` is not empty.
std::vector<ir::Affine> facts_inside(const Environment& env, const ir::Box& box);

// Each of these functions reports an error if its condition never holds. If the condition depends
// on params, the function adds a run-time check. require_inside returns false after an error.
void require_nonempty(Environment& env, const ir::Box& box, const std::string& what, Span span);
bool require_inside(Environment& env, const ir::Box& inner, const ir::Box& outer,
                    const std::string& message, Span span);
// `strided`: a region has a stride, which changes the hint.
void require_disjoint(Environment& env, const ir::Piece& a, const ir::Piece& b, bool strided);

// The boxes of a difference, which `what` names. S049 at `span` if their shape depends on params.
std::optional<std::vector<ir::Box>> known_boxes(Environment& env, ir::BoxesLeft left, Span span,
                                                const char* what);

// Proves the accesses of one region.
class AccessProver : private ir::RegionBounds {
 public:
  // `muted`: the region has an error, so its accesses are not checked.
  // `within`: a box that contains the region, by proof or by a run-time check.
  AccessProver(Environment& env, const ir::Box& region, const ir::Box& within,
               const std::vector<std::string>& index_names, bool muted);

  // Returns the escapes (ir::Access::escapes) of an access that is in bounds, is covered by
  // boundary rules, or has a run-time check. Returns nullopt if the access leaves the field (S031).
  // `applied_at`: the applications of the functions whose body contains the access, outermost
  // first.
  std::optional<uint32_t> prove(const ir::Access& access, Span span,
                                const std::vector<Span>& applied_at);

  // Proves that the image of an index beyond that side of dimension d lies in the field, at least
  // `inside` points from the edge that it might cross; otherwise S031 or a run-time check.
  bool prove_image(const ir::Access& access, size_t d, bool low, int inside, Span span,
                   const std::vector<Span>& applied_at);

  // As in ir::RegionBounds. A muted prover knows nothing.
  bool may_reach_edge(const ir::Access& access, size_t d, bool low) {
    return !muted_ && RegionBounds::may_reach_edge(access, d, low);
  }
  bool always_on_edge(const ir::Access& access, size_t d, bool low) const {
    return !muted_ && RegionBounds::always_on_edge(access, d, low);
  }
  using RegionBounds::excess;
  using RegionBounds::rank;

 private:
  bool prove_steps(const ir::Access& access, int d, Span span, uint32_t& escapes);
  // False if an error was reported.
  bool require(const ir::Access& access, const End& end, Span span,
               const std::vector<Span>& applied_at);
  void report_escape(const ir::Access& access, const End& end, Span span,
                     const std::vector<Span>& applied_at);
  void record_check(const ir::Access& access, const End& end, Span span);
  std::string describe_access(const ir::Access& access, const End& end) const;
  std::string index_text(const ir::Access& access, const End& end) const;
  std::string advice(const ir::Access& access, const End& end) const;

  Environment& env_;
  const std::vector<std::string>& index_names_;
  bool muted_;
  std::set<std::pair<ir::FieldId, int>> unruled_reported_;  // by field, dimension and side
};

}  // namespace stencil::sema
