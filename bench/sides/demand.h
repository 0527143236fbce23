// Ends the program where it cannot go on: an answer is wrong, so that its time means nothing, or
// sizing or memory fails.
#ifndef TROMMEL_BENCH_SIDES_DEMAND_H_
#define TROMMEL_BENCH_SIDES_DEMAND_H_

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "trommel/result.h"

namespace trommel::bench {

// Exit code 1 unless is_right.
inline void Demand(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

// The value, or the error's message and exit code 3.
template <class T>
T ValueOrExit(Result<T> result, const std::string& what = "trommel bench") {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s: %s\n", what.c_str(), result.error().message.c_str());
  std::exit(3);
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_DEMAND_H_
