// Parts of a decomposed run in one process, a thread each. Threads tell each other what has been
// queued and wait for that alone; data go from device to device behind it, in the devices' own
// time.
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

class LocalParts {
 public:
  explicit LocalParts(int count);
  LocalParts(const LocalParts&) = delete;
  LocalParts& operator=(const LocalParts&) = delete;
  ~LocalParts();

  Communicator& part(int rank) const;

 private:
  class Member;

  // A message whose sender has queued it, until its receiver has queued the copy.
  struct Post {
    Accelerator* accelerator;
    Accelerator::Memory memory;
    int64_t offset, bytes;
    Accelerator::Mark ready;
    bool taken = false;
    Accelerator::Mark done;  // the copy, once it is taken
  };
  using Key = std::tuple<int, int, int>;  // from, to, tag

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::deque<std::shared_ptr<Post>>> posts_;
  std::optional<Failure> failure_;  // of a part that has given up
  // Of all_gather: those of the round that is under way, and of the last one.
  std::vector<std::optional<std::string>> said_;
  std::vector<std::string> heard_;
  std::vector<Accelerator*> accelerators_;  // by rank, while they meet
  std::vector<Accelerator::Mark> marks_;    // by rank, while they record or replay
  int64_t round_ = 0;
  std::vector<std::unique_ptr<Member>> parts_;
};

}  // namespace stencil::runtime
