// Statements and kernels. Where the targets differ in more than spelling, they differ in two ways
// only: whether threads are implicit (CUDA, OpenCL) or loops (C++), and how a kernel's head is
// written.
//
// A Threads or Scope statement that ends its body needs no braces of its own: the names in it go
// out of scope there anyway (the verifier forbids shadowing).
#include "compiler/emit/writer.h"

#include <fmt/format.h>

#include <cctype>

#include "compiler/emit/legalise.h"
#include "compiler/emit/loop_nest.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

using kernel::Buffer;
using kernel::Kernel;
using kernel::kThreadNames;
using kernel::Space;

namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string list;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) list += std::string(",") + soft_space(1);
    list += items[i];
  }
  return list;
}

std::string with_comment(const std::string& line, const std::string& comment) {
  return comment.empty() ? line : line + "  // " + comment;
}

constexpr const char* kBlocksSuffix = "_blocks";  // of the function that does a range of blocks

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Does `name` stand in the text as a word of its own?
bool mentions(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

}  // namespace

int64_t dynamic_shared_bytes(const Kernel& kernel, const kernel::Module& module) {
  constexpr int64_t kStaticBytes = 48 * 1024;  // the limit for static arrays
  const int64_t bytes = kernel::shared_bytes(kernel, module.constants);
  return bytes > kStaticBytes ? bytes : 0;
}

bool is_single_block(const kernel::Module& module, const Kernel& kernel) {
  if (kernel::variables_in(kernel.body).count("block")) return false;
  bool single = true;
  kernel::for_each_launch(module.plan, [&](const kernel::Launch& launch) {
    if (module.kernels[static_cast<size_t>(launch.kernel)].name != kernel.name) return;
    const auto* blocks = std::get_if<kernel::IntegerLiteral>(&launch.blocks->kind);
    single = single && blocks && blocks->value == 1;
  });
  return single;
}

Writer::Writer(const kernel::Module& module, const Dialect& dialect, Target target, Names& names,
               WriterOptions options)
    : module_(module),
      dialect_(dialect),
      target_(target),
      names_(names),
      options_(options),
      expressions_(dialect, module, names) {}

std::string Writer::constants(const std::string& elsewhere) {
  Text out;
  for (const kernel::NamedConstant& constant : module_.constants) {
    const std::string name = names_.spell(constant.name);
    if (!mentions(out_.str(), name) && !mentions(elsewhere, name)) continue;
    const std::string value = expressions_.print(kernel::integer(constant.value, constant.type));
    const std::string_view type = dialect_.type(constant.type);
    std::string line;
    if (target_ != Target::OpenCl) {
      line = fmt::format("constexpr {} {} = {};", type, name, value);
    } else if (constant.type == Scalar::I64) {
      line = fmt::format("__constant long {} = {};", name, value);
    } else {
      line = fmt::format("enum {{ {} = {} }};", name, value);
    }
    out.line(with_comment(line, constant.comment));
  }
  return out.str().empty() ? "" : out.str() + "\n";
}

// --- Kernels
// ---------------------------------------------------------------------------------------------

void Writer::kernel(const Kernel& original) {
  Kernel legal = original;
  if (dialect_.implicit_threads && dialect_.shuffle[0].empty()) {
    legal = expand_shuffles(std::move(legal), names_);
  }
  if (dialect_.vectors[0][static_cast<size_t>(Scalar::F32)].empty()) {
    legal = expand_copies(std::move(legal), names_);
  }
  if (dialect_.tensor_map.empty()) legal = expand_bulk_copies(std::move(legal), names_);
  legal = split_deep_expressions(drop_dead_code(std::move(legal)), names_);
  local_.clear();
  if (!dialect_.implicit_threads) {
    ThreadLoops expanded = expand_thread_buffers(std::move(legal));
    legal = std::move(expanded.kernel);
    local_ = std::move(expanded.local);
  }
  kernel_ = &legal;
  loaded_ = kernel::buffers_loaded(legal.body);
  variables_ = kernel::variables_in(legal.body);
  loop_depth_ = 0;
  expressions_.enter(&legal);

  if (!legal.comment.empty()) out_.comment(legal.comment);
  signature(legal);
  unused_arguments(legal);
  if (dialect_.implicit_threads) {
    implicit_body(legal);
  } else {
    looped_body(legal);
  }
  out_.close();
  out_.blank();
  if (dialect_.block_ranges) packed_entry(legal);
  kernel_ = nullptr;
  expressions_.enter(nullptr);
}

