// The parts of a decomposed run, as one of them sees the others. Each part takes the same steps in
// a thread or process of its own and calls the same functions in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/devices/accelerator.h"
#include "stencil/result.h"

namespace stencil::runtime {

// What goes to a part and what comes from it: ranges of memory of an accelerator, in bytes. No
// bytes: nothing is sent, or received.
struct Transfer {
  int peer = 0;
  // Tell the messages between two parts apart; those of one tag arrive in the order of transfers.
  int send_tag = 0, receive_tag = 0;
  int64_t send_offset = 0, send_bytes = 0;
  int64_t receive_offset = 0, receive_bytes = 0;
  Accelerator::Memory send = nullptr, receive = nullptr;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int size() const = 0;  // parts
  virtual int rank() const = 0;  // this one, from 0

  // What takes time and is done once, ahead of the first exchange of an accelerator. All parts call
  // it together.
  virtual Status meet(Accelerator& /*accelerator*/) { return Status(Done{}); }

  // Sends and receives, out of and into memory of `accelerator`, behind what is queued there and
  // ahead of what is queued later. Whether the call waits for the device is its own affair. All of
  // the memory may be written again by what is queued afterwards.
  virtual Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers) = 0;
  // All out of one buffer and into another.
  Status exchange_between(Accelerator& accelerator, Accelerator::Memory send,
                          Accelerator::Memory receive, std::span<const Transfer> transfers) {
    std::vector<Transfer> all(transfers.begin(), transfers.end());
    for (Transfer& transfer : all) {
      transfer.send = send;
      transfer.receive = receive;
    }
    return exchange(accelerator, all);
  }
  // Whether a few separate ranges are sent as quickly as one packed buffer.
  virtual bool takes_ranges() const { return false; }

  // Recordings of all parts as one (Accelerator::begin_recording), with what they exchange. All
  // parts call these together; the recording that a part gets may be empty.
  virtual bool records(const Accelerator& /*accelerator*/) const { return false; }
  virtual Status begin_recording(Accelerator& /*accelerator*/) { return Status(Done{}); }
  virtual Result<Accelerator::Recording> end_recording(Accelerator& /*accelerator*/) {
    return Accelerator::Recording();
  }
  virtual Status replay(Accelerator& /*accelerator*/, const Accelerator::Recording& /*recording*/,
                        int64_t /*times*/) {
    return Status(Done{});
  }

  // The text of every part, by rank.
  virtual Result<std::vector<std::string>> all_gather(const std::string& own) = 0;
  // That of rank 0, for all.
  virtual Result<std::string> broadcast(const std::string& own) {
    auto all = all_gather(rank() == 0 ? own : std::string());
    if (!all.ok()) return all.failure();
    return std::move(all.value()[0]);
  }

  // This part has failed: calls of the others that wait for it, now or later, fail, with this
  // failure where it can be had.
  virtual void abandon(const Failure& failure) = 0;
};

}  // namespace stencil::runtime
