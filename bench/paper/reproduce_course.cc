// The course text on HBase's Bloom filters, figure by figure. See README.md of bench/.
#include "bench/paper/course_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "reproduce_course",
                                    trommel::paper::CourseReport);
}
