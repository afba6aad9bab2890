// Reports as the exploration makes them, for tests of their forms.
#pragma once

#include <cstddef>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// jacobi3d at N=512 on an H200: schedule lines, rates and registers as measured for
// benchmarks/results/search-h200.json at N=320, boxes as `stencilc explain` has them; the model's
// numbers are of a like size.
Report jacobi_sample();

// The same with so many candidates, of every family and T from 1 to 8; the first 40 are measured.
Report large_sample(size_t candidates);

// A tile that does not stream, in one and in two dimensions, with two functions in the latter.
Report line_sample();
Report plane_sample();

// Every schedule has T=1.
Report single_sample();

// Nothing fits.
Report empty_sample();

// Every text is an attempt to be markup, to end the script or to fill a hole of the template.
Report hostile_sample();

}  // namespace stencil::explore
