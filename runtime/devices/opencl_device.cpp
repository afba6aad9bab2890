// The `opencl` device: kernels as OpenCL C, compiled by the machine's OpenCL implementation.
//
// The loader is opened at run time and its headers are used only for types, so one binary works
// with and without it. The first GPU of any platform is preferred to other devices; "opencl:NAME"
// takes the first device whose platform or device name contains NAME, ignoring case. On CPU
// implementations (PoCL) the same kernels can run with real barriers and local memory, which
// exposes tiling errors without a GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

#include "compiler/emit/emit.h"
#include "compiler/support/try.h"
#include "runtime/devices/foreign_call.h"
#include "runtime/devices/numbered.h"
#include "runtime/devices/opencl_device.h"
#include "runtime/devices/opencl_library.h"
#include "runtime/devices/opencl_non_finite.h"
#include "runtime/devices/plan_session.h"
#include "runtime/devices/shared_library.h"

namespace stencil::runtime {

namespace {

using opencl::driver_failure;
using opencl::implementation;
using opencl::library;
using opencl::Library;

// --- Choice of the device

struct Found {
  cl_device_id id = nullptr;  // null: none
  std::string platform, name;
  bool gpu = false;
  bool is_cpu = false;
};

// "name (platform)".
std::string text_of(const Found& device) {
  return device.name + " (" + device.platform + ")";
}

std::string device_text(cl_device_id id, cl_device_info what) {
  char text[512] = "";
  library().clGetDeviceInfo(id, what, sizeof text - 1, text, nullptr);
  return text;
}

template <class T>
T device_number(cl_device_id id, cl_device_info what) {
  T value{};
  library().clGetDeviceInfo(id, what, sizeof value, &value, nullptr);
  return value;
}

std::vector<Found> all_devices() {
  std::vector<Found> out;
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  if (library().clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return out;
  for (cl_uint p = 0; p < std::min<cl_uint>(platform_count, 16); ++p) {
    char platform[512] = "";
    library().clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform - 1, platform,
                                nullptr);
    cl_device_id ids[16];
    cl_uint count = 0;
    if (library().clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &count) != CL_SUCCESS)
      continue;
    for (cl_uint d = 0; d < std::min<cl_uint>(count, 16); ++d) {
      const auto type = device_number<cl_device_type>(ids[d], CL_DEVICE_TYPE);
      out.push_back({ids[d], platform, device_text(ids[d], CL_DEVICE_NAME),
                     (type & CL_DEVICE_TYPE_GPU) != 0, (type & CL_DEVICE_TYPE_CPU) != 0});
    }
  }
  return out;
}

// The selected device, or why there is none.
Result<Found> find_device(const std::string& selector) {
  if (!library().missing.empty()) return Failure{"R041", library().missing, ""};
  std::vector<std::string> names;
  Found best;
  for (const Found& found : all_devices()) {
    names.push_back(text_of(found));
    const bool named = names_device(selector, found.platform) || names_device(selector, found.name);
    if (named && (best.id == nullptr || (found.gpu && !best.gpu))) best = found;
  }
  if (best.id != nullptr) {
    snprintf(implementation, sizeof implementation, "the OpenCL implementation (%s)",
             best.platform.c_str());
    return best;
  }
  if (names.empty()) return Failure{"R041", "no OpenCL platform offers a device", ""};
  return Failure{"R041",
                 fmt::format("no OpenCL device or platform is called '{}'; found {}", selector,
                             fmt::join(names, ", ")),
                 ""};
}

schedule::OpenClLimits limits_of(cl_device_id id) {
  schedule::OpenClLimits limits;
  size_t sides[16] = {1, 1, 1};  // one per dimension; the device has at least three
  library().clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sides, sides, nullptr);
  for (size_t d = 0; d < 3; ++d) limits.work_group_sides[d] = static_cast<int64_t>(sides[d]);
  limits.work_group =
      static_cast<int64_t>(device_number<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  limits.local_bytes = static_cast<int64_t>(device_number<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE));
  limits.compute_units = device_number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  return limits;
}

