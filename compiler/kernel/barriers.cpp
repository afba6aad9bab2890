// Finds missing barriers. The verifier tracks which elements of shared buffers the parallel
// sections have written and read since the last barrier. A section that reads what an earlier one
// wrote, or writes what an earlier one read, is a race. It is not a race if both sections access
// the buffer at the same index, because each thread then meets only its own elements. Indices are
// compared as values, after replacing lets by their definitions. Two sections that both write are
// accepted: they fill disjoint parts.
//
// Loops over steps are unrolled first. Any other loop is walked twice, so that the accesses at its
// end are compared with those at its beginning. Accesses whose first indices are different
// literals, or one loop variable plus different literals, do not conflict. A buffer whose first
// index (or the index after a literal) has the form (loop variable + c) % length is a ring:
// accesses to different ring indices do not conflict. In an unrolled loop the ring index is a
// literal, and different literals do not conflict either.
// Each further walk stands for the next iteration, so the loop variable is one step larger there. A
// loop with a ring is walked until every ring index has been reused.
//
// No thread executes a bulk copy. Therefore a bulk copy must not conflict with any earlier read,
// not even with a thread's read of its own element. From the copy until the AwaitBulk of its ring
// index, no thread may read there. Ring indices are identified within one loop only, so batches
// issued before a loop are forgotten when it begins. A missing await is found when the loop reuses
// the ring index.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/sequence.h"
#include "compiler/kernel/verify.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/work.h"

namespace stencil::kernel {

namespace {

using Value = int;  // identifies the value of an expression

struct Place {
  // Set if the first index is a literal or (loop variable + literal). `part_of` then identifies the
  // variable and the execution of its loop. `index` omits it.
  std::optional<int64_t> part;
  std::pair<Value, int64_t> part_of;
  std::vector<Value> ring;  // the terms whose sum selects the ring index; empty: not a ring
  int64_t ring_length = 1;
  int64_t ring_index = 0;               // modulo `ring_length`
  std::vector<Value> index;             // the remaining indices, without `part` and ring index
  std::optional<int64_t> literal = {};  // the first of `index` behind a part, if it is a literal
  friend auto operator<=>(const Place&, const Place&) = default;

  int left_out() const { return (part ? 1 : 0) + (ring.empty() ? 0 : 1); }  // omitted indices
  bool disjoint_from(const Place& other) const {
    if (part && other.part && part_of == other.part_of && *part != *other.part) return true;
    if (literal && other.literal && *literal != *other.literal) return true;
    return !ring.empty() && ring == other.ring && ring_length == other.ring_length &&
           ring_index != other.ring_index;
  }
  // `whole` is a ring index without further indices.
  bool in(const Place& whole) const {
    return part == whole.part && part_of == whole.part_of && ring == whole.ring &&
           ring_length == whole.ring_length && ring_index == whole.ring_index &&
           (part || !ring.empty() || index.front() == whole.index.front());
  }
};
using Indices = std::map<BufferId, std::set<Place>>;
using Shifts = std::map<std::string, int64_t>;  // how far a loop variable has advanced
using Runs = std::map<std::string, int64_t>;    // loop variable -> number of the loop execution

struct Accesses {  // since the last barrier
  Indices read, written;
  void join(const Accesses& other) {
    for (const auto& [id, indices] : other.read) read[id].insert(indices.begin(), indices.end());
    for (const auto& [id, indices] : other.written)
      written[id].insert(indices.begin(), indices.end());
  }
};

// Value numbering in a kernel: equal expressions have equal numbers.
class Values {
 public:
  Values() {
    for (unsigned axis = 0; axis < kMaxRank; ++axis)
      axes(of_text(kThreadNames[axis])) |= 1u << axis;
  }
  Value of_literal(int64_t literal) { return number(by_literal_, literal); }
  Value of_text(const std::string& text) { return number(by_text_, text); }
  Value of_operation(Op op, std::vector<Value> operands) {
    operands.push_back(static_cast<int>(op));
    return number(by_operation_, operands);
  }
  // The thread axes (thread_x, thread_y, ...) that a value depends on, one bit each.
  unsigned& axes(Value value) { return axes_[value]; }
  unsigned axes(Value value) const { return axes_[value]; }

