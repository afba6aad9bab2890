// Rank 0 broadcasts each command as text: a word and numbers (words.h). All ranks then execute it,
// and exchange halos while they take steps. Data between the whole state and the subdomains are
// sent as separate messages.
#include "runtime/cluster/mpi_program.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <limits>
#include <sstream>

#include "compiler/decompose/restrict.h"
#include "compiler/reference/interpreter.h"
#include "compiler/support/try.h"
#include "runtime/cluster/identity.h"
#include "runtime/cluster/subdomain_run.h"
#include "runtime/cluster/subdomain_state.h"
#include "runtime/cluster/words.h"
#include "runtime/run/program_hash.h"

namespace stencil::runtime {

namespace {

// An accelerator without a device: host memory used only for messages.
class HostMessages : public Accelerator {
 public:
  Result<Memory> allocate(int64_t) override { return unable(); }
  void release(Memory) override {}
  Status clear(Memory, int64_t) override { return unable(); }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    std::memcpy(static_cast<std::byte*>(to) + rows.start, from, static_cast<size_t>(rows.bytes));
    return Done{};
  }
  Status download(std::byte* to, Memory from, const Rows& rows) override {
    std::memcpy(to, static_cast<std::byte*>(from) + rows.start, static_cast<size_t>(rows.bytes));
    return Done{};
  }
  Status launch(const Call&) override { return unable(); }
  Status wait() override { return Done{}; }
  Status ask(Memory) override { return unable(); }
  Result<int32_t> answer() override { return unable(); }
  std::byte* host_pointer(Memory memory) override { return static_cast<std::byte*>(memory); }

 private:
  static Failure unable() { return {"R045", "memory for messages alone", ""}; }
};

constexpr int kTag = 0;

// State of every rank.
struct Rank {
  std::shared_ptr<Communicator> ranks;
  SettledCut cut;
  ir::Program subdomain;
  Prepared prepared;
  HostMessages messages;
  std::string identity;     // hash of program and decomposition; sessions must match it
  bool in_session = false;  // on rank 0: the serving ranks have a session

  int number() const { return ranks->rank(); }

  // Sends from one rank to another; collective. `bytes`: size received at `to`.
  Status send(int from, int to, std::vector<std::byte>& data, int64_t bytes) {
    std::vector<Transfer> transfers;
    std::vector<std::byte> received;
    if (number() == from) {
      transfers.push_back({to, kTag, kTag, 0, static_cast<int64_t>(data.size()), 0, 0});
    }
    if (number() == to) {
      received.resize(static_cast<size_t>(bytes));
      transfers.push_back({from, kTag, kTag, 0, 0, 0, bytes});
    }
    const Status sent = ranks->exchange_between(messages, data.data(), received.data(), transfers);
    if (number() == to) data = std::move(received);
    return sent;
  }
};

// If a rank fails, all must end: others may be waiting for it within a step.
Status checked(Rank& rank, const Status& status) {
  if (status.ok() || rank.ranks->size() == 1) return status;
  const Failure& failure = status.failure();
  fmt::print(stderr, "stencilc: error{}{}: rank {}: {}\n", failure.code.empty() ? "" : " ",
             failure.code, rank.number(), failure.message);
  if (!failure.hint.empty()) fmt::print(stderr, "      = hint: {}\n", failure.hint);
  rank.ranks->abandon(failure);
  return status;
}

// A rank's share of a session that rank 0 started.
class RankSubdomain {
 public:
  explicit RankSubdomain(std::shared_ptr<Rank> rank) : rank_(std::move(rank)) {}

  // `whole`: the whole state on rank 0, null elsewhere. If some rank cannot read the files, rank 0
  // allocates the fields, reads the files and scatters the values; `reason` then says why.
  Status start(reference::State* whole, const reference::State& params, std::vector<bool> stored,
               const std::vector<FieldFile>& files, const Status& reached, Failure& reason) {
    const SettledCut& cut = rank_->cut;
    std::string error;
    auto shapes = reference::lay_out(cut.program, params.integer_params, params.real_params, error);
    if (!shapes) return Failure{"R052", "the fields cannot be laid out: " + error, ""};
    shapes_ = std::move(*shapes);
    auto state = TRY(empty_subdomain(rank_->subdomain, params));
    const Status all_reach = agree(*rank_->ranks, reached);
    if (!all_reach.ok()) {
      reason = all_reach.failure();
      TRY(whole ? complete(files, *whole) : Status(Done{}));
      stored.assign(stored.size(), true);
    }
    TRY(whole ? scatter(*whole, state) : receive(stored, state));
    const std::vector<FieldFile> none;
    TRY(begin_subdomain(cut.program, cut.decomposition, rank_->subdomain, stored,
                        all_reach.ok() ? files : none, shapes_, state));
    run_.emplace(cut.program, cut.decomposition, rank_->number(), shapes_);
    return run_->start(*rank_->prepared.loaded, std::move(state), *rank_->ranks);
  }

