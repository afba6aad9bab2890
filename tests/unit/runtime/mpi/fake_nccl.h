// A fake NCCL over host memory. Messages are files in a directory named by the id. Queued
// operations run when the owner of the stream runs them.
#pragma once

#include <functional>
#include <vector>

namespace stencil::runtime::nccl {

// The object behind the tests' stream handles.
struct FakeStream {
  std::vector<std::function<void()>> queued;
};

}  // namespace stencil::runtime::nccl
