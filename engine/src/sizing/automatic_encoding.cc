#include "engine/src/sizing/automatic_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trommel {
namespace {

constexpr double kMostBitsForSpeed = 2;  // times the fewest

// Runs first: their error is the one to report. On a tie the first wins.
constexpr std::array<Encoding, 4> kChoices = {Encoding::kRuns, Encoding::kPlanes, Encoding::kDense,
                                              Encoding::kFingerprints16};
constexpr std::array<Encoding, 3> kChoicesWithHeadroom = {Encoding::kRuns, Encoding::kPlanes,
                                                          Encoding::kDense};

// The sizings of those encodings that meet the request, at least one.
Result<std::vector<Sizing>> SizingsOf(SizingRequest request, std::span<const Encoding> encodings) {
  std::vector<Sizing> sizings;
  std::optional<Error> error;
  for (const Encoding encoding : encodings) {
    request.encoding = encoding;
    const Result<Sizing> sizing = SizeFor(request);
    if (sizing.ok()) {
      sizings.push_back(*sizing);
    } else if (!error) {
      error = sizing.error();
    }
  }
  if (sizings.empty()) return *error;
  return sizings;
}

const Sizing* Find(std::span<const Sizing> sizings, Encoding encoding) {
  const auto found = std::ranges::find_if(
      sizings, [encoding](const Sizing& sizing) { return sizing.geometry.encoding == encoding; });
  return found == sizings.end() ? nullptr : &*found;
}

const Sizing& OfFewestBytes(std::span<const Sizing> sizings) {
  return *std::ranges::min_element(sizings, {}, &Sizing::bits_per_key);
}

const Sizing& OfMostSpeed(std::span<const Sizing> sizings) {
  const Sizing& smallest = OfFewestBytes(sizings);
  for (const Encoding encoding : {Encoding::kFingerprints16, Encoding::kDense}) {
    const Sizing* const sizing = Find(sizings, encoding);
    if (sizing != nullptr && sizing->bits_per_key <= kMostBitsForSpeed * smallest.bits_per_key) {
      return *sizing;
    }
  }
  const Sizing* const runs = Find(sizings, Encoding::kRuns);
  return runs != nullptr ? *runs : smallest;
}

const Sizing& OfMostHeadroom(std::span<const Sizing> sizings) {
  return *std::ranges::min_element(sizings, {}, [](const Sizing& sizing) {
    return sizing.geometry.num_bytes() +
           PredictedSideTableBytes(sizing.geometry, 2 * sizing.capacity);
  });
}

}  // namespace

Result<Sizing> SizeAutomatically(const SizingRequest& request) {
  if (request.preference == Preference::kParquet) {
    SizingRequest parquet = request;
    parquet.encoding = Encoding::kRuns;
    parquet.num_slices = 8;
    parquet.power_of_two_blocks = true;
    return SizeFor(parquet);
  }
  const bool is_headroom = request.preference == Preference::kHeadroom;
  const Result<std::vector<Sizing>> sizings =
      is_headroom ? SizingsOf(request, kChoicesWithHeadroom) : SizingsOf(request, kChoices);
  if (!sizings.ok()) return sizings.error();
  if (is_headroom) return OfMostHeadroom(*sizings);
  return request.preference == Preference::kSpeed ? OfMostSpeed(*sizings) : OfFewestBytes(*sizings);
}

}  // namespace trommel
