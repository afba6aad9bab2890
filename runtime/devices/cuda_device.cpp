// The `cuda` device: kernels as CUDA C++, compiled by NVRTC for the selected GPU and launched
// through the driver API.
//
// Both libraries are opened at run time (cuda_driver.h, nvrtc.h), so one binary works with and
// without them. "cuda" is the first GPU, "cuda:1" the second, "cuda:NAME" the first whose name
// contains NAME. Kernels run in the GPU's primary context, which is shared with other CUDA code of
// the process, on their own stream. Copies (cuda_copies.h) use the same stream, which does not wait
// for the default stream.
#include "runtime/devices/cuda_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/devices/capture.h"
#include "runtime/devices/cuda_copies.h"
#include "runtime/devices/cuda_job.h"
#include "runtime/devices/cuda_non_finite.h"
#include "runtime/devices/cuda_peers.h"
#include "runtime/devices/cuda_queue.h"
#include "runtime/devices/plan_session.h"

namespace stencil::runtime {

namespace {

using cuda::Code;
using cuda::Driver;
using cuda::Gpu;

using cuda::checked;
using cuda::driver_failure;

// --- Choice of the GPU

// The NVRTC for this driver; it is opened only to compile.
const Result<NvrtcInfo>& compiler() {
  static const Result<NvrtcInfo> nvrtc = find_nvrtc(cuda::driver().version);
  return nvrtc;
}

Result<Gpu> choose_gpu(const std::vector<Gpu>& all, const std::string& selector) {
  if (all.empty()) return Failure{"R041", "the CUDA driver offers no GPU", ""};
  if (const auto number = parse_integer(selector)) {
    if (*number >= 0 && *number < static_cast<int64_t>(all.size())) {
      return all[*number];
    }
    return Failure{
        "R041",
        fmt::format("there is no GPU {}: GPUs are numbered from 0 to {}", selector, all.size() - 1),
        ""};
  }
  std::vector<std::string> names;
  for (const Gpu& gpu : all) {
    if (names_device(selector, gpu.name)) return gpu;
    names.push_back(gpu.name);
  }
  return Failure{
      "R041", fmt::format("no GPU is called '{}'; found {}", selector, fmt::join(names, ", ")), ""};
}

// The selected GPU, if there is a compiler for it.
Result<Gpu> find_gpu(const std::string& selector) {
  const Driver& cu = cuda::driver();
  if (!cu.missing.empty()) return Failure{"R041", cu.missing, ""};
  auto gpu = choose_gpu(cuda::gpus(cu), selector);
  if (!gpu.ok()) return gpu;
  if (!compiler().ok()) return compiler().failure();
  const Gpu& chosen = gpu.value();
  TRY(check_architecture(compiler().value(), chosen.architecture, chosen.name));
  return gpu;
}

// --- Memory and launches

// The primary context of a GPU, retained once for the life of the process.
Code primary_context(cuda::DeviceId gpu, cuda::Context& context) {
  static std::mutex mutex;
  static std::map<cuda::DeviceId, cuda::Context> contexts;
  const std::lock_guard<std::mutex> lock(mutex);
  cuda::Context& retained = contexts[gpu];
  Code code = 0;
  if (!retained) code = cuda::driver().cuDevicePrimaryCtxRetain(&retained, gpu);
  context = retained;
  return code;
}

class CudaAccelerator : public Accelerator {
 public:
  CudaAccelerator(const kernel::Module& module, Gpu gpu) : module_(module), gpu_(std::move(gpu)) {}
  CudaAccelerator(const CudaAccelerator&) = delete;
  CudaAccelerator& operator=(const CudaAccelerator&) = delete;
  // Shares the kernels of `built`, which must outlive this object, for one session, on the user's
  // stream if there is one. Separate accelerators keep sessions from waiting for each other and
  // from sharing the answer to a stop condition.
  CudaAccelerator(const CudaAccelerator& built, std::optional<cuda::Stream> stream)
      : module_(built.module_),
        gpu_(built.gpu_),
        context_(built.context_),
        stream_(stream.value_or(nullptr)),
        copies_(built.copies_),
        kernels_(built.kernels_) {}
  ~CudaAccelerator() override {
    if (!context_) return;
    enter();
    if (loaded_) cu_.cuModuleUnload(loaded_);
    for (const cuda::Stream stream : {own_stream_, beside_, ahead_}) {
      if (stream) cu_.cuStreamDestroy(stream);
    }
    if (flag_set_) cu_.cuEventDestroy(flag_set_);
  }

