// The part of the CUDA driver API that the `cuda` device uses, opened at run time.
//
// Types and functions are declared here rather than taken from cuda.h, so that the binary is the
// same whether the machine that builds it has the CUDA toolkit or not. Source: CUDA Driver API,
// CUDA 12 and 13.
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
  kClockKilohertz = 13,  // of the multiprocessors, at most
  kMultiprocessors = 16,
  kMemoryKilohertz = 36,
  kMemoryBusBits = 37,
  kL2CacheBytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxSharedBytesPerBlock = 97,  // with the kernel's consent (kDynamicSharedBytes)
  kMaxBlocksPerMultiprocessor = 106,
};
enum FunctionAttribute : int {
  kFunctionMaxThreadsPerBlock = 0,
  kStaticSharedBytes = 1,
  kLocalBytes = 3,  // of a thread
  kRegisters = 4,   // of a thread
  kDynamicSharedBytes = 8,
};
constexpr unsigned kNonBlockingStream = 1;         // does not wait for the default stream
constexpr int kRelaxedCapture = 2;                 // other threads may record into it
constexpr unsigned long long kNodePriorities = 8;  // kernels of a graph keep their streams'
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

// CUlaunchAttribute that has an event recorded once all blocks of the launch have begun.
struct LaunchCompletion {
  int id = 12;
  int unused = 0;
  Event event = nullptr;
  int flags = 0;
  char rest[52] = {};  // the value is a union of 64 bytes
};
static_assert(sizeof(void*) != 8 || sizeof(LaunchCompletion) == 72);
constexpr int kWithLaunchCompletion = 12030;  // Driver::version

// CUDA_MEMCPY2D: rows of bytes. Of the three places in a side, the one of its kind is used.
enum MemoryKind : unsigned { kHostMemory = 1, kDeviceMemory = 2 };
struct Copy2D {
  template <class Host>
  struct Side {
    size_t x_bytes, y;
    MemoryKind kind;
    Host* host;
    Address device;
    void* array;
    size_t pitch;  // bytes from row to row
  };
  Side<const void> from;
  Side<void> to;
  size_t width_bytes, height;
};
static_assert(sizeof(void*) != 8 || sizeof(Copy2D) == 128);

// CUtensorMap: an array as bulk copies see it.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

// Members are called as cuda.h calls the functions; the library's own names carry versions.
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
  Code (*cuCtxEnablePeerAccess)(Context peer, unsigned flags) = nullptr;  // of the current context
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
  // From the one event to the other, both of which must have happened.
  Code (*cuEventElapsedTime)(float* milliseconds, Event from, Event to) = nullptr;
  Code (*cuLaunchKernelEx)(const LaunchConfig* config, Function function, void** parameters,
                           void** extra) = nullptr;
  // Null if the driver lacks it: only bulk copies need it.
  Code (*cuTensorMapEncodeTiled)(TensorMap* map, int type, unsigned rank, Address memory,
                                 const uint64_t* sizes, const uint64_t* strides,
                                 const unsigned* box, const unsigned* steps, int interleave,
                                 int swizzle, int promotion, int fill) = nullptr;

  // Null if the driver lacks graphs.
  Code (*cuStreamBeginCapture)(Stream stream, int mode) = nullptr;
  Code (*cuStreamEndCapture)(Stream stream, Graph* graph) = nullptr;
  Code (*cuGraphInstantiate)(GraphExec* instance, Graph graph, unsigned long long flags) = nullptr;
  Code (*cuGraphLaunch)(GraphExec instance, Stream stream) = nullptr;
  Code (*cuGraphDestroy)(Graph graph) = nullptr;
  Code (*cuGraphExecDestroy)(GraphExec instance) = nullptr;

  // Null if the driver lacks it: only exchanges with other processes ask.
  Code (*cuDeviceGetPCIBusId)(char* text, int length, DeviceId device) = nullptr;

  int version = 0;      // of CUDA that the driver serves: 1000 * major + 10 * minor
  std::string missing;  // why it cannot be used; empty if it can
};

// The driver of this machine, opened and initialised by the first call. It stays open: it dislikes
// being unloaded.
const Driver& driver();

// "CUDA_ERROR_INVALID_VALUE (invalid argument)", in the driver's words.
std::string error_text(const Driver& driver, Code code);

struct Gpu {
  DeviceId id = 0;
  std::string name;
  int architecture = 0;  // 10 * major + minor of the compute capability: 90 for sm_90
  int64_t memory = 0;    // bytes
  int megahertz = 0;     // of the multiprocessors, at most; 0: not known
  std::string bus = {};  // its address on the PCI bus, "0000:19:00.0"; "": not known
};

// Every GPU, in the driver's order. Empty if there is no driver.
std::vector<Gpu> gpus(const Driver& driver);

// "13.0" for 13000.
std::string version_text(int version);

}  // namespace stencil::runtime::cuda
