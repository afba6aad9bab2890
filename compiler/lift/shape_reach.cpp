// Determines which part of an array C accesses if the length is only derived from accesses. The
// program assumes the length that the farthest access needs. A call of C may access less than this
// length: a loop has no points, a loop with stride 2 ends early, or a condition never holds.
#include <algorithm>

#include "compiler/lift/guards.h"
#include "compiler/lift/shape.h"

namespace stencil::lifter {

struct Shapes::End {
  Poly end;               // upper end of the subscripts of the first dimension
  std::vector<X> points;  // each is >= 0 if its loop is not empty
  Guards calls = {};
};

Shapes::End Shapes::end_of(const Touch& touch) const {
  End out;
  out.calls = touch.calls;
  std::vector<Domain> domain = touch.domain;
  for (Domain& d : domain) {
    const Poly extent = d.high - d.low;
    for (const auto* all : {&touch.domain, &touch.around}) {
      const Domain& one = (*all)[&d - domain.data()];
      X points = (one.high - one.low).expression(pool_, CScalar::I64);
      const bool known = points->kind == XKind::Int && points->integer >= 0;
      if (!known && std::find(out.points.begin(), out.points.end(), points) == out.points.end())
        out.points.push_back(points);
    }
    if (d.stride == 1) continue;
    // the last point of the strided loop
    X steps = pool_.binary("/", extent.expression(pool_, CScalar::I64),
                           pool_.integer(d.stride, CScalar::I64), CScalar::I64);
    d.high = d.low + Poly::atom(steps) * Poly(d.stride);
  }
  const Poly first = split(touch.array, touch.subscripts, touch.domain)[0];
  out.end = extreme(pool_, execution_, first, domain, true) + Poly(1);
  return out;
}

// Whether, whenever C makes the access `other`, it also makes an access that reaches at least as
// far.
bool Shapes::covers(const End& sure, const End& other, const Touch& touch) const {
  std::vector<Poly> facts = execution_.facts;
  for (const Domain& d : touch.around) facts.push_back(d.high - d.low);
  if (!proved(sure.end - other.end, facts)) return false;
  if (!std::includes(touch.guards.begin(), touch.guards.end(), sure.calls.begin(),
                     sure.calls.end()))
    return false;
  return std::all_of(sure.points.begin(), sure.points.end(),
                     [&](X points) { return proved(Poly::of(points), facts); });
}

// Marks accesses as sure if several branches together make them at every point.
void Shapes::join_branches(std::vector<Touch>& touches) {
  for (size_t t = 0; t < touches.size(); ++t) {
    if (touches[t].sure) continue;
    std::vector<Guards> some;
    for (const Touch& other : touches) {
      if (other.subscripts == touches[t].subscripts && other.around == touches[t].around)
        some.push_back(other.guards);
    }
    if (some.size() < 2 || !hold_always(some)) continue;
    touches[t].sure = true;
    touches[t].domain = touches[t].around;
    touches[t].calls.clear();
  }
}

void Shapes::reach(ArrayReach& out, std::vector<Touch> touches) const {
  join_branches(touches);
  std::vector<End> sure;
  for (const Touch& touch : touches) {
    if (!touch.sure) continue;
    End end = end_of(touch);
    Reach made{end.end.expression(pool_, CScalar::I64), end.points, end.calls};
    bool plain = true;
    each_node(made.end, [&](X n) {
      plain = plain && n->kind != XKind::Index && n->kind != XKind::Load &&
              n->kind != XKind::Time && n->kind != XKind::Edge;
    });
    out.sure = out.sure && plain;
    if (!plain) continue;
    if (std::find(out.reaches.begin(), out.reaches.end(), made) == out.reaches.end())
      out.reaches.push_back(std::move(made));
    sure.push_back(std::move(end));
  }
  for (const Touch& touch : touches) {
    if (touch.sure) continue;
    const End end = end_of(touch);
    out.sure = out.sure && std::any_of(sure.begin(), sure.end(),
                                       [&](const End& one) { return covers(one, end, touch); });
  }
}

std::vector<ArrayReach> Shapes::reaches() const {
  std::vector<ArrayReach> out;
  std::vector<std::vector<Touch>> touches(execution_.arrays.size());
  const auto add = [&](const Store& store) {
    for (Touch& touch : touches_of(pool_, execution_, store))
      touches[touch.array].push_back(std::move(touch));
  };
  for (const Nest& nest : execution_.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) add(store);
      }
    }
  }
  for (const Reduction& reduction : execution_.reductions) {
    Store read = reduction.point;
    read.array = -1;
    add(read);
  }
  for (size_t a = 0; a < execution_.arrays.size(); ++a) {
    const ArrayShape& shape = shapes_[a];
    if (seen_[a].empty() || shape.known.empty() || shape.known[0] ||
        shape.buffer_slot_dimension == 0)
      continue;
    ArrayReach made;
    made.array = static_cast<int>(a);
    made.length = shape.extents[0].expression(pool_, CScalar::I64);
    made.sure = true;
    // A series has one element per executed step. C accesses fewer elements if a condition ends the
    // loop.
    const bool by_step = shape.over_time && shape.space[0] == 0;
    if (by_step) {
      made.sure = execution_.stop == nullptr;
      for (const Touch& touch : touches[a])
        made.sure = made.sure && touch.sure && touch.calls.empty();
      if (made.sure) made.reaches.push_back({made.length, {}});
    } else {
      reach(made, touches[a]);
    }
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace stencil::lifter
