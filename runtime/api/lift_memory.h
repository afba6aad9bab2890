// The arrays of an original: its data at first, and which part of them each field of the lifted
// program is.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "compiler/lift/lift.h"
#include "stencil/simulation.h"

namespace stencil::api {

struct OriginalArray {
  Extents extents;
  Extents strides;
  std::vector<char> bytes;
};

// Sizes and values at which both sides are run.
struct LiftCase {
  std::map<int, int64_t> integers;  // by symbol
  std::map<int, double> reals;      // of what the end of the loop depends on
  // Buffers that differ where no step writes never come to rest.
  bool alike = false;
  int64_t steps = 1;
  double points = 0;
  int64_t rows = 0;  // of what goes by step
};

int64_t bytes_of(lifter::CScalar type);
// The low bytes of a number as C reads them.
int64_t integer_of(int64_t low, lifter::CScalar type);

class OriginalMemory {
 public:
  OriginalMemory(const lifter::Lifted& lifted, std::mt19937_64& random)
      : lifted_(lifted), random_(random) {}

  struct Strided {
    int64_t offset = 0, count = 1, by_point = 0, by_step = 0;
  };
  // An array by point and by step, as elements.
  std::optional<Strided> strided(const lifter::PointFieldBinding& field, const LiftCase& one) const;
  std::vector<OriginalArray> allocate(const LiftCase& one);
  // Places of points, and what lives on them, into a run.
  Status set_points(Simulation& run, const LiftCase& one, std::vector<OriginalArray>& arrays);
  AnyView points_of(const lifter::PointFieldBinding& field, const LiftCase& one,
                    std::vector<OriginalArray>& arrays) const;
  // The part of an array that a field's level is, `steps` steps after the beginning.
  AnyView part_of(const lifter::FieldBinding& field, const LiftCase& one,
                  std::vector<OriginalArray>& arrays, int64_t steps);

  // Whether an element, by its subscripts, is a ghost cell, of which the program has none.
  bool is_ghost(size_t array, const LiftCase& one, const std::vector<int64_t>& at) const;

 private:
  void fill_ghosts(const LiftCase& one, std::vector<OriginalArray>& arrays) const;
  void fill(OriginalArray& array, lifter::CScalar type);
  // What belongs to points, and places within the grid, no two of a set at one.
  void allocate_points(const LiftCase& one, std::vector<OriginalArray>& arrays);
  void put(std::vector<OriginalArray>& arrays, int array, int64_t at, int64_t value) const;
  int64_t element(const std::vector<OriginalArray>& arrays, int array, int64_t at) const;

  const lifter::Lifted& lifted_;
  std::mt19937_64& random_;
};

}  // namespace stencil::api
