// The least value that an error names.
#ifndef TROMMEL_TESTS_SUPPORT_LEAST_NAMED_H_
#define TROMMEL_TESTS_SUPPORT_LEAST_NAMED_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "support/catch.h"
#include "trommel/result.h"

namespace trommel::tests {

// Of a message with "at least 29,440". Requires kInvalidArgument.
inline uint64_t LeastNamed(const Status& refused) {
  REQUIRE_FALSE(refused.ok());
  REQUIRE(refused.error().code == ErrorCode::kInvalidArgument);
  constexpr std::string_view kBefore = "at least ";
  const std::string& message = refused.error().message;
  const size_t found = message.find(kBefore);
  REQUIRE(found != std::string::npos);
  uint64_t least = 0;
  for (size_t i = found + kBefore.size(); i < message.size(); ++i) {
    if (message[i] == ',' && i + 1 < message.size() && message[i + 1] != ' ') continue;
    if (message[i] < '0' || message[i] > '9') break;
    least = 10 * least + static_cast<uint64_t>(message[i] - '0');
  }
  return least;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_LEAST_NAMED_H_
