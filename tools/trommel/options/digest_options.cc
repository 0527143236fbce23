// How keys become digests.
#include "tools/trommel/options/digest_options.h"

#include <fmt/core.h>

#include <cstdint>

#include "tools/trommel/filters/key_file.h"
#include "tools/trommel/options/value_options.h"

namespace trommel::tool {
namespace {

void AddKeyFileOption(Command& command, std::string& key_file, const std::string& help) {
  command.Parsed("--key-file", "FILE", help, [&key_file](const std::string& path) -> Status {
    if (path.empty()) return Error{ErrorCode::kInvalidArgument, "must name a file; got ''"};
    key_file = path;
    return Ok();
  });
}

// The presence bits are Parquet's only where the digests are.
void FinishParquetDigest(const Command& command, DigestPolicy& digest) {
  if (!command.IsGiven("--digest")) digest.kind = DigestKind::kXxh64;
  if (digest != DigestPolicy{.kind = DigestKind::kXxh64}) {
    throw UsageError{
        "--prefer",
        fmt::format("parquet needs Parquet's digests, --digest xxh64 with --seed 0; "
                    "got {}{}",
                    DigestKindName(digest.kind), digest.seed == 0 ? "" : " with another seed")};
  }
}

}  // namespace

void AddDigest(Command& command, FilterOptions& options) {
  command
      .Parsed("--digest", "NAME",
              "Hash of the keys: xxh3 (default), xxh64 (Parquet's; the default with --prefer "
              "parquet), or siphash for keys that an adversary may choose: it has a secret key "
              "(--key-file), without which no keys can be found that collide with others or crowd "
              "the filter; a seed does not prevent that",
              [&options](const std::string& name) {
                options.digest.kind = name == "siphash" ? DigestKind::kSipHash
                                      : name == "xxh64" ? DigestKind::kXxh64
                                                        : DigestKind::kXxh3;
                return Ok();
              })
      .OneOf({"xxh3", "xxh64", "siphash"});
  AddNumber(command, "--seed", 0, UINT64_MAX, "UINT",
            "Seed of xxh3 or xxh64 (default 0); does not protect against chosen keys",
            [&options](uint64_t seed) { options.digest.seed = seed; });
  AddKeyFileOption(command, options.key_file,
                   "The file with the key of --digest siphash, exactly 16 random bytes, which "
                   "every command that "
                   "hashes keys for this filter needs: head -c 16 /dev/urandom > FILE");
}

void FinishDigest(const Command& command, FilterOptions& options) {
  if (options.preference == Preference::kParquet) FinishParquetDigest(command, options.digest);
  const bool is_keyed = options.digest.kind == DigestKind::kSipHash;
  if (is_keyed && options.key_file.empty()) {
    throw UsageError{"--digest",
                     "siphash needs --key-file, a file of 16 random bytes: make one with "
                     "head -c 16 /dev/urandom > FILE"};
  }
  if (is_keyed && command.IsGiven("--seed")) {
    throw UsageError{"--seed", "siphash has a key instead of a seed: leave it out"};
  }
  if (!is_keyed && !options.key_file.empty()) {
    throw UsageError{"--key-file", fmt::format("is for --digest siphash, not {}",
                                               DigestKindName(options.digest.kind))};
  }
}

Status ReadDigestKey(FilterOptions& options) {
  if (options.key_file.empty()) return Ok();
  const Result<DigestKey> key = ReadKeyFile(options.key_file);
  if (!key.ok()) return key.error();
  options.digest = DigestPolicy::Keyed(*key);
  return Ok();
}

void AddKeyFile(Command& command, std::string& key_file) {
  AddKeyFileOption(command, key_file,
                   "The file with the key of a --digest siphash filter, exactly 16 bytes");
}

}  // namespace trommel::tool
