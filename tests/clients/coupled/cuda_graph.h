// Graphs of the work in a stream, as a larger simulation would make them with
// cudaStreamBeginCapture.
#pragma once

#include "cuda_memory.h"

class CudaGraphs {
 public:
  // Returns nullopt if the driver has no graphs.
  static std::optional<CudaGraphs> open() {
    CudaGraphs graphs;
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    const bool found = library && look_up(library, "cuStreamBeginCapture_v2", graphs.begin_) &&
                       look_up(library, "cuStreamEndCapture", graphs.end_) &&
                       look_up(library, "cuGraphInstantiateWithFlags", graphs.instantiate_) &&
                       look_up(library, "cuGraphLaunch", graphs.launch_);
    if (!found) return std::nullopt;
    return graphs;
  }

  // The strictest mode: until the end no thread may allocate memory or wait.
  bool begin(void* stream) const { return begin_(stream, 0) == 0; }
  // The graph, ready for launches; null if a call in between was not allowed.
  void* end(void* stream) const {
    void *graph = nullptr, *instance = nullptr;
    if (end_(stream, &graph) != 0 || instantiate_(&instance, graph, 0) != 0) return nullptr;
    return instance;
  }
  bool launch(void* graph, void* stream) const { return launch_(graph, stream) == 0; }

 private:
  template <class F>
  static bool look_up(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }

  int (*begin_)(void*, int) = nullptr;
  int (*end_)(void*, void**) = nullptr;
  int (*instantiate_)(void**, void*, unsigned long long) = nullptr;
  int (*launch_)(void*, void*) = nullptr;
};
