// Includes the whole API: programs, devices, runs. docs/reference/api.md is the guide.
#pragma once

#include "stencil/builder.h"
#include "stencil/device.h"
#include "stencil/files.h"
#include "stencil/lift.h"
#include "stencil/program.h"
#include "stencil/ranks.h"
#include "stencil/result.h"
#include "stencil/simulation.h"
#include "stencil/state.h"
#include "stencil/version.h"
#include "stencil/view.h"
