// What stands behind a Program, and what users say of it: names, values, texts.
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
  std::set<std::string> defined = {};  // params of Options::definitions

  static Program wrap(std::shared_ptr<const ProgramData> data) { return Program(std::move(data)); }
};

// The errors among `diagnostics` as a failure: the first by itself, all of them rendered.
Failure failure_of(const Source& source, const Diagnostics& diagnostics);

// The program's entry of that name; R070 with the nearest name if there is none. `kind` for the
// message: "param".
Failure unknown(const std::string& kind, const std::string& name,
                const std::vector<std::string>& known);

// Params of a run: those of the program, with `values` for what is given later. R050, R051, R070,
// R074.
Result<runtime::Params> bind(const ir::Program& program, const ParamValues& values);
// A float param's value; R051.
Result<double> real_value(const ir::Param& param, const std::string& text);

}  // namespace stencil::api
