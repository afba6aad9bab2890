// The exported symbol, and the boundary that no exception crosses.
#include "runtime/mpi/interface.h"

#include <exception>

#include "runtime/mpi/group.h"
#include "runtime/mpi/process.h"

namespace stencil::mpi {

namespace {

// 0 if `work` succeeds.
template <class Work>
int32_t tried(StencilMpiError* error, Work work) {
  try {
    return work() ? 0 : 1;
  } catch (const std::exception& exception) {
    say(error, exception.what());
    return 1;
  }
}

StencilMpiGroup* open_group(void* communicator, StencilMpiError* error) {
  std::unique_ptr<StencilMpiGroup> group;
  tried(error, [&] {
    const MPI_Comm from =
        communicator != nullptr ? *static_cast<const MPI_Comm*>(communicator) : MPI_COMM_WORLD;
    group = StencilMpiGroup::open(from, error);
    return group != nullptr;
  });
  return group.release();
}

constexpr StencilMpiInterface kInterface = {
    STENCIL_MPI_VERSION,
    description,
    [](StencilMpiError* error) { return tried(error, [&] { return initialise(error); }); },
    finalise,
    [] { return static_cast<int32_t>(takes_device_memory()); },
    open_group,
    [](StencilMpiGroup* group) { delete group; },
    [](const StencilMpiGroup* group) { return static_cast<int32_t>(group->size); },
    [](const StencilMpiGroup* group) { return static_cast<int32_t>(group->rank); },
    [](const StencilMpiGroup* group) { return static_cast<int32_t>(group->rank_on_node); },
    [](StencilMpiGroup* group, const void* data, int64_t bytes, int32_t peer, int32_t tag,
       StencilMpiError* error) {
      return tried(error, [&] {
        return group->send(static_cast<const char*>(data), bytes, peer, tag, error);
      });
    },
    [](StencilMpiGroup* group, void* data, int64_t bytes, int32_t peer, int32_t tag,
       StencilMpiError* error) {
      return tried(
          error, [&] { return group->receive(static_cast<char*>(data), bytes, peer, tag, error); });
    },
    [](StencilMpiGroup* group, StencilMpiError* error) {
      return tried(error, [&] { return group->wait(error); });
    },
    [](StencilMpiGroup* group, int64_t own, int64_t* all, StencilMpiError* error) {
      return tried(error, [&] { return group->all_gather_number(own, all, error); });
    },
    [](StencilMpiGroup* group, const char* own, const int64_t* bytes, char* const* all,
       StencilMpiError* error) {
      return tried(error, [&] { return group->all_gather(own, bytes, all, error); });
    },
    [](StencilMpiGroup* group, int32_t status) { group->abort(status); },
    [](StencilMpiGroup* group, int64_t bytes) { group->piece = bytes; },
};

}  // namespace

}  // namespace stencil::mpi

const StencilMpiInterface* stencil_mpi_interface() {
  return &stencil::mpi::kInterface;
}
