# Debian packages by CPack, from what tools/packages/debian/build configures:
#   libtrommel0.1    the shared C++ library; its name follows the soname, the minor version
#   libtrommel-c1    the shared C library; its name follows the version of the ABI
#   libtrommel-dev   headers, CMake package, pkg-config, what both libraries are linked with, documents
#   trommel          the command, its man pages and completions
# Depends on other packages come from dpkg-shlibdeps. CPack 3.25 cannot write Multi-Arch.
set(library libtrommel${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
get_target_property(c_abi trommel_c SOVERSION)
set(c_library libtrommel-c${c_abi})
set(development libtrommel-dev)
set(command trommel)
set(revision 0upstream1)  # Debian's own packages, which begin with 1, replace them
set(version ${PROJECT_VERSION}-${revision})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trommel)
set(CPACK_PACKAGE_VENDOR Trommel)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library c_library development command)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# As long as the project's summary is CPack's own, each package has the one below.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(TROMMEL_DEBIAN_MAINTAINER "The Trommel authors <trommel@packages.invalid>" CACHE STRING
  "Name and address of who makes the packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${TROMMEL_DEBIAN_MAINTAINER})
# All files are as old as the sources, and folders have Debian's permissions: the same sources make the
# same packages.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/staged.cmake)

# trommel_debian(component section shlibdeps depends summary text): one package.
function(trommel_debian component section shlibdeps depends summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${${component}} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ${shlibdeps} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  string(REPEAT "." 50 line)  # CMake counts nothing in expressions: at least 50, and to the next space
  string(REGEX REPLACE "(${line}[^ ]*) " "\\1\n" text "${text}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)

  # What policy wants in each package; of a library also what others depend on, and a run of ldconfig.
  set(folder ${PROJECT_BINARY_DIR}/debian/${${component}})
  file(MAKE_DIRECTORY ${folder})
  if(section STREQUAL libs)
    string(REGEX REPLACE "^(.*[a-z])-?([0-9.]+)$" "\\1 \\2" soname ${${component}})
    string(REPLACE - _ soname ${soname})
    file(WRITE ${folder}/shlibs "${soname} ${${component}} (>= ${PROJECT_VERSION})\n")
    file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${folder}/shlibs ${folder}/triggers PARENT_SCOPE)
  endif()
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${folder}/changelog.Debian "trommel (${version}) unstable; urgency=medium\n\n"
    "  * Packages of Trommel ${PROJECT_VERSION}.\n\n -- ${TROMMEL_DEBIAN_MAINTAINER}  ${date}\n")
  file(COPY_FILE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog)
  execute_process(COMMAND gzip -9nf ${folder}/changelog.Debian ${folder}/changelog
    COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${folder}/changelog.Debian.gz ${folder}/changelog.gz
    ${PROJECT_SOURCE_DIR}/tools/packages/debian/copyright
    DESTINATION share/doc/${${component}} COMPONENT ${component})
endfunction()

set(about "Trommel is a library of counting filters: approximate sets from which keys can be erased, \
queried in batches at the speed of plain Bloom filters.")
trommel_debian(library libs ON "" "counting filters at the speed of plain Bloom filters"
  "${about} This package has the shared library for programs in C++.")
trommel_debian(c_library libs ON "" "counting filters at the speed of plain Bloom filters - C library"
  "${about} This package has the shared library for programs in C and for bindings of other languages. It \
carries the C++ library.")
trommel_debian(development libdevel OFF "${library} (= ${version}), ${c_library} (= ${version})"
  "counting filters at the speed of plain Bloom filters - development files"
  "${about} This package has what programs in C++ and C are built with: headers, a CMake package, files for \
pkg-config, and the documents.")
trommel_debian(command utils ON "" "build and query counting filters in files"
  "${about} This package has the command trommel, which builds, changes and queries filters of lines, finds \
lines that come again, and tells how much memory keys need.")

# What reads compressed input; gzip is on every Debian.
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "bzip2, xz-utils, zstd")

# The package has its copyright file instead, and the changelog compressed.
install(CODE "file(REMOVE
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/LICENSE\")" COMPONENT development)
include(CPack)
