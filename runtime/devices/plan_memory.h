// The memory of a plan on a device: arrays, scratch memory, and copies from and to a state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"
#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "runtime/devices/accelerator.h"
#include "runtime/devices/device.h"
#include "runtime/io/field_boxes.h"

namespace stencil::runtime {

class PlanMemory {
 public:
  // All arguments but the last must outlive this object. `attached`: user arrays, if any.
  PlanMemory(Accelerator& accelerator, const kernel::Module& module, reference::State& state,
             DeviceArrays attached)
      : accelerator_(accelerator),
        module_(module),
        plan_(module.plan),
        state_(state),
        attached_(std::move(attached)) {}
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;
  ~PlanMemory();

  // The layout of all arrays; call it before the functions below.
  Status lay_out();
  // Another session with the same program, params and device, whose newest values are used instead
  // of the state's. If it gives its memory away, arrays of the same layout are taken from it
  // without a copy: they belong to both sessions until keep_given().
  struct Origin {
    const PlanMemory* memory = nullptr;  // null: none; values are in the state
    bool gives = false;
  };
  // Takes the levels of an array, in the order of the arrays: the user's memory, memory of the
  // origin, or new memory with the values of the origin or the state. R043, with the memory that
  // each field needs, if memory does not suffice; R045 if the plan pads rows of user arrays.
  Status take_levels(int array, const Origin& origin);
  // Allocates a further slot of an array, or scratch memory. A slot numbered `copies` is only
  // needed to move levels to given places (bring_home, bring_back), so other sessions have none.
  Status provide(const kernel::ArrayArgument& memory, const Origin& origin);
  Status copy(int array, int to, int from);  // between slots
  // Ends the use of memory that an origin gives away by the origin, which must not be used again.
  void keep_given(PlanMemory& giver);
  // The levels of each field that a session with `origin` reads from the state although steps may
  // have changed them, as for fetch().
  std::vector<int> levels_from_state(const PlanMemory& origin) const;
  Status place(const kernel::PointSet& set);

  // The value of an expression over constants and integer params; nullopt on overflow.
  std::optional<int64_t> evaluate(const kernel::Expr& expr) const;

  Accelerator::Memory of(const kernel::ArrayArgument& argument) const;
  Accelerator::Shaped shaped(const kernel::ArrayArgument& argument) const;
  // The box as one byte range of its array, including padding between its rows; nullopt if it is
  // not contiguous or not within the array.
  struct Range {
    int64_t offset, bytes;
  };
  std::optional<Range> range_of(const kernel::ExchangeBox& box) const;
  Accelerator::Memory scratch(int number) const { return scratch_[number]; }
  // The current memory of each slot, by array.
  const std::vector<std::vector<Accelerator::Memory>>& slots() const { return slots_; }
  void rotate(int array);
  void swap_slots(int array, int a, int b);

  // Moves each level of a user array to the array given for it (bring_home.h).
  Status bring_home(int array);
  // Moves each level of all arrays to the memory that had it when slots() was `before`.
  Status bring_back(const std::vector<std::vector<Accelerator::Memory>>& before);
  bool has_attached() const { return !attached_.fields.empty(); }
  bool is_attached(const kernel::Array& array) const { return attached_.given(array.field); }

  // Session::fetch, without user arrays.
  Status fetch(const std::vector<int>& levels);

  // Session::read, for fields whose array is here and is not the user's.
  Result<bool> read(const BoxOfField& what, std::byte* to);

  // Session::count_non_finite, for fields with an array here.
  Result<std::optional<NonFiniteCount>> count_non_finite(const BoxOfField& what);

  // Write and read the first element of scratch memory.
  Status put(int scratch, const ScalarBytes& value);
  Status take(int scratch, ScalarBytes& value);

 private:
  // Memory layout of an array.
  struct Layout {
    std::vector<int64_t> extents;  // elements, as stored
    int64_t bytes = 0;             // per copy
    Accelerator::Rows rows = {0};  // its points; 0 bytes: none
    bool operator==(const Layout&) const = default;
  };

  // The array that holds the component and level; nullopt if there is none.
  std::optional<size_t> array_of(const BoxOfField& what) const;
  // The box within an array's memory, points in order.
  std::vector<Accelerator::Rows> pieces_of(size_t array, const ir::Points& box) const;
  std::optional<int64_t> value_of(const std::string& name) const;
  std::optional<int64_t> bytes_of(const kernel::Scratch& scratch) const;
  Status lay_out(const kernel::Array& array);
  Status fill(size_t array, const Origin& origin);
  // The array here with the same values; nullopt if there is none or it is the user's.
  std::optional<size_t> twin_of(const kernel::Array& array) const;
  Status convert(Accelerator::Memory to, const Layout& layout, Accelerator::Memory from,
                 const Layout& of);
  Status adopt(size_t array);
  Result<Accelerator::Memory> allocate(int64_t bytes);
  Status bring_home(int array, const std::vector<Accelerator::Memory>& home);
  Failure with_memory_needed(Failure failure) const;
  const std::vector<void*>& homes(const kernel::Array& array) const {
    return attached_.fields[array.field][array.component];
  }

  Accelerator& accelerator_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  reference::State& state_;
  DeviceArrays attached_;
  std::vector<Layout> layouts_;                          // by array
  std::vector<std::vector<Accelerator::Memory>> slots_;  // [array][slot]
  std::map<int, Accelerator::Memory> aside_;             // by array: through it levels are moved
  std::vector<Accelerator::Memory> own_;                 // slots that are not user arrays
  std::vector<Accelerator::Memory> given_;               // by an origin, until keep_given()
  std::vector<Accelerator::Memory> scratch_;
};

}  // namespace stencil::runtime
