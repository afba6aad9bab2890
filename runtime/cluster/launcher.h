// What the environment says of who started this process.
#pragma once

#include <string>

namespace stencil::runtime {

// A process that a launcher of MPI (mpiexec, mpirun, srun) started, as one of several perhaps.
struct Launched {
  int processes = 0;     // 0: the launcher does not say, or there is none
  std::string variable;  // that says so; "": no launcher is known
};

Launched launched();

}  // namespace stencil::runtime
