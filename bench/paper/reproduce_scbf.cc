// The paper on split counting Bloom filters, table by table. See README.md of bench/.
#include "bench/paper/scbf_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "reproduce_scbf",
                                    trommel::paper::ScbfReport);
}
