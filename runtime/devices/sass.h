// The instructions of NVIDIA GPUs, as far as counting them takes: kinds, branches, loops.
//
// NVIDIA documents their names, not their bits. What is known here was found out with the compiler
// of CUDA 13.0: from kernels of one instruction (inline PTX and CUDA C++, for sm_75, sm_80, sm_86,
// sm_89, sm_90, sm_100 and sm_120), and from kernels with loops of known contents for every
// architecture that it knows, which the test compiles again; sass.cpp has the tables. For an
// architecture that was not looked at in this way nothing is said, and neither where a kernel has
// something that is not understood, as a jump to a computed place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stencil::runtime {

constexpr int64_t kInstructionBytes = 16;  // from sm_70 on

// How many instructions there are of each kind. What waits for nothing of these (integers,
// comparisons, moves, special functions) is in `all` alone.
struct InstructionMix {
  int64_t all = 0;       // without NOPs
  int64_t local = 0;     // loads and stores of a thread's own memory: spills, arrays (LDL, STL)
  int64_t global = 0;    // loads, stores, asynchronous copies (LDG, STG, LDGSTS)
  int64_t shared = 0;    // loads, stores (LDS, STS)
  int64_t shuffles = 0;  // SHFL
  int64_t singles = 0;   // of float: FFMA, FADD, FMUL; FFMA2, FADD2, FMUL2 count as two
  int64_t doubles = 0;   // DFMA, DADD, DMUL
  int64_t barriers = 0;  // BAR
  int64_t branches = 0;  // BRA, calls, and what lets the threads of a warp meet again
  // Bytes that a thread writes.
  int64_t global_written = 0;  // STG
  int64_t shared_written = 0;  // STS, LDGSTS
  int64_t arithmetic() const { return singles + doubles; }
};

// A natural loop: its head is on every way to its other instructions. Subroutines that it calls
// (slow ways of divisions and square roots), and code for divergent warps that is kept out of line,
// are not part of it.
struct MachineLoop {
  int64_t first = 0, last = 0;  // numbers of the instructions in the kernel, others may lie between
  int depth = 1;                // 1: in no other loop
  int outer = -1;               // number of the loop around it; -1: none
  InstructionMix mix;           // of one iteration that takes every branch's both sides
};

struct MachineWork {
  InstructionMix mix;              // of the whole kernel, subroutines included
  InstructionMix reached;          // of what is reached without calls
  std::vector<MachineLoop> loops;  // outer ones before those in them
};

// True if instructions of sm_<architecture> are known.
bool knows_instructions(int architecture);

// The work of a kernel: `code` is its section (sm_<architecture>), which it enters at instruction
// `entry` and leaves at `exits`, if they are known, where its EXITs must be. Nothing if the
// architecture is not known, or the code is not understood.
std::optional<MachineWork> work_of(std::string_view code, int architecture, int64_t entry,
                                   const std::optional<std::vector<int64_t>>& exits);

// The loop in which the kernel presumably spends its time. A kernel has versions of a loop for the
// inside of the grid and for its edges, which compute the same: so of the innermost loops that
// compute, and have about the most arithmetic (loads and stores, if the kernel has no arithmetic),
// the one with the fewest instructions. Null: what the kernel does, it does outside of loops.
const MachineLoop* hottest_loop(const MachineWork& work);

}  // namespace stencil::runtime
