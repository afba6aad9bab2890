// The arrays of an original, their initial data, and the part of them that each field of the lifted
// program corresponds to.
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

// The kind of random values for arrays and scalars.
enum class LiftData {
  Mild,       // between 0.5 and 1.5; integers from 0 to 4
  Signed,     // small values of both signs, zeros of both signs, many equal values
  Constants,  // constants of the code, values next to them, and the scalars of the case
  Wide,       // the whole range of the type
  Special     // some infinities and NaNs
};

// Sizes and values for one comparison of the original with the program.
struct LiftCase {
  std::map<int, int64_t> integers;  // by symbol
  std::map<int, double> reals;      // by symbol
  LiftData data = LiftData::Mild;
  std::vector<double> noise;  // for parameters that the program does not use
  // Buffers that rotate start with equal data. Otherwise points that no step writes would differ
  // between buffers forever, and the iteration would never converge.
  bool alike = false;
  int64_t steps = 1;
  double points = 0;
  int64_t rows = 0;  // number of time steps of series and records
};

int64_t bytes_of(lifter::CScalar type);
// Converts the low bytes of a number, whose other bytes are 0, to the value that C reads:
// sign-extends it if the type is signed.
int64_t integer_of(int64_t low, lifter::CScalar type);
// The value of a number after conversion to this type.
int64_t stored_as(int64_t value, lifter::CScalar type);

// Array elements with constant subscripts are scalars of the program. Returns the length that each
// dimension needs to contain these elements.
std::vector<int64_t> constant_lengths(const lifter::Lifted& lifted, size_t array);

constexpr size_t kNoise = 4096;

// Random numbers for data and scalars.
class LiftValues {
 public:
  LiftValues(const lifter::Lifted& lifted, uint64_t seed);

  std::mt19937_64& random() { return random_; }
  uint64_t below(uint64_t count) { return random_() % count; }
  // Real values may also be the scalars of the case `one`.
  double real(LiftData data, lifter::CScalar type, const LiftCase& one);
  int64_t integer(LiftData data, lifter::CScalar type);
  // A value for a scalar. `turn` counts the cases: they cycle through negative numbers, zero,
  // positive and large numbers, and the constants that the scalar is compared with.
  int64_t integer_for(int symbol, LiftData data, size_t turn);
  double real_for(int symbol, LiftData data, const LiftCase& one);
  // kNoise numbers of moderate size, including integers and constants of the code.
  std::vector<double> noise();
  const std::vector<int64_t>& integers() const { return integers_; }  // constants of the code

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
  std::map<int, std::vector<double>>
      compared_;  // constants, by the symbol that they are compared with
};

class OriginalMemory {
 public:
  OriginalMemory(const lifter::Lifted& lifted, LiftValues& values)
      : lifted_(lifted), values_(values) {}

  struct Strided {
    int64_t offset = 0, count = 1, by_point = 0, by_step = 0;
  };
  // The layout of an array indexed by point and step, in elements.
  std::optional<Strided> strided(const lifter::PointFieldBinding& field, const LiftCase& one) const;
  std::vector<OriginalArray> allocate(const LiftCase& one);
  // Fills arrays that belong to the function with other values.
  void refill_local(std::vector<OriginalArray>& arrays, const LiftCase& one);
  // Passes positions, fields and series of points to a run.
  Status set_points(Simulation& run, const LiftCase& one, std::vector<OriginalArray>& arrays);
  AnyView points_of(const lifter::PointFieldBinding& field, const LiftCase& one,
                    std::vector<OriginalArray>& arrays) const;
  // A view of a level of a field, `steps` steps after the start.
  AnyView part_of(const lifter::FieldBinding& field, const LiftCase& one,
                  std::vector<OriginalArray>& arrays, int64_t steps);

  // Whether an element is a ghost cell that the program does not store. `at`: the element's
  // subscripts.
  bool is_ghost(size_t array, const LiftCase& one, const std::vector<int64_t>& at) const;

 private:
  void fill_ghosts(const LiftCase& one, std::vector<OriginalArray>& arrays) const;
  void put_elements(const LiftCase& one, std::vector<OriginalArray>& arrays);
  void fill(OriginalArray& array, lifter::CScalar type, const LiftCase& one);
  // Allocates arrays of points and chooses distinct positions within the grid for each set.
  void allocate_points(const LiftCase& one, std::vector<OriginalArray>& arrays);
  void put(std::vector<OriginalArray>& arrays, int array, int64_t at, int64_t value) const;
  int64_t element(const std::vector<OriginalArray>& arrays, int array, int64_t at) const;

  const lifter::Lifted& lifted_;
  LiftValues& values_;
};

}  // namespace stencil::api
