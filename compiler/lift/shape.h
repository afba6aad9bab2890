// Maps the arrays of an execution to fields: determines dimensions and lengths, the buffer that an
// access refers to, and the distance of an access from the point that is written.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/lift/execution.h"
#include "compiler/lift/guards.h"

namespace stencil::lifter {

// The part of an array that becomes a field: the whole array, or the part selected by constant
// subscripts or t % 2.
struct ArrayPart {
  int array = -1;
  // Constant subscripts of the dimensions in ArrayShape::fixed, in order.
  std::vector<int64_t> fixed;
  int buffer_slot = -1;  // the part is the buffer (t + buffer_slot) % copies; -1: no copies
  friend auto operator<=>(const ArrayPart&, const ArrayPart&) = default;
};

struct ArrayShape {
  std::vector<Poly> extents;  // of all dimensions, outermost first
  std::vector<bool> known;  // whether C declares the length; otherwise it is derived from accesses
  int64_t spare = 0;        // a strided loop may skip at most this number of elements at the end
  std::vector<int> space;   // dimensions of the array that are space dimensions
  std::vector<int> fixed;   // dimensions with constant subscripts
  int buffer_slot_dimension = -1;  // dimension indexed by t % 2; -1: none
  int64_t copies = 1;
  bool stored = false, loaded = false;
  std::vector<int> along;  // grid dimension of each dimension in `space`
  bool over_time = false;  // the first dimension in `space` is the time step: a series
  int64_t time_offset = 0;
};

// An access that C makes in every call in which its loops are not empty. The subscripts of the
// first dimension are below `end`.
struct Reach {
  X end = nullptr;
  std::vector<X> points;  // each is >= 0 if its loop is not empty
  Guards calls = {};      // conditions on the arguments under which C makes the access
  friend bool operator==(const Reach&, const Reach&) = default;
};

// The extent of C's accesses to an array whose length C does not declare.
struct ArrayReach {
  int array = -1;
  X length = nullptr;  // length of the first dimension that the program assumes
  // true: `reaches` covers every access of C; false: C may access fewer elements than `length`.
  bool sure = false;
  std::vector<Reach> reaches;
};

struct Access {
  ArrayPart part;
  std::vector<Poly> subscripts;  // of the space dimensions, without the step of a series
  int64_t time_offset = 0;
};

class Shapes {
 public:
  // Throws Refusal.
  Shapes(Pool& pool, Execution& execution);

  int rank() const { return rank_; }
  const ArrayShape& shape(int array) const { return shapes_[array]; }
  const std::vector<Poly>& extents() const { return extents_; }  // of the grid
  // Lengths of the space dimensions.
  std::vector<Poly> lengths(int array) const;
  // For arrays whose first length is derived from accesses.
  std::vector<ArrayReach> reaches() const;
  // The part of the array that a load or store accesses, and the subscripts within it.
  Access access(int array, const std::vector<X>& subscripts, const Store& context) const;
  // The largest or smallest value of p over a domain.
  static Poly extreme(Pool& pool, const Execution& execution, Poly p,
                      const std::vector<Domain>& domain, bool largest);
  // Whether p >= 0 follows if all loops have points.
  bool at_least_zero(const Poly& p) const;
  std::vector<Poly> facts_used() const;  // each >= 0

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
    std::vector<Domain> domain;  // the points at which C makes the access
  };
  std::vector<std::vector<Seen>> seen_;  // by array
  std::vector<ArrayShape> shapes_;
  std::vector<std::vector<Poly>> strides_;  // by linear array
  std::vector<Poly> extents_, facts_;
  size_t given_ = 0;  // number of leading facts_ that the program already requires
  mutable std::set<size_t> used_;
  int rank_ = 0;
};

}  // namespace stencil::lifter