 private:
  struct Hash {
    size_t operator()(const std::vector<Value>& values) const {
      size_t hash = values.size();
      for (const Value value : values)
        hash = hash * 0x9e3779b97f4a7c15u + static_cast<size_t>(value);
      return hash ^ hash >> 32;
    }
  };

  template <class Known, class Key>
  Value number(Known& known, const Key& key) {
    const auto [at, fresh] = known.try_emplace(key, static_cast<Value>(axes_.size()));
    if (fresh) axes_.push_back(0);
    return at->second;
  }

  std::unordered_map<int64_t, Value> by_literal_;
  std::unordered_map<std::string, Value> by_text_;
  std::unordered_map<std::vector<Value>, Value, Hash> by_operation_;
  std::vector<unsigned> axes_;  // by value
};

// The length of the largest ring in a body; 1 without a ring.
int64_t largest_ring(const Body& body) {
  constexpr int64_t kLargest = 16;
  int64_t length = 1;
  for_each_node(body, [&](const Expr& node) {
    const auto* operation = std::get_if<Operation>(&node->kind);
    if (!operation || operation->op != Op::Mod) return;
    const auto* literal = std::get_if<IntegerLiteral>(&operation->operands[1]->kind);
    if (literal && literal->value <= kLargest) length = std::max(length, literal->value);
  });
  return length;
}

// Reads and writes of shared buffers in one parallel section.
class SectionAccesses {
 public:
  SectionAccesses(const Kernel& kernel, Values& values, const Shifts& shifts, const Runs& runs)
      : kernel_(kernel), values_(values), shifts_(shifts), runs_(runs) {}

  void body(const Body& statements) {
    for (const Statement& statement : statements) std::visit(*this, statement.kind);
    for (const Statement& statement : statements) {  // names are unique where visible
      if (const auto* let = std::get_if<Let>(&statement.kind)) lets_.erase(let->name);
    }
  }
  void read(const Expr& expr) { value(expr); }
  void operator()(const Comment&) {}
  void operator()(const Let& let) { lets_[let.name] = value(let.value); }
  void operator()(const Store& store) {
    value(store.value);
    note(store.buffer, store.index, accesses.written);
  }
  void operator()(const Copy& copy) {
    note(copy.from, copy.from_index, accesses.read);
    note(copy.to, copy.to_index, accesses.written);
  }
  void operator()(const CommitCopies&) {}
  void operator()(const AwaitCopies&) {}
  void operator()(const For& loop) {
    const Value begin = value(loop.begin);
    value(loop.end);
    lets_.erase(loop.name);
    counters_[loop.name] = values_.axes(begin);
    body(loop.body);
    counters_.erase(loop.name);
  }
  void operator()(const If& branch) {
    value(branch.condition);
    body(branch.then);
    body(branch.otherwise);
  }
  void operator()(const Threads&) {}  // does not nest
  void operator()(const Barrier&) {}
  void operator()(const Shuffle&) {}
  void operator()(const BulkCopies& bulk) {
    for (const BulkCopy& copy : bulk.copies) note(copy.to, copy.to_index, accesses.written);
  }
  void operator()(const AwaitBulk&) {}
  void operator()(const Scope& scope) { body(scope.body); }

  // The ring index that a batch of bulk copies uses.
  Place ring_index_of(const Expr& batch) {
    return place({operation(Op::Mod, {batch, integer(std::max(kernel_.bulk_batches, 1))})});
  }

  Accesses accesses;

