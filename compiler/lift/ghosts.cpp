// Statements such as a[0][j] = a[n][j]; a[n+1][j] = a[1][j]; copy the ghost cells of a periodic
// dimension. Suppose every step runs these copies before the loops that read the ghost cells, or
// after the loops that write the source cells. A ghost cell then holds the value that `boundary
// periodic` on [1..n] gives. If all copies change the sign, a[0][j] = -a[n][j], it holds the value
// of the rule that wraps around with the opposite sign. The copies are removed, which allows time
// tiling.
//
// The copies are removed only if all of these conditions hold:
//   - The copies of a dimension have one sign, and one distance, equal to the number of points
//     between the ghosts.
//   - The layers of ghosts have no gaps.
//   - No other statement writes ghosts.
//   - Every ghost that is read was copied after the last write of its source point.
//   - If a read leaves the points in two dimensions, the dimension that is copied later also copies
//     the corners.
#include "compiler/lift/ghosts.h"

namespace stencil::lifter {

namespace {

struct Range {
  Poly low, high;
};

struct Copy {
  size_t function = 0;
  ArrayPart part;
  Poly at, distance;  // a[at] = a[at + distance], or with a minus sign
  BoundaryKind rule = BoundaryKind::Periodic;
  std::vector<Range> where;  // the range in each dimension
};

struct Dimension {
  std::vector<Copy> copies;
  Poly low, high, ghosts_low, ghosts_high;
  int64_t layers = 1;
  size_t first = 0, last = 0;  // first and last function that copies
};

class Finder {
 public:
  Finder(const Execution& execution, const Shapes& shapes,
         const std::vector<StepFunction>& functions, Pool& pool)
      : execution_(execution), shapes_(shapes), functions_(functions), pool_(pool) {}

  PeriodicGhosts run() {
    for (size_t f = 0; f < functions_.size(); ++f) note_copies(f);
    for (auto it = dimensions_.begin(); it != dimensions_.end();) {
      it = layers(it->second) ? std::next(it) : dimensions_.erase(it);
    }
    // Removing a dimension may make the copies of another dimension invalid.
    for (bool again = true; again && !dimensions_.empty();) {
      again = false;
      for (auto it = dimensions_.begin(); it != dimensions_.end(); ++it) {
        if (sound(it->first, it->second)) continue;
        dimensions_.erase(it);
        again = true;
        break;
      }
    }
    PeriodicGhosts out;
    for (const auto& [d, dimension] : dimensions_) {
      PeriodicDimension made{dimension.low, dimension.high,   {},
                             first_[d],     dimension.layers, dimension.copies[0].rule};
      for (const Copy& copy : dimension.copies) made.parts.insert(copy.part);
      out.dimensions[d] = made;
    }
    return out;
  }

  bool is_copy(size_t function) const {
    for (const auto& [d, dimension] : dimensions_) {
      for (const Copy& copy : dimension.copies) {
        if (copy.function == function) return true;
      }
    }
    return false;
  }

 private:
  bool at_least(const Poly& a, const Poly& b) const { return shapes_.at_least_zero(a - b); }
  Range range_of(const Poly& p, const Store& at) const {
    return {Shapes::extreme(pool_, execution_, p, at.domain, false),
            Shapes::extreme(pool_, execution_, p, at.domain, true)};
  }
  static bool counts(const Poly& p) {
    const XSet atoms = p.atoms();
    return std::any_of(atoms.begin(), atoms.end(), [](X a) { return a->kind != XKind::Symbol; });
  }
  bool whole_rank(int array) const {
    const ArrayShape& shape = shapes_.shape(array);
    return static_cast<int>(shape.space.size()) == shapes_.rank() && !shape.over_time;
  }

  void note_copies(size_t number) {
    const StepFunction& f = functions_[number];
    if (f.pieces.size() != 1) return;
    const StepPiece& piece = f.pieces[0];
    const Access to = shapes_.access(piece.point->array, piece.point->subscripts, *piece.point);
    std::vector<Copy> found;
    int along = -1;
    for (size_t t = 0; t < f.targets.size(); ++t) {
      X value = piece.values[t];
      const bool negative = value != nullptr && value->kind == XKind::Unary && value->text == "-" &&
                            value->type == value->args[0]->type;
      if (negative) value = value->args[0];
      if (value == nullptr || value->kind != XKind::Load || !whole_rank(value->id)) return;
      const auto rule = find_boundary(BoundaryImage::Wrap, negative ? -1 : 1);
      if (!rule) return;
      const Access from = shapes_.access(value->id, value->args, *piece.point);
      if (from.part != f.targets[t]) return;
      int differs = -1;
      for (size_t d = 0; d < to.subscripts.size(); ++d) {
        if (to.subscripts[d] == from.subscripts[d]) continue;
        if (differs >= 0) return;
        differs = static_cast<int>(d);
      }
      if (differs < 0 || (along >= 0 && along != differs)) return;
      along = differs;
      const Poly& at = to.subscripts[along];
      const Poly distance = from.subscripts[along] - at;
      if (counts(at) || counts(distance)) return;
      Copy made{number, f.targets[t], at, distance, *rule, {}};
      for (const Poly& s : to.subscripts) made.where.push_back(range_of(s, *piece.point));
      found.push_back(std::move(made));
    }
    for (Copy& copy : found) dimensions_[along].copies.push_back(std::move(copy));
  }

