// Loops are found as in compilers: basic blocks, dominators (Cooper, Harvey and Kennedy, "A simple,
// fast dominance algorithm", 2001), and for each back edge to a dominator the blocks that reach it.
// The range between a backward branch and its target would not suffice: code for rare cases is
// placed after the loop and branches back into its middle.
#include "runtime/devices/sass.h"

#include <algorithm>
#include <array>
#include <map>

namespace stencil::runtime {

namespace {

// --- Encoding
//
// The low 12 of the 128 bits are the opcode: 9 for the operation and 3 for the kinds of operands
// (registers, constants, immediates). A kernel with one fused multiply-add has 223 with only
// registers, 423 and 823 with an immediate, 623, a23, c23 and e23 with a parameter: 023 in all
// cases and for all architectures. The other rows of kOperations were determined in the same way.

constexpr unsigned kOperationBits = 0x1ff;

enum class Kind {
  Local,
  Load,
  Store,
  CopyToShared,
  SharedLoad,
  SharedStore,
  Shuffle,
  Single,
  PackedSingle,
  Double,
  Barrier
};

struct Operation {
  unsigned code;
  Kind kind;
};

constexpr Operation kOperations[] = {
    {0x183, Kind::Local},         // LDL: 983, for a volatile local array
    {0x187, Kind::Local},         // STL: 387
    {0x181, Kind::Load},          // LDG: 381, 981
    {0x186, Kind::Store},         // STG: 386, 986
    {0x1ae, Kind::CopyToShared},  // LDGSTS: fae, from cp.async
    {0x184, Kind::SharedLoad},    // LDS: 984
    {0x188, Kind::SharedStore},   // STS: 388
    {0x189, Kind::Shuffle},       // SHFL: 389, 589, 989, f89
    {0x020, Kind::Single},        // FMUL: 220, 820, a20, c20
    {0x021, Kind::Single},        // FADD: 221, 421, 621, e21
    {0x023, Kind::Single},        // FFMA
    {0x049, Kind::PackedSingle},  // FFMA2: 249, from fma.rn.f32x2, since sm_100
    {0x04a, Kind::PackedSingle},  // FMUL2: 24a
    {0x04b, Kind::PackedSingle},  // FADD2: 24b
    {0x028, Kind::Double},        // DMUL: 228, 828, a28, c28
    {0x029, Kind::Double},        // DADD: 229, 429, 629, e29
    {0x02b, Kind::Double},        // DFMA: 22b, 42b, 62b, 82b, a2b, c2b, e2b
    {0x11d, Kind::Barrier},       // BAR: b1d
};

constexpr unsigned kNop = 0x918;

// Instructions that end a basic block. A CALL returns, so it does not.
constexpr unsigned kBranch = 0x947;
constexpr unsigned kUniformBranch = 0x547;  // by a uniform predicate, since sm_100
constexpr unsigned kExit = 0x94d;
constexpr unsigned kReturn = 0x950;
// Control-flow opcodes have these two forms and numbers. The successors of some of them are
// unknown, such as BRX (949) and BRXU (958), which branch to computed addresses.
constexpr bool is_control(unsigned opcode) {
  const unsigned form = opcode >> 8, number = opcode & 0xff;
  return (form == 9 || form == 5) && 0x40 <= number && number < 0x60;
}
// BSYNC, BREAK, CALL, BSSY, YIELD, WARPSYNC, LEPC, BMOV. BREAK, YIELD and LEPC were only seen in
// large kernels for sm_120, whose loops have the number of operations that their stencils require.
constexpr unsigned kGoOn[] = {0x941, 0x942, 0x944, 0x945, 0x946, 0x948, 0x94e, 0x956};

// Bits 32 and 33 of a branch. Shuffles and warp barriers may have out-of-line code for diverged
// warps. BRA.CONV (seen up to sm_89) jumps over a call of this code if the warp has not diverged.
// BRA.DIV (seen on sm_120) branches to this code if the warp has diverged: the code is located
// after the last EXIT and branches back into the middle of the loop.
constexpr uint64_t kIfDiverged = 2, kIfConverged = 3;

// Bits 12..15 and 87..90: the predicates of the branch. 7: always taken.
constexpr uint64_t kAlways = 7;

struct Architectures {
  int first, last;
  // The branch distance, in bytes from the next instruction, is a signed number in units of 4 bytes
  // in bits 34..81. In the later form these are its high bits, and bits 16..23 its low bits.
  bool split_distance;
  // Bits 73 to 75 of a load or store are its width: U8, S8, U16, S16, then 32, 64 and 128 bits. The
  // same holds for LDGSTS until its width moved to bits 74 and 75: 32, 64, 128.
  bool moved_width;
};
// The architectures that CUDA 13.0 supports; all were tested.
constexpr Architectures kArchitectures[] = {
    {75, 75, false, false}, {80, 80, false, false}, {86, 89, false, false}, {90, 90, true, false},
    {100, 100, true, true}, {103, 103, true, true}, {110, 110, true, true}, {120, 121, true, true}};

const Architectures* find_architecture(int architecture) {
  for (const Architectures& row : kArchitectures) {
    if (row.first <= architecture && architecture <= row.last) return &row;
  }
  return nullptr;
}

uint64_t little_endian(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t b = 8; b-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + b]);
  return value;
}

