// OpenMP is disabled. Its pragmas say how loops may run but not what they compute, and a loop under
// a directive would be a different AST node. If <omp.h> is missing, a small built-in version is
// used.
#include "runtime/host/c/run_clang.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/JSONCompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>

#include "runtime/host/compile.h"
#include "runtime/host/llvm_versions.h"

namespace stencil::host {

using namespace clang;

namespace {

constexpr const char* kOwnHeaders = "/stencil-lift-headers";
constexpr const char* kOpenMp = R"(#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
void omp_set_num_threads(int);
double omp_get_wtime(void);
#ifdef __cplusplus
}
#endif
)";

// Removes all settings of an invocation that load code or write files besides the result. The
// accepted flags contain no such settings; this function is a second barrier.
void only_read(CompilerInvocation& invocation) {
  FrontendOptions& frontend = invocation.getFrontendOpts();
  frontend.DisableFree = false;
  frontend.Plugins.clear();
  frontend.PluginArgs.clear();
  frontend.AddPluginActions.clear();
  frontend.LLVMArgs.clear();
  frontend.ModuleFiles.clear();
  frontend.OutputFile.clear();
  frontend.StatsFile.clear();
  frontend.TimeTracePath.clear();
  CodeGenOptions& code = invocation.getCodeGenOpts();
  code.PassPlugins.clear();
  code.SaveTempsFilePrefix.clear();
  code.OptRecordFile.clear();
  code.SplitDwarfOutput.clear();
  invocation.getDiagnosticOpts().DiagnosticSerializationFile.clear();
  invocation.getDiagnosticOpts().DiagnosticLogFile.clear();
  invocation.getDependencyOutputOpts() = DependencyOutputOptions();
}

// Runs the compiler once with the given action.
class Runner : public tooling::ToolAction {
 public:
  Runner(std::unique_ptr<FrontendAction> action, std::unique_ptr<llvm::raw_pwrite_stream> output)
      : action_(std::move(action)), output_(std::move(output)) {}
  bool runInvocation(std::shared_ptr<CompilerInvocation> invocation, FileManager* files,
                     std::shared_ptr<PCHContainerOperations> containers,
                     DiagnosticConsumer* diagnostics) override {
    CompilerInstance compiler(std::move(containers));
    only_read(*invocation);
    compiler.setInvocation(std::move(invocation));
    compiler.setFileManager(files);
    create_diagnostics(compiler, diagnostics, false);
    // See command() for the warnings that are disabled.
    compiler.getDiagnostics().setIgnoreAllWarnings(false);
    compiler.setVerboseOutputStream(llvm::nulls());  // hides "1 error generated."
    if (output_) compiler.setOutputStream(std::move(output_));
    compiler.createSourceManager(*files);
    const bool done = compiler.ExecuteAction(*action_);
    files->clearStatCache();
    return done;
  }

 private:
  std::unique_ptr<FrontendAction> action_;
  std::unique_ptr<llvm::raw_pwrite_stream> output_;
};

// ---- Compile flags

// Like CompilationDatabase::loadFromDirectory, but opens all files through `files`.
std::unique_ptr<tooling::CompilationDatabase> database_of(const std::string& directory,
                                                          const Files& files) {
  const auto text = files->getBufferForFile(directory + "/compile_commands.json");
  if (!text) return nullptr;
  std::string message;
  auto database = tooling::JSONCompilationDatabase::loadFromBuffer(
      (*text)->getBuffer(), message, tooling::JSONCommandLineSyntax::AutoDetect);
  if (!database) return nullptr;
  return tooling::inferTargetAndDriverMode(
      tooling::expandResponseFiles(std::move(database), files));
}

// The words of the command for this file in a compilation database. Empty if the database has no
// such command.
std::vector<std::string> recorded_command(const StencilHostCFile& file, const Files& files,
                                          std::string& directory) {
  if (file.database[0] == '\0') return {};
  const auto database = database_of(file.database, files);
  if (!database) return {};
  const auto commands = database->getCompileCommands(tooling::getAbsolutePath(file.file));
  if (commands.empty() || !commands[0].Heuristic.empty()) return {};  // ignore guessed commands
  directory = commands[0].Directory;
  return commands[0].CommandLine;
}

