// The implementation of Program, and look-ups of the names and values that users give.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"
#include "compiler/support/source.h"
#include "runtime/run/run.h"
#include "stencil/program.h"

namespace stencil::api {

struct ProgramData {
  Source source;
  ir::Program program;
  std::string warnings;
  std::vector<FieldInfo> fields;
  std::vector<ParamInfo> params;
  std::vector<ReductionInfo> reductions;
  std::set<std::string> defined = {};  // params in Options::definitions

  static Program wrap(std::shared_ptr<const ProgramData> data) { return Program(std::move(data)); }
};

// Turns the errors in `diagnostics` into one failure. It has the code and message of the first
// error and the rendered text of all.
Failure failure_of(const Source& source, const Diagnostics& diagnostics);

// The failure R070 for an unknown name, with the most similar known name as hint. `kind` names its
// kind in the message: "param".
Failure unknown(const std::string& kind, const std::string& name,
                const std::vector<std::string>& known);

// The params of a run. `values` replaces the program's defaults, except for params compiled into
// the kernels. R050, R051, R070, R074.
Result<runtime::Params> bind(const ir::Program& program, const ParamValues& values);
// Parses the value of a float param. R051.
Result<double> real_value(const ir::Param& param, const std::string& text);

}  // namespace stencil::api
