// Propagates failures to the caller: TRY(f()) is the value of the Result that f() returns, or
// returns its failure from the enclosing function (STENCIL_TRY, without the prefix that a public
// header needs).
#pragma once

#include "stencil/result.h"

#define TRY(...) STENCIL_TRY(__VA_ARGS__)
