// Defaults for optional operations of devices.
#include "runtime/devices/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/support/try.h"
#include "runtime/io/field_files.h"

namespace stencil::runtime {

Result<std::unique_ptr<Session>> LoadedProgram::attach(reference::State&,
                                                       const DeviceArrays&) const {
  return Failure{"R045", "the device cannot use the caller's device memory",
                 "give arrays in host memory"};
}

Result<std::unique_ptr<Session>> LoadedProgram::start_from(reference::State& state,
                                                           const std::vector<FieldFile>&) const {
  return start(state);
}

Result<std::unique_ptr<Session>> LoadedProgram::start_subdomain(reference::State&,
                                                                Communicator&) const {
  return Failure{"R045", "the device does not support decomposed programs",
                 "use cuda, host or opencl"};
}

Result<std::unique_ptr<Session>> LoadedProgram::take_over(reference::State& state,
                                                          Session& giver) const {
  TRY(giver.finish());
  return start(state);
}

Result<double> LoadedProgram::copy_seconds(int64_t) const {
  return Failure{"R045", "the device cannot copy within its own memory", ""};
}

Result<std::string> LoadedProgram::code(CodeKind kind) const {
  const char* const what[] = {"source text", "PTX", "machine code"};
  return Failure{"R045", fmt::format("this device has no {}", what[static_cast<int>(kind)]), ""};
}

bool names_device(const std::string& selector, const std::string& name) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(name.begin(), name.end(), selector.begin(), selector.end(), same) !=
             name.end() ||
         selector.empty();
}

}  // namespace stencil::runtime
