// Sample reports as the exploration makes them.
#pragma once

#include <cstddef>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// jacobi3d at N=512 on an H200. Schedule lines, rates and registers were measured for
// benchmarks/results/search-h200.json at N=320; boxes are those of `stencilc explain`. The model's
// numbers are plausible, not computed.
Report jacobi_sample();

// The same with `candidates` candidates, of every family and T from 1
// to 8; the first 40 are measured.
Report large_sample(size_t candidates);

// Tiles that do not stream, in one and two dimensions. plane_sample() has two functions.
Report line_sample();
Report plane_sample();

// Every schedule has T=1.
Report single_sample();

// No schedule fits.
Report empty_sample();

// Every text tries to be markup, to end the script or to fill a placeholder of the template.
Report hostile_sample();

}  // namespace stencil::explore
