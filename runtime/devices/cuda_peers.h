// Copies between the GPUs of a machine.
#pragma once

#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// Whether `gpu` can read the memory of `peer_gpu` (which may be the same). The first call for a
// pair enables peer access, which takes milliseconds.
bool reach_peer(Context context, DeviceId gpu, Context peer, DeviceId peer_gpu);

// Queues a copy from a peer that reach_peer() accepted; `context` must be current.
Code copy_from_peer(Context context, Address to, Address from, size_t bytes, Stream stream);

}  // namespace stencil::runtime::cuda
