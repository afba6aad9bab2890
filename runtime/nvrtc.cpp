// Finding NVRTC and compiling with it. Machine code rather than PTX is asked for: it is what a user
// gets from nvcc for the same GPU, and nothing is left for the driver's compiler to decide. A
// driver loads machine code of its own major version of CUDA and of older ones, so a newer NVRTC is
// passed over where an older one is installed beside it.
#include "runtime/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "runtime/cuda_driver.h"
#include "runtime/device_plan.h"

namespace stencil::runtime {

namespace {

// Files to try, the newest version first; a plain name is looked for by the dynamic linker.
std::vector<std::string> candidates() {
  std::vector<std::string> directories = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home && *home) directories.push_back(std::string(home) + "/lib64/");
  }
  directories.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> out;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    for (const std::string& directory : directories) out.push_back(directory + name);
  }
  return out;
}

}  // namespace

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
  return missing;
}

Result<Nvrtc> Nvrtc::open(int driver_version) {
  std::string reason = "NVRTC, the CUDA compiler (libnvrtc.so.13 or .12), is not installed";
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    Nvrtc nvrtc;
    const std::string missing = nvrtc.look_up(library);
    int major = 0, minor = 0, count = 0;
    if (!missing.empty() || nvrtc.nvrtcVersion_(&major, &minor) != 0 ||
        nvrtc.nvrtcGetNumSupportedArchs_(&count) != 0) {
      reason = fmt::format("{} is no usable NVRTC of CUDA 12 or newer", file);
      continue;
    }
    nvrtc.version_ = 1000 * major + 10 * minor;
    if (driver_version != 0 && major > driver_version / 1000) {
      reason = fmt::format("NVRTC {} is newer than the driver, which serves CUDA {}",
                           cuda::version_text(nvrtc.version_), cuda::version_text(driver_version));
      continue;
    }
    nvrtc.architectures_.resize(static_cast<size_t>(count));
    nvrtc.nvrtcGetSupportedArchs_(nvrtc.architectures_.data());
    std::sort(nvrtc.architectures_.begin(), nvrtc.architectures_.end());
    return nvrtc;
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

Result<std::string> Nvrtc::compile(const std::string& source, int architecture,
                                   const std::string& flags) const {
  Program created = nullptr;
  if (const Code code =
          nvrtcCreateProgram_(&created, source.c_str(), "kernels.cu", 0, nullptr, nullptr)) {
    return Failure{"R042", fmt::format("NVRTC failed: {}", nvrtcGetErrorString_(code)), ""};
  }
  const auto destroy = [this](Program program) { nvrtcDestroyProgram_(&program); };
  const std::unique_ptr<ProgramTag, decltype(destroy)> program(created, destroy);
  const std::string line =
      fmt::format("--gpu-architecture=sm_{} --std=c++17 {}", architecture, flags);
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<const char*> options;
  for (const std::string& word : words) options.push_back(word.c_str());
  Code code = nvrtcCompileProgram_(created, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  if (code == 0) code = nvrtcGetCUBINSize_(created, &size);
  std::string image(size, '\0');
  if (code == 0) code = nvrtcGetCUBIN_(created, image.data());
  if (code == 0) return image;
  return Failure{
      "R042",
      fmt::format("NVRTC {} failed: {} (flags '{}')\n{}\n{}", cuda::version_text(version_),
                  nvrtcGetErrorString_(code), line, log_of(created), numbered(source)),
      ""};
}

}  // namespace stencil::runtime
