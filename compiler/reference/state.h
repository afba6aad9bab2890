// The data of a running program: every level of every field, params, reductions, and the step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/ids.h"

namespace stencil::reference {

// Inclusive bounds per dimension, outermost first. Empty if some high is less than its low.
using ConcreteBox = std::vector<std::array<int64_t, 2>>;

// A box at given params (indexed by ParamId). nullopt if a bound overflows or exceeds
// kLargestCoordinate in magnitude, which leaves room for adding offsets without overflow.
constexpr int64_t kLargestCoordinate = int64_t{1} << 60;
std::optional<ConcreteBox> concrete(const ir::Box& box, const std::vector<int64_t>& params);

// Number of points, 0 for an empty box; nullopt on overflow.
std::optional<int64_t> count_points(const ConcreteBox& box);

// The elements of one component at one level, in owned or borrowed memory. The lender must keep
// borrowed memory alive. A copy always owns its memory.
class Buffer {
 public:
  Buffer() = default;
  // Zeroed. Throws std::bad_alloc. The pages of large buffers are allocated by the first write,
  // which may happen in parallel.
  explicit Buffer(size_t bytes);
  static Buffer borrow(std::byte* memory, size_t bytes) {
    Buffer buffer;
    buffer.data_ = memory;
    buffer.size_ = bytes;
    return buffer;
  }
  Buffer(const Buffer& other) : Buffer(other.size_) {
    std::copy(other.begin(), other.end(), data_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Buffer& other) noexcept {
    own_.swap(other.own_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }  // bytes
  std::byte* begin() { return data_; }
  std::byte* end() { return data_ + size_; }
  const std::byte* begin() const { return data_; }
  const std::byte* end() const { return data_ + size_; }
  friend bool operator==(const Buffer& a, const Buffer& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> own_;  // null if the memory is borrowed
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// One field. Elements of a component are stored row-major over the box, in the component's own type
// (half and bfloat as 16 bits, bool as one byte, 0 or 1).
struct FieldData {
  using Level = std::vector<Buffer>;  // one per component

  ConcreteBox box;
  std::vector<int64_t> extents;  // points per dimension
  int64_t points = 0;
  std::vector<Scalar> types;  // of the components
  std::vector<Level> levels;  // newest first; as many as the field's history
  Level spare;                // where the next level is computed; empty if there is none

  int rank() const { return static_cast<int>(extents.size()); }
  int component_count() const { return static_cast<int>(types.size()); }

  // First element of a component at a level (0 is the newest).
  std::byte* data(int level, int component) { return levels[level][component].data(); }
  const std::byte* data(int level, int component) const { return levels[level][component].data(); }
  int64_t size_in_bytes(int component) const;

  // Position of a point, in grid coordinates, in the buffer of a component.
  int64_t position(const std::vector<int64_t>& point) const;
  // The inverse of position().
  std::vector<int64_t> point(int64_t position) const;

  // One element, converted from or to the component's type as Op::Convert does.
  double real(int level, int component, int64_t position) const;
  int64_t integer(int level, int component, int64_t position) const;
  void set_real(int level, int component, int64_t position, double value);
  void set_integer(int level, int component, int64_t position, int64_t value);
};

// The value of a reduction. A reduction to a profile has no value here, because the values are in
// the field; only evaluations and first_nan are used.
struct ReductionValue {
  Scalar type = Scalar::F32;  // F32 and F64: `real` holds it; I32 and I64: `integer`
  double real = 0;
  int64_t integer = 0;
  // The value before the last evaluation, for reductions within the step; valid until the end of
  // the step.
  double replaced_real = 0;
  int64_t replaced_integer = 0;
  int64_t evaluations = 0;  // number of evaluations; no value before the first
  int64_t first_nan = 0;    // steps done when it was first NaN; 0: never

  double as_double() const { return is_float(type) ? real : static_cast<double>(integer); }
  bool is_nan() const { return is_float(type) && std::isnan(real); }
};

struct PlacedPoints;  // points.h

struct State {
  std::vector<int64_t> integer_params;  // by ParamId; entries of other params are ignored
  std::vector<double> real_params;
  IdVector<ir::FieldId, FieldData> fields;
  IdVector<ir::ReductionId, ReductionValue> reductions;
  int64_t step = 0;      // steps completed
  bool stopped = false;  // the stop condition held
  // By FieldId: lookup tables of sets of points, set while the interpreter runs.
  std::vector<std::shared_ptr<const PlacedPoints>> placed = {};
};

// Zeroed storage for a program at the given params. Returns nullopt, with the reason in `error`, if
// sizes overflow, an access would leave its grid, or an operator is not defined for its types.
// ir::failed_checks reports checks and requirements to users; the checks here are only the last
// line of defence. Throws std::bad_alloc if there is not enough memory.
std::optional<State> allocate(const ir::Program& program, std::vector<int64_t> integer_params,
                              std::vector<double> real_params, std::string& error);

// The two halves of `allocate`: lay_out() does everything except buffers, and provide() gives one
// field zeroed buffers where it has none yet.
std::optional<State> lay_out(const ir::Program& program, std::vector<int64_t> integer_params,
                             std::vector<double> real_params, std::string& error);
void provide(const ir::Program& program, ir::FieldId field, State& state);

}  // namespace stencil::reference
