// One piece cut into records and keys. Across pieces: key_pipeline_test.cc.
#include "tools/trommel/input/key_batch.h"

#include <array>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/report.h"

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

TEST_CASE("records of any length are cut at their terminators, empty ones skipped or kept",
          "[tools][key_batch]") {
  // Around the sections in which terminators are looked for.
  for (const size_t length : {1, 4094, 4095, 4096, 4097, 8191, 12'289}) {
    INFO("length " << length);
    const std::string lengthy(length, 'x');
    KeyBatch batch;
    KeyOptions options;
    SetText(batch, "\n" + lengthy + "\n\n" + lengthy + "y\n\nz");
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{lengthy, lengthy + "y", "z"});
    CHECK(batch.num_lines() == 6);
    CHECK(batch.num_empty() == 3);

    options.keep_empty = true;
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{"", lengthy, "", lengthy + "y", "", "z"});
    CHECK(batch.num_empty() == 0);

    options.strip_cr = true;
    options.keep_empty = false;
    SetText(batch, "\r\n" + lengthy + "\r\n\ny\r\n" + lengthy);
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{lengthy, "y", lengthy});
    CHECK(batch.num_lines() == 5);
    CHECK(batch.num_empty() == 2);
  }
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
