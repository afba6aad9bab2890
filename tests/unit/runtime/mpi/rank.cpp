// One process of a test: `mpi_rank CASE`.
#include "tests/unit/runtime/mpi/rank.h"

#include <map>

namespace stencil::runtime {

namespace {

const std::map<std::string, std::function<void()>> kCases = {
    {"exchange", case_exchange},
    {"gather", case_gather},
    {"wrong_messages", case_wrong_messages},
    {"abandon", case_abandon},
    {"alone", case_alone},
    {"unusable", case_unusable},
    {"started", case_started},
    {"nccl", case_nccl},
    {"nccl_turned_off", [] { case_no_nccl("turned off"); }},
    {"nccl_same_gpu", [] { case_no_nccl("same GPU"); }},
    {"nccl_one_on_host", [] { case_no_nccl("one on the host"); }},
    {"nccl_no_start", [] { case_no_nccl("does not start"); }},
    {"nccl_broken", case_broken_nccl},
    {"gpus", case_gpus},
};

}  // namespace

}  // namespace stencil::runtime

int main(int count, char** arguments) {
  using namespace stencil::runtime;
  const auto found = kCases.find(count == 2 ? arguments[1] : "");
  if (found == kCases.end()) return 2;
  found->second();
  return 0;
}
