// A CUDA runtime as C++ text: work runs when it is queued, or becomes part of a graph.
#pragma once

namespace stencil::testing_support {

// What the runtime does: a stream that can be recorded; one that cannot; one that the caller is
// recording; a graph that cannot be made; a graph that cannot run; work that cannot be queued while
// it is recorded. `runtime` is one of these.
enum FakeRuntime { Records, Refuses, IsRecorded, MakesNoGraph, RunsNoGraph, FailsInRecording };

constexpr const char* kFakeCuda = R"text(
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <functional>
#include <vector>

enum cudaError_t { cudaSuccess, cudaFailure };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum { cudaStreamCaptureModeRelaxed, cudaStreamNonBlocking, cudaEventDisableTiming };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
typedef int* cudaStream_t;
typedef int* cudaEvent_t;
typedef std::vector<std::function<void()>> fake_work;
typedef fake_work* cudaGraph_t;
typedef fake_work* cudaGraphExec_t;
#define cudaStreamPerThread ((cudaStream_t)2)

// `objects`: graphs, instances and memory that exist. `failed`: an error that nothing has read.
inline fake_work* recording = NULL;
inline int runtime, objects, graphs, replays;
inline bool failed;

inline cudaError_t result(bool good) {
  failed = failed || !good;
  return good ? cudaSuccess : cudaFailure;
}
inline const char* cudaGetErrorName(cudaError_t) { return "failure"; }
inline const char* cudaGetErrorString(cudaError_t) { return "failure"; }
inline cudaError_t cudaGetLastError() {
  const cudaError_t last = failed ? cudaFailure : cudaSuccess;
  failed = false;
  return last;
}
inline cudaError_t queue(const std::function<void()>& work) {
  if (runtime == 5 && recording) return result(false);
  if (recording) recording->push_back(work);
  if (!recording) work();
  return cudaSuccess;
}

inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  const bool active = runtime == 2 || recording;
  *status = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t, int) {
  if (runtime == 2 || recording) ++objects;  // no caller expects this
  if (runtime == 1 || runtime == 2 || recording) return result(false);
  recording = new fake_work;
  ++objects;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = recording;
  recording = NULL;
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --objects;
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, int) {
  if (runtime == 3) return result(false);
  *made = new fake_work(*graph);
  ++objects;
  ++graphs;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return cudaGraphDestroy(graph); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  if (runtime == 4 || recording) return result(false);
  for (const std::function<void()>& work : *graph) work();
  ++replays;
  return cudaSuccess;
}
)text";

// Memory, copies, and the flag of the stop condition. The host cannot wait during a recording.
constexpr const char* kFakeCudaMemory = R"text(
inline cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  *memory = malloc(bytes);
  ++objects;
  return result(*memory && !recording);
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  free(memory);
  --objects;
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  return queue([=] { memcpy(to, from, bytes); });
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  return queue([=] { memset(to, value, bytes); });
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return result(!recording); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) {
  *stream = (cudaStream_t)4;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, int) {
  *event = (cudaEvent_t)8;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return result(!recording); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, int) { return cudaSuccess; }

// kernel<<<blocks, ...>>>(arguments). Some C++ kernels take the number of blocks as last argument.
template <class... P, class... A>
cudaError_t fake_launch(void (*kernel)(P...), int64_t blocks, A... arguments) {
  return queue([=] {
    if constexpr (sizeof...(P) == sizeof...(A)) {
      kernel(arguments...);
    } else {
      kernel(arguments..., blocks);
    }
  });
}
)text";

}  // namespace stencil::testing_support
