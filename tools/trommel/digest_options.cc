// How keys of a new filter become digests.
#include "tools/trommel/digest_options.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "tools/trommel/key_file.h"
#include "tools/trommel/key_format.h"

namespace trommel::tool {

void AddDigest(CLI::App& command, FilterOptions& options) {
  command
      .add_option_function<std::string>(
          "--digest",
          [&options](const std::string& name) {
            options.digest.kind = name == "siphash" ? DigestKind::kSipHash
                                  : name == "xxh3"  ? DigestKind::kXxh3
                                                    : DigestKind::kXxh64;
          },
          "Hash of the keys: xxh64 (default), xxh3, or siphash for keys that strangers choose: "
          "with a secret key of its own (--key-file), so that none can be chosen to be taken for "
          "another or to crowd the filter, which a seed does not prevent")
      ->type_name("NAME")
      ->check(CLI::IsMember({"xxh64", "xxh3", "siphash"}));
  command
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            const Result<uint64_t> seed = ParseU64(text);
            if (!seed.ok()) {
              throw CLI::ValidationError(
                  "--seed",
                  fmt::format("{} is not a whole number from 0 to {}", Quoted(text), UINT64_MAX));
            }
            options.digest.seed = *seed;
          },
          "Seed of xxh64 or xxh3 (default 0); does not protect against chosen keys")
      ->type_name("UINT");
  AddKeyFileOption(
      command, options.key_file,
      "The file with the key of --digest siphash, exactly 16 random bytes, which every "
      "command that hashes will ask for: head -c 16 /dev/urandom > FILE");
}

void FinishDigest(const CLI::App& command, const FilterOptions& options) {
  const bool is_keyed = options.digest.kind == DigestKind::kSipHash;
  if (is_keyed && options.key_file.empty()) {
    throw CLI::ValidationError("--digest",
                               "siphash needs --key-file, a file of 16 random bytes: make one with "
                               "head -c 16 /dev/urandom > FILE");
  }
  if (is_keyed && command.count("--seed") > 0) {
    throw CLI::ValidationError("--seed", "siphash has a key instead of a seed: leave it out");
  }
  if (!is_keyed && !options.key_file.empty()) {
    throw CLI::ValidationError("--key-file", fmt::format("is for --digest siphash, not {}",
                                                         DigestKindName(options.digest.kind)));
  }
}

Status ReadDigestKey(FilterOptions& options) {
  if (options.key_file.empty()) return Ok();
  const Result<DigestKey> key = ReadKeyFile(options.key_file);
  if (!key.ok()) return key.error();
  options.digest = DigestPolicy::Keyed(*key);
  return Ok();
}

}  // namespace trommel::tool
