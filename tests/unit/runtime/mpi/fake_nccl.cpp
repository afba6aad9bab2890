// Implements fake_nccl.h. FAKE_NCCL_NO_START=R makes rank R fail to start; FAKE_NCCL_BREAK=1
// reports a network failure.
#include "tests/unit/runtime/mpi/fake_nccl.h"

#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "runtime/cluster/nccl.h"

namespace stencil::runtime::nccl {

struct CommTag {
  std::string directory;
  int rank = 0, ranks = 1;
  std::map<int, int> sent, received;  // number of messages per peer
};

namespace {

constexpr Code kSystemError = 2, kInvalidUsage = 5, kRemoteError = 6;

struct Operation {
  CommTag* comm;
  int peer;
  const char* from;  // null: receives
  char* to;
  size_t bytes;
  FakeStream* stream;
};

std::vector<Operation> group;
bool in_group = false;

std::string file_of(const CommTag& comm, int from, int to, int number) {
  return comm.directory + "/" + std::to_string(from) + "-" + std::to_string(to) + "-" +
         std::to_string(number);
}

void send_now(const Operation& o) {
  const std::string file = file_of(*o.comm, o.comm->rank, o.peer, o.comm->sent[o.peer]++);
  std::ofstream(file + ".part", std::ios::binary)
      .write(o.from, static_cast<std::streamsize>(o.bytes));
  std::filesystem::rename(file + ".part", file);
}

void receive_now(const Operation& o) {
  const std::string file = file_of(*o.comm, o.peer, o.comm->rank, o.comm->received[o.peer]++);
  for (int tries = 0; !std::filesystem::exists(file); ++tries) {
    if (tries == 20000) {
      std::fprintf(stderr, "no message %s\n", file.c_str());
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> data{std::istreambuf_iterator<char>(stream), {}};
  if (data.size() != o.bytes) {
    std::fprintf(stderr, "%s has %zu bytes, expected %zu\n", file.c_str(), data.size(), o.bytes);
    std::abort();
  }
  std::memcpy(o.to, data.data(), data.size());
  std::filesystem::remove(file);
}

}  // namespace

extern "C" {

Code ncclCommDestroy(Comm comm);

Code ncclGetVersion(int* version) {
  *version = 29901;
  return 0;
}
const char* ncclGetErrorString(Code code) {
  return code == kSystemError ? "unhandled system error" : "another error";
}
const char* ncclGetLastError(Comm) {
  return "so the test wants it";
}
Code ncclGetUniqueId(UniqueId* id) {
  std::string name = (std::filesystem::temp_directory_path() / "fake-nccl-XXXXXX").string();
  if (name.size() >= sizeof id->bytes || mkdtemp(name.data()) == nullptr) return kSystemError;
  std::strcpy(id->bytes, name.c_str());
  return 0;
}
Code ncclCommInitRank(Comm* comm, int ranks, UniqueId id, int rank) {
  const char* fails = getenv("FAKE_NCCL_NO_START");
  *comm = new CommTag{id.bytes, rank, ranks, {}, {}};
  if (fails == nullptr || std::stoi(fails) != rank) return 0;
  ncclCommDestroy(*comm);
  *comm = nullptr;
  return kSystemError;
}
// The last rank that leaves removes the directory.
Code ncclCommDestroy(Comm comm) {
  std::error_code ignored;
  std::ofstream(comm->directory + "/left-" + std::to_string(comm->rank));
  int left = 0;
  for (int rank = 0; rank < comm->ranks; ++rank) {
    left += std::filesystem::exists(comm->directory + "/left-" + std::to_string(rank), ignored);
  }
  if (left == comm->ranks) std::filesystem::remove_all(comm->directory, ignored);
  delete comm;
  return 0;
}
Code ncclCommAbort(Comm comm) {
  return ncclCommDestroy(comm);
}
Code ncclCommGetAsyncError(Comm, Code* code) {
  *code = getenv("FAKE_NCCL_BREAK") != nullptr ? kRemoteError : 0;
  return 0;
}
Code ncclGroupStart() {
  in_group = true;
  return 0;
}
Code ncclSend(const void* data, size_t count, int type, int peer, Comm comm, void* stream) {
  if (!in_group || type != kBytes) return kInvalidUsage;
  group.push_back({comm, peer, static_cast<const char*>(data), nullptr, count,
                   static_cast<FakeStream*>(stream)});
  return 0;
}
Code ncclRecv(void* data, size_t count, int type, int peer, Comm comm, void* stream) {
  if (!in_group || type != kBytes) return kInvalidUsage;
  group.push_back(
      {comm, peer, nullptr, static_cast<char*>(data), count, static_cast<FakeStream*>(stream)});
  return 0;
}
Code ncclGroupEnd() {
  in_group = false;
  const std::vector<Operation> all = std::move(group);
  group.clear();
  if (all.empty()) return 0;
  all[0].stream->queued.push_back([all] {
    for (const Operation& o : all) {
      if (o.from != nullptr) send_now(o);
    }
    for (const Operation& o : all) {
      if (o.from == nullptr) receive_now(o);
    }
  });
  return 0;
}

}  // extern "C"

}  // namespace stencil::runtime::nccl
