// Code that may crash, hang or exit, run in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stencil::api {

// Memory that a child process shares with this one.
class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes);  // zeros; throws std::bad_alloc
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  char* data() const { return data_; }

 private:
  char* data_;
  size_t bytes_;
};

// Runs `work` in a child; what it leaves is what it writes to shared memory. "": it came back; else
// how it ended: "SIGSEGV", "it takes more than 60 seconds".
std::string run_in_child(const std::function<void()>& work, int seconds);

}  // namespace stencil::api
