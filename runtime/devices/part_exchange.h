// The halo exchanges of a subdomain's session, according to its plan.
#pragma once

#include <memory>

#include "compiler/kernel/plan.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/plan_memory.h"

namespace stencil::runtime {

class PartExchange {
 public:
  // All arguments must outlive this object.
  PartExchange(Accelerator& accelerator, const kernel::Plan& plan, const PlanMemory& memory,
               Communicator& parts)
      : accelerator_(accelerator), plan_(plan), memory_(memory), parts_(parts) {}

  // Collective; requires allocated memory. Chooses the form of the exchange together with the other
  // subdomains.
  Status prepare();
  // Collective. On the first call, connects to the others by exchanging buffers whose contents are
  // ignored; this may take a second. Call it before steps that are timed.
  Status connect();

  // Whether halos are exchanged while the inside of a tile is computed; true only if all subdomains
  // can.
  bool is_beside_tiles() const { return beside_tiles_; }
  // Whether the exchange packs into buffers; otherwise it copies directly between arrays.
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
  bool in_ranges_ = false;  // halos are copied directly between arrays
  bool connected_ = false;
};

}  // namespace stencil::runtime