  SubdomainRun& run() { return *run_; }
  std::optional<double> seconds() const { return run_->seconds(); }
  const reference::State& state() const { return run_->state(); }

  Status fetch(const std::vector<int>& levels, reference::State* whole) {
    TRY(run_->bring(levels));
    const SettledCut& cut = rank_->cut;
    if (whole) provide_storage(cut.program, levels, *whole);
    if (whole) give_back(cut.program, state(), run_->rows(), levels, *whole);
    for (int other = 1; other < rank_->ranks->size(); ++other) {
      const int64_t bytes =
          whole ? owned_bytes(cut.program, cut.decomposition, other, levels, *whole) : 0;
      std::vector<std::byte> data;
      if (rank_->number() == other) data = pack_owned(cut.program, state(), run_->rows(), levels);
      TRY(rank_->send(other, 0, data, bytes));
      if (whole) unpack_owned(cut.program, cut.decomposition, other, data, levels, *whole);
    }
    return Done{};
  }

  // Gathers a box of a field at `to`, which is null on ranks other than 0.
  Status read(const BoxOfField& what, std::byte* to) {
    const auto& types = shapes_.fields[what.field].types;
    const int64_t bytes = size_in_bytes(types[what.component]);
    const auto size = [&](const BoxOfField& part) { return ir::count(part.box) * bytes; };
    const BoxOfField own = run_->own_part_of(what);
    std::vector<std::byte> values(static_cast<size_t>(size(own)));
    TRY(agree(*rank_->ranks, run_->read(own, values.data())));
    if (to) put_box(values.data(), own.box, what.box, bytes, to);
    for (int other = 1; other < rank_->ranks->size(); ++other) {
      const BoxOfField part = run_->part_of_box(other, what);
      if (size(part) == 0) continue;
      TRY(rank_->send(other, 0, values, size(part)));
      if (to) put_box(values.data(), part.box, what.box, bytes, to);
    }
    return Done{};
  }

  // Writes this rank's rows of the files. Returns false, with the cause in `reason`, if some rank
  // cannot access the files.
  Result<bool> write(const std::vector<SharedFile>& files, Failure& reason) {
    Status reached = Done{};
    for (const SharedFile& file : files) {
      if (reached.ok()) reached = reaches(file);
    }
    const Status all_reach = agree(*rank_->ranks, reached);
    if (!all_reach.ok()) {
      reason = all_reach.failure();
      return false;
    }
    TRY(agree(*rank_->ranks, run_->write(files)));
    return true;
  }

  // Gathers one text per rank; fails on all if it fails on one.
  Result<std::vector<std::string>> gather(const Result<std::string>& own) {
    TRY(agree(*rank_->ranks, own.ok() ? Status(Done{}) : Status(own.failure())));
    return rank_->ranks->all_gather(own.value());
  }

 private:
  // Allocates and fills all fields of a state.
  Status complete(const std::vector<FieldFile>& files, reference::State& whole) const {
    for (size_t f = 0; f < whole.fields.size(); ++f) {
      if (is_stored(whole, f)) continue;
      reference::provide(rank_->cut.program, static_cast<ir::FieldId>(f), whole);
      reference::initialise(rank_->cut.program, static_cast<ir::FieldId>(f), whole);
    }
    for (const FieldFile& file : files) {
      TRY(read_all_rows(file, whole));
    }
    return Done{};
  }

  // Sends to one rank at a time, so that rank 0 needs memory for only one subdomain beside the
  // whole.
  Status scatter(const reference::State& whole, reference::State& own) {
    const SettledCut& cut = rank_->cut;
    fill_subdomain(cut.program, cut.decomposition, whole, own);
    for (int other = 1; other < rank_->ranks->size(); ++other) {
      const ir::Program program = decompose::restrict_to(cut.program, cut.decomposition, other);
      std::string error;
      const auto laid_out =
          reference::lay_out(program, whole.integer_params, whole.real_params, error);
      if (!laid_out)
        return Failure{"R052", "the fields of a subdomain cannot be laid out: " + error, ""};
      std::vector<std::byte> data =
          pack_subdomain(cut.program, cut.decomposition, *laid_out, whole);
      TRY(rank_->send(0, other, data, 0));
    }
    return Done{};
  }

