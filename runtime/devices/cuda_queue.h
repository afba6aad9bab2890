// What goes among the work of a stream of CUDA: failures of it, time, marks, recordings. The
// context becomes current in the calling thread; it outlives what is made here.
#pragma once

#include <memory>
#include <string>

#include "runtime/devices/accelerator.h"
#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime::cuda {

// R044, or R043 where memory or registers run out.
Failure driver_failure(const std::string& what, Code code);
Status checked(const std::string& what, Code code);

// By two events in the stream, which must outlive the stopwatch.
std::unique_ptr<Stopwatch> stopwatch(Context context, Stream stream);

// An event that is not yet recorded, and one recorded in a stream. Others may wait for either after
// the stream has gone.
Result<Accelerator::Mark> unset_mark(Context context);
Result<Accelerator::Mark> mark(Context context, Stream stream);

// As graphs (Accelerator::begin_recording). Streams that wait for marks of a stream that records
// record too, on other GPUs as well.
bool can_record();  // the driver has graphs
Status begin_recording(Context context, Stream stream);
Result<Accelerator::Recording> end_recording(Context context, Stream stream);
Status replay(Context context, Stream stream, const Accelerator::Recording& recording);

}  // namespace stencil::runtime::cuda
