// Detects from the environment whether an MPI launcher started this process.
#pragma once

#include <string>

namespace stencil::runtime {

// A process started by an MPI launcher (mpiexec, mpirun, srun), possibly one of several.
struct Launched {
  int processes = 0;     // 0: no launcher, or it does not give the number
  std::string variable;  // environment variable that shows it; "": no known launcher
};

Launched launched();

}  // namespace stencil::runtime
