// Stores of dense blocks in files: the words of blocks as EncodeDense writes them, and the rests of
// those that have one, ascending (section `side`):
//
//   0   u32  block
//   4   u32  n, keys of the rest, ascending
//   8   n times: u32, the key in the low k bits, its copies in the others
//              or, with more copies than these bits can say, or as many, these bits set, and two
//              u32: copies, low half first
//       u32  0, if that makes the entry a multiple of 8 bytes
//
// k is 18, or more if keys have more bits.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/files/store_sections.h"

namespace trommel {
namespace {

constexpr size_t kDenseWords = kernels::kFingerprintBlockWords;

// How the words of a rest are divided.
struct RestLayout {
  explicit RestLayout(const kernels::DenseShape& shape)
      : key_bits(std::max(18U, shape.key_bits())) {}

  uint32_t many_copies() const { return ~uint32_t{0} >> key_bits; }

  uint32_t key_bits;
};

void AppendRest(const RestLayout& layout, uint64_t block_idx, const BlockContents& rest,
                std::vector<uint32_t>& words) {
  words.push_back(static_cast<uint32_t>(block_idx));
  words.push_back(static_cast<uint32_t>(rest.size()));
  for (const BlockKey& entry : rest) {
    const auto copies =
        static_cast<uint32_t>(std::min<uint64_t>(entry.count, layout.many_copies()));
    words.push_back(entry.key | copies << layout.key_bits);
    if (copies < layout.many_copies()) continue;
    words.push_back(static_cast<uint32_t>(entry.count));
    words.push_back(static_cast<uint32_t>(entry.count >> 32));
  }
  if (words.size() % 2 != 0) words.push_back(0);
}

Status ReadKey(const RestLayout& layout, SectionStream& stream, BlockKey& entry) {
  uint32_t word = 0;
  if (Status read = stream.Read(word); !read) return read;
  entry.key = word & ((uint32_t{1} << layout.key_bits) - 1);
  entry.count = word >> layout.key_bits;
  if (entry.count < layout.many_copies()) return Ok();
  std::array<uint32_t, 2> halves{};
  if (Status read = stream.Read(halves); !read) return read;
  entry.count = uint64_t{halves[1]} << 32 | halves[0];
  return Ok();
}

Status ReadRests(const RestLayout& layout, const FileSection& section, uint64_t num_blocks,
                 DenseRests& rests) {
  SectionStream stream(section);
  uint64_t next_block = 0;
  std::vector<BlockKey> rest;
  while (stream.left() > 0) {
    const uint64_t at = stream.at();
    std::array<uint32_t, 2> entry{};
    if (Status read = stream.Read(entry); !read) return read;
    const auto [block_idx, num_keys] = entry;
    if (block_idx >= num_blocks || block_idx < next_block) {
      return stream.Fail(at, "blocks do not ascend, or do not exist");
    }
    if (num_keys == 0 || num_keys > stream.left() / sizeof(uint32_t)) {
      return stream.Fail(at, "an entry has no keys or too many");
    }
    rest.clear();
    for (uint32_t i = 0; i < num_keys; ++i) {
      const uint64_t key_at = stream.at();
      BlockKey key;
      if (Status read = ReadKey(layout, stream, key); !read) return read;
      const bool is_long = stream.at() - key_at > sizeof(uint32_t);
      if (key.count == 0 || key.count > kMaxFileKeys ||
          (is_long && key.count < layout.many_copies()) ||
          (!rest.empty() && key.key <= rest.back().key)) {
        return stream.Fail(at, "keys do not ascend, or have no copies or too many");
      }
      rest.push_back(key);
    }
    uint32_t padding = 0;
    if ((stream.at() - at) % 8 != 0) {
      if (Status read = stream.Read(padding); !read) return read;
    }
    if (padding != 0) return stream.Fail(at, "padding is not zero");
    rests.Add(block_idx, rest);
    next_block = block_idx + 1;
  }
  return stream.End();
}

}  // namespace

void WriteDense(const DenseStore& store, uint32_t store_idx, FileWriter& file) {
  constexpr uint64_t kBlocksAtOnce = 2048;
  const uint64_t num_blocks = store.geometry().num_blocks;
  const RestLayout layout(store.layout().shape);
  std::vector<uint32_t> words(kBlocksAtOnce * kDenseWords);
  std::vector<uint32_t> rests;
  file.BeginSection(sections::kBlocks, store_idx);
  for (uint64_t first = 0; first < num_blocks && file.ok(); first += kBlocksAtOnce) {
    const uint64_t end = std::min(first + kBlocksAtOnce, num_blocks);
    for (uint64_t b = first; b < end; ++b) {
      const BlockContents rest = store.WriteBlock(b, words.data() + (b - first) * kDenseWords);
      if (!rest.empty()) AppendRest(layout, b, rest, rests);
    }
    file.Append(
        std::as_bytes(std::span(words)).first((end - first) * kDenseWords * sizeof(uint32_t)));
  }
  file.EndSection();
  file.Add(sections::kSide, store_idx, std::as_bytes(std::span(rests)));
}

Result<uint64_t> ReadDense(FileReader& file, uint32_t store_idx, DenseStore& store,
                           uint64_t limit_bytes, uint64_t used_bytes) {
  const FileSection blocks = file.Take(sections::kBlocks, store_idx);
  if (Status read = blocks.ReadInto(WritableBytes(store.blocks())); !read) return read.error();
  DenseRests rests;
  if (Status read =
          ReadRests(RestLayout(store.layout().shape), file.Take(sections::kSide, store_idx),
                    store.geometry().num_blocks, rests);
      !read) {
    return read.error();
  }
  // Before memory is taken for keys that no line has a place for, which are few but in files that
  // are made to have many.
  const uint64_t hidden_bytes = rests.LeastHidden(store.layout()) * DenseRange::kHiddenBytes;
  if (Status fits = CheckMemoryLimit("the filter needs at least",
                                     used_bytes + store.num_bytes() + hidden_bytes, limit_bytes);
      !fits) {
    return fits.error();
  }
  uint64_t bad_block = 0;
  Result<uint64_t> num_keys = store.Adopt(rests, bad_block);
  if (num_keys || num_keys.error().code != ErrorCode::kCorrupt) return num_keys;
  return blocks.CorruptAt(bad_block * kDenseWords * sizeof(uint32_t), num_keys.error().message);
}

}  // namespace trommel
