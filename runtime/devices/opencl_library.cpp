#include "runtime/devices/opencl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/devices/shared_library.h"

namespace stencil::runtime::opencl {

char implementation[256] = "the OpenCL implementation (libOpenCL.so.1)";

namespace {

Library open_library() {
  Library cl;
  constexpr const char* kFile = "libOpenCL.so.1";
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    cl.missing = fmt::format("the OpenCL loader ({}) {}", kFile, why_not_opened(kFile));
    return cl;
  }
#define STENCIL_LOOK_UP(name)                                                                     \
  cl.name = {reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)), {implementation, #name}}; \
  if (cl.name.function == nullptr) cl.missing = "libOpenCL.so.1 lacks " #name;
  STENCIL_OPENCL_FUNCTIONS(STENCIL_LOOK_UP)
#undef STENCIL_LOOK_UP
  return cl;
}

}  // namespace

const Library& library() {
  static const Library cl = open_library();
  return cl;
}

Failure driver_failure(const std::string& what, cl_int error) {
  const bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                      error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE;
  return {memory ? "R043" : "R044", fmt::format("OpenCL failed {} (error {})", what, error),
          memory ? "the device may lack memory: use smaller sizes (-D)" : ""};
}

}  // namespace stencil::runtime::opencl
