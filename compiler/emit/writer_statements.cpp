// Writes the statements of kernels. Targets differ in whether threads are implicit (CUDA, HIP,
// OpenCL) or loops (C++, OpenCL on CPUs).
//
// A Threads or Scope statement that ends its body needs no braces of its own: its names go out of
// scope there anyway (the verifier forbids shadowing). Braces are also omitted if it defines no
// names, or only names that are unique in the kernel.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/writer.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

using kernel::Buffer;
using kernel::kThreadNames;
using kernel::Space;

// True if the body, without braces, would define names that another part of the kernel defines too.
bool Writer::needs_braces(const kernel::Body& body) const {
  return std::any_of(body.begin(), body.end(), [&](const kernel::Statement& statement) {
    const auto* let = std::get_if<kernel::Let>(&statement.kind);
    const auto* threads = std::get_if<kernel::Threads>(&statement.kind);
    const auto* scope = std::get_if<kernel::Scope>(&statement.kind);
    return (let && binders_.at(let->name) > 1) || (threads && needs_braces(threads->body)) ||
           (scope && needs_braces(scope->body));
  });
}

// Single per-thread values that are stored once, in the outermost body, become constants.
void Writer::find_values(const kernel::Kernel& kernel) {
  std::map<kernel::BufferId, int> stores;
  kernel::for_each_statement(kernel.body, [&](const kernel::Statement& statement) {
    if (const auto* store = std::get_if<kernel::Store>(&statement.kind)) ++stores[store->buffer];
    const auto* shuffle = std::get_if<kernel::Shuffle>(&statement.kind);
    if (!shuffle) return;
    for (const kernel::Shuffle::Move& move : shuffle->moves) ++stores[move.to];
  });
  for (const kernel::Statement& statement : kernel.body) {
    const auto* threads = std::get_if<kernel::Threads>(&statement.kind);
    if (!threads || needs_braces(threads->body)) continue;
    for (const kernel::Statement& inner : threads->body) {
      const auto* store = std::get_if<kernel::Store>(&inner.kind);
      if (!store || stores[store->buffer] > 1) continue;
      const Buffer& buffer = kernel.buffers[store->buffer];
      const bool single = buffer.space == Space::Thread && buffer.extents.empty();
      if (single && !buffer.zeroed) values_.insert(store->buffer);
    }
  }
}

void Writer::body(const kernel::Body& body) {
  std::vector<std::string> cases;
  for (size_t i = 0; i < body.size(); ++i) {
    const auto* let = std::get_if<kernel::Let>(&body[i].kind);
    if (let && let->cases && dialect_.static_cases) {
      open_cases(*let);
      cases.push_back(let->name);
      continue;
    }
    statement(body[i], i + 1 == body.size());
  }
  for (const std::string& name : cases) {
    static_.erase(name);
    out_.close("});");
  }
}

// Opens the rest of the body as a function that the helper calls with the value of the condition.
void Writer::open_cases(const kernel::Let& let) {
  expressions_.use_helper("cases");
  const std::string name = names_.spell(let.name);
  out_.open(fmt::format("stencil_cases({}, [&](auto stencil_{}) __attribute__((always_inline)) {{",
                        expressions_.print(let.value), name));
  out_.line(fmt::format("constexpr bool {0} = decltype(stencil_{0})::value;", name));
  static_.insert(let.name);
}

