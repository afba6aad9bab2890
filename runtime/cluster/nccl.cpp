// Opens NCCL. Version numbers are 1000 * major + 100 * minor + patch up to 2.8, and 10000 * major +
// 100 * minor + patch from 2.9 on.
#include "runtime/cluster/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/devices/shared_library.h"

namespace stencil::runtime::nccl {

namespace {

constexpr const char* kNccl = "libnccl.so.2";

template <class Function>
void find_in(void* library, Function& function, const char* symbol, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr && missing.empty()) missing = symbol;
}

std::string nccl_version_text(int number) {
  const int major = number < 10000 ? number / 1000 : number / 10000;
  const int minor = number < 10000 ? number % 1000 / 100 : number % 10000 / 100;
  return fmt::format("{}.{}.{}", major, minor, number % 100);
}

Library open_nccl() {
  Library out;
  void* const library = dlopen(kNccl, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    out.missing = fmt::format("NCCL ({}) {}", kNccl, why_not_opened(kNccl));
    return out;
  }
  std::string symbol, ignored;
  find_in(library, out.ncclGetVersion, "ncclGetVersion", symbol);
  find_in(library, out.ncclGetErrorString, "ncclGetErrorString", symbol);
  find_in(library, out.ncclGetUniqueId, "ncclGetUniqueId", symbol);
  find_in(library, out.ncclCommInitRank, "ncclCommInitRank", symbol);
  find_in(library, out.ncclCommDestroy, "ncclCommDestroy", symbol);
  find_in(library, out.ncclCommAbort, "ncclCommAbort", symbol);
  find_in(library, out.ncclCommGetAsyncError, "ncclCommGetAsyncError", symbol);
  find_in(library, out.ncclGroupStart, "ncclGroupStart", symbol);
  find_in(library, out.ncclGroupEnd, "ncclGroupEnd", symbol);
  find_in(library, out.ncclSend, "ncclSend", symbol);
  find_in(library, out.ncclRecv, "ncclRecv", symbol);
  find_in(library, out.ncclGetLastError, "ncclGetLastError", ignored);
  int version = 0;
  if (!symbol.empty()) {
    out.missing = fmt::format("{} lacks {}: NCCL 2.7 or newer is needed", kNccl, symbol);
  } else if (out.ncclGetVersion(&version) != 0) {
    out.missing = "NCCL does not report its version";
  } else {
    out.version = nccl_version_text(version);
  }
  return out;
}

}  // namespace

const Library& library() {
  static const Library nccl = open_nccl();
  return nccl;
}

std::string error_text(Code code) {
  const Library& nccl = library();
  const std::string text = nccl.ncclGetErrorString(code);
  const char* last = nccl.ncclGetLastError != nullptr ? nccl.ncclGetLastError(nullptr) : nullptr;
  return last != nullptr && *last != '\0' ? fmt::format("{} ({})", text, last) : text;
}

}  // namespace stencil::runtime::nccl