void Writer::parameters(const Kernel& kernel, std::vector<std::string>& list) {
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::Global) continue;
    list.push_back(fmt::format("{}{}{}* {} {}", dialect_.global_pointer,
                               buffer.read_only ? "const " : "", dialect_.type(buffer.type),
                               dialect_.restrict_keyword, names_.spell(buffer.name)));
  }
  for (const kernel::ScalarArgument& scalar : kernel.scalars) {
    list.push_back(fmt::format("const {} {}", dialect_.type(arithmetic_type(scalar.type)),
                               names_.spell(scalar.name)));
  }
  for (const kernel::BulkSource& source : kernel.bulk_sources) {
    expressions_.use_helper("tensor_map");
    list.push_back(fmt::format("const __grid_constant__ {} {}", dialect_.tensor_map,
                               names_.spell(source.name)));
  }
}

void Writer::signature(const Kernel& kernel) {
  std::vector<std::string> list;
  parameters(kernel, list);
  const auto [x, y, z] = kernel::hardware_threads(kernel);
  std::string name = names_.spell(kernel.name);
  switch (target_) {
    case Target::Cuda: {
      std::string bounds = std::to_string(x * y * z);
      if (kernel.min_blocks > 0) bounds += ", " + std::to_string(kernel.min_blocks);
      out_.line(fmt::format("{} __global__ void __launch_bounds__({})",
                            options_.exported ? "extern \"C\"" : "static", bounds));
      break;
    }
    case Target::OpenCl:
      out_.line(fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))", x, y, z));
      break;
    case Target::Cpp:
      if (dialect_.block_ranges) {
        name += kBlocksSuffix;
        list.insert(list.end(), {"const int64_t begin_block", "const int64_t end_block"});
      } else if (!is_single_block(module_, kernel)) {
        list.push_back("const int64_t blocks");
      }
      break;
  }
  std::string_view result;  // CUDA: on the line above
  if (target_ == Target::OpenCl) result = "void ";
  if (target_ == Target::Cpp) result = "static void ";
  // Inlined into its caller it would lose that its arrays are distinct.
  if (dialect_.block_ranges) result = "__attribute__((noinline)) static void ";
  out_.open(fmt::format("{}{}({}) {{", result, name, joined(list)));
}

void Writer::unused_arguments(const Kernel& kernel) {
  std::set<kernel::BufferId> touched = loaded_;
  touched.merge(kernel::buffers_stored(kernel.body));
  std::set<std::string> used = variables_;
  for (kernel::BufferId id : touched) {  // extents stand in the index arithmetic
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(id)];
    for (size_t d = buffer.space == Space::Global ? 1 : 0; d < buffer.extents.size(); ++d) {
      kernel::for_each_node(buffer.extents[d], [&](const kernel::Expr& node) {
        if (const auto* v = std::get_if<kernel::Variable>(&node->kind)) used.insert(v->name);
      });
    }
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const bool is_used = touched.count(static_cast<kernel::BufferId>(i)) > 0;
    if (kernel.buffers[i].space != Space::Global || is_used) continue;
    out_.line(fmt::format("(void){};", names_.spell(kernel.buffers[i].name)));
  }
  for (const kernel::ScalarArgument& scalar : kernel.scalars) {
    if (!used.count(scalar.name)) out_.line(fmt::format("(void){};", names_.spell(scalar.name)));
  }
}

void Writer::implicit_body(const Kernel& kernel) {
  shared_buffers(kernel);
  if (variables_.count("block")) {
    out_.line(
        fmt::format("const {} block = {};", dialect_.type(Scalar::I64), dialect_.block_index));
  }
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    if (!variables_.count(kThreadNames[axis])) continue;
    out_.line(fmt::format("const int {} = {};", kThreadNames[axis], thread_index(axis)));
  }
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space == Space::Thread) declare(buffer, "");
  }
  if (kernel.bulk_slots > 0) bulk_begin(kernel);
  body(kernel.body);
}

