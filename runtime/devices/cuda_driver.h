// The subset of the CUDA driver API that the `cuda` device uses, opened at run time.
//
// Types and functions are declared here instead of including cuda.h, so that the binary does not
// depend on whether the build machine has a CUDA toolkit. Source: CUDA Driver API, CUDA 12 and 13.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stencil::runtime::cuda {

using Code = int;  // CUresult: 0 is success
constexpr Code kOutOfMemory = 2;
constexpr Code kLaunchOutOfResources = 701;
constexpr Code kPeerAlreadyEnabled = 704;

using DeviceId = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

enum DeviceAttribute : int {
  kClockKilohertz = 13,  // maximum clock of the multiprocessors
  kMultiprocessors = 16,
  kMemoryKilohertz = 36,
  kMemoryBusBits = 37,
  kL2CacheBytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxSharedBytesPerBlock = 97,  // if the kernel opts in (kDynamicSharedBytes)
  kMaxBlocksPerMultiprocessor = 106,
};
enum FunctionAttribute : int {
  kFunctionMaxThreadsPerBlock = 0,
  kStaticSharedBytes = 1,
  kLocalBytes = 3,  // per thread
  kRegisters = 4,   // per thread
  kDynamicSharedBytes = 8,
};
constexpr unsigned kNonBlockingStream = 1;         // does not wait for the default stream
constexpr int kRelaxedCapture = 2;                 // other threads may record into it
constexpr unsigned long long kNodePriorities = 8;  // kernels keep the priority of their stream
constexpr unsigned kEventWithTime = 0, kEventWithoutTime = 2;

// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3];       // blocks
  unsigned block[3];      // threads
  unsigned shared_bytes;  // dynamic shared memory per block
  Stream stream;
  const void* attributes;  // CUlaunchAttribute[attribute_count]; null: none
  unsigned attribute_count;
};
static_assert(sizeof(void*) != 8 || sizeof(LaunchConfig) == 56);

// CUlaunchAttribute: records an event once all blocks of the launch have started.
struct LaunchCompletion {
  int id = 12;
  int unused = 0;
  Event event = nullptr;
  int flags = 0;
  char rest[52] = {};  // the value is a union of 64 bytes
};
static_assert(sizeof(void*) != 8 || sizeof(LaunchCompletion) == 72);
constexpr int kWithLaunchCompletion = 12030;  // Driver::version

// CUDA_MEMCPY2D: rows of bytes. `kind` selects which address of a side is used.
enum MemoryKind : unsigned { kHostMemory = 1, kDeviceMemory = 2 };
struct Copy2D {
  template <class Host>
  struct Side {
    size_t x_bytes, y;
    MemoryKind kind;
    Host* host;
    Address device;
    void* array;
    size_t pitch;  // bytes between rows
  };
  Side<const void> from;
  Side<void> to;
  size_t width_bytes, height;
};
static_assert(sizeof(void*) != 8 || sizeof(Copy2D) == 128);

// CUtensorMap: the description of an array for bulk copies.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

