// The processes of a run and the messages between them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/mpi/interface.h"

// Public functions return whether they succeeded; on failure they set `error`.
struct StencilMpiGroup {
 public:
  // Null on failure.
  static std::unique_ptr<StencilMpiGroup> open(MPI_Comm from, StencilMpiError* error);
  StencilMpiGroup() = default;
  StencilMpiGroup(const StencilMpiGroup&) = delete;
  StencilMpiGroup& operator=(const StencilMpiGroup&) = delete;
  ~StencilMpiGroup();

  bool send(const char* data, int64_t bytes, int peer, int tag, StencilMpiError* error);
  bool receive(char* data, int64_t bytes, int peer, int tag, StencilMpiError* error);
  bool wait(StencilMpiError* error);
  bool all_gather_number(int64_t own, int64_t* all, StencilMpiError* error);
  bool all_gather(const char* own, const int64_t* bytes, char* const* all, StencilMpiError* error);
  void abort(int status);

  int size = 1, rank = 0, rank_on_node = 0;
  int64_t piece = int64_t{1} << 30;  // bytes per message

 private:
  bool may_go(int peer, int tag, StencilMpiError* error) const;
  bool finish(MPI_Request* request, const char* function, MPI_Status* status,
              StencilMpiError* error);
  bool gather_round(const char* own, const int* counts, const int* begins, char* all,
                    StencilMpiError* error);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int last_tag_ = 32767;
  // Started operations: requests, and expected bytes (-1 for sends).
  std::vector<MPI_Request> requests_;
  std::vector<int> expected_;
};
