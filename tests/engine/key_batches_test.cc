#include "engine/src/keys/key_batches.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

// The digests of all chunks, one after the other; checks where they begin.
std::vector<uint64_t> Joined(const DigestPolicy& policy, Keys keys) {
  std::vector<uint64_t> joined;
  ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    CHECK(first == joined.size());
    CHECK(first % 64 == 0);
    CHECK(!digests.empty());
    joined.insert(joined.end(), digests.begin(), digests.end());
  });
  return joined;
}

constexpr size_t kMax = kernels::kMaxChunkKeys;

TEST_CASE("chunks have the digests of the batch, whatever the kind of key",
          "[engine][key_chunks]") {
  const size_t size = GENERATE(size_t{0}, 1, kMax - 1, kMax, kMax + 1, 3 * kMax + 5);
  const DigestPolicy policy{.kind = DigestKind::kXxh3, .seed = 5};
  std::vector<uint64_t> integers(size);
  std::vector<int32_t> narrow(size);
  std::vector<std::string> strings(size);
  for (size_t i = 0; i < size; ++i) {
    integers[i] = i * i;
    narrow[i] = -static_cast<int32_t>(i);
    strings[i] = std::to_string(i);
  }
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  for (const Keys keys :
       {Keys(integers), Keys::Int32(narrow), Keys(strings), Keys(views), Keys::Digests(integers)}) {
    std::vector<uint64_t> want(size);
    policy.Digests(keys, want);
    CHECK(Joined(policy, keys) == want);
  }
}

TEST_CASE("the digests of a chunk stay what they are when the caller's are written to",
          "[engine][key_chunks]") {
  std::vector<uint64_t> given(2 * kMax + 5, 1);
  ForEachChunk({}, Keys::Digests(given), [&](size_t, std::span<const uint64_t> digests) {
    const std::vector<uint64_t> before(digests.begin(), digests.end());
    for (uint64_t& digest : given) ++digest;
    CHECK(std::ranges::equal(digests, before));
  });
  // Views, which queries get, follow.
  ForEachViewedChunk({}, Keys::Digests(given),
                     [&](size_t first, std::span<const uint64_t> digests) {
                       CHECK(digests.data() == given.data() + first);
                     });
}

}  // namespace
}  // namespace trommel
