// Writes legalized kernels: the head, declarations, and the body (writer_statements.cpp,
// writer_copies.cpp). Where dialects differ in more than spelling, they differ in only two ways.
// Threads are implicit (CUDA, HIP, OpenCL) or loops (C++, OpenCL on CPUs). Blocks are launched by
// the host, or a C++ function loops over them.
#include "compiler/emit/writer.h"

#include <fmt/format.h>

#include <cctype>

#include "compiler/kernel/walk.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

using kernel::Buffer;
using kernel::Kernel;
using kernel::kThreadNames;
using kernel::Space;

namespace {

constexpr const char* kBlocksSuffix = "_blocks";  // of the function for a range of blocks

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// True if `name` occurs in the text as a whole word.
bool mentions(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

}  // namespace

int64_t dynamic_shared_bytes(const Kernel& kernel, const kernel::Module& module,
                             const Dialect& dialect) {
  const int64_t bytes = kernel::shared_bytes(kernel, module.constants);
  return bytes > dialect.static_shared_bytes ? bytes : 0;
}

int64_t dynamic_shared_bytes(const Kernel& kernel, const kernel::Module& module) {
  return dynamic_shared_bytes(kernel, module, cuda_dialect());
}

bool is_single_block(const kernel::Module& module, const Kernel& kernel) {
  if (kernel::variables_in(kernel.body).count("block")) return false;
  bool single = true;
  kernel::for_each_launch(module.plan, [&](const kernel::Launch& launch) {
    if (module.kernels[launch.kernel].name != kernel.name) return;
    const auto* blocks = std::get_if<kernel::IntegerLiteral>(&launch.blocks->kind);
    single = single && blocks && blocks->value == 1;
  });
  return single;
}

Writer::Writer(const kernel::Module& module, const Dialect& dialect, Names& names,
               WriterOptions options)
    : module_(module),
      dialect_(dialect),
      names_(names),
      options_(options),
      expressions_(dialect, module, names) {}

std::string Writer::constants(const std::string& elsewhere,
                              const std::vector<kernel::NamedConstant>& known) {
  Text out;
  for (const kernel::NamedConstant& constant : module_.constants) {
    const std::string name = names_.spell(constant.name);
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const kernel::NamedConstant& other) {
          return other.name == name && other.type == constant.type && other.value == constant.value;
        });
    if (is_known) continue;
    if (!mentions(out_.str(), name) && !mentions(elsewhere, name)) continue;
    const std::string value = expressions_.print(kernel::integer(constant.value, constant.type));
    const std::string_view type = dialect_.type(constant.type);
    const std::string_view form = dialect_.constant[constant.type == Scalar::I64 ? 1 : 0];
    const std::string line = fmt::format(fmt::runtime(form), type, name, value);
    out.line(with_comment(line, constant.comment));
  }
  return out.str().empty() ? "" : out.str() + "\n";
}

// --- Kernels

void Writer::kernel(const Kernel& kernel) {
  kernel_ = &kernel;
  loaded_ = kernel::buffers_loaded(kernel.body);
  variables_ = kernel::variables_in(kernel.body);
  binders_ = kernel::binders_in(kernel.body);
  values_.clear();
  if (dialect_.implicit_threads) find_values(kernel);
  loop_depth_ = 0;
  expressions_.enter(&kernel);

  if (!kernel.comment.empty()) out_.comment(kernel.comment);
  signature(kernel);
  unused_arguments(kernel);
  if (dialect_.implicit_threads) {
    implicit_body(kernel);
  } else {
    looped_body(kernel);
  }
  out_.close();
  out_.blank();
  if (dialect_.block_ranges) packed_entry(kernel);
  if (has_block_function(kernel)) all_blocks(kernel);
  kernel_ = nullptr;
  expressions_.enter(nullptr);
}

