#include "engine/c/src/policies.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "engine/c/src/failures.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"

namespace trommel::c_abi {

DigestKey DigestKeyOf(const uint8_t* bytes) {
  if (bytes == nullptr) return {};
  return DigestKey(std::span<const std::byte, DigestKey::kNumBytes>(
      reinterpret_cast<const std::byte*>(bytes), DigestKey::kNumBytes));
}

DigestPolicy PolicyOf(const trommel_digest_policy* policy) {
  static_assert(DigestKey::kNumBytes == TROMMEL_DIGEST_KEY_BYTES);
  if (policy == nullptr) return {};
  const trommel_digest_policy given = Read(policy, "digest");
  const uint32_t kind = EnumOf(given.kind, TROMMEL_DIGEST_SIPHASH + 1, "digest.kind");
  if (kind == TROMMEL_DIGEST_SIPHASH) {
    if (given.key == nullptr) ThrowInvalid("digest.key is NULL; siphash needs a key of 16 bytes");
    if (given.seed != 0) {
      ThrowInvalid("digest.seed is " + std::to_string(given.seed) + "; with siphash it must be 0");
    }
    return DigestPolicy::Keyed(DigestKeyOf(given.key));
  }
  if (given.key != nullptr) ThrowInvalid("digest.key is given, but only siphash has a key");
  if (kind == TROMMEL_DIGEST_DEFAULT) return {.seed = given.seed};
  return {.kind = static_cast<DigestKind>(kind - TROMMEL_DIGEST_XXH64), .seed = given.seed};
}

Encoding EncodingOf(int32_t encoding, Encoding by_default) {
  const uint32_t number = EnumOf(encoding, TROMMEL_ENCODING_AUTOMATIC + 1, "encoding");
  if (number == TROMMEL_ENCODING_DEFAULT) return by_default;
  if (number == TROMMEL_ENCODING_AUTOMATIC) return Encoding::kAutomatic;
  return static_cast<Encoding>(number - TROMMEL_ENCODING_PLANES);
}

int32_t EncodingNumber(Encoding encoding) noexcept {
  return TROMMEL_ENCODING_PLANES + static_cast<int32_t>(encoding);
}

Preference PreferenceOf(int32_t preference) {
  return static_cast<Preference>(EnumOf(preference, TROMMEL_PREFER_PARQUET + 1, "preference"));
}

}  // namespace trommel::c_abi

using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace): of the functions below

trommel_code trommel_executor_create(int32_t num_threads, trommel_executor** executor,
                                     trommel_error* error) {
  return Guarded(error, [&] {
    trommel_executor*& out = Required(executor, "executor");
    if (num_threads < 0) {
      ThrowInvalid("num_threads is " + std::to_string(num_threads) + "; it must not be negative");
    }
    auto made = std::make_unique<trommel_executor>();
    made->executor = ValueOf(trommel::Executor::Create(static_cast<uint32_t>(num_threads)));
    out = made.release();
  });
}

int32_t trommel_executor_num_threads(const trommel_executor* executor) {
  return executor == nullptr ? 0 : static_cast<int32_t>(executor->executor->num_threads());
}

void trommel_executor_free(trommel_executor* executor) { delete executor; }
