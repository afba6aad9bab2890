// Decodes instructions of NVIDIA GPUs as far as needed to count them: kinds, branches, loops.
//
// NVIDIA documents the names of instructions but not their encoding. The encoding here was
// determined with the compiler of CUDA 13.0: from kernels with a single instruction (inline PTX and
// CUDA C++, for sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 and sm_120), and from kernels with known
// loops for every architecture that it supports, which the test compiles again. sass.cpp has the
// tables. Other architectures, and kernels with constructs that are not understood, such as
// computed jumps, give no result.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stencil::runtime {

constexpr int64_t kInstructionBytes = 16;  // from sm_70 on

// Number of instructions by kind. Other kinds (integers, comparisons, moves, special functions)
// cause no stalls like those below and count only in `all`.
struct InstructionMix {
  int64_t all = 0;       // without NOPs
  int64_t local = 0;     // thread-local memory: spills, arrays (LDL, STL)
  int64_t global = 0;    // loads, stores, asynchronous copies (LDG, STG, LDGSTS)
  int64_t shared = 0;    // loads, stores (LDS, STS)
  int64_t shuffles = 0;  // SHFL
  int64_t singles = 0;   // on float: FFMA, FADD, FMUL; FFMA2, FADD2, FMUL2 count twice
  int64_t doubles = 0;   // DFMA, DADD, DMUL
  int64_t barriers = 0;  // BAR
  int64_t branches = 0;  // BRA, calls, and reconvergence instructions
  // Bytes written per thread.
  int64_t global_written = 0;  // STG
  int64_t shared_written = 0;  // STS, LDGSTS
  int64_t arithmetic() const { return singles + doubles; }
};

// A natural loop: its head dominates its other instructions. Called subroutines (slow paths of
// division and square root) and out-of-line code for diverged warps do not belong to it.
struct MachineLoop {
  int64_t first = 0, last = 0;  // instruction numbers; others may lie in between
  int depth = 1;                // 1: outermost
  int outer = -1;               // number of the enclosing loop; -1: none
  InstructionMix mix;           // of one iteration that executes both sides of every branch
};

struct MachineWork {
  InstructionMix mix;              // of the whole kernel, including subroutines
  InstructionMix reached;          // of the code reached without calls
  std::vector<MachineLoop> loops;  // outer loops before inner ones
};

// Whether instructions of sm_<architecture> can be decoded.
bool knows_instructions(int architecture);

// Analyses a kernel. `code` is its section, for sm_<architecture>; execution starts at instruction
// `entry`. `exits`, if known, lists where EXIT instructions must be. nullopt if the architecture or
// the code is not understood.
std::optional<MachineWork> work_of(std::string_view code, int architecture, int64_t entry,
                                   const std::optional<std::vector<int64_t>>& exits);

// The loop that presumably takes most of the kernel's time. A kernel may contain a loop in several
// versions, for the interior and for the edges of the grid. So the candidates are the innermost
// loops with about the most arithmetic (without arithmetic: the most loads and stores). The
// candidate with the fewest instructions is returned. Null: the kernel computes outside of loops.
const MachineLoop* hottest_loop(const MachineWork& work);

}  // namespace stencil::runtime
