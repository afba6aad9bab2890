// The fields of a run, and everything else needed to continue it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stencil/files.h"
#include "stencil/program.h"
#include "stencil/result.h"
#include "stencil/view.h"

namespace stencil {

namespace api {
struct SimulationData;
}

struct ReductionValue {
  std::string name;
  double value = 0;         // at the last evaluation
  int64_t integer = 0;      // exact value if the type is Int or Long
  int64_t evaluations = 0;  // 0: no value yet
  // The step after which the value, or any value of its field, first was NaN; 0: never. If
  // load_checkpoint() restored a NaN: the last evaluation before the checkpoint.
  int64_t first_nan = 0;
};

// A box of a field's points: grid coordinates of the first point (compare FieldInfo::origin) and
// the number of points, at least 1, in each dimension of the field.
struct FieldBox {
  Extents origin, shape;
};

// The NaN and infinite values of one component at one level, or an infinite reduction.
struct NonFinite {
  std::string field;  // "A", "S.rho", "U@-1", or the name of the reduction
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // grid coordinates of the first such value; empty for a reduction
  int64_t step = 0;            // the earliest checked step that had such values
  int64_t last = 0;            // the latest such step; the counts are those of this step
};

// Statistics of one component's newest level. All members but the counts ignore NaN.
struct Statistics {
  int64_t points = 0, nans = 0;
  double least = 0, greatest = 0, mean = 0;
  double l2 = 0;  // square root of the sum of squares
};

// Fields, params, reductions and the step of a run. Program::initial_state() creates one that can
// be filled before any compilation; Kernel::start() makes it a Simulation, which a device advances.
// Use a State from one thread at a time; different ones are independent.
//
// If a simulation's fields are in device memory, reading one waits for queued steps and copies the
// needed levels to the host. Changing one costs a copy of all fields to the host and back. Fields
// in device memory of the user can be neither read nor changed here (R073).
//
// Host memory for a field is allocated when the field is first set or read. read() and
// load_checkpoint() may defer reading and keep the files open, so that a split simulation never
// holds a whole field in one memory unless the caller asks for it.
//
// A moved-from State may only be assigned to or destroyed.
class STENCIL_API State {
 public:
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  // Every field, with its shape and physical position.
  const std::vector<FieldInfo>& fields() const;

  // Copies an array into a field, or into one level or component of it (names as in Arrays). The
  // array has the field's shape; if the field has several components of one type, they are an
  // additional last dimension. Any strides. The element type is the component's; Half and Bfloat
  // also accept float (rounded to nearest even), Bool also uint8_t (nonzero is true). R070 to R073.
  Status set(const std::string& field, const AnyView& array);
  // Copies a field, level or component into an array: the inverse of set().
  Status get(const std::string& field, const AnyView& array);
  // get() into a new dense array.
  template <class T>
  Result<std::vector<T>> get(const std::string& field) {
    const Result<Extents> shape = shape_of(field);
    if (!shape.ok()) return shape.failure();
    int64_t count = 1;
    for (const int64_t extent : shape.value()) count *= extent;
    std::vector<T> values(static_cast<size_t>(count));
    const Status copied = get(field, View<T>(values, shape.value()));
    if (!copied.ok()) return copied.failure();
    return values;
  }
  // set() and get() for a box of the field's points; the array then has the box's shape in place of
  // the field's. In a simulation, get() copies only these points to the host, from whichever device
  // or rank owns them. Also R082 if the box is not within the field.
  Status set(const std::string& field, const FieldBox& box, const AnyView& array);
  Status get(const std::string& field, const FieldBox& box, const AnyView& array);
  template <class T>
  Result<std::vector<T>> get(const std::string& field, const FieldBox& box) {
    const Result<Extents> shape = shape_of(field, box);
    if (!shape.ok()) return shape.failure();
    int64_t count = 1;
    for (const int64_t extent : shape.value()) count *= extent;
    std::vector<T> values(static_cast<size_t>(count));
    const Status copied = get(field, box, View<T>(values, shape.value()));
    if (!copied.ok()) return copied.failure();
    return values;
  }
  Result<Extents> shape_of(const std::string& field, const FieldBox& box) const;
  // The shape of arrays for set() and get().
  Result<Extents> shape_of(const std::string& field) const;

  // Sets a field, level or component from a .npy file of shape shape_of(); file and field are
  // processed in pieces. Values that must be rounded to the field's type give a warning (R025).
  // Errors: R070; R010, R020, R021 for the file; R022 wrong shape; R023 values that the field's
  // type cannot hold. On failure the field is unchanged, unless the file was truncated while being
  // read (R010).
  Status read(const std::string& field, const std::string& path);
  // Warnings about files that read() and load_checkpoint() have read, as Failures: R025, R065.
  const std::vector<Failure>& warnings() const;
  // Writes all of the files or none. Errors: R070; R032 to R034 as in Program::check(); R011; R024,
  // R030 and R031 for what a format cannot hold.
  Status write(const std::vector<Output>& outputs);

  // Saves everything needed to continue the run with identical results, on any device and under any
  // schedule. R011.
  Status save_checkpoint(const std::string& path);
  // Restores a saved state. The program must be the same up to its number of steps, with the same
  // compiled-in params. Float params that the caller has set (Options::definitions,
  // initial_state(), set_param()) keep these values, and so do params derived from them. A warning
  // (R065) names each param that differs from the file. Errors: R010; R060 to R063. On failure
  // nothing has changed, unless the file was truncated while being read (R010). With several ranks,
  // each verifies checksums of what it reads; if the file is damaged, the next steps fail (R060).
  Status load_checkpoint(const std::string& path);

  // Checks whether a run could write these files: Program::check(), and R030 for planes outside the
  // grid.
  Status check(const RunFiles& files) const;

  // Checks whether all inputs of the steps have values. R057 for a constant field, a series, a set
  // of points, or a field or component that steps read but do not compute, if it has neither an
  // `init` nor values from set(), read(), load_checkpoint() or Kernel::attach(). advance() and
  // run() fail in the same way. Fields that steps compute start at zero.
  Status check_inputs() const;

  // Changes a float param from the next step on. Errors: R070, R051; R074 if the param is compiled
  // in or an integer, because sizes may depend on it; the codes of requirements that fail.
  Status set_param(const std::string& name, const ParamValue& value);

  int64_t step() const;  // steps taken since the start
  bool stopped() const;  // the stop condition held; no more steps are taken
  // Steps from here to the program's end. R053 if the program gives none, R064 if it is past.
  Result<int64_t> steps_left() const;

  // The program's reductions at their last evaluation. Waits for queued work. R070, R044.
  Result<std::vector<ReductionValue>> reductions();
  Result<ReductionValue> reduction(const std::string& name);

  // Statistics of a field with one component, or of one component. R070, R073.
  Result<Statistics> statistics(const std::string& field);

  // All components whose newest level has NaN or infinite values. R073.
  Result<std::vector<NonFinite>> non_finite();

 protected:
  friend struct api::SimulationData;
  explicit State(std::unique_ptr<api::SimulationData> data);
  std::unique_ptr<api::SimulationData> data_;
};

}  // namespace stencil
