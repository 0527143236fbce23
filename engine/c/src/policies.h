// Digest policies, encodings and executors, from the ABI's structs to the library's.
#ifndef TROMMEL_ENGINE_C_SRC_POLICIES_H_
#define TROMMEL_ENGINE_C_SRC_POLICIES_H_

#include <cstdint>
#include <memory>

#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/sizing.h"

struct trommel_executor {
  std::shared_ptr<trommel::Executor> executor;
};

namespace trommel::c_abi {

// `policy` may be null: the default.
DigestPolicy PolicyOf(const trommel_digest_policy* policy);
// The key at `bytes`, or none.
DigestKey DigestKeyOf(const uint8_t* bytes);

// TROMMEL_ENCODING_DEFAULT is `by_default`.
Encoding EncodingOf(int32_t encoding, Encoding by_default);
int32_t EncodingNumber(Encoding encoding) noexcept;
Preference PreferenceOf(int32_t preference);
inline double RateOf(double target_fpr) noexcept { return target_fpr == 0 ? 0.01 : target_fpr; }

inline std::shared_ptr<Executor> ExecutorOf(const trommel_executor* executor) noexcept {
  return executor == nullptr ? nullptr : executor->executor;
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_POLICIES_H_
