// The sender posts a message and the receiver copies it, because the receiver knows which device
// must wait. The sender continues once the receivers have queued the copies of its messages. Work
// that the sender queues later waits for these copies, because it may overwrite the data that they
// read.
#include "runtime/cluster/local_subdomains.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/try.h"

namespace stencil::runtime {

class LocalSubdomains::Member : public Communicator {
 public:
  Member(LocalSubdomains& all, int rank) : all_(all), rank_(rank) {}

  int size() const override { return static_cast<int>(all_.members_.size()); }
  int rank() const override { return rank_; }
  Status meet(Accelerator& accelerator) override;
  Status exchange(Accelerator& accelerator, std::span<const Transfer> transfers) override;
  bool takes_ranges() const override { return true; }
  bool records(const Accelerator& accelerator) const override {
    // Without lanes, the streams would not wait for each other's marks and could not join a
    // recording.
    return accelerator.records() && accelerator.has_lanes() && reaches_all_;
  }
  Status begin_recording(Accelerator& accelerator) override;
  Result<Accelerator::Recording> end_recording(Accelerator& accelerator) override;
  Status replay(Accelerator& accelerator, const Accelerator::Recording& recording,
                int64_t times) override;
  Result<std::vector<std::string>> all_gather(const std::string& own) override;
  void abandon(const Failure& failure) override {
    const std::lock_guard<std::mutex> lock(all_.mutex_);
    if (!all_.failure_) all_.failure_ = failure;
    all_.changed_.notify_all();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Posts = std::vector<std::shared_ptr<Post>>;

  template <class Condition>
  Status wait_until(Lock& lock, const Condition& condition) {
    all_.changed_.wait(lock, [&] { return all_.failure_ || condition(); });
    if (all_.failure_) return *all_.failure_;
    return Done{};
  }
  Result<Posts> post(Accelerator& accelerator, std::span<const Transfer> transfers);
  Result<std::shared_ptr<Post>> fetch(const Transfer& transfer);
  Status show_mark(Accelerator& accelerator);
  Status await_others(Accelerator& accelerator);
  Status gather();

  LocalSubdomains& all_;
  const int rank_;
  bool reaches_all_ = true;  // determined in meet()
};

Result<LocalSubdomains::Member::Posts> LocalSubdomains::Member::post(
    Accelerator& accelerator, std::span<const Transfer> transfers) {
  Posts posts;
  const bool sends = std::any_of(transfers.begin(), transfers.end(),
                                 [](const Transfer& transfer) { return transfer.send_bytes > 0; });
  if (!sends) return posts;
  auto ready = TRY(accelerator.mark());
  const std::lock_guard<std::mutex> lock(all_.mutex_);
  for (const Transfer& transfer : transfers) {
    if (transfer.send_bytes == 0) continue;
    posts.push_back(std::make_shared<Post>(Post{
        &accelerator, transfer.send, transfer.send_offset, transfer.send_bytes, ready, false, {}}));
    all_.posts_[{rank_, transfer.peer, transfer.send_tag}].push_back(posts.back());
  }
  all_.changed_.notify_all();
  return posts;
}

Result<std::shared_ptr<LocalSubdomains::Post>> LocalSubdomains::Member::fetch(
    const Transfer& transfer) {
  Lock lock(all_.mutex_);
  auto& posts = all_.posts_[{transfer.peer, rank_, transfer.receive_tag}];
  TRY(wait_until(lock, [&] { return !posts.empty(); }));
  auto post = posts.front();
  posts.pop_front();
  return post;
}

Status LocalSubdomains::Member::meet(Accelerator& accelerator) {
  {
    const std::lock_guard<std::mutex> lock(all_.mutex_);
    all_.accelerators_[rank_] = &accelerator;
  }
  TRY(all_gather(""));
  for (Accelerator* other : all_.accelerators_) {
    if (other != &accelerator) reaches_all_ = accelerator.reach(*other) && reaches_all_;
  }
  const auto met = all_gather("");  // keeps accelerators alive until all have met
  if (!met.ok()) return met.failure();
  return Done{};
}

Status LocalSubdomains::Member::exchange(Accelerator& accelerator,
                                         std::span<const Transfer> transfers) {
  const auto sent = post(accelerator, transfers);
  if (!sent.ok()) return sent.failure();
  Posts taken;
  for (const Transfer& transfer : transfers) {
    if (transfer.receive_bytes == 0) continue;
    const auto fetched = TRY(fetch(transfer));
    const Post& post = *fetched;
    if (post.bytes != transfer.receive_bytes) {
      return Failure{"R093",
                     fmt::format("subdomain {} sent {} bytes to subdomain {}, which expects {}",
                                 transfer.peer, post.bytes, rank_, transfer.receive_bytes),
                     ""};
    }
    TRY(accelerator.await(post.ready));
    TRY(accelerator.copy_from(transfer.receive, transfer.receive_offset, *post.accelerator,
                              post.memory, post.offset, transfer.receive_bytes));
    taken.push_back(fetched);
  }
  if (!taken.empty()) {
    auto done = TRY(accelerator.mark());
    const std::lock_guard<std::mutex> lock(all_.mutex_);
    for (const auto& post : taken) {
      post->done = done;
      post->taken = true;
    }
    all_.changed_.notify_all();
  }
  for (const auto& post : sent.value()) {
    Lock lock(all_.mutex_);
    TRY(wait_until(lock, [&] { return post->taken; }));
    const Accelerator::Mark done = post->done;
    lock.unlock();
    TRY(accelerator.await(done));
  }
  return Done{};
}

// Only subdomain 0 records and replays. Streams of other subdomains join the recording because they
// wait for a mark of subdomain 0. During a replay, the other subdomains wait between two marks of
// subdomain 0.

Status LocalSubdomains::Member::gather() {
  const auto here = all_gather("");
  return here.ok() ? Status(Done{}) : Status(here.failure());
}

Status LocalSubdomains::Member::show_mark(Accelerator& accelerator) {
  auto mark = TRY(accelerator.mark());
  const std::lock_guard<std::mutex> lock(all_.mutex_);
  all_.marks_[rank_] = std::move(mark);
  return Done{};
}

Status LocalSubdomains::Member::await_others(Accelerator& accelerator) {
  for (size_t other = 0; other < all_.marks_.size(); ++other) {
    if (static_cast<int>(other) == rank_) continue;
    TRY(accelerator.await(all_.marks_[other]));
  }
  return Done{};
}

Status LocalSubdomains::Member::begin_recording(Accelerator& accelerator) {
  Status done = Done{};
  if (rank_ == 0) done = accelerator.begin_recording();
  if (rank_ == 0 && done.ok()) done = show_mark(accelerator);
  if (done.ok()) done = gather();
  if (rank_ != 0 && done.ok()) done = accelerator.await(all_.marks_[0]);
  return done;
}

Result<Accelerator::Recording> LocalSubdomains::Member::end_recording(Accelerator& accelerator) {
  Accelerator::Recording recording;
  Status done = rank_ == 0 ? Status(Done{}) : show_mark(accelerator);
  if (done.ok()) done = gather();
  if (rank_ == 0 && done.ok()) {
    done = await_others(accelerator);
    if (!done.ok()) return done.failure();
    auto recorded = TRY(accelerator.end_recording());
    recording = std::move(recorded);
  }
  if (done.ok()) done = gather();
  if (!done.ok()) return done.failure();
  return recording;
}

Status LocalSubdomains::Member::replay(Accelerator& accelerator,
                                       const Accelerator::Recording& recording, int64_t times) {
  Status done = rank_ == 0 ? Status(Done{}) : show_mark(accelerator);
  if (done.ok()) done = gather();
  if (rank_ == 0 && done.ok()) {
    done = await_others(accelerator);
    for (int64_t n = 0; n < times && done.ok(); ++n) done = accelerator.replay(recording);
    if (done.ok()) done = show_mark(accelerator);
  }
  if (done.ok()) done = gather();
  if (rank_ != 0 && done.ok()) done = accelerator.await(all_.marks_[0]);
  return done.ok() ? gather() : done;
}

Result<std::vector<std::string>> LocalSubdomains::Member::all_gather(const std::string& own) {
  Lock lock(all_.mutex_);
  const int64_t round = all_.round_;
  all_.said_[rank_] = own;
  if (std::all_of(all_.said_.begin(), all_.said_.end(), [](const auto& said) { return said; })) {
    all_.heard_.clear();
    for (auto& said : all_.said_) all_.heard_.push_back(std::move(*std::exchange(said, {})));
    ++all_.round_;
    all_.changed_.notify_all();
  }
  TRY(wait_until(lock, [&] { return all_.round_ > round; }));
  return all_.heard_;
}

LocalSubdomains::LocalSubdomains(int count) {
  said_.resize(static_cast<size_t>(count));
  accelerators_.resize(said_.size());
  marks_.resize(said_.size());
  for (int rank = 0; rank < count; ++rank) {
    members_.push_back(std::make_unique<Member>(*this, rank));
  }
}

LocalSubdomains::~LocalSubdomains() = default;

Communicator& LocalSubdomains::communicator(int rank) const {
  return *members_[rank];
}

}  // namespace stencil::runtime
