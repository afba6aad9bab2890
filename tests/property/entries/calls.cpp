#include "tests/property/entries/calls.h"

#include "tests/property/entries/arguments.h"

namespace stencil::property {

namespace {

class Calls : private DrawnArguments {
 public:
  Calls(const Callee& callee, Random& random) : DrawnArguments(callee, random) {}

  std::string draw(int calls) {
    for (int call = 0; call < calls; ++call) {
      const int kind = random_.below(callee_.box ? 12 : 8);
      if (kind < 2) pieces();
      if (kind >= 2 && kind < 5) run();
      if (kind == 5 || kind == 6) init();
      if (kind == 7) derive();
      if (kind >= 8) boxes(kind);
      out_ += "free\n";
      next_ = 0;
      ++number_;
    }
    return std::move(out_);
  }

 private:
  // --- Calls -------------------------------------------------------------------------------------

  // The number of steps of a call, limited to keep it short.
  int64_t draw_steps(bool hostile, int64_t first, const Outcome& params) {
    if (hostile && random_.chance(30)) {
      const int64_t steps = hostile_long();
      if (!takes(steps, first, params)) return steps;
    }
    return random_.below(2 * plan_.time_tile + 3);
  }
  int64_t draw_first(bool hostile) {
    if (hostile && random_.chance(35)) return hostile_long();
    return random_.chance(50) ? 0 : random_.below(9);
  }

  Expected expected(bool refused) const { return refused ? Expected::Error : Expected::None; }

  void run() {
    const bool hostile = random_.chance(75);
    const std::vector<Given> params = draw_params(hostile && random_.chance(60));
    const Outcome made = outcome(program_, params);
    const bool packed = random_.chance(60);
    const int64_t first = packed ? draw_first(hostile) : 0;
    int64_t steps = draw_steps(hostile, first, made);
    bool refused = made.refused || !takes(steps, first, made);
    std::vector<Memory> memories;
    const auto bytes = made.refused ? std::nullopt : sizes(program_, plan_, made);
    if (bytes) {
      if (!refused && steps > kMostCallSteps) steps = kMostCallSteps;
      const bool bad = arrays(program_, plan_, made, *bytes, false, hostile, memories);
      refused |= bad && steps != 0;
    } else {  // no array is accessed
      for (const kernel::Array& array : plan_.arrays) {
        for (int level = 0; level < array.levels; ++level) {
          memories.push_back({id()});
          line("null {}", memories.back().id);
        }
      }
      refused |= steps != 0;
    }
    // The interpreter may accept sizes that need too many blocks for one launch.
    const Expected outcome = refused ? Expected::Error : bytes ? Expected::None : Expected::Any;
    std::vector<int> pointers = ids(memories);
    if (packed) {
      const bool garbage = hostile && random_.chance(15);
      if (has_results()) pointers.push_back(results(garbage ? 'x' : 'z'));
      const int arrays = table(pointers);
      call("run_packed", has_results() && garbage && !refused ? Expected::Any : outcome,
           {arrays, packed_params(params)}, {steps, first});
      return;
    }
    if (!plan_.parameters.empty()) pointers.push_back(params_block(params));
    if (has_results()) pointers.push_back(results());
    if (has_results() && random_.chance(30)) line("null {}", pointers.back());
    call("run", outcome, pointers, {steps});
  }

  bool has_results() const { return !plan_.reductions.empty(); }

  // A run in one call and the same run in several calls must give the same bits.
  void pieces() {
    const std::vector<Given> params = draw_params(false);
    const Outcome made = outcome(program_, params);
    const auto bytes = made.refused ? std::nullopt : sizes(program_, plan_, made);
    if (!bytes || program_.run.until) return;
    const int64_t steps = random_.below(3 * plan_.time_tile + 3);
    if (!takes(steps, 0, made)) return;
    const uint64_t seed = random_.next();
    std::vector<Memory> whole, parts;
    for (std::vector<Memory>* memories : {&whole, &parts}) {
      Random same(seed);
      for (size_t a = 0; a < plan_.arrays.size(); ++a) {
        for (int level = 0; level < plan_.arrays[a].levels; ++level) {
          // Both runs use the same positions of points.
          const bool points = program_.fields[plan_.arrays[a].field].is_point_set();
          const uint64_t values = same.next() | 1;  // odd seeds give no NaN
          if (points && memories == &parts) {
            parts.push_back(whole[parts.size()]);
            continue;
          }
          memories->push_back(memory(program_, plan_.arrays[a], made, (*bytes)[a], values));
          if (memories->back().refused) return;
        }
      }
    }
    std::vector<int> pointers = ids(whole);
    if (!plan_.parameters.empty()) pointers.push_back(params_block(params));
    if (has_results()) pointers.push_back(results());
    call("run", Expected::None, pointers, {steps});
    pointers = ids(parts);
    if (has_results()) pointers.push_back(results());
    const int arrays = table(pointers), values = packed_params(params);
    for (int64_t done = 0; done < steps;) {
      const int64_t piece = 1 + random_.below(static_cast<int>(steps - done));
      call("run_packed", Expected::None, {arrays, values}, {piece, done});
      done += piece;
    }
    for (size_t i = 0; i < whole.size(); ++i) {
      line("same {} {} {} {}", whole[i].how, whole[i].bytes, whole[i].id, parts[i].id);
    }
  }

