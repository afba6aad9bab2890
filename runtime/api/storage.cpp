// Host storage of a state's fields. A decomposed run keeps its fields in the subdomains, so the
// host allocates a field only when it is read.
//
// Fields without the grid's dimensions are always stored, for two reasons: the checks of a run read
// those that describe points, and each subdomain holds all of them completely.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/reference/interpreter.h"
#include "compiler/support/try.h"
#include "runtime/api/ranks.h"
#include "runtime/api/simulation.h"
#include "runtime/cluster/mpi_communicator.h"
#include "runtime/run/checkpoint.h"

namespace stencil::api {

namespace {

// Index names for a suggested init, such as "[i,j]".
std::string indices_of(const ir::Field& field) {
  const bool by_step = field.is_series();
  std::string out = by_step ? "t" : field.is_point_set() ? "p" : "i";
  for (int d = 1; d < field.box.rank(); ++d) {
    out += fmt::format(",{}", static_cast<char>((by_step ? 'i' - 1 : 'i') + d));
  }
  return "[" + out + "]";
}

}  // namespace

bool SimulationData::all_stored() const {
  for (size_t f = 0; f < state.fields.size(); ++f) {
    if (!is_stored(f)) return false;
  }
  return true;
}

void SimulationData::note_filled(ir::FieldId field, int component) {
  auto& components = filled[field];
  for (size_t c = 0; c < components.size(); ++c) {
    if (component < 0 || static_cast<size_t>(component) == c) components[c] = true;
  }
}

Status SimulationData::check_inputs() const {
  const auto& fields = program().fields;
  for (size_t f = 0; f < fields.size(); ++f) {
    const ir::Field& field = fields[f];
    const auto id = static_cast<ir::FieldId>(f);
    if (ir::has_initial_value(program(), id) || (field.constant && ir::changes(program(), id))) {
      continue;
    }
    const auto is_missing = [&](size_t c) {
      // The levels of a constant field need values only where they are read.
      return !filled[f][c] && ((field.constant && field.domain == 0) ||
                               ir::is_read_only(program(), id, static_cast<int>(c)));
    };
    size_t first = 0, missing = 0;
    for (size_t c = filled[f].size(); c-- > 0;) {
      if (!is_missing(c)) continue;
      first = c;
      ++missing;
    }
    if (missing == 0) continue;
    const bool all = missing == filled[f].size();
    const std::string name = all ? field.name : field.name + field.components[first].path;
    const char* const kind = field.is_point_set() ? "the set of points"
                             : field.is_series()  ? "the series"
                             : field.constant     ? "the constant field"
                             : all                ? "the field"
                                                  : "the component";
    const char* const why = field.constant ? "" : ", and no step computes it";
    std::string hint = fmt::format(
        "--in {}=FILE.npy reads them; or write 'init {}{} = ...;' in the program, with "
        "0 if zeros are meant",
        name, field.name, indices_of(field));
    if (field.domain != 0) {
      hint = fmt::format(
          "--in {}=FILE.npy reads them; or compute them by an 'init', or by a stencil function "
          "that "
          "'start {{ ... }}' applies on this level",
          name);
    }
    return Failure{"R057", fmt::format("{} '{}' has no values{}", kind, name, why), hint};
  }
  return Done{};
}

bool SimulationData::may_defer() const {
  return arrays == Arrays::Own && (!kernel || kernel->prepared.loaded->starts_unstored());
}

Status SimulationData::store(size_t field) {
  if (is_stored(field) ||
      (arrays == Arrays::Device && device_arrays.given(static_cast<int>(field)))) {
    return Done{};
  }
  const auto id = static_cast<ir::FieldId>(field);
  reference::provide(program(), id, state);
  reference::initialise(program(), id, state);
  const std::vector<runtime::FieldFile> own = runtime::take_field(files, id);
  Status sound = Done{};
  for (const runtime::FieldFile& file : own) {
    if (sound.ok()) sound = runtime::check_arrays(program(), file);
    if (sound.ok()) sound = runtime::read_all_rows(file, state);
  }
  if (sound.ok()) return sound;
  state.fields[field].levels.clear();  // a repeated request must fail again
  state.fields[field].spare.clear();
  files.insert(files.end(), own.begin(), own.end());
  return sound;
}

Status SimulationData::store_all() {
  for (size_t f = 0; f < state.fields.size(); ++f) {
    TRY(store(f));
  }
  return Done{};
}

Status SimulationData::take(runtime::FieldFile file) {
  std::vector<runtime::FieldFile> left = {std::move(file)};
  const bool defers = may_defer() && left[0].file->lies_on_disk();
  for (size_t f = 0; f < state.fields.size(); ++f) {
    const auto id = static_cast<ir::FieldId>(f);
    for (runtime::FieldFile& here : runtime::take_field(left, id)) {
      if (defers && !is_stored(f)) {
        files.push_back(std::move(here));
        continue;
      }
      Status read = store(f);
      if (read.ok()) read = runtime::check_arrays(program(), here);
      if (read.ok()) read = runtime::read_all_rows(here, state);
      if (!read.ok()) return read;
    }
  }
  return Done{};
}

Status SimulationData::go_on_from(runtime::SavedState saved) {
  const auto ranks = joined_ranks();
  const bool several = ranks && ranks->size() > 1;  // then each rank verifies the data it reads
  if (!several || !may_defer()) {
    TRY(runtime::check_arrays(program(), saved.fields));
    saved.fields.checksums.clear();
  }
  for (size_t f = 0; may_defer() && f < state.fields.size(); ++f) {
    if (program().fields[f].read_in_place()) continue;
    state.fields[f].levels.clear();
    state.fields[f].spare.clear();
  }
  files.clear();
  TRY(take(std::move(saved.fields)));
  for (size_t f = 0; f < filled.size(); ++f) note_filled(static_cast<ir::FieldId>(f), -1);
  runtime::go_on_from(saved, state);
  return Done{};
}

}  // namespace stencil::api
