// std::printf into a string.
#ifndef TROMMEL_BENCH_PRINTED_H_
#define TROMMEL_BENCH_PRINTED_H_

#include <string>

namespace trommel::bench {

// What std::printf would print, up to its 511th byte.
[[gnu::format(printf, 1, 2)]] std::string Printed(const char* format, ...);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_PRINTED_H_