  // Compiles the module for the GPU without opening it.
  Result<std::string> compile() const { return code(CodeKind::MachineCode); }
  // Loads machine code of the module.
  Status load(const std::string& image);
  std::vector<KernelResources> resources() const;
  // The source of the module, or its compiled code.
  Result<std::string> code(CodeKind kind) const;
  // Creates a stream for this object.
  Status open_stream() {
    enter();
    const Code code = cu_.cuStreamCreate(&own_stream_, cuda::kNonBlockingStream);
    stream_ = own_stream_;
    return checked("to open " + gpu_.name, code);
  }

  Result<Memory> allocate(int64_t bytes) override;
  void release(Memory memory) override {
    enter();
    cu_.cuMemFree(address(memory));
  }
  Status clear(Memory memory, int64_t bytes) override {
    enter();
    return checked("to clear memory",
                   cu_.cuMemsetD8Async(address(memory), 0, static_cast<size_t>(bytes), stream_));
  }
  Status copy(Memory to, Memory from, int64_t bytes) override {
    enter();
    return checked(
        "to copy on the device",
        cu_.cuMemcpyDtoDAsync(address(to), address(from), static_cast<size_t>(bytes), stream_));
  }
  Status copy_rows(Memory to, const Rows& to_rows, Memory from, const Rows& from_rows) override {
    enter();
    return checked("to copy rows on the device",
                   copies_->within(stream_, address(to), to_rows, address(from), from_rows));
  }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override;
  Status download(std::byte* to, Memory from, const Rows& rows) override;
  Result<NonFiniteCount> count_non_finite(Memory memory, Scalar type,
                                          const std::vector<Rows>& pieces) override {
    enter();
    const auto counted =
        TRY(cuda::count_non_finite(context_, stream_, address(memory), type, pieces));
    if (counted) return *counted;
    return Accelerator::count_non_finite(memory, type, pieces);
  }
  Status launch(const Call& call) override { return launch(call, nullptr); }
  Result<Mark> launch_ahead(const Call& call) override;
  Status wait() override {
    enter();
    return checked("to run kernels", cu_.cuStreamSynchronize(stream_));
  }
  Status ask(Memory flag) override;
  Result<int32_t> answer() override;
  std::unique_ptr<Stopwatch> stopwatch() override;
  bool has_lanes() const override { return true; }
  Status use_lane(int lane) override;
  void* device_pointer(Memory memory) override { return memory; }
  std::optional<CudaStream> cuda_stream() override {
    enter();
    return CudaStream{stream_, gpu_.bus};
  }
  Result<Mark> mark() override { return cuda::mark(context_, stream_); }
  // The user's stream must not be captured.
  bool records() const override { return own_stream_ && cuda::can_record(); }
  bool may_be_captured() const override { return !own_stream_; }
  bool is_captured() const override {
    return may_be_captured() && cuda::is_captured(context_, stream_);
  }
  Status begin_recording() override { return cuda::begin_recording(context_, stream_); }
  Result<Recording> end_recording() override { return cuda::end_recording(context_, stream_); }
  Status replay(const Recording& recording) override {
    return cuda::replay(context_, stream_, recording);
  }
  Status await(const Mark& mark) override;
  bool reach(Accelerator& source) override;
  Status copy_from(Memory to, int64_t to_offset, Accelerator& source, Memory from,
                   int64_t from_offset, int64_t bytes) override;

 private:
  struct Loaded {
    cuda::Function function;
    int64_t dynamic_shared_bytes;
  };

  static cuda::Address address(Memory memory) { return reinterpret_cast<cuda::Address>(memory); }
  // Makes the context current in the calling thread, which every driver call requires.
  Code enter() const { return cu_.cuCtxSetCurrent(context_); }
  Status find_kernels();
  Status check_limits(const kernel::Kernel& kernel, cuda::Function function) const;
  Status launch(const Call& call, const cuda::LaunchCompletion* completion);
  cuda::LaunchConfig configuration(int kernel, int64_t blocks) const;
  Status describe(const Shaped& array, const std::vector<int>& box, cuda::TensorMap& map) const;

