// Checksum: XXH3, 64 bits, seed 0, of bytes that come in pieces. It detects accidents, not
// forgery: a reader must check the contents of a file nevertheless.
#ifndef TROMMEL_ENGINE_SRC_DISK_CHECKSUM_H_
#define TROMMEL_ENGINE_SRC_DISK_CHECKSUM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trommel {

class Checksum {
 public:
  Checksum() noexcept;

  void Add(std::span<const std::byte> bytes) noexcept;
  // Of all bytes so far; more may follow.
  uint64_t Value() const noexcept;

  static uint64_t Of(std::span<const std::byte> bytes) noexcept;

 private:
  // xxHash's own state, which no header of ours shows; checksum.cc checks that it fits.
  alignas(64) std::array<std::byte, 640> state_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_CHECKSUM_H_