void Writer::statement(const kernel::Statement& statement, bool last) {
  struct Visitor {
    Writer& writer;
    bool last;
    void operator()(const kernel::Comment& comment) const { writer.out_.comment(comment.text); }
    void operator()(const kernel::Let& let) const {
      const std::string value = writer.expressions_.print(let.value, true);
      writer.out_.line(fmt::format("const {} {} = {};", writer.dialect_.type(let.value->type),
                                   writer.names_.spell(let.name), value));
    }
    void operator()(const kernel::Store& store) const { writer.store(store); }
    void operator()(const kernel::Copy& copy) const { writer.copy(copy); }
    void operator()(const kernel::CommitCopies&) const {
      writer.expressions_.use_helper("commit_copies");
      writer.out_.line("stencil_commit_copies();");
    }
    void operator()(const kernel::AwaitCopies& await) const {
      writer.expressions_.use_helper("await_copies");
      writer.out_.line(fmt::format("stencil_await_copies<{}>();", await.pending));
    }
    void operator()(const kernel::For& loop) const { writer.loop(loop); }
    void operator()(const kernel::If& branch) const { writer.branch(branch); }
    void operator()(const kernel::Threads& threads) const { writer.threads(threads, last); }
    void operator()(const kernel::Barrier& barrier) const {
      const Dialect& dialect = writer.dialect_;
      writer.out_.line(barrier.global ? dialect.memory_barrier : dialect.barrier);
    }
    void operator()(const kernel::Shuffle& shuffle) const { writer.shuffle(shuffle); }
    void operator()(const kernel::BulkCopies& bulk) const { writer.bulk_copies(bulk); }
    void operator()(const kernel::AwaitBulk& await) const { writer.await_bulk(await); }
    void operator()(const kernel::Scope& scope) const {
      if (last || !writer.needs_braces(scope.body)) return writer.body(scope.body);
      writer.out_.open("{");
      writer.body(scope.body);
      writer.out_.close();
    }
  };
  std::visit(Visitor{*this, last}, statement.kind);
}

void Writer::store(const kernel::Store& store) {
  const Buffer& buffer = kernel_->buffers[store.buffer];
  const bool exposed = buffer.space != Space::Global || loaded_.count(store.buffer) > 0;
  const std::string target = expressions_.element(store.buffer, store.index);
  const std::string value = expressions_.print(kernel::convert(store.value, buffer.type), exposed);
  if (values_.count(store.buffer)) {
    out_.line(with_comment(fmt::format("const {} {} ={}{};", dialect_.stored(buffer.type), target,
                                       soft_space(0), value),
                           buffer.comment));
    return;
  }
  out_.line(target + " =" + soft_space(0) + value + ";");
}

void Writer::branch(const kernel::If& branch) {
  const kernel::If* current = &branch;
  if (branch.then.empty()) {
    const kernel::If inverted{kernel::operation(Op::Not, {branch.condition}), branch.otherwise, {}};
    return this->branch(inverted);
  }
  kernel::Expr condition = branch.condition;
  const kernel::Body* then = &branch.then;
  // A branch that is all that another one contains becomes one with it.
  while (current->otherwise.empty() && then->size() == 1) {
    const auto* inner = std::get_if<kernel::If>(&then->front().kind);
    if (!inner || !inner->otherwise.empty() || inner->then.empty()) break;
    if (condition_word(inner->condition) != condition_word(condition)) break;
    condition = kernel::operation(Op::And, {condition, inner->condition});
    then = &inner->then;
  }
  out_.open(fmt::format("{} ({}) {{", condition_word(condition), expressions_.print(condition)));
  body(*then);
  while (!current->otherwise.empty()) {
    const auto* next = current->otherwise.size() == 1
                           ? std::get_if<kernel::If>(&current->otherwise[0].kind)
                           : nullptr;
    if (!next || next->then.empty()) {
      out_.reopen("} else {");
      body(current->otherwise);
      break;
    }
    out_.reopen(fmt::format("}} else {} ({}) {{", condition_word(next->condition),
                            expressions_.print(next->condition)));
    body(next->then);
    current = next;
  }
  out_.close();
}

void Writer::static_steps(const kernel::For& loop) {
  expressions_.use_helper("steps");
  const std::string name = names_.spell(loop.name);
  out_.open(
      fmt::format("stencil_steps<{}, {}>([&](auto stencil_{}) __attribute__((always_inline)) {{",
                  expressions_.print(loop.begin), expressions_.print(loop.end), name));
  out_.line(fmt::format("constexpr int {0} = decltype(stencil_{0})::value;", name));
  static_.insert(loop.name);
  body(loop.body);
  static_.erase(loop.name);
  out_.close("});");
}

// "if constexpr" if only steps and cases decide the condition. Code for other steps then need not
// compile.
std::string_view Writer::condition_word(const kernel::Expr& condition) const {
  bool is_static = !static_.empty();
  kernel::for_each_node(condition, [&](const kernel::Expr& node) {
    const auto* variable = std::get_if<kernel::Variable>(&node->kind);
    is_static &= (!variable || static_.count(variable->name)) &&
                 !std::holds_alternative<kernel::Load>(node->kind);
  });
  return is_static ? "if constexpr" : "if";
}