// A thread's place in one dimension of its block, from the three that hardware has.
std::string Writer::thread_index(size_t axis) const {
  if (axis < 2) return std::string(dialect_.thread_index[axis]);
  const Shape& threads = kernel_->threads;
  const int64_t shared = threads.product(2), outer = threads.product(axis + 1);
  std::string index(dialect_.thread_index[2]);
  if (threads[axis] == shared) return index;
  if (threads[axis] == 1) return "0";
  const int64_t inner = shared / outer / threads[axis];
  if (inner > 1) index += fmt::format(" / {}", inner);
  if (outer > 1) index += fmt::format(" % {}", threads[axis]);
  return index;
}

// Unpacks the arguments of a kernel that does a range of blocks.
void Writer::packed_entry(const Kernel& kernel) {
  const std::string name = names_.spell(kernel.name);
  std::vector<std::string> list;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::Global) continue;
    list.push_back(fmt::format("({}*)arguments[{}]", dialect_.type(buffer.type), list.size()));
  }
  for (const kernel::ScalarArgument& scalar : kernel.scalars) {
    const std::string_view type = dialect_.type(arithmetic_type(scalar.type));
    list.push_back(fmt::format("*(const {}*)arguments[{}]", type, list.size()));
  }
  list.insert(list.end(), {"begin_block", "end_block"});
  out_.open(
      fmt::format("extern \"C\" void {}(void* const* arguments,{}int64_t begin_block,{}"
                  "int64_t end_block) {{",
                  name, soft_space(1), soft_space(1)));
  out_.line(fmt::format("{}{}({});", name, kBlocksSuffix, joined(list)));
  out_.close();
  out_.blank();
}

void Writer::looped_body(const Kernel& kernel) {
  const bool single = !dialect_.block_ranges && is_single_block(module_, kernel);
  if (dialect_.block_ranges) {
    out_.open("for (int64_t block = begin_block; block < end_block; ++block) {");
    ++loop_depth_;
  } else if (!single) {
    out_.flush_left("#ifdef _OPENMP");
    out_.flush_left("#pragma omp parallel for schedule(static)");
    out_.flush_left("#endif");
    out_.open("for (int64_t block = 0; block < blocks; ++block) {");
    ++loop_depth_;
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].space == Space::Global) continue;
    if (!local_.count(static_cast<kernel::BufferId>(i))) declare(kernel.buffers[i], "");
  }
  body(kernel.body);
  if (!single) out_.close();
}

void Writer::shared_buffers(const Kernel& kernel) {
  const bool dynamic = target_ == Target::Cuda && dynamic_shared_bytes(kernel, module_) > 0;
  const kernel::SharedLayout layout = kernel::shared_layout(kernel, module_.constants);
  if (dynamic) {
    out_.line(fmt::format("extern __shared__ __align__({}) unsigned char shared_memory[];",
                          layout.alignment));
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    if (buffer.space != Space::Shared) continue;
    if (!dynamic) {
      declare(buffer, fmt::format(fmt::runtime(dialect_.shared_array), buffer.alignment));
      continue;
    }
    const std::string array = extents_text(buffer);
    const std::string_view type = dialect_.type(buffer.type);
    out_.line(with_comment(
        fmt::format("{0} (&{1}){2} = *reinterpret_cast<{0} (*){2}>(shared_memory + {3});", type,
                    names_.spell(buffer.name), array, layout.offsets[i]),
        buffer.comment));
  }
  if (kernel.bulk_slots == 0) return;
  if (arrived_.empty()) arrived_ = names_.fresh("arrived");
  const char* const comment = "a word per slot: have its bulk copies arrived?";
  const std::string type = "unsigned long long";
  out_.line(with_comment(
      dynamic ? fmt::format("{}* const {} = reinterpret_cast<{}*>(shared_memory + {});", type,
                            arrived_, type, layout.bulk_words)
              : fmt::format("__shared__ {} {}[{}];", type, arrived_, kernel.bulk_slots),
      comment));
}

