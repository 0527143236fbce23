// What the program does, by its first argument. All return the exit status.
#ifndef TROMMEL_TESTS_INDEX_SOAK_MODES_H_
#define TROMMEL_TESTS_INDEX_SOAK_MODES_H_

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace trommel::index::soak {

// How long a soak lasts: so many operations, or so many seconds if that is not 0.
struct Extent {
  uint64_t num_operations = 0;
  uint64_t seconds = 0;
};

// What of an extent is done.
class Elapsed {
 public:
  explicit Elapsed(const Extent& extent) : extent_(extent) {}

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  // Returns whether a part of the extent, from 0 to 1, is done.
  bool IsDone(uint64_t num_operations, double part = 1) const {
    return extent_.seconds > 0 ? seconds() >= part * static_cast<double>(extent_.seconds)
                               : static_cast<double>(num_operations) >=
                                     part * static_cast<double>(extent_.num_operations);
  }

 private:
  const Extent extent_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Rounds of writes, queries and changes of all kinds, compared with the model.
int RunMixed(const std::filesystem::path& folder, const Extent& extent, uint64_t seed);
// Starts `program` as RunWork again and again, kills it, and checks what is left.
int RunKills(const char* program, const std::filesystem::path& folder, const Extent& extent,
             uint64_t seed);
// Writes and changes regions, servers and indexes until it is killed. Writes a line to the standard
// output before and after each write and change: see work.cc.
int RunWork(const std::filesystem::path& folder, uint64_t seed);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_MODES_H_
