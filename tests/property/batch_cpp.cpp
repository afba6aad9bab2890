// The emitted C++ files, with their drivers, through the packed entry point that other programs
// call. All modules of a batch in one translation unit, each in a namespace of its own, so that the
// compiler starts once per batch. Params that follow from others are left to the emitted driver.
// Optimisation is off: what is tested is what the program says, and the sanitizing effect of plain
// code costs less than optimising thousands of kernels.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/emit/emit.h"
#include "tests/property/batch.h"
#include "tests/property/packed_results.h"

namespace stencil::property {

namespace {

std::string without_includes(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#include", 0) != 0) out += line + "\n";
  }
  return out;
}

std::string batch_source(const std::vector<Item>& items) {
  std::string out =
      "#include <algorithm>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
      "<stdlib.h>\n#include "
      "<string.h>\n";
  for (const Item& item : items) {
    emit::Options options;
    options.target = emit::Target::Cpp;
    out += fmt::format("namespace in_{} {{\n{}}}\n", item.module.name,
                       without_includes(emit::emit(item.module, options)));
  }
  return out;
}

using RunPacked = const char* (*)(void**, const void* const*, int64_t, int64_t);

const char* run_item(void* library, Item& item) {
  const auto run =
      reinterpret_cast<RunPacked>(dlsym(library, (item.module.name + "_run_packed").c_str()));
  if (!run) return "no entry point";
  std::vector<void*> arrays;
  for (const kernel::Array& array : item.module.plan.arrays) {
    for (int level = 0; level < array.levels; ++level) {
      arrays.push_back(
          item.state.fields[static_cast<size_t>(array.field)].data(level, array.component));
    }
  }
  std::vector<uint64_t> values(item.module.plan.parameters.size());
  std::vector<const void*> parameters;
  for (size_t p = 0; p < values.size(); ++p) {
    const kernel::Parameter& parameter = item.module.plan.parameters[p];
    const size_t id = static_cast<size_t>(parameter.param);
    const auto put = [&](auto value) { std::memcpy(&values[p], &value, sizeof value); };
    if (parameter.type == Scalar::I32)
      put(static_cast<int32_t>(item.state.integer_params[id]));
    else if (parameter.type == Scalar::I64)
      put(item.state.integer_params[id]);
    else if (parameter.type == Scalar::F64)
      put(item.state.real_params[id]);
    else
      put(static_cast<float>(item.state.real_params[id]));
    const bool follows = parameter.derived && !item.given[id];
    parameters.push_back(follows ? nullptr : &values[p]);
  }
  PackedResults results(item.module.plan, item.state);
  if (!results.empty()) arrays.push_back(results.data());
  const char* error = run(arrays.data(), parameters.data(), item.steps, item.state.step);
  results.take(item.steps, item.state);
  return error;
}

}  // namespace

std::string run_on_cpp(std::vector<Item>& items, const BatchOptions&) {
  std::string directory =
      (std::filesystem::temp_directory_path() / "stencil-property-XXXXXX").string();
  if (!mkdtemp(directory.data())) return "cannot make a temporary directory";
  const std::string source = directory + "/batch.cpp";
  const std::string library = directory + "/batch.so";
  std::ofstream(source) << batch_source(items);
  const char* compiler = std::getenv("CXX");
  const std::string command = fmt::format(
      "{} -std=c++17 -O0 -w -DSTENCIL_CLONES= -ffp-contract=off -shared -fPIC -o {} {} 2> {}/log",
      compiler ? compiler : "c++", library, source, directory);
  if (std::system(command.c_str()) != 0) {
    std::ifstream log(directory + "/log");
    std::stringstream text;
    text << log.rdbuf();
    return fmt::format("compilation failed, source kept in {}\n{}", directory,
                       text.str().substr(0, 2000));
  }
  std::string problem;
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded) problem = dlerror();
  for (Item& item : items) {
    if (!loaded) break;
    if (const char* error = run_item(loaded, item)) item.problem = error;
  }
  if (loaded) dlclose(loaded);
  std::filesystem::remove_all(directory);
  return problem;
}

}  // namespace stencil::property