std::string Writer::extents_text(const Buffer& buffer) {
  std::string text;
  for (const kernel::Expr& extent : buffer.extents) {
    text += "[" + plain(expressions_.print(extent)) + "]";
  }
  return text;
}

void Writer::declare(const Buffer& buffer, std::string_view qualifier) {
  out_.line(with_comment(fmt::format("{}{} {}{};", qualifier, dialect_.type(buffer.type),
                                     names_.spell(buffer.name), extents_text(buffer)),
                         buffer.comment));
}

// --- Statements
// --------------------------------------------------------------------------------------------

void Writer::body(const kernel::Body& body) {
  for (size_t i = 0; i < body.size(); ++i) statement(body[i], i + 1 == body.size());
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
    void operator()(const kernel::Barrier&) const {
      if (writer.dialect_.implicit_threads) writer.out_.line(writer.dialect_.barrier);
    }
    void operator()(const kernel::Shuffle& shuffle) const { writer.shuffle(shuffle); }
    void operator()(const kernel::BulkCopies& bulk) const { writer.bulk_copies(bulk); }
    void operator()(const kernel::AwaitBulk& await) const { writer.await_bulk(await); }
    void operator()(const kernel::Scope& scope) const {
      if (last) return writer.body(scope.body);
      writer.out_.open("{");
      writer.body(scope.body);
      writer.out_.close();
    }
  };
  std::visit(Visitor{*this, last}, statement.kind);
}

void Writer::store(const kernel::Store& store) {
  const Buffer& buffer = kernel_->buffers[static_cast<size_t>(store.buffer)];
  const bool exposed = buffer.space != Space::Global || loaded_.count(store.buffer) > 0;
  const std::string target = expressions_.element(store.buffer, store.index);
  const std::string value = expressions_.print(kernel::convert(store.value, buffer.type), exposed);
  out_.line(target + " =" + soft_space(0) + value + ";");
}

// As few vector accesses as the type has, at most 16 bytes each.
void Writer::copy(const kernel::Copy& copy) {
  const Scalar type = kernel_->buffers[static_cast<size_t>(copy.from)].type;
  for (int done = 0; done < copy.count;) {
    std::vector<kernel::Expr> to = copy.to_index, from = copy.from_index;
    to.back() = kernel::add(to.back(), kernel::integer(done));
    from.back() = kernel::add(from.back(), kernel::integer(done));
    int length = 1;
    std::string_view vector;
    for (int i = 0; i < 2; ++i) {
      const std::string_view wider = dialect_.vectors[i][static_cast<size_t>(type)];
      const int wide = 2 << i;
      if (wider.empty() || copy.count % wide != 0) continue;
      vector = wider;
      length = wide;
    }
    if (copy.async) {
      const std::string helper = fmt::format("copy_async_{}", length * size_in_bytes(type));
      expressions_.use_helper(helper);
      out_.line(fmt::format("stencil_{}(&{},{}&{});", helper, expressions_.element(copy.to, to),
                            soft_space(1), expressions_.element(copy.from, from)));
    } else if (length == 1) {
      out_.line(fmt::format("{} ={}{};", expressions_.element(copy.to, to), soft_space(0),
                            expressions_.element(copy.from, from)));
    } else {
      copy_vector(copy, to, from, vector, length);
    }
    done += length;
  }
}

