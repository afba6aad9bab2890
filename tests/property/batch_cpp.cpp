// The emitted C++ files with their drivers, called through the packed entry point as other programs
// do. All modules of a batch are one translation unit, each in its own namespace, so that the
// compiler starts once per batch. Derived params are left to the emitted driver. Optimisation is
// off: the tests check what the code says, and optimising thousands of
// kernels would dominate the time.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/driver/boxes.h"
#include "compiler/emit/emit.h"
#include "compiler/schedule/common/plain.h"
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

// Calls entry points for boxes. Their arguments differ by program: first arrays, then numbers and
// structures. Params are written to their offsets in the program's structure.
constexpr const char* kCallBoxed = R"text(#include <tuple>
struct Taken {
  void** arrays;
  size_t left;
  const int64_t* numbers;
  const void* const* rest;
};
template <class T>
T take(Taken& from) {
  if constexpr (std::is_integral_v<T>) {
    return (T)*from.numbers++;
  } else if (from.left > 0) {
    --from.left;
    return (T)*from.arrays++;
  } else {
    return (T)*from.rest++;
  }
}
template <class... T>
const char* call(const char* (*function)(T...), Taken from) {
  std::tuple<T...> arguments{take<T>(from)...};
  return std::apply(function, arguments);
}
)text";

// The test does not know how the file spells member names, so it lays out values in order.
std::string boxed_entries(const Item& item) {
  const auto& parameters = item.module.plan.parameters;
  const size_t given = static_cast<size_t>(std::count_if(
      parameters.begin(), parameters.end(),
      [&](const auto& parameter) { return parameter.param < item.boxed->box.first; }));
  std::string fill = "(void)values; const void* params = NULL;";
  if (given > 0) {
    fill = fmt::format(
        "{0}_params params_given = {0}_default_params();\n"
        "  const void* params = &params_given;\n  size_t at = 0;\n",
        item.module.name);
    for (size_t p = 0; p < given; ++p) {
      const int64_t size = size_in_bytes(parameters[p].type);
      fill += fmt::format(
          "  at = (at + {0}) / {1} * {1};\n"
          "  if (values[{2}]) memcpy((char*)&params_given + at, values[{2}], {1});\n"
          "  at += {1};\n",
          size - 1, size, p);
    }
  }
  return fmt::format(R"text(
extern "C" const char* {0}_test_run(void** arrays, size_t count, const void* const* values,
                                    const int64_t* numbers, const int* box) {{
  {1}
  const void* rest[] = {{box, params}};
  return call({0}_run_box, Taken{{arrays, count, numbers, rest}});
}}
extern "C" const char* {0}_test_memory(int* memory, const void* const* values, const int* box) {{
  {1}
  const void* rest[] = {{memory, box, params}};
  return call({0}_box_memory, Taken{{NULL, 0, NULL, rest}});
}}
)text",
                     item.module.name, fill);
}

std::string batch_source(const std::vector<Item>& items) {
  std::string out =
      "#include <algorithm>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
      "<stdlib.h>\n#include "
      "<string.h>\n";
  out += kCallBoxed;
  for (const Item& item : items) {
    emit::Options options;
    options.target = emit::Target::Cpp;
    const auto in_namespace = [&](const std::string& text) {
      out += fmt::format("namespace in_{} {{\n{}}}\n", item.module.name, without_includes(text));
    };
    if (item.boxed) {
      const ir::Program& whole = item.boxed->whole;
      emit::HostModules host{schedule::lower_initial_values(whole)};
      host.box = box_part(item.boxed->box, item.module);
      kernel::Module sweeps = schedule::lower_plain(whole);
      sweeps.name = whole.name;
      in_namespace(emit::emit(sweeps, options, &host) + boxed_entries(item));
    } else {
      in_namespace(emit::emit(item.module, options));
    }
  }
  return out;
}

using RunPacked = const char* (*)(void**, const void* const*, int64_t, int64_t);

std::vector<void*> arrays_of(const kernel::Plan& plan, reference::State& state) {
  std::vector<void*> arrays;
  for (const kernel::Array& array : plan.arrays) {
    for (int level = 0; level < array.levels; ++level) {
      arrays.push_back(state.fields[array.field].data(level, array.component));
    }
  }
  return arrays;
}

// The values of params in order; null for those that the file derives.
class Values {
 public:
  Values(const Item& item, const reference::State& state)
      : values_(item.module.plan.parameters.size()) {
    for (size_t p = 0; p < values_.size(); ++p) {
      const kernel::Parameter& parameter = item.module.plan.parameters[p];
      const size_t id = static_cast<size_t>(parameter.param);
      const auto put = [&](auto value) { std::memcpy(&values_[p], &value, sizeof value); };
      if (parameter.type == Scalar::I32)
        put(static_cast<int32_t>(state.integer_params[id]));
      else if (parameter.type == Scalar::I64)
        put(state.integer_params[id]);
      else if (parameter.type == Scalar::F64)
        put(state.real_params[id]);
      else
        put(static_cast<float>(state.real_params[id]));
      const bool follows = parameter.derived && (id >= item.given.size() || !item.given[id]);
      pointers_.push_back(follows ? nullptr : &values_[p]);
    }
  }
  const void* const* data() const { return pointers_.data(); }

 private:
  std::vector<uint64_t> values_;
  std::vector<const void*> pointers_;
};

template <class Function>
Function entry(void* library, const Item& item, const char* ending) {
  return reinterpret_cast<Function>(dlsym(library, (item.module.name + ending).c_str()));
}

