// A copy engine takes about 10 us to start, and a kernel that waits for it takes as long to notice
// its end. So short copies are done by a kernel. Long ones are not, because they would occupy
// multiprocessors. The kernel is PTX, which only needs the driver's compiler.
#include "runtime/devices/cuda_peers.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace stencil::runtime::cuda {

namespace {

constexpr size_t kUnit = 16;  // bytes per thread and access
constexpr size_t kShort = size_t{512} << 10;
constexpr unsigned kThreads = 256, kMostBlocks = 64;

constexpr const char* kCopyName = "stencil_copy_units";
constexpr const char* kCopy = R"(.version 7.0
.target sm_70
.address_size 64

.visible .entry stencil_copy_units(.param .u64 to, .param .u64 from, .param .u32 units)
{
  .reg .pred %done;
  .reg .b32 %units, %unit, %block, %threads, %step, %w0, %w1, %w2, %w3;
  .reg .b64 %to, %from, %offset, %there, %here;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u32 %units, [units];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %unit, %tid.x;
  mad.lo.u32 %unit, %block, %threads, %unit;
  mov.u32 %step, %nctaid.x;
  mul.lo.u32 %step, %step, %threads;
next:
  setp.ge.u32 %done, %unit, %units;
  @%done bra end;
  mul.wide.u32 %offset, %unit, 16;
  add.u64 %there, %from, %offset;
  add.u64 %here, %to, %offset;
  ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%there];
  st.global.v4.u32 [%here], {%w0, %w1, %w2, %w3};
  add.u32 %unit, %unit, %step;
  bra next;
end:
  ret;
}
)";

// The copy kernel for a context, which must be current; null if the driver rejects it. Contexts
// live as long as the process, and so does the kernel.
Function copy_kernel(Context context) {
  static std::mutex mutex;
  static std::map<Context, Function> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, fresh] = known.try_emplace(context, nullptr);
  if (!fresh) return entry->second;
  const Driver& cu = driver();
  Module module = nullptr;
  if (cu.cuModuleLoadData(&module, kCopy) != 0) return nullptr;
  if (cu.cuModuleGetFunction(&entry->second, module, kCopyName) != 0) entry->second = nullptr;
  return entry->second;
}

bool open_way(Context context, DeviceId gpu, Context peer, DeviceId peer_gpu) {
  static std::mutex mutex;
  static std::map<std::pair<DeviceId, DeviceId>, bool> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, fresh] = known.try_emplace({gpu, peer_gpu}, false);
  if (!fresh) return entry->second;
  int can = 0;
  const Driver& cu = driver();
  if (cu.cuDeviceCanAccessPeer(&can, gpu, peer_gpu) != 0 || can == 0) return false;
  cu.cuCtxSetCurrent(context);
  const Code code = cu.cuCtxEnablePeerAccess(peer, 0);
  entry->second = code == 0 || code == kPeerAlreadyEnabled;  // enabled by other code
  return entry->second;
}

}  // namespace

bool reach_peer(Context context, DeviceId gpu, Context peer, DeviceId peer_gpu) {
  if (gpu != peer_gpu && !open_way(context, gpu, peer, peer_gpu)) return false;
  driver().cuCtxSetCurrent(context);
  copy_kernel(context);  // load it now: streams may be recording later
  return true;
}

Code copy_from_peer(Context context, Address to, Address from, size_t bytes, Stream stream) {
  const Driver& cu = driver();
  const bool in_units = to % kUnit == 0 && from % kUnit == 0 && bytes % kUnit == 0;
  const Function kernel = in_units && bytes <= kShort ? copy_kernel(context) : nullptr;
  // cuMemcpyPeerAsync cannot be captured; the driver derives the peers from the addresses.
  if (kernel == nullptr) return cu.cuMemcpyDtoDAsync(to, from, bytes, stream);
  auto units = static_cast<unsigned>(bytes / kUnit);
  LaunchConfig config{};
  config.grid[0] = std::clamp((units + kThreads - 1) / kThreads, 1U, kMostBlocks);
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.block[0] = kThreads;
  config.stream = stream;
  void* arguments[] = {&to, &from, &units};
  return cu.cuLaunchKernelEx(&config, kernel, arguments, nullptr);
}

}  // namespace stencil::runtime::cuda
