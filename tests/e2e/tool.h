// Runs stencilc as a process.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace stencil {

struct Outcome {
  int status = -1;
  std::string out, err;
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Printed `text` with every wrapped line joined: lines that begin with eight or more spaces
// continue the line before.
inline std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\n {8,}(?=[^ ])"), " ");
}

// The lines of `out` that start with "reduce": the names and values of reductions.
inline std::string reductions(const std::string& out) {
  std::istringstream lines(out);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("reduce ")) found += line + "\n";
  }
  return found;
}

// For a child process: signals end it, even if the parent ignores them (nohup, background jobs).
inline void restore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
}

// A directory for compiled kernels, which all tests of the process share: many run the same
// programs.
class KernelDirectory {
 public:
  KernelDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "stencil-kernels-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~KernelDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  static const std::filesystem::path& path() {
    static const KernelDirectory directory;
    return directory.path_;
  }

 private:
  std::filesystem::path path_;
};

// Every test runs stencilc in its own empty directory. Unless a test says otherwise, schedules that
// were measured earlier on this machine have no influence, and compiled kernels are kept until the
// last test ends.
class Tool : public testing::Test {
 protected:
  Tool() {
    ::setenv("STENCIL_TUNED", "off", 0);
    std::string name = (std::filesystem::temp_directory_path() / "stencil-e2e-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    std::filesystem::create_directory(root_ / "work");
    ::setenv("STENCIL_CACHE", KernelDirectory::path().c_str(), 1);
  }
  ~Tool() override {
    ::setenv("STENCIL_CACHE", "off", 1);
    std::error_code ignored;
    std::filesystem::permissions(root_ / "work", std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path file(const std::string& name) const { return root_ / "work" / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }

  // `arguments` are shell words.
  Outcome stencilc(const std::string& arguments) const {
    const std::string command = "cd '" + (root_ / "work").string() + "' && '" STENCIL_BINARY "' " +
                                arguments + " >'" + (root_ / "out").string() + "' 2>'" +
                                (root_ / "err").string() + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(root_ / "out"), read(root_ / "err")};
  }

  // The sorted names of the files in the working directory, joined by spaces.
  std::string files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "work")) {
      names.insert(entry.path().filename().string());
    }
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
    return out;
  }

  std::filesystem::path root_;
};

inline const char* const kHeat = R"(
param N : integer = 40;
param a : real = 0.25;
grid G = [0..N-1, 0..N-1] steps 6;
field A : real on G;
stencil heat : A[1..N-2, 1..N-2] = a * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
init A[i,j] = select(i == 0, 100.0, 0.5 * j);
)";

inline const char* const kBroken =
    "grid G = [0..9] steps 1;\nfield A : real on G;\n"
    "stencil s : A[0..9] = A[-1] + B[0];\n";

// Two levels and a coefficient field in three dimensions.
inline const char* const kWave3d = R"(
param N : integer = 12;
grid G = [0..N-1, 0..N, 0..N+1] steps 5;
field U : real on G history 2;
field c : real on G constant;
stencil wave : U[1..N-2, 1..N-1, 1..N] = 2 * U[0,0,0] - U@-1[0,0,0] + c[0,0,0] *
  (U[-1,0,0] + U[1,0,0] + U[0,-1,0] + U[0,1,0] + U[0,0,-1] + U[0,0,1] - 6 * U[0,0,0]);
init U[i,j,k] = 0.125 * i * i + 0.25 * j - 0.01 * k * k * k;
init c[i,j,k] = 0.01 * k;
)";

}  // namespace stencil
