// Subdomains of a decomposed run in one process, one thread each. Threads wait only until their
// neighbours have queued a message; the copies run asynchronously from device to device.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "runtime/devices/communicator.h"

namespace stencil::runtime {

class LocalSubdomains {
 public:
  explicit LocalSubdomains(int count);
  LocalSubdomains(const LocalSubdomains&) = delete;
  LocalSubdomains& operator=(const LocalSubdomains&) = delete;
  ~LocalSubdomains();

  Communicator& communicator(int rank) const;

 private:
  class Member;

  // A message from the time its sender queues it until its receiver has queued the copy.
  struct Post {
    Accelerator* accelerator;
    Accelerator::Memory memory;
    int64_t offset, bytes;
    Accelerator::Mark ready;
    bool taken = false;
    Accelerator::Mark done;  // the receiver's copy; valid once `taken`
  };
  using Key = std::tuple<int, int, int>;  // from, to, tag

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::deque<std::shared_ptr<Post>>> posts_;
  std::optional<Failure> failure_;  // of the first subdomain that failed
  // State of all_gather(): contributions to the current round, and the results of the previous one.
  std::vector<std::optional<std::string>> said_;
  std::vector<std::string> heard_;
  std::vector<Accelerator*> accelerators_;  // by rank, during meet()
  std::vector<Accelerator::Mark> marks_;    // by rank, during recording and replay
  int64_t round_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace stencil::runtime
