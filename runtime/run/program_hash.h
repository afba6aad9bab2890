// An identifier of a program's computation.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/program.h"

namespace stencil::runtime {

// 64-bit FNV-1a of the program's IR as text. It excludes name, number of steps, the axes of the
// grid (which only label points; functions that use them contain the values), and the values of
// params that are not compiled in.
uint64_t hash_of(ir::Program program);
// 64-bit FNV-1a.
uint64_t hash_of(const std::string& text);

}  // namespace stencil::runtime
