// Errors of the run-time layer as values.
//
// Codes: R010 a file cannot be read, R011 a file cannot be written, R020 a damaged .npy file,
// R021 an .npy file of a kind that is not supported, R022 a shape that does not match the field,
// R023 values that the field's type cannot hold, R024 a field that has no .npy form, R030 an image
// that cannot be made. docs/errors.md lists them all. The types are those of the public API.
#pragma once

#include "stencil/result.h"

namespace stencil::runtime {

using stencil::Done;
using stencil::Failure;
using stencil::Result;
using stencil::Status;

}  // namespace stencil::runtime