struct Instruction {
  uint64_t low, high;
  unsigned opcode() const { return low & 0xfff; }
  bool always() const { return (low >> 12 & 0xf) == kAlways && (high >> 23 & 0xf) == kAlways; }
  uint64_t branch_form() const { return low >> 32 & 3; }
  bool branches() const { return opcode() == kBranch || opcode() == kUniformBranch; }
  // Whether execution may fall through to the following instruction, apart from rare cases.
  bool goes_on() const {
    switch (opcode()) {
      case kBranch:
        return branch_form() != kIfConverged && (!always() || branch_form() != 0);
      case kExit:
      case kReturn:
        return !always();
      default:
        return true;
    }
  }
};

// In bytes, from the next instruction.
int64_t distance(const Instruction& branch, bool split) {
  const uint64_t field = branch.low >> 34 | (branch.high & 0x3ffff) << 30;  // 48 bits
  const uint64_t units = split ? field << 8 | (branch.low >> 16 & 0xff) : field;
  const int unused = split ? 8 : 16;
  return static_cast<int64_t>(units << unused) >> unused << 2;
}

// Bytes per thread that a load, store or copy moves.
int64_t width(const Instruction& access, bool moved) {
  constexpr int64_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  return moved ? int64_t{4} << (access.high >> 10 & 3) : kBytes[access.high >> 9 & 7];
}

void add(InstructionMix& mix, const Instruction& instruction, const Architectures& row) {
  const unsigned opcode = instruction.opcode();
  if (opcode == kNop) return;
  ++mix.all;
  if (is_control(opcode)) mix.branches += opcode != kExit;
  for (const Operation& operation : kOperations) {
    if (operation.code != (opcode & kOperationBits)) continue;
    switch (operation.kind) {
      case Kind::Local:
        ++mix.local;
        break;
      case Kind::Load:
        ++mix.global;
        break;
      case Kind::Store:
        ++mix.global;
        mix.global_written += width(instruction, false);
        break;
      case Kind::CopyToShared:
        ++mix.global;
        mix.shared_written += width(instruction, row.moved_width);
        break;
      case Kind::SharedLoad:
        ++mix.shared;
        break;
      case Kind::SharedStore:
        ++mix.shared;
        mix.shared_written += width(instruction, false);
        break;
      case Kind::Shuffle:
        ++mix.shuffles;
        break;
      case Kind::Single:
        ++mix.singles;
        break;
      case Kind::PackedSingle:
        mix.singles += 2;
        break;
      case Kind::Double:
        ++mix.doubles;
        break;
      case Kind::Barrier:
        ++mix.barriers;
        break;
    }
    return;
  }
}

// --- Blocks

constexpr int kNone = -1;
// Limits that no kernel exceeds if it compiles in reasonable time. The work is proportional to
// their product.
constexpr size_t kMostInstructions = size_t{1} << 18, kMostLoops = 4096;

struct BasicBlock {
  int64_t begin = 0, end = 0;  // instructions
  std::vector<int> to, from;   // blocks
  int order = kNone;           // in reverse postorder, among reachable blocks
  int dominator = kNone;       // immediate dominator
};

class Flow {
 public:
  Flow(std::vector<Instruction> code, const Architectures& row)
      : code_(std::move(code)), row_(row) {}

  // False if the code is not understood.
  bool read(int64_t entry);
  std::optional<std::vector<MachineLoop>> loops();
  InstructionMix reached() const;

 private:
  int64_t size() const { return static_cast<int64_t>(code_.size()); }
  const Instruction& at(int64_t n) const { return code_[n]; }
  BasicBlock& block(int number) { return blocks_[number]; }
  std::optional<int64_t> target(int64_t branch) const;
  bool find_leaders(int64_t entry);
  void cut();
  void put_in_order(int entry);
  int common_dominator(int a, int b);
  void find_dominators();
  bool dominates(int above, int below);
  std::vector<int> body_of(int head, const std::vector<int>& tails);
  MachineLoop describe(const std::vector<int>& body) const;

