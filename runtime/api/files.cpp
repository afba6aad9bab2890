// Files of a run in the public API. Names are resolved and checked here, before any expensive work;
// runtime/io and runtime/run read and write the files.
//
// A misspelt name must not end a run after an hour. Program::check() therefore finds every error
// that does not depend on sizes (names, formats, directories). State::check() finds the errors that
// depend on sizes.
#include "runtime/api/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/api/arrays.h"
#include "runtime/api/guarded.h"
#include "runtime/api/program.h"
#include "runtime/api/simulation.h"
#include "runtime/io/file_writer.h"
#include "runtime/io/files.h"
#include "runtime/io/netcdf.h"
#include "runtime/io/npy_fields.h"
#include "runtime/io/vti.h"
#include "runtime/run/animation.h"
#include "runtime/run/checkpoint.h"
#include "runtime/run/netcdf_series.h"

namespace stencil {

namespace api {

namespace {

using runtime::Format;
using runtime::Selection;

Selection selection_of(const ir::Program& program, const Place& place) {
  const bool whole = program.fields[place.field].components.size() == 1;
  return {place.field, place.level, whole ? -1 : place.component};
}

// Whether a file can be created at `path`. R011.
Status check_place(const std::string& path) {
  const auto directory = std::filesystem::path(runtime::end_of_links(path)).parent_path();
  const std::string where = directory.empty() ? "." : directory.string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(where, ignored)) {
    return Failure{"R011",
                   fmt::format("cannot write '{}': there is no directory '{}'", path, where), ""};
  }
  const bool present = std::filesystem::exists(path, ignored);
  const bool regular = !present || std::filesystem::is_regular_file(path, ignored);
  if (std::filesystem::is_directory(path, ignored)) {
    return Failure{"R011", fmt::format("cannot write '{}': it is a directory", path), ""};
  }
  if (std::filesystem::is_block_file(path, ignored)) {
    return Failure{"R011", fmt::format("cannot write '{}': it is a disk", path), ""};
  }
  if (regular && access(where.c_str(), W_OK) != 0) {
    return Failure{"R011", fmt::format("cannot write '{}': the directory is not writable", path),
                   ""};
  }
  return Done{};
}

Status check_picture(const ir::Program& program, const Selection& shown) {
  const ir::Field& field = program.fields[shown.field];
  if (shown.component < 0 && field.components.size() > 1) {
    return Failure{"R033",
                   fmt::format("a picture shows one component, but '{}' has {}", field.name,
                               field.components.size()),
                   fmt::format("name one: {}{}", field.name, field.components[0].path)};
  }
  if (shown.level == 0) return Done{};
  return Failure{"R033", "a picture shows the newest level only", "write a .npy file instead"};
}

// The fields that an output shows. R070; R034 if it names one twice.
Result<std::vector<Selection>> selections_of(const ir::Program& program, const Output& output) {
  std::vector<Selection> selections;
  for (size_t f = 0; f < program.fields.size() && output.fields.empty(); ++f) {
    if (program.fields[f].read_in_place()) continue;  // does not have the grid's dimensions
    selections.push_back({static_cast<ir::FieldId>(f)});
  }
  for (const std::string& name : output.fields) {
    const auto place = TRY(find_place(program, name));
    const Selection selection = selection_of(program, place);
    if (std::find(selections.begin(), selections.end(), selection) != selections.end()) {
      return Failure{"R034", fmt::format("'{}' would hold '{}' twice", output.path, name), ""};
    }
    selections.push_back(selection);
  }
  return selections;
}

// The interval of an output that gives none. A record is complete only at the end, so it has no
// series unless the caller asks for one.
int64_t default_interval(const ir::Program& program, const std::vector<Selection>& selections,
                         int64_t every) {
  const bool records =
      !selections.empty() &&
      std::all_of(selections.begin(), selections.end(),
                  [&](const Selection& shown) { return ir::is_record(program, shown.field); });
  return records ? 0 : every;
}

Status check_options(const Output& output, Format format) {
  if (output.range && !(std::isfinite(output.range->first) && std::isfinite(output.range->second) &&
                        output.range->first < output.range->second)) {
    return Failure{"R036",
                   fmt::format("the range of '{}' goes from {} to {}", output.path,
                               output.range->first, output.range->second),
                   "give two numbers, the first below the second"};
  }
  const bool shown = output.fps >= runtime::kSlowestFps && output.fps <= runtime::kFastestFps;
  if (runtime::is_animation(format) && !shown) {
    return Failure{
        "R036", fmt::format("'{}' would show {} frames per second", output.path, output.fps),
        fmt::format("give a rate from {} to {}", runtime::kSlowestFps, runtime::kFastestFps)};
  }
  return Done{};
}

// A file that grows is read back or renamed, which a pipe does not permit. R011.
Status check_growing(const runtime::Output& output) {
  std::error_code ignored;
  const bool present = std::filesystem::exists(output.path, ignored);
  if (!output.grows() || !present || std::filesystem::is_regular_file(output.path, ignored)) {
    return Done{};
  }
  return Failure{"R011",
                 fmt::format("cannot write '{}': a file that grows during the run must be a "
                             "regular file",
                             output.path),
                 ""};
}

// `every`: the interval of outputs that give none.
Result<runtime::Output> resolved(const ir::Program& program, const Output& output, int64_t every) {
  auto selections = TRY(selections_of(program, output));
  const auto format = runtime::format_of(output.path);
  if (!format) {
    std::error_code ignored;
    const bool stream = output.path == runtime::kStandardOutput ||
                        (std::filesystem::exists(output.path, ignored) &&
                         !std::filesystem::is_regular_file(output.path, ignored));
    return Failure{
        "R032", fmt::format("the extension of '{}' names no file format", output.path),
        fmt::format("use .npy, .nc, .vti, .png, .gif or .apng{}",
                    stream ? "; a pipe or a link to a device needs such a name too" : "")};
  }
  if (!runtime::holds_several(*format) && output.fields.size() != 1) {
    return Failure{"R033",
                   fmt::format("'{}' can hold one field, not {}", output.path, selections.size()),
                   "a .vti or .nc file holds several"};
  }
  TRY(format == Format::Vti          ? runtime::check_vti(program, selections)
      : runtime::is_picture(*format) ? check_picture(program, selections[0])
                                     : Status(Done{}));
  TRY(check_options(output, *format));
  TRY(check_place(output.path));
  const int64_t interval = output.every.value_or(default_interval(program, selections, every));
  runtime::Output out{
      output.path,
      std::move(selections),
      {},
      {.range = output.range, .plain = output.plain, .flip = output.flip, .cube = output.cube},
      interval,
      output.fps};
  TRY(check_growing(out));
  return out;
}

Result<std::vector<runtime::Output>> resolved(const ir::Program& program,
                                              const std::vector<Output>& outputs, int64_t every) {
  std::vector<runtime::Output> all;
  for (const Output& output : outputs) {
    auto one = TRY(resolved(program, output, every));
    const bool twice = std::any_of(all.begin(), all.end(), [&](const runtime::Output& other) {
      return runtime::same_file(other.path, output.path);
    });
    if (twice) {
      return Failure{"R034", fmt::format("two outputs write the same file '{}'", output.path),
                     "name another file"};
    }
    all.push_back(std::move(one));
  }
  return all;
}

// Whether the output's series writes `path` at some step.
bool in_series(const std::string& path, const runtime::Output& output) {
  constexpr size_t kFewestDigits = 6;
  const std::filesystem::path file(path), shown(output.path);
  const std::string start = shown.stem().string() + "_", stem = file.stem().string();
  if (file.extension() != shown.extension() || !stem.starts_with(start)) return false;
  const std::string number = stem.substr(start.size());
  const bool digits = number.find_first_not_of("0123456789") == std::string::npos;
  const auto step = digits ? parse_integer(number) : std::nullopt;
  if (number.size() < kFewestDigits || !step) return false;
  const auto directory = [](const std::filesystem::path& of) {
    return of.has_parent_path() ? of.parent_path().string() : ".";
  };
  return *step % output.every == 0 && runtime::same_file(directory(file), directory(shown));
}

// R034 if one of the run's series would replace the file at `path`.
Status check_apart(const std::string& path, const std::vector<runtime::Output>& outputs) {
  for (const runtime::Output& output : outputs) {
    if (output.every == 0 || output.grows()) continue;
    const bool collects = runtime::format_of(output.path) == Format::Vti;
    const auto collection = std::filesystem::path(output.path).replace_extension(".pvd");
    const bool in = in_series(path, output);
    if (!in && !(collects && runtime::same_file(path, collection.string()))) continue;
    return Failure{
        "R034", fmt::format("'{}' would also be written by the series of '{}'", path, output.path),
        "name another file"};
  }
  return Done{};
}

// Checks that the program has reductions for a history, and that the file has the right format and
// can be created.
Status check_history(const ir::Program& program, const RunFiles& files) {
  const std::string& path = files.history;
  const bool some = std::any_of(program.reductions.begin(), program.reductions.end(),
                                [](const ir::Reduction& reduction) { return !reduction.target; });
  if ((!path.empty() || files.evaluated) && !some) {
    const bool profiles = !program.reductions.empty();
    return Failure{"R037",
                   fmt::format("the program has no reductions{}, so there is no history to write",
                               profiles ? " of one value" : ""),
                   profiles
                       ? "a record, or a reduction with 'over', is a field: write it with --out"
                       : "declare one with reduce"};
  }
  if (path.empty()) return Done{};
  if (std::filesystem::path(path).extension() != ".csv") {
    return Failure{"R032", fmt::format("the history '{}' is not a .csv file", path),
                   "name it *.csv"};
  }
  return check_place(path);
}

// R034 if the checkpoint is also the history or an output, or if a series would overwrite the
// checkpoint or an output.
Status check_all_apart(const RunFiles& files, const std::vector<runtime::Output>& outputs) {
  if (!files.history.empty() && runtime::same_file(files.history, files.checkpoint)) {
    return Failure{"R034",
                   fmt::format("the checkpoint would overwrite the history '{}'", files.history),
                   "name another file"};
  }
  for (const runtime::Output& output : outputs) {
    TRY(check_apart(output.path, outputs));
    if (files.checkpoint.empty() || !runtime::same_file(files.checkpoint, output.path)) continue;
    return Failure{"R034",
                   fmt::format("the checkpoint would overwrite the output '{}'", output.path),
                   "name another file"};
  }
  return files.checkpoint.empty() ? Status(Done{}) : check_apart(files.checkpoint, outputs);
}

// The coordinates of a picture's plane; missing ones default to the middle.
std::vector<int64_t> plane_of(const ir::Field& declared, const reference::FieldData& field,
                              const std::vector<std::optional<int64_t>>& given) {
  const size_t outer = std::max<size_t>(field.box.size(), 2) - 2;
  const size_t count = declared.read_in_place() ? outer : std::min(given.size(), field.box.size());
  std::vector<int64_t> plane;
  for (size_t d = 0; d < count; ++d) {
    const auto& [low, high] = field.box[d];
    const int of_grid = declared.dimension(d);
    const bool known = of_grid >= 0 && static_cast<size_t>(of_grid) < given.size();
    const auto at = known ? given[of_grid] : std::nullopt;
    plane.push_back(at.value_or(low + (high - low) / 2));
  }
  return plane;
}

Status check_intervals(const RunFiles& files) {
  const auto refuse = [](auto interval, const char* unit) {
    return Failure{"R035", fmt::format("files cannot be written every {} {}", interval, unit),
                   "use 0 for never"};
  };
  if (files.every < 0) return refuse(files.every, "steps");
  for (const Output& output : files.outputs) {
    if (output.every && *output.every < 0) return refuse(*output.every, "steps");
  }
  if (files.checkpoint_steps < 0) return refuse(files.checkpoint_steps, "steps");
  const bool from_zero = files.checkpoint_seconds >= 0;  // false for NaN
  if (!from_zero) return refuse(files.checkpoint_seconds, "seconds");
  const auto alone = [](const char* interval, const char* of) {
    return Failure{"R036", fmt::format("RunFiles::{} is set, and there are no {}", interval, of),
                   fmt::format("name a file to write, or leave {} at 0", interval)};
  };
  if (files.every > 0 && files.outputs.empty()) return alone("every", "outputs");
  if (!files.checkpoint.empty()) return Done{};
  if (files.checkpoint_steps > 0) return alone("checkpoint_steps", "checkpoints");
  return files.checkpoint_seconds > 0 ? alone("checkpoint_seconds", "checkpoints") : Status(Done{});
}

// The warning that a param of the resumed run differs from its value in the checkpoint.
Failure changed(const std::string& path, const runtime::ChangedParam& param) {
  return {"R065",
          fmt::format("'{}' was written with {} = {}; this run continues with {}", path, param.name,
                      param.saved, param.now),
          ""};
}

// The warning that values of a file were rounded.
Failure rounded(const std::string& field, const std::string& path,
                const runtime::Rounding& rounding) {
  return {
      "R025",
      fmt::format("{} of the values in '{}' {} rounded to the type of '{}': {}", rounding.values,
                  path, rounding.values == 1 ? "is" : "are", field, rounding.example),
      "use --real double to keep them, or numpy's astype() if rounding is intended"};
}

}  // namespace

Status check(const ir::Program& program, const RunFiles& files) {
  TRY(check_intervals(files));
  TRY(files.checkpoint.empty() ? Status(Done{}) : check_place(files.checkpoint));
  TRY(check_history(program, files));
  const auto outputs = TRY(resolved(program, files.outputs, files.every));
  for (const runtime::Output& output : outputs) {
    if (output.every > 0 || !runtime::is_animation(*runtime::format_of(output.path))) continue;
    return Failure{
        "R036",
        fmt::format("'{}' is an animation, but no interval of its frames is given", output.path),
        "give --every K, or every=K after the name of the file; a .png shows one step"};
  }
  return check_all_apart(files, outputs);
}

Result<std::vector<runtime::Output>> placed(const ir::Program& program,
                                            const reference::State& state,
                                            const std::vector<Output>& outputs, int64_t every) {
  auto all = resolved(program, outputs, every);
  for (size_t o = 0; all.ok() && o < outputs.size(); ++o) {
    runtime::Output& output = all.value()[o];
    const Format format = *runtime::format_of(output.path);
    if (format == Format::Nc) TRY(runtime::netcdf_layout(program, state, output.selections));
    if (!runtime::is_picture(format)) continue;
    const Selection& shown = output.selections[0];
    const reference::FieldData& field = state.fields[shown.field];
    output.plane = plane_of(program.fields[shown.field], field, outputs[o].plane);
    TRY(runtime::plane_start(field, output.plane));
    if (output.image.cube) TRY(runtime::check_cube(field));
  }
  return all;
}

Status check_continued(const ir::Program& program, const reference::State& state,
                       const std::vector<runtime::Output>& outputs) {
  for (const runtime::Output& output : outputs) {
    if (state.step == 0 || !output.grows()) continue;
    std::error_code ignored;
    if (runtime::format_of(output.path) == Format::Nc) {
      const auto layout = TRY(runtime::netcdf_layout(program, state, output.selections));
      TRY(runtime::records_kept(output.path, layout, state.step, output.every));
    } else if (std::filesystem::exists(output.path, ignored)) {
      return Failure{"R038",
                     fmt::format("a run from step {} cannot continue the animation '{}'",
                                 state.step, output.path),
                     "name another file for the frames of this run"};
    }
  }
  return Done{};
}

}  // namespace api

