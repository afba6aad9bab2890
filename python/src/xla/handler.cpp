// The extension module stencilc._xla: handlers of XLA's foreign function interface, for
// stencilc.jax.
//
// XLA calls a handler with the addresses of a call's arrays. The handler passes them to Python
// (stencilc/_calls.py), which starts a simulation that works in these arrays. So the rules for
// arrays are those of Program.start(), and only this file depends on XLA's headers. They come with
// jaxlib and are not part of this repository.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace stencil::python {

namespace {

namespace nb = nanobind;
namespace ffi = xla::ffi;

// The function of Python that takes the steps. It is never released, because XLA may call a handler
// for as long as the process lives.
nb::object& take_steps() {
  static auto* const function = new nb::object;
  return *function;
}

nb::tuple described(const ffi::AnyBuffer& buffer) {
  return nb::make_tuple(reinterpret_cast<uintptr_t>(buffer.untyped_data()), buffer.size_bytes());
}

// `gpu`: the number of the GPU, or -1 for arrays in host memory.
ffi::Error call(int32_t gpu, void* stream, ffi::RemainingArgs operands, ffi::RemainingRets results,
                std::string_view key) {
  const nb::gil_scoped_acquire held;
  try {
    nb::list given;
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto operand = operands.get<ffi::AnyBuffer>(i);
      if (operand.has_error()) return operand.error();
      given.append(described(*operand));
    }
    nb::list found;
    for (size_t i = 0; i < results.size(); ++i) {
      auto result = results.get<ffi::AnyBuffer>(i);
      if (result.has_error()) return result.error();
      found.append(described(**result));
    }
    const nb::object message = take_steps()(nb::str(key.data(), key.size()), gpu,
                                            reinterpret_cast<uintptr_t>(stream), given, found);
    if (message.is_none()) return ffi::Error::Success();
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, nb::str(message).c_str());
  } catch (const std::exception& error) {
    return ffi::Error(ffi::ErrorCode::kInternal, error.what());
  }
}

ffi::Error call_on_host(ffi::RemainingArgs operands, ffi::RemainingRets results,
                        std::string_view key) {
  return call(-1, nullptr, operands, results, key);
}

ffi::Error call_on_gpu(void* stream, int32_t gpu, ffi::RemainingArgs operands,
                       ffi::RemainingRets results, std::string_view key) {
  return call(gpu, stream, operands, results, key);
}

XLA_FFI_DEFINE_HANDLER(
    kOnHost, call_on_host,
    ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attr<std::string_view>("key"));

// Not marked as usable in a CUDA graph: a simulation is started for each call.
XLA_FFI_DEFINE_HANDLER(kOnGpu, call_on_gpu,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("key"));

}  // namespace

}  // namespace stencil::python

NB_MODULE(_xla, module) {
  using namespace stencil::python;
  nb::set_leak_warnings(false);
  // The version of the interface. XLA calls handlers of its own version and of older ones.
  module.attr("API_VERSION") = nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
  // `take_steps`(key, gpu, stream, operands, results): returns the text of an error, or None.
  module.def(
      "handlers",
      [](nb::object function) {
        take_steps() = std::move(function);
        nb::dict by_platform;
        by_platform["cpu"] = nb::capsule(reinterpret_cast<void*>(kOnHost));
        by_platform["CUDA"] = nb::capsule(reinterpret_cast<void*>(kOnGpu));
        return by_platform;
      },
      nb::arg("take_steps"));
}
