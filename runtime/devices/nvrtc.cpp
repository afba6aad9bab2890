// Finds NVRTC and compiles with it. It produces machine code instead of PTX: this gives the same
// code as nvcc for the same GPU, and the driver need not compile. A driver loads machine code of
// its own CUDA major version and of older ones, so a newer NVRTC is skipped if an older one is
// installed.
//
// The kernel cache stores the properties of an NVRTC, which remain valid while the search finds the
// same file. The key of the entry contains everything that determines the search (environment,
// linker cache, existing files). If the file that was found has been replaced, the entry is
// ignored.
#include "runtime/devices/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "compiler/support/try.h"
#include "runtime/devices/cuda_driver.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/numbered.h"
#include "runtime/devices/shared_library.h"

namespace stencil::runtime {

namespace {

// Files to try, newest version first; the dynamic linker searches for plain names. The Python
// package sets STENCIL_NVRTC_PATH to the directories of NVIDIA's wheels, which no other search
// would find.
std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> directories = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home && *home) directories.push_back(std::string(home) + "/lib64/");
  }
  directories.push_back("/usr/local/cuda/lib64/");
  const char* const path = std::getenv("STENCIL_NVRTC_PATH");
  std::istringstream more(path ? path : "");
  for (std::string directory; std::getline(more, directory, ':');) {
    if (!directory.empty()) directories.push_back(directory + "/");
  }
  std::vector<std::string> out;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    for (const std::string& directory : directories) out.push_back(directory + name);
  }
  return out;
}

// Size and modification time; "" if there is no such file.
std::string identity_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

// Everything that determines which file Nvrtc::open opens.
std::vector<std::string> circumstances(int driver_version) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  const std::string library_path = path ? path : "";
  std::vector<std::string> out = {"nvrtc", std::to_string(driver_version), library_path,
                                  identity_of("/etc/ld.so.cache")};
  for (const std::string& file : nvrtc_candidates()) {
    if (file.find('/') != std::string::npos) {
      out.push_back(file + " " + identity_of(file));
      continue;
    }
    std::istringstream directories(library_path);
    for (std::string directory; std::getline(directories, directory, ':');) {
      out.push_back(identity_of(directory + "/" + file));
    }
  }
  return out;
}

// Convert an NvrtcInfo to a cache entry and back; the path, which may contain spaces, comes last.
std::string to_text(const NvrtcInfo& info) {
  return fmt::format("{} {} {}\n{}\n{}", info.version, info.architectures.size(),
                     fmt::join(info.architectures, " "), info.identity, info.file);
}
NvrtcInfo from_text(const std::string& text) {
  NvrtcInfo info;
  std::istringstream stream(text);
  size_t count = 0;
  stream >> info.version >> count;
  for (int architecture = 0; info.architectures.size() < count && stream >> architecture;) {
    info.architectures.push_back(architecture);
  }
  stream.ignore();  // rest of the line
  std::getline(stream, info.identity);
  std::getline(stream, info.file);
  return info;
}

std::string options_of(const NvrtcJob& job) {
  // Makes lambdas in kernels (emit's helper `steps`) device code, as nvcc does.
  return fmt::format("--gpu-architecture=sm_{} --std=c++17 -default-device {}", job.architecture,
                     job.flags);
}

}  // namespace

Result<NvrtcInfo> find_nvrtc(int driver_version) {
  const auto open = [&]() -> Result<std::string> {
    const auto nvrtc = TRY(Nvrtc::open(driver_version));
    return to_text(nvrtc.info());
  };
  const auto unchanged = [](const std::string& text) {
    const NvrtcInfo info = from_text(text);
    return !info.identity.empty() && identity_of(info.file) == info.identity;
  };
  const auto text = TRY(cached({"cuda", circumstances(driver_version)}, open, unchanged));
  return from_text(text);
}

Result<std::string> compile_cached(const NvrtcInfo& nvrtc, int driver_version,
                                   const NvrtcJob& job) {
  const CacheKey key{
      "cuda",
      {job.output == NvrtcOutput::Ptx ? "ptx" : "machine code", nvrtc.file, nvrtc.identity,
       std::to_string(nvrtc.version), std::to_string(driver_version), options_of(job), job.source}};
  return cached(key, [&]() -> Result<std::string> {
    const auto opened = TRY(Nvrtc::open_file(nvrtc.file));
    return opened.compile(job);
  });
}