using RunBox = const char* (*)(void**, size_t, const void* const*, const int64_t*, const int*);
using BoxMemory = const char* (*)(int*, const void* const*, const int*);

// Describes any error in the memory that the file reports for a box.
std::string misplaced(BoxMemory memory_of, const Item& item, const reference::State& state,
                      const void* const* values, const int* box) {
  const size_t rank = item.boxed->bounds.size();
  const auto& arrays = item.module.plan.arrays;
  std::vector<int> memory(2 * rank * arrays.size());
  if (const char* error = memory_of(memory.data(), values, box)) return error;
  const int* next = memory.data();
  for (const kernel::Array& array : arrays) {
    const auto f = static_cast<size_t>(array.field);
    if (item.program.fields[f].read_in_place()) continue;
    for (size_t d = 0; d < rank; ++d) {
      const auto& [low, high] = state.fields[f].box[d];
      if (next[d] != low || next[rank + d] != high) return "memory of " + array.name;
    }
    next += 2 * rank;
  }
  return "";
}

// The memory of a box. Its state holds the levels; further buffers are kept between calls.
class Slots {
 public:
  explicit Slots(const kernel::Plan& plan) : plan_(plan), more_(plan.arrays.size()) {}

  // Arguments of the entry point: fields that change are passed as arrays of pointers.
  std::vector<void*> arguments(reference::State& state) {
    pointers_.assign(plan_.arrays.size(), {});
    std::vector<void*> out;
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      const kernel::Array& array = plan_.arrays[a];
      for (int slot = 0; slot < array.copies; ++slot) {
        const auto beyond = static_cast<size_t>(slot - array.levels);
        if (slot >= array.levels && beyond >= more_[a].size()) {
          more_[a].push_back(buffer(state, a, 0));
        }
        pointers_[a].push_back(slot < array.levels ? buffer(state, a, slot).data()
                                                   : more_[a][beyond].data());
      }
      if (array.written) out.push_back(pointers_[a].data());
      for (int level = 0; !array.written && level < array.levels; ++level) {
        out.push_back(pointers_[a][level]);
      }
    }
    return out;
  }

  // Moves the levels to the buffers that the rotated pointers name.
  void settle(reference::State& state) {
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      const kernel::Array& array = plan_.arrays[a];
      const auto slot = [&](int s) -> reference::Buffer& {
        return s < array.levels ? buffer(state, a, s) : more_[a][s - array.levels];
      };
      for (int s = 0; s < array.copies; ++s) {
        int from = s;
        while (static_cast<void*>(slot(from).data()) != pointers_[a][s]) ++from;
        slot(s).swap(slot(from));
      }
    }
  }

 private:
  reference::Buffer& buffer(reference::State& state, size_t a, int level) const {
    const kernel::Array& array = plan_.arrays[a];
    return state.fields[array.field].levels[level][array.component];
  }

  const kernel::Plan& plan_;
  std::vector<std::vector<reference::Buffer>> more_;  // by array
  std::vector<std::vector<void*>> pointers_;          // by array; the file rotates them
};

void run_boxed(void* library, Item& item) {
  const auto run = entry<RunBox>(library, item, "_test_run");
  const auto memory_of = entry<BoxMemory>(library, item, "_test_memory");
  if (!run || !memory_of) {
    item.problem = "no entry point";
    return;
  }
  const Boxed& boxed = *item.boxed;
  test::InBoxes boxes(boxed.whole, boxed.box, boxed.bounds, item.state, item.given);
  item.problem = boxes.problem;
  if (!item.problem.empty()) return;
  std::map<const reference::State*, Slots> slots;
  for (int box = 0; box < boxes.boxes(); ++box) {
    reference::State& state = boxes.state(box);
    slots.try_emplace(&state, item.module.plan).first->second.arguments(state);
  }
  boxes.advance(item.steps, boxed.lengths, [&](reference::State& state, int64_t steps) {
    const Values values(item, state);
    const size_t rank = boxed.bounds.size();
    std::vector<int> box(2 * rank);
    for (size_t d = 0; d < rank; ++d) {
      const auto first = static_cast<size_t>(boxed.box.first) + 2 * d;
      box[d] = static_cast<int>(state.integer_params[first]);
      box[rank + d] = static_cast<int>(state.integer_params[first + 1]);
    }
    Slots& memory = slots.at(&state);
    std::vector<void*> arrays = memory.arguments(state);
    const int64_t numbers[] = {steps, state.step};
    std::string problem = misplaced(memory_of, item, state, values.data(), box.data());
    const char* error = run(arrays.data(), arrays.size(), values.data(), numbers, box.data());
    if (error) problem = error;
    memory.settle(state);
    if (item.problem.empty()) item.problem = problem;
  });
}

void run_item(void* library, Item& item) {
  if (item.boxed) return run_boxed(library, item);
  const auto run = entry<RunPacked>(library, item, "_run_packed");
  if (!run) {
    item.problem = "no entry point";
    return;
  }
  std::vector<void*> arrays = arrays_of(item.module.plan, item.state);
  const Values values(item, item.state);
  PackedResults results(item.module.plan, item.state);
  if (!results.empty()) arrays.push_back(results.data());
  if (const char* error = run(arrays.data(), values.data(), item.steps, item.state.step)) {
    item.problem = error;
  }
  results.take(item.steps, item.state);
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
    run_item(loaded, item);
  }
  if (loaded) dlclose(loaded);
  std::filesystem::remove_all(directory);
  return problem;
}

}  // namespace stencil::property
