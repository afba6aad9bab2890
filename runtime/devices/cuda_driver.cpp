// Opens the CUDA driver. Functions whose semantics changed exist under several symbol names. The
// names here are those of cuda.h in CUDA 12.0, which later drivers keep. (cuda.h of CUDA 13 maps
// cuEventElapsedTime to a second version, added in 12.8; for the events used here both are
// equivalent.) All functions are required except those marked in cuda_driver.h: a driver that lacks
// one is older than CUDA 12.
#include "runtime/devices/cuda_driver.h"
#include "runtime/devices/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace stencil::runtime::cuda {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// Looks up functions; `missing` is the first one not found.
struct Symbols {
  void* library;
  std::string missing;

  template <class Function>
  void find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    if (function == nullptr && missing.empty()) missing = symbol;
  }
};

std::string look_up(Driver& cu, void* library) {
  Symbols symbols{library, ""};
  symbols.find(cu.cuInit, "cuInit");
  symbols.find(cu.cuDriverGetVersion, "cuDriverGetVersion");
  symbols.find(cu.cuGetErrorName, "cuGetErrorName");
  symbols.find(cu.cuGetErrorString, "cuGetErrorString");
  symbols.find(cu.cuDeviceGetCount, "cuDeviceGetCount");
  symbols.find(cu.cuDeviceGet, "cuDeviceGet");
  symbols.find(cu.cuDeviceGetName, "cuDeviceGetName");
  symbols.find(cu.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
  symbols.find(cu.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  symbols.find(cu.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  symbols.find(cu.cuCtxSetCurrent, "cuCtxSetCurrent");
  symbols.find(cu.cuModuleLoadData, "cuModuleLoadData");
  symbols.find(cu.cuModuleUnload, "cuModuleUnload");
  symbols.find(cu.cuModuleGetFunction, "cuModuleGetFunction");
  symbols.find(cu.cuFuncGetAttribute, "cuFuncGetAttribute");
  symbols.find(cu.cuFuncSetAttribute, "cuFuncSetAttribute");
  symbols.find(cu.cuMemGetInfo, "cuMemGetInfo_v2");
  symbols.find(cu.cuMemAlloc, "cuMemAlloc_v2");
  symbols.find(cu.cuMemFree, "cuMemFree_v2");
  symbols.find(cu.cuMemsetD8Async, "cuMemsetD8Async");
  symbols.find(cu.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  symbols.find(cu.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  symbols.find(cu.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  symbols.find(cu.cuMemcpyPeerAsync, "cuMemcpyPeerAsync");
  symbols.find(cu.cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer");
  symbols.find(cu.cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess");
  symbols.find(cu.cuMemcpy2DAsync, "cuMemcpy2DAsync_v2");
  symbols.find(cu.cuStreamCreate, "cuStreamCreate");
  symbols.find(cu.cuStreamCreateWithPriority, "cuStreamCreateWithPriority");
  symbols.find(cu.cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange");
  symbols.find(cu.cuStreamDestroy, "cuStreamDestroy_v2");
  symbols.find(cu.cuStreamSynchronize, "cuStreamSynchronize");
  symbols.find(cu.cuStreamWaitEvent, "cuStreamWaitEvent");
  symbols.find(cu.cuMemAllocHost, "cuMemAllocHost_v2");
  symbols.find(cu.cuMemFreeHost, "cuMemFreeHost");
  symbols.find(cu.cuEventCreate, "cuEventCreate");
  symbols.find(cu.cuEventDestroy, "cuEventDestroy_v2");
  symbols.find(cu.cuEventRecord, "cuEventRecord");
  symbols.find(cu.cuEventSynchronize, "cuEventSynchronize");
  symbols.find(cu.cuEventElapsedTime, "cuEventElapsedTime");
  symbols.find(cu.cuLaunchKernelEx, "cuLaunchKernelEx");
  const std::string missing = symbols.missing;
  symbols.find(cu.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  symbols.find(cu.cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId");
  symbols.find(cu.cuStreamBeginCapture, "cuStreamBeginCapture_v2");
  symbols.find(cu.cuStreamEndCapture, "cuStreamEndCapture");
  symbols.find(cu.cuGraphInstantiate, "cuGraphInstantiateWithFlags");
  symbols.find(cu.cuGraphLaunch, "cuGraphLaunch");
  symbols.find(cu.cuGraphDestroy, "cuGraphDestroy");
  symbols.find(cu.cuGraphExecDestroy, "cuGraphExecDestroy");
  symbols.find(cu.cuStreamIsCapturing, "cuStreamIsCapturing");
  return missing;
}

Driver open_driver() {
  Driver cu;
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    cu.missing = fmt::format("the CUDA driver ({}) {}", kLibrary, why_not_opened(kLibrary));
    return cu;
  }
  const std::string symbol = look_up(cu, library);
  if (!symbol.empty()) {
    cu.missing =
        fmt::format("{} lacks {}: a driver of CUDA 12 or newer is needed", kLibrary, symbol);
    return cu;
  }
  if (const Code code = cu.cuInit(0)) {
    cu.missing = "the CUDA driver finds no usable device: " + error_text(cu, code);
    return cu;
  }
  cu.cuDriverGetVersion(&cu.version);
  return cu;
}

}  // namespace

const Driver& driver() {
  static const Driver cu = open_driver();
  return cu;
}

std::string error_text(const Driver& driver, Code code) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(code, &name) != 0 || name == nullptr) {
    return fmt::format("error {}", code);
  }
  driver.cuGetErrorString(code, &text);
  return text ? fmt::format("{} ({})", name, text) : name;
}

std::vector<Gpu> gpus(const Driver& driver) {
  std::vector<Gpu> out;
  int count = 0;
  if (!driver.missing.empty() || driver.cuDeviceGetCount(&count) != 0) return out;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    Gpu gpu;
    if (driver.cuDeviceGet(&gpu.id, ordinal) != 0) continue;
    char name[256] = "";
    int major = 0, minor = 0, kilohertz = 0;
    size_t memory = 0;
    driver.cuDeviceGetName(name, sizeof name, gpu.id);
    driver.cuDeviceGetAttribute(&major, kCapabilityMajor, gpu.id);
    driver.cuDeviceGetAttribute(&minor, kCapabilityMinor, gpu.id);
    driver.cuDeviceGetAttribute(&kilohertz, kClockKilohertz, gpu.id);
    driver.cuDeviceTotalMem(&memory, gpu.id);
    char bus[32] = "";
    if (driver.cuDeviceGetPCIBusId != nullptr) {
      driver.cuDeviceGetPCIBusId(bus, sizeof bus, gpu.id);
    }
    gpu.name = name;
    gpu.bus = bus;
    gpu.architecture = 10 * major + minor;
    gpu.memory = static_cast<int64_t>(memory);
    gpu.megahertz = kilohertz / 1000;
    out.push_back(std::move(gpu));
  }
  return out;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace stencil::runtime::cuda
