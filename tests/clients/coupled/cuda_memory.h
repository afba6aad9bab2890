// Memory and a stream of the first GPU, as a larger simulation would get them from the CUDA runtime
// library. This client is built without the CUDA toolkit, so it opens the driver itself.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <optional>
#include <vector>

class Cuda {
 public:
  // Returns nullopt on a machine without a GPU.
  static std::optional<Cuda> open() {
    Cuda cuda;
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) return std::nullopt;
    int (*init)(unsigned) = nullptr;
    int (*retain)(void**, int) = nullptr;
    int (*set_current)(void*) = nullptr;
    int (*create_stream)(void**, unsigned) = nullptr;
    const bool found = look_up(library, "cuInit", init) &&
                       look_up(library, "cuDevicePrimaryCtxRetain", retain) &&
                       look_up(library, "cuCtxSetCurrent", set_current) &&
                       look_up(library, "cuStreamCreate", create_stream) &&
                       look_up(library, "cuStreamSynchronize", cuda.synchronize_) &&
                       look_up(library, "cuMemAlloc_v2", cuda.allocate_) &&
                       look_up(library, "cuMemcpyHtoDAsync_v2", cuda.upload_) &&
                       look_up(library, "cuMemcpyDtoHAsync_v2", cuda.download_);
    void* context = nullptr;
    if (!found || init(0) != 0 || retain(&context, 0) != 0 || set_current(context) != 0 ||
        create_stream(&cuda.stream_, 0) != 0) {
      return std::nullopt;
    }
    return cuda;
  }

  void* stream() const { return stream_; }
  float* allocate(size_t count) const {
    unsigned long long memory = 0;
    return allocate_(&memory, count * sizeof(float)) == 0 ? reinterpret_cast<float*>(memory)
                                                          : nullptr;
  }
  // Queued on the stream; `from` and `to` must stay valid until synchronize().
  bool upload(float* to, const float* from, size_t count) const {
    return upload_(reinterpret_cast<unsigned long long>(to), from, count * sizeof(float),
                   stream_) == 0;
  }
  bool download(float* to, const float* from, size_t count) const {
    return download_(to, reinterpret_cast<unsigned long long>(from), count * sizeof(float),
                     stream_) == 0;
  }
  bool synchronize() const { return synchronize_(stream_) == 0; }

 private:
  template <class F>
  static bool look_up(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }

  void* stream_ = nullptr;
  int (*synchronize_)(void*) = nullptr;
  int (*allocate_)(unsigned long long*, size_t) = nullptr;
  int (*upload_)(unsigned long long, const void*, size_t, void*) = nullptr;
  int (*download_)(void*, unsigned long long, size_t, void*) = nullptr;
};