void Writer::parameters(const Kernel& kernel, std::vector<std::string>& list) {
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::Global) continue;
    list.push_back(fmt::format("{}{}{}* {} {}", dialect_.global_pointer,
                               buffer.read_only ? "const " : "", dialect_.stored(buffer.type),
                               dialect_.restrict_keyword, names_.spell(buffer.name)));
  }
  for (const kernel::ScalarArgument& scalar : kernel.scalars) {
    list.push_back(fmt::format("const {} {}", dialect_.type(arithmetic_type(scalar.type)),
                               names_.spell(scalar.name)));
  }
  for (const kernel::BulkSource& source : kernel.bulk_sources) {
    expressions_.use_helper("tensor_map");
    list.push_back(fmt::format("{} {}", dialect_.tensor_map, names_.spell(source.name)));
  }
}

void Writer::signature(const Kernel& kernel) {
  std::vector<std::string> list;
  parameters(kernel, list);
  std::string name = names_.spell(kernel.name);
  std::string_view result = "static void ";
  if (dialect_.kernel_head) {
    const KernelHead head = dialect_.kernel_head(kernel, options_.exported);
    if (!head.helper.empty()) expressions_.use_helper(std::string(head.helper));
    out_.line(head.line);
    result = head.result;
  } else if (dialect_.block_ranges) {
    // Inlining would lose the information that its arrays are distinct.
    result = "__attribute__((noinline)) static void ";
    name = blocks_function_ = names_.fresh(name + kBlocksSuffix);
    list.insert(list.end(), {"const int64_t begin_block", "const int64_t end_block"});
  } else if (has_block_function(kernel)) {
    return block_function(list, name);
  } else if (!is_single_block(module_, kernel)) {
    list.push_back("const int64_t blocks");
  }
  out_.open(fmt::format("{}{}({}) {{", result, name, comma_list(list)));
}

// C++ kernels process a block in a separate function, which may be cloned for several CPUs. A
// function with OpenMP loops cannot be cloned.
bool Writer::has_block_function(const Kernel& kernel) const {
  return !dialect_.kernel_head && !dialect_.block_ranges && options_.exported &&
         !is_single_block(module_, kernel);
}

void Writer::block_function(std::vector<std::string> list, const std::string& name) {
  block_function_ = names_.fresh(name + "_block");
  list.push_back("const int64_t block");
  out_.line("STENCIL_CLONES");
  out_.open(fmt::format("static void {}({}) {{", block_function_, comma_list(list)));
}

// The function that the driver calls.
void Writer::all_blocks(const Kernel& kernel) {
  std::vector<std::string> list, given;
  parameters(kernel, list);
  list.push_back("const int64_t blocks");
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space == Space::Global) given.push_back(names_.spell(buffer.name));
  }
  for (const auto& scalar : kernel.scalars) given.push_back(names_.spell(scalar.name));
  given.push_back("block");
  out_.open(fmt::format("static void {}({}) {{", names_.spell(kernel.name), comma_list(list)));
  out_.flush_left("#ifdef _OPENMP");
  out_.flush_left("#pragma omp parallel for schedule(static)");
  out_.flush_left("#endif");
  out_.open("for (int64_t block = 0; block < blocks; ++block) {");
  out_.line(fmt::format("{}({});", block_function_, comma_list(given)));
  out_.close();
  out_.close();
  out_.blank();
}

void Writer::unused_arguments(const Kernel& kernel) {
  std::set<kernel::BufferId> touched = loaded_;
  touched.merge(kernel::buffers_stored(kernel.body));
  std::set<std::string> used = variables_;
  for (kernel::BufferId id : touched) {  // extents occur in the index arithmetic
    const Buffer& buffer = kernel.buffers[id];
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

void Writer::block_number() {
  if (!variables_.count("block")) return;
  out_.line(fmt::format("const {} block = {};", dialect_.type(Scalar::I64), dialect_.block_index));
}

void Writer::implicit_body(const Kernel& kernel) {
  shared_buffers(kernel);
  block_number();
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    if (!variables_.count(kThreadNames[axis])) continue;
    out_.line(fmt::format("const int {} = {};", kThreadNames[axis], thread_index(axis)));
  }
  for (const Buffer& buffer : kernel.buffers) {
    const bool own = buffer.space == Space::Thread || buffer.space == Space::Block;
    const auto id = static_cast<kernel::BufferId>(&buffer - kernel.buffers.data());
    if (own && !values_.count(id)) declare(buffer, "");
  }
  if (kernel.bulk_batches > 0) bulk_begin(kernel);
  body(kernel.body);
}

// The index of a thread in one dimension of its block, from the three hardware dimensions.
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

// Unpacks the arguments of a kernel that executes a range of blocks.
void Writer::packed_entry(const Kernel& kernel) {
  const std::string name = names_.spell(kernel.name);
  std::vector<std::string> list;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::Global) continue;
    list.push_back(fmt::format("({}*)arguments[{}]", dialect_.stored(buffer.type), list.size()));
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
  out_.line(fmt::format("{}({});", blocks_function_, comma_list(list)));
  out_.close();
  out_.blank();
}

