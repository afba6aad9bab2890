// The writer, shared by all targets: prints kernels as functions of a C-like dialect. It prints
// what legalise() has made, and changes nothing.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/expression.h"
#include "compiler/emit/names.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

struct WriterOptions {
  bool exported = true;         // visible outside the file, if kernels can be
  bool parallel_loops = false;  // C++: a kernel of one block parallelises its outermost loops
};

class Writer {
 public:
  Writer(const kernel::Module& module, const Dialect& dialect, Names& names,
         WriterOptions options = {});

  void kernel(const kernel::Kernel& kernel);  // a kernel of the module

  // The text of the kernels so far.
  const std::string& text() const { return out_.str(); }

  // "constexpr int size_x = 512;  // points in x" and so on: the constants that the kernels or the
  // text `elsewhere` in the file mention, except those in `known`.
  std::string constants(const std::string& elsewhere,
                        const std::vector<kernel::NamedConstant>& known = {});

  ExpressionPrinter& expressions() { return expressions_; }

 private:
  void signature(const kernel::Kernel& kernel);
  void parameters(const kernel::Kernel& kernel, std::vector<std::string>& list);
  bool has_block_function(const kernel::Kernel& kernel) const;
  void block_function(std::vector<std::string> list, const std::string& name);
  void all_blocks(const kernel::Kernel& kernel);
  void unused_arguments(const kernel::Kernel& kernel);
  void block_number();
  void implicit_body(const kernel::Kernel& kernel);
  void flush_subnormals(const kernel::Kernel& kernel);
  void looped_body(const kernel::Kernel& kernel);
  void packed_entry(const kernel::Kernel& kernel);
  void shared_buffers(const kernel::Kernel& kernel);
  void declare(const kernel::Buffer& buffer, std::string_view qualifier);
  void body(const kernel::Body& body);
  bool needs_braces(const kernel::Body& body) const;
  void find_values(const kernel::Kernel& kernel);
  void statement(const kernel::Statement& statement, bool last);
  void branch(const kernel::If& branch);
  void loop(const kernel::For& loop);
  void static_steps(const kernel::For& loop);
  void open_cases(const kernel::Let& let);
  std::string_view condition_word(const kernel::Expr& condition) const;
  void threads(const kernel::Threads& threads, bool last);
  void thread_loops(const kernel::Threads& threads, bool last);
  void store(const kernel::Store& store);
  void copy(const kernel::Copy& copy);
  void copy_vector(const kernel::Copy& copy, const std::vector<kernel::Expr>& to,
                   const std::vector<kernel::Expr>& from, std::string_view type, int length);
  void shuffle(const kernel::Shuffle& shuffle);
  void bulk_begin(const kernel::Kernel& kernel);
  void bulk_copies(const kernel::BulkCopies& bulk);
  void await_bulk(const kernel::AwaitBulk& await);
  std::string bulk_word(const kernel::Expr& batch);
  std::string thread_index(size_t axis) const;
  std::string first_thread() const;
  std::string extents_text(const kernel::Buffer& buffer);

  const kernel::Module& module_;
  const Dialect& dialect_;
  Names& names_;
  WriterOptions options_;
  ExpressionPrinter expressions_;
  Text out_;

  // State of the kernel being written.
  const kernel::Kernel* kernel_ = nullptr;
  // Buffers that the kernel loads. Products stored to other buffers need no guard.
  std::set<kernel::BufferId> loaded_;
  std::set<std::string> variables_;
  std::set<std::string> static_;        // compile-time constants in the target language
  std::string block_function_;          // executes one of its blocks
  std::string blocks_function_;         // executes a range of its blocks
  std::string arrived_;                 // name of the words that track the arrival of bulk copies
  std::map<std::string, int> binders_;  // number of statements that define each name
  std::set<kernel::BufferId> values_;   // per-thread values that are declared where they are stored
  int loop_depth_ = 0;
};

// True if a C++ function for this kernel needs no loop over blocks.
bool is_single_block(const kernel::Module& module, const kernel::Kernel& kernel);

}  // namespace stencil::emit
