// The exported symbol. No exception leaves the functions of this interface.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "runtime/host/c_files.h"
#include "runtime/host/compile.h"
#include "runtime/host/interface.h"
#include "runtime/host/load.h"
#include "runtime/host/parallel.h"

namespace stencil::host {

namespace {

// The data is null if memory has run out.
StencilHostBytes bytes_of(const char* text, size_t size) {
  char* data = static_cast<char*>(std::malloc(size + 1));
  if (data == nullptr) return {nullptr, 0};
  std::memcpy(data, text, size);
  data[size] = '\0';
  return {data, size};
}
StencilHostBytes bytes_of(const char* text) {
  return bytes_of(text, std::strlen(text));
}

// Runs `work` and converts its result or exception to a return value of the interface.
template <class Work>
int32_t delivered(StencilHostBytes* out, Work work) {
  try {
    const Compiled compiled = work();
    *out = bytes_of(compiled.text.data(), compiled.text.size());
    return compiled.ok && out->data != nullptr ? 0 : 1;
  } catch (const std::exception& error) {
    *out = bytes_of(error.what());
    return 1;
  }
}

int32_t compile_source(const char* source, size_t size, const StencilHostOptions* options,
                       StencilHostBytes* out) {
  return delivered(out, [&] { return compile(std::string(source, size), *options); });
}

template <bool open>
StencilHostProgram* load_object(const char* object, size_t size, StencilHostBytes* error) {
  try {
    std::string text;
    auto program = load(std::string(object, size), text, open);
    if (!program) *error = bytes_of(text.data(), text.size());
    return program.release();
  } catch (const std::exception& exception) {
    *error = bytes_of(exception.what());
    return nullptr;
  }
}

int32_t run_blocks(StencilHostKernel kernel, void* const* arguments, int64_t blocks) {
  try {
    run(kernel, arguments, blocks);
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

constexpr StencilHostInterface kInterface = {
    STENCIL_HOST_VERSION,
    [] { return description().c_str(); },
    [] { return target().c_str(); },
    compile_source,
    load_object<false>,
    [](StencilHostProgram* program, const char* name) { return program->find(name); },
    [](StencilHostProgram* program) { delete program; },
    [](StencilHostBytes* bytes) {
      std::free(bytes->data);
      *bytes = {nullptr, 0};
    },
    [](const StencilHostCFile* file, StencilHostBytes* out) {
      return delivered(out, [&] { return read_c_file(*file); });
    },
    [](const StencilHostCFile* file, const char* added, size_t size, StencilHostBytes* out) {
      return delivered(out, [&] { return compile_c_file(*file, std::string(added, size)); });
    },
    load_object<true>,
    [] { return static_cast<int32_t>(threads()); },
    run_blocks,
};

}  // namespace

}  // namespace stencil::host

// If Clang is a shared library, and the program itself links another version of it, then the
// dynamic linker takes Clang's functions from there: libclang-cpp.so has no symbol versions.
const StencilHostInterface* stencil_host_interface() {
  if (!stencil::host::is_own_clang()) return nullptr;
  return &stencil::host::kInterface;
}
