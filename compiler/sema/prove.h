// Proofs that bounds hold for all admissible params, and what happens when there is none.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/sema/environment.h"

namespace stencil::sema {

enum class Verdict { Holds, Fails, Unknown };

// Whether `goal` >= 0 under `facts`: always, never, or it depends.
Verdict decide(const std::vector<ir::Affine>& facts, const ir::Affine& goal);

// A run may have at most so many steps; known under `facts` to have more: false, and S031 at
// `span`.
bool limit_steps(Environment& env, const std::vector<ir::Affine>& facts, const ir::StepLimit& limit,
                 Span span);

// env.facts and that `box` is not empty.
std::vector<ir::Affine> facts_inside(const Environment& env, const ir::Box& box);

// Each reports an error if the condition never holds, and records a check if it depends on params.
// require_inside: false if an error was reported.
void require_nonempty(Environment& env, const ir::Box& box, const std::string& what, Span span);
bool require_inside(Environment& env, const ir::Box& inner, const ir::Box& outer,
                    const std::string& message, Span span);
// `strided`: some region has a stride, for a hint.
void require_disjoint(Environment& env, const ir::Piece& a, const ir::Piece& b, bool strided);

// Boxes that together are `whole` without `taken`, which lie in it and have no point in common;
// some may turn out to be empty. S049 if that depends on params. `span`: of what asks.
std::optional<std::vector<ir::Box>> boxes_left(Environment& env, const ir::Box& whole,
                                               const std::vector<ir::Box>& taken, Span span);

// The proofs of one region's accesses.
class AccessProver {
 public:
  // `muted`: the region itself is in error, so its accesses are not judged.
  // `within`: a box that the region lies in, or is checked to.
  AccessProver(Environment& env, const ir::Box& region, const ir::Box& within,
               const std::vector<std::string>& index_names, bool muted);

  // The escapes of an access (ir::Access) that is in bounds, is covered by the field's boundary, or
  // got its check. Nothing if it leaves the field (S031). `applied_at`: where the function whose
  // body holds the access is applied, outermost first.
  std::optional<uint32_t> prove(const ir::Access& access, Span span,
                                const std::vector<Span>& applied_at);

  // What the mirror at that side of dimension d throws back lies in the field; S031 if not, or a
  // check.
  bool prove_thrown(const ir::Access& access, size_t d, bool low, Span span,
                    const std::vector<Span>& applied_at);

  // How far the region reaches beyond the field's box (ir::Access::excess).
  std::vector<ir::Excess> excess(ir::FieldId field);

  int rank() const { return region_.rank(); }

 private:
  // One end of a region in one dimension, from where an access must stay within its field: by its
  // offset alone, or once it has been thrown back by the mirror that stands at that side.
  enum class Side { Low, High };
  struct End {
    int dimension;
    Side side;
    bool thrown;
    friend auto operator<=>(const End&, const End&) = default;
  };
  bool prove_steps(const ir::Access& access, int d, Span span, uint32_t& escapes);
  const ir::Range& region_in(const ir::Access& access, size_t d) const;
  Verdict verdict(const ir::Access& access, const End& end);
  ir::Affine index(const ir::Access& access, const End& end) const;
  ir::Affine goal(const ir::Access& access, const End& end) const;
  // False if an error was reported.
  bool require(const ir::Access& access, const End& end, Span span,
               const std::vector<Span>& applied_at);
  void report_escape(const ir::Access& access, const End& end, Span span,
                     const std::vector<Span>& applied_at);
  void record_check(const ir::Access& access, const End& end, Span span);
  const ir::Field& field_of(const ir::Access& access) const;
  std::string describe_access(const ir::Access& access, const End& end) const;
  std::string advice(const ir::Access& access, const End& end) const;

  Environment& env_;
  const ir::Box& region_;
  const std::vector<std::string>& index_names_;
  bool muted_;
  std::vector<ir::Affine> facts_;
  std::vector<ir::Affine> facts_of_place_;  // likewise, and where the region lies
  std::map<std::tuple<ir::FieldId, End, int>, Verdict> known_;  // by field, end and offset
  std::map<ir::FieldId, std::vector<ir::Excess>> excess_;
};

}  // namespace stencil::sema
