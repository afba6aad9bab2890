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

// Which values arrays and scalars get.
enum class LiftData {
  Mild,       // between 0.5 and 1.5, integers from 0 to 4
  Signed,     // small ones of both signs, zeros of both signs, many of them equal
  Constants,  // those that occur in the code, their neighbours, and the scalars of the case
  Wide,       // from the least to the largest numbers of their type
  Special     // some infinities and NaN
};

// Sizes and values at which both sides are run.
struct LiftCase {
  std::map<int, int64_t> integers;  // by symbol
  std::map<int, double> reals;      // by symbol
  LiftData data = LiftData::Mild;
  std::vector<double> noise;  // for parameters that the program does not use
  // Buffers that differ where no step writes never come to rest.
  bool alike = false;
  int64_t steps = 1;
  double points = 0;
  int64_t rows = 0;  // of what goes by step
};

int64_t bytes_of(lifter::CScalar type);
// The low bytes of a number as C reads them.
int64_t integer_of(int64_t low, lifter::CScalar type);
// A number as it is once stored in this type.
int64_t stored_as(int64_t value, lifter::CScalar type);

// Elements with constant subscripts are scalars to the program. Returns the length that each
// dimension of such an array needs.
std::vector<int64_t> constant_lengths(const lifter::Lifted& lifted, size_t array);

constexpr size_t kNoise = 4096;

// Random numbers for data and scalars.
class LiftValues {
 public:
  LiftValues(const lifter::Lifted& lifted, uint64_t seed);

  std::mt19937_64& random() { return random_; }
  uint64_t below(uint64_t count) { return random_() % count; }
  // `one`: its scalars are among the constants.
  double real(LiftData data, lifter::CScalar type, const LiftCase& one);
  int64_t integer(LiftData data, lifter::CScalar type);
  // Values for a scalar. `turn` counts the cases: negative ones, zero, positive and large ones, and
  // the constants that the scalar is compared with take turns.
  int64_t integer_for(int symbol, LiftData data, size_t turn);
  double real_for(int symbol, LiftData data, const LiftCase& one);
  // kNoise numbers of moderate size, whole ones and constants of the code among them.
  std::vector<double> noise();
  const std::vector<int64_t>& integers() const { return integers_; }  // of the code

 private:
  void note(lifter::X x);
  int64_t any_integer_for(int symbol, LiftData data, size_t turn);
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  const lifter::Lifted& lifted_;
  std::mt19937_64 random_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::map<int, std::vector<double>> compared_;  // constants by the symbol they are compared with
};

class OriginalMemory {
 public:
  OriginalMemory(const lifter::Lifted& lifted, LiftValues& values)
      : lifted_(lifted), values_(values) {}

  struct Strided {
    int64_t offset = 0, count = 1, by_point = 0, by_step = 0;
  };
  // An array by point and by step, as elements.
  std::optional<Strided> strided(const lifter::PointFieldBinding& field, const LiftCase& one) const;
  std::vector<OriginalArray> allocate(const LiftCase& one);
  // Other values for arrays that belong to the function.
  void refill_local(std::vector<OriginalArray>& arrays, const LiftCase& one);
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
  void put_elements(const LiftCase& one, std::vector<OriginalArray>& arrays);
  void fill(OriginalArray& array, lifter::CScalar type, const LiftCase& one);
  // What belongs to points, and places within the grid, no two of a set at one.
  void allocate_points(const LiftCase& one, std::vector<OriginalArray>& arrays);
  void put(std::vector<OriginalArray>& arrays, int array, int64_t at, int64_t value) const;
  int64_t element(const std::vector<OriginalArray>& arrays, int array, int64_t at) const;

  const lifter::Lifted& lifted_;
  LiftValues& values_;
};

}  // namespace stencil::api
