// What a schedule family is to the rest of the compiler: a row in one table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

enum class Setting {
  TimeTile,
  Block,
  Elements,
  Regions,
  Chunk,
  Prefetch,
  Unroll,
  Resident,
  Loads,
  Form,
  Edges,
  Rows
};

struct Family {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;  // those it has, in printing order
  // Settings that suit `program` before anything is searched.
  Schedule (*defaults)(const ir::Program& program, const Machine& machine);
  // How `defaults` came to what it gives, in a phrase.
  std::string (*rationale)(const ir::Program& program, const Machine& machine);
  // Why `choose` should prefer a later family although this one can serve the program; "" if it
  // should not. Null: never.
  std::string (*unrewarding)(const ir::Program& program, const Machine& machine);
  // Errors L01x name the feature, the reason and its place; without errors the program can be
  // lowered. Null: any program can.
  void (*refuse)(const ir::Program& program, const Schedule& schedule, const Machine& machine,
                 Diagnostics& diagnostics);
  kernel::Module (*lower)(const ir::Program& program, const Schedule& schedule,
                          const Machine& machine);
  Footprint (*measure)(const ir::Program& program, const Schedule& schedule,
                       const Machine& machine);
};

// The same tile with as many threads as the machine takes, each with more elements.
Schedule with_fewer_threads(Schedule schedule, const Machine& machine);

// family.refuse, and where a tile is too small (L014) what would do.
void refuse(const Family& family, const ir::Program& program, const Schedule& schedule,
            const Machine& machine, Advice advice, Diagnostics& diagnostics);

// Defaults of `overlapped` for a processor (overlapped_processor.cpp).
Schedule overlapped_on_processor(const ir::Program& program, const Machine& machine, int deepest);

Family direct_family();
Family overlapped_family();
Family streaming_family();
Family planes_family();

constexpr int kMaxTimeTile = 64;  // T

// A schedule with each of the words that some setting of its family may have: "loads=bulk".
struct WordChoice {
  std::string setting;
  Schedule schedule;
};
std::vector<WordChoice> word_choices(const Family& family, const Schedule& schedule);

// Every family, most capable of time tiling first; the last serves every program.
const std::vector<Family>& family_table();

// Bytes of one point of a field, all components.
int64_t bytes_per_point(const ir::Field& field);

// Product and sum of two numbers that are not negative, or a number beyond every limit: what large
// offsets make of a tile is refused, but first it has to be computed.
int64_t bounded_product(int64_t a, int64_t b);
int64_t bounded_sum(int64_t a, int64_t b);

// L015 if the arrays of a block, the threads' own among them, exceed what the machine has for them.
void refuse_block_bytes(const Schedule& schedule, int64_t bytes, const Machine& machine,
                        Diagnostics& diagnostics);

// Planes beyond those that a streamed tile writes: its blocks pass each of them, so a tile with
// more is slower than anything else, by far. Families refuse it, each with a code of its own.
constexpr int64_t kMostHaloPlanes = 4096;
void refuse_long_halo(const char* code, const Schedule& schedule, int64_t planes,
                      Diagnostics& diagnostics);

}  // namespace stencil::schedule
