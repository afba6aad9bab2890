// Runs code that may crash, hang, exit or try to reach the system, in a confined process of its
// own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stencil::api {

// Memory shared between a child process and this one.
class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes);  // zero-filled; throws std::bad_alloc
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  char* data() const { return data_; }

 private:
  char* data_;
  size_t bytes_;
};

struct ChildEnd {
  // Unconfined: the system cannot confine a process, so `work` was not started.
  enum class Kind { Returned, Died, Late, Unconfined };
  Kind kind = Kind::Returned;
  std::string text;  // empty if Returned; else "it ends with the signal 11 (Segmentation fault)"
  bool returned() const { return kind == Kind::Returned; }
};

// Runs `work` in a child process for at most `seconds`. The only results are writes to shared
// memory.
//
// The child can only compute and allocate memory. It opens no files, starts no processes or
// threads, has no network, and can signal only itself. It ends when this process does.
ChildEnd run_in_child(const std::function<void()>& work, int seconds);

}  // namespace stencil::api