 private:
  // The value number of an expression, equal for equal values anywhere in the kernel. Lets are
  // replaced by their definitions. Records the loads in the expression.
  Value value(const Expr& expr) {
    support::count_work();
    if (const auto* variable = std::get_if<Variable>(&expr->kind)) return variable_of(*variable);
    if (const auto* literal = std::get_if<IntegerLiteral>(&expr->kind)) {
      return values_.of_literal(literal->value);
    }
    if (const auto* operation = std::get_if<Operation>(&expr->kind)) {
      unsigned axes = 0;
      std::vector<Value> operands;
      for (const Expr& operand : operation->operands) {
        operands.push_back(value(operand));
        axes |= values_.axes(operands.back());
      }
      const Value made = values_.of_operation(operation->op, std::move(operands));
      values_.axes(made) |= axes;
      return made;
    }
    if (const auto* load = std::get_if<Load>(&expr->kind)) {
      note(load->buffer, load->index, accesses.read);
      return values_.of_text("load");
    }
    return values_.of_text(print(expr));
  }

  Value variable_of(const Variable& variable) {
    const auto let = lets_.find(variable.name);
    const Value known = let == lets_.end() ? values_.of_text(variable.name) : let->second;
    const auto counter = counters_.empty() ? counters_.end() : counters_.find(variable.name);
    if (counter != counters_.end()) values_.axes(known) |= counter->second;
    return known;
  }

  // Splits a sum: adds literals and loop shifts to `ring_index`, and appends the other terms to
  // `ring`.
  void add_up(const Expr& expr, Place& place) {
    const auto* operation = std::get_if<Operation>(&expr->kind);
    if (const auto* literal = std::get_if<IntegerLiteral>(&expr->kind)) {
      place.ring_index += literal->value;
    } else if (operation && operation->op == Op::Add) {
      add_up(operation->operands[0], place);
      add_up(operation->operands[1], place);
    } else {
      const auto* variable = std::get_if<Variable>(&expr->kind);
      const auto shift = variable ? shifts_.find(variable->name) : shifts_.end();
      if (shift != shifts_.end()) place.ring_index += shift->second;
      place.ring.push_back(value(expr));
    }
  }

  // Recognises a literal, or a loop variable plus or minus a literal.
  void take_part(const Expr& index, Place& place) {
    Expr base = index;
    int64_t by = 0;
    if (const auto* literal = std::get_if<IntegerLiteral>(&index->kind)) {
      place.part = literal->value;
      return;
    }
    const auto* operation = std::get_if<Operation>(&index->kind);
    if (operation && (operation->op == Op::Add || operation->op == Op::Sub)) {
      const auto* literal = std::get_if<IntegerLiteral>(&operation->operands[1]->kind);
      if (!literal) return;
      base = operation->operands[0];
      by = operation->op == Op::Add ? literal->value : -literal->value;
    }
    const auto* variable = std::get_if<Variable>(&base->kind);
    const auto run = variable ? runs_.find(variable->name) : runs_.end();
    if (run == runs_.end()) return;
    const auto shift = shifts_.find(variable->name);
    place.part = by + (shift == shifts_.end() ? 0 : shift->second);
    place.part_of = {values_.of_text(variable->name), run->second};
  }

  Place place(const std::vector<Expr>& index) {
    Place out;
    size_t next = 0;
    if (!index.empty()) {
      take_part(index[0], out);
      if (out.part) ++next;
    }
    const auto* modulo =
        next == index.size() ? nullptr : std::get_if<Operation>(&index[next]->kind);
    const auto* length = modulo && modulo->op == Op::Mod
                             ? std::get_if<IntegerLiteral>(&modulo->operands[1]->kind)
                             : nullptr;
    if (length && length->value > 0) {
      out.ring_length = length->value;
      add_up(modulo->operands[0], out);
      out.ring_index = (out.ring_index % out.ring_length + out.ring_length) % out.ring_length;
    }
    // In an unrolled loop the index of a ring is a literal.
    const auto* literal =
        out.part && next < index.size() ? std::get_if<IntegerLiteral>(&index[next]->kind) : nullptr;
    if (literal) out.literal = literal->value;
    if (!out.ring.empty()) ++next;
    for (; next < index.size(); ++next) out.index.push_back(value(index[next]));
    return out;
  }