  const Driver& cu_ = cuda::driver();
  const kernel::Module& module_;
  Gpu gpu_;
  cuda::Context context_ = nullptr;  // shared, not owned
  cuda::Stream own_stream_ = nullptr;
  cuda::Stream stream_ = nullptr;  // own_stream_ or the user's stream
  cuda::Stream lane_0_ = nullptr;  // value of stream_ without use_lane()
  cuda::Stream ahead_ = nullptr;   // lane 1
  cuda::Stream beside_ = nullptr;  // reads a flag while stream_ continues
  cuda::Event flag_set_ = nullptr;
  Memory flag_ = nullptr;  // between `ask` and `answer`
  cuda::Module loaded_ = nullptr;
  std::shared_ptr<cuda::Copies> copies_;
  std::vector<Loaded> kernels_;
};

// Compiles again, or takes the code from the kernel cache, instead of storing it at load time: a
// run rarely needs it.
Result<std::string> CudaAccelerator::code(CodeKind kind) const {
  const NvrtcOutput output = kind == CodeKind::Ptx ? NvrtcOutput::Ptx : NvrtcOutput::MachineCode;
  NvrtcJob job = cuda_job(module_, gpu_.architecture, output);
  if (kind == CodeKind::Source) return std::move(job.source);
  return compile_cached(compiler().value(), cu_.version, job);
}

Status CudaAccelerator::load(const std::string& image) {
  Code code = primary_context(gpu_.id, context_);
  if (code == 0) code = enter();
  if (code != 0) return driver_failure("to open " + gpu_.name, code);
  copies_ = std::make_shared<cuda::Copies>(context_);
  code = cu_.cuModuleLoadData(&loaded_, image.data());
  if (code != 0) return driver_failure("to load the machine code of " + module_.name, code);
  return find_kernels();
}

Status CudaAccelerator::find_kernels() {
  for (const kernel::Kernel& kernel : module_.kernels) {
    Loaded found{nullptr, emit::dynamic_shared_bytes(kernel, module_)};
    const std::string symbol = emit::symbol(module_, kernel.name, cuda_options());
    const Code code = cu_.cuModuleGetFunction(&found.function, loaded_, symbol.c_str());
    if (code != 0) return driver_failure("to find kernel " + kernel.name, code);
    TRY(check_limits(kernel, found.function));
    if (found.dynamic_shared_bytes > 0) {
      const int bytes = static_cast<int>(found.dynamic_shared_bytes);
      TRY(checked(fmt::format("to reserve {} bytes of shared memory for {}", bytes, kernel.name),
                  cu_.cuFuncSetAttribute(found.function, cuda::kDynamicSharedBytes, bytes)));
    }
    kernels_.push_back(found);
  }
  return Done{};
}

Status CudaAccelerator::check_limits(const kernel::Kernel& kernel, cuda::Function function) const {
  const int64_t threads = kernel.threads.product();
  int most = 0;  // the GPU's limit, or less if registers are short
  cu_.cuFuncGetAttribute(&most, cuda::kFunctionMaxThreadsPerBlock, function);
  if (threads > most) {
    return Failure{"R043",
                   fmt::format("kernel {} has {} threads per block, but {} allows {}", kernel.name,
                               threads, gpu_.name, most),
                   "use a schedule with smaller blocks"};
  }
  const int64_t shared = kernel::shared_bytes(kernel, module_.constants);
  int available = 0;
  cu_.cuDeviceGetAttribute(&available, cuda::kMaxSharedBytesPerBlock, gpu_.id);
  if (shared > available) {
    return Failure{"R043",
                   fmt::format("kernel {} needs {} bytes of shared memory, but {} has {}",
                               kernel.name, shared, gpu_.name, available),
                   "use a schedule with smaller tiles"};
  }
  return Done{};
}

std::vector<KernelResources> CudaAccelerator::resources() const {
  enter();
  std::vector<KernelResources> out;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    const auto ask = [&](cuda::FunctionAttribute what) {
      int value = 0;
      cu_.cuFuncGetAttribute(&value, what, kernels_[k].function);
      return value;
    };
    out.push_back({module_.kernels[k].name, ask(cuda::kRegisters), ask(cuda::kLocalBytes),
                   ask(cuda::kStaticSharedBytes) + kernels_[k].dynamic_shared_bytes});
  }
  return out;
}

Result<Accelerator::Memory> CudaAccelerator::allocate(int64_t bytes) {
  enter();
  cuda::Address memory = 0;
  const Code code = cu_.cuMemAlloc(&memory, static_cast<size_t>(bytes));
  if (code == 0) return reinterpret_cast<Memory>(memory);
  size_t free = 0, total = 0;
  cu_.cuMemGetInfo(&free, &total);
  return driver_failure(fmt::format("to allocate {} bytes on {}, which has {} of {} free", bytes,
                                    gpu_.name, free, total),
                        code);
}

Status CudaAccelerator::upload(Memory to, const std::byte* from, const Rows& rows) {
  return checked("to copy to the device", copies_->upload(stream_, address(to), from, rows));
}

Status CudaAccelerator::download(std::byte* to, Memory from, const Rows& rows) {
  return checked("to copy from the device", copies_->download(stream_, to, address(from), rows));
}

std::unique_ptr<Stopwatch> CudaAccelerator::stopwatch() {
  return cuda::stopwatch(context_, stream_);
}

Status CudaAccelerator::ask(Memory flag) {
  enter();
  flag_ = flag;
  Code code = 0;
  if (!beside_) code = cu_.cuStreamCreate(&beside_, cuda::kNonBlockingStream);
  if (code == 0 && !flag_set_) code = cu_.cuEventCreate(&flag_set_, cuda::kEventWithoutTime);
  if (code == 0) code = cu_.cuEventRecord(flag_set_, stream_);
  if (code == 0) code = cu_.cuStreamWaitEvent(beside_, flag_set_, 0);
  return checked("to read the stop condition", code);
}

Result<int32_t> CudaAccelerator::answer() {
  enter();
  int32_t holds = 0;
  Code code = cu_.cuMemcpyDtoHAsync(&holds, address(flag_), sizeof holds, beside_);
  if (code == 0) code = cu_.cuStreamSynchronize(beside_);
  if (code != 0) return driver_failure("to run kernels", code);
  return holds;
}

Status CudaAccelerator::use_lane(int lane) {
  enter();
  if (!lane_0_) lane_0_ = stream_;
  if (lane == 1 && !ahead_) {
    int least = 0, greatest = 0;
    Code code = cu_.cuCtxGetStreamPriorityRange(&least, &greatest);
    if (code == 0) {
      code = cu_.cuStreamCreateWithPriority(&ahead_, cuda::kNonBlockingStream, greatest);
    }
    if (code != 0) return driver_failure("to create a second stream", code);
  }
  stream_ = lane == 1 ? ahead_ : lane_0_;
  return Done{};
}

Status CudaAccelerator::await(const Mark& mark) {
  if (!mark) return Done{};
  enter();
  return checked("to wait for another GPU",
                 cu_.cuStreamWaitEvent(stream_, static_cast<cuda::Event>(mark.get()), 0));
}

bool CudaAccelerator::reach(Accelerator& source) {
  const auto* other = dynamic_cast<const CudaAccelerator*>(&source);
  return other && cuda::reach_peer(context_, gpu_.id, other->context_, other->gpu_.id);
}

Status CudaAccelerator::copy_from(Memory to, int64_t to_offset, Accelerator& source, Memory from,
                                  int64_t from_offset, int64_t bytes) {
  const auto* other = dynamic_cast<const CudaAccelerator*>(&source);
  if (other == nullptr) {
    return Accelerator::copy_from(to, to_offset, source, from, from_offset, bytes);
  }
  const bool straight = reach(source);
  enter();
  const cuda::Address end = address(to) + static_cast<cuda::Address>(to_offset);
  const cuda::Address begin = address(from) + static_cast<cuda::Address>(from_offset);
  const auto size = static_cast<size_t>(bytes);
  const Code code =
      straight ? cuda::copy_from_peer(context_, end, begin, size, stream_)
               : cu_.cuMemcpyPeerAsync(end, context_, begin, other->context_, size, stream_);
  return checked("to copy from another GPU", code);
}

// The launch configuration of a kernel; the only place that sets launch attributes.
cuda::LaunchConfig CudaAccelerator::configuration(int kernel, int64_t blocks) const {
  const auto [x, y, z] = kernel::hardware_threads(module_.kernels[kernel]);
  cuda::LaunchConfig config{};
  config.grid[0] = static_cast<unsigned>(blocks);
  config.grid[1] = config.grid[2] = 1;
  config.block[0] = static_cast<unsigned>(x);
  config.block[1] = static_cast<unsigned>(y);
  config.block[2] = static_cast<unsigned>(z);
  config.shared_bytes = static_cast<unsigned>(kernels_[kernel].dynamic_shared_bytes);
  config.stream = stream_;
  return config;
}

// Describes boxes of an array for bulk copies; see kernel::Launch::bulk_sources.
Status CudaAccelerator::describe(const Shaped& array, const std::vector<int>& box,
                                 cuda::TensorMap& map) const {
  if (cu_.cuTensorMapEncodeTiled == nullptr) {
    return Failure{"R041", "the CUDA driver lacks cuTensorMapEncodeTiled, which loads=bulk needs",
                   "use loads=async"};
  }
  const size_t rank = array.extents.size();
  std::vector<uint64_t> sizes, strides;
  std::vector<unsigned> boxes;
  const std::vector<unsigned> steps(rank, 1);
  uint64_t stride = static_cast<uint64_t>(array.element_bytes);
  for (size_t d = rank; d-- > 0;) {
    sizes.push_back(static_cast<uint64_t>(array.extents[d]));
    boxes.push_back(static_cast<unsigned>(box[d]));
    stride *= sizes.back();
    strides.push_back(stride);  // distance between neighbours in the next dimension
  }
  const int type = array.element_bytes / 2;  // unsigned integers of 1, 2, 4, 8 bytes: 0, 1, 2, 4
  constexpr int kPlain = 0, kPromoteTo128Bytes = 2;
  return checked(
      "to create a tensor map for bulk copies",
      cu_.cuTensorMapEncodeTiled(&map, type, static_cast<unsigned>(rank), address(array.memory),
                                 sizes.data(), strides.data(), boxes.data(), steps.data(), kPlain,
                                 kPlain, kPromoteTo128Bytes, kPlain));
}

Status CudaAccelerator::launch(const Call& call, const cuda::LaunchCompletion* completion) {
  enter();
  const kernel::Kernel& source = module_.kernels[call.kernel];
  std::vector<cuda::TensorMap> maps(call.bulk_sources.size());
  for (size_t s = 0; s < maps.size(); ++s) {
    TRY(describe(call.bulk_sources[s], source.bulk_sources[s].box, maps[s]));
  }
  // The driver copies each argument during the call; it knows the sizes from the kernel.
  std::vector<void*> arguments;
  for (const Memory& array : call.arrays) arguments.push_back(const_cast<Memory*>(&array));
  for (const ScalarBytes& scalar : call.scalars) {
    arguments.push_back(const_cast<std::byte*>(scalar.bytes));
  }
  for (cuda::TensorMap& map : maps) arguments.push_back(&map);
  cuda::LaunchConfig config = configuration(call.kernel, call.blocks);
  config.attributes = completion;
  config.attribute_count = completion ? 1 : 0;
  const Code code =
      cu_.cuLaunchKernelEx(&config, kernels_[call.kernel].function, arguments.data(), nullptr);
  if (code == 0) return Done{};
  const auto& [x, y, z] = config.block;
  return driver_failure(
      fmt::format("to launch {} ({} blocks of {}x{}x{} threads, {} bytes of dynamic shared memory)",
                  source.name, call.blocks, x, y, z, config.shared_bytes),
      code);
}

Result<Accelerator::Mark> CudaAccelerator::launch_ahead(const Call& call) {
  if (cu_.version < cuda::kWithLaunchCompletion) return Accelerator::launch_ahead(call);
  auto begun = cuda::unset_mark(context_);
  if (!begun.ok()) return begun.failure();
  cuda::LaunchCompletion completion;
  completion.event = static_cast<cuda::Event>(begun.value().get());
  TRY(launch(call, &completion));
  return begun;
}

// --- The device

class CudaProgram : public LoadedProgram {
 public:
  CudaProgram(std::unique_ptr<CudaAccelerator> accelerator, const kernel::Module& module)
      : accelerator_(std::move(accelerator)), module_(module) {}

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    auto accelerator = TRY(on_a_stream());
    return start_plan(std::move(accelerator), module_, state);
  }
  Result<std::unique_ptr<Session>> start_like(reference::State& state,
                                              const Session& like) const override {
    auto accelerator = TRY(on_a_stream());
    return start_plan(std::move(accelerator), module_, state, {.like = &like});
  }
  Result<std::unique_ptr<Session>> take_over(reference::State& state,
                                             Session& giver) const override {
    auto accelerator = TRY(on_a_stream());
    return start_plan(std::move(accelerator), module_, state, {.giver = &giver});
  }
  Result<std::unique_ptr<Session>> start_subdomain(reference::State& state,
                                                   Communicator& communicator) const override {
    auto accelerator = TRY(on_a_stream());
    return start_plan(std::move(accelerator), module_, state, {.communicator = &communicator});
  }
  Result<std::unique_ptr<Session>> attach(reference::State& state,
                                          const DeviceArrays& arrays) const override {
    auto accelerator =
        std::make_unique<CudaAccelerator>(*accelerator_, static_cast<cuda::Stream>(arrays.stream));
    if (accelerator->is_captured()) return refused_in_capture("allocate memory");
    return start_plan(std::move(accelerator), module_, state, {.arrays = arrays});
  }
  Result<std::string> code(CodeKind kind) const override { return accelerator_->code(kind); }
  std::vector<KernelResources> resources() const override { return accelerator_->resources(); }
  Result<double> copy_seconds(int64_t bytes) const override {
    const auto accelerator = TRY(on_a_stream());
    return runtime::copy_seconds(*accelerator, bytes);
  }

