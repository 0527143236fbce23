// What each hash costs a key, and that all give a filter the same rate. See README.md of bench/.
#include "bench/paper/hash_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "hash_bench",
                                    trommel::paper::HashReport);
}
