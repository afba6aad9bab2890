// A fake device with a made-up clock. A test says how fast and how reliable kernels of each time
// tile T are, and sees what ran.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "runtime/run/run.h"

namespace stencil::tune {

struct Script {
  std::function<double(int time_tile)> seconds;      // per step; below 0: an error
  std::function<bool(int time_tile)> loads, starts;  // null: always
  int64_t stop = INT64_MAX;                          // step at which the stop condition holds
  // Observed:
  int loaded = 0, started = 0;
  std::set<int> time_tiles;  // time tiles of loaded kernels
  std::set<int> advanced;    // time tiles that have taken steps
  int latest = 0;            // time tile that has taken the last steps
  int64_t last_step = 0;     // of any session
};
inline Script script;

class ScriptedSession : public runtime::Session {
 public:
  ScriptedSession(reference::State& state, int time_tile) : state_(state), tile_(time_tile) {}
  Result<int64_t> advance(int64_t steps) override {
    if (script.seconds(tile_) < 0) return Failure{"R044", "made up", ""};
    steps = std::min(steps, script.stop - state_.step);
    state_.step += steps;
    script.advanced.insert(tile_);
    script.latest = tile_;
    script.last_step = std::max(script.last_step, state_.step);
    seconds_ = script.seconds(tile_) * static_cast<double>(steps);
    return steps;
  }
  Status finish() override { return Done{}; }
  std::optional<double> seconds() const override { return seconds_; }

 private:
  reference::State& state_;
  int tile_;
  double seconds_ = 0;
};

class ScriptedProgram : public runtime::LoadedProgram {
 public:
  explicit ScriptedProgram(int time_tile) : tile_(time_tile) {}
  Result<std::unique_ptr<runtime::Session>> start(reference::State& state) const override {
    if (script.starts && !script.starts(tile_)) return Failure{"R043", "made up", ""};
    ++script.started;
    return std::unique_ptr<runtime::Session>(std::make_unique<ScriptedSession>(state, tile_));
  }

 private:
  int tile_;
};

inline Result<std::unique_ptr<runtime::LoadedProgram>> load_scripted(const runtime::Job& job,
                                                                     const std::string&) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> held(mutex);
  const int tile = job.module->plan.time_tile;
  ++script.loaded;
  script.time_tiles.insert(tile);
  if (script.loads && !script.loads(tile)) return Failure{"R043", "made up", ""};
  return std::unique_ptr<runtime::LoadedProgram>(std::make_unique<ScriptedProgram>(tile));
}

inline runtime::ChosenDevice scripted_device() {
  runtime::Device device{"scripted", true, nullptr, load_scripted, schedule::cpu()};
  return {device, "", {"scripted", "made up 1.0", true, "", "made up"}};
}

}  // namespace stencil::tune
