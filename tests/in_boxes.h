// Runs a program in boxes (compiler/decompose/box.h): the grid is divided, each box has its own
// memory, and halos are filled between calls to the depth that the box program requires. All other
// ghost cells hold garbage.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/decompose/box.h"
#include "compiler/ir/passes.h"
#include "compiler/reference/state.h"

namespace stencil::test {

class InBoxes {
 public:
  using Bounds = std::vector<std::vector<int64_t>>;  // per dimension: box starts, end

  // `whole` is the state of the program that `box` was made from; it is advanced in place. `given`
  // marks the params that are not derived. `problem` gets the description of any failure.
  InBoxes(const ir::Program& program, const decompose::BoxProgram& box, const Bounds& bounds,
          reference::State& whole, std::vector<bool> given)
      : program_(program), box_(box), whole_(whole) {
    given.resize(box.program.params.size(), false);
    const size_t rank = bounds.size();
    for (size_t bound = 0; bound < 2 * rank; ++bound) {
      given[static_cast<size_t>(box.first) + bound] = true;
    }
    std::vector<size_t> place(rank, 0);
    for (bool more = true; more && problem.empty();) {
      ir::Points owned;
      for (size_t d = 0; d < rank; ++d) {
        owned.push_back({bounds[d][place[d]], bounds[d][place[d] + 1] - 1});
      }
      add(owned, given);
      more = false;
      for (size_t d = 0; d < rank && !more; ++d) {
        more = ++place[d] + 1 < bounds[d].size();
        if (!more) place[d] = 0;
      }
    }
    for (Box& each : boxes_) fill(each, false);
  }

  std::string problem;

  int boxes() const { return static_cast<int>(boxes_.size()); }

  // Calls `run` for each box, with the numbers of steps in `lengths` in turn.
  void advance(int64_t steps, const std::vector<int64_t>& lengths,
               const std::function<void(reference::State&, int64_t)>& run) {
    for (size_t call = 0; steps > 0; ++call) {
      const int64_t length = std::min(steps, lengths[call % lengths.size()]);
      for (Box& box : boxes_) fill(box, true);
      for (Box& box : boxes_) {
        box.state.step = whole_.step;
        run(box.state, length);
      }
      for (const Box& box : boxes_) take(box);
      whole_.step += length;
      steps -= length;
    }
  }

  reference::State& state(int box) { return boxes_[box].state; }

 private:
  struct Box {
    ir::Points owned;
    reference::State state;
  };

  void add(const ir::Points& owned, const std::vector<bool>& given) {
    std::vector<int64_t> integers = whole_.integer_params;
    std::vector<double> reals = whole_.real_params;
    integers.resize(box_.program.params.size());
    reals.resize(box_.program.params.size());
    for (size_t d = 0; d < owned.size(); ++d) {
      integers[static_cast<size_t>(box_.first) + 2 * d] = owned[d][0];
      integers[static_cast<size_t>(box_.first) + 2 * d + 1] = owned[d][1];
    }
    if (const auto fault = ir::derive_params(box_.program, given, integers, reals)) {
      problem = fault->message;
      return;
    }
    const Diagnostics failed = ir::failed_checks(box_.program, integers, reals);
    if (failed.has_errors()) {
      problem = failed.items().front().message;
      return;
    }
    auto state = reference::allocate(box_.program, integers, reals, problem);
    if (state) boxes_.push_back({owned, std::move(*state)});
  }

  // Maps a point of a box's memory to the grid.
  std::vector<int64_t> in_grid(std::vector<int64_t> point) const {
    for (size_t d = 0; d < point.size(); ++d) {
      if (!box_.wraps[d]) continue;
      const int64_t low = *ir::evaluate(program_.grid().ranges[d].low, whole_.integer_params);
      const int64_t high = *ir::evaluate(program_.grid().ranges[d].high, whole_.integer_params);
      const int64_t period = high - low + 1;
      point[d] = low + ((point[d] - low) % period + period) % period;
    }
    return point;
  }

  static bool lies(const std::vector<int64_t>& point, const ir::Points& box,
                   const analysis::Margin& beyond) {
    for (size_t d = 0; d < point.size(); ++d) {
      if (point[d] < box[d][0] - beyond[d].low || point[d] > box[d][1] + beyond[d].high) {
        return false;
      }
    }
    return true;
  }

  const decompose::Need* need(size_t field, int level) const {
    for (const decompose::Need& each : box_.needs) {
      if (each.field == static_cast<int>(field) && each.level == level) return &each;
    }
    return nullptr;
  }

  static void put(reference::FieldData& to, int level, int component, int64_t at,
                  const reference::FieldData& from, int64_t there) {
    const auto bytes = static_cast<size_t>(size_in_bytes(to.types[component]));
    std::memcpy(to.data(level, component) + static_cast<size_t>(at) * bytes,
                from.data(level, component) + static_cast<size_t>(there) * bytes, bytes);
  }

  static void spoil(reference::FieldData& field, int level, int component, int64_t at) {
    const Scalar type = field.types[component];
    if (is_float(type)) {
      field.set_real(level, component, at, std::nan(""));
    } else {
      field.set_integer(level, component, at, type == Scalar::Bool ? at % 2 : 12345 + at);
    }
  }

  // Copies from the whole state: all of a box's memory, or only the halo that an exchange fills.
  void fill(Box& box, bool exchange) const {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      reference::FieldData& to = box.state.fields[f];
      const reference::FieldData& from = whole_.fields[f];
      const bool changes = ir::changes(program_, static_cast<ir::FieldId>(f));
      if (program_.fields[f].read_in_place()) {
        if (!exchange) to = from;
        continue;
      }
      if (exchange && !changes) continue;
      const analysis::Margin none(box.owned.size());
      for (int64_t at = 0; at < to.points; ++at) {
        const std::vector<int64_t> point = to.point(at);
        if (exchange && lies(point, box.owned, none)) continue;
        const int64_t there = from.position(in_grid(point));
        for (size_t level = 0; level < to.levels.size(); ++level) {
          const decompose::Need* wanted = need(f, static_cast<int>(level));
          const bool filled = !exchange || (wanted && lies(point, box.owned, wanted->margin));
          for (int c = 0; c < to.component_count(); ++c) {
            if (filled) put(to, static_cast<int>(level), c, at, from, there);
            if (!filled) spoil(to, static_cast<int>(level), c, at);
          }
        }
      }
    }
  }

  // Copies the points of a box to the whole state.
  void take(const Box& box) {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      if (program_.fields[f].read_in_place()) continue;
      const reference::FieldData& from = box.state.fields[f];
      for (int64_t at = 0; at < from.points; ++at) {
        const std::vector<int64_t> point = from.point(at);
        if (!lies(point, box.owned, analysis::Margin(box.owned.size()))) continue;
        const int64_t there = whole_.fields[f].position(point);
        for (size_t level = 0; level < from.levels.size(); ++level) {
          for (int c = 0; c < from.component_count(); ++c) {
            put(whole_.fields[f], static_cast<int>(level), c, there, from, at);
          }
        }
      }
    }
  }

  const ir::Program& program_;
  const decompose::BoxProgram& box_;
  reference::State& whole_;
  std::vector<Box> boxes_;
};

}  // namespace stencil::test