// The approximate length of the longest outermost block. Braces in comments and strings count as
// well.
size_t longest_function(const std::string& text) {
  size_t longest = 0, begin = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' && depth++ == 0) begin = at;
    if (text[at] != '}' || depth == 0) continue;
    if (--depth == 0) longest = std::max(longest, at - begin);
  }
  return longest;
}

// The command line of the driver. Only the kept flags come from the user or the database.
std::vector<std::string> command(const CFlags& flags, const std::string& path, bool code,
                                 size_t length) {
  std::vector<std::string> out = {flags.cpp ? "clang++" : "clang", "--no-default-config"};
  if (!flags.standard) out.push_back(flags.cpp ? "-std=gnu++20" : "-std=gnu17");
  // The optimisation flags below define macros. These flags undo that, so that the code sees the
  // macros that the tree was read with.
  if (code) {
    out.insert(out.end(), {"-U__OPTIMIZE__", "-D__NO_INLINE__=1", "-U__NO_MATH_ERRNO__"});
  }
  for (const std::string& flag : flags.kept) {
    // The code runs on this machine, so -m flags, which may select other instructions, are dropped.
    if (!code || flag.rfind("-m", 0) != 0) out.push_back(flag);
  }
#ifdef STENCIL_CLANG_RESOURCES
  if (llvm::sys::fs::is_directory(STENCIL_CLANG_RESOURCES)) {
    out.insert(out.end(), {"-resource-dir", STENCIL_CLANG_RESOURCES});
  }
#endif
  // A warning is the only trace of an attribute that Clang does not know.
  out.insert(out.end(), {"-idirafter", kOwnHeaders, "-Wno-everything", "-Wunknown-attributes",
                         "-Wno-error=unknown-attributes", "-fno-fast-math", "-ffp-contract=off",
                         "-fsyntax-only"});
  if (code) {
    // The passes of -O2 take time quadratic in the length of a function.
    constexpr size_t kLongFunction = size_t{24} << 10;
    const char* level = length > kLongFunction ? "-O1" : "-O2";
    out.insert(out.end(), {level, "-march=native", "-fno-builtin", "-fno-math-errno", "-fPIC",
                           "-fno-stack-protector", "-mcmodel=large"});
  }
  out.insert(out.end(), {"-x", flags.cpp ? "c++" : "c", path});
  return out;
}

}  // namespace

Files regular_files() {
  return llvm::makeIntrusiveRefCnt<RegularFiles>(llvm::vfs::createPhysicalFileSystem().release());
}

CFlags flags_of(const StencilHostCFile& file, const Files& files, std::string& directory) {
  return flags_for_clang(file.file, recorded_command(file, files, directory),
                         {file.flags, file.flags + file.flag_count});
}

bool run_clang(const StencilHostCFile& file, const CFlags& flags, const std::string& directory,
               bool code, const std::string* text, std::unique_ptr<FrontendAction> action,
               std::unique_ptr<llvm::raw_pwrite_stream> output, const Files& regular,
               std::string& log, std::vector<Unfamiliar>& unfamiliar) {
  initialise();
  // The file is compile_commands.json or a file of flags named in it.
  if (!regular->refused().empty()) {
    log = regular->refused();
    return false;
  }
  const size_t length = code && text != nullptr ? longest_function(*text) : 0;
  const auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(std::string(kOwnHeaders) + "/omp.h", 0,
                  llvm::MemoryBuffer::getMemBuffer(kOpenMp));
  const std::string path = tooling::getAbsolutePath(file.file);
  if (text != nullptr) memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(*text));
  const auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(regular);
  overlay->pushOverlay(memory);
  if (!directory.empty()) overlay->setCurrentWorkingDirectory(directory);
  const auto files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), overlay);
  llvm::raw_string_ostream log_stream(log);
  const auto style = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  TextDiagnosticPrinter printer(log_stream, style.get());
  Runner runner(std::move(action), std::move(output));
  tooling::ToolInvocation invocation(command(flags, path, code, length), &runner, files.get(),
                                     std::make_shared<PCHContainerOperations>());
  AttributeWatch watch(printer, unfamiliar);
  invocation.setDiagnosticConsumer(&watch);
  return invocation.run();
}

}  // namespace stencil::host
