// Propagates failures to the caller: TRY(f()) is the value of the Result that f() returns. If f()
// fails, TRY returns the failure from the enclosing function. It is STENCIL_TRY without the prefix;
// a public header needs the prefix.
#pragma once

#include "stencil/result.h"

#define TRY(...) STENCIL_TRY(__VA_ARGS__)