// A vector access to memory; what a thread keeps for itself is moved by component, so that it can
// stay in registers and needs no alignment.
void Writer::copy_vector(const kernel::Copy& copy, std::vector<kernel::Expr> to,
                         std::vector<kernel::Expr> from, std::string_view type, int length) {
  constexpr const char* kParts[] = {"x", "y", "z", "w"};
  const auto is_own = [&](kernel::BufferId id) {
    return kernel_->buffers[static_cast<size_t>(id)].space == Space::Thread;
  };
  const auto element = [&](kernel::BufferId id, std::vector<kernel::Expr> index, int part) {
    index.back() = kernel::add(index.back(), kernel::integer(part));
    return expressions_.element(id, index);
  };
  std::string source =
      fmt::format("*reinterpret_cast<const {}*>(&{})", type, element(copy.from, from, 0));
  if (is_own(copy.from)) {
    std::vector<std::string> parts;
    for (int i = 0; i < length; ++i) parts.push_back(element(copy.from, from, i));
    source = fmt::format("make_{}({})", type, joined(parts));
  }
  if (!is_own(copy.to)) {
    out_.line(fmt::format("*reinterpret_cast<{}*>(&{}) ={}{};", type, element(copy.to, to, 0),
                          soft_space(0), source));
    return;
  }
  if (packed_.empty()) packed_ = names_.fresh("packed");
  out_.open("{");
  out_.line(fmt::format("const {} {} ={}{};", type, packed_, soft_space(0), source));
  for (int i = 0; i < length; ++i) {
    out_.line(fmt::format("{} = {}.{};", element(copy.to, to, i), packed_, kParts[i]));
  }
  out_.close();
}

void Writer::shuffle(const kernel::Shuffle& shuffle) {
  if (shuffle.count > 1) {
    out_.line(dialect_.unroll);
    out_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", names_.spell(shuffle.name),
                          shuffle.count));
  }
  for (const kernel::Shuffle::Move& move : shuffle.moves) {
    const std::string target = expressions_.element(move.to, move.to_index);
    const std::string source = expressions_.element(move.from, move.from_index);
    out_.line(fmt::format("{} ={}{}({}, {}, {}, {});", target, soft_space(0),
                          dialect_.shuffle[move.lane < 0 ? 0 : 1], dialect_.shuffle_mask, source,
                          std::abs(move.lane), kernel_->threads[0]));
  }
  if (shuffle.count > 1) out_.close();
}

// One thread begins bulk copies for its block; all threads wait for them.

std::string Writer::first_thread() const {
  std::string condition;
  const auto threads = kernel::hardware_threads(*kernel_);
  for (size_t d = 0; d < threads.size(); ++d) {
    if (threads[d] == 1) continue;
    condition +=
        (condition.empty() ? "" : " && ") + std::string(dialect_.thread_index[d]) + " == 0";
  }
  return condition.empty() ? "true" : condition;
}

// The address of the word of a batch's slot.
std::string Writer::bulk_word(const kernel::Expr& batch) {
  const kernel::Expr slots = kernel::integer(kernel_->bulk_slots);
  return fmt::format("&{}[{}]", arrived_,
                     expressions_.print(kernel::operation(Op::Mod, {batch, slots})));
}

void Writer::bulk_begin(const Kernel& kernel) {
  expressions_.use_helper("bulk_begin");
  out_.line(fmt::format("if ({}) stencil_bulk_begin({}, {});", first_thread(), arrived_,
                        kernel.bulk_slots));
  out_.line(dialect_.barrier);
}

void Writer::bulk_copies(const kernel::BulkCopies& bulk) {
  int64_t bytes = 0;  // of whole boxes: what lies outside arrives as zeros, and counts
  for (const kernel::BulkCopy& copy : bulk.copies) {
    int64_t box = size_in_bytes(kernel_->buffers[static_cast<size_t>(copy.to)].type);
    for (int extent : kernel_->bulk_sources[static_cast<size_t>(copy.source)].box) box *= extent;
    bytes += box;
  }
  const std::string word = bulk_word(bulk.batch);
  expressions_.use_helper("bulk_expect");
  out_.open(fmt::format("if ({}) {{", first_thread()));
  out_.line(fmt::format("stencil_bulk_expect({},{}{});", word, soft_space(1), bytes));
  for (const kernel::BulkCopy& copy : bulk.copies) {
    const kernel::BulkSource& source = kernel_->bulk_sources[static_cast<size_t>(copy.source)];
    std::vector<std::string> arguments = {"&" + expressions_.element(copy.to, copy.to_index),
                                          names_.spell(source.name)};
    for (const kernel::Expr& index : copy.origin) arguments.push_back(expressions_.print(index));
    arguments.push_back(word);
    const std::string helper = fmt::format("bulk_copy_{}", copy.origin.size());
    expressions_.use_helper(helper);
    out_.line(fmt::format("stencil_{}({});", helper, joined(arguments)));
  }
  out_.close();
}