  Status receive(const std::vector<bool>& stored, reference::State& own) {
    const int64_t bytes = packed_bytes(own, stored);
    for (int other = 1; other < rank_->ranks->size(); ++other) {
      std::vector<std::byte> data;
      TRY(rank_->send(0, other, data, other == rank_->number() ? bytes : 0));
      if (other == rank_->number()) unpack_subdomain(data, stored, own);
    }
    return Done{};
  }

  const std::shared_ptr<Rank> rank_;
  reference::State shapes_;  // shapes of the whole state
  std::optional<SubdomainRun> run_;
};

// --- Rank 0

// `what`: "write" or "read".
void warn_of_gathering(const char* what, const Failure& reason) {
  const Failure warning = {
      "R096",
      fmt::format("some ranks cannot access the run's files, so only rank 0 {}s them: {}", what,
                  reason.message),
      "use a file system that all ranks share"};
  fmt::print(stderr, "stencilc: warning {}: {}\n      = hint: {}\n", warning.code, warning.message,
             warning.hint);
}

class DrivingSession : public Session, public FieldRows {
 public:
  DrivingSession(std::shared_ptr<Rank> rank, reference::State& state)
      : rank_(std::move(rank)), state_(state), subdomain_(rank_) {
    rank_->in_session = true;
  }
  ~DrivingSession() override {
    (void)say("drop");
    rank_->in_session = false;
  }

  Status start(const std::vector<FieldFile>& files) {
    std::vector<bool> stored;
    for (size_t f = 0; f < state_.fields.size(); ++f) stored.push_back(is_stored(state_, f));
    TRY(say(fmt::format("start {} {} {} {}", rank_->identity, words::text_of(state_),
                        words::numbers({stored.begin(), stored.end()}), words::text_of(files))));
    Failure reason;
    TRY(checked(*rank_, subdomain_.start(&state_, state_, stored, files, Done{}, reason)));
    if (!reason.message.empty()) warn_of_gathering("read", reason);
    return check_files(rank_->cut.program, files, *this);
  }

  Result<int64_t> advance(int64_t steps) override {
    TRY(say(fmt::format("advance {}", steps)));
    const auto done = subdomain_.run().advance(steps);
    if (!done.ok()) return checked(*rank_, done.failure()).failure();
    const reference::State& own = subdomain_.state();
    state_.step = own.step;
    state_.stopped = own.stopped;
    const auto all = TRY(rank_->ranks->all_gather(words::text_of(own)));
    state_.reductions = own.reductions;
    for (const std::string& text : all) {
      std::istringstream in(text);
      const reference::State other = words::read_state(in, rank_->subdomain);
      for (size_t r = 0; r < other.reductions.size(); ++r) {
        const int64_t first = other.reductions[r].first_nan;
        int64_t& least = state_.reductions[r].first_nan;
        if (first > 0 && (least == 0 || first < least)) least = first;
      }
    }
    return done;
  }

  Status fetch(const std::vector<int>& levels) override {
    std::vector<int64_t> wanted;
    for (size_t f = 0; f < levels.size(); ++f) {
      wanted.push_back(std::min(levels[f], rank_->cut.program.fields[f].history));
    }
    const Status said = say("fetch " + words::numbers(wanted));
    return said.ok() ? checked(*rank_, subdomain_.fetch(levels, &state_)) : said;
  }
  Status finish() override {
    return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
  }
  std::optional<double> seconds() const override { return subdomain_.seconds(); }

  Result<bool> read(const BoxOfField& what, std::byte* to) override {
    TRY(say("read " + words::text_of(what)));
    TRY(subdomain_.read(what, to));
    return true;
  }

  FieldRows* rows() override { return this; }
  // If some rank cannot access the files, rank 0 gathers the fields and writes them.
  Status write(const std::vector<SharedFile>& files) override {
    TRY(say("write " + words::text_of(files)));
    Failure reason;
    const auto written = TRY(subdomain_.write(files, reason));
    if (written) return Done{};
    if (!std::exchange(warned_, true)) warn_of_gathering("write", reason);
    const Status gathered = fetch(levels_of(files, state_.fields.size()));
    return gathered.ok() ? StateSource(state_).write(files) : gathered;
  }
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override {
    TRY(say("sums " + words::text_of(arrays)));
    const auto all = TRY(subdomain_.gather(words::text_of(subdomain_.run().checksums(arrays))));
    std::vector<std::vector<uint32_t>> sums;
    for (const std::string& text : all) sums.push_back(words::read_sums(text));
    return sum_of_checksums(sums);
  }
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override {
    TRY(say("count " + words::text_of(places)));
    const auto all =
        TRY(subdomain_.gather(words::text_of(subdomain_.run().count_non_finite(places))));
    std::vector<std::vector<NonFiniteCount>> counts;
    for (const std::string& text : all) counts.push_back(words::read_counts(text));
    return sum_of_counts(counts);
  }

