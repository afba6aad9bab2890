// Replays of launches in emitted drivers: cycles of steps, and launches within a step.
#include "compiler/emit/driver.h"

namespace stencil::emit {

namespace {

struct Replays {
  bool steps = false, launches = false;  // cycles of steps, and launches within a step
};

Replays replays_in(const std::vector<const kernel::Module*>& modules, const Dialect& dialect) {
  Replays found;
  for (const kernel::Module* module : modules) {
    host_ir::for_each_statement(host_ir::lower(*module, host_options(dialect, false)),
                                [&](const host_ir::Statement& statement) {
                                  const auto* loop = std::get_if<host_ir::For>(&statement.kind);
                                  found.steps |= loop && loop->cycle > 0;
                                  found.launches |=
                                      std::holds_alternative<host_ir::Replay>(statement.kind);
                                });
  }
  return found;
}

constexpr const char* kRecording = R"text(// Records launches as a graph.
struct stencil_recording {
  $apiStream_t stream;
  bool active;
  explicit stencil_recording($apiStream_t s) : stream(s), active(false) {}
  stencil_recording(const stencil_recording&) = delete;
  ~stencil_recording() {
    $apiGraph_t graph = NULL;  // of launches that ended with an error
    if (active) $ignored$apiStreamEndCapture(stream, &graph);
    if (graph) $ignored$apiGraphDestroy(graph);
  }
  // False for a stream that cannot be recorded or that the caller is recording.
  bool begin() {
    $apiStreamCaptureStatus capture = $apiStreamCaptureStatusNone;
    active = $apiStreamIsCapturing(stream, &capture) == $apiSuccess &&
             capture == $apiStreamCaptureStatusNone &&
             $apiStreamBeginCapture(stream, $apiStreamCaptureModeRelaxed) == $apiSuccess;
    if (!active) $ignored$apiGetLastError();
    return active;
  }
  // NULL if the launches since begin(), which have not run, cannot become a graph.
  $apiGraphExec_t end() {
    active = false;
    $apiGraph_t graph = NULL;
    $apiGraphExec_t replay = NULL;
    $apiError_t status = $apiStreamEndCapture(stream, &graph);
    if (status == $apiSuccess) status = $apiGraphInstantiateWithFlags(&replay, graph, 0);
    if (graph) $ignored$apiGraphDestroy(graph);
    if (status == $apiSuccess) return replay;
    $ignored$apiGetLastError();
    return NULL;
  }
};

)text";

constexpr const char* kReplay =
    R"text(// Replays steps as a graph, which takes less time than launching their kernels one by one. Every
// cycle of steps launches the same kernels with the same arguments. The first cycle is launched
// directly, which also loads the kernels. The second one is recorded as a graph, which runs in
// place of all but the last cycle. Short runs are launched directly, as are runs on a stream that
// cannot be recorded or that the caller is recording.
struct stencil_replay {
  stencil_recording recording;
  int64_t cycle;  // steps
  stencil_replay($apiStream_t stream, int64_t steps) : recording(stream), cycle(steps) {}
  // Called before each tile; increases `step` by the steps that the graph takes.
  $apiError_t skip(int64_t* step, int64_t steps) {
    const int64_t times = (steps - 1) / cycle - 1;  // after the first cycle, before the last steps
    if (times < $worthwhile) return $apiSuccess;
    if (*step == cycle) recording.begin();
    if (!recording.active || *step != 2 * cycle) return $apiSuccess;
    *step = cycle;  // the second cycle has not run yet
    $apiGraphExec_t replay = recording.end();
    if (!replay) return $apiSuccess;
    $apiError_t status = $apiSuccess;
    for (int64_t n = 0; n < times && status == $apiSuccess; ++n) {
      status = $apiGraphLaunch(replay, recording.stream);
    }
    *step += times * cycle;
    const $apiError_t destroyed = $apiGraphExecDestroy(replay);  // frees it once it has run
    return status == $apiSuccess ? destroyed : status;
  }
};

)text";

constexpr const char* kLaunches =
    R"text(// The pointers to the slots of an array.
struct stencil_slots {
  void* pointers;
  size_t bytes;
};

// Replays launches within a step as a graph, which takes less time than launching their kernels one
// by one. The launches have the same arguments whenever the slots of all arrays have the same roles
// and the other inputs are equal. Launches that come for the third time are recorded: making a
// graph takes about as long as queueing its launches three times. They are launched directly on a
// stream that cannot be recorded or that the caller is recording.
struct stencil_launches {
  struct known_launches {
    std::vector<uintptr_t> before, after;  // the slots
    int times;
    $apiGraphExec_t graph;
  };
  stencil_recording recording;
  std::vector<stencil_slots> arrays;
  std::vector<known_launches> known;
  stencil_launches($apiStream_t stream, const std::vector<stencil_slots>& slots)
      : recording(stream), arrays(slots) {}
  stencil_launches(const stencil_launches&) = delete;
  ~stencil_launches() {  // a graph is freed once it has run
    for (const known_launches& one : known) {
      if (one.graph) $ignored$apiGraphExecDestroy(one.graph);
    }
  }
  std::vector<uintptr_t> slots() const {
    std::vector<uintptr_t> all;
    for (const stencil_slots& array : arrays) {
      const size_t begin = all.size();
      all.resize(begin + array.bytes / sizeof(uintptr_t));
      memcpy(all.data() + begin, array.pointers, array.bytes);
    }
    return all;
  }
  void set_slots(const std::vector<uintptr_t>& all) const {
    const uintptr_t* from = all.data();
    for (const stencil_slots& array : arrays) {
      memcpy(array.pointers, from, array.bytes);
      from += array.bytes / sizeof(uintptr_t);
    }
  }
  // `launch` launches the kernels and exchanges slots. Returns NULL or an error message.
  template <class Launch>
  const char* run(const Launch& launch, const std::vector<int64_t>& inputs) {
    std::vector<uintptr_t> before = slots();
    for (const int64_t input : inputs) before.push_back((uintptr_t)input);
    size_t k = 0;
    while (k < known.size() && known[k].before != before) ++k;
    if (k == 16) return launch();
    if (k == known.size()) known.push_back({before, {}, 0, NULL});
    known_launches& now = known[k];
    if (now.graph) {
      set_slots(now.after);
    } else {
      if (now.times == 3 || ++now.times < 3 || !recording.begin()) return launch();
      if (const char* error = launch()) return error;
      now.graph = recording.end();
      now.after = slots();
      if (!now.graph) {  // nothing has run yet
        set_slots(before);
        return launch();
      }
    }
    return stencil_try("replaying launches", $apiGraphLaunch(now.graph, recording.stream));
  }
};

)text";

}  // namespace

bool replays_launches(const std::vector<const kernel::Module*>& modules, const Dialect& dialect) {
  return replays_in(modules, dialect).launches;
}

void replay_support(Text& out, const std::vector<const kernel::Module*>& modules,
                    const Dialect& dialect) {
  const Replays replays = replays_in(modules, dialect);
  if (replays.steps || replays.launches) out.verbatim(device_text(kRecording, dialect));
  if (replays.steps) {
    out.verbatim(device_text(
        replaced(kReplay, "$worthwhile", std::to_string(host_ir::kWorthwhileCycles)), dialect));
  }
  if (replays.launches) out.verbatim(device_text(kLaunches, dialect));
}

}  // namespace stencil::emit
