// Keys from the inputs to a consumer, in three stages over a few batches that are used in turn:
//
//   read    one piece after the other                              piece_reader.h
//   work    records, keys, and what is computed of them            several batches at a time
//   finish  what must happen in the order of the input             one batch after the other
//
// With an executor the stages of different batches run at the same time; without, one after the
// other. What `finish` sees is the same.
#ifndef TROMMEL_TOOLS_KEY_PIPELINE_H_
#define TROMMEL_TOOLS_KEY_PIPELINE_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/trommel/input/key_batch.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/input/piece_reader.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::tool {

struct KeyStages {
  std::function<void(KeyBatch&)> work;            // on any thread; may be empty
  std::function<Status(const KeyBatch&)> finish;  // an error ends the pass
};

// Runs all inputs through the stages; batches may be without keys. Fails with what `finish` said,
// with kInvalidArgument for a malformed key (with file name and line, or byte offset where there
// are no lines) and with kIo: keys before the bad one are finished first. All batches read so far
// are finished before it waits for more input. A stage that throws ends the pass; the exception
// comes out here.
Status RunKeyPipeline(const std::vector<std::string>& paths, const KeyOptions& options,
                      const ReaderLimits& limits, Executor* executor, const KeyStages& stages);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_PIPELINE_H_
