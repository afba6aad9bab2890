// --in and --out of `stencilc run`.
//
// What can be known to fail is found before the run, not after an hour of stepping: unknown fields,
// file types that are not there, directories that do not exist, planes outside the grid.
#include "tools/stencilc/transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "runtime/npy.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

using runtime::Done;
using runtime::Failure;
using runtime::Format;
using runtime::Output;
using runtime::Result;
using runtime::Selection;
using runtime::Status;

namespace {

Failure unknown(const std::string& what, const std::string& name,
                const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return {"U020", fmt::format("no {} '{}'", what, name),
          near.empty() ? fmt::format("there is {}", fmt::join(known, ", "))
                       : fmt::format("did you mean '{}'?", near)};
}

// "@-1" -> 1.
std::optional<int> parse_level(const std::string& text) {
  if (!text.starts_with("@-")) return std::nullopt;
  int level = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), level);
  if (error != std::errc() || *end != '\0') return std::nullopt;
  return level;
}

// Whether a file can be made there.
Status check_place(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  const std::string where = directory.empty() ? "." : directory.string();
  if (!std::filesystem::is_directory(where)) {
    return Failure{"R011",
                   fmt::format("cannot write '{}': there is no directory '{}'", path, where), ""};
  }
  const bool present = std::filesystem::exists(path);
  const bool regular = !present || std::filesystem::is_regular_file(path);
  if (regular && access(where.c_str(), W_OK) != 0) {
    return Failure{"R011", fmt::format("cannot write '{}': the directory is not writable", path),
                   ""};
  }
  return Done{};
}

Status check_output(const Output& output, const ir::Program& program) {
  const Selection& first = output.selections[0];
  const ir::Field& field = program.fields[static_cast<size_t>(first.field)];
  const Format format = *runtime::format_of(output.path);
  if (format == Format::Png && first.component < 0 && field.components.size() > 1) {
    return Failure{"U022",
                   fmt::format("a picture shows one component, '{}' has {}", field.name,
                               field.components.size()),
                   fmt::format("name one: {}{}", field.name, field.components[0].path)};
  }
  if (format == Format::Png && first.level != 0) {
    return Failure{"U022", "a picture shows the newest level only", "write a .npy file instead"};
  }
  if (format == Format::Vti) {
    const Status possible = runtime::check_vti(program, output.selections);
    if (!possible.ok()) return possible;
  }
  return check_place(output.path);
}

// What one --out names: a field, or all of them.
Result<std::vector<Selection>> selections_of(const ir::Program& program, const Assignment& output) {
  std::vector<Selection> selections;
  if (output.name.empty()) {
    for (size_t f = 0; f < program.fields.size(); ++f) {
      selections.push_back({static_cast<ir::FieldId>(f)});
    }
    return selections;
  }
  const auto selection = find_field(program, output.name);
  if (!selection.ok()) return selection.failure();
  selections.push_back(selection.value());
  return selections;
}

Failure written_twice(const std::string& path, const std::string& why) {
  return {"U013", fmt::format("two --out write the same file '{}'{}", path, why),
          "name another file"};
}

// The output that has this file already, or a new one at the end; U013 if it cannot be shared.
Result<Output*> output_at(const std::string& path, std::vector<Output>& outputs) {
  for (Output& output : outputs) {
    if (!same_file(path, output.path)) continue;
    if (runtime::format_of(output.path) == Format::Vti) return &output;
    return written_twice(path, "");
  }
  outputs.push_back({path, {}, {}, {}});
  return &outputs.back();
}

// --slice by axis name: x, y, z, w, ... count from the last dimension, d0, d1, ... from the first.
Result<std::vector<int64_t>> fixed_coordinates(const ir::Program& program,
                                               const Arguments& arguments,
                                               const reference::FieldData* field) {
  const int rank = program.grid.rank();
  const int free_dimensions = std::max(rank - 2, 0);
  std::vector<std::string> known;
  for (int d = 0; d < free_dimensions; ++d) known.push_back(fmt::format("d{}", d));
  const auto axis_name = [&](int d) { return kAxes[static_cast<size_t>(rank - 1 - d)]; };
  for (int d = 0; d < free_dimensions; ++d) known.push_back(axis_name(d));
  for (const auto& [axis, coordinate] : arguments.slice) {
    if (std::find(known.begin(), known.end(), axis) != known.end()) continue;
    if (known.empty()) {
      return Failure{"U023",
                     fmt::format("--slice {}: a grid of {} dimension{} has one plane", axis, rank,
                                 rank == 1 ? "" : "s"),
                     ""};
    }
    return Failure{"U023", fmt::format("--slice knows no axis '{}'", axis),
                   fmt::format("one of {}", fmt::join(known, ", "))};
  }
  std::vector<int64_t> fixed;
  for (int d = 0; d < free_dimensions && field != nullptr; ++d) {
    auto given = arguments.slice.find(fmt::format("d{}", d));
    if (given == arguments.slice.end()) given = arguments.slice.find(axis_name(d));
    const auto& [low, high] = field->box[static_cast<size_t>(d)];
    fixed.push_back(given != arguments.slice.end() ? given->second : low + (high - low) / 2);
  }
  return fixed;
}

}  // namespace

