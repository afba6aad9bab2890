// Calls that need a context fail without one, as the real ones do: it is current in a thread, not
// in the process. Two GPUs are on offer, "Fake A" and "Fake B".
#include "tests/unit/runtime/cuda/fake_driver.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace stencil::runtime::cuda {

namespace {

constexpr Code kInvalidValue = 1;
constexpr Code kInvalidImage = 200;
constexpr Code kInvalidContext = 201;

FakeDriver state;
thread_local Context current = nullptr;
int context_of_all = 0;  // its address is the context

Context the_context() {
  return reinterpret_cast<Context>(&context_of_all);
}

// A function is a name.
const std::string& name_of(Function function) {
  return *reinterpret_cast<const std::string*>(function);
}

bool in_allocation(Address at, size_t bytes) {
  auto next = state.allocated.upper_bound(at);
  if (next == state.allocated.begin()) return false;
  --next;
  return at + bytes <= next->first + next->second;
}

}  // namespace

extern "C" {

FakeDriver& stencil_fake_driver() {
  return state;
}

Code cuInit(unsigned) {
  return 0;
}
// NVRTC looks for interfaces of the driver beyond the documented ones, and does without.
Code cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kInvalidValue;
}
Code cuDriverGetVersion(int* version) {
  *version = 99000;  // newer than any NVRTC
  return 0;
}
Code cuGetErrorName(Code, const char** text) {
  *text = "FAKE_ERROR";
  return 0;
}
Code cuGetErrorString(Code, const char** text) {
  *text = "so the test wants it";
  return 0;
}
Code cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}
Code cuDeviceGet(DeviceId* device, int ordinal) {
  *device = ordinal;
  return 0;
}
Code cuDeviceGetName(char* name, int length, DeviceId device) {
  std::strncpy(name, device == 0 ? "Fake A" : "Fake B", static_cast<size_t>(length));
  return 0;
}
Code cuDeviceTotalMem_v2(size_t* bytes, DeviceId) {
  *bytes = state.memory;
  return 0;
}
Code cuDeviceGetAttribute(int* value, DeviceAttribute what, DeviceId) {
  if (what == kCapabilityMajor) *value = state.architecture / 10;
  if (what == kCapabilityMinor) *value = state.architecture % 10;
  if (what == kMaxSharedBytesPerBlock) *value = state.shared_bytes;
  return 0;
}
Code cuDevicePrimaryCtxRetain(Context* context, DeviceId) {
  *context = the_context();
  return 0;
}
Code cuCtxSetCurrent(Context context) {
  current = context;
  return 0;
}

Code cuModuleLoadData(Module* module, const void* image) {
  if (current == nullptr) return kInvalidContext;
  if (std::memcmp(image, "\177ELF", 4) != 0) return kInvalidImage;
  ++state.modules;
  *module = reinterpret_cast<Module>(&state);
  return 0;
}
Code cuModuleUnload(Module) {
  --state.modules;
  return 0;
}
Code cuModuleGetFunction(Function* function, Module, const char* name) {
  const std::string& kept = *state.functions.insert(name).first;
  *function = reinterpret_cast<Function>(const_cast<std::string*>(&kept));
  return 0;
}
Code cuFuncGetAttribute(int* value, FunctionAttribute, Function) {
  *value = state.threads;
  return 0;
}
Code cuFuncSetAttribute(Function function, FunctionAttribute what, int value) {
  if (what != kDynamicSharedBytes || value > state.shared_bytes) return kInvalidValue;
  state.shared_raised[name_of(function)] = value;
  return 0;
}

Code cuMemGetInfo_v2(size_t* free, size_t* total) {
  *free = *total = state.memory;
  for (const auto& [at, bytes] : state.allocated) *free -= bytes;
  return 0;
}
Code cuMemAlloc_v2(Address* memory, size_t bytes) {
  if (current == nullptr) return kInvalidContext;
  size_t free = 0, total = 0;
  cuMemGetInfo_v2(&free, &total);
  if (bytes > free) return kOutOfMemory;
  *memory = reinterpret_cast<Address>(std::malloc(bytes));
  state.allocated[*memory] = bytes;
  return 0;
}
Code cuMemFree_v2(Address memory) {
  if (state.allocated.erase(memory) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
Code cuMemsetD8Async(Address memory, unsigned char value, size_t bytes, Stream stream) {
  if (stream == nullptr || !in_allocation(memory, bytes)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(memory), value, bytes);
  ++state.cleared;
  return 0;
}
Code cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  if (stream == nullptr || !in_allocation(to, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
Code cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  if (stream == nullptr || !in_allocation(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
Code cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  if (stream == nullptr || current == nullptr) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  state.copied.emplace_back(to, from);
  state.used.insert(stream);
  return 0;
}
Code cuMemcpy2DAsync_v2(const Copy2D* copy, Stream stream) {
  const auto outside = [&](const auto& side) {
    const Address first = side.device + side.y * side.pitch + side.x_bytes;
    const size_t bytes = (copy->height - 1) * side.pitch + copy->width_bytes;
    return side.kind == kDeviceMemory && !in_allocation(first, bytes);
  };
  if (stream == nullptr || outside(copy->from) || outside(copy->to)) return kInvalidValue;
  if (copy->width_bytes > copy->from.pitch || copy->width_bytes > copy->to.pitch) {
    return kInvalidValue;
  }
  const auto memory = [](const auto& side) {
    return side.kind == kDeviceMemory ? side.device : reinterpret_cast<Address>(side.host);
  };
  for (size_t row = 0; row < copy->height; ++row) {
    const Address from = memory(copy->from) + (copy->from.y + row) * copy->from.pitch;
    const Address to = memory(copy->to) + (copy->to.y + row) * copy->to.pitch;
    std::memcpy(reinterpret_cast<void*>(to + copy->to.x_bytes),
                reinterpret_cast<const void*>(from + copy->from.x_bytes), copy->width_bytes);
  }
  ++state.copies_of_rows;
  return 0;
}

Code cuStreamCreate(Stream* stream, unsigned flags) {
  if (current == nullptr) return kInvalidContext;
  if (flags != kNonBlockingStream) return kInvalidValue;
  ++state.streams;
  *stream = reinterpret_cast<Stream>(&state);
  return 0;
}
Code cuStreamDestroy_v2(Stream) {
  --state.streams;
  return 0;
}
Code cuStreamSynchronize(Stream) {
  return state.launched.empty() ? 0 : state.finish_code;
}
// Work is done at once, so an event has always happened.
Code cuEventCreate(Event* event, unsigned) {
  if (current == nullptr) return kInvalidContext;
  ++state.events;
  *event = reinterpret_cast<Event>(&state);
  return 0;
}
Code cuEventRecord(Event event, Stream stream) {
  return event != nullptr && stream != nullptr ? 0 : kInvalidValue;
}
Code cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return event != nullptr && stream != nullptr ? 0 : kInvalidValue;
}
Code cuEventDestroy_v2(Event) {
  --state.events;
  return 0;
}
Code cuLaunchKernelEx(const LaunchConfig* config, Function function, void** parameters, void**) {
  if (current == nullptr) return kInvalidContext;
  if (state.launch_code != 0) return state.launch_code;
  state.launched.push_back(name_of(function));
  state.used.insert(config->stream);
  if (state.run) state.run(name_of(function), *config, parameters);
  return 0;
}

}  // extern "C"

}  // namespace stencil::runtime::cuda