void remove_temporary_files() noexcept {
  runtime::remove_temporary_files();
}

Status State::check(const RunFiles& files) const {
  return api::guarded<Done>([&]() -> Status {
    TRY(api::check(data_->program(), files));
    const auto outputs =
        TRY(api::placed(data_->program(), data_->state, files.outputs, files.every));
    return api::check_continued(data_->program(), data_->state, outputs);
  });
}

Status State::read(const std::string& field, const std::string& path) {
  return api::guarded<Done>([&]() -> Status {
    const auto place = TRY(api::find_place(data_->program(), field));
    TRY(data_->check_on_host(place.levels(data_->program())));
    TRY(data_->close_session());
    const auto selection = api::selection_of(data_->program(), place);
    const auto& shape = data_->state.fields[selection.field];
    auto found = TRY(runtime::find_npy(path, shape, selection));
    const Status taken = data_->take(std::move(found.values));
    if (taken.ok()) data_->note_filled(selection.field, selection.component);
    if (taken.ok() && found.rounding.values > 0) {
      data_->warnings.push_back(api::rounded(field, path, found.rounding));
    }
    return taken;
  });
}

Status State::write(const std::vector<Output>& outputs) {
  return api::guarded<Done>([&]() -> Status {
    const auto files = TRY(api::placed(data_->program(), data_->state, outputs));
    const auto levels = runtime::levels_shown(data_->program(), files);
    TRY(data_->check_on_host(levels));
    return data_->look([&](runtime::FieldSource& fields) {
      return runtime::write_outputs(data_->program(), fields, files);
    });
  });
}

Status State::save_checkpoint(const std::string& path) {
  return api::guarded<Done>([&]() -> Status {
    TRY(data_->check_on_host(data_->all_levels()));
    return data_->look([&](runtime::FieldSource& fields) {
      return runtime::write_checkpoint(path, data_->program(), fields);
    });
  });
}

Status State::load_checkpoint(const std::string& path) {
  return api::guarded<Done>([&]() -> Status {
    TRY(data_->check_on_host(data_->all_levels()));
    TRY(data_->close_session());
    std::vector<bool> given = data_->given;
    for (size_t p = 0; p < given.size(); ++p) {
      given[p] = given[p] || data_->source->defined.count(data_->program().params[p].name) > 0;
    }
    auto saved = TRY(runtime::find_checkpoint(path, data_->program(), data_->state, given));
    const std::vector<runtime::ChangedParam> changed = saved.changed;
    const Status taken = data_->go_on_from(std::move(saved));
    for (const runtime::ChangedParam& param : changed) {
      if (taken.ok()) data_->warnings.push_back(api::changed(path, param));
    }
    return taken;
  });
}

}  // namespace stencil
