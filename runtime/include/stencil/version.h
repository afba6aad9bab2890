// Version of the library, by semantic versioning. Before 1.0, a new minor version may break the
// API.
#pragma once

#define STENCIL_VERSION_MAJOR 0
#define STENCIL_VERSION_MINOR 1
#define STENCIL_VERSION_PATCH 0
// For comparisons: 10000 * major + 100 * minor + patch.
#define STENCIL_VERSION \
  (10000 * STENCIL_VERSION_MAJOR + 100 * STENCIL_VERSION_MINOR + STENCIL_VERSION_PATCH)

// Marks the exported symbols of the shared library.
#define STENCIL_API __attribute__((visibility("default")))

namespace stencil {

// Version of the loaded library, "0.1.0"; STENCIL_VERSION is the version of the headers.
STENCIL_API const char* version();

}  // namespace stencil
