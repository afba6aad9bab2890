// The `reference` device: the interpreter, which defines the results of all devices. It needs no
// kernels and runs every program.
#include "runtime/devices/reference_device.h"

#include "compiler/reference/interpreter.h"

namespace stencil::runtime {

namespace {

class ReferenceSession : public Session {
 public:
  ReferenceSession(const ir::Program& program, reference::State& state)
      : program_(program), state_(state) {}

  Result<int64_t> advance(int64_t steps) override {
    return reference::advance(program_, state_, steps);
  }
  Status finish() override { return Done{}; }

 private:
  const ir::Program& program_;
  reference::State& state_;
};

class ReferenceProgram : public LoadedProgram {
 public:
  explicit ReferenceProgram(const ir::Program& program) : program_(program) {}

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    return std::unique_ptr<Session>(std::make_unique<ReferenceSession>(program_, state));
  }

 private:
  const ir::Program& program_;
};

DeviceInfo probe(const std::string&) {
  return {"reference", "the interpreter that defines the language", true, ""};
}

Result<std::unique_ptr<LoadedProgram>> load(const Job& job, const std::string&) {
  return std::unique_ptr<LoadedProgram>(std::make_unique<ReferenceProgram>(job.program));
}

}  // namespace

Device reference_device() {
  return {"reference", false, probe, load};
}

}  // namespace stencil::runtime