 private:
  // An accelerator with its own stream.
  Result<std::unique_ptr<Accelerator>> on_a_stream() const {
    auto accelerator = std::make_unique<CudaAccelerator>(*accelerator_, std::nullopt);
    TRY(accelerator->open_stream());
    return std::unique_ptr<Accelerator>(std::move(accelerator));
  }

  std::unique_ptr<CudaAccelerator> accelerator_;
  const kernel::Module& module_;
};

DeviceInfo probe(const std::string& selector) {
  const auto found = find_gpu(selector);
  if (!found.ok()) return {"cuda", "", false, found.failure().message};
  const Gpu& gpu = found.value();
  const size_t count = cuda::gpus(cuda::driver()).size();
  const std::string clock = gpu.megahertz > 0 ? fmt::format(", {} MHz", gpu.megahertz) : "";
  std::string text = fmt::format(
      "{} (sm_{}, {:.1f} GiB{}; CUDA driver {}, NVRTC {})", gpu.name, gpu.architecture,
      static_cast<double>(gpu.memory) / (int64_t{1} << 30), clock,
      cuda::version_text(cuda::driver().version), cuda::version_text(compiler().value().version));
  if (count > 1) text += fmt::format(", one of {} GPUs: cuda:0 to cuda:{}", count, count - 1);
  return {"cuda", text, true, "", gpu.name, 1e6 * gpu.megahertz};
}

