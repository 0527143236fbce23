// The paper on cut Bloom filter matrices, table by table and figure by figure. See README.md of
// bench/.
#include "bench/paper/cbfm_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "reproduce_cbfm",
                                    trommel::paper::CbfmReport, stdout, stderr, true);
}
