// A decomposed program on several devices of this process. It is a LoadedProgram whose sessions
// hold one session per subdomain, each in its own thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/driver/cutting.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// The device of each subdomain, from the user's device name. "cuda" gives cuda:0, cuda:1, ..., one
// per subdomain (R041 if there are fewer GPUs). Any other name gives that device to all of them.
Result<std::vector<std::string>> devices_of_subdomains(const std::string& device, int subdomains);

// KnownLines (devices/device.h) for one subdomain.
using KnownSubdomainLines = std::function<std::optional<KnownLine>(const ir::Program& subdomain,
                                                                   const ChosenDevice& device)>;

// The final decomposition, and the schedule line of the subdomains.
struct SettledCut {
  ir::Program program;  // with all sizes known
  decompose::Decomposition decomposition;
  std::string line;
  std::string origin;  // KnownLine
};
// Decomposes the program at these values of integer params for subdomains on `device`. Errors:
// R045, R052, or code "" with the errors in `diagnostics`.
Result<SettledCut> settle_cut(const ir::Program& program, const std::vector<int64_t>& integers,
                              const CutRequest& request, const ChosenDevice& device,
                              const Link& link, const std::string& schedule_line,
                              Diagnostics& diagnostics, const KnownSubdomainLines& known);
// Compiles one subdomain and stores its program in `program`. If the subdomain cannot use the
// common schedule line, it chooses its own schedule, unless the user gave the line.
Result<Prepared> prepare_subdomain(const SettledCut& cut, int subdomain, const std::string& device,
                                   const std::string& schedule_line, ir::Program& program,
                                   Diagnostics& diagnostics);

// A decomposed program from subdomains that are already loaded on their devices.
std::unique_ptr<LoadedProgram> assemble_subdomains(
    ir::Program at_sizes, decompose::Decomposition decomposition,
    std::vector<ir::Program> subdomains, std::vector<std::unique_ptr<LoadedProgram>> loaded);

// Like prepare(), for all subdomains: decomposes the program at these values of integer params and
// prepares each subdomain. The subdomains share one schedule; a subdomain that cannot use it
// chooses its own.
Result<Prepared> prepare_subdomains(const ir::Program& program,
                                    const std::vector<int64_t>& integers, const CutRequest& request,
                                    const std::string& device, const std::string& schedule_line,
                                    Diagnostics& diagnostics, const StageCallback& stage = {},
                                    const KnownSubdomainLines& known = {});

}  // namespace stencil::runtime
