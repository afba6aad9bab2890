// VTK ImageData files (.vti) for ParaView.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/io/new_files.h"
#include "runtime/io/selection.h"

namespace stencil::runtime {

// R031 if the selections cannot be in one .vti file: rank above 3, or fields on different boxes.
Status check_vti(const ir::Program& program, const std::vector<Selection>& selections);

// The selected values as point data of one ImageData: one array per scalar component, and one
// multi-component array per vector of one type ("S.u"). Array names are those of the program ("U",
// "U@-1", "S.rho"); half and bfloat become Float32, bool becomes UInt8. The extent is the fields'
// box in grid indices; origin and spacing are the grid's at the state's params; VTK's x is the last
// dimension. Values are appended as raw binary after the XML, little-endian, with UInt64 sizes.
// R031 as check_vti(), and for fields without points. Only params and field shapes of `state` are
// used.
Result<NewFile> vti_file(const std::string& path, const ir::Program& program,
                         const reference::State& state, const std::vector<Selection>& selections);

}  // namespace stencil::runtime