  void note(BufferId buffer, const std::vector<Expr>& index, Indices& to) {
    const Place place = this->place(index);
    const bool known = buffer >= 0 && buffer < static_cast<int>(kernel_.buffers.size());
    if (known && kernel_.buffers[buffer].space == Space::Shared) {
      to[buffer].insert(place);
    }
  }

  const Kernel& kernel_;
  Values& values_;
  const Shifts& shifts_;
  const Runs& runs_;
  std::unordered_map<std::string, Value> lets_;
  std::map<std::string, unsigned>
      counters_;  // loop variable -> axes that its first value depends on
};

class BarrierVerifier {
 public:
  BarrierVerifier(const Kernel& kernel, Violations& violations)
      : kernel_(kernel), violations_(violations) {
    for (unsigned axis = 0; axis < kMaxRank; ++axis) {
      threads_[axis] = values_.of_text(kThreadNames[axis]);
    }
  }

  void kernel() {
    for_each_statement(kernel_.body, [&](const Statement& statement) {
      const auto* bulk = std::get_if<BulkCopies>(&statement.kind);
      if (!bulk) return;
      for (const BulkCopy& copy : bulk->copies) arriving_.insert(copy.to);
    });
    body(kernel_.body);
  }

  void body(const Body& statements) {
    for (const Statement& statement : statements) std::visit(*this, statement.kind);
  }
  void operator()(const Comment&) {}
  void operator()(const Let&) {}
  void operator()(const Store&) {}
  void operator()(const Copy&) {}
  void operator()(const CommitCopies&) {}
  void operator()(const AwaitCopies&) {}
  void operator()(const For& loop) {
    const Accesses before = pending_;
    sent_.clear();  // the loop variable starts again
    runs_[loop.name] = ++loops_;
    body(loop.body);
    for (int64_t again = largest_ring(loop.body); again > 0; --again) {
      shifts_[loop.name] += loop.step;
      body(loop.body);
    }
    shifts_.erase(loop.name);
    runs_.erase(loop.name);
    sent_.clear();
    pending_.join(before);  // the loop may have no iterations
  }
  void operator()(const If& branch) {
    SectionAccesses condition(kernel_, values_, shifts_, runs_);
    condition.read(branch.condition);
    section(condition.accesses);
    const Accesses before = pending_;
    const std::set<Place> sent_before = sent_;
    body(branch.then);
    Accesses after = std::move(pending_);
    const std::set<Place> sent_after = std::move(sent_);
    pending_ = before;
    sent_ = sent_before;
    body(branch.otherwise);
    pending_.join(after);
    sent_.insert(sent_after.begin(), sent_after.end());
  }
  void operator()(const Threads& threads) {
    SectionAccesses accesses(kernel_, values_, shifts_, runs_);
    accesses.body(threads.body);
    section(accesses.accesses);
  }
  void operator()(const Barrier&) { pending_ = {}; }
  void operator()(const Shuffle&) {}  // per-thread values only
  void operator()(const BulkCopies& bulk) {
    SectionAccesses section(kernel_, values_, shifts_, runs_);
    section(bulk);
    const Place of_batch = section.ring_index_of(bulk.batch);
    for (const auto& [id, places] : section.accesses.written) {
      if (!std::all_of(places.begin(), places.end(),
                       [&](const Place& place) { return place.in(of_batch); })) {
        violations_.add(kernel_.name,
                        fmt::format("bulk copies to another ring index of '{}' than their "
                                    "batch's",
                                    name_of(id)));
      }
      const auto earlier = pending_.read.find(id);
      if (earlier == pending_.read.end() || !may_meet(places, earlier->second)) continue;
      violations_.add(kernel_.name, fmt::format("shared buffer '{}' is copied to without a barrier "
                                                "after it was read",
                                                name_of(id)));
    }
    sent_.insert(of_batch);
  }
  void operator()(const AwaitBulk& await) {
    sent_.erase(SectionAccesses(kernel_, values_, shifts_, runs_).ring_index_of(await.batch));
  }
  void operator()(const Scope& scope) { body(scope.body); }

