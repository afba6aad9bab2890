// The halo exchanges of a subdomain's session, according to its plan.
#pragma once

#include <memory>

#include "compiler/kernel/plan.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/plan_memory.h"

namespace stencil::runtime {

class SubdomainExchange {
 public:
  // All arguments must outlive this object.
  SubdomainExchange(Accelerator& accelerator, const kernel::Plan& plan, const PlanMemory& memory,
                    Communicator& communicator)
      : accelerator_(accelerator), plan_(plan), memory_(memory), communicator_(communicator) {}

  // Collective; requires allocated memory. Chooses the form of the exchange together with the other
  // subdomains.
  Status prepare();
  // Collective. On the first call, connects to the others by exchanging buffers whose contents are
  // ignored; this may take a second. Call it before steps that are timed.
  Status connect();

  // Whether halos are exchanged while the interior of a tile is computed; true only if all
  // subdomains can.
  bool is_beside_tiles() const { return beside_tiles_; }
  // Whether the exchange packs into buffers; otherwise it copies directly between arrays.
  bool packs(const kernel::Exchange& exchange) const;
  Status exchange(const kernel::Exchange& exchange);

 private:
  std::string ranges() const;
  std::vector<const kernel::Exchange*> halos() const;
  std::vector<Transfer> transfers_of(const kernel::Exchange& exchange) const;

  Accelerator& accelerator_;
  const kernel::Plan& plan_;
  const PlanMemory& memory_;
  Communicator& communicator_;
  bool beside_tiles_ = false;
  bool in_ranges_ = false;  // halos are copied directly between arrays
  bool connected_ = false;
};

}  // namespace stencil::runtime
