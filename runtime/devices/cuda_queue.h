// Stream operations: failures, timing, marks, recordings. The functions make the context current in
// the calling thread; the context must outlive their results.
#pragma once

#include <memory>
#include <string>

#include "runtime/devices/accelerator.h"
#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// R043 if memory or registers do not suffice, otherwise R044.
Failure driver_failure(const std::string& what, Code code);
Status checked(const std::string& what, Code code);

// Measures with two events in the stream, which must outlive the stopwatch.
std::unique_ptr<Stopwatch> stopwatch(Context context, Stream stream);

// An event that is not yet recorded, and an event recorded in the stream. Both remain valid for
// waiting after the stream is destroyed.
Result<Accelerator::Mark> unset_mark(Context context);
Result<Accelerator::Mark> mark(Context context, Stream stream);

// Recordings as CUDA graphs (Accelerator::begin_recording). Streams that wait for marks of a
// recording stream are recorded too, also on other GPUs.
bool can_record();  // whether the driver has graphs
Status begin_recording(Context context, Stream stream);
Result<Accelerator::Recording> end_recording(Context context, Stream stream);
Status replay(Context context, Stream stream, const Accelerator::Recording& recording);

// Whether work in the stream is recorded instead of executed. Null is the legacy default stream,
// which cannot be captured.
bool is_captured(Context context, Stream stream);

}  // namespace stencil::runtime::cuda