  const std::vector<Instruction> code_;
  const Architectures& row_;
  std::vector<char> leads_;  // by instruction: starts a block
  std::vector<BasicBlock> blocks_;
  std::vector<int> block_at_;  // by instruction
  std::vector<int> order_;     // blocks in reverse postorder
};

// The target of a branch, if it is within the code.
std::optional<int64_t> Flow::target(int64_t branch) const {
  const int64_t bytes = distance(at(branch), row_.split_distance);
  const int64_t reach = size() * kInstructionBytes;
  if (bytes % kInstructionBytes != 0 || bytes < -reach || bytes > reach) return std::nullopt;
  const int64_t place = branch + 1 + bytes / kInstructionBytes;
  if (place < 0 || place >= size()) return std::nullopt;
  return place;
}

bool Flow::find_leaders(int64_t entry) {
  leads_.assign(code_.size(), 0);
  leads_[0] = leads_[entry] = 1;
  for (int64_t n = 0; n < size(); ++n) {
    const Instruction& instruction = at(n);
    const unsigned opcode = instruction.opcode();
    const bool ends = instruction.branches() || opcode == kExit || opcode == kReturn;
    const bool goes_on = std::find(std::begin(kGoOn), std::end(kGoOn), opcode) != std::end(kGoOn);
    if (is_control(opcode) && !ends && !goes_on) return false;
    if (ends && n + 1 < size()) leads_[n + 1] = 1;
    if (!instruction.branches()) continue;
    const auto place = target(n);
    if (!place) return false;
    leads_[*place] = 1;
  }
  return true;
}

void Flow::cut() {
  block_at_.resize(code_.size());
  for (int64_t n = 0; n < size(); ++n) {
    if (leads_[n]) blocks_.push_back({n, n, {}, {}});
    block_at_[n] = static_cast<int>(blocks_.size()) - 1;
    blocks_.back().end = n + 1;
  }
  const auto connect = [&](int from, int64_t place) {
    const int to = block_at_[place];
    block(from).to.push_back(to);
    block(to).from.push_back(from);
  };
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
    const int64_t last = block(b).end - 1;
    const Instruction& instruction = at(last);
    if (instruction.goes_on() && last + 1 < size()) connect(b, last + 1);
    if (instruction.branches() && instruction.branch_form() != kIfDiverged) {
      connect(b, *target(last));
    }
  }
}

void Flow::put_in_order(int entry) {
  std::vector<char> seen(blocks_.size(), 0);
  std::vector<std::pair<int, size_t>> way = {{entry, 0}};  // a block and its next successor
  seen[entry] = 1;
  while (!way.empty()) {
    auto& [number, next] = way.back();
    if (next == block(number).to.size()) {
      order_.push_back(number);
      way.pop_back();
      continue;
    }
    const int to = block(number).to[next++];
    if (seen[to]) continue;
    seen[to] = 1;
    way.push_back({to, 0});
  }
  std::reverse(order_.begin(), order_.end());
  for (size_t o = 0; o < order_.size(); ++o) block(order_[o]).order = static_cast<int>(o);
}

int Flow::common_dominator(int a, int b) {
  while (a != b) {
    while (block(a).order > block(b).order) a = block(a).dominator;
    while (block(b).order > block(a).order) b = block(b).dominator;
  }
  return a;
}

void Flow::find_dominators() {
  block(order_[0]).dominator = order_[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t o = 1; o < order_.size(); ++o) {
      int best = kNone;
      for (const int from : block(order_[o]).from) {
        if (block(from).dominator == kNone) continue;
        best = best == kNone ? from : common_dominator(from, best);
      }
      if (block(order_[o]).dominator == best) continue;
      block(order_[o]).dominator = best;
      changed = true;
    }
  }
}

bool Flow::dominates(int above, int below) {
  while (block(below).order > block(above).order) below = block(below).dominator;
  return above == below;
}

bool Flow::read(int64_t entry) {
  if (!find_leaders(entry)) return false;
  cut();
  put_in_order(block_at_[entry]);
  find_dominators();
  return true;
}

// The head, and all blocks that reach a tail without passing through the head.
std::vector<int> Flow::body_of(int head, const std::vector<int>& tails) {
  std::vector<char> in(blocks_.size(), 0);
  in[head] = 1;
  std::vector<int> body = {head}, waiting = tails;
  while (!waiting.empty()) {
    const int number = waiting.back();
    waiting.pop_back();
    if (in[number]) continue;
    in[number] = 1;
    body.push_back(number);
    for (const int from : block(number).from) {
      if (block(from).order != kNone) waiting.push_back(from);
    }
  }
  std::sort(body.begin(), body.end());
  return body;
}

