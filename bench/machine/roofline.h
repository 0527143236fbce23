// Ceilings: the speed of this machine's memory for one thread or for several, measured at the
// footprint and with the access shape of the operation that it bounds. A filter cannot be faster
// than the lines that it must access.
//
// Addresses are random and independent of each other, lines are prefetched several operations
// ahead, and the best of several distances (0 among them) counts. Memory is on huge pages where the
// system gives them, as a filter's is. Figures are medians of repeated passes. With num_threads
// above 1 that many run at the same time, and the figure is that of all together: all read the same
// arrays; each changes, or copies, its own equal part of them, as one task owns a shard.
#ifndef TROMMEL_BENCH_MACHINE_ROOFLINE_H_
#define TROMMEL_BENCH_MACHINE_ROOFLINE_H_

#include <cstdint>
#include <span>

namespace trommel::bench {

// A part of an operation: `lines` adjacent cache lines somewhere in an array of `bytes`.
inline constexpr uint32_t kMaxLines = 2;  // of blocks and of counts
struct Touch {
  uint64_t bytes;
  uint32_t lines;
};

// ns per operation that reads, or changes, a word in every line of every touch. All touches of one
// operation are at the same relative place of their arrays, as a block's presence and counts are.
// Requires one or two touches of 1 to kMaxLines lines; others, and arrays (for changes: a thread's
// part of them) shorter than their touch, give NaN.
double RandomReadNs(std::span<const Touch> shape, double seconds, uint32_t num_threads = 1);
double RandomUpdateNs(std::span<const Touch> shape, double seconds, uint32_t num_threads = 1);

// The same for one array.
double RandomReadNs(uint64_t footprint_bytes, uint32_t lines_per_op, double seconds);
double RandomUpdateNs(uint64_t footprint_bytes, uint32_t lines_per_op, double seconds);

// 1e9 bytes per second, read plus written, of copying one half of the footprint to the other.
double StreamGbPerS(uint64_t footprint_bytes, double seconds, uint32_t num_threads = 1);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_MACHINE_ROOFLINE_H_