 private:
  Status say(const std::string& what) {
    TRY(rank_->ranks->broadcast(what));
    return Done{};
  }

  const std::shared_ptr<Rank> rank_;
  reference::State& state_;
  RankSubdomain subdomain_;
  bool warned_ = false;  // already warned that fields are gathered for files
};

class DrivenProgram : public LoadedProgram {
 public:
  explicit DrivenProgram(std::shared_ptr<Rank> rank) : rank_(std::move(rank)) {}
  ~DrivenProgram() override { (void)rank_->ranks->broadcast("end"); }

  // Only one session may exist at a time.
  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    return start_from(state, {});
  }
  bool starts_unstored() const override { return true; }
  Result<std::unique_ptr<Session>> start_from(reference::State& state,
                                              const std::vector<FieldFile>& files) const override {
    if (rank_->in_session) {
      return Failure{"R095", "another simulation of this kernel is running on the ranks",
                     "run one simulation at a time"};
    }
    auto session = std::make_unique<DrivingSession>(rank_, state);
    TRY(session->start(files));
    return std::unique_ptr<Session>(std::move(session));
  }
  Result<std::string> code(CodeKind kind) const override {
    return rank_->prepared.loaded->code(kind);
  }
  std::vector<KernelResources> resources() const override {
    return rank_->prepared.loaded->resources();
  }

 private:
  const std::shared_ptr<Rank> rank_;
};

// --- Other ranks

Failure serves_another() {
  return {"R097", "it does not serve the kernel of the simulation that rank 0 starts",
          "compile and serve kernels in the same order on all ranks"};
}

Status serve_rank(const std::shared_ptr<Rank>& rank) {
  std::unique_ptr<RankSubdomain> subdomain;
  for (;;) {
    const auto heard = TRY(rank->ranks->broadcast(""));
    std::istringstream in(heard);
    std::string word;
    in >> word;
    Status done = Done{};
    if (word == "end") return Done{};
    if (word == "drop") subdomain.reset();
    if (word == "start") {
      std::string identity;
      in >> identity;
      // Nothing has been exchanged yet and rank 0 is waiting, so this failure also ends rank 0.
      if (identity != rank->identity) return checked(*rank, serves_another());
      subdomain = std::make_unique<RankSubdomain>(rank);
      const reference::State state = words::read_state(in, rank->subdomain);
      const std::vector<int64_t> stored = words::read_numbers(in);
      std::vector<FieldFile> files;
      const Status reached = words::read_files(in, files);
      Failure reason;
      done =
          subdomain->start(nullptr, state, {stored.begin(), stored.end()}, files, reached, reason);
    }
    if (word == "advance") {
      int64_t steps = 0;
      in >> steps;
      const auto taken = subdomain->run().advance(steps);
      if (!taken.ok()) done = taken.failure();
      if (taken.ok()) {
        const auto told = rank->ranks->all_gather(words::text_of(subdomain->state()));
        if (!told.ok()) done = told.failure();
      }
    }
    if (word == "fetch") {
      const std::vector<int64_t> levels = words::read_numbers(in);
      done = subdomain->fetch({levels.begin(), levels.end()}, nullptr);
    }
    // Failures of these commands also occur on rank 0, which handles them.
    Failure reason;
    if (word == "write") (void)subdomain->write(words::read_files(in), reason);
    if (word == "read") (void)subdomain->read(words::read_box(in), nullptr);
    if (word == "sums")
      (void)subdomain->gather(words::text_of(subdomain->run().checksums(words::read_arrays(in))));
    if (word == "count")
      (void)subdomain->gather(
          words::text_of(subdomain->run().count_non_finite(words::read_places(in))));
    if (!checked(*rank, done).ok()) return done;
  }
}

// The decision of rank 0 as "2x2 12\nstreaming T=4 ...\norigin".
std::string text_of(const SettledCut& cut) {
  return fmt::format("{} {}\n{}\n{}", decompose::print(cut.decomposition.cuts),
                     cut.decomposition.steps, cut.line, cut.origin);
}

}  // namespace