// Members have the signatures of cuda.h; the library's symbol names carry version suffixes.
struct Driver {
  Code (*cuInit)(unsigned flags) = nullptr;
  Code (*cuDriverGetVersion)(int* version) = nullptr;
  Code (*cuGetErrorName)(Code code, const char** text) = nullptr;
  Code (*cuGetErrorString)(Code code, const char** text) = nullptr;
  Code (*cuDeviceGetCount)(int* count) = nullptr;
  Code (*cuDeviceGet)(DeviceId* device, int ordinal) = nullptr;
  Code (*cuDeviceGetName)(char* name, int length, DeviceId device) = nullptr;
  Code (*cuDeviceTotalMem)(size_t* bytes, DeviceId device) = nullptr;
  Code (*cuDeviceGetAttribute)(int* value, DeviceAttribute what, DeviceId device) = nullptr;
  Code (*cuDevicePrimaryCtxRetain)(Context* context, DeviceId device) = nullptr;
  Code (*cuCtxSetCurrent)(Context context) = nullptr;
  Code (*cuModuleLoadData)(Module* module, const void* image) = nullptr;
  Code (*cuModuleUnload)(Module module) = nullptr;
  Code (*cuModuleGetFunction)(Function* function, Module module, const char* name) = nullptr;
  Code (*cuFuncGetAttribute)(int* value, FunctionAttribute what, Function function) = nullptr;
  Code (*cuFuncSetAttribute)(Function function, FunctionAttribute what, int value) = nullptr;
  Code (*cuMemGetInfo)(size_t* free, size_t* total) = nullptr;
  Code (*cuMemAlloc)(Address* memory, size_t bytes) = nullptr;
  Code (*cuMemFree)(Address memory) = nullptr;
  Code (*cuMemsetD8Async)(Address memory, unsigned char value, size_t bytes,
                          Stream stream) = nullptr;
  Code (*cuMemcpyHtoDAsync)(Address to, const void* from, size_t bytes, Stream stream) = nullptr;
  Code (*cuMemcpyDtoHAsync)(void* to, Address from, size_t bytes, Stream stream) = nullptr;
  Code (*cuMemcpyDtoDAsync)(Address to, Address from, size_t bytes, Stream stream) = nullptr;
  Code (*cuMemcpyPeerAsync)(Address to, Context to_context, Address from, Context from_context,
                            size_t bytes, Stream stream) = nullptr;
  Code (*cuDeviceCanAccessPeer)(int* can, DeviceId device, DeviceId peer) = nullptr;
  Code (*cuCtxEnablePeerAccess)(Context peer, unsigned flags) = nullptr;  // for the current context
  Code (*cuMemcpy2DAsync)(const Copy2D* copy, Stream stream) = nullptr;
  Code (*cuStreamCreate)(Stream* stream, unsigned flags) = nullptr;
  Code (*cuStreamCreateWithPriority)(Stream* stream, unsigned flags, int priority) = nullptr;
  Code (*cuCtxGetStreamPriorityRange)(int* least, int* greatest) = nullptr;
  Code (*cuStreamDestroy)(Stream stream) = nullptr;
  Code (*cuStreamSynchronize)(Stream stream) = nullptr;
  Code (*cuStreamWaitEvent)(Stream stream, Event event, unsigned flags) = nullptr;
  Code (*cuMemAllocHost)(void** memory, size_t bytes) = nullptr;  // pinned
  Code (*cuMemFreeHost)(void* memory) = nullptr;
  Code (*cuEventCreate)(Event* event, unsigned flags) = nullptr;
  Code (*cuEventDestroy)(Event event) = nullptr;
  Code (*cuEventRecord)(Event event, Stream stream) = nullptr;
  Code (*cuEventSynchronize)(Event event) = nullptr;
  // Time between two events, both of which must have been reached.
  Code (*cuEventElapsedTime)(float* milliseconds, Event from, Event to) = nullptr;
  Code (*cuLaunchKernelEx)(const LaunchConfig* config, Function function, void** parameters,
                           void** extra) = nullptr;
  // Null if the driver lacks it; only bulk copies need it.
  Code (*cuTensorMapEncodeTiled)(TensorMap* map, int type, unsigned rank, Address memory,
                                 const uint64_t* sizes, const uint64_t* strides,
                                 const unsigned* box, const unsigned* steps, int interleave,
                                 int swizzle, int promotion, int fill) = nullptr;

  // Null if the driver has no graphs.
  Code (*cuStreamBeginCapture)(Stream stream, int mode) = nullptr;
  Code (*cuStreamEndCapture)(Stream stream, Graph* graph) = nullptr;
  Code (*cuGraphInstantiate)(GraphExec* instance, Graph graph, unsigned long long flags) = nullptr;
  Code (*cuGraphLaunch)(GraphExec instance, Stream stream) = nullptr;
  Code (*cuGraphDestroy)(Graph graph) = nullptr;
  Code (*cuGraphExecDestroy)(GraphExec instance) = nullptr;
  // `status`: 0 if the stream is not being captured.
  Code (*cuStreamIsCapturing)(Stream stream, int* status) = nullptr;

  // Null if the driver lacks it; only exchanges with other processes use it.
  Code (*cuDeviceGetPCIBusId)(char* text, int length, DeviceId device) = nullptr;

  int version = 0;      // CUDA version of the driver: 1000 * major + 10 * minor
  std::string missing;  // why the driver cannot be used; empty if it can
};

// The driver of this machine, opened and initialised on the first call. Never closed: it does not
// support unloading.
const Driver& driver();

// "CUDA_ERROR_INVALID_VALUE (invalid argument)", as the driver words it.
std::string error_text(const Driver& driver, Code code);

struct Gpu {
  DeviceId id = 0;
  std::string name;
  int architecture = 0;  // 10 * major + minor of the compute capability: 90 for sm_90
  int64_t memory = 0;    // bytes
  int megahertz = 0;     // maximum clock of the multiprocessors; 0: unknown
  std::string bus = {};  // PCI bus address, "0000:19:00.0"; "": unknown
};

// All GPUs in the driver's order. Empty without a driver.
std::vector<Gpu> gpus(const Driver& driver);

// "13.0" for 13000.
std::string version_text(int version);

}  // namespace stencil::runtime::cuda
