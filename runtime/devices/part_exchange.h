// What the session of a part exchanges with the sessions of the others, as its plan says.
#pragma once

#include <memory>

#include "compiler/kernel/plan.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/plan_memory.h"

namespace stencil::runtime {

class PartExchange {
 public:
  // All must outlive it.
  PartExchange(Accelerator& accelerator, const kernel::Plan& plan, const PlanMemory& memory,
               Communicator& parts)
      : accelerator_(accelerator), plan_(plan), memory_(memory), parts_(parts) {}

  // Once the memory is there: agrees with the others on how to exchange. All parts call it
  // together.
  Status prepare();
  // The first time: connects to the others, which may take a second, by an exchange of buffers
  // whose contents nobody reads. All parts call it together, ahead of steps whose time is taken.
  Status connect();

  // Parts exchange while the inside of a tile is computed: all of them can.
  bool is_beside_tiles() const { return beside_tiles_; }
  // What is exchanged is packed before and unpacked after; else it goes from array to array.
  bool packs(const kernel::Swap& swap) const;
  Status exchange(const kernel::Swap& swap);

 private:
  std::string ranges() const;
  std::vector<Transfer> transfers_of(const kernel::Swap& swap) const;

  Accelerator& accelerator_;
  const kernel::Plan& plan_;
  const PlanMemory& memory_;
  Communicator& parts_;
  bool beside_tiles_ = false;
  bool in_ranges_ = false;  // halos go from array to array
  bool connected_ = false;
};

}  // namespace stencil::runtime