Status agree(Communicator& ranks, const Status& own) {
  const auto text = [&] {
    if (own.ok()) return std::string();
    const Failure& failure = own.failure();
    return fmt::format("{}\n{}\n{}", failure.code, failure.message, failure.hint);
  };
  const auto all = TRY(ranks.all_gather(text()));
  if (!own.ok()) return own;
  for (size_t r = 0; r < all.size(); ++r) {
    if (all[r].empty()) continue;
    std::istringstream in(all[r]);
    Failure failure;
    std::getline(in, failure.code);
    std::getline(in, failure.message);
    std::getline(in, failure.hint);
    failure.message = fmt::format("rank {}: {}", r, failure.message);
    return failure;
  }
  return Done{};
}

Result<RankProgram> prepare_rank(std::shared_ptr<Communicator> ranks, int rank_on_node,
                                 const ir::Program& program, const std::vector<int64_t>& integers,
                                 const CutRequest& request, const std::string& device,
                                 const std::string& schedule_line, Diagnostics& diagnostics,
                                 const StageCallback& stage, const KnownSubdomainLines& known) {
  TRY(check_identity(*ranks, program));
  const StageCallback tell = stage ? stage : [](const std::string&) {};
  auto rank = std::make_shared<Rank>();
  rank->ranks = ranks;
  auto chosen = choose_device(device);
  std::string own_device = device;
  if (chosen.ok() && chosen.value().device.name == "cuda" && chosen.value().selector.empty()) {
    own_device = fmt::format("cuda:{}", rank_on_node);
    chosen = choose_device(own_device);
  }
  TRY(agree(*ranks, chosen.ok() ? Status(Done{}) : Status(chosen.failure())));

  // Rank 0 chooses the decomposition; the others use the broadcast result.
  const auto settle = [&](const CutRequest& wanted, const std::string& line) {
    return settle_cut(program, integers, wanted, chosen.value(), network_link(), line, diagnostics,
                      ranks->rank() == 0 ? known : KnownSubdomainLines());
  };
  tell(fmt::format("splitting {} over {} ranks", program.name, ranks->size()));
  Status settled = Done{};
  std::string said;
  if (ranks->rank() == 0) {
    auto cut = settle(request, schedule_line);
    if (cut.ok() && cut.value().decomposition.subdomains() != ranks->size()) {
      settled =
          Failure{"R095",
                  fmt::format("{} cuts the grid into {} subdomains, but there are {} ranks",
                              request.cuts, cut.value().decomposition.subdomains(), ranks->size()),
                  "start as many ranks as there are subdomains"};
    } else if (!cut.ok()) {
      settled = cut.failure();
    } else {
      said = text_of(cut.value());
      rank->cut = std::move(cut).value();
    }
  }
  TRY(agree(*ranks, settled));
  const auto heard = TRY(ranks->broadcast(said));
  if (ranks->rank() != 0) {
    std::istringstream in(heard);
    CutRequest wanted;
    std::string line;
    in >> wanted.cuts >> wanted.steps;
    in.ignore();
    std::getline(in, line);
    auto cut = settle(wanted, line);
    if (cut.ok()) {
      rank->cut = std::move(cut).value();
    } else {
      settled = cut.failure();
    }
  }
  rank->identity =
      fmt::format("{:016x}", hash_of(fmt::format("{}{} {} {}", identity_of(program),
                                                 decompose::print(rank->cut.decomposition.cuts),
                                                 rank->cut.decomposition.steps, rank->cut.line)));
  if (settled.ok()) {
    tell(fmt::format("compiling {} for {}: {}", program.name, own_device, rank->cut.line));
    auto prepared = prepare_subdomain(rank->cut, ranks->rank(), own_device, schedule_line,
                                      rank->subdomain, diagnostics);
    if (prepared.ok()) {
      rank->prepared = std::move(prepared).value();
    } else {
      settled = prepared.failure();
    }
  }
  TRY(agree(*ranks, settled));
  RankProgram out;
  out.prepared.device = rank->prepared.device;
  out.prepared.schedule = rank->prepared.schedule;
  out.prepared.module = rank->prepared.module;
  out.prepared.origin = rank->cut.origin;
  out.prepared.subdomains = describe(rank->cut.decomposition);
  if (ranks->rank() == 0) {
    out.prepared.loaded = std::make_unique<DrivenProgram>(rank);
  } else {
    out.serve = [rank] { return serve_rank(rank); };
  }
  return out;
}

}  // namespace stencil::runtime
