# The one list of what Trommel is built from: name, least version, Debian package, what needs it, and
# where FetchContent finds the sources. CMake reads it, and so does tools/setup (which takes the third
# and fourth words of each line below: keep one dependency a line).
#
# Groups: build (compiler and build system), library, tools, tests, bench, check (tools/check and the
# fuzz preset only).

function(trommel_dependency name version package group)
  set(TROMMEL_DEP_${name}_VERSION ${version} PARENT_SCOPE)
  set(TROMMEL_DEP_${name}_PACKAGE ${package} PARENT_SCOPE)
  set(TROMMEL_DEP_${name}_REPOSITORY "${ARGV4}" PARENT_SCOPE)
  set(TROMMEL_DEP_${name}_TAG "${ARGV5}" PARENT_SCOPE)
endfunction()

trommel_dependency(cxx 12 g++ build)
trommel_dependency(cmake 3.25 cmake build)
trommel_dependency(ninja 1.11 ninja-build build)
trommel_dependency(hwy 1.0.3 libhwy-dev library https://github.com/google/highway.git 1.2.0)
trommel_dependency(xxHash 0.8.1 libxxhash-dev library https://github.com/Cyan4973/xxHash.git v0.8.3)
trommel_dependency(TBB 2021.8 libtbb-dev library https://github.com/oneapi-src/oneTBB.git v2021.13.0)
trommel_dependency(CLI11 2.1.2 libcli11-dev tools https://github.com/CLIUtils/CLI11.git v2.4.2)
trommel_dependency(fmt 9.1.0 libfmt-dev tools https://github.com/fmtlib/fmt.git 11.0.2)
trommel_dependency(nlohmann_json 3.11 nlohmann-json3-dev tools https://github.com/nlohmann/json.git v3.11.3)
trommel_dependency(Catch2 2.13.10 catch2 tests https://github.com/catchorg/Catch2.git v3.7.1)
trommel_dependency(pkgconfig 0.29 pkg-config tests)
trommel_dependency(benchmark 1.7.1 libbenchmark-dev bench https://github.com/google/benchmark.git v1.9.0)
trommel_dependency(clang 14 clang check)
trommel_dependency(compiler_rt 14 libclang-rt-dev check)
trommel_dependency(clang_format 14 clang-format check)
trommel_dependency(clang_tidy 14 clang-tidy check)
trommel_dependency(shellcheck 0.9 shellcheck check)
trommel_dependency(patch 2.7 patch check)
trommel_dependency(git 2.30 git check)
