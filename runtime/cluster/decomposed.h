// A program on several devices of this process: a LoadedProgram like others, whose sessions have
// one session for each part, in a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/driver/cutting.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// The device of each part, by what the user names: "cuda" stands for cuda:0, cuda:1, ..., as many
// as there are parts; R041 if there are fewer. Other devices have all parts.
Result<std::vector<std::string>> devices_of_parts(const std::string& device, int parts);

// Like KnownLines, for a part.
using KnownPartLines =
    std::function<std::optional<KnownLine>(const ir::Program& part, const ChosenDevice& device)>;

// A cut that stands, and the schedule of the parts.
struct SettledCut {
  ir::Program program;  // at sizes
  decompose::Decomposition decomposition;
  std::string line;
  std::string origin;  // KnownLine
};
// Cuts the program, whose params have these values, for parts that have such a device. R045, R052,
// or errors in `diagnostics` (code "").
Result<SettledCut> settle_cut(const ir::Program& program, const std::vector<int64_t>& integers,
                              const CutRequest& request, const ChosenDevice& device,
                              const Link& link, const std::string& schedule_line,
                              Diagnostics& diagnostics, const KnownPartLines& known);
// One of the parts, whose program goes to `program`. A part that refuses the line chooses for
// itself, unless the line is the user's.
Result<Prepared> prepare_part(const SettledCut& cut, int part, const std::string& device,
                              const std::string& schedule_line, ir::Program& program,
                              Diagnostics& diagnostics);

// A decomposed program whose parts have been loaded, each on a device: a program like others.
std::unique_ptr<LoadedProgram> assemble_parts(ir::Program at_sizes,
                                              decompose::Decomposition decomposition,
                                              std::vector<ir::Program> parts,
                                              std::vector<std::unique_ptr<LoadedProgram>> loaded);

// Cuts the program, whose params have these values, and prepares all parts. The parts get one
// schedule, but for those that refuse it. Otherwise like prepare().
Result<Prepared> prepare_parts(const ir::Program& program, const std::vector<int64_t>& integers,
                               const CutRequest& request, const std::string& device,
                               const std::string& schedule_line, Diagnostics& diagnostics,
                               const StageCallback& stage = {}, const KnownPartLines& known = {});

}  // namespace stencil::runtime
