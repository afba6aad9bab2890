// The fields of a run and everything else that it goes on from.
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
  double value = 0;         // of the last evaluation
  int64_t integer = 0;      // the same exactly, if the type is Int or Long
  int64_t evaluations = 0;  // 0: there is no value yet
  // The step after which it, or some value of its field, was first NaN; 0: it never was. After
  // load_checkpoint() of one that was saved as NaN: its last evaluation before.
  int64_t first_nan = 0;
};

// Points of a field: the first of them, as the grid numbers them (FieldInfo::origin), and how many
// there are in each dimension of the field, at least one.
struct FieldBox {
  Extents origin, shape;
};

// Values of one component at one level that are NaN or infinite.
struct NonFinite {
  std::string field;  // as everywhere: "A", "S.rho", "U@-1"
  int64_t values = 0, nans = 0, infinities = 0;
  std::vector<int64_t> first;  // grid coordinates of the first of them
  int64_t step = 0;            // the earliest at which they were looked for and found
};

// Of the newest level of one component. All but the counts are over the points that are not NaN.
struct Statistics {
  int64_t points = 0, nans = 0;
  double least = 0, greatest = 0, mean = 0;
  double l2 = 0;  // square root of the sum of squares
};

// Fields, params, reductions and the step of a run. Program::initial_state() makes one, to be
// filled before anything is compiled; Kernel::start() makes a Simulation of it, which a device
// advances. One thread at a time may use a State; different ones are independent.
//
// Where a simulation's fields are in a device's memory, what reads one waits for the steps that are
// queued and brings back the levels that it needs, and what changes one costs a copy of all fields
// to the host and back. Fields whose memory on a device is the user's can be neither read nor
// changed here (R073).
//
// Memory on the host is made for a field when it is set or looked at. What read() and
// load_checkpoint() have found may be read from the files later, which stay open, so that a
// simulation in parts never has a whole field in one memory unless it is asked for.
//
// One that has been moved from may be assigned to or destroyed, nothing else.
class STENCIL_API State {
 public:
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  // Every field, with its shape and where its points lie.
  const std::vector<FieldInfo>& fields() const;

  // Copies an array into a field, or into one level or component of it (see Arrays). The array has
  // the field's shape, with the components as one more, last dimension if there are several and
  // they share a type, and the component's element type. Strides are free. Half and bfloat may also
  // be given as float, which is rounded to nearest even, and bool as uint8_t, where all but 0 is
  // true. R070 to R073.
  Status set(const std::string& field, const AnyView& array);
  // The inverse.
  Status get(const std::string& field, const AnyView& array);
  // The same into a new dense array.
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
  // The same for a box of the field's points, whose shape takes the place of the field's in that of
  // the array. Of a simulation get() brings these points alone to the host, from whichever device
  // or rank has them. Also R082, for a box that is not in the field.
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
  // The shape that an array for set() or get() has.
  Result<Extents> shape_of(const std::string& field) const;

  // Sets a field, or a level or component of it, from a .npy file of the shape of shape_of(), part
  // by part. Values that the field's type holds only rounded are a warning (R025). R070; R010, R020
  // and R021 for the file; R022 another shape; R023 values that the field's type cannot hold. On
  // failure the field is unchanged, unless the file was truncated while it was read (R010).
  Status read(const std::string& field, const std::string& path);
  // What read() and load_checkpoint() have to say about files that they have read, each as a
  // Failure that is none: R025, R065.
  const std::vector<Failure>& warnings() const;
  // Writes all of the files, or none. R070; R032 to R034 as Program::check(); R011; R024, R030 and
  // R031 for what a format cannot hold.
  Status write(const std::vector<Output>& outputs);

  // Writes everything that a run goes on from with the same bits, on any device and under any
  // schedule. R011.
  Status save_checkpoint(const std::string& path);
  // Becomes what was saved. The program may differ in its number of steps alone, and its params
  // have the same values. Float params that were given values (Options::definitions,
  // initial_state(), set_param()) and are no part of the code keep these, and so do those that
  // follow from them; a warning (R065) names each that differs. R010; R060 to R063. On failure
  // nothing has changed, unless the file was truncated while it was read (R010). Where several
  // ranks have joined, each compares checksums of what it reads, and steps are refused (R060) if
  // the file is damaged.
  Status load_checkpoint(const std::string& path);

  // Whether a run could write these files, as far as that can be known: Program::check(), and R030
  // for planes outside of the grid.
  Status check(const RunFiles& files) const;

  // Whether steps have all the values that they read: R057 for a constant field, a series or a set
  // of points that has neither an `init` nor values of its own, by set(), read(), load_checkpoint()
  // or an array (Kernel::attach). Simulation::advance() and run() fail alike. A field that steps
  // compute starts at zero.
  Status check_inputs() const;

  // Changes a float param, from the next step on. R070, R051; R074 for one that is part of the code
  // or an integer, which sizes may depend on; the codes of requirements that do not hold.
  Status set_param(const std::string& name, const ParamValue& value);

  int64_t step() const;  // steps done since the start
  bool stopped() const;  // the stop condition held; no further steps are taken
  // From here to the end that the program gives. R053 if it gives none, R064 if that is past.
  Result<int64_t> steps_left() const;

  // The program's reductions, as of the last evaluation. Waits for what is queued. R070, R044.
  Result<std::vector<ReductionValue>> reductions();
  Result<ReductionValue> reduction(const std::string& name);

  // Of a field with one component, or of a component. R070, R073.
  Result<Statistics> statistics(const std::string& field);

  // The newest levels of all fields: the components with NaN or infinities among their values.
  // R073.
  Result<std::vector<NonFinite>> non_finite();

 protected:
  friend struct api::SimulationData;
  explicit State(std::unique_ptr<api::SimulationData> data);
  std::unique_ptr<api::SimulationData> data_;
};

}  // namespace stencil
