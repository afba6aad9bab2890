// --in and --out of `stencilc run`.
//
// Foreseeable failures are found before the run, most of them by Program::check(). The rest
// concerns the command line: several --out for one file, names of axes, the program as an output. A
// misspelt field is a usage error here, so library errors about command-line texts get codes of
// their own.
#include "tools/stencilc/transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

Failure as_usage(Failure failure) {
  constexpr std::pair<const char*, const char*> kCodes[] = {
      {"R032", "U021"}, {"R033", "U022"}, {"R034", "U013"}, {"R070", "U020"}};
  for (const auto& [library, usage] : kCodes) {
    if (failure.code != library) continue;
    failure.code = usage;
    break;
  }
  return failure;
}

bool has_extension(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

using Plane = std::vector<std::optional<int64_t>>;

// --slice by axis name: x, y, z, w, ... count from the last dimension, d0, d1, ... from the first.
Result<Plane> find_plane(const Program& program, const std::map<std::string, int64_t>& slice) {
  const int rank = program.rank();
  Plane plane(static_cast<size_t>(std::max(rank - 2, 0)));
  std::vector<std::string> known;
  for (size_t d = 0; d < plane.size(); ++d) known.push_back(fmt::format("d{}", d));
  for (size_t d = 0; d < plane.size(); ++d) known.push_back(program.axes()[d]);
  for (const auto& [axis, coordinate] : slice) {
    const auto found = std::find(known.begin(), known.end(), axis);
    if (found == known.end() && known.empty()) {
      return Failure{
          "U023",
          fmt::format("--slice {}: a grid of {} dimension{} has only one plane, so omit the option",
                      axis, rank, rank == 1 ? "" : "s"),
          ""};
    }
    if (found == known.end()) {
      const auto& axes = program.axes();
      const size_t shown = plane.size();  // the first of the picture's two dimensions
      const bool in_picture = axis == axes[shown] || axis == axes[shown + 1] ||
                              axis == fmt::format("d{}", shown) ||
                              axis == fmt::format("d{}", shown + 1);
      return Failure{"U023",
                     in_picture ? fmt::format("--slice cannot fix {}: the picture shows {} and {}",
                                              axis, axes[shown], axes[shown + 1])
                                : fmt::format("--slice names the unknown axis '{}'", axis),
                     fmt::format("the axes are {}; --slice fixes {}", fmt::join(axes, ", "),
                                 fmt::join(known.begin() + static_cast<std::ptrdiff_t>(shown),
                                           known.end(), ", "))};
    }
    std::optional<int64_t>& fixed =
        plane[static_cast<size_t>(found - known.begin()) % plane.size()];
    if (!fixed) fixed = coordinate;  // "d0" is visited before "z"
  }
  return plane;
}

Failure written_twice(const std::string& path, const std::string& why) {
  return {"U013", fmt::format("two --out write the same file '{}'{}", path, why),
          "name another file"};
}

// Options of a picture: its own, else those of the command line.
Result<Output> picture_of(const Program& program, const PictureOptions& all,
                          const PictureOptions& own) {
  std::map<std::string, int64_t> slice = own.slice;
  slice.insert(all.slice.begin(), all.slice.end());
  Output out;
  out.plane = STENCIL_TRY(find_plane(program, slice));
  out.range = own.range ? own.range : all.range;
  out.plain = own.plain || all.plain;
  out.flip = own.flip || all.flip;
  out.cube = own.cube;
  out.fps = own.fps.value_or(all.fps.value_or(out.fps));
  return out;
}

// U006 for an --out without a field whose file holds only one. The hint names the field that is
// probably meant: the field that the file is called after, or the only field.
Failure no_field_named(const Program& program, const std::string& path) {
  Failure failure{"U006", fmt::format("--out takes FIELD=FILE, found '{}'", path),
                  "only a .vti or .nc file takes all fields"};
  const auto& fields = program.fields();
  const std::string stem = std::filesystem::path(path).stem().string();
  const bool known = std::any_of(fields.begin(), fields.end(),
                                 [&](const FieldInfo& field) { return field.name == stem; });
  if (known || fields.size() == 1) {
    failure.hint = fmt::format("write --out {}={}", known ? stem : fields[0].name, path);
  }
  return failure;
}

// Adds the field or fields of one --out to the file that it names.
Status add_output(const Program& program, const OutputArgument& wanted, const Output& picture,
                  std::vector<Output>& outputs) {
  std::vector<std::string> names = {wanted.name};
  if (wanted.name.empty()) {
    names.clear();
    for (const FieldInfo& field : program.fields()) {
      const auto& dimensions = field.dimensions;
      const bool of_grid = std::none_of(dimensions.begin(), dimensions.end(),
                                        [](int dimension) { return dimension < 0; });
      if (of_grid && field.rank == program.rank()) names.push_back(field.name);
    }
  }
  auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Output& other) {
    return same_file(wanted.path, other.path);
  });
  if (output == outputs.end()) {
    output = outputs.insert(output, picture);
    output->path = wanted.path;
    output->every = wanted.every;
  } else if (!has_extension(output->path, ".vti") && !has_extension(output->path, ".nc")) {
    return written_twice(wanted.path, "");
  } else if (wanted.every && output->every.value_or(*wanted.every) != *wanted.every) {
    return Failure{"U010",
                   fmt::format("'{}' is written every {} steps and every {} steps", wanted.path,
                               *output->every, *wanted.every),
                   "give one interval, or name another file"};
  } else if (wanted.every) {
    output->every = wanted.every;
  }
  for (const std::string& name : names) {
    if (std::count(output->fields.begin(), output->fields.end(), name)) {
      const std::string field = name.substr(0, name.find_first_of(".[@"));
      return written_twice(wanted.path, ", which already has " + field);
    }
    output->fields.push_back(name);
  }
  return Done{};
}

}  // namespace

