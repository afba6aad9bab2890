// If the user's program has initialised MPI, possibly with less thread support than this library
// would request, that program also finalises MPI. Otherwise this library does both.
//
// This library was compiled for one MPI implementation, but the process may have loaded another.
// Communicators are integers in some implementations and pointers in others, and a call of the
// wrong one would not return. So the implementation is checked first.
#include "runtime/mpi/process.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// Available in Open MPI and MPICH if they were built with it.
extern "C" __attribute__((weak)) int MPIX_Query_cuda_support(void);

namespace stencil::mpi {

namespace {

std::mutex calls;               // also guards `ours` during initialisation
bool ours = false;              // initialised here and not yet finalised
int level = MPI_THREAD_SINGLE;  // level of thread support
std::atomic<int> callers{0};    // number of threads inside MPI

#ifdef OPEN_MPI
constexpr bool kForOpenMpi = true;
#else
constexpr bool kForOpenMpi = false;
#endif

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

// Shortens "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date:...".
std::string short_version(std::string text) {
  text = text.substr(0, text.find_first_of(",\n"));
  const std::string open = "Open MPI v", mpich = "MPICH Version:";
  if (text.rfind(open, 0) == 0) return "Open MPI " + text.substr(open.size());
  if (text.rfind(mpich, 0) == 0) {
    const size_t number = text.find_first_not_of(" \t", mpich.size());
    return number == std::string::npos ? "MPICH" : "MPICH " + text.substr(number);
  }
  return text;
}

// If the components of Open MPI are not linked to its main library, they need its symbols to be
// global in the process.
void share_symbols() {
  Dl_info found{};
  if (!kForOpenMpi || dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &found) == 0) return;
  dlopen(found.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace

const char* description() {
  static const std::string text = short_version(library_version());
  return text.c_str();
}

bool is_running() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

void say(StencilMpiError* error, const char* what) {
  std::snprintf(error->text, sizeof error->text, "%s", what);
}

bool succeeded(int code, const char* function, StencilMpiError* error) {
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
    std::snprintf(text, sizeof text, "error %d", code);
  }
  std::snprintf(error->text, sizeof error->text, "%s: %s", function, text);
  return false;
}

bool initialise(StencilMpiError* error) {
  const std::lock_guard<std::mutex> lock(calls);
  if ((library_version().rfind("Open MPI", 0) == 0) != kForOpenMpi) {
    std::snprintf(error->text, sizeof error->text,
                  "libstencil_mpi.so was built for %s, but this process uses %s",
                  kForOpenMpi ? "Open MPI" : "MPICH", description());
    return false;
  }
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (ended != 0) {
    say(error, "MPI was finalised before");
    return false;
  }
  if (begun != 0) return succeeded(MPI_Query_thread(&level), "MPI_Query_thread", error);
  share_symbols();
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  if (!succeeded(code, "MPI_Init_thread", error)) return false;
  ours = true;
  // MPICH raises some message errors on MPI_COMM_WORLD, whose default handler would end the
  // process.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::atexit(finalise);
  return true;
}

// Also runs at exit. If another process aborts, MPICH calls exit() in this one in the middle of an
// MPI call. MPI must not be finalised then.
void finalise() {
  if (callers != 0) return;
  const std::lock_guard<std::mutex> lock(calls);
  if (!ours) return;
  ours = false;
  if (is_running()) MPI_Finalize();
}

bool takes_device_memory() {
  return MPIX_Query_cuda_support != nullptr && is_running() && MPIX_Query_cuda_support() != 0;
}

MpiAccess::MpiAccess() : lock_(calls, std::defer_lock) {
  if (level != MPI_THREAD_MULTIPLE) lock_.lock();
  ++callers;
}

MpiAccess::~MpiAccess() {
  --callers;
}

void enter_for_good() {
  ++callers;
}

bool MpiAccess::granted(StencilMpiError* error) const {
  if (!is_running()) {
    say(error, "MPI was finalised");
    return false;
  }
  if (level >= MPI_THREAD_SERIALIZED) return true;
  int main = 0;
  MPI_Is_thread_main(&main);
  if (main != 0) return true;
  say(error,
      "MPI was initialised for calls from the main thread only, and this is another thread: "
      "call MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  return false;
}

}  // namespace stencil::mpi
