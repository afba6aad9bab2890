// Copies between the GPUs of a machine.
#pragma once

#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// Whether a GPU reads the memory of another one, or its own. The first question of a pair opens
// the way, which takes milliseconds.
bool reach_peer(Context context, DeviceId gpu, Context peer, DeviceId peer_gpu);

// Queues a copy from a peer that `context` reaches, which is current in the calling thread.
Code copy_from_peer(Context context, Address to, Address from, size_t bytes, Stream stream);

}  // namespace stencil::runtime::cuda