// --- Memory and launches

// The context of a device, one per process. Implementations keep compiler state in the context, and
// setting it up takes far longer than compiling a kernel. The context lives as long as the process.
cl_context shared_context(cl_device_id id, cl_int& error) {
  static std::mutex mutex;
  static std::map<cl_device_id, cl_context> contexts;
  const std::lock_guard<std::mutex> lock(mutex);
  cl_context& context = contexts[id];
  error = CL_SUCCESS;
  if (!context) context = library().clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error);
  return context;
}

class OpenClAccelerator : public Accelerator {
 public:
  OpenClAccelerator(const kernel::Module& module, Found device, BlockOnCpu blocks)
      : module_(module),
        device_(std::move(device)),
        loops_(device_.is_cpu && blocks == BlockOnCpu::Loops) {}
  OpenClAccelerator(const OpenClAccelerator&) = delete;
  OpenClAccelerator& operator=(const OpenClAccelerator&) = delete;
  ~OpenClAccelerator() override {
    for (const cl_kernel kernel : kernels_) cl_.clReleaseKernel(kernel);
    if (program_) cl_.clReleaseProgram(program_);
    if (queue_) cl_.clReleaseCommandQueue(queue_);
  }

  // Compiles the module, or `source`, which contains its kernels among others.
  Status build(const std::string* source = nullptr);
  const Found& device() const { return device_; }
  BlockOnCpu blocks() const { return loops_ ? BlockOnCpu::Loops : BlockOnCpu::WorkItems; }
  Result<std::string> code(CodeKind kind) const;
  // Takes the kernels from a built program.
  Status share(const OpenClAccelerator& built);

