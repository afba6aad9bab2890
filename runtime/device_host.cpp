// The `host` device: the emitted C++, compiled by the system's compiler and loaded into this
// process.
//
// It runs exactly what a user gets from `stencilc X.stn -o X.cpp`, through the packed entry point,
// so verifying the device verifies the emitted driver too. The compiler is the first of $CXX, c++,
// g++ and clang++ that exists. Source and library live in a private temporary directory that is
// gone again before the first step runs: a loaded library does not need its file.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "compiler/emit/emit.h"
#include "runtime/device.h"
#include "runtime/files.h"
#include "runtime/packed_results.h"

extern char** environ;

namespace stencil::runtime {

namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = getenv("PATH");
  std::istringstream directories(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (access((directory + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// The command of the C++ compiler, with arguments if $CXX has some; empty if there is none.
Words find_compiler() {
  const char* chosen = getenv("CXX");
  for (const std::string& candidate : {std::string(chosen ? chosen : ""), std::string("c++"),
                                       std::string("g++"), std::string("clang++")}) {
    const Words words = split(candidate);
    if (!words.empty() && is_program(words[0])) return words;
  }
  return {};
}

// A directory that only this user can enter, removed with everything in it.
class PrivateDirectory {
 public:
  PrivateDirectory() {
    std::error_code error;
    const auto base = std::filesystem::temp_directory_path(error);
    std::string name = (error ? "/tmp" : base.string()) + "/stencilc-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;  // empty if it could not be made
};

// Runs a command, its output into the file `log`; true if it ended with status 0.
bool run_command(const Words& command, const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

using RunPacked = const char* (*)(void** arrays, const void* const* parameters, int64_t steps,
                                  int64_t first_step);

// The run's params in the layout that the packed entry point takes: a pointer to each value.
class PackedParameters {
 public:
  PackedParameters(const kernel::Plan& plan, const reference::State& state)
      : values_(plan.parameters.size()) {
    for (size_t p = 0; p < plan.parameters.size(); ++p) {
      const kernel::Parameter& parameter = plan.parameters[p];
      const size_t id = static_cast<size_t>(parameter.param);
      switch (arithmetic_type(parameter.type)) {
        case Scalar::Bool:
          set(p, state.integer_params[id] != 0);
          break;
        case Scalar::I32:
          set(p, static_cast<int32_t>(state.integer_params[id]));
          break;
        case Scalar::I64:
          set(p, state.integer_params[id]);
          break;
        case Scalar::F64:
          set(p, state.real_params[id]);
          break;
        case Scalar::F32:
        case Scalar::F16:
        case Scalar::BF16:
          set(p, static_cast<float>(state.real_params[id]));
          break;
      }
      pointers_.push_back(&values_[p]);
    }
  }
  const void* const* data() const { return pointers_.data(); }

 private:
  template <class T>
  void set(size_t p, T value) {
    std::memcpy(&values_[p], &value, sizeof value);
  }
  std::vector<uint64_t> values_;
  std::vector<const void*> pointers_;
};

class HostSession : public Session {
 public:
  HostSession(RunPacked run, const kernel::Plan& plan, reference::State& state)
      : run_(run), parameters_(plan, state), results_(plan, state), state_(state) {
    for (const kernel::Array& array : plan.arrays) {
      reference::FieldData& field = state.fields[static_cast<size_t>(array.field)];
      for (int level = 0; level < array.levels; ++level) {
        arrays_.push_back(field.data(level, array.component));
      }
    }
    if (!results_.empty()) arrays_.push_back(results_.data());
  }

  Result<int64_t> advance(int64_t steps) override {
    if (state_.stopped) return 0;
    const char* error = run_(arrays_.data(), parameters_.data(), steps, state_.step);
    if (error != nullptr) return Failure{"R043", error, ""};
    return results_.take(steps, state_);
  }
  Status finish() override { return Done{}; }  // it has worked on the state's own memory

 private:
  RunPacked run_;
  PackedParameters parameters_;
  PackedResults results_;
  reference::State& state_;
  std::vector<void*> arrays_;
};

class HostProgram : public LoadedProgram {
 public:
  HostProgram(RunPacked run, const kernel::Plan& plan, std::string source)
      : run_(run), plan_(plan), source_(std::move(source)) {}

  Result<std::string> code(CodeKind kind) const override {
    if (kind != CodeKind::Source) return LoadedProgram::code(kind);
    return source_;
  }

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    return std::unique_ptr<Session>(std::make_unique<HostSession>(run_, plan_, state));
  }

 private:
  RunPacked run_;
  const kernel::Plan& plan_;
  std::string source_;
};

Failure compilation_failure(const Words& command, const std::string& log) {
  const auto text = read_file(log);
  return {"R042",
          fmt::format("the host compiler failed\n  {}\n{}", fmt::join(command, " "),
                      text.ok() ? text.value() : std::string("(no output)")),
          "set CXX to another C++17 compiler"};
}

// Compiles `source` to `library`: with OpenMP if the compiler has it.
Status compile(const Words& compiler, FpMode fp, const std::string& source,
               const std::string& library, const std::string& log) {
  Words command = compiler;
  for (const char* word : {"-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", "-w"}) {
    command.push_back(word);
  }
  for (const std::string& flag : split(emit::required_flags(emit::Target::Cpp, fp))) {
    command.push_back(flag);
  }
  for (const std::string& word : {std::string("-o"), library, source}) command.push_back(word);
  Words parallel = command;
  parallel.push_back("-fopenmp");
  if (run_command(parallel, log) || run_command(command, log)) return Done{};
  return compilation_failure(command, log);
}

DeviceInfo probe(const std::string&) {
  const Words compiler = find_compiler();
  if (compiler.empty()) {
    return {"host", "", false, "no C++ compiler: none of $CXX, c++, g++, clang++ was found"};
  }
  return {"host",
          fmt::format("C++ compiled by {}, {} processor{}", compiler[0],
                      sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_ONLN) == 1 ? "" : "s"),
          true, ""};
}

Result<std::unique_ptr<LoadedProgram>> load(const Job& job, const std::string& selector) {
  const DeviceInfo info = probe(selector);
  if (!info.available) return Failure{"R041", "device 'host' is not present: " + info.reason, ""};
  const PrivateDirectory directory;
  if (directory.path().empty()) {
    return Failure{"R041", "device 'host' cannot make a temporary directory", "set TMPDIR"};
  }
  const std::string source = directory.path() + "/program.cpp";
  const std::string object = directory.path() + "/program.so";
  emit::Options options;
  options.target = emit::Target::Cpp;
  std::string text = emit::emit(*job.module, options);
  const Status written = write_file_atomically(source, text);
  if (!written.ok()) return written.failure();
  const Status compiled =
      compile(find_compiler(), job.module->fp, source, object, directory.path() + "/log");
  if (!compiled.ok()) return compiled.failure();

  // Never unloaded: threads of the OpenMP library that came with it outlive the last parallel loop.
  void* handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    return Failure{"R042", fmt::format("the compiled program cannot be loaded: {}", dlerror()), ""};
  }
  const std::string entry = job.module->name + "_run_packed";
  const auto run = reinterpret_cast<RunPacked>(dlsym(handle, entry.c_str()));
  if (run == nullptr) return Failure{"R042", "the compiled program has no packed entry point", ""};
  return std::unique_ptr<LoadedProgram>(
      std::make_unique<HostProgram>(run, job.module->plan, std::move(text)));
}

}  // namespace

Device host_device() {
  return {"host", true, probe, load, true};
}

}  // namespace stencil::runtime
