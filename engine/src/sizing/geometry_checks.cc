#include "engine/src/sizing/geometry_checks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engine/src/base/out_of_range.h"
#include "engine/src/base/rounding.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/layout.h"

namespace trommel {
namespace {

constexpr std::array<uint32_t, 1> kPlaneSlices = {kernels::kWordSlices};
constexpr std::array<uint32_t, 4> kRunSlices = {4, 5, 8, 10};
constexpr std::array<uint32_t, 1> kNoSlices = {0};
constexpr uint32_t kParquetSlices = 8;
constexpr auto kDenseSlots = [] {
  std::array<uint32_t, kernels::kNumDenseShapes> slots{};
  for (size_t i = 0; i < slots.size(); ++i) slots[i] = kernels::kDenseShapes[i].slots;
  return slots;
}();
constexpr std::array<uint32_t, 1> kNoSlots = {0};
// The public header computes what follows from slots.
static_assert(std::ranges::all_of(kernels::kDenseShapes, [](const kernels::DenseShape& shape) {
  const Geometry geometry{.encoding = Encoding::kDense, .slots = shape.slots};
  return geometry.bins() == shape.bins && geometry.max_dense_bits() == shape.max_bits;
}));

Error Refusal(std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

std::optional<Error> CheckEncoding(Encoding encoding, std::string_view known) {
  switch (encoding) {
    case Encoding::kPlanes:
    case Encoding::kRuns:
    case Encoding::kFingerprints16:
    case Encoding::kDense:
      return std::nullopt;
    case Encoding::kAutomatic:
      break;
  }
  return OutOfRange("encoding", static_cast<unsigned>(encoding), known);
}

std::string SlicesText(uint32_t num_slices) {
  return "num_slices is " + std::to_string(num_slices) + "; ";
}

std::optional<Error> CheckSlices(Encoding encoding, uint32_t num_slices) {
  const std::span<const uint32_t> legal = SlicesOf(encoding);
  if (std::ranges::find(legal, num_slices) != legal.end()) return std::nullopt;
  std::string message = SlicesText(num_slices);
  if (HasFingerprints(encoding)) return Refusal(message + "fingerprints have no slices: 0");
  std::string list = std::to_string(legal.front());
  for (size_t i = 1; i < legal.size(); ++i) {
    list += (i + 1 < legal.size() ? ", " : " or ") + std::to_string(legal[i]);
  }
  message += std::string(EncodingName(encoding)) + " have " + list;
  // Planes have no shape that runs do not have.
  if (std::ranges::find(kRunSlices, num_slices) != kRunSlices.end()) {
    message += " (runs have " + std::to_string(num_slices) + ")";
  }
  return Refusal(std::move(message));
}

std::optional<Error> CheckSlots(Encoding encoding, uint32_t slots) {
  const std::span<const uint32_t> legal = SlotsOf(encoding);
  if (std::ranges::find(legal, slots) != legal.end()) return std::nullopt;
  if (encoding == Encoding::kDense) {
    return OutOfRange("slots", slots,
                      "51, 48, 43, 40, 38, 35, 32, 26, 22 or 20: those of dense blocks");
  }
  return OutOfRange("slots", slots, "0: only dense blocks have them");
}

std::optional<Error> CheckFingerprintBits(Encoding encoding, uint32_t slots, uint32_t bits) {
  const uint32_t most = MaxFingerprintBits(encoding, slots);
  if (most == 0) {
    if (bits == 0) return std::nullopt;
    return OutOfRange("fingerprint_bits", bits,
                      "0: " + std::string(EncodingName(encoding)) + " have no fingerprints");
  }
  const uint32_t least = LeastFingerprintBits(encoding);
  if (bits >= least && bits <= most) return std::nullopt;
  return OutOfRange("fingerprint_bits", bits, least, most);
}

// Slices and preference of a request that leaves the encoding open.
std::optional<Error> CheckAutomatic(const SizingRequest& request) {
  const uint32_t num_slices = request.num_slices;
  switch (request.preference) {
    case Preference::kParquet:
      if (num_slices == 0 || num_slices == kParquetSlices) return std::nullopt;
      return Refusal(SlicesText(num_slices) + "Parquet's blocks have 8");
    case Preference::kMemory:
    case Preference::kSpeed:
    case Preference::kHeadroom:
      return num_slices == 0 ? std::nullopt : CheckSlices(Encoding::kRuns, num_slices);
  }
  return OutOfRange("preference", static_cast<unsigned>(request.preference),
                    "0 (memory), 1 (speed), 2 (headroom) or 3 (Parquet)");
}

}  // namespace

std::span<const uint32_t> SlicesOf(Encoding encoding) noexcept {
  if (HasFingerprints(encoding)) return kNoSlices;
  if (encoding == Encoding::kRuns) return kRunSlices;
  return kPlaneSlices;
}

std::span<const uint32_t> SlotsOf(Encoding encoding) noexcept {
  if (encoding == Encoding::kDense) return kDenseSlots;
  return kNoSlots;
}

uint32_t MaxFingerprintBits(Encoding encoding, uint32_t slots) noexcept {
  if (encoding == Encoding::kFingerprints16) return kernels::kMaxWideBits;
  return Geometry{.encoding = encoding, .slots = slots}.max_dense_bits();
}

uint32_t LeastFingerprintBits(Encoding encoding) noexcept {
  if (encoding == Encoding::kFingerprints16) return kernels::kMinWideBits;
  return encoding == Encoding::kDense ? 1 : 0;
}

kernels::DenseLayout DenseLayoutOf(const Geometry& geometry) noexcept {
  return {{geometry.slots, static_cast<uint32_t>(geometry.bins()), geometry.max_dense_bits()},
          geometry.fingerprint_bits};
}

uint32_t KeyInBlock(const Geometry& geometry, uint64_t digest) noexcept {
  const uint64_t rest = kernels::FingerprintPlaceOf(digest, geometry.num_blocks).rest;
  if (geometry.encoding == Encoding::kDense) return DenseLayoutOf(geometry).KeyOf(rest);
  return kernels::WideKey(rest, geometry.fingerprint_bits);
}

uint64_t BlockUnit(Encoding encoding, uint32_t shard_bits) noexcept {
  const bool has_groups = shard_bits > 0 && encoding == Encoding::kFingerprints16;
  return (has_groups ? kernels::kGroupBlocks : 1) << shard_bits;
}

namespace {

uint32_t MostShardBits(Encoding encoding, uint64_t num_blocks) {
  return ShardBitsFor(encoding == Encoding::kFingerprints16 ? num_blocks / 4 : num_blocks);
}

// With whole overflow lines in each shard of dense blocks, too.
uint64_t SizedUnit(Encoding encoding, uint32_t shard_bits) {
  const bool has_lines = shard_bits > 0 && encoding == Encoding::kDense;
  return BlockUnit(encoding, shard_bits) * (has_lines ? kernels::kMaxBlocksPerLine : 1);
}

}  // namespace

uint32_t ShardBitsOf(Encoding encoding, uint64_t num_blocks) noexcept {
  uint32_t shard_bits = MostShardBits(encoding, num_blocks);
  while (num_blocks % SizedUnit(encoding, shard_bits) != 0) shard_bits -= 1;
  return shard_bits;
}

uint64_t RoundUpToShards(Encoding encoding, uint64_t num_blocks) noexcept {
  return RoundUp(num_blocks, SizedUnit(encoding, MostShardBits(encoding, num_blocks)));
}

std::optional<Error> CheckTargetFpr(double target_fpr) {
  // NaN fails.
  if (target_fpr >= kMinTargetFpr && target_fpr <= kMaxTargetFpr) return std::nullopt;
  return OutOfRange("target_fpr", target_fpr, kMinTargetFpr, kMaxTargetFpr);
}

std::optional<Error> CheckRequest(const SizingRequest& request) {
  if (request.capacity == 0 || request.capacity > kMaxCapacity) {
    return OutOfRange("capacity", request.capacity, uint64_t{1}, kMaxCapacity);
  }
  if (auto error = CheckTargetFpr(request.target_fpr)) return error;
  if (request.encoding == Encoding::kAutomatic) return CheckAutomatic(request);
  if (auto error = CheckEncoding(request.encoding,
                                 "0 (planes), 1 (runs), 2 (fingerprints16), 3 (dense) or "
                                 "255 (automatic)")) {
    return error;
  }
  if (request.num_slices == 0) return std::nullopt;  // chosen by bytes
  return CheckSlices(request.encoding, request.num_slices);
}

std::string_view EncodingName(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kPlanes:
      return "planes";
    case Encoding::kRuns:
      return "runs";
    case Encoding::kFingerprints16:
      return "fingerprints16";
    case Encoding::kDense:
      return "dense";
    case Encoding::kAutomatic:
      return "automatic";
  }
  return "unknown";
}

std::string_view PreferenceName(Preference preference) noexcept {
  switch (preference) {
    case Preference::kMemory:
      return "memory";
    case Preference::kSpeed:
      return "speed";
    case Preference::kHeadroom:
      return "headroom";
    case Preference::kParquet:
      return "parquet";
  }
  return "unknown";
}

Status Validate(const Geometry& geometry) {
  if (auto error = CheckEncoding(geometry.encoding,
                                 "0 (planes), 1 (runs), 2 (fingerprints16) or 3 (dense)")) {
    return *error;
  }
  if (auto error = CheckSlices(geometry.encoding, geometry.num_slices)) return *error;
  if (auto error = CheckSlots(geometry.encoding, geometry.slots)) return *error;
  if (auto error =
          CheckFingerprintBits(geometry.encoding, geometry.slots, geometry.fingerprint_bits)) {
    return *error;
  }
  if (geometry.num_blocks == 0 || geometry.num_blocks > kMaxBlocks) {
    return OutOfRange("num_blocks", geometry.num_blocks, uint64_t{1}, kMaxBlocks);
  }
  if (geometry.shard_bits >= 31) {  // more shards than blocks; and shifts below stay defined
    return OutOfRange("shard_bits", geometry.shard_bits, 0U, 30U);
  }
  const uint64_t unit = BlockUnit(geometry.encoding, geometry.shard_bits);
  if (geometry.num_blocks % unit != 0) {
    return Refusal("num_blocks is " + std::to_string(geometry.num_blocks) + "; with shard_bits " +
                   std::to_string(geometry.shard_bits) + " it must be a multiple of " +
                   std::to_string(unit));
  }
  return Ok();
}

}  // namespace trommel