Result<Selection> find_field(const ir::Program& program, const std::string& text) {
  const size_t at = text.find('@');
  const std::string path = text.substr(0, at);
  const size_t tail = path.find_first_of(".[");
  const std::string name = path.substr(0, tail);
  Selection out;
  std::vector<std::string> names;
  for (const ir::Field& field : program.fields) names.push_back(field.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return unknown("field", name, names);
  out.field = static_cast<ir::FieldId>(found - names.begin());
  const ir::Field& field = program.fields[static_cast<size_t>(out.field)];

  if (tail != std::string::npos) {
    std::vector<std::string> paths;
    for (const ir::Component& component : field.components)
      paths.push_back(field.name + component.path);
    const auto component = std::find(paths.begin(), paths.end(), path);
    if (component == paths.end()) return unknown("component", path, paths);
    out.component = static_cast<int>(component - paths.begin());
  }
  if (at != std::string::npos) {
    const auto level = parse_level(text.substr(at));
    if (!level || *level < 0 || *level >= field.history) {
      return Failure{"U020", fmt::format("no level '{}' of field '{}'", text.substr(at), name),
                     fmt::format("its history is {}", field.history)};
    }
    out.level = *level;
  }
  return out;
}

Status check_transfers(const ir::Program& program, const Arguments& arguments) {
  for (const Assignment& input : arguments.inputs) {
    const auto field = find_field(program, input.name);
    if (!field.ok()) return field.failure();
    if (runtime::format_of(input.value) == Format::Npy) continue;
    return Failure{"U021", fmt::format("cannot read '{}': not a .npy file", input.value), ""};
  }
  const auto axes = fixed_coordinates(program, arguments, nullptr);
  if (!axes.ok()) return axes.failure();
  if (arguments.checkpoint.empty()) return Done{};
  if (same_file(arguments.checkpoint, arguments.file)) {
    return Failure{"U013", "the checkpoint '" + arguments.checkpoint + "' is the program itself",
                   ""};
  }
  return check_place(arguments.checkpoint);
}

Result<std::vector<Output>> find_outputs(const ir::Program& program, const Arguments& arguments) {
  std::vector<Output> outputs;
  for (const Assignment& wanted : arguments.outputs) {
    const auto selections = selections_of(program, wanted);
    if (!selections.ok()) return selections.failure();
    if (same_file(wanted.value, arguments.file)) {
      return Failure{"U013", "the output '" + wanted.value + "' is the program itself", ""};
    }
    if (!runtime::format_of(wanted.value)) {
      return Failure{"U021", fmt::format("cannot tell what to write to '{}'", wanted.value),
                     "use .npy, .png or .vti"};
    }
    const auto output = output_at(wanted.value, outputs);
    if (!output.ok()) return output.failure();
    auto& all = output.value()->selections;
    for (const Selection& selection : selections.value()) {
      if (std::find(all.begin(), all.end(), selection) != all.end()) {
        const std::string& name = program.fields[static_cast<size_t>(selection.field)].name;
        return written_twice(wanted.value, ", which has " + name + " already");
      }
      all.push_back(selection);
    }
    output.value()->image.range = arguments.range;
    const Status fine = check_output(*output.value(), program);
    if (!fine.ok()) return fine.failure();
  }
  return outputs;
}

Status place_planes(const ir::Program& program, const Arguments& arguments,
                    const reference::State& state, std::vector<Output>& outputs) {
  for (Output& output : outputs) {
    if (runtime::format_of(output.path) != Format::Png) continue;
    const Selection& shown = output.selections[0];
    const reference::FieldData& field = state.fields[static_cast<size_t>(shown.field)];
    auto plane = fixed_coordinates(program, arguments, &field);
    if (!plane.ok()) return plane.failure();
    output.plane = std::move(plane).value();
    const auto slice = runtime::slice_of(field, std::max(shown.component, 0), output.plane);
    if (!slice.ok()) return slice.failure();
  }
  return Done{};
}

Status read_inputs(const ir::Program& program, const Arguments& arguments,
                   reference::State& state) {
  for (const Assignment& input : arguments.inputs) {
    const auto selection = find_field(program, input.name);
    if (!selection.ok()) return selection.failure();
    const auto& [id, level, component] = selection.value();
    const Status read = runtime::read_npy_into(input.value, state.fields[static_cast<size_t>(id)],
                                               level, component);
    if (!read.ok()) return read;
  }
  return Done{};
}

}  // namespace stencil::tool
