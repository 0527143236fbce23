# trommel_find(name): finds one dependency of Dependencies.cmake as an installed CMake package, or,
# only when TROMMEL_FETCH_DEPENDENCIES is on, fetches and builds it. What it cannot find it notes, and
# trommel_stop_if_missing() then names all that is missing, with the Debian packages.
include(FetchContent)

function(trommel_missing name)
  set_property(GLOBAL APPEND PROPERTY TROMMEL_MISSING ${name})
endfunction()

function(trommel_stop_if_missing)
  get_property(names GLOBAL PROPERTY TROMMEL_MISSING)
  if(NOT names)
    return()
  endif()
  set(needed)
  set(packages)
  foreach(name IN LISTS names)
    list(APPEND needed "${name} ${TROMMEL_DEP_${name}_VERSION}")
    list(APPEND packages ${TROMMEL_DEP_${name}_PACKAGE})
  endforeach()
  list(JOIN needed ", " needed)
  list(JOIN packages " " packages)
  message(FATAL_ERROR
    "Trommel needs, in these versions or newer: ${needed}. On Debian: apt-get install ${packages} (or "
    "run tools/setup). Elsewhere: install them and name their prefixes in CMAKE_PREFIX_PATH, or "
    "configure with -DTROMMEL_FETCH_DEPENDENCIES=ON.")
endfunction()

function(trommel_fetch name)
  message(STATUS "Trommel: fetching ${name} ${TROMMEL_DEP_${name}_TAG}")
  # None of these shall build its own tests, examples or tools with ours.
  foreach(option HWY_ENABLE_TESTS HWY_ENABLE_EXAMPLES HWY_ENABLE_CONTRIB TBB_TEST BENCHMARK_ENABLE_TESTING
                 BENCHMARK_ENABLE_GTEST_TESTS JSON_BuildTests CLI11_BUILD_TESTS CLI11_BUILD_EXAMPLES)
    set(${option} OFF CACHE BOOL "Set by Trommel for a fetched dependency")
  endforeach()
  FetchContent_Declare(${name} GIT_REPOSITORY ${TROMMEL_DEP_${name}_REPOSITORY}
    GIT_TAG ${TROMMEL_DEP_${name}_TAG} GIT_SHALLOW ON SYSTEM)
  if(name STREQUAL "xxHash")  # one header is all we need: do not build it
    FetchContent_GetProperties(xxHash)
    if(NOT xxhash_POPULATED)
      FetchContent_Populate(xxHash)
    endif()
    set(TROMMEL_XXHASH_INCLUDE_DIR ${xxhash_SOURCE_DIR} CACHE PATH "Folder of xxhash.h" FORCE)
  else()
    FetchContent_MakeAvailable(${name})
  endif()
endfunction()

# A macro: find_package's variables (Catch2_DIR, hwy_VERSION) are the caller's.
macro(trommel_find name target)
  if(NOT TARGET ${target})
    # No version is passed: a package's own rule may refuse a newer major version that works for us.
    find_package(${name} CONFIG QUIET)
    if(${name}_FOUND AND ${name}_VERSION VERSION_LESS TROMMEL_DEP_${name}_VERSION)
      message(STATUS "Trommel: ${name} ${${name}_VERSION} in ${${name}_DIR} is too old")
      set(${name}_FOUND FALSE)
    endif()
    if(NOT ${name}_FOUND)
      if(NOT TROMMEL_FETCH_DEPENDENCIES)
        trommel_missing(${name})
      else()
        trommel_fetch(${name})
        if(NOT TARGET ${target})
          string(REGEX REPLACE ".*::" "" _trommel_plain ${target})
          add_library(${target} ALIAS ${_trommel_plain})
        endif()
      endif()
    endif()
  endif()
endmacro()

# xxHash is used as one header (XXH_INLINE_ALL). Debian 12 ships no CMake package for it, so the
# header is looked for and asked for its version.
function(trommel_find_xxhash)
  find_path(TROMMEL_XXHASH_INCLUDE_DIR xxhash.h DOC "Folder of xxhash.h")
  if(NOT TROMMEL_XXHASH_INCLUDE_DIR AND TROMMEL_FETCH_DEPENDENCIES)
    trommel_fetch(xxHash)
  endif()
  if(NOT TROMMEL_XXHASH_INCLUDE_DIR)
    trommel_missing(xxHash)
    return()
  endif()
  file(STRINGS ${TROMMEL_XXHASH_INCLUDE_DIR}/xxhash.h lines
    REGEX "# *define +XXH_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
  list(JOIN numbers . version)
  if(version VERSION_LESS TROMMEL_DEP_xxHash_VERSION)
    message(STATUS "Trommel: xxHash ${version} in ${TROMMEL_XXHASH_INCLUDE_DIR} is too old")
    trommel_missing(xxHash)
    return()
  endif()
  if(NOT TARGET trommel_xxhash)
    add_library(trommel_xxhash INTERFACE)
    target_include_directories(trommel_xxhash SYSTEM INTERFACE ${TROMMEL_XXHASH_INCLUDE_DIR})
  endif()
endfunction()

# RocksDB is for the embedded store of the secondary index only: without it, that store and the program
# trommel-index are left out. Debian's CMake package asks for the development packages of everything that
# RocksDB itself was built with, so the header and the library are looked for here.
function(trommel_find_rocksdb)
  find_path(TROMMEL_ROCKSDB_INCLUDE_DIR rocksdb/version.h DOC "Folder of rocksdb/version.h")
  find_library(TROMMEL_ROCKSDB_LIBRARY rocksdb DOC "RocksDB")
  set(found OFF)
  if(TROMMEL_ROCKSDB_INCLUDE_DIR AND TROMMEL_ROCKSDB_LIBRARY)
    file(STRINGS ${TROMMEL_ROCKSDB_INCLUDE_DIR}/rocksdb/version.h lines
      REGEX "#define ROCKSDB_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
    list(JOIN numbers . version)
    if(version VERSION_LESS TROMMEL_DEP_rocksdb_VERSION)
      message(STATUS "Trommel: RocksDB ${version} is too old")
    else()
      set(found ON)
    endif()
  endif()
  if(NOT found)
    message(STATUS "Trommel: no RocksDB ${TROMMEL_DEP_rocksdb_VERSION} or newer: the embedded store of the "
      "secondary index and the program trommel-index are left out (Debian: ${TROMMEL_DEP_rocksdb_PACKAGE})")
  elseif(NOT TARGET trommel_rocksdb)
    add_library(trommel_rocksdb INTERFACE)
    target_include_directories(trommel_rocksdb SYSTEM INTERFACE ${TROMMEL_ROCKSDB_INCLUDE_DIR})
    target_link_libraries(trommel_rocksdb INTERFACE ${TROMMEL_ROCKSDB_LIBRARY})
  endif()
  set(TROMMEL_ROCKSDB ${found} PARENT_SCOPE)
endfunction()
