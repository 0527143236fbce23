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
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" AND TROMMEL_SANITIZE MATCHES "address")
      # At a fixed address: the 430,000 relocations of the command are a seventh of its start.
      target_link_options(${target} PRIVATE -no-pie)
    endif()
  endif()
endfunction()

# trommel_library_options(target): of the sources of the library itself. Only what TROMMEL_API marks is
# visible outside a shared library, and nothing outside what an archive is linked into. Each function
# and object has a section of its own: a program that is linked with --gc-sections carries what it uses.
# No symbol is unique in the process (a mark of GCC's): the loader could not unload a plugin with one.
function(trommel_library_options target)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(NOT BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PRIVATE TROMMEL_HIDE_API)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-gnu-unique)
  endif()
endfunction()

# trommel_unity(target size [TOGETHER]): with TROMMEL_UNITY, sources of one folder, or TOGETHER of all
# folders, are compiled together, up to `size` at a time. CLI11, nlohmann/json and Catch2 are then
# instantiated a few times and not in each of some ninety files. The price: names in anonymous
# namespaces must differ within a folder, or within the target. A clash
# stops the compiler, and a file that cannot avoid one may be compiled alone: give it the source
# property SKIP_UNITY_BUILD_INCLUSION. The preset dev compiles each file alone, so that each is known
# to include what it uses.
function(trommel_unity target size)
  if(NOT TROMMEL_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    if("TOGETHER" IN_LIST ARGN)
      set(folder all)
    endif()
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR batch "${count_${folder}} / ${size}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
endfunction()