  Result<Memory> allocate(int64_t bytes) override {
    cl_int error = CL_SUCCESS;
    const cl_mem memory = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE,
                                             static_cast<size_t>(bytes), nullptr, &error);
    if (error != CL_SUCCESS) {
      return driver_failure(
          fmt::format(
              "to allocate {} bytes on {}, which has {} and allows at most {} per allocation",
              bytes, device_.name, device_number<cl_ulong>(device_.id, CL_DEVICE_GLOBAL_MEM_SIZE),
              device_number<cl_ulong>(device_.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE)),
          error);
    }
    return static_cast<Memory>(memory);
  }
  void release(Memory memory) override { cl_.clReleaseMemObject(static_cast<cl_mem>(memory)); }

  Status clear(Memory memory, int64_t bytes) override {
    const char zero = 0;
    return checked("to clear memory",
                   cl_.clEnqueueFillBuffer(queue_, static_cast<cl_mem>(memory), &zero, sizeof zero,
                                           0, static_cast<size_t>(bytes), 0, nullptr, nullptr));
  }
  Status copy(Memory to, Memory from, int64_t bytes) override {
    return checked(
        "to copy on the device",
        cl_.clEnqueueCopyBuffer(queue_, static_cast<cl_mem>(from), static_cast<cl_mem>(to), 0, 0,
                                static_cast<size_t>(bytes), 0, nullptr, nullptr));
  }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    const Region at(rows);
    return checked("to copy to the device",
                   cl_.clEnqueueWriteBufferRect(queue_, static_cast<cl_mem>(to), CL_TRUE, at.device,
                                                at.host, at.region, at.pitch, 0, at.region[0], 0,
                                                from, 0, nullptr, nullptr));
  }
  Status download(std::byte* to, Memory from, const Rows& rows) override {
    const Region at(rows);
    return checked("to copy from the device",
                   cl_.clEnqueueReadBufferRect(queue_, static_cast<cl_mem>(from), CL_TRUE,
                                               at.device, at.host, at.region, at.pitch, 0,
                                               at.region[0], 0, to, 0, nullptr, nullptr));
  }
  Result<NonFiniteCount> count_non_finite(Memory memory, Scalar type,
                                          const std::vector<Rows>& pieces) override;
  Status launch(const Call& call) override;
  Status wait() override { return checked("to run kernels", cl_.clFinish(queue_)); }
  Status ask(Memory flag) override {
    return checked("to copy from the device",
                   cl_.clEnqueueReadBuffer(queue_, static_cast<cl_mem>(flag), CL_FALSE, 0,
                                           sizeof flag_, &flag_, 0, nullptr, &flag_read_));
  }
  Result<int32_t> answer() override {
    const cl_int error = cl_.clWaitForEvents(1, &flag_read_);
    cl_.clReleaseEvent(flag_read_);
    if (error != CL_SUCCESS) return driver_failure("to run kernels", error);
    return flag_;
  }

 private:
  // Rows as rectangles for OpenCL copies, in bytes.
  struct Region {
    explicit Region(const Rows& rows)
        : device{static_cast<size_t>(rows.start), 0, 0},
          region{static_cast<size_t>(rows.bytes), static_cast<size_t>(rows.count), 1},
          pitch(static_cast<size_t>(rows.count > 1 ? rows.pitch : rows.bytes)) {}
    size_t device[3], host[3] = {0, 0, 0}, region[3], pitch;
  };
  static Status checked(const std::string& what, cl_int error) {
    if (error == CL_SUCCESS) return Done{};
    return driver_failure(what, error);
  }
  Status check_limits(const kernel::Kernel& kernel, cl_kernel built) const;
  Status open();
  emit::Options emit_options() const;
  Status compile(const std::string& source, const std::string& flags);
  Status find_kernels();

  const Library& cl_ = library();
  const kernel::Module& module_;
  Found device_;
  bool loops_;                    // a block is one work-item that loops over threads
  cl_context context_ = nullptr;  // shared, not owned
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  int32_t flag_ = 0;              // target of the read that `ask` starts
  cl_event flag_read_ = nullptr;  // between `ask` and `answer`
};

