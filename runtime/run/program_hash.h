// A name for what a program computes.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/program.h"

namespace stencil::runtime {

// 64-bit FNV-1a of the program's IR as text, without its name, its number of steps, the axes of its
// grid, which label points (what functions compute from them is in the functions), and the values
// of params that are not part of the code.
uint64_t hash_of(ir::Program program);
// 64-bit FNV-1a.
uint64_t hash_of(const std::string& text);

}  // namespace stencil::runtime
