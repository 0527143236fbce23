// Properties of a CPU that Highway's targets do not tell.
#ifndef TROMMEL_KERNELS_CPU_H_
#define TROMMEL_KERNELS_CPU_H_

#include <cstdint>
#include <string_view>

namespace trommel::kernels {

// Is PDEP a fast instruction on such a CPU? AMD's before family 19h (Zen 3) execute it in
// microcode, in up to hundreds of cycles (Agner Fog, "Instruction tables", Zen 1 and 2).
bool IsDepositFast(std::string_view vendor, uint32_t family);

// The same of this CPU. False where there is no such instruction.
bool HasFastDeposit();

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CPU_H_
