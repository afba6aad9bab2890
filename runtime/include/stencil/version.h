// The version of the library, by the rules of semantic versioning: before 1.0, a change of the
// minor version may break programs.
#pragma once

#define STENCIL_VERSION_MAJOR 0
#define STENCIL_VERSION_MINOR 1
#define STENCIL_VERSION_PATCH 0
// As a number, to compare with: 10000 * major + 100 * minor + patch.
#define STENCIL_VERSION \
  (10000 * STENCIL_VERSION_MAJOR + 100 * STENCIL_VERSION_MINOR + STENCIL_VERSION_PATCH)

// What the shared library exports.
#define STENCIL_API __attribute__((visibility("default")))

namespace stencil {

// "0.1.0", of the library that is loaded; STENCIL_VERSION is that of the headers.
STENCIL_API const char* version();

}  // namespace stencil
