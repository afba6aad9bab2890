// Statements that move values unchanged: copies between memories, by vectors or asynchronously,
// bulk copies of boxes, and shuffles between threads.
#include <fmt/format.h>

#include <cstdlib>

#include "compiler/emit/writer.h"

namespace stencil::emit {

using kernel::Space;

// Uses as few vector accesses as the type allows, at most 16 bytes each.
void Writer::copy(const kernel::Copy& copy) {
  const Scalar type = kernel_->buffers[copy.from].type;
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

// A vector access to memory. Per-thread values are moved by component, so that they can stay in
// registers and need no alignment.
void Writer::copy_vector(const kernel::Copy& copy, const std::vector<kernel::Expr>& to,
                         const std::vector<kernel::Expr>& from, std::string_view type, int length) {
  const auto is_own = [&](kernel::BufferId id) {
    return kernel_->buffers[id].space == Space::Thread;
  };
  const std::string target = expressions_.element(copy.to, to);
  const std::string source = expressions_.element(copy.from, from);
  if (!is_own(copy.to) && !is_own(copy.from)) {
    out_.line(fmt::format("*reinterpret_cast<{0}*>(&{1}) ={3}*reinterpret_cast<const {0}*>(&{2});",
                          type, target, source, soft_space(0)));
    return;
  }
  const std::string helper = fmt::format("{}_{}", is_own(copy.to) ? "load" : "store", length);
  expressions_.use_helper(helper);
  out_.line(fmt::format("stencil_{}<{}>(&{},{}&{});", helper, type, target, soft_space(1), source));
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
    out_.line(fmt::format("{} ={}{}{}, {}, {});", target, soft_space(0),
                          dialect_.shuffle[move.lane < 0 ? 0 : 1], source, std::abs(move.lane),
                          kernel_->threads[0]));
  }
  if (shuffle.count > 1) out_.close();
}

// Condition for the thread that begins bulk copies for its block; all threads wait for them.

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

// The address of the word of a batch's ring index.
std::string Writer::bulk_word(const kernel::Expr& batch) {
  const kernel::Expr batches = kernel::integer(kernel_->bulk_batches);
  return fmt::format("&{}[{}]", arrived_,
                     expressions_.print(kernel::operation(Op::Mod, {batch, batches})));
}

void Writer::bulk_begin(const kernel::Kernel& kernel) {
  expressions_.use_helper("bulk_begin");
  out_.line(fmt::format("if ({}) stencil_bulk_begin({}, {});", first_thread(), arrived_,
                        kernel.bulk_batches));
  out_.line(dialect_.barrier);
}

void Writer::bulk_copies(const kernel::BulkCopies& bulk) {
  int64_t bytes = 0;  // of whole boxes: zeros for elements outside the array count too
  for (const kernel::BulkCopy& copy : bulk.copies) {
    int64_t box = size_in_bytes(kernel_->buffers[copy.to].type);
    for (int extent : kernel_->bulk_sources[copy.source].box) box *= extent;
    bytes += box;
  }
  const std::string word = bulk_word(bulk.batch);
  expressions_.use_helper("bulk_expect");
  out_.open(fmt::format("if ({}) {{", first_thread()));
  out_.line(fmt::format("stencil_bulk_expect({},{}{});", word, soft_space(1), bytes));
  for (const kernel::BulkCopy& copy : bulk.copies) {
    const kernel::BulkSource& source = kernel_->bulk_sources[copy.source];
    std::vector<std::string> arguments = {"&" + expressions_.element(copy.to, copy.to_index),
                                          names_.spell(source.name)};
    for (const kernel::Expr& index : copy.origin) arguments.push_back(expressions_.print(index));
    arguments.push_back(word);
    const std::string helper = fmt::format("bulk_copy_{}", copy.origin.size());
    expressions_.use_helper(helper);
    out_.line(fmt::format("stencil_{}({});", helper, comma_list(arguments)));
  }
  out_.close();
}

void Writer::await_bulk(const kernel::AwaitBulk& await) {
  const kernel::Expr round =
      kernel::operation(Op::Div, {await.batch, kernel::integer(kernel_->bulk_batches)});
  const kernel::Expr parity = kernel::operation(Op::BitAnd, {round, kernel::integer(1)});
  expressions_.use_helper("bulk_await");
  out_.line(fmt::format("stencil_bulk_await({},{}{});", bulk_word(await.batch), soft_space(1),
                        expressions_.print(parity)));
}

}  // namespace stencil::emit
