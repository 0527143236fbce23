// One piece cut into records and keys. Across pieces: key_pipeline_test.cc.
#include "tools/trommel/key_batch.h"

#include <string>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

using Strings = std::vector<std::string>;

void SetText(KeyBatch& batch, std::string_view text) {
  batch.piece.buffer.assign(text.begin(), text.end());
  batch.piece.begin = 0;
  batch.piece.end = text.size();
}

Strings StringKeys(const KeyBatch& batch) {
  REQUIRE(batch.keys().kind() == KeyKind::kViews);
  const auto* keys = static_cast<const std::string_view*>(batch.keys().data());
  return {keys, keys + batch.keys().size()};
}

TEST_CASE("a batch is cut anew for every piece", "[tools][key_batch]") {
  KeyBatch batch;
  KeyOptions options;
  SetText(batch, "a\n\nb");
  batch.Split(options);
  CHECK(StringKeys(batch) == Strings{"a", "b"});
  CHECK(batch.num_lines() == 3);
  CHECK(batch.num_empty() == 1);

  options.format = KeyFormat::kHex;
  SetText(batch, "6162\n63\n");
  batch.Split(options);
  CHECK(StringKeys(batch) == Strings{"ab", "c"});
  CHECK(batch.records()[0] == "6162");
  CHECK(batch.num_empty() == 0);

  options.format = KeyFormat::kU64;
  SetText(batch, "");
  batch.Split(options);
  CHECK(batch.keys().empty());
  CHECK(batch.num_lines() == 0);
}

TEST_CASE("a batch ends before its malformed key", "[tools][key_batch]") {
  KeyBatch batch;
  KeyOptions options;
  options.format = KeyFormat::kU64;
  SetText(batch, "7\n\nseven\n8\n");
  batch.Split(options);
  CHECK(batch.integers().size() == 1);
  CHECK(batch.num_lines() == 3);
  REQUIRE(batch.error());
  CHECK(batch.error()->message == "not a decimal integer: 'seven'");
  SetText(batch, "8\n");
  batch.Split(options);
  CHECK_FALSE(batch.error());
}

TEST_CASE("digests are what the policy makes of the keys", "[tools][key_batch]") {
  KeyBatch batch;
  KeyOptions options;
  SetText(batch, "a\nbc\n");
  batch.Split(options);
  const DigestPolicy policy{DigestKind::kXxh3, 7};
  batch.Hash(policy);
  CHECK(batch.digests == std::vector<uint64_t>{policy("a"), policy("bc")});

  options.format = KeyFormat::kU64;
  SetText(batch, "5\n");
  batch.Split(options);
  batch.Hash(policy);
  CHECK(batch.digests == std::vector<uint64_t>{policy(5)});
  batch.Hash({DigestKind::kCaller, 0});
  CHECK(batch.digests == std::vector<uint64_t>{5});
}

}  // namespace
}  // namespace trommel::tool
