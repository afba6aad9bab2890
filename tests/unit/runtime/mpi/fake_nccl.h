// A stand-in for NCCL over the host's memory. Messages are files in a directory that the id names;
// what it queues happens when the stream's owner runs it.
#pragma once

#include <functional>
#include <vector>

namespace stencil::runtime::nccl {

// What a stream handle of the tests points to.
struct FakeStream {
  std::vector<std::function<void()>> queued;
};

}  // namespace stencil::runtime::nccl
