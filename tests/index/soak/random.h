// Random numbers of the soak, from a seed.
#ifndef TROMMEL_TESTS_INDEX_SOAK_RANDOM_H_
#define TROMMEL_TESTS_INDEX_SOAK_RANDOM_H_

#include <chrono>
#include <cstdint>
#include <thread>

namespace trommel::index::soak {

inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(Mix(seed)) {}

  uint64_t Next() { return state_ = Mix(state_); }
  // Requires limit > 0.
  uint32_t Below(uint64_t limit) { return static_cast<uint32_t>(Next() % limit); }
  bool OneIn(uint64_t n) { return Next() % n == 0; }
  // Sleeps for less than so long.
  void Pause(std::chrono::microseconds longest) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(Next() % static_cast<uint64_t>(longest.count())));
  }

 private:
  uint64_t state_;
};

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_RANDOM_H_