void Writer::await_bulk(const kernel::AwaitBulk& await) {
  const kernel::Expr round =
      kernel::operation(Op::Div, {await.batch, kernel::integer(kernel_->bulk_slots)});
  const kernel::Expr parity = kernel::operation(Op::BitAnd, {round, kernel::integer(1)});
  expressions_.use_helper("bulk_await");
  out_.line(fmt::format("stencil_bulk_await({},{}{});", bulk_word(await.batch), soft_space(1),
                        expressions_.print(parity)));
}

void Writer::branch(const kernel::If& branch) {
  const kernel::If* current = &branch;
  if (branch.then.empty()) {
    const kernel::If inverted{kernel::operation(Op::Not, {branch.condition}), branch.otherwise, {}};
    return this->branch(inverted);
  }
  out_.open(fmt::format("if ({}) {{", expressions_.print(current->condition)));
  body(current->then);
  while (!current->otherwise.empty()) {
    const auto* next = current->otherwise.size() == 1
                           ? std::get_if<kernel::If>(&current->otherwise[0].kind)
                           : nullptr;
    if (!next || next->then.empty()) {
      out_.reopen("} else {");
      body(current->otherwise);
      break;
    }
    out_.reopen(fmt::format("}} else if ({}) {{", expressions_.print(next->condition)));
    body(next->then);
    current = next;
  }
  out_.close();
}

void Writer::loop(const kernel::For& loop) {
  const std::string name = names_.spell(loop.name);
  const Scalar type = loop.begin->type;
  const bool parallel =
      options_.parallel_loops && loop_depth_ == 0 && loop.kind == kernel::LoopKind::Serial;
  if (parallel) {
    out_.flush_left("#ifdef _OPENMP");
    out_.flush_left("#pragma omp parallel for schedule(static)");
    out_.flush_left("#endif");
  }
  if (loop.kind == kernel::LoopKind::Unrolled && !dialect_.unroll.empty()) {
    out_.line(dialect_.unroll);
  }
  const std::string step = loop.step == 1 ? "++" + name : fmt::format("{} += {}", name, loop.step);
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
  if (last) return body(threads.body);
  out_.open("{");
  body(threads.body);
  out_.close();
}

void Writer::thread_loops(const kernel::Threads& threads, bool last) {
  const LoopNest nest = loop_nest(*kernel_, threads.body);
  int opened = 0;
  if (!nest.conditions.empty()) {
    out_.open(fmt::format("if ({}) {{", expressions_.print(kernel::all_of(nest.conditions))));
    ++opened;
  }
  for (const LoopNest::Loop& loop : nest.loops) {
    const std::string name = names_.spell(loop.name);
    const std::string begin = expressions_.print(loop.begin);
    const std::string end = expressions_.print(kernel::less(kernel::variable(loop.name), loop.end));
    out_.open(fmt::format("for (int {0} = {1}; {2}; ++{0}) {{", name, begin, end));
    ++opened;
  }
  const bool braces = opened == 0 && !last;
  if (braces) out_.open("{");
  const std::set<std::string> used = kernel::variables_in(nest.body);
  for (size_t axis = kMaxRank; axis-- > 0;) {
    if (kernel_->threads[axis] == 1 && used.count(kThreadNames[axis])) {
      out_.line(fmt::format("const int {} = 0;", kThreadNames[axis]));
    }
  }
  std::set<kernel::BufferId> touched = kernel::buffers_loaded(nest.body);
  touched.merge(kernel::buffers_stored(nest.body));
  for (kernel::BufferId id : touched) {
    if (local_.count(id)) declare(kernel_->buffers[static_cast<size_t>(id)], "");
  }
  loop_depth_ += opened;
  body(nest.body);
  loop_depth_ -= opened;
  for (int i = 0; i < opened + (braces ? 1 : 0); ++i) out_.close();
}

}  // namespace stencil::emit