void Writer::flush_subnormals(const Kernel& kernel) {
  const bool of_floats = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                     [](const Buffer& buffer) { return is_float(buffer.type); });
  if (module_.fp != FpMode::Fast || !of_floats || dialect_.flush_subnormals.empty()) return;
  expressions_.use_helper("flush_subnormals");
  out_.line(std::string(dialect_.flush_subnormals));
}

void Writer::looped_body(const Kernel& kernel) {
  const bool single = has_block_function(kernel) || !dialect_.block_index.empty() ||
                      (!dialect_.block_ranges && is_single_block(module_, kernel));
  if (has_block_function(kernel) && !variables_.count("block")) out_.line("(void)block;");
  if (dialect_.block_ranges) {
    flush_subnormals(kernel);
    out_.open("for (int64_t block = begin_block; block < end_block; ++block) {");
    ++loop_depth_;
  } else if (!dialect_.block_index.empty()) {
    block_number();
  } else if (!single) {
    out_.flush_left("#ifdef _OPENMP");
    out_.flush_left("#pragma omp parallel for schedule(static)");
    out_.flush_left("#endif");
    out_.open("for (int64_t block = 0; block < blocks; ++block) {");
    ++loop_depth_;
  }
  if (!dialect_.block_ranges) flush_subnormals(kernel);
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].space == Space::Global) continue;
    const bool shared = kernel.buffers[i].space == Space::Shared;
    const std::string_view qualifier = shared ? dialect_.shared_array : "";
    if (!kernel.buffers[i].local) declare(kernel.buffers[i], qualifier);
  }
  body(kernel.body);
  if (!single) out_.close();
}

void Writer::shared_buffers(const Kernel& kernel) {
  const bool dynamic = dynamic_shared_bytes(kernel, module_, dialect_) > 0;
  const kernel::SharedLayout layout = kernel::shared_layout(kernel, module_.constants);
  if (dynamic) {
    out_.line(fmt::format(fmt::runtime(dialect_.dynamic_shared), layout.alignment));
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    if (buffer.space != Space::Shared) continue;
    if (!dynamic) {
      declare(buffer, fmt::format(fmt::runtime(dialect_.shared_array), buffer.alignment));
      continue;
    }
    const std::string array = extents_text(buffer);
    const std::string_view type = dialect_.stored(buffer.type);
    out_.line(with_comment(
        fmt::format("{0} (&{1}){2} = *reinterpret_cast<{0} (*){2}>(shared_memory + {3});", type,
                    names_.spell(buffer.name), array, layout.offsets[i]),
        buffer.comment));
  }
  if (kernel.bulk_batches == 0) return;
  if (arrived_.empty()) arrived_ = names_.fresh("arrived");
  const char* const comment = "one word per ring index, tracks the arrival of its bulk copies";
  const std::string type = "unsigned long long";
  out_.line(with_comment(
      dynamic ? fmt::format("{}* const {} = reinterpret_cast<{}*>(shared_memory + {});", type,
                            arrived_, type, layout.bulk_words)
              : fmt::format(fmt::runtime(dialect_.bulk_words), arrived_, kernel.bulk_batches),
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
  const std::string_view value = !buffer.zeroed           ? ""
                                 : buffer.extents.empty() ? " = 0"
                                                          : dialect_.zeros;
  out_.line(with_comment(fmt::format("{}{} {}{}{};", qualifier, dialect_.stored(buffer.type),
                                     names_.spell(buffer.name), extents_text(buffer), value),
                         buffer.comment));
}

}  // namespace stencil::emit
