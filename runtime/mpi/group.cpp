// Messages are bytes. MPI counts are ints, so longer data are sent as several messages with one
// tag, which MPI keeps in order. If only one thread may call at a time (MpiAccess), waiting uses
// MPI_Test, so that a thread that waits for another process does not keep others from calling MPI.
#include "runtime/mpi/group.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/mpi/process.h"

namespace {

using stencil::mpi::MpiAccess;
using stencil::mpi::say;
using stencil::mpi::succeeded;

int rank_in_node(MPI_Comm comm, int rank, StencilMpiError* error) {
  MPI_Comm node = MPI_COMM_NULL;
  int out = -1;
  if (!succeeded(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
                 "MPI_Comm_split_type", error)) {
    return out;
  }
  if (!succeeded(MPI_Comm_rank(node, &out), "MPI_Comm_rank", error)) out = -1;
  MPI_Comm_free(&node);
  return out;
}

}  // namespace

std::unique_ptr<StencilMpiGroup> StencilMpiGroup::open(MPI_Comm from, StencilMpiError* error) {
  const MpiAccess access;
  if (!access.granted(error)) return nullptr;
  auto group = std::make_unique<StencilMpiGroup>();
  if (!succeeded(MPI_Comm_dup(from, &group->comm_), "MPI_Comm_dup", error)) return nullptr;
  MPI_Comm_set_errhandler(group->comm_, MPI_ERRORS_RETURN);
  if (!succeeded(MPI_Comm_size(group->comm_, &group->size), "MPI_Comm_size", error) ||
      !succeeded(MPI_Comm_rank(group->comm_, &group->rank), "MPI_Comm_rank", error)) {
    return nullptr;
  }
  group->rank_on_node = rank_in_node(group->comm_, group->rank, error);
  if (group->rank_on_node < 0) return nullptr;
  int* last = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last, &known);
  if (known != 0) group->last_tag_ = *last;
  return group;
}

StencilMpiGroup::~StencilMpiGroup() {
  if (comm_ == MPI_COMM_NULL || !stencil::mpi::is_running()) return;
  const MpiAccess access;
  StencilMpiError ignored;
  if (access.granted(&ignored)) MPI_Comm_free(&comm_);
}

// Checks the arguments, because some builds of MPI do not.
bool StencilMpiGroup::may_go(int peer, int tag, StencilMpiError* error) const {
  if (peer >= 0 && peer < size && tag >= 0 && tag <= last_tag_) return true;
  std::snprintf(
      error->text, sizeof error->text,
      "cannot exchange a message with process %d of %d under tag %d; the largest tag is %d", peer,
      size, tag, last_tag_);
  return false;
}

