// Communication between the subdomains of a decomposed run, as seen by one of them. Each subdomain
// runs in its own thread or process, takes the same steps, and calls the same functions in the same
// order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/support/try.h"
#include "runtime/devices/accelerator.h"
#include "stencil/result.h"

namespace stencil::runtime {

// One message to another subdomain and one from it, as byte ranges of accelerator memory. If a
// range has zero bytes, nothing is sent or received.
struct Transfer {
  int peer = 0;
  // Tags distinguish messages between two subdomains. Messages with equal tags arrive in order.
  int send_tag = 0, receive_tag = 0;
  int64_t send_offset = 0, send_bytes = 0;
  int64_t receive_offset = 0, receive_bytes = 0;
  Accelerator::Memory send = nullptr, receive = nullptr;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int size() const = 0;  // number of subdomains
  virtual int rank() const = 0;  // this subdomain, from 0

  // Collective. One-time setup before the first exchange of an accelerator.
  virtual Status meet(Accelerator& /*accelerator*/) { return Status(Done{}); }

  // Sends from and receives into memory of `accelerator`. The transfers take place after all work
  // queued earlier and before all work queued later, so later work may overwrite the memory. The
  // call may or may not wait for the device.
  virtual Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers) = 0;
  // exchange() with one buffer for all sends and one for all receives.
  Status exchange_between(Accelerator& accelerator, Accelerator::Memory send,
                          Accelerator::Memory receive, std::span<const Transfer> transfers) {
    std::vector<Transfer> all(transfers.begin(), transfers.end());
    for (Transfer& transfer : all) {
      transfer.send = send;
      transfer.receive = receive;
    }
    return exchange(accelerator, all);
  }
  // Whether sending a few separate ranges is as fast as sending one packed buffer.
  virtual bool takes_ranges() const { return false; }

  // One recording (Accelerator::begin_recording) covers the work of all subdomains, including their
  // exchanges. Collective. The recording returned to a subdomain may be empty.
  virtual bool records(const Accelerator& /*accelerator*/) const { return false; }
  virtual Status begin_recording(Accelerator& /*accelerator*/) { return Status(Done{}); }
  virtual Result<Accelerator::Recording> end_recording(Accelerator& /*accelerator*/) {
    return Accelerator::Recording();
  }
  virtual Status replay(Accelerator& /*accelerator*/, const Accelerator::Recording& /*recording*/,
                        int64_t /*times*/) {
    return Status(Done{});
  }

  // Gathers one text per subdomain, by rank. Collective.
  virtual Result<std::vector<std::string>> all_gather(const std::string& own) = 0;
  // Returns the text of rank 0 on all ranks. Collective.
  virtual Result<std::string> broadcast(const std::string& own) {
    auto all = TRY(all_gather(rank() == 0 ? own : std::string()));
    return std::move(all[0]);
  }

  // Reports that this subdomain has failed. Calls of other subdomains that wait for it, now or
  // later, fail too, if possible with this failure.
  virtual void abandon(const Failure& failure) = 0;
};

}  // namespace stencil::runtime