Status check_inputs(const Program& program, const Arguments& arguments) {
  for (const Assignment& input : arguments.inputs) {
    const auto field = program.field(input.name);
    if (!field.ok()) return as_usage(field.failure());
    if (has_extension(input.value, ".npy")) continue;
    return Failure{"U021", fmt::format("cannot read '{}': not a .npy file", input.value),
                   has_extension(input.value, ".npz")
                       ? "a .npz file is an archive: write one array with np.save(\"x.npy\", array)"
                       : "np.save(\"x.npy\", array) of NumPy writes one array"};
  }
  return Done{};
}

Status read_inputs(const Arguments& arguments, State& state) {
  for (const Assignment& input : arguments.inputs) {
    STENCIL_TRY(state.read(input.name, input.value));
  }
  return Done{};
}

Result<RunFiles> find_files(const Program& program, const Arguments& arguments) {
  const auto is_program = [&](const std::string& what, const std::string& path) {
    return Failure{"U013", fmt::format("the {} '{}' is the program itself", what, path), ""};
  };
  STENCIL_TRY(find_plane(program, arguments.picture.slice));
  for (const Assignment& input : arguments.inputs) {
    if (arguments.checkpoint.empty() || !same_file(arguments.checkpoint, input.value)) continue;
    return Failure{"U013", fmt::format("the checkpoint '{}' is an input", arguments.checkpoint),
                   "name another file"};
  }
  if (!arguments.checkpoint.empty() && same_file(arguments.checkpoint, arguments.file)) {
    return is_program("checkpoint", arguments.checkpoint);
  }
  if (!arguments.history.empty() && same_file(arguments.history, arguments.file)) {
    return is_program("history", arguments.history);
  }
  RunFiles files{.checkpoint = arguments.checkpoint,
                 .checkpoint_steps = arguments.checkpoint_steps,
                 .checkpoint_seconds = arguments.checkpoint_seconds,
                 .history = arguments.history};
  Status possible = program.check(files);
  for (size_t o = 0; o < arguments.outputs.size() && possible.ok(); ++o) {
    const OutputArgument& wanted = arguments.outputs[o];
    if (same_file(wanted.path, arguments.file)) return is_program("output", wanted.path);
    const bool all = has_extension(wanted.path, ".vti") || has_extension(wanted.path, ".nc");
    if (wanted.name.empty() && !all) return no_field_named(program, wanted.path);
    const auto picture = STENCIL_TRY(picture_of(program, arguments.picture, wanted.picture));
    possible = add_output(program, wanted, picture, files.outputs);
    files.every = arguments.every;
    if (possible.ok()) possible = program.check(files);
  }
  if (!possible.ok()) return as_usage(possible.failure());
  for (size_t c = 0; c < arguments.code.size(); ++c) {
    const std::string& path = arguments.code[c];
    if (same_file(path, arguments.file)) return is_program("code file", path);
    const auto is_path = [&](const std::string& other) { return same_file(other, path); };
    const auto code = arguments.code.begin();
    bool taken = std::any_of(code, code + static_cast<std::ptrdiff_t>(c), is_path);
    taken |= !files.checkpoint.empty() && is_path(files.checkpoint);
    taken |= !files.history.empty() && is_path(files.history);
    if (!taken) continue;
    return Failure{"U013", fmt::format("the code file '{}' is written twice", path),
                   "name another file"};
  }
  return files;
}

std::vector<std::string> files_written(const Program& program, const RunFiles& files,
                                       const std::vector<std::string>& code) {
  const auto& fields = program.fields();
  const auto is_record = [&](const std::string& name) {
    return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
      return field.name == name && field.written && !field.dimensions.empty() &&
             field.dimensions[0] == -1;
    });
  };
  std::vector<std::string> out;
  for (const Output& output : files.outputs) {
    out.push_back(output.path);
    const bool records = !output.fields.empty() &&
                         std::all_of(output.fields.begin(), output.fields.end(), is_record);
    const bool grows = has_extension(output.path, ".nc") || has_extension(output.path, ".gif") ||
                       has_extension(output.path, ".apng");
    if (grows || output.every.value_or(records ? 0 : files.every) == 0) continue;
    std::filesystem::path numbered = output.path;
    out.push_back(
        numbered.replace_filename(numbered.stem().string() + "_*" + numbered.extension().string())
            .string());
    if (has_extension(output.path, ".vti")) {
      out.push_back(std::filesystem::path(output.path).replace_extension(".pvd").string());
    }
  }
  if (!files.history.empty()) out.push_back(files.history);
  out.insert(out.end(), code.begin(), code.end());
  return out;
}

}  // namespace stencil::tool
