// The OpenCL loader, opened at run time. The OpenCL headers are used only for types.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <string>

#include "runtime/devices/foreign_call.h"
#include "stencil/result.h"

namespace stencil::runtime::opencl {

// clang-format off
#define STENCIL_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs) \
  X(clGetPlatformInfo) \
  X(clGetDeviceIDs) \
  X(clGetDeviceInfo) \
  X(clCreateContext) \
  X(clCreateCommandQueue) \
  X(clReleaseCommandQueue) \
  X(clCreateProgramWithSource) \
  X(clBuildProgram) \
  X(clGetProgramBuildInfo) \
  X(clGetProgramInfo) \
  X(clReleaseProgram) \
  X(clRetainProgram) \
  X(clCreateKernel) \
  X(clReleaseKernel) \
  X(clGetKernelWorkGroupInfo) \
  X(clSetKernelArg) \
  X(clCreateBuffer) \
  X(clReleaseMemObject) \
  X(clEnqueueWriteBufferRect) \
  X(clEnqueueReadBufferRect) \
  X(clEnqueueReadBuffer) \
  X(clEnqueueFillBuffer) \
  X(clEnqueueCopyBuffer) \
  X(clWaitForEvents) \
  X(clReleaseEvent) \
  X(clEnqueueNDRangeKernel) \
  X(clFinish)
// clang-format on

// A function of the library; calls are marked as ForeignCall.
template <class Pointer>
struct Entry {
  Pointer function = nullptr;
  ForeignFunction called = {};
  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    const ForeignCall call(called);
    return function(arguments...);
  }
};

struct Library {
#define STENCIL_DECLARE(name) Entry<decltype(&::name)> name;
  STENCIL_OPENCL_FUNCTIONS(STENCIL_DECLARE)
#undef STENCIL_DECLARE
  std::string missing;  // why OpenCL cannot be used; empty if it can
};

// Opened on the first call and never closed.
const Library& library();

// Name of the implementation for messages, as soon as it is known.
extern char implementation[256];

// R043 if memory does not suffice, otherwise R044.
Failure driver_failure(const std::string& what, cl_int error);

}  // namespace stencil::runtime::opencl
