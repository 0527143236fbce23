// The article on Bloom filters for a chunk index (Data Domain): its worked example, its rate at
// eight bits a key, its memory figures, and the use it has in mind.
#ifndef TROMMEL_BENCH_PAPER_CHUNK_INDEX_REPORT_H_
#define TROMMEL_BENCH_PAPER_CHUNK_INDEX_REPORT_H_

#include "bench/paper/program.h"

namespace trommel::paper {

Report ChunkIndexReport(const Options& options);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_CHUNK_INDEX_REPORT_H_
