// Implements the calls of fake_driver.h. As in the real driver, the context is current per thread,
// and calls that need a context fail without one. There are two GPUs, "Fake A" and "Fake B".
#include "tests/unit/runtime/cuda/fake_driver.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace stencil::runtime::cuda {

namespace {

constexpr Code kInvalidValue = 1;
constexpr Code kInvalidImage = 200;
constexpr Code kInvalidContext = 201;
constexpr Code kNotInCapture = 900;

FakeDriver state;
thread_local Context current = nullptr;
int context_of_all = 0;  // its address is the context

Context the_context() {
  return reinterpret_cast<Context>(&context_of_all);
}

// Locks the state for the duration of a call.
std::recursive_mutex turns;
using Turn = std::lock_guard<std::recursive_mutex>;

// A function handle points to its name.
const std::string& name_of(Function function) {
  return *reinterpret_cast<const std::string*>(function);
}

// Notes a call that is not allowed while a stream is being captured; the real driver invalidates
// the capture.
bool is_forbidden(const char* call) {
  if (state.capture) state.forbidden.push_back(call);
  return state.capture.has_value();
}

// A graph, which is also its instance: its kernels and copies as functions.
struct Work {
  std::vector<std::function<void()>> nodes;
} captured;

bool in_allocation(Address at, size_t bytes) {
  auto next = state.allocated.upper_bound(at);
  if (next == state.allocated.begin()) return false;
  --next;
  return at + bytes <= next->first + next->second;
}

// Asynchronous copies are delayed as long as permitted: they happen when something waits for them,
// or when a later operation in the stream runs.
struct Pending {
  std::vector<std::function<void()>> copies;
  size_t done = 0;
  std::map<Event, size_t> until;  // number of copies before the event

  void finish(size_t count) {
    for (; done < count; ++done) copies[done]();
  }
  void finish() { finish(copies.size()); }
} pending;

bool is_pinned(const void* memory) {
  const auto at = reinterpret_cast<Address>(memory);
  const auto next = state.pinned.upper_bound(at);
  return next != state.pinned.begin() && at < std::prev(next)->first + std::prev(next)->second;
}

void queue_copy(const void* host_end, std::function<void()> copy) {
  pending.copies.push_back(std::move(copy));
  if (is_pinned(host_end)) return;
  ++state.pageable_copies;
  pending.finish();
}

// The kernel that copies between peer GPUs.
std::string copy_units = "stencil_copy_units";

Code copy_within(Address to, Address from, size_t bytes, Stream stream) {
  if (state.capture) {
    captured.nodes.push_back([=] { copy_within(to, from, bytes, stream); });
    return 0;
  }
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  state.clock += state.copy_seconds;
  state.copied.emplace_back(to, from);
  state.used.insert(stream);
  return 0;
}

}  // namespace

extern "C" {

FakeDriver& stencil_fake_driver() {
  return state;
}

Code cuInit(unsigned) {
  return 0;
}
// NVRTC asks for undocumented driver interfaces, and works without them.
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
  if (what == kClockKilohertz) *value = 1000 * state.megahertz;
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
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (is_forbidden("cuModuleLoadData")) return kNotInCapture;
  const bool is_ptx = std::memcmp(image, ".version", 8) == 0;
  if (!is_ptx && std::memcmp(image, "\177ELF", 4) != 0) return kInvalidImage;
  ++state.modules;
  *module = reinterpret_cast<Module>(&state);
  return 0;
}
Code cuModuleUnload(Module) {
  const Turn turn(turns);
  --state.modules;
  return 0;
}
Code cuModuleGetFunction(Function* function, Module, const char* name) {
  const Turn turn(turns);
  if (name == copy_units) {  // loaded once per process
    *function = reinterpret_cast<Function>(&copy_units);
    return 0;
  }
  const std::string& kept = *state.functions.insert(name).first;
  *function = reinterpret_cast<Function>(const_cast<std::string*>(&kept));
  return 0;
}
Code cuFuncGetAttribute(int* value, FunctionAttribute what, Function) {
  if (current == nullptr) return kInvalidContext;
  if (what == kFunctionMaxThreadsPerBlock) *value = state.threads;
  if (what == kRegisters) *value = state.registers;
  if (what == kLocalBytes) *value = state.local_bytes;
  if (what == kStaticSharedBytes) *value = state.static_shared_bytes;
  return 0;
}
Code cuFuncSetAttribute(Function function, FunctionAttribute what, int value) {
  const Turn turn(turns);
  if (what != kDynamicSharedBytes || value > state.shared_bytes) return kInvalidValue;
  state.shared_raised[name_of(function)] = value;
  return 0;
}

