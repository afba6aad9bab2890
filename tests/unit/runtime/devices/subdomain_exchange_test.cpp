// The messages of one subdomain as the others see them: their contents and their time.
#include "runtime/devices/subdomain_exchange.h"

#include <gtest/gtest.h>

#include "compiler/decompose/restrict.h"
#include "compiler/driver/cutting.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/schedule.h"
#include "runtime/devices/plan_session.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// Memory is a number, and kernels do nothing.
class Numbers : public Accelerator {
 public:
  Result<Memory> allocate(int64_t) override { return reinterpret_cast<Memory>(++last_); }
  void release(Memory) override {}
  Status clear(Memory, int64_t) override { return Done{}; }
  Status copy(Memory, Memory, int64_t) override { return Done{}; }
  Status upload(Memory, const std::byte*, const Rows&) override { return Done{}; }
  Status download(std::byte*, Memory, const Rows&) override { return Done{}; }
  Status launch(const Call& call) override {
    launched.push_back(call.kernel);
    return Done{};
  }
  Status wait() override { return Done{}; }
  Status ask(Memory) override { return Done{}; }
  Result<int32_t> answer() override { return 0; }

  std::vector<int> launched;

 private:
  uintptr_t last_ = 0;
};

// A communicator whose other ranks repeat the texts of this rank.
class Echo : public Communicator {
 public:
  Echo(int size, int rank, bool takes_ranges)
      : size_(size), rank_(rank), takes_ranges_(takes_ranges) {}
  int size() const override { return size_; }
  int rank() const override { return rank_; }
  Status exchange(Accelerator&, std::span<const Transfer> transfers) override {
    exchanged.emplace_back(transfers.begin(), transfers.end());
    return Done{};
  }
  bool takes_ranges() const override { return takes_ranges_; }
  Result<std::vector<std::string>> all_gather(const std::string& own) override {
    return std::vector<std::string>(static_cast<size_t>(size_), own);
  }
  void abandon(const Failure&) override {}

  std::vector<std::vector<Transfer>> exchanged;

 private:
  const int size_, rank_;
  const bool takes_ranges_;
};

struct Seen {
  std::vector<std::vector<Transfer>> before, during;  // exchanges before and between steps
  std::vector<int> launched;
};

// The middle one of three subdomains along the outermost dimension, with
// one exchange between two tiles.
Seen exchanges_of(const std::string& text, bool takes_ranges) {
  const ir::Program program = program_of(text);
  Diagnostics diagnostics;
  const auto cutting =
      cut(program, {"1x3", 2}, "direct block=32", schedule::gpu(), gpu_link(), diagnostics);
  EXPECT_TRUE(cutting) << render(Source("", ""), diagnostics);
  const ir::Program own = decompose::restrict_to(program, cutting->decomposition, 1);
  const auto module = schedule::lower(own, cutting->schedule, diagnostics);
  EXPECT_TRUE(module) << render(Source("", ""), diagnostics);
  reference::State state = initial_state(own, bind_params(own).value());
  Echo others(3, 1, takes_ranges);
  auto numbers = std::make_unique<Numbers>();
  const Numbers& device = *numbers;
  const auto session = start_plan(std::move(numbers), *module, state, {.communicator = &others});
  EXPECT_TRUE(session.ok());
  Seen out;
  EXPECT_TRUE(others.exchanged.empty()) << "others may fail to start";
  EXPECT_TRUE(session.value()->advance(0).ok());
  out.before = std::exchange(others.exchanged, {});
  EXPECT_TRUE(session.value()->advance(4).ok());
  out.during = others.exchanged;
  out.launched = device.launched;
  return out;
}

const std::string kGrid = "grid G = [0..59, 0..6] steps 4;\n";
const std::string kHeat =
    kGrid + "field A : real on G;\nstencil s : A[1..58, 1..5] = A[-1,0] + A[1,0] + A[0,1];\n";

// Rows of 7 floats: the halo of two steps is two rows below and two above.
TEST(SubdomainExchange, SendsArrayRangesForWholeRows) {
  const Seen run = exchanges_of(kHeat, true);
  EXPECT_TRUE(run.before.empty()) << "no connection is needed without buffers";
  ASSERT_EQ(run.during.size(), 1);
  ASSERT_EQ(run.during[0].size(), 2);
  for (const Transfer& each : run.during[0]) {
    EXPECT_EQ(each.send, each.receive) << "one array";
    EXPECT_EQ(each.send_bytes, each.receive_bytes);
    EXPECT_EQ(each.send_bytes % (2 * 7 * 4), 0);
    EXPECT_EQ(std::abs(each.send_offset - each.receive_offset) % each.send_bytes, 0);
  }
  EXPECT_EQ(run.launched.size(), 4) << "no packing";
}

// The buffers that connect subdomains exist before the first step.
TEST(SubdomainExchange, ConnectsBeforeTheFirstStep) {
  const Seen run = exchanges_of(kHeat, false);
  ASSERT_EQ(run.before.size(), 1);
  ASSERT_EQ(run.during.size(), 1);
  ASSERT_EQ(run.before[0].size(), 2);
  for (size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(run.before[0][n].peer, run.during[0][n].peer);
    EXPECT_EQ(run.before[0][n].send_bytes, run.during[0][n].send_bytes);
    EXPECT_NE(run.during[0][n].send, run.during[0][n].receive) << "buffers";
  }
  EXPECT_EQ(run.launched.size(), 4 + 2) << "packed and unpacked once";
}

TEST(SubdomainExchange, VerifiesTheBoxesOfExchanges) {
  const ir::Program program = program_of(kHeat);
  Diagnostics diagnostics;
  const auto cutting =
      cut(program, {"1x3", 2}, "direct block=32", schedule::gpu(), gpu_link(), diagnostics);
  ASSERT_TRUE(cutting);
  const ir::Program own = decompose::restrict_to(program, cutting->decomposition, 1);
  const auto whole = schedule::lower(own, cutting->schedule, diagnostics);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(kernel::verify(*whole).empty());
  const auto broken = [&](const std::function<void(kernel::ExchangeBox&)>& change) {
    kernel::Module module = *whole;
    change(module.plan.exchanges.at(0).messages.at(0).sent.at(0));
    return !kernel::verify(module).empty();
  };
  EXPECT_TRUE(broken([](kernel::ExchangeBox& box) { ++box.counts[0]; }));
  EXPECT_TRUE(broken([](kernel::ExchangeBox& box) { box.counts[1] = 0; }));
  EXPECT_TRUE(broken([](kernel::ExchangeBox& box) { box.array.array = 9; }));
  EXPECT_TRUE(broken([](kernel::ExchangeBox& box) { box.array.slot = 2; }));
  EXPECT_TRUE(broken([](kernel::ExchangeBox& box) { box.first.pop_back(); }));
}

// Nine short ranges per message take longer than packing.
TEST(SubdomainExchange, PacksManyComponents) {
  std::string sums = "A[1,0][0]";
  for (int c = 1; c < 9; ++c) sums += ", A[-1,0][" + std::to_string(c) + "]";
  const Seen run = exchanges_of(kGrid +
                                    "field A : vector 9 of real on G;\n"
                                    "stencil s : A[1..58, 1..5] = {" +
                                    sums + "};\n",
                                true);
  ASSERT_EQ(run.during.size(), 1);
  for (const Transfer& each : run.during[0]) EXPECT_NE(each.send, each.receive);
}

}  // namespace
}  // namespace stencil::runtime
