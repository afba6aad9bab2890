// Settings that only the `streaming` family has.
#pragma once

#include <vector>

namespace stencil::schedule {

struct Setting;

// How a streaming kernel evaluates a linear function.
enum class Form {
  Gather,   // reads all planes of the sum from registers
  Scatter,  // adds each plane on arrival to all sums that need it (reorders sums: --fp=fast only)
};

// How planes are loaded from global memory.
enum class Loads {
  Registers,  // directly into registers
  Async,      // into shared memory by asynchronous copies, from there into registers
  Bulk,       // as Async, but one bulk copy loads the whole plane of a tile
};

struct StreamingSettings {
  int unroll = 0;  // planes per iteration of the streaming loop; 0: length of the register queues
  int occupancy = 0;  // target that limits registers, in blocks per multiprocessor; 0: estimated
  Loads loads = Loads::Registers;
  Form form = Form::Gather;
  friend bool operator==(const StreamingSettings&, const StreamingSettings&) = default;
};

// All settings of the family, in printing order.
std::vector<Setting> streaming_settings();

}  // namespace stencil::schedule
