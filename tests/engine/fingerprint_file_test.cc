// A file of fingerprints answers as it is: mapped, by what FORMAT.md says, and nothing of the
// library. What a query reads is the block's line, for some its overflow line, and
// for few an entry of the side table.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

// A file, mapped.
class MappedFingerprints {
 public:
  explicit MappedFingerprints(const std::filesystem::path& path)
      : num_bytes_(std::filesystem::file_size(path)) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    void* const mapped = mmap(nullptr, num_bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    REQUIRE(mapped != MAP_FAILED);
    bytes_ = static_cast<const unsigned char*>(mapped);
    numbers_ = Find("numbers").first;
    blocks_ = Find("blocks").first;
    lines_ = Find("lines").first;
    std::tie(side_, side_end_) = Find("side");
  }
  ~MappedFingerprints() { munmap(const_cast<unsigned char*>(bytes_), num_bytes_); }
  MappedFingerprints(const MappedFingerprints&) = delete;
  MappedFingerprints& operator=(const MappedFingerprints&) = delete;

  uint64_t CountOf(uint64_t digest) {  // 16.3
    const auto num_blocks = At<uint64_t>(numbers_ + 16);
    const uint64_t block_idx =  // the high half of a product of 128 bits
        ((digest >> 32) * num_blocks + ((digest & 0xffffffff) * num_blocks >> 32)) >> 32;
    const auto bits = At<uint32_t>(numbers_ + 8);
    auto key = static_cast<uint32_t>(digest * num_blocks >> (64 - bits));
    const uint64_t block = blocks_ + 64 * block_idx;
    const uint32_t low = key & 0xff;
    if (low == 0x00 || low == 0xff) key ^= 1;
    return CountInSlots(block, block_idx, key);
  }

  // Is all that a query reads aligned as in memory?
  bool IsAligned() const { return blocks_ % 4096 == 0 && lines_ % 4096 == 0 && side_ % 64 == 0; }

  uint64_t num_line_reads() const { return num_line_reads_; }
  uint64_t num_side_reads() const { return num_side_reads_; }

 private:
  template <class T>
  T At(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_ + offset, sizeof(value));
    return value;
  }

  // Where the section begins and ends; 0 if there is none.
  std::pair<uint64_t, uint64_t> Find(std::string_view name) const {
    for (uint64_t at = num_bytes_ - 48 * At<uint32_t>(40); at < num_bytes_; at += 48) {
      if (name != reinterpret_cast<const char*>(bytes_ + at)) continue;
      const auto begin = At<uint64_t>(at + 24);
      return {begin, begin + At<uint64_t>(at + 32)};
    }
    return {0, 0};
  }

  uint64_t CountInSlots(uint64_t block, uint64_t block_idx, uint32_t key) {  // 16.4
    uint64_t count = 0;
    for (uint64_t i = 0; i < 32; ++i) count += At<uint16_t>(block + 2 * i) == key ? 1 : 0;
    const auto last = At<uint16_t>(block + 62);
    if (last == 0x00ff || last == 0x01ff) return count + CountInSideTable(block_idx, key);
    if (last != 0xffff) return count;
    ++num_line_reads_;
    const uint64_t line = lines_ + 64 * (block_idx / 64);
    for (uint64_t i = 0; i < 18; ++i) {
      const bool is_home = At<uint8_t>(line + 36 + i) == block_idx % 64;
      count += is_home && At<uint16_t>(line + 2 * i) == key ? 1 : 0;
    }
    return count;
  }

  uint64_t CountInSideTable(uint64_t block_idx, uint32_t key) {  // 16.6
    ++num_side_reads_;
    for (uint64_t at = side_; at < side_end_;) {
      const uint64_t num_keys = At<uint32_t>(at + 8);
      const bool is_found = At<uint64_t>(at) == block_idx;
      at += 16;
      for (uint64_t i = 0; i < num_keys; ++i, at += 16) {
        if (is_found && At<uint32_t>(at) == key) return At<uint64_t>(at + 8);
      }
      if (is_found) return 0;
    }
    FAIL("block " << block_idx << " has no entry in the side table");
    return 0;
  }

  uint64_t num_bytes_;
  const unsigned char* bytes_ = nullptr;
  uint64_t numbers_ = 0;  // where sections begin
  uint64_t blocks_ = 0;
  uint64_t lines_ = 0;
  uint64_t side_ = 0;
  uint64_t side_end_ = 0;
  uint64_t num_line_reads_ = 0;
  uint64_t num_side_reads_ = 0;
};

TEST_CASE("a mapped file of fingerprints answers as it is",
          "[engine][counting][fingerprints][files]") {
  const auto [bits, keys_per_block] = GENERATE(table<uint32_t, uint64_t>({{16, 21}, {9, 30}}));
  constexpr uint64_t kBlocks = 500;
  const Geometry geometry{.num_slices = 0,
                          .encoding = Encoding::kFingerprints16,
                          .num_blocks = kBlocks,
                          .fingerprint_bits = bits};
  std::mt19937_64 random(bits);
  std::vector<uint64_t> members(kBlocks * keys_per_block);
  for (uint64_t& digest : members) digest = random();
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
  filter.Insert(Keys::Digests(members));
  for (int copy = 0; copy < 50; ++copy) {  // of a few keys: more copies than slots
    filter.Insert(Keys::Digests(std::span(members).first(20)));
  }
  const tests::ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "filter";
  REQUIRE(filter.Save(path).ok());

  MappedFingerprints mapped(path);
  CHECK(mapped.IsAligned());
  for (const uint64_t digest : members) {
    const uint64_t count = mapped.CountOf(digest);
    REQUIRE(count >= 1);
    REQUIRE(count == filter.CountEstimate(Key::Digest(digest)));
  }
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t digest = random();
    REQUIRE((mapped.CountOf(digest) > 0) == filter.MayContain(Key::Digest(digest)));
  }
  CHECK(mapped.num_side_reads() > 0);
  CHECK(mapped.num_line_reads() > 0);
}

}  // namespace
}  // namespace trommel