Code cuMemGetInfo_v2(size_t* free, size_t* total) {
  const Turn turn(turns);
  *free = *total = state.memory;
  for (const auto& [at, bytes] : state.allocated) *free -= bytes;
  return 0;
}
Code cuMemAlloc_v2(Address* memory, size_t bytes) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (is_forbidden("cuMemAlloc")) return kNotInCapture;
  size_t free = 0, total = 0;
  cuMemGetInfo_v2(&free, &total);
  if (bytes > free) return kOutOfMemory;
  *memory = reinterpret_cast<Address>(std::malloc(bytes));
  state.allocated[*memory] = bytes;
  return 0;
}
Code cuMemFree_v2(Address memory) {
  const Turn turn(turns);
  if (is_forbidden("cuMemFree")) return kNotInCapture;
  pending.finish();
  if (state.allocated.erase(memory) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
Code cuMemsetD8Async(Address memory, unsigned char value, size_t bytes, Stream stream) {
  const Turn turn(turns);
  pending.finish();
  if (stream == nullptr || !in_allocation(memory, bytes)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(memory), value, bytes);
  ++state.cleared;
  return 0;
}
Code cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  const Turn turn(turns);
  if (is_forbidden("cuMemcpyHtoDAsync")) return kNotInCapture;
  if (stream == nullptr || !in_allocation(to, bytes)) return kInvalidValue;
  queue_copy(from, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return 0;
}
Code cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  const Turn turn(turns);
  if (is_forbidden("cuMemcpyDtoHAsync")) return kNotInCapture;
  if (stream == nullptr || !in_allocation(from, bytes)) return kInvalidValue;
  queue_copy(to, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  state.downloaded += bytes;
  return 0;
}
Code cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  if (stream == nullptr || current == nullptr) return kInvalidValue;
  return copy_within(to, from, bytes, stream);
}
Code cuMemcpyPeerAsync(Address to, Context, Address from, Context, size_t bytes, Stream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
Code cuDeviceCanAccessPeer(int* can, DeviceId, DeviceId) {
  *can = 1;
  return 0;
}
Code cuCtxEnablePeerAccess(Context, unsigned) {
  return 0;
}
Code cuMemcpy2DAsync_v2(const Copy2D* copy, Stream stream) {
  const Turn turn(turns);
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
  const auto copy_rows = [copy = *copy, memory] {
    for (size_t row = 0; row < copy.height; ++row) {
      const Address from = memory(copy.from) + (copy.from.y + row) * copy.from.pitch;
      const Address to = memory(copy.to) + (copy.to.y + row) * copy.to.pitch;
      std::memcpy(reinterpret_cast<void*>(to + copy.to.x_bytes),
                  reinterpret_cast<const void*>(from + copy.from.x_bytes), copy.width_bytes);
    }
  };
  queue_copy(copy->from.kind == kHostMemory ? copy->from.host : copy->to.host, copy_rows);
  ++state.copies_of_rows;
  return 0;
}

Code cuStreamCreate(Stream* stream, unsigned flags) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (flags != kNonBlockingStream) return kInvalidValue;
  ++state.streams;
  *stream = reinterpret_cast<Stream>(&state);
  return 0;
}
Code cuStreamCreateWithPriority(Stream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}
Code cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -1;
  return 0;
}
Code cuStreamDestroy_v2(Stream) {
  const Turn turn(turns);
  --state.streams;
  return 0;
}
Code cuStreamSynchronize(Stream) {
  const Turn turn(turns);
  if (is_forbidden("cuStreamSynchronize")) return kNotInCapture;
  pending.finish();
  return state.launched.empty() ? 0 : state.finish_code;
}
Code cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  const Turn turn(turns);
  if (event == nullptr || stream == nullptr) return kInvalidValue;
  if (state.begun.count(event)) state.begun_before.push_back(stream);
  return 0;
}

Code cuMemAllocHost_v2(void** memory, size_t bytes) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  size_t pinned = bytes;
  for (const auto& [at, size] : state.pinned) pinned += size;
  if (pinned > state.pinned_limit) return kOutOfMemory;
  *memory = std::malloc(bytes);
  state.pinned[reinterpret_cast<Address>(*memory)] = bytes;
  return 0;
}
Code cuMemFreeHost(void* memory) {
  const Turn turn(turns);
  pending.finish();
  if (state.pinned.erase(reinterpret_cast<Address>(memory)) == 0) return kInvalidValue;
  std::free(memory);
  return 0;
}

