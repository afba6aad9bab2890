// random(i, j, seed): Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC'11). The generator has no state: a number is a
// function of the coordinates and the seed. The number is therefore the same on every device, in
// every subdomain and for every schedule.
//
// The coordinates form the counter: four words of 32 bits, padded with 0. The seed is the key: two
// words, the low word first. If there are more than four coordinates, each further group of four is
// the counter of another block. The key of that block is the first two words of the previous block.
// The random number consists of the first two words of the last block; the first word is the upper
// half.
//
// A word is stored as a `long`. The product of two words needs 64 bits, and a `long` keeps all of
// them because it wraps around. All operations exist in the language, so no target needs special
// support.
#include "compiler/ir/random.h"

#include <array>
#include <utility>
#include <variant>

#include "compiler/ir/rewrite.h"
#include "compiler/support/evaluate.h"

namespace stencil::ir {
namespace {

constexpr int64_t kWord = 0xffffffff;

// A number, or a node of type I64.
using Word = std::variant<int64_t, NodeId>;

// 64-bit operations on words; numbers are folded.
class Words {
 public:
  Words(Graph& graph, Span span) : graph_(graph), span_(span) {}

  Word apply(Op op, const Word& a, const Word& b) {
    const auto* x = std::get_if<int64_t>(&a);
    const auto* y = std::get_if<int64_t>(&b);
    if (x && y) return evaluate_integer(op, *x, *y, 64).value;
    const NodeId left = node(a), right = node(b);
    return graph_.add({Operation{op, {left, right}}, Scalar::I64, span_, {}});
  }
  Word low(const Word& a) { return apply(Op::BitAnd, a, kWord); }
  Word high(const Word& a) { return low(apply(Op::Shr, a, int64_t{32})); }

  NodeId node(const Word& word) {
    if (const auto* id = std::get_if<NodeId>(&word)) return *id;
    return graph_.add({Constant{0, std::get<int64_t>(word)}, Scalar::I64, span_, {}});
  }

 private:
  Graph& graph_;
  Span span_;
};

using PhiloxKey = std::array<Word, 2>;
using PhiloxCounter = std::array<Word, 4>;

PhiloxCounter philox(Words& words, PhiloxCounter c, PhiloxKey key) {
  constexpr int kRounds = 10;
  const Word multiplier[] = {int64_t{0xD2511F53}, int64_t{0xCD9E8D57}};
  const Word weyl[] = {int64_t{0x9E3779B9}, int64_t{0xBB67AE85}};
  for (int round = 0; round < kRounds; ++round) {
    for (size_t k = 0; round > 0 && k < key.size(); ++k) {
      key[k] = words.low(words.apply(Op::WrapAdd, key[k], weyl[k]));
    }
    const Word product_0 = words.apply(Op::WrapMul, c[0], multiplier[0]);
    const Word product_1 = words.apply(Op::WrapMul, c[2], multiplier[1]);
    const Word mixed_0 = words.apply(Op::BitXor, words.high(product_1), c[1]);
    const Word mixed_1 = words.apply(Op::BitXor, words.high(product_0), c[3]);
    const Word first = words.apply(Op::BitXor, mixed_0, key[0]);
    const Word second = words.low(product_1);
    const Word third = words.apply(Op::BitXor, mixed_1, key[1]);
    c = {first, second, third, words.low(product_0)};
  }
  return c;
}

// `given`: the coordinates, then the seed.
Word bits(Words& words, const std::vector<Word>& given) {
  std::vector<Word> coordinates;
  for (size_t i = 0; i + 1 < given.size(); ++i) coordinates.push_back(words.low(given[i]));
  const Word low = words.low(given.back());
  PhiloxKey key = {low, words.high(given.back())};
  PhiloxCounter out;
  for (size_t first = 0; first == 0 || first < coordinates.size(); first += out.size()) {
    if (first > 0) key = {out[0], out[1]};
    PhiloxCounter counter;
    for (size_t i = 0; i < counter.size(); ++i) {
      counter[i] = first + i < coordinates.size() ? coordinates[first + i] : Word(int64_t{0});
    }
    out = philox(words, std::move(counter), key);
  }
  const Word upper = words.apply(Op::Shl, out[0], int64_t{32});
  return words.apply(Op::BitOr, upper, out[1]);
}

NodeId expand(Graph& graph, Node node) {
  const auto* operation = std::get_if<Operation>(&node.kind);
  if (!operation || operation->op != Op::Random) return graph.add(std::move(node));
  std::vector<Word> given;
  for (const NodeId id : operation->operands) {
    const auto* constant = std::get_if<Constant>(&graph[id].kind);
    given.push_back(constant ? Word(constant->integer) : Word(id));
  }
  Words words(graph, node.span);
  return words.node(bits(words, given));
}

}  // namespace

int64_t random_bits(const std::vector<int64_t>& given) {
  Graph unused;
  Words words(unused, {});
  return std::get<int64_t>(bits(words, {given.begin(), given.end()}));
}

Program expand_random(const Program& program) {
  Program out = rewrite_graphs(program, expand);
  for (Param& param : out.params) {
    if (param.derived) rewrite_graph(param.derived->graph, {&param.derived->value}, expand);
  }
  return out;
}

}  // namespace stencil::ir
