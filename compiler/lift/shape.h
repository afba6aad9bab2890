// The arrays of an execution as fields: how many dimensions each has, how long they are, which
// accesses go to which copy of it, and where an access lies from the point that is written.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/lift/execution.h"
#include "compiler/lift/guards.h"

namespace stencil::lifter {

// A part of an array that is a field: all of it, or what constant subscripts or t % 2 pick.
struct Part {
  int array = -1;
  std::vector<int64_t> fixed;  // of the dimensions that are always constant, in order
  int slot = -1;               // which copy, from the step on: (t + slot) % copies; -1: no copies
  friend auto operator<=>(const Part&, const Part&) = default;
};

struct ArrayShape {
  std::vector<Poly> extents;  // of all dimensions, outermost first
  std::vector<bool> known;    // whether the length is C's; else what accesses need
  int64_t spare = 0;          // elements that a strided loop may leave out at the end, at most
  std::vector<int> space;     // dimensions of the array that are of space, by number
  std::vector<int> fixed;     // those that are constant in every access
  int slots_dimension = -1;   // that of t % 2
  int64_t copies = 1;
  bool stored = false, loaded = false;
  std::vector<int> along;  // of the grid; by number, for each of `space`
  bool over_time = false;  // the first dimension of `space` is the step: a series
  int64_t time_offset = 0;
};

// An access that C makes in each call whose loops have points: the first dimension's subscripts end
// ahead of `end` then.
struct Reach {
  X end = nullptr;
  std::vector<X> points;  // each at least 0: the loops have points
  Guards calls = {};      // and these hold for the arguments of the call
  friend bool operator==(const Reach&, const Reach&) = default;
};

// What C touches of an array whose length it does not say.
struct ArrayReach {
  int array = -1;
  X length = nullptr;  // what the program takes it to have in its first dimension
  bool sure = false;   // `reaches` are all; else C touches as much at most, and perhaps less
  std::vector<Reach> reaches;
};

struct Access {
  Part part;
  std::vector<Poly> subscripts;  // of the dimensions of space; of a series without the step
  int64_t time_offset = 0;
};

class Shapes {
 public:
  // Throws Refusal.
  Shapes(Pool& pool, Execution& execution);

  int rank() const { return rank_; }
  const ArrayShape& shape(int array) const { return shapes_[static_cast<size_t>(array)]; }
  const std::vector<Poly>& extents() const { return extents_; }  // of the grid
  // Of the dimensions of space.
  std::vector<Poly> lengths(int array) const;
  // Of the arrays whose first dimension has the length that accesses need.
  std::vector<ArrayReach> reaches() const;
  // Where a load or a store goes.
  Access access(int array, const std::vector<X>& subscripts, const Store& context) const;
  // Extremes over a domain.
  static Poly extreme(Pool& pool, const Execution& execution, Poly p,
                      const std::vector<Domain>& domain, bool largest);
  // Proved from the loops having points, all of them.
  bool at_least_zero(const Poly& p) const;
  std::vector<Poly> facts_used() const;  // each at least 0

 private:
  void gather(const Store& store, bool writes);
  void delinearise(int array);
  void classify(int array);
  void measure(int array);
  std::optional<Poly> largest(const std::vector<Poly>& lengths) const;
  void size_of_swapped();
  void share_lengths();
  void share_unused();
  void grid();
  void whole_grid();
  void directions();
  std::vector<Poly> split(int array, const std::vector<X>& subscripts,
                          const std::vector<Domain>& domain) const;
  X index(int id) const;
  struct End;
  End end_of(const Touch& touch) const;
  bool covers(const End& sure, const End& other, const Touch& touch) const;
  static void join_branches(std::vector<Touch>& touches);
  void reach(ArrayReach& out, std::vector<Touch> touches) const;

  Pool& pool_;
  Execution& execution_;
  struct Seen {
    std::vector<X> subscripts;
    const Store* store;
    bool write;
    std::vector<Domain> domain;  // where C makes the access
  };
  std::vector<std::vector<Seen>> seen_;  // by array
  std::vector<ArrayShape> shapes_;
  std::vector<std::vector<Poly>> strides_;  // of linear arrays
  std::vector<Poly> extents_, facts_;
  size_t given_ = 0;  // facts that are required already
  mutable std::set<size_t> used_;
  int rank_ = 0;
};

}  // namespace stencil::lifter