// An event stores its position in the stream and the clock when it was recorded.
Code cuEventCreate(Event* event, unsigned) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  ++state.events;
  *event = reinterpret_cast<Event>(new char);
  return 0;
}
Code cuEventDestroy_v2(Event event) {
  const Turn turn(turns);
  --state.events;
  state.recorded.erase(event);
  state.begun.erase(event);
  pending.until.erase(event);
  delete reinterpret_cast<char*>(event);
  return 0;
}
Code cuEventRecord(Event event, Stream stream) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (event == nullptr || stream == nullptr) return kInvalidValue;
  state.recorded[event] = state.clock;
  pending.until[event] = pending.copies.size();
  return 0;
}
Code cuEventSynchronize(Event event) {
  const Turn turn(turns);
  if (event == nullptr) return kInvalidValue;
  if (is_forbidden("cuEventSynchronize")) return kNotInCapture;
  pending.finish(pending.until[event]);  // never recorded: nothing to wait for
  return 0;
}
Code cuEventElapsedTime(float* milliseconds, Event from, Event to) {
  const Turn turn(turns);
  if (is_forbidden("cuEventElapsedTime")) return kNotInCapture;
  if (!state.recorded.count(from) || !state.recorded.count(to)) return kInvalidValue;
  *milliseconds = static_cast<float>(1e3 * (state.recorded[to] - state.recorded[from]));
  return 0;
}

Code cuLaunchKernelEx(const LaunchConfig* config, Function function, void** parameters, void**) {
  const Turn turn(turns);
  pending.finish();
  if (current == nullptr) return kInvalidContext;
  if (state.launch_code != 0) return state.launch_code;
  if (config->attribute_count > 1) return kInvalidValue;
  if (config->attribute_count == 1) {
    const auto& begun = *static_cast<const LaunchCompletion*>(config->attributes);
    if (begun.id != LaunchCompletion().id || begun.event == nullptr) return kInvalidValue;
    state.recorded[begun.event] = state.clock;
    state.begun.insert(begun.event);
  }
  if (name_of(function) == copy_units) {
    ++state.copied_by_kernel;
    const auto& [to, from, units] = *reinterpret_cast<void*(*)[3]>(parameters);
    return copy_within(*static_cast<Address*>(to), *static_cast<Address*>(from),
                       size_t{16} * *static_cast<unsigned*>(units), config->stream);
  }
  if (state.capture) {
    const std::string name = name_of(function);
    state.capture->push_back(name);
    std::vector<uint64_t> values;
    const int count = state.parameters ? state.parameters(name) : 0;
    for (int p = 0; p < count; ++p) {
      std::memcpy(&values.emplace_back(), parameters[p], sizeof(uint64_t));
    }
    captured.nodes.push_back([name, values, config = *config]() mutable {
      state.launched.push_back(name);
      std::vector<void*> addresses;
      for (uint64_t& value : values) addresses.push_back(&value);
      if (state.run && !values.empty()) state.run(name, config, addresses.data());
    });
    return 0;
  }
  state.launched.push_back(name_of(function));
  state.used.insert(config->stream);
  if (state.run) state.run(name_of(function), *config, parameters);
  return 0;
}

Code cuStreamBeginCapture_v2(Stream stream, int) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (stream == nullptr || state.capture) return kInvalidValue;
  state.capture.emplace();
  captured.nodes.clear();
  return 0;
}
Code cuStreamEndCapture(Stream, Graph* graph) {
  const Turn turn(turns);
  if (!state.capture) return kInvalidValue;
  *graph = reinterpret_cast<Graph>(new Work(std::move(captured)));
  state.capture.reset();
  ++state.graphs;
  return 0;
}
Code cuStreamIsCapturing(Stream, int* status) {
  const Turn turn(turns);
  *status = state.capture ? 1 : 0;
  return 0;
}
Code cuGraphInstantiateWithFlags(GraphExec* instance, Graph graph, unsigned long long) {
  const Turn turn(turns);
  ++state.graphs;
  *instance = reinterpret_cast<GraphExec>(new Work(*reinterpret_cast<Work*>(graph)));
  return 0;
}
Code cuGraphLaunch(GraphExec instance, Stream stream) {
  const Turn turn(turns);
  if (current == nullptr) return kInvalidContext;
  if (instance == nullptr || stream == nullptr) return kInvalidValue;
  if (is_forbidden("cuGraphLaunch")) return kNotInCapture;
  for (const auto& node : reinterpret_cast<Work*>(instance)->nodes) node();
  ++state.replays;
  return 0;
}
Code cuGraphDestroy(Graph graph) {
  const Turn turn(turns);
  --state.graphs;
  delete reinterpret_cast<Work*>(graph);
  return 0;
}
Code cuGraphExecDestroy(GraphExec instance) {
  const Turn turn(turns);
  --state.graphs;
  delete reinterpret_cast<Work*>(instance);
  return 0;
}

}  // extern "C"

}  // namespace stencil::runtime::cuda