Status OpenClAccelerator::compile(const std::string& source, const std::string& flags) {
  const char* text = source.c_str();
  const size_t length = source.size();
  cl_int error = CL_SUCCESS;
  program_ = cl_.clCreateProgramWithSource(context_, 1, &text, &length, &error);
  if (error != CL_SUCCESS) return driver_failure("to create the program", error);
  error = cl_.clBuildProgram(program_, 1, &device_.id, flags.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return Done{};
  size_t size = 0;
  cl_.clGetProgramBuildInfo(program_, device_.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  cl_.clGetProgramBuildInfo(program_, device_.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return Failure{"R042",
                 fmt::format("the OpenCL compiler of {} failed (error {}, flags '{}')\n{}\n{}",
                             device_.name, error, flags, log.c_str(), numbered(source)),
                 ""};
}

Status OpenClAccelerator::open() {
  cl_int error = CL_SUCCESS;
  context_ = shared_context(device_.id, error);
  if (error != CL_SUCCESS) return driver_failure("to open " + device_.name, error);
  queue_ = cl_.clCreateCommandQueue(context_, device_.id, 0, &error);
  if (error != CL_SUCCESS) return driver_failure("to open " + device_.name, error);
  return Done{};
}

// For CPUs with one work-item per thread (BlockOnCpu::WorkItems). This mode only tests GPU kernels,
// which need not be fast. Without optimisation the compiler takes a tenth of the time
// (docs/design/performance.md, "CPUs behind OpenCL").
constexpr const char* kCheckFlags = " -cl-opt-disable";

emit::Options OpenClAccelerator::emit_options() const {
  emit::Options options;
  options.target = emit::Target::OpenCl;
  options.kernels_only = true;
  options.threads_are_loops = loops_;
  return options;
}

Status OpenClAccelerator::build(const std::string* source) {
  TRY(open());
  std::string flags = emit::required_flags(emit::Target::OpenCl, module_.fp);
  if (device_.is_cpu && !loops_) flags += kCheckFlags;
  TRY(compile(source ? *source : emit::emit(module_, emit_options()), flags));
  return find_kernels();
}

Result<std::string> OpenClAccelerator::code(CodeKind kind) const {
  std::string out;
  if (kind == CodeKind::Source) {
    size_t size = 0;
    cl_int error = cl_.clGetProgramInfo(program_, CL_PROGRAM_SOURCE, 0, nullptr, &size);
    out.resize(size);
    if (error == CL_SUCCESS) {
      error = cl_.clGetProgramInfo(program_, CL_PROGRAM_SOURCE, size, out.data(), nullptr);
    }
    if (error != CL_SUCCESS) return driver_failure("to return the source", error);
    return std::string(out.c_str());
  }
  // The context has one device, so there is one binary.
  size_t size = 0;
  cl_int error =
      cl_.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  out.resize(size);
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  if (error == CL_SUCCESS) {
    error = cl_.clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr);
  }
  if (error != CL_SUCCESS || size == 0) return driver_failure("to return the machine code", error);
  return out;
}

Status OpenClAccelerator::share(const OpenClAccelerator& built) {
  TRY(open());
  program_ = built.program_;
  cl_.clRetainProgram(program_);
  return find_kernels();
}

Status OpenClAccelerator::find_kernels() {
  for (const kernel::Kernel& kernel : module_.kernels) {
    cl_int error = CL_SUCCESS;
    const std::string symbol = emit::symbol(module_, kernel.name, emit_options());
    const cl_kernel built = cl_.clCreateKernel(program_, symbol.c_str(), &error);
    if (error != CL_SUCCESS) return driver_failure("to find kernel " + kernel.name, error);
    kernels_.push_back(built);
    TRY(check_limits(kernel, built));
  }
  return Done{};
}

Status OpenClAccelerator::check_limits(const kernel::Kernel& kernel, cl_kernel built) const {
  const int64_t threads = loops_ ? 1 : kernel.threads.product();
  size_t most = 0;
  cl_.clGetKernelWorkGroupInfo(built, device_.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                               nullptr);
  if (threads > static_cast<int64_t>(most)) {
    return Failure{"R043",
                   fmt::format("kernel {} has {} threads per block, but {} allows {}", kernel.name,
                               threads, device_.name, most),
                   "use a schedule with smaller blocks"};
  }
  const int64_t shared = kernel::shared_bytes(kernel, module_.constants);
  const auto local = device_number<cl_ulong>(device_.id, CL_DEVICE_LOCAL_MEM_SIZE);
  if (shared > static_cast<int64_t>(local)) {
    return Failure{"R043",
                   fmt::format("kernel {} needs {} bytes of shared memory, but {} has {}",
                               kernel.name, shared, device_.name, local),
                   "use a schedule with smaller tiles"};
  }
  return Done{};
}

Status OpenClAccelerator::launch(const Call& call) {
  const cl_kernel built = kernels_[call.kernel];
  const kernel::Kernel& source = module_.kernels[call.kernel];
  cl_uint argument = 0;
  cl_int error = CL_SUCCESS;
  for (const Memory array : call.arrays) {
    const cl_mem memory = static_cast<cl_mem>(array);
    error |= cl_.clSetKernelArg(built, argument++, sizeof memory, &memory);
  }
  for (const ScalarBytes& scalar : call.scalars) {
    error |= cl_.clSetKernelArg(built, argument++, scalar.size, scalar.bytes);
  }
  if (error != CL_SUCCESS) return driver_failure("to pass arguments to " + source.name, error);
  const auto [x, y, z] = loops_ ? std::array<int, 3>{1, 1, 1} : kernel::hardware_threads(source);
  const size_t local[3] = {static_cast<size_t>(x), static_cast<size_t>(y), static_cast<size_t>(z)};
  const size_t global[3] = {local[0] * static_cast<size_t>(call.blocks), local[1], local[2]};
  return checked(
      "to launch " + source.name,
      cl_.clEnqueueNDRangeKernel(queue_, built, 3, nullptr, global, local, 0, nullptr, nullptr));
}

// The program for this element size on a device, built once. Null: its compiler fails.
cl_program non_finite_program(cl_context context, cl_device_id device, int element) {
  static std::mutex mutex;
  static std::map<std::pair<cl_device_id, int>, cl_program> programs;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = programs.try_emplace({device, element}, nullptr);
  if (!is_new) return found->second;
  const std::string source = non_finite_source(element);
  const char* text = source.c_str();
  cl_int error = CL_SUCCESS;
  found->second = library().clCreateProgramWithSource(context, 1, &text, nullptr, &error);
  if (error == CL_SUCCESS) {
    error = library().clBuildProgram(found->second, 1, &device, "", nullptr, nullptr);
  }
  if (error != CL_SUCCESS) found->second = nullptr;
  return found->second;
}

// On a CPU, copying to the host is faster than compiling the kernel.
Result<NonFiniteCount> OpenClAccelerator::count_non_finite(Memory memory, Scalar type,
                                                           const std::vector<Rows>& pieces) {
  constexpr int64_t kLongestCountedRow = 64 * kNonFiniteItems;  // elements
  const int element = size_in_bytes(type);
  const cl_program program = loops_ ? nullptr : non_finite_program(context_, device_.id, element);
  if (!program) return Accelerator::count_non_finite(memory, type, pieces);
  std::vector<uint64_t> counted(3 * kNonFiniteGroups * kNonFiniteItems);
  const auto bytes = static_cast<int64_t>(counted.size() * sizeof counted[0]);
  const auto found = TRY(allocate(bytes));
  cl_int error = CL_SUCCESS;
  const cl_kernel kernel = cl_.clCreateKernel(program, kNonFiniteKernel, &error);
  Status done = error == CL_SUCCESS ? clear(found, bytes)
                                    : checked("to create the kernel that counts NaN", error);
  cl_ulong before = 0;
  for (const Rows& piece : pieces) {
    for (const Rows& rows : short_rows(piece, kLongestCountedRow * element)) {
      const cl_mem arrays[] = {static_cast<cl_mem>(memory), static_cast<cl_mem>(found)};
      const cl_ulong numbers[] = {static_cast<cl_ulong>(rows.start / element),
                                  static_cast<cl_ulong>(rows.count),
                                  static_cast<cl_ulong>(rows.bytes / element),
                                  static_cast<cl_ulong>(rows.pitch / element),
                                  before,
                                  infinity_bits(type)};
      if (!done.ok()) break;
      error = cl_.clSetKernelArg(kernel, 0, sizeof arrays[0], &arrays[0]);
      for (cl_uint n = 0; n < std::size(numbers); ++n) {
        error |= cl_.clSetKernelArg(kernel, n + 1, sizeof numbers[n], &numbers[n]);
      }
      error |= cl_.clSetKernelArg(kernel, 7, sizeof arrays[1], &arrays[1]);
      const size_t local = kNonFiniteItems, global = kNonFiniteGroups * local;
      if (error == CL_SUCCESS) {
        error = cl_.clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                           nullptr);
      }
      done = checked("to count NaN", error);
      before += static_cast<cl_ulong>(rows.count * rows.bytes / element);
    }
  }
  if (done.ok()) {
    done = download(reinterpret_cast<std::byte*>(counted.data()), found, {bytes});
  }
  if (kernel) cl_.clReleaseKernel(kernel);
  release(found);
  if (!done.ok()) return done.failure();
  return sum_of_items(counted);
}

// --- The device

class OpenClProgram : public LoadedProgram {
 public:
  OpenClProgram(std::unique_ptr<OpenClAccelerator> accelerator, const kernel::Module& module)
      : accelerator_(std::move(accelerator)), module_(module) {}

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    auto accelerator = TRY(another());
    return start_plan(std::move(accelerator), module_, state);
  }
  Result<std::unique_ptr<Session>> start_subdomain(reference::State& state,
                                                   Communicator& communicator) const override {
    auto accelerator = TRY(another());
    return start_plan(std::move(accelerator), module_, state, {.communicator = &communicator});
  }
  Result<double> copy_seconds(int64_t bytes) const override {
    const auto accelerator = TRY(another());
    return runtime::copy_seconds(*accelerator, bytes);
  }
  Result<std::string> code(CodeKind kind) const override {
    if (kind == CodeKind::Ptx) return LoadedProgram::code(kind);
    return accelerator_->code(kind);
  }

 private:
  // An accelerator with its own queue and kernels: a kernel has one set of arguments, and an
  // accelerator one answer to a stop condition.
  Result<std::unique_ptr<Accelerator>> another() const {
    auto accelerator = std::make_unique<OpenClAccelerator>(module_, accelerator_->device(),
                                                           accelerator_->blocks());
    TRY(accelerator->share(*accelerator_));
    return std::unique_ptr<Accelerator>(std::move(accelerator));
  }

  std::unique_ptr<OpenClAccelerator> accelerator_;
  const kernel::Module& module_;
};