  // The distance of the copies determines the points between the ghosts.
  bool layers(Dimension& dimension) const {
    std::vector<Poly> lows, highs;
    std::optional<Poly> distance;
    std::map<ArrayPart, size_t> per_part;
    dimension.first = dimension.copies[0].function;
    dimension.last = dimension.copies[0].function;
    for (const Copy& copy : dimension.copies) {
      const bool low = at_least(copy.distance, Poly(1));
      if (!low && !at_least(-copy.distance, Poly(1))) return false;
      const Poly d = low ? copy.distance : -copy.distance;
      if (distance && *distance != d) return false;
      if (copy.rule != dimension.copies[0].rule) return false;
      distance = d;
      auto& side = low ? lows : highs;
      if (std::find(side.begin(), side.end(), copy.at) == side.end()) side.push_back(copy.at);
      ++per_part[copy.part];
      dimension.first = std::min(dimension.first, copy.function);
      dimension.last = std::max(dimension.last, copy.function);
    }
    if (lows.empty() || highs.empty()) return false;
    const auto gapless = [](std::vector<Poly>& side) {
      std::sort(side.begin(), side.end(), [&](const Poly& a, const Poly& b) {
        const Poly d = b - a;
        return d.is_constant() && d.constant() > 0;
      });
      for (size_t k = 1; k < side.size(); ++k) {
        if (side[k] - side[k - 1] != Poly(1)) return false;
      }
      return true;
    };
    if (!gapless(lows) || !gapless(highs)) return false;
    dimension.layers = static_cast<int64_t>(std::max(lows.size(), highs.size()));
    dimension.ghosts_low = lows.front();
    dimension.ghosts_high = highs.back();
    dimension.low = lows.back() + Poly(1);
    dimension.high = highs.front() - Poly(1);
    for (const auto& [part, count] : per_part) {
      if (count != lows.size() + highs.size()) return false;
    }
    if (distance->is_constant() && distance->constant() < dimension.layers) return false;
    return dimension.high - dimension.low + Poly(1) == *distance;
  }

  bool has_ghosts(const Dimension& dimension, const ArrayPart& part) const {
    return std::any_of(dimension.copies.begin(), dimension.copies.end(),
                       [&](const Copy& copy) { return copy.part == part; });
  }

  // Whether all other functions write only points between the ghosts and read only valid ghosts.
  bool sound(int d, const Dimension& dimension) {
    first_[d].clear();
    if (!execution_.points.empty()) return false;
    for (const Reduction& r : execution_.reductions) {
      bool inside = true;
      each_node(r.value, [&](X n) {
        if (n->kind != XKind::Load) return;
        const Access from = shapes_.access(n->id, n->args, r.point);
        inside = inside && whole_rank(n->id);
        if (!inside) return;
        const Range range = range_of(from.subscripts[d], r.point);
        inside = at_least(range.low, dimension.low) && at_least(dimension.high, range.high);
      });
      if (!inside) return false;
    }
    for (size_t f = 0; f < functions_.size(); ++f) {
      if (is_copy(f)) continue;
      for (const StepPiece& piece : functions_[f].pieces) {
        const Store& point = *piece.point;
        if (!whole_rank(point.array)) return false;
        const Access to = shapes_.access(point.array, point.subscripts, point);
        const Range region = range_of(to.subscripts[d], point);
        if (!at_least(region.low, dimension.low) || !at_least(dimension.high, region.high))
          return false;
        bool good = true;
        for (X value : piece.values) {
          if (value == nullptr) continue;
          each_node(value, [&](X n) {
            if (n->kind == XKind::Load) good = good && read(d, dimension, f, n, point);
          });
        }
        if (!good) return false;
      }
    }
    return true;
  }

