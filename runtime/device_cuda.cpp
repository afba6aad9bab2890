// The `cuda` device. Running kernels through NVRTC and the driver API is not part of this build;
// what is here tells the user precisely what the machine has, and that the generated .cu is the way
// to it.
//
// The driver is opened at run time, so that one binary works with and without it.
#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/device.h"

namespace stencil::runtime {

namespace {

// "CUDA driver 12.4, 2 devices", or why there is none.
struct Driver {
  bool present = false;
  std::string text;
};

Driver find_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {false, "the CUDA driver (libcuda.so.1) is not installed"};
  // Signatures of the driver API; 0 is success. The library stays open: the driver dislikes being
  // unloaded.
  const auto initialise = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  if (!initialise || !version || !count) {
    return {false, "libcuda.so.1 lacks functions of the driver API"};
  }
  if (const int error = initialise(0)) {
    return {false,
            fmt::format("the CUDA driver finds no usable device (cuInit returned {})", error)};
  }
  int number = 0;
  int gpus = 0;
  version(&number);
  count(&gpus);
  return {gpus > 0, fmt::format("CUDA driver {}.{}, {} device{}", number / 1000, number % 1000 / 10,
                                gpus, gpus == 1 ? "" : "s")};
}

DeviceInfo probe(const std::string&) {
  const Driver driver = find_driver();
  if (!driver.present) return {"cuda", "", false, driver.text};
  return {"cuda", "", false,
          driver.text +
              " found, but this build cannot launch CUDA kernels itself; "
              "compile with -o FILE.cu --main and nvcc"};
}

Result<std::unique_ptr<LoadedProgram>> load(const Job&, const std::string& selector) {
  return Failure{"R041", "device 'cuda' is not present: " + probe(selector).reason, ""};
}

}  // namespace

Device cuda_device() {
  return {"cuda", true, probe, load};
}

}  // namespace stencil::runtime
