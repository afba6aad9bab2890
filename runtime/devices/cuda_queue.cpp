#include "runtime/devices/cuda_queue.h"

#include <fmt/format.h>

namespace stencil::runtime::cuda {

Failure driver_failure(const std::string& what, Code code) {
  const std::string message = fmt::format("CUDA failed {}: {}", what, error_text(driver(), code));
  if (code == kOutOfMemory) return {"R043", message, "use smaller sizes (-D)"};
  if (code == kLaunchOutOfResources) {
    return {"R043", message, "use a schedule with smaller blocks"};
  }
  return {"R044", message, ""};
}

Status checked(const std::string& what, Code code) {
  if (code == 0) return Done{};
  return driver_failure(what, code);
}

namespace {

class CudaStopwatch : public Stopwatch {
 public:
  CudaStopwatch(Context context, Stream stream) : context_(context), stream_(stream) {}
  CudaStopwatch(const CudaStopwatch&) = delete;
  CudaStopwatch& operator=(const CudaStopwatch&) = delete;
  ~CudaStopwatch() override {
    cu_.cuCtxSetCurrent(context_);
    for (const Event event : {from_, to_}) {
      if (event) cu_.cuEventDestroy(event);
    }
  }
  Status start() override { return record(from_); }
  Status stop() override { return record(to_); }
  Result<double> seconds() override {
    float milliseconds = 0;
    const Code code = cu_.cuEventElapsedTime(&milliseconds, from_, to_);
    if (code != 0) return driver_failure("to measure time", code);
    return milliseconds * 1e-3;
  }

 private:
  Status record(Event& event) {
    Code code = cu_.cuCtxSetCurrent(context_);
    if (code == 0 && !event) code = cu_.cuEventCreate(&event, kEventWithTime);
    if (code == 0) code = cu_.cuEventRecord(event, stream_);
    return checked("to measure time", code);
  }

  const Driver& cu_ = driver();
  Context context_;
  Stream stream_;
  Event from_ = nullptr, to_ = nullptr;
};

}  // namespace

std::unique_ptr<Stopwatch> stopwatch(Context context, Stream stream) {
  return std::make_unique<CudaStopwatch>(context, stream);
}

Result<Accelerator::Mark> unset_mark(Context context) {
  Event event = nullptr;
  Code code = driver().cuCtxSetCurrent(context);
  if (code == 0) code = driver().cuEventCreate(&event, kEventWithoutTime);
  if (code != 0) return driver_failure("to create an event", code);
  return Accelerator::Mark(event, [context](Event made) {
    driver().cuCtxSetCurrent(context);
    driver().cuEventDestroy(made);
  });
}

Result<Accelerator::Mark> mark(Context context, Stream stream) {
  auto made = unset_mark(context);
  if (!made.ok()) return made.failure();
  const Code code = driver().cuEventRecord(static_cast<Event>(made.value().get()), stream);
  if (code != 0) return driver_failure("to record an event", code);
  return made;
}

bool can_record() {
  const Driver& cu = driver();
  return cu.cuStreamBeginCapture && cu.cuStreamEndCapture && cu.cuGraphInstantiate &&
         cu.cuGraphLaunch && cu.cuGraphDestroy && cu.cuGraphExecDestroy;
}

Status begin_recording(Context context, Stream stream) {
  const Driver& cu = driver();
  Code code = cu.cuCtxSetCurrent(context);
  if (code == 0) code = cu.cuStreamBeginCapture(stream, kRelaxedCapture);
  return checked("to begin the capture of a graph", code);
}

Result<Accelerator::Recording> end_recording(Context context, Stream stream) {
  const Driver& cu = driver();
  Graph graph = nullptr;
  GraphExec instance = nullptr;
  Code code = cu.cuCtxSetCurrent(context);
  if (code == 0) code = cu.cuStreamEndCapture(stream, &graph);
  if (code == 0) code = cu.cuGraphInstantiate(&instance, graph, kNodePriorities);
  if (graph) cu.cuGraphDestroy(graph);
  if (code != 0) return driver_failure("to create a graph of launches", code);
  return Accelerator::Recording(instance, [context](GraphExec made) {
    driver().cuCtxSetCurrent(context);
    driver().cuGraphExecDestroy(made);
  });
}

Status replay(Context context, Stream stream, const Accelerator::Recording& recording) {
  const Driver& cu = driver();
  Code code = cu.cuCtxSetCurrent(context);
  if (code == 0) code = cu.cuGraphLaunch(static_cast<GraphExec>(recording.get()), stream);
  return checked("to launch a graph", code);
}

bool is_captured(Context context, Stream stream) {
  const Driver& cu = driver();
  int status = 0;
  if (!stream || !cu.cuStreamIsCapturing || cu.cuCtxSetCurrent(context) != 0) return false;
  return cu.cuStreamIsCapturing(stream, &status) == 0 && status != 0;
}

}  // namespace stencil::runtime::cuda
