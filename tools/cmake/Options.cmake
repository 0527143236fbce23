# trommel_options(target): how our own sources are compiled. Everything here is PRIVATE to our targets:
# a consumer gets an include folder and C++20, nothing else.
function(trommel_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND (PROJECT_IS_TOP_LEVEL OR TROMMEL_WERROR))
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of overlapping copies inside std::string's operator+ (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(TROMMEL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TROMMEL_SANITIZE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC's documentation: the sanitizers' code makes this warning cry wolf.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    # The first finding ends the program, so that no test passes over it.
    target_compile_options(${target} PRIVATE -fsanitize=${TROMMEL_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${TROMMEL_SANITIZE})
  endif()
  if(TROMMEL_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
