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

// Prints why the program cannot go on, and ends it.
[[noreturn]] inline void Quit(const std::string& why, int exit_code = 1) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(exit_code);
}

// Exit code 1 unless is_right.
inline void Demand(bool is_right, const char* what) {
  if (!is_right) Quit(std::string("wrong: ") + what);
}
// Exit code 1 unless this, which says what is wrong, is empty.
inline void DemandNone(const std::string& wrong) { Demand(wrong.empty(), wrong.c_str()); }

// The value, or the error's message and exit code 3.
template <class T>
T ValueOrExit(Result<T> result, const std::string& what = "trommel bench") {
  if (result.ok()) return *std::move(result);
  Quit(what + ": " + result.error().message, 3);
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_DEMAND_H_
