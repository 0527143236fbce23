// Random programs as tests of an invariant, whatever they run on: a program that fails is cut down
// to the part that fails.
//
// A program has a list of steps, and each step one of keys, called `digests` or `rows`; otherwise
// it says in ForEachList what may be left out. ToText(program) spells it for the message.
#ifndef TROMMEL_TESTS_SUPPORT_SHRINK_H_
#define TROMMEL_TESTS_SUPPORT_SHRINK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/sanitized.h"

namespace trommel::tests {

// How long tests run that can run for any time: TROMMEL_TEST_SCALE=100 makes them run 100 times as
// long. Without it, sanitizers run an eighth: what they look for shows in the first steps.
inline uint64_t Scaled(uint64_t count) {
  if (const char* scale = std::getenv("TROMMEL_TEST_SCALE")) {
    return count * std::max<uint64_t>(std::strtoull(scale, nullptr, 10), 1);
  }
  return TROMMEL_TESTS_SANITIZED ? std::max(count / 8, std::min<uint64_t>(count, 5)) : count;
}

template <class Step>
auto& KeysOf(Step& step) {
  if constexpr (requires { step.digests; }) {
    return step.digests;
  } else {
    return step.rows;
  }
}

// Calls visit(list) for every list of which entries may be left out.
template <class Program, class Visit>
void ForEachList(Program& program, const Visit& visit) {
  visit(program.steps);
  for (auto& step : program.steps) visit(KeysOf(step));
}

// A smallest program it finds for which `fails` still holds: no entry of a list can be left out.
// Requires that `fails` holds for the program given.
template <class Program, class Fails>
Program Shrunk(Program program, const Fails& fails) {
  ForEachList(program, [&](auto& list) {
    for (size_t length = std::max<size_t>(list.size() / 2, 1); length > 0 && !list.empty();
         length /= 2) {
      for (size_t first = 0; first < list.size();) {
        auto longer = list;
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
        list.erase(begin,
                   begin + static_cast<std::ptrdiff_t>(std::min(length, list.size() - first)));
        if (!fails(std::as_const(program))) {
          list = std::move(longer);
          first += length;
        }
      }
    }
  });
  return program;
}

// invariant(program) says what is wrong, and nothing if it holds. Returns whether it holds; if it
// fails, reports a smallest program for which it does.
template <class Program, class Invariant>
bool CheckInvariant(const Program& program, const Invariant& invariant) {
  const auto violation = [&](const Program& one) { return std::string(invariant(one)); };
  if (violation(program).empty()) return true;
  const Program least =
      Shrunk(program, [&](const Program& candidate) { return !violation(candidate).empty(); });
  FAIL_CHECK(violation(least) << " in the program\n" << ToText(least));
  return false;
}

// The first of so many digests, as text.
inline std::string TextOf(std::span<const uint64_t> digests, size_t num_shown = 20) {
  std::ostringstream text;
  text << std::hex;
  for (const uint64_t digest : digests.first(std::min(digests.size(), num_shown))) {
    text << " 0x" << digest;
  }
  if (digests.size() > num_shown) text << " ...";
  return text.str();
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SHRINK_H_
