// What splitting, more threads and sharing cost or gain: trials, each with sides measured in the
// same rounds. All end the program if an answer is wrong. How to read them: README.md.
#ifndef TROMMEL_BENCH_TRIALS_THREAD_TRIALS_H_
#define TROMMEL_BENCH_TRIALS_THREAD_TRIALS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/text/figures.h"
#include "trommel/sizing.h"

namespace trommel::bench {

// Inserts and erases of one thread on both routes and on the automatic choice, for batches of so
// many keys per block.
inline const std::vector<std::string> kRouteSides = {"direct", "split", "automatic", "textbook"};
// ns per key, thread CPU time, of a filter that is at num_keys when the batch is in; the loads
// ascend, and the last is less than the filter's. The textbook filter takes part only on request:
// it fills slowly. Runs have 5 slices.
std::vector<TrialRow> RunRouteTrial(uint64_t num_keys, const std::vector<double>& keys_per_block,
                                    uint64_t rounds, bool with_textbook,
                                    Encoding encoding = Encoding::kPlanes);

// Build, insert, erase and query of large batches with one thread and with several.
inline const std::vector<std::string> kThreadSides = {"one", "several"};
// ns per key, wall time, of a filter of num_keys; the last rows are the ceilings of as many
// threads: a random line read, a random update of an update's lines, and a copied cache line, in
// ns.
std::vector<TrialRow> RunThreadTrial(uint64_t num_keys, uint32_t num_threads, uint64_t rounds,
                                     Encoding encoding);

// A ConcurrentFilter beside a CountingFilter in one thread.
inline const std::vector<std::string> kSharedSides = {"exclusive", "concurrent"};
// Insert, erase, insert-if-absent and query in batches: ns per key, thread CPU time. The filters
// are at num_keys when a batch is in.
std::vector<TrialRow> RunSharedTrial(uint64_t num_keys, const std::vector<size_t>& batches,
                                     uint64_t rounds, Encoding encoding);

// One caller of a ConcurrentFilter, or several at once that share its keys.
inline const std::vector<std::string> kCallerSides = {"one", "several"};
// Insert, erase and query in batches of 65,536: ns per key, wall time.
std::vector<TrialRow> RunCallerTrial(uint64_t num_keys, uint32_t num_callers, uint64_t rounds,
                                     Encoding encoding);

// A reader, alone and beside a writer.
inline const std::vector<std::string> kReaderSides = {"alone", "other filter", "same filter"};
// The reader's queries, ns per key, thread CPU time: without a writer, while another thread inserts
// and erases in another filter of the same size (the same traffic on unrelated memory), and in the
// reader's own.
std::vector<TrialRow> RunReaderTrial(uint64_t num_keys, uint64_t rounds, Encoding encoding);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_TRIALS_THREAD_TRIALS_H_
