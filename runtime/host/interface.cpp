// The exported symbol, and the border that no exception crosses.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "runtime/host/compile.h"
#include "runtime/host/interface.h"
#include "runtime/host/load.h"
#include "runtime/host/parallel.h"

namespace stencil::host {

namespace {

// Empty where memory has run out.
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

int32_t compile_source(const char* source, size_t size, const StencilHostOptions* options,
                       StencilHostBytes* out) {
  try {
    const Compiled compiled = compile(std::string(source, size), *options);
    *out = bytes_of(compiled.text.data(), compiled.text.size());
    return compiled.ok && out->data != nullptr ? 0 : 1;
  } catch (const std::exception& error) {
    *out = bytes_of(error.what());
    return 1;
  }
}

StencilHostProgram* load_object(const char* object, size_t size, StencilHostBytes* error) {
  try {
    std::string text;
    auto program = load(std::string(object, size), text);
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
    load_object,
    [](StencilHostProgram* program, const char* name) { return program->find(name); },
    [](StencilHostProgram* program) { delete program; },
    [](StencilHostBytes* bytes) {
      std::free(bytes->data);
      *bytes = {nullptr, 0};
    },
    [] { return static_cast<int32_t>(threads()); },
    run_blocks,
};

}  // namespace

}  // namespace stencil::host

const StencilHostInterface* stencil_host_interface() {
  return &stencil::host::kInterface;
}
