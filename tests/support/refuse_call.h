// Makes a system call fail for the rest of a process: what file systems and systems do that this
// machine does not have. For children that a test forks: there is no way back.
#ifndef TROMMEL_TESTS_SUPPORT_REFUSE_CALL_H_
#define TROMMEL_TESTS_SUPPORT_REFUSE_CALL_H_

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace trommel::tests {

// Which calls: those whose argument has these bits under the mask; without a mask all.
struct RefusedCall {
  long number = 0;
  int error = 0;
  uint32_t argument_idx = 0;
  uint32_t mask = 0;
  uint32_t bits = 0;
};

// False where the system does not let a process do that.
inline bool RefuseCall(const RefusedCall& call) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "reads an argument's low half");
  const auto argument = static_cast<uint32_t>(offsetof(struct seccomp_data, args)) +
                        call.argument_idx * static_cast<uint32_t>(sizeof(uint64_t));
  std::array<sock_filter, 7> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call.number), 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, call.mask),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.bits, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(call.error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter = {.len = program.size(), .filter = program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_REFUSE_CALL_H_