std::string Nvrtc::look_up(void* library) {
  std::string missing;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && missing.empty()) missing = symbol;
  };
  find(nvrtcVersion_, "nvrtcVersion");
  find(nvrtcGetNumSupportedArchs_, "nvrtcGetNumSupportedArchs");
  find(nvrtcGetSupportedArchs_, "nvrtcGetSupportedArchs");
  find(nvrtcGetErrorString_, "nvrtcGetErrorString");
  find(nvrtcCreateProgram_, "nvrtcCreateProgram");
  find(nvrtcDestroyProgram_, "nvrtcDestroyProgram");
  find(nvrtcCompileProgram_, "nvrtcCompileProgram");
  find(nvrtcGetProgramLogSize_, "nvrtcGetProgramLogSize");
  find(nvrtcGetProgramLog_, "nvrtcGetProgramLog");
  find(nvrtcGetCUBINSize_, "nvrtcGetCUBINSize");
  find(nvrtcGetCUBIN_, "nvrtcGetCUBIN");
  find(nvrtcGetPTXSize_, "nvrtcGetPTXSize");
  find(nvrtcGetPTX_, "nvrtcGetPTX");
  return missing;
}

Result<Nvrtc> Nvrtc::open_file(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Failure{"R041", fmt::format("cannot open {}", file), ""};
  Nvrtc nvrtc;
  const std::string missing = nvrtc.look_up(library);
  int major = 0, minor = 0, count = 0;
  if (!missing.empty() || nvrtc.nvrtcVersion_(&major, &minor) != 0 ||
      nvrtc.nvrtcGetNumSupportedArchs_(&count) != 0) {
    return Failure{"R041", fmt::format("{} is not a usable NVRTC of CUDA 12 or newer", file), ""};
  }
  nvrtc.info_.version = 1000 * major + 10 * minor;
  nvrtc.info_.architectures.resize(static_cast<size_t>(count));
  nvrtc.nvrtcGetSupportedArchs_(nvrtc.info_.architectures.data());
  std::sort(nvrtc.info_.architectures.begin(), nvrtc.info_.architectures.end());
  Dl_info where{};
  dladdr(reinterpret_cast<void*>(nvrtc.nvrtcVersion_), &where);
  std::error_code error;
  const auto real = std::filesystem::canonical(where.dli_fname ? where.dli_fname : file, error);
  nvrtc.info_.file = error ? file : real.string();
  nvrtc.info_.identity = identity_of(nvrtc.info_.file);
  return nvrtc;
}

Result<Nvrtc> Nvrtc::open(int driver_version) {
  std::string reason = "NVRTC, the CUDA compiler (libnvrtc.so.13 or .12), is not installed";
  for (const std::string& file : nvrtc_candidates()) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      const std::string why = why_not_opened(file);
      if (why != kNotInstalled)
        reason = fmt::format("NVRTC, the CUDA compiler ({}), {}", file, why);
      continue;
    }
    auto nvrtc = open_file(file);
    if (!nvrtc.ok()) {
      reason = nvrtc.failure().message;
      continue;
    }
    const int version = nvrtc.value().info().version;
    if (driver_version == 0 || version / 1000 <= driver_version / 1000) return nvrtc;
    reason = fmt::format("NVRTC {} is newer than the driver, which supports CUDA {}",
                         cuda::version_text(version), cuda::version_text(driver_version));
  }
  return Failure{"R041", reason, "install the CUDA toolkit, or set CUDA_HOME"};
}

std::string Nvrtc::log_of(Program program) const {
  size_t size = 0;
  if (nvrtcGetProgramLogSize_(program, &size) != 0) return "";
  std::string log(size, '\0');
  nvrtcGetProgramLog_(program, log.data());
  return log.c_str();  // up to the final zero
}

Result<std::string> Nvrtc::compile(const NvrtcJob& job) const {
  Program created = nullptr;
  if (const Code code =
          nvrtcCreateProgram_(&created, job.source.c_str(), "kernels.cu", 0, nullptr, nullptr)) {
    return Failure{"R042", fmt::format("NVRTC failed: {}", nvrtcGetErrorString_(code)), ""};
  }
  const auto destroy = [this](Program program) { nvrtcDestroyProgram_(&program); };
  const std::unique_ptr<ProgramTag, decltype(destroy)> program(created, destroy);
  const std::string line = options_of(job);
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<const char*> options;
  for (const std::string& word : words) options.push_back(word.c_str());
  const bool ptx = job.output == NvrtcOutput::Ptx;
  Code code = nvrtcCompileProgram_(created, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  if (code == 0) code = (ptx ? nvrtcGetPTXSize_ : nvrtcGetCUBINSize_)(created, &size);
  std::string image(size, '\0');
  if (code == 0) code = (ptx ? nvrtcGetPTX_ : nvrtcGetCUBIN_)(created, image.data());
  if (code == 0) return ptx ? std::string(image.c_str()) : image;  // PTX ends with a zero
  return Failure{
      "R042",
      fmt::format("NVRTC {} failed: {} (flags '{}')\n{}\n{}", cuda::version_text(info_.version),
                  nvrtcGetErrorString_(code), line, log_of(created), numbered(job.source)),
      ""};
}

}  // namespace stencil::runtime