bool StencilMpiGroup::send(const char* data, int64_t bytes, int peer, int tag,
                           StencilMpiError* error) {
  if (!may_go(peer, tag, error)) return false;
  for (int64_t begin = 0; begin < bytes; begin += piece) {
    const int count = static_cast<int>(std::min(piece, bytes - begin));
    requests_.reserve(requests_.size() + 1);
    expected_.reserve(expected_.size() + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiAccess access;
    if (!access.granted(error) ||
        !succeeded(MPI_Isend(data + begin, count, MPI_BYTE, peer, tag, comm_, &request),
                   "MPI_Isend", error)) {
      return false;
    }
    requests_.push_back(request);
    expected_.push_back(-1);
  }
  return true;
}

bool StencilMpiGroup::receive(char* data, int64_t bytes, int peer, int tag,
                              StencilMpiError* error) {
  if (!may_go(peer, tag, error)) return false;
  for (int64_t begin = 0; begin < bytes; begin += piece) {
    const int count = static_cast<int>(std::min(piece, bytes - begin));
    requests_.reserve(requests_.size() + 1);
    expected_.reserve(expected_.size() + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    const MpiAccess access;
    if (!access.granted(error) ||
        !succeeded(MPI_Irecv(data + begin, count, MPI_BYTE, peer, tag, comm_, &request),
                   "MPI_Irecv", error)) {
      return false;
    }
    requests_.push_back(request);
    expected_.push_back(count);
  }
  return true;
}

bool StencilMpiGroup::wait(StencilMpiError* error) {
  std::vector<MPI_Request> requests;
  std::vector<int> expected;
  requests.swap(requests_);
  expected.swap(expected_);
  bool good = true;
  for (size_t r = 0; r < requests.size(); ++r) {
    StencilMpiError later;
    StencilMpiError* const says = good ? error : &later;
    MPI_Status status;
    if (!finish(&requests[r], "a message", &status, says)) {
      good = false;
      continue;
    }
    int received = 0;
    if (expected[r] < 0) continue;
    MPI_Get_count(&status, MPI_BYTE, &received);
    if (received == expected[r]) continue;
    std::snprintf(says->text, sizeof says->text,
                  "process %d sent %d bytes where %d were expected, with tag %d", status.MPI_SOURCE,
                  received, expected[r], status.MPI_TAG);
    good = false;
  }
  return good;
}

// Waits for a request.
bool StencilMpiGroup::finish(MPI_Request* request, const char* function, MPI_Status* status,
                             StencilMpiError* error) {
  for (int done = 0; done == 0;) {
    const MpiAccess access;
    if (!access.granted(error)) return false;
    const int code = access.shared() ? MPI_Wait(request, status) : MPI_Test(request, &done, status);
    if (!succeeded(code, function, error)) return false;
    if (access.shared()) return true;
    if (done == 0) sched_yield();
  }
  return true;
}

bool StencilMpiGroup::all_gather_number(int64_t own, int64_t* all, StencilMpiError* error) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const MpiAccess access;
    if (!access.granted(error) ||
        !succeeded(MPI_Iallgather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, comm_, &request),
                   "MPI_Iallgather", error)) {
      return false;
    }
  }
  return finish(&request, "MPI_Iallgather", MPI_STATUS_IGNORE, error);
}

bool StencilMpiGroup::gather_round(const char* own, const int* counts, const int* begins, char* all,
                                   StencilMpiError* error) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const MpiAccess access;
    if (!access.granted(error) ||
        !succeeded(MPI_Iallgatherv(own, counts[rank], MPI_BYTE, all, counts, begins, MPI_BYTE,
                                   comm_, &request),
                   "MPI_Iallgatherv", error)) {
      return false;
    }
  }
  return finish(&request, "MPI_Iallgatherv", MPI_STATUS_IGNORE, error);
}

// Works in rounds. A round gathers at most `piece` bytes from all processes together.
bool StencilMpiGroup::all_gather(const char* own, const int64_t* bytes, char* const* all,
                                 StencilMpiError* error) {
  const int64_t most = *std::max_element(bytes, bytes + size);
  const int64_t share = std::max<int64_t>(piece / size, 1);
  std::vector<int> counts(static_cast<size_t>(size)), begins(counts);
  std::vector<char> round;
  for (int64_t done = 0; done < most; done += share) {
    int total = 0;
    for (size_t r = 0; r < counts.size(); ++r) {
      counts[r] = static_cast<int>(std::clamp<int64_t>(bytes[r] - done, 0, share));
      begins[r] = total;
      total += counts[r];
    }
    round.resize(static_cast<size_t>(total));
    const char* from = counts[rank] > 0 ? own + done : own;
    if (!gather_round(from, counts.data(), begins.data(), round.data(), error)) return false;
    for (size_t r = 0; r < counts.size(); ++r) {
      if (counts[r] == 0) continue;
      std::memcpy(all[r] + done, round.data() + begins[r], static_cast<size_t>(counts[r]));
    }
  }
  return true;
}

void StencilMpiGroup::abort(int status) {
  if (!stencil::mpi::is_running()) return;
  stencil::mpi::enter_for_good();
  MPI_Abort(comm_, status);
}