  void init() {
    const bool hostile = random_.chance(60);
    const std::vector<Given> params = draw_params(hostile);
    const Outcome made = outcome(program_, params);
    const auto bytes = made.refused ? std::nullopt : sizes(program_, plan_, made);
    std::vector<Memory> memories;
    bool refused = made.refused || !bytes;
    if (bytes) {
      // Every array is written here.
      arrays(program_, plan_, made, *bytes, false, false, memories);
      if (hostile && random_.chance(40)) {
        line("null {}", random_.pick(memories).id);
        refused = true;
      }
    } else {
      for (const kernel::Array& array : plan_.arrays) {
        for (int level = 0; level < array.levels; ++level) {
          memories.push_back({id()});
          line("null {}", memories.back().id);
        }
      }
    }
    std::vector<int> pointers = ids(memories);
    if (!plan_.parameters.empty()) pointers.push_back(params_block(params));
    call("init", expected(refused), pointers, {});
  }

  void derive() {
    if (plan_.parameters.empty()) return;
    const std::vector<Given> params = draw_params(true);
    call("derive_params", Expected::Any, {params_block(params)}, {});
  }

  // --- Boxes -------------------------------------------------------------------------------------

  std::vector<int64_t> draw_box(const Outcome& whole, bool hostile) {
    std::vector<int64_t> out;
    for (const ir::Range& range : program_.grid().ranges) {
      const int64_t low = ir::evaluate(range.low, whole.integers).value_or(0);
      const int64_t high = ir::evaluate(range.high, whole.integers).value_or(0);
      const int length = static_cast<int>(std::clamp<int64_t>(high - low + 1, 1, 1000));
      int64_t first = low + (random_.chance(40) ? 0 : random_.below(length));
      int64_t last = random_.chance(40) ? high : first + random_.below(length);
      if (last > high && !random_.chance(5)) last = high;
      if (hostile && random_.chance(20)) first = hostile_integer();
      if (hostile && random_.chance(20)) last = hostile_integer();
      out.insert(out.end(), {first, last});
    }
    for (int64_t& bound : out) bound = std::clamp<int64_t>(bound, INT32_MIN, INT32_MAX);
    return out;
  }

  int box_block(const std::vector<int64_t>& box) {
    std::string low, high;
    for (size_t b = 0; b < box.size(); ++b) {
      const auto bound = static_cast<int32_t>(box[b]);
      (b % 2 ? high : low).append(reinterpret_cast<const char*>(&bound), sizeof bound);
    }
    const int at = id();
    put_bytes(at, low + high);
    return at;
  }

  void boxes(int kind) {
    const ir::Program& boxed = callee_.box->program;
    const kernel::Plan& plan = callee_.box_module->plan;
    const bool hostile = random_.chance(60);
    const std::vector<Given> params = draw_params(hostile && random_.chance(40));
    const Outcome whole = outcome(program_, params);
    const std::vector<int64_t> box = draw_box(whole, hostile);
    const Outcome made = outcome(boxed, params, box, callee_.box->first);
    std::vector<int> last;
    const auto add_last = [&] {
      last.push_back(box_block(box));
      if (hostile && random_.chance(4)) {
        line("null {}", last.back());
        return false;
      }
      return true;
    };
    if (kind == 8) {  // the grid, for any params
      const int to = id();
      line("block {} {} 0 x 1", to, 4 * box.size());
      std::vector<int> pointers = {to};
      if (!plan_.parameters.empty()) pointers.push_back(params_block(params));
      return call("grid", Expected::Any, pointers, {});
    }
    const bool there = add_last();
    if (!plan_.parameters.empty()) last.push_back(params_block(params));
    if (kind == 9) {
      const int to = id();
      line("block {} {} 0 x 1", to, 4 * box.size() * plan.arrays.size());
      last.insert(last.begin(), to);
      return call("box_memory", made.refused || !there ? Expected::Error : Expected::Any, last, {});
    }
    const bool starts = kind == 10;
    const int64_t first = draw_first(hostile);
    int64_t steps = draw_steps(hostile, first, made);
    if (!hostile) steps = std::min(steps, callee_.box->steps);
    bool refused = made.refused || !there;
    if (!starts) refused |= !takes(steps, first, made) || steps > callee_.box->steps;
    const auto bytes = made.refused ? std::nullopt : sizes(boxed, plan, made);
    std::vector<Memory> memories;
    if (bytes) {
      const bool bad = arrays(boxed, plan, made, *bytes, true, hostile && !starts, memories);
      refused |= bad && !starts && steps != 0;
    }
    size_t next = 0;
    std::vector<int> pointers;
    for (const kernel::Array& array : plan.arrays) {
      std::vector<int> slots;
      const int count = array.written ? array.copies : array.levels;
      for (int slot = 0; slot < count; ++slot) {
        slots.push_back(bytes ? memories[next++].id : id());
        if (!bytes) line("null {}", slots.back());
      }
      if (array.written) slots = {table(slots)};
      pointers.insert(pointers.end(), slots.begin(), slots.end());
    }
    refused |= !bytes && (starts || steps != 0);
    pointers.insert(pointers.end(), last.begin(), last.end());
    const Expected outcome = refused ? Expected::Error : bytes ? Expected::None : Expected::Any;
    if (starts) return call("init_box", outcome, pointers, {});
    call("run_box", outcome, pointers, {steps, first});
  }
};

}  // namespace

std::vector<std::string> entry_points(const Callee& callee) {
  std::vector<std::string> out = {"run", "run_packed", "init"};
  if (!callee.module.plan.parameters.empty()) out.push_back("derive_params");
  if (callee.box) out.insert(out.end(), {"grid", "box_memory", "init_box", "run_box"});
  return out;
}

std::string script(const Callee& callee, int calls, Random& random) {
  return Calls(callee, random).draw(calls);
}

}  // namespace stencil::property
