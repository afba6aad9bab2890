// VTK ImageData files (.vti), as ParaView reads them.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/io/new_files.h"
#include "runtime/io/selection.h"

namespace stencil::runtime {

// Why these cannot be in one .vti file: a rank above 3, or fields on different boxes of points.
// R031.
Status check_vti(const ir::Program& program, const std::vector<Selection>& selections);

// The selected values as point data of one ImageData: an array per scalar leaf, and one array of
// several components per vector of one type ("S.u"). Names are those of the program ("U", "U@-1",
// "S.rho"); half and bfloat become Float32, bool UInt8. The extent is that of the fields' box in
// the grid's indices, origin and spacing are those of the grid at the state's params, and VTK's x
// is the last dimension. Values are appended raw behind the XML, with sizes as UInt64,
// little-endian. R031 as check_vti(), and for fields without points. Of `state` the params and the
// shapes of fields count.
Result<NewFile> vti_file(const std::string& path, const ir::Program& program,
                         const reference::State& state, const std::vector<Selection>& selections);

}  // namespace stencil::runtime