 private:
  const std::string& name_of(BufferId id) const { return kernel_.buffers[id].name; }

  void section(const Accesses& now) {
    compare(now.read, pending_.written, "read", "written");
    compare(now.written, pending_.read, "written", "read");
    arrived(now);
    pending_.join(now);
  }

  // Data of bulk copies may be read only after it has arrived, and only bulk copies may write it.
  void arrived(const Accesses& now) {
    for (BufferId id : arriving_) {
      if (now.written.count(id)) {
        violations_.add(kernel_.name, fmt::format("shared buffer '{}' is written by threads and by "
                                                  "bulk copies",
                                                  name_of(id)));
      }
      const auto read = now.read.find(id);
      if (read == now.read.end()) continue;
      const bool early =
          std::any_of(read->second.begin(), read->second.end(), [&](const Place& place) {
            return std::any_of(sent_.begin(), sent_.end(),
                               [&](const Place& sent) { return place.in(sent); });
          });
      if (!early) continue;
      violations_.add(kernel_.name,
                      fmt::format("shared buffer '{}' is read before its bulk copies are awaited",
                                  name_of(id)));
    }
  }

  void compare(const Indices& now, const Indices& before, const char* does, const char* was) {
    for (const auto& [id, indices] : now) {
      const auto earlier = before.find(id);
      if (earlier == before.end()) continue;
      if (!may_meet(indices, earlier->second)) continue;
      violations_.add(kernel_.name,
                      fmt::format("shared buffer '{}' is {} without a barrier after it was {}",
                                  name_of(id), does, was));
    }
  }

  bool may_meet(const std::set<Place>& a, const std::set<Place>& b) const {
    return std::any_of(a.begin(), a.end(), [&](const Place& one) {
      return std::any_of(b.begin(), b.end(), [&](const Place& other) {
        return !one.disjoint_from(other) && !own_element(one, other);
      });
    });
  }

  // True if every thread accesses only its own elements. Either both places have the same index (at
  // any ring index) and it depends on all axes of the block, or each axis is itself an index at the
  // same position in both.
  bool own_element(const Place& a, const Place& b) const {
    if (a.left_out() != b.left_out()) return false;
    unsigned axes = 0;  // of the block
    for (unsigned axis = 0; axis < kMaxRank; ++axis) {
      if (kernel_.threads[axis] > 1) axes |= 1u << axis;
    }
    unsigned made_from = 0;
    for (const Value index : a.index) made_from |= values_.axes(index);
    if (a.index == b.index && (made_from & axes) == axes) return true;
    for (unsigned axis = 0; axis < kMaxRank; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      const auto found = std::find(a.index.begin(), a.index.end(), threads_[axis]);
      const size_t d = static_cast<size_t>(found - a.index.begin());
      if (d >= a.index.size() || d >= b.index.size() || b.index[d] != threads_[axis]) return false;
    }
    return true;
  }

  const Kernel& kernel_;
  Violations& violations_;
  Values values_;
  std::array<Value, kMaxRank> threads_{};  // thread_x, y, ...
  Shifts shifts_;
  Runs runs_;
  int64_t loops_ = 0;  // loops begun so far
  Accesses pending_;
  std::set<BufferId> arriving_;  // buffers that bulk copies write
  std::set<Place> sent_;         // ring indices whose bulk copies are in flight
};

}  // namespace

void verify_barriers(const Kernel& kernel, Violations& violations) {
  const bool shares =
      std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                  [](const Buffer& buffer) { return buffer.space == Space::Shared; });
  if (!shares || kernel.thread_loops) return;  // a thread loop ends before the next begins
  Kernel written_out = kernel;
  written_out.body = kernel::written_out(kernel.body);
  BarrierVerifier(written_out, violations).kernel();
}

}  // namespace stencil::kernel