  bool read(int d, const Dimension& dimension, size_t function, X load, const Store& point) {
    const ArrayShape& shape = shapes_.shape(load->id);
    const Access from = shapes_.access(load->id, load->args, point);
    size_t k = 0;
    while (k < shape.along.size() && shape.along[k] != d) ++k;
    if (k == shape.along.size()) return true;  // the array does not have this dimension
    if (contains_edge(from.subscripts[k])) return false;
    const Range range = range_of(from.subscripts[k], point);
    if (at_least(range.low, dimension.low) && at_least(dimension.high, range.high)) return true;
    const ArrayPart copied = has_ghosts(dimension, from.part) ? from.part : before(from.part);
    if (!whole_rank(load->id) || !has_ghosts(dimension, copied)) return false;
    if (!at_least(range.low, dimension.ghosts_low) || !at_least(dimension.ghosts_high, range.high))
      return false;
    return covered(d, dimension, copied, from, point) && fresh(d, dimension, function, from.part);
  }

  // The part that held the values of `part` in the previous step, before the rotation.
  ArrayPart before(const ArrayPart& part) const {
    ArrayPart out = part;
    if (part.buffer_slot >= 0)
      out.buffer_slot = static_cast<int>((part.buffer_slot + 1) % shapes_.shape(part.array).copies);
    for (const Rotation& rotation : execution_.rotations) {
      if (rotation.before == part.array) out.array = rotation.after;
    }
    return out;
  }

  static bool contains_edge(const Poly& p) {
    const XSet atoms = p.atoms();
    return std::any_of(atoms.begin(), atoms.end(), [](X a) { return contains(a, XKind::Edge); });
  }

  // Whether the copies cover the range of the read in the other dimensions.
  bool covered(int d, const Dimension& dimension, const ArrayPart& part, const Access& from,
               const Store& point) const {
    for (size_t e = 0; e < from.subscripts.size(); ++e) {
      if (static_cast<int>(e) == d) continue;
      Range wanted = range_of(from.subscripts[e], point);
      const auto other = dimensions_.find(static_cast<int>(e));
      // the dimension that is copied later also copies the corners
      if (other != dimensions_.end()) {
        const bool apart =
            other->second.first > dimension.last || dimension.first > other->second.last;
        if (!apart) return false;
        if (other->second.first > dimension.last) {
          if (!at_least(wanted.low, other->second.low)) wanted.low = other->second.low;
          if (!at_least(other->second.high, wanted.high)) wanted.high = other->second.high;
        }
      }
      for (const Copy& copy : dimension.copies) {
        if (copy.part != part) continue;
        if (!at_least(wanted.low, copy.where[e].low) || !at_least(copy.where[e].high, wanted.high))
          return false;
      }
    }
    return true;
  }

  // Whether all copies of a part run after its last write and before this read, and no other write
  // follows the copies.
  bool fresh(int d, const Dimension& dimension, size_t function, const ArrayPart& part) {
    const auto state = [&](size_t end, const ArrayPart& of) {  // 1: copied, -1: written, 0: neither
      std::set<size_t> copied;
      size_t all = 0;
      for (const Copy& copy : dimension.copies) all += copy.part == of ? 1 : 0;
      for (size_t f = end; f-- > 0;) {
        const auto& targets = functions_[f].targets;
        if (std::find(targets.begin(), targets.end(), of) == targets.end()) continue;
        bool mine = false;
        for (const Copy& copy : dimension.copies) {
          if (copy.function == f && copy.part == of) mine = copied.insert(f).second;
        }
        if (copied.size() == all) return 1;
        if (!mine && !is_copy(f)) return -1;
      }
      return copied.empty() ? 0 : -1;
    };
    const int now = state(function, part);
    if (now != 0) return now > 0;
    // Otherwise the read takes the values of the previous step, which another part held before the
    // rotation.
    if (state(functions_.size(), before(part)) != 1) return false;
    first_[d].insert(part);
    return true;
  }

  const Execution& execution_;
  const Shapes& shapes_;
  const std::vector<StepFunction>& functions_;
  std::map<int, Dimension> dimensions_;
  Pool& pool_;
  // By dimension: parts whose ghosts are read before they are copied.
  std::map<int, std::set<ArrayPart>> first_;
};

}  // namespace

PeriodicGhosts take_ghosts(Pool& pool, const Execution& execution, const Shapes& shapes,
                           std::vector<StepFunction>& functions) {
  if (!execution.timed) return {};
  Finder finder(execution, shapes, functions, pool);
  PeriodicGhosts out = finder.run();
  std::vector<StepFunction> kept;
  for (size_t f = 0; f < functions.size(); ++f) {
    if (!finder.is_copy(f)) kept.push_back(std::move(functions[f]));
  }
  functions = std::move(kept);
  return out;
}

}  // namespace stencil::lifter
