// Rolling bodies into loops: which bodies become one loop, and that unrolling
// the loops gives the bodies back.
#include "compiler/kernel/sequence.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"

namespace stencil::kernel {
namespace {

Expr v(const char* name) {
  return variable(name);
}

std::string text(const Body& body) {
  Module module;
  module.name = "m";
  Kernel kernel;
  kernel.name = "k";
  kernel.buffers = {
      {"a", Scalar::F32, Space::Thread, {integer(64), integer(64)}, false, false, ""},
      {"b", Scalar::F32, Space::Thread, {integer(64), integer(64)}, false, false, ""}};
  kernel.body = body;
  module.kernels = {kernel};
  module.plan.points = integer(1, Scalar::I64);
  const std::string all = print(module);
  const size_t begin = all.find("body"), end = all.find("plan");
  return all.substr(begin == std::string::npos ? 0 : begin, end - begin);
}

// buffer[row][column] = a[row][0]
Statement store(BufferId buffer, Expr row, Expr column) {
  return {Store{buffer, {row, std::move(column)}, load(0, {row, integer(0)}, Scalar::F32)}};
}
Statement threads(Body body) {
  return {Threads{std::move(body)}};
}

// Returns the sequence after checking that it equals the items in order.
Body checked(const std::vector<Body>& items) {
  Body all;
  for (const Body& item : items) all.insert(all.end(), item.begin(), item.end());
  Body body = sequence("s", items);
  EXPECT_EQ(text(written_out(body)), text(all));
  return body;
}

const For* loop(const Body& body, size_t at = 0) {
  return at < body.size() ? std::get_if<For>(&body[at].kind) : nullptr;
}

TEST(Sequence, AffineItemsBecomeOneLoop) {
  std::vector<Body> items;
  for (int s = 0; s < 5; ++s) {
    items.push_back({threads({store(1, integer(2 * s + 1), sub(v("n"), integer(7 - s)))})});
  }
  const Body body = checked(items);
  ASSERT_EQ(body.size(), 1u);
  ASSERT_NE(loop(body), nullptr);
  EXPECT_EQ(loop(body)->kind, LoopKind::Steps);
  EXPECT_EQ(print(loop(body)->end), "5");
}

TEST(Sequence, PlainVariablesCountAsSumsWithZero) {
  std::vector<Body> items;
  for (int s = 0; s < 4; ++s) {
    const Expr n = sub(v("n"), integer(s));  // plain `n` in the first item
    items.push_back({threads({store(1, operation(Op::Mod, {n, integer(3)}), n)})});
  }
  EXPECT_EQ(checked(items).size(), 1u);
}

TEST(Sequence, NonlinearIndicesAreGuarded) {
  std::vector<Body> items;
  for (int s = 0; s < 4; ++s) items.push_back({threads({store(1, integer(s * s), v("n"))})});
  for (const Statement& statement : checked(items)) {
    const auto* steps = std::get_if<For>(&statement.kind);
    if (!steps || print(steps->begin) != "0" || print(steps->end) != "4") continue;
    EXPECT_NE(std::get_if<If>(&steps->body.front().kind), nullptr);
  }
}

TEST(Sequence, FirstAndLastAreGuarded) {
  std::vector<Body> items;
  for (int s = 0; s < 6; ++s) {
    Body item;
    item.push_back(threads({store(s == 0 ? 1 : 0, integer(s), v("n"))}));
    for (int i = 0; i < 6; ++i) item.push_back(threads({store(1, integer(s + i), v("m"))}));
    if (s == 5) item.push_back(threads({store(0, integer(60), v("m"))}));
    items.push_back(std::move(item));
  }
  const Body body = checked(items);
  ASSERT_EQ(body.size(), 1u);
  ASSERT_NE(loop(body), nullptr);
  const auto* first = std::get_if<If>(&loop(body)->body.front().kind);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->otherwise.size(), 1u);
  EXPECT_NE(std::get_if<If>(&loop(body)->body.back().kind), nullptr);
}

// Two items that are not adjacent define a linear index only if its slope is an integer.
TEST(Sequence, NonAdjacentItemsNeedAnIntegerSlope) {
  const auto common = [] {
    Body body;
    for (int i = 0; i < 8; ++i) body.push_back(threads({store(1, integer(i), v("m"))}));
    return body;
  };
  std::vector<Body> items(3, common());
  items[0].push_back(threads({store(0, integer(3), v("n"))}));
  items[2].push_back(threads({store(0, integer(4), v("n"))}));
  checked(items);
}

TEST(Sequence, NamesLocalToItemsMayDiffer) {
  std::vector<Body> items;
  for (int s = 0; s < 3; ++s) {
    const std::string name = "live_" + std::to_string(s);
    items.push_back(
        {threads({{Let{name, add(v("n"), integer(s))}}, store(1, variable(name), integer(s))})});
  }
  const Body body = sequence("s", items);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_NE(loop(body), nullptr);
}

TEST(Sequence, DifferentNamesBuffersAndOperationsStaySeparate) {
  const std::vector<std::vector<Body>> different = {
      {{threads({store(1, v("n"), v("m"))})}, {threads({store(1, v("m"), v("n"))})}},
      {{threads({store(1, v("n"), v("m"))})}, {threads({store(0, v("n"), v("m"))})}},
      {{threads({store(1, mul(v("n"), v("m")), v("m"))})},
       {threads({store(1, add(v("n"), v("m")), v("m"))})}}};
  for (const auto& items : different) EXPECT_EQ(loop(checked(items)), nullptr);
}

TEST(Sequence, DefinitionsAreNotGuarded) {
  std::vector<Body> items;
  for (int s = 0; s < 3; ++s) {
    Body item = {{Let{"x", add(v("n"), integer(s))}}};
    for (int i = 0; i < 6; ++i) item.push_back(threads({store(1, integer(s + i), v("x"))}));
    if (s == 2) item.push_back(threads({store(0, integer(60), v("m"))}));
    items.push_back(std::move(item));
  }
  const Body body = sequence("s", items);
  for (const Statement& statement : body) {
    EXPECT_EQ(std::get_if<If>(&statement.kind), nullptr);
  }
}

TEST(Sequence, AsksForTheTitleOfEachLoop) {
  std::vector<Body> items;
  for (int s = 0; s < 3; ++s) items.push_back({threads({store(1, integer(s), v("n"))})});
  std::vector<std::pair<size_t, size_t>> asked;
  const Body body = sequence("s", items, [&](size_t first, size_t last) {
    asked.emplace_back(first, last);
    return std::string("title");
  });
  EXPECT_EQ(asked, (std::vector<std::pair<size_t, size_t>>{{0, 2}}));
  EXPECT_NE(std::get_if<Comment>(&body.front().kind), nullptr);
  EXPECT_TRUE(sequence("s", {}).empty());
}

}  // namespace
}  // namespace stencil::kernel