schedule::Machine machine_of(const std::string& selector) {
  const auto found = find_gpu(selector);
  if (!found.ok()) return schedule::gpu();
  const auto ask = [&](cuda::DeviceAttribute what) {
    int value = 0;
    cuda::driver().cuDeviceGetAttribute(&value, what, found.value().id);
    return value;
  };
  schedule::CudaLimits limits;
  limits.name = found.value().name;
  limits.architecture = found.value().architecture;
  limits.multiprocessors = ask(cuda::kMultiprocessors);
  limits.kilohertz = ask(cuda::kClockKilohertz);
  limits.memory_kilohertz = ask(cuda::kMemoryKilohertz);
  limits.bus_bits = ask(cuda::kMemoryBusBits);
  limits.shared_bytes = ask(cuda::kMaxSharedBytesPerBlock);
  limits.threads_per_multiprocessor = ask(cuda::kMaxThreadsPerMultiprocessor);
  limits.blocks_per_multiprocessor = ask(cuda::kMaxBlocksPerMultiprocessor);
  limits.registers = ask(cuda::kMaxRegistersPerMultiprocessor);
  limits.cache_bytes = ask(cuda::kL2CacheBytes);
  return schedule::cuda_gpu(limits);
}

Result<std::string> compile(const Job& job, const std::string& selector) {
  auto found = TRY(find_gpu(selector));
  return CudaAccelerator(*job.module, std::move(found)).compile();
}

Result<std::unique_ptr<LoadedProgram>> load(const Job& job, const std::string& selector) {
  auto found = TRY(find_gpu(selector));
  auto accelerator = std::make_unique<CudaAccelerator>(*job.module, std::move(found));
  auto image = TRY(job.machine_code ? *job.machine_code : accelerator->compile());
  TRY(accelerator->load(image));
  return std::unique_ptr<LoadedProgram>(
      std::make_unique<CudaProgram>(std::move(accelerator), *job.module));
}

}  // namespace

Device cuda_device() {
  Device device{"cuda", true, probe, load};
  device.takes_pointers = true;
  device.compile = compile;
  device.takes_selector = true;
  device.machine_of = machine_of;
  return device;
}

}  // namespace stencil::runtime
