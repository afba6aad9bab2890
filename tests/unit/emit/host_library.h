// Emitted C++ compiled with the system compiler and loaded.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace stencil::testing_support {

inline std::filesystem::path scratch_folder() {
  static const std::filesystem::path folder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "stencil-emit-XXXXXX").string();
    return std::filesystem::path(mkdtemp(pattern.data()));
  }();
  return folder;
}

inline bool run_command(const std::string& command) {
  const int status =
      std::system((command + " > " + (scratch_folder() / "log").string() + " 2>&1").c_str());
  if (status == 0) return true;
  std::ifstream log(scratch_folder() / "log");
  ADD_FAILURE() << command << "\n"
                << std::string(std::istreambuf_iterator<char>(log),
                               std::istreambuf_iterator<char>());
  return false;
}

class HostLibrary {
 public:
  // Warnings are errors. `flags` come last.
  explicit HostLibrary(const std::string& text, const std::string& flags = "") {
    static int number = 0;
    const std::string base = (scratch_folder() / ("module" + std::to_string(++number))).string();
    std::ofstream(base + ".cpp") << text;
    const bool good = run_command("c++ -std=c++17 -O1 -Wall -Wextra -Werror -shared -fPIC " +
                                  flags + " -o " + base + ".so " + base + ".cpp");
    // The library is never unloaded, because OpenMP's worker threads outlive a parallel loop.
    if (good) handle_ = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (good && !handle_) ADD_FAILURE() << dlerror();
  }
  HostLibrary(const HostLibrary&) = delete;
  template <class Function>
  Function* get(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace stencil::testing_support
