#include "runtime/api/ranks.h"

#include <mutex>

#include "compiler/support/try.h"
#include "runtime/api/guarded.h"
#include "runtime/cluster/mpi_program.h"

namespace stencil {

namespace api {

namespace {

std::mutex ranks_mutex;
std::shared_ptr<runtime::MpiCommunicator> ranks_joined;

}  // namespace

std::shared_ptr<runtime::MpiCommunicator> joined_ranks() {
  const std::lock_guard<std::mutex> lock(ranks_mutex);
  return ranks_joined;
}

}  // namespace api

bool started_by_mpi() {
  return runtime::started_by_mpi();
}

Result<Ranks> join_ranks(void* communicator) {
  return api::guarded<Ranks>([&]() -> Result<Ranks> {
    auto opened = TRY(runtime::open_mpi(communicator));
    const Ranks ranks = {opened->rank(), opened->size()};
    const std::lock_guard<std::mutex> lock(api::ranks_mutex);
    api::ranks_joined = std::move(opened);
    return ranks;
  });
}

Status agree(const Status& own) {
  const auto ranks = api::joined_ranks();
  return ranks ? runtime::agree(*ranks, own) : own;
}

}  // namespace stencil