DeviceInfo probe(const std::string& selector) {
  const auto found = find_device(selector);
  if (!found.ok()) return {"opencl", "", false, found.failure().message};
  const auto megahertz = device_number<cl_uint>(found.value().id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  return {"opencl", text_of(found.value()), true, "", text_of(found.value()), 1e6 * megahertz};
}

Result<std::unique_ptr<LoadedProgram>> load(const Job& job, const std::string& selector) {
  auto found = TRY(find_device(selector));
  auto accelerator =
      std::make_unique<OpenClAccelerator>(*job.module, std::move(found), block_on_cpu());
  TRY(accelerator->build());
  return std::unique_ptr<LoadedProgram>(
      std::make_unique<OpenClProgram>(std::move(accelerator), *job.module));
}

schedule::Machine machine_of(const std::string& selector) {
  const auto found = find_device(selector);
  if (!found.ok()) return schedule::gpu();
  const schedule::OpenClLimits limits = limits_of(found.value().id);
  const bool loops = found.value().is_cpu && block_on_cpu() == BlockOnCpu::Loops;
  return loops ? schedule::opencl_cpu(limits) : schedule::opencl_gpu(limits);
}

}  // namespace

BlockOnCpu block_on_cpu() {
  const char* set = getenv("STENCIL_OPENCL_CPU");
  return set != nullptr && std::string_view(set) == "work-items" ? BlockOnCpu::WorkItems
                                                                 : BlockOnCpu::Loops;
}

Result<std::vector<std::unique_ptr<LoadedProgram>>> load_opencl_batch(
    const std::vector<const kernel::Module*>& modules, const std::string& source,
    BlockOnCpu blocks) {
  auto found = TRY(find_device(""));
  std::vector<std::unique_ptr<LoadedProgram>> out;
  const OpenClAccelerator* first = nullptr;
  for (const kernel::Module* module : modules) {
    auto accelerator = std::make_unique<OpenClAccelerator>(*module, found, blocks);
    TRY(first ? accelerator->share(*first) : accelerator->build(&source));
    if (!first) first = accelerator.get();
    out.push_back(std::make_unique<OpenClProgram>(std::move(accelerator), *module));
  }
  return out;
}

Device opencl_device() {
  Device device{"opencl", true, probe, load};
  device.takes_selector = true;
  device.machine_of = machine_of;
  return device;
}

}  // namespace stencil::runtime
