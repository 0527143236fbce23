// The only include of Catch2: v2 (Debian 12) or v3, with v3's names in both. Write Catch::Approx,
// Catch::rngSeed() and Catch::Matchers::ContainsSubstring, and never include Catch2 directly.
#ifndef TROMMEL_TESTS_SUPPORT_CATCH_H_
#define TROMMEL_TESTS_SUPPORT_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

#else

#include <catch2/catch.hpp>
#include <string>

namespace Catch {

using Detail::Approx;

namespace Matchers {

inline auto ContainsSubstring(const std::string& part) { return Contains(part); }

}  // namespace Matchers
}  // namespace Catch

#endif

#endif  // TROMMEL_TESTS_SUPPORT_CATCH_H_
