// The library has 80 MB and takes milliseconds to open. It is opened only to run a program on the
// `host` device or to list devices, never to compile to a file. RTLD_LOCAL keeps its symbols
// private, and it is never closed, because its threads run until the process ends.
#include "runtime/devices/host_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "compiler/support/numbers.h"
#include "runtime/devices/foreign_call.h"
#include "runtime/devices/numbered.h"
#include "runtime/devices/shared_library.h"

namespace stencil::runtime {

namespace {

constexpr const char* kFile = "libstencil_host.so";
constexpr const char* kHint =
    "build stencilc where LLVM and Clang (16 to 20) and oneTBB are installed, which puts the "
    "library "
    "into lib next to bin, or set STENCIL_HOST_LIBRARY=FILE";

// Takes text from the library; no data means that memory ran out.
std::string taken(const StencilHostInterface& interface, StencilHostBytes& bytes) {
  std::string text = bytes.data != nullptr ? std::string(bytes.data, bytes.size) : "out of memory";
  interface.release(&bytes);
  return text;
}

}  // namespace

Result<HostLibrary> HostLibrary::find() {
  const auto unusable = [](const std::string& why) {
    return Failure{"R041", "the compiler for the host " + why, kHint};
  };
  std::string missing;
  for (const std::string& file : places_of(kFile, "STENCIL_HOST_LIBRARY")) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const std::string why = why_not_opened(file);
      if (why != kNotInstalled) return unusable(why);
      if (missing.empty()) missing = file;
      continue;
    }
    const auto entry =
        reinterpret_cast<decltype(&stencil_host_interface)>(dlsym(library, STENCIL_HOST_SYMBOL));
    const StencilHostInterface* interface = entry != nullptr ? entry() : nullptr;
    if (entry != nullptr && interface == nullptr) {
      return unusable(
          fmt::format("cannot be used: this program links another version of Clang than {}", file));
    }
    if (interface != nullptr && interface->version == STENCIL_HOST_VERSION) {
      return HostLibrary(interface);
    }
    return unusable(fmt::format("cannot be used: {} belongs to another version of stencilc", file));
  }
  return Failure{"R041", "the compiler for the host is not installed: there is no " + missing,
                 kHint};
}

const Result<HostLibrary>& HostLibrary::open() {
  static const Result<HostLibrary> library = find();
  return library;
}

Result<std::string> HostLibrary::compile(const std::string& source,
                                         const StencilHostOptions& options) const {
  static constexpr ForeignFunction kCompile{"LLVM (libstencil_host.so)", "compile"};
  const ForeignCall call(kCompile);
  StencilHostBytes out{};
  const bool compiled = interface_->compile(source.data(), source.size(), &options, &out) == 0;
  std::string text = taken(*interface_, out);
  if (compiled) return text;
  return Failure{"R042", fmt::format("the host compiler failed\n{}\n{}", text, numbered(source)),
                 ""};
}

std::optional<int> HostLibrary::parse_optimisation(std::string_view text) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '3') return std::nullopt;
  return text[0] - '0';
}

int HostLibrary::wanted_optimisation() {
  const char* const text = std::getenv("STENCIL_HOST_OPTIMISATION");
  return parse_optimisation(text != nullptr ? text : "").value_or(kFull);
}

Result<std::string> HostLibrary::compile(const std::string& source, FpMode fp,
                                         int optimisation) const {
  return compile(source,
                 StencilHostOptions{optimisation, fp == FpMode::Fast ? 1 : 0, kStencilHostObject});
}

Result<std::string> HostLibrary::intermediate(const std::string& source, FpMode fp) const {
  return compile(source, StencilHostOptions{kFull, fp == FpMode::Fast ? 1 : 0, kStencilHostIr});
}

Result<HostKernels> HostLibrary::load(const std::string& object) const {
  static constexpr ForeignFunction kLoad{"LLVM (libstencil_host.so)", "load"};
  const ForeignCall call(kLoad);
  StencilHostBytes error{};
  StencilHostProgram* program = interface_->load(object.data(), object.size(), &error);
  if (program != nullptr) return HostKernels(program, interface_->unload);
  return Failure{"R042", "the compiled kernels cannot be loaded: " + taken(*interface_, error), ""};
}

namespace {

// A CFile in the form of the library's C interface; refers to `file`.
struct Bordered {
  explicit Bordered(const CFile& file) {
    for (const std::string& flag : file.flags) flags.push_back(flag.c_str());
    as = {file.path.c_str(),     file.function.c_str(), flags.data(), flags.size(),
          file.database.c_str(), file.text.c_str(),     file.seconds};
  }
  std::vector<const char*> flags;
  StencilHostCFile as;
};

CFailure failure_of_reading(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == '\x1f') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != 5) return {"C001", 0, 0, text, "", ""};
  const auto number = [](const std::string& part) { return parse_number<int>(part).value_or(0); };
  CFailure out{parts[0], number(parts[1]), number(parts[2]), parts[3], parts[4], ""};
  if (const size_t bar = out.message.find('\x1e'); bar != std::string::npos) {
    out.file = out.message.substr(bar + 1);
    out.message.resize(bar);
  }
  return out;
}

}  // namespace

std::variant<std::string, CFailure> HostLibrary::read_c(const CFile& file) const {
  static constexpr ForeignFunction kRead{"Clang (libstencil_host.so)", "read_c"};
  const ForeignCall call(kRead);
  const Bordered bordered(file);
  StencilHostBytes out{};
  const bool read = interface_->read_c(&bordered.as, &out) == 0;
  std::string text = taken(*interface_, out);
  if (read) return text;
  return failure_of_reading(text);
}

Result<std::string> HostLibrary::compile_c(const CFile& file, const std::string& added) const {
  static constexpr ForeignFunction kCompile{"LLVM (libstencil_host.so)", "compile_c"};
  const ForeignCall call(kCompile);
  const Bordered bordered(file);
  StencilHostBytes out{};
  const bool done = interface_->compile_c(&bordered.as, added.data(), added.size(), &out) == 0;
  std::string text = taken(*interface_, out);
  if (done) return text;
  return Failure{"R042", fmt::format("the C file cannot be compiled\n{}", text), ""};
}

Result<HostKernels> HostLibrary::load_c(const std::string& object) const {
  static constexpr ForeignFunction kLoad{"LLVM (libstencil_host.so)", "load_c"};
  const ForeignCall call(kLoad);
  StencilHostBytes error{};
  StencilHostProgram* program = interface_->load_c(object.data(), object.size(), &error);
  if (program != nullptr) return HostKernels(program, interface_->unload);
  return Failure{"R042", "the compiled C cannot be loaded: " + taken(*interface_, error), ""};
}

}  // namespace stencil::runtime
