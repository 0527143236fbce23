#include "kernels/cpu.h"

#include "hwy/detect_targets.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstring>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace trommel::kernels {

bool IsDepositFast(std::string_view vendor, uint32_t family) {
  const bool is_amd = vendor == "AuthenticAMD" || vendor == "HygonGenuine";
  constexpr uint32_t kZen3 = 0x19;
  return !is_amd || family >= kZen3;
}

namespace {

constexpr int64_t kWithoutVectors = HWY_SCALAR | HWY_EMU128;

template <class Word>
bool HasAll(Word word, Word bits) {
  return (word & bits) == bits;
}

}  // namespace

#if defined(__x86_64__)

namespace {

struct CpuidWords {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
};

// Zeros for a leaf that the CPU does not have.
CpuidWords Cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  CpuidWords words;
  __get_cpuid_count(leaf, subleaf, &words.a, &words.b, &words.c, &words.d);
  return words;
}

// The registers that the system saves: Intel's manual, volume 1, chapter 13.
constexpr uint32_t kSavesYmm = 0x6;
constexpr uint32_t kSavesZmm = 0xe6;
uint32_t SavedRegisters(const CpuidWords& leaf1) {
  if (!HasAll<uint32_t>(leaf1.c, bit_XSAVE | bit_OSXSAVE)) return 0;
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

std::string_view VendorOf(const CpuidWords& leaf0, std::array<char, 12>& text) {
  std::memcpy(text.data(), &leaf0.b, 4);
  std::memcpy(text.data() + 4, &leaf0.d, 4);
  std::memcpy(text.data() + 8, &leaf0.c, 4);
  return {text.data(), text.size()};
}

}  // namespace

// Each target needs what the one before it needs. The lists are those of Highway's targets.cc of
// all versions from 1.0.3 to 1.4; AVX512CD and GFNI, which newer ones add to AVX3 and AVX3_DL, are
// in every CPU that has the rest. Targets that only newer versions have are below their #ifdef;
// AVX10_2, which no CPU has yet, is left to AVX3_SPR.
int64_t CpuTargets() {
  const CpuidWords leaf1 = Cpuid(1);
  const CpuidWords leaf7 = Cpuid(7);
  const uint32_t saved = SavedRegisters(leaf1);
  int64_t targets = kWithoutVectors;
#ifdef HWY_SSE2
  targets |= HWY_SSE2;
#endif
  if (!HasAll<uint32_t>(leaf1.c, bit_SSE3 | bit_SSSE3)) return targets;
  targets |= HWY_SSSE3;
  if (!HasAll<uint32_t>(leaf1.c, bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES)) return targets;
  targets |= HWY_SSE4;
  if (!HasAll<uint32_t>(leaf1.c, bit_AVX | bit_FMA | bit_F16C) ||
      !HasAll<uint32_t>(leaf7.b, bit_AVX2 | bit_BMI | bit_BMI2) ||
      !HasAll<uint32_t>(Cpuid(0x80000001).c, bit_LZCNT) || !HasAll(saved, kSavesYmm)) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (!HasAll<uint32_t>(leaf7.b,
                        bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW | bit_AVX512CD) ||
      !HasAll(saved, kSavesZmm)) {
    return targets;
  }
  targets |= HWY_AVX3;
  if (!HasAll<uint32_t>(leaf7.c, bit_AVX512VNNI | bit_VPCLMULQDQ | bit_AVX512VBMI |
                                     bit_AVX512VBMI2 | bit_VAES | bit_AVX512VPOPCNTDQ |
                                     bit_AVX512BITALG | bit_GFNI)) {
    return targets;
  }
  targets |= HWY_AVX3_DL;
#if defined(HWY_AVX3_ZEN4) && defined(HWY_AVX3_SPR)
  if (!HasAll<uint32_t>(Cpuid(7, 1).a, bit_AVX512BF16)) return targets;
  std::array<char, 12> vendor;
  if (VendorOf(Cpuid(0), vendor) == "AuthenticAMD") targets |= HWY_AVX3_ZEN4;
  if (HasAll<uint32_t>(leaf7.d, bit_AVX512FP16)) targets |= HWY_AVX3_SPR;
#endif
  return targets;
}

bool HasFastDeposit() {
  std::array<char, 12> vendor;
  const uint32_t signature = Cpuid(1).a;
  const uint32_t base = signature >> 8 & 0xf;
  const uint32_t family = base == 0xf ? base + (signature >> 20 & 0xff) : base;
  return IsDepositFast(VendorOf(Cpuid(0), vendor), family);
}

#elif defined(__aarch64__) && defined(__linux__)

namespace {

// Bits of AT_HWCAP2, as Linux numbers them: glibc before 2.33 does not name them all.
constexpr uint64_t kHasSve2 = 1 << 1;
constexpr uint64_t kHasSveAes = 1 << 2;
constexpr uint64_t kHasSveI8mm = 1 << 9;
constexpr uint64_t kHasSveBf16 = 1 << 12;
[[maybe_unused]] constexpr uint64_t kHasBf16 = 1 << 14;

// Bytes of a vector of SVE. The instruction is `cntb x0`, encoded: the assembler of this file need
// not know SVE.
uint64_t SveBytes() {
  register uint64_t num_bytes __asm__("x0");
  __asm__(".inst 0x0420e3e0" : "=r"(num_bytes));
  return num_bytes;
}

}  // namespace

// As Highway's targets.cc. That NEON needs AES is Highway's rule; SVE2_128 needs BF16 and I8MM
// since 1.0.6, and every CPU with SVE2 and such vectors has them.
int64_t CpuTargets() {
  const uint64_t has = getauxval(AT_HWCAP);
  const uint64_t has2 = getauxval(AT_HWCAP2);
  int64_t targets = kWithoutVectors;
#ifdef HWY_NEON_WITHOUT_AES
  targets |= HWY_NEON_WITHOUT_AES;
#endif
  if (HasAll<uint64_t>(has, HWCAP_AES)) {
    targets |= HWY_NEON;
#ifdef HWY_NEON_BF16
    if (HasAll<uint64_t>(has, HWCAP_ASIMDHP | HWCAP_ASIMDDP) && HasAll(has2, kHasBf16)) {
      targets |= HWY_NEON_BF16;
    }
#endif
  }
  if (!HasAll<uint64_t>(has, HWCAP_SVE)) return targets;
  targets |= HWY_SVE;
  const uint64_t sve_bytes = SveBytes();
  if (sve_bytes == 32) targets |= HWY_SVE_256;
  if (!HasAll(has2, kHasSve2 | kHasSveAes)) return targets;
  targets |= HWY_SVE2;
  if (sve_bytes == 16 && HasAll(has2, kHasSveI8mm | kHasSveBf16)) {
    targets |= HWY_SVE2_128;
  }
  return targets;
}

bool HasFastDeposit() { return false; }

#else

int64_t CpuTargets() { return kWithoutVectors; }

bool HasFastDeposit() { return false; }

#endif

}  // namespace trommel::kernels
