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
#include "runtime/png.h"

namespace stencil::tool {

using runtime::Done;
using runtime::Failure;
using runtime::Result;
using runtime::Status;

namespace {

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

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

Status check_output(const std::string& path, const FieldReference& field,
                    const ir::Program& program) {
  const std::string kind = extension(path);
  if (kind != ".npy" && kind != ".png") {
    return Failure{"U021", fmt::format("cannot tell what to write to '{}'", path),
                   "use .npy or .png"};
  }
  const auto& components = program.fields[static_cast<size_t>(field.field)].components;
  if (kind == ".png" && field.component < 0 && components.size() > 1) {
    const std::string& name = program.fields[static_cast<size_t>(field.field)].name;
    return Failure{
        "U022", fmt::format("a picture shows one component, '{}' has {}", name, components.size()),
        fmt::format("name one: {}{}", name, components[0].path)};
  }
  if (kind == ".png" && field.level != 0) {
    return Failure{"U022", "a picture shows the newest level only", "write a .npy file instead"};
  }
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

Result<std::string> output_bytes(const FieldReference& reference, const std::string& path,
                                 const reference::FieldData& field,
                                 const std::vector<int64_t>& fixed) {
  if (extension(path) == ".png") {
    const auto slice = runtime::slice_of(field, std::max(reference.component, 0), fixed);
    if (!slice.ok()) return slice.failure();
    const auto image = runtime::render(slice.value());
    if (!image.ok()) return image.failure();
    return runtime::encode_png(image.value());
  }
  if (reference.component >= 0) {
    return runtime::format_npy(
        runtime::component_to_npy(field, reference.level, reference.component));
  }
  const auto array = runtime::to_npy(field, reference.level);
  if (!array.ok()) return array.failure();
  return runtime::format_npy(array.value());
}

}  // namespace

Result<FieldReference> find_field(const ir::Program& program, const std::string& text) {
  const size_t at = text.find('@');
  const std::string path = text.substr(0, at);
  const size_t tail = path.find_first_of(".[");
  const std::string name = path.substr(0, tail);
  FieldReference out;
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
    if (extension(input.value) == ".npy") continue;
    return Failure{"U021", fmt::format("cannot read '{}': not a .npy file", input.value), ""};
  }
  for (const Assignment& output : arguments.outputs) {
    const auto field = find_field(program, output.name);
    if (!field.ok()) return field.failure();
    if (same_file(output.value, arguments.file)) {
      return Failure{"U013", "the output '" + output.value + "' is the program itself", ""};
    }
    for (const Assignment* other = arguments.outputs.data(); other != &output; ++other) {
      if (!same_file(output.value, other->value)) continue;
      return Failure{"U013",
                     fmt::format("--out {} and --out {} write the same file '{}'", other->name,
                                 output.name, output.value),
                     "name another file"};
    }
    const Status fine = check_output(output.value, field.value(), program);
    if (!fine.ok()) return fine;
  }
  const auto axes = fixed_coordinates(program, arguments, nullptr);
  if (!axes.ok()) return axes.failure();
  return Done{};
}

Status read_inputs(const ir::Program& program, const Arguments& arguments,
                   reference::State& state) {
  for (const Assignment& input : arguments.inputs) {
    const auto reference = find_field(program, input.name);
    if (!reference.ok()) return reference.failure();
    const auto array = runtime::read_npy(input.value);
    if (!array.ok()) return array.failure();
    const auto& [id, level, component] = reference.value();
    reference::FieldData& field = state.fields[static_cast<size_t>(id)];
    const Status read = component < 0 ? runtime::from_npy(array.value(), input.value, field, level)
                                      : runtime::component_from_npy(array.value(), input.value,
                                                                    field, level, component);
    if (!read.ok()) return read;
  }
  return Done{};
}

Result<std::vector<OutputFile>> format_outputs(const ir::Program& program,
                                               const Arguments& arguments,
                                               const reference::State& state) {
  std::vector<OutputFile> files;
  for (const Assignment& output : arguments.outputs) {
    const auto reference = find_field(program, output.name);
    if (!reference.ok()) return reference.failure();
    const reference::FieldData& field = state.fields[static_cast<size_t>(reference.value().field)];
    const auto fixed = fixed_coordinates(program, arguments, &field);
    if (!fixed.ok()) return fixed.failure();
    auto bytes = output_bytes(reference.value(), output.value, field, fixed.value());
    if (!bytes.ok()) return bytes.failure();
    files.push_back({output.value, std::move(bytes).value()});
  }
  return files;
}

}  // namespace stencil::tool