void Writer::loop(const kernel::For& loop) {
  if (loop.kind == kernel::LoopKind::Steps && dialect_.static_steps) return static_steps(loop);
  const std::string name = names_.spell(loop.name);
  const Scalar type = loop.begin->type;
  const bool parallel =
      options_.parallel_loops && loop_depth_ == 0 && loop.kind == kernel::LoopKind::Serial;
  if (parallel) {
    out_.flush_left("#ifdef _OPENMP");
    out_.flush_left("#pragma omp parallel for schedule(static)");
    out_.flush_left("#endif");
  }
  const bool rolled = loop.kind == kernel::LoopKind::Rolled;
  const std::string_view hint = rolled                                  ? dialect_.rolled
                                : loop.kind == kernel::LoopKind::Serial ? std::string_view()
                                                                        : dialect_.unroll;
  if (!hint.empty()) out_.line(std::string(hint));
  const std::string by =
      loop.step_name.empty() ? fmt::format("{}", loop.step) : names_.spell(loop.step_name);
  const std::string step = loop.step == 1 ? "++" + name : fmt::format("{} += {}", name, by);
  const std::string begin = expressions_.print(loop.begin);
  const std::string end = expressions_.print(
      kernel::less(kernel::variable(loop.name, type), kernel::convert(loop.end, type)));
  out_.open(
      fmt::format("for ({} {} = {}; {}; {}) {{", dialect_.type(type), name, begin, end, step));
  ++loop_depth_;
  body(loop.body);
  --loop_depth_;
  out_.close();
}

void Writer::threads(const kernel::Threads& threads, bool last) {
  if (!dialect_.implicit_threads) return thread_loops(threads, last);
  if (last || !needs_braces(threads.body)) return body(threads.body);
  out_.open("{");
  body(threads.body);
  out_.close();
}

void Writer::thread_loops(const kernel::Threads& threads, bool last) {
  int opened = 0;
  if (!threads.conditions.empty()) {
    out_.open(fmt::format("if ({}) {{", expressions_.print(kernel::all_of(threads.conditions))));
    ++opened;
  }
  constexpr int64_t kShortLoop = 16;  // iterations: the number of elements of a vector
  for (const kernel::ThreadLoop& loop : threads.loops) {
    const std::string name = names_.spell(loop.name);
    const std::string begin = expressions_.print(loop.begin);
    const std::string end = expressions_.print(kernel::less(kernel::variable(loop.name), loop.end));
    const bool innermost = &loop == &threads.loops.back();
    const bool is_short = (loop.most && *loop.most < kShortLoop) || (threads.few && innermost);
    if (loop.condition) {
      out_.open(fmt::format("if ({}) {{", expressions_.print(loop.condition)));
      ++opened;
    }
    if (is_short && !dialect_.short_loop.empty()) out_.line(dialect_.short_loop);
    out_.open(fmt::format("for (int {0} = {1}; {2}; ++{0}) {{", name, begin, end));
    ++opened;
  }
  const bool braces = opened == 0 && !last;
  if (braces) out_.open("{");
  const std::set<std::string> used = kernel::variables_in(threads.body);
  for (size_t axis = kMaxRank; axis-- > 0;) {
    if (kernel_->threads[axis] == 1 && used.count(kThreadNames[axis])) {
      out_.line(fmt::format("const int {} = 0;", kThreadNames[axis]));
    }
  }
  std::set<kernel::BufferId> touched = kernel::buffers_loaded(threads.body);
  touched.merge(kernel::buffers_stored(threads.body));
  for (kernel::BufferId id : touched) {
    const Buffer& buffer = kernel_->buffers[id];
    if (buffer.local) declare(buffer, "");
  }
  loop_depth_ += opened;
  body(threads.body);
  loop_depth_ -= opened;
  for (int i = 0; i < opened + (braces ? 1 : 0); ++i) out_.close();
}

}  // namespace stencil::emit
