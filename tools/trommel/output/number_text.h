// Numbers as people write them: "10M" keys, "1.5GiB", "0.1 %"; and back.
#ifndef TROMMEL_TOOLS_NUMBER_TEXT_H_
#define TROMMEL_TOOLS_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/result.h"

namespace trommel::tool {

// A whole number: digits, perhaps a fraction, an exponent, and one of k M G T (powers of 1000) or
// Ki Mi Gi Ti (powers of 1024). "1.5M" is 1500000, "1e6" a million. Fails with kInvalidArgument for
// anything else, for what is not whole ("1.2345k") and for what does not fit 64 bits.
Result<uint64_t> ParseCount(std::string_view text);

// The same with an optional B at the end: "64MiB", "2GB", "4096".
Result<uint64_t> ParseBytes(std::string_view text);

// A rate between 0 and 1 (both excluded): "0.01", "1e-3", "1%". Fails with kInvalidArgument for
// anything else.
Result<double> ParseRate(std::string_view text);

std::string FormatCount(uint64_t count);  // "1,234,567"
std::string FormatCount(uint64_t count,
                        std::string_view noun);  // "1 block", "2,000 blocks", "5 hashes"
std::string FormatBytes(uint64_t bytes);         // "999 B", "1.58 MB": powers of 1000, three digits
// "4.80 kB, 19.2 bits per key", or the bytes alone where there are no keys (or rows, by `noun`).
std::string FormatBytesPer(uint64_t bytes, uint64_t count, std::string_view noun);
std::string FormatRate(double rate);  // "0.972 %", "1.00 %", "1.20e-06"
// The same, in the notation that both rates of one line can be compared in.
std::string FormatRate(double rate, double beside);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_NUMBER_TEXT_H_
