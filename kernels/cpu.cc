#include "kernels/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstring>
#endif

namespace trommel::kernels {

bool IsDepositFast(std::string_view vendor, uint32_t family) {
  const bool is_amd = vendor == "AuthenticAMD" || vendor == "HygonGenuine";
  constexpr uint32_t kZen3 = 0x19;
  return !is_amd || family >= kZen3;
}

bool HasFastDeposit() {
#if defined(__x86_64__)
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  std::array<char, 12> vendor;
  std::memcpy(vendor.data(), &ebx, 4);
  std::memcpy(vendor.data() + 4, &edx, 4);
  std::memcpy(vendor.data() + 8, &ecx, 4);
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const uint32_t base = eax >> 8 & 0xf;
  const uint32_t family = base == 0xf ? base + (eax >> 20 & 0xff) : base;
  return IsDepositFast(std::string_view(vendor.data(), vendor.size()), family);
#else
  return false;
#endif
}

}  // namespace trommel::kernels
