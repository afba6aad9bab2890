// Values stay on the device until advance() ends. So a run with a history ends its chunks where
// reductions are due; time tiles end there in any case. A run without a history is not affected.
//
// An append-only file contains whole rows at any time, except for the last one if the disk is full.
// When a run resumes from a checkpoint, later rows are cut off in a copy that is then renamed, so
// that the earlier rows exist at all times.
#include "runtime/run/history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/io/file_writer.h"
#include "runtime/io/files.h"

namespace stencil::runtime {

namespace {

// Reductions whose result is a profile have no column: the profile is a field.
bool has_column(const ir::Reduction& reduction) {
  return !reduction.target;
}

// "6,0.5,,3": a row with the values of the reductions evaluated at this step.
std::string row_of(const ir::Program& program, const reference::State& state,
                   const std::vector<int>& evaluated) {
  std::string row = std::to_string(state.step);
  for (size_t r = 0; r < state.reductions.size(); ++r) {
    if (!has_column(program.reductions[r])) continue;
    row += ',';
    if (!std::count(evaluated.begin(), evaluated.end(), static_cast<int>(r))) continue;
    const reference::ReductionValue& value = state.reductions[r];
    const bool real = is_float(value.type);
    row += !real                    ? fmt::format("{}", value.integer)
           : std::isnan(value.real) ? "nan"  // without its meaningless sign
                                    : fmt::format("{}", value.real);
  }
  return row + '\n';
}

// The part of a file that is kept.
struct Rows {
  std::string text;  // including the heading
  int64_t last = 0;  // step
};

// The heading and the rows of `text` up to `last_step`; an incomplete last line is dropped. R037.
Result<Rows> rows_up_to(const std::string& path, const std::string& text,
                        const std::string& heading, int64_t last_step) {
  if (!text.starts_with(heading)) {
    return Failure{"R037",
                   fmt::format("'{}' is not a history of this program: its first line is '{}'",
                               path, text.substr(0, std::min<size_t>(text.find('\n'), 80))),
                   fmt::format("expected '{}'; name another file, or remove this one",
                               heading.substr(0, heading.size() - 1))};
  }
  size_t at = heading.size();
  int64_t last = 0;
  for (int number = 2;; ++number) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) return Rows{text.substr(0, at), last};
    const auto step = parse_integer(std::string_view(text).substr(at, text.find(',', at) - at), 0);
    if (!step) {
      return Failure{"R037", fmt::format("'{}' is damaged: line {} has no step", path, number),
                     "name another file, or remove this one"};
    }
    if (*step > last_step) return Rows{text.substr(0, at), last};
    last = *step;
    at = end + 1;
  }
}

}  // namespace

std::string history_heading(const ir::Program& program) {
  std::string line = "step";
  for (const ir::Reduction& reduction : program.reductions) {
    if (has_column(reduction)) line += "," + reduction.name;
  }
  return line + "\n";
}

History::History(std::string path, const ir::Program& program, const reference::State& state,
                 Callback callback)
    : path_(std::move(path)), program_(program), callback_(std::move(callback)) {
  for (const auto& value : state.reductions) evaluations_.push_back(value.evaluations);
}

History::History(History&& other) noexcept
    : path_(std::move(other.path_)),
      program_(other.program_),
      callback_(std::move(other.callback_)),
      evaluations_(std::move(other.evaluations_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

History::~History() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure History::failure(int error) const {
  return {"R011", fmt::format("cannot write '{}': {}", path_, std::strerror(error)), ""};
}

Result<History> History::begin(const std::string& path, const ir::Program& program,
                               const reference::State& state, Callback callback) {
  History history(path, program, state, std::move(callback));
  TRY(path.empty() ? Status(Done{}) : history.open(state));
  return history;
}

Status History::open(const reference::State& state) {
  const std::string heading = history_heading(program_);
  Rows rows{heading};
  struct stat status {};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  const bool regular = !there || S_ISREG(status.st_mode);
  if (state.step > 0 && there && regular && status.st_size > 0) {
    const auto text = TRY(read_file(path_));
    auto found = TRY(rows_up_to(path_, text, heading, state.step));
    rows = std::move(found);
  }
  std::vector<int> evaluated;  // at the state's step: the disk may have been full for its row
  for (size_t r = 0; r < program_.reductions.size(); ++r) {
    const ir::Reduction& reduction = program_.reductions[r];
    const bool due = has_column(reduction) && state.step % reduction.every == 0;
    if (due) evaluated.push_back(static_cast<int>(r));
  }
  std::string& kept = rows.text;
  if (rows.last < state.step && !evaluated.empty()) kept += row_of(program_, state, evaluated);
  if (regular) {
    TRY(write_file_atomically(path_, kept));
  }
  if (regular) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) return failure(errno);
  } else {
    const auto opened = TRY(open_stream(path_));
    descriptor_ = opened;
  }
  if (!regular && ::write(descriptor_, kept.data(), kept.size()) < 0) return failure(errno);
  return Done{};
}

Status History::note(const reference::State& state) {
  std::vector<int> evaluated;
  for (size_t r = 0; r < state.reductions.size(); ++r) {
    const int64_t now = state.reductions[r].evaluations;
    const bool anew = now != std::exchange(evaluations_[r], now);
    if (anew && has_column(program_.reductions[r])) evaluated.push_back(static_cast<int>(r));
  }
  if (evaluated.empty()) return Done{};
  if (callback_) callback_(state.step, evaluated);
  if (descriptor_ < 0) return Done{};
  const std::string row = row_of(program_, state, evaluated);
  for (std::string_view left = row; !left.empty();) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    left.remove_prefix(static_cast<size_t>(written));
  }
  return Done{};
}

Status History::sync() {
  const bool failed = descriptor_ >= 0 && ::fdatasync(descriptor_) != 0;
  // EINVAL, EROFS: a pipe or similar, which cannot be flushed.
  if (failed && errno != EINVAL && errno != EROFS) return failure(errno);
  return Done{};
}

std::vector<Event> History::events() {
  std::vector<Event> out;
  for (const ir::Reduction& reduction : program_.reductions) {
    const bool known = std::any_of(
        out.begin(), out.end(), [&](const Event& event) { return event.every == reduction.every; });
    if (known || !has_column(reduction)) continue;
    Event event;
    event.every = reduction.every;
    event.action = [this](FieldSource& fields) { return note(fields.state()); };
    out.push_back(std::move(event));
  }
  return out;
}

}  // namespace stencil::runtime