MachineLoop Flow::describe(const std::vector<int>& body) const {
  MachineLoop loop;
  loop.first = blocks_[body.front()].begin;
  loop.last = blocks_[body.back()].end - 1;
  for (const int number : body) {
    const BasicBlock& part = blocks_[number];
    for (int64_t n = part.begin; n < part.end; ++n) add(loop.mix, at(n), row_);
  }
  return loop;
}

InstructionMix Flow::reached() const {
  InstructionMix mix;
  for (const int number : order_) {
    const BasicBlock& part = blocks_[number];
    for (int64_t n = part.begin; n < part.end; ++n) add(mix, at(n), row_);
  }
  return mix;
}

std::optional<std::vector<MachineLoop>> Flow::loops() {
  std::map<int, std::vector<int>> tails;  // by head
  for (const int number : order_) {
    for (const int to : block(number).to) {
      if (dominates(to, number)) tails[to].push_back(number);
    }
  }
  if (tails.size() > kMostLoops) return std::nullopt;
  struct Found {
    int head;
    std::vector<int> body;
    MachineLoop loop;
  };
  std::vector<Found> found;
  for (const auto& [head, of_head] : tails) {
    std::vector<int> body = body_of(head, of_head);
    MachineLoop loop = describe(body);
    found.push_back({head, std::move(body), loop});
  }
  // Two natural loops with different heads are disjoint or nested, and the outer one is larger.
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.body.size() > b.body.size(); });
  std::vector<MachineLoop> out;
  for (size_t inner = 0; inner < found.size(); ++inner) {
    for (size_t outer = 0; outer < inner; ++outer) {
      const std::vector<int>& around = found[outer].body;
      if (!std::binary_search(around.begin(), around.end(), found[inner].head)) continue;
      found[inner].loop.outer = static_cast<int>(outer);
      found[inner].loop.depth = found[outer].loop.depth + 1;
    }
    out.push_back(found[inner].loop);
  }
  return out;
}

}  // namespace

bool knows_instructions(int architecture) {
  return find_architecture(architecture) != nullptr;
}

std::optional<MachineWork> work_of(std::string_view code, int architecture, int64_t entry,
                                   const std::optional<std::vector<int64_t>>& exits) {
  const Architectures* row = find_architecture(architecture);
  const size_t count = code.size() / kInstructionBytes;
  if (row == nullptr || code.size() % kInstructionBytes != 0 || count > kMostInstructions ||
      entry < 0 || entry >= static_cast<int64_t>(count)) {
    return std::nullopt;
  }
  MachineWork work;
  std::vector<Instruction> instructions;
  std::vector<int64_t> found;
  for (size_t n = 0; n < count; ++n) {
    const size_t place = n * kInstructionBytes;
    instructions.push_back({little_endian(code, place), little_endian(code, place + 8)});
    if (instructions[n].opcode() == kExit) found.push_back(static_cast<int64_t>(n));
    add(work.mix, instructions[n], *row);
  }
  if (exits && *exits != found) return std::nullopt;
  Flow flow(std::move(instructions), *row);
  if (!flow.read(entry)) return std::nullopt;
  auto loops = flow.loops();
  if (!loops) return std::nullopt;
  work.loops = std::move(*loops);
  work.reached = flow.reached();
  return work;
}

const MachineLoop* hottest_loop(const MachineWork& work) {
  constexpr double kAboutTheMost = 0.8;
  const bool computes = work.mix.arithmetic() > 0;
  const auto worth = [&](const MachineLoop& loop) {
    return computes ? loop.mix.arithmetic() : loop.mix.global + loop.mix.shared;
  };
  std::vector<char> innermost(work.loops.size(), 1);
  for (const MachineLoop& loop : work.loops) {
    if (loop.outer >= 0 && worth(loop) > 0) innermost[loop.outer] = 0;
  }
  int64_t most = 0;
  for (size_t l = 0; l < work.loops.size(); ++l) {
    if (innermost[l]) most = std::max(most, worth(work.loops[l]));
  }
  const MachineLoop* best = nullptr;
  if (most == 0) return best;
  for (size_t l = 0; l < work.loops.size(); ++l) {
    const MachineLoop& loop = work.loops[l];
    if (!innermost[l] || static_cast<double>(worth(loop)) < kAboutTheMost * most) continue;
    if (best == nullptr || loop.mix.all < best->mix.all) best = &loop;
  }
  return best;
}

}  // namespace stencil::runtime
