// Writes a host program (host_ir/program.h) as the body of a function in C++, CUDA or HIP.
//
// Slots change roles by exchanging pointers. A spare copy starts with the contents of the newest
// level. If the newest level is in the spare when the loop ends, it is copied into the caller's
// array.
//
// Values of reductions stay in device memory until the run ends. Only the flag of the stop
// condition is read in between. On GPUs the next tile is launched before the flag is known, if that
// can be undone (kernel::answer_point); otherwise the host waits for the flag.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/host_operations.h"
#include "compiler/emit/host_variables.h"
#include "compiler/host_ir/program.h"

namespace stencil::emit {

class HostWriter {
 public:
  // `first_step`: the name of the function's argument. `given`: on devices, the variable that says
  // whether the caller wants results.
  HostWriter(HostOperations& host, const kernel::Module& module, const HostApi& api, Names& names,
             ExpressionPrinter& expressions, const Dialect& dialect, const std::string& first_step,
             const std::string& given);

  // Writes the program. It has no exchanges: emitted drivers do not run subdomains.
  void write(const host_ir::Program& program);

  void operator()(const host_ir::Take& take);
  void operator()(const host_ir::Alloc& alloc);
  void operator()(const host_ir::Copy& copy);
  void operator()(const host_ir::Slots& slots);
  void operator()(const host_ir::Flag&);
  void operator()(const host_ir::Restore& restore);
  void operator()(const host_ir::Place& place);
  void operator()(const host_ir::Define& define);
  void operator()(const host_ir::Assign& assign);
  void operator()(const host_ir::If& chosen);
  void operator()(const host_ir::Block& block);
  void operator()(const host_ir::For& loop);
  void operator()(const host_ir::Leave&);
  void operator()(const host_ir::Tile& tile);
  void operator()(const host_ir::Replay& replay);
  void operator()(const host_ir::Launch& launch);
  void operator()(const host_ir::Rotate& rotate);
  void operator()(const host_ir::Swap& swap);
  void operator()(const host_ir::Read& read);
  void operator()(const host_ir::Ask&);
  void operator()(const host_ir::Answer& answer);
  void operator()(const host_ir::Home& home);
  void operator()(const host_ir::Collect&);
  void operator()(const host_ir::Return&);
  // Only sessions of subdomains exchange halos and have a second queue.
  void operator()(const host_ir::Exchange&) { refuse(); }
  void operator()(const host_ir::Lane&) { refuse(); }
  void operator()(const host_ir::Mark&) { refuse(); }
  void operator()(const host_ir::Await&) { refuse(); }
  void operator()(const host_ir::Bind&) { refuse(); }
  void operator()(const host_ir::LaunchBound&) { refuse(); }

 private:
  struct Copies {                    // of one array
    std::vector<std::string> slots;  // expression for each slot
    std::vector<std::string> homes;  // the caller's pointer for each level
    std::string pointers;            // name of the array of slots; empty: slots do not change roles
    std::string spare;               // a copy that holds no level at the end; empty: none
    std::map<int, std::string> memory;  // by allocated slot
  };
  struct Kept {  // one element of scratch memory, and its member in the results
    int scratch;
    std::string name;    // for messages and variables
    std::string member;  // of the results
    std::string when;    // condition on the results; empty: it always has a value
  };

  static void refuse();  // aborts: the caller has given a program that it must not give
  void body(const host_ir::Body& body);
  void replays_in(const host_ir::For& loop);
  std::string rotation(const host_ir::Rotate& rotate) const;
  std::string result(const std::string& member) const;
  void unused_arguments();
  bool is_copied(size_t array) const;
  void block_counts();
  std::string tensor_map(const kernel::Launch& launch, size_t source);
  std::string element(int scratch) const;
  std::string_view type_of(int scratch) const;
  std::vector<Kept> kept(size_t reduction) const;
  void set_stopped(const std::string& value);
  const kernel::Kernel& kernel_of(const kernel::Launch& launch) const {
    return module_.kernels[static_cast<size_t>(launch.kernel)];
  }

  HostOperations& host_;
  Text& out_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  const HostApi& api_;
  Names& names_;
  HostVariables variables_;
  const Dialect& dialect_;
  const bool device_;
  const std::string first_step_, given_;
  std::string holds_, flag_;
  const host_ir::Program* program_ = nullptr;
  std::vector<std::string> scratch_;                       // per scratch memory
  std::map<const kernel::Launch*, std::string> blocks_;    // names of block counts, by launch
  std::map<const host_ir::Replay*, std::string> replays_;  // names of their objects
  std::vector<Copies> copies_;                             // per array
};

}  // namespace stencil::emit
