// A fake NVRTC 12.9, which "compiles" every program to the options it was given.
#include <cstring>
#include <string>

namespace {

std::string compiled;  // the output for the only program

int give(const std::string& bytes, char* to) {
  std::memcpy(to, bytes.c_str(), bytes.size() + 1);
  return 0;
}
int give_size(const std::string& bytes, size_t* size) {
  *size = bytes.size() + 1;
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 9;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  for (const int architecture : {90, 80, 100}) *architectures++ = architecture;
  return 0;
}
const char* nvrtcGetErrorString(int) {
  return "FAKE_ERROR";
}
int nvrtcCreateProgram(void** program, const char*, const char*, int, const char* const*,
                       const char* const*) {
  *program = &compiled;
  return 0;
}
int nvrtcDestroyProgram(void**) {
  return 0;
}
int nvrtcCompileProgram(void*, int count, const char* const* options) {
  compiled = "NVRTC 12.9";
  for (int i = 0; i < count; ++i) compiled += std::string(" ") + options[i];
  return 0;
}
int nvrtcGetProgramLogSize(void*, size_t* size) {
  return give_size("", size);
}
int nvrtcGetProgramLog(void*, char* log) {
  return give("", log);
}
int nvrtcGetCUBINSize(void*, size_t* size) {
  return give_size(compiled, size);
}
int nvrtcGetCUBIN(void*, char* image) {
  return give(compiled, image);
}
int nvrtcGetPTXSize(void*, size_t* size) {
  return give_size("PTX by " + compiled, size);
}
int nvrtcGetPTX(void*, char* text) {
  return give("PTX by " + compiled, text);
}

}  // extern "C"
