// What is known about the indices that accesses of one region read.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

enum class Verdict { Holds, Fails, Unknown };

// Decides whether `goal` >= 0 under `facts`: always, never, or depending on the params.
Verdict decide(const std::vector<Affine>& facts, const Affine& goal);

// Adds the facts that follow if `box` is not empty.
void add_nonempty(std::vector<Affine>& facts, const Box& box);

class RegionBounds {
 public:
  // `facts` hold in every run. `places`: boxes that contain the region. The program and the region
  // must outlive this.
  RegionBounds(const Program& program, std::vector<Affine> facts, const Box& region,
               const std::vector<const Box*>& places);

  // Access::escapes. Sides without a rule have no bit: accesses stay inside there.
  uint32_t escapes(const Access& access);
  // True if the access may read the edge point at that side of dimension d, or a point beyond it.
  bool may_reach_edge(const Access& access, size_t d, bool low);
  // True if the access reads only edge points at that side of dimension d.
  bool always_on_edge(const Access& access, size_t d, bool low) const;
  // How far the region extends beyond the field's box (Access::excess).
  std::vector<Excess> excess(FieldId field);

  int rank() const { return region_.rank(); }

 protected:
  // An end of the region in one dimension. An access at this end must stay within its field.
  // `of`: the condition applies to the index that is accessed, to its reflection about the edge at
  // this side, or to the index one extent of the field further in.
  enum class Side { Low, High };
  enum class Of { Index, Reflection, Wrap };
  struct End {
    int dimension;
    Side side;
    Of of = Of::Index;
    int inside = 0;  // distance from the edge that the index must keep
    friend auto operator<=>(const End&, const End&) = default;
  };
  const Range& region_in(const Access& access, size_t d) const;
  Verdict verdict(const Access& access, const End& end);
  Affine limit(const Access& access, const End& end) const;
  Affine goal(const Access& access, const End& end) const;
  const Field& field_of(const Access& access) const { return program_.fields[access.field]; }

  const Program& program_;
  const Box& region_;
  std::vector<Affine> facts_;  // they hold if the region is not empty

 private:
  std::vector<Affine> facts_of_place_;  // facts_, and facts about the boxes that contain the region
  std::map<std::tuple<FieldId, End, int>, Verdict> known_;  // by field, end and offset
  std::map<FieldId, std::vector<Excess>> excess_;
};

}  // namespace stencil::ir
