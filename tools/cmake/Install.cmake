# What `cmake --install` puts in place: the library, its headers, its documents, the CMake package and
# trommel.pc, all relocatable; and what was built of the C ABI (with trommel_c.pc), the secondary index
# and the commands. The C ABI and the parts of the index are components of the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What packages divide it by: library and c_library are what programs run with, command is the command,
# and development all else.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

install(TARGETS trommel EXPORT trommel
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(TROMMEL_C_PARTS)
foreach(part c c_static)
  if(TARGET trommel_${part})
    install(TARGETS trommel_${part} EXPORT trommel_${part}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c_library NAMELINK_COMPONENT development
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT c_library
      FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    list(APPEND TROMMEL_C_PARTS ${part})
  endif()
endforeach()
set(TROMMEL_INDEX_PARTS)
foreach(part index index_cluster)
  if(TARGET trommel_${part})
    install(TARGETS trommel_${part} EXPORT trommel_${part}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    list(APPEND TROMMEL_INDEX_PARTS ${part})
  endif()
endforeach()
if(TROMMEL_BUILD_TOOLS)
  install(TARGETS trommel-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  if(TARGET trommel-index-cli)
    install(TARGETS trommel-index-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  endif()
endif()

# The documents that public headers point to, in the same folders as here: they link each other.
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md)
install(FILES ${documents} ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}/engine
  PATTERN __pycache__ EXCLUDE PATTERN site EXCLUDE)

# A static library leaves oneTBB to the program that links it; a shared one has settled that itself.
get_target_property(trommel_type trommel TYPE)
string(COMPARE EQUAL ${trommel_type} STATIC_LIBRARY TROMMEL_IS_STATIC)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trommel)
install(EXPORT trommel NAMESPACE trommel:: FILE trommelTargets.cmake DESTINATION ${package_dir})
foreach(part IN LISTS TROMMEL_C_PARTS TROMMEL_INDEX_PARTS)
  install(EXPORT trommel_${part} NAMESPACE trommel:: FILE trommel_${part}Targets.cmake
    DESTINATION ${package_dir})
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/trommelConfig.cmake.in
  ${PROJECT_BINARY_DIR}/trommelConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trommelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trommelConfig.cmake
  ${PROJECT_BINARY_DIR}/trommelConfigVersion.cmake DESTINATION ${package_dir})

# oneTBB is named by -l and not by Requires: trommel.pc names what was linked.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH TROMMEL_PC_PREFIX /prefix/${pkgconfig_dir} /prefix)
set(private_libs)
if(TROMMEL_EXECUTOR)
  get_target_property(is_imported TBB::tbb IMPORTED)
  if(is_imported)
    string(APPEND private_libs " -L$<TARGET_LINKER_FILE_DIR:TBB::tbb>")
  endif()
  string(APPEND private_libs " -ltbb")
endif()
set(TROMMEL_PC_LIBS "-L\${libdir} -ltrommel")
set(TROMMEL_PC_LIBS_PRIVATE)
if(TROMMEL_IS_STATIC)
  string(APPEND TROMMEL_PC_LIBS "${private_libs}")
else()
  set(TROMMEL_PC_LIBS_PRIVATE "${private_libs}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/trommel.pc.in
  ${PROJECT_BINARY_DIR}/trommel.pc.genex @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/trommel.pc INPUT ${PROJECT_BINARY_DIR}/trommel.pc.genex)
install(FILES ${PROJECT_BINARY_DIR}/trommel.pc DESTINATION ${pkgconfig_dir})
if(TROMMEL_C_PARTS)
  list(TRANSFORM TROMMEL_C_RUNTIME PREPEND -l OUTPUT_VARIABLE TROMMEL_C_PC_LIBS_PRIVATE)
  list(JOIN TROMMEL_C_PC_LIBS_PRIVATE " " TROMMEL_C_PC_LIBS_PRIVATE)
  if(TROMMEL_C_EXECUTOR)
    string(PREPEND TROMMEL_C_PC_LIBS_PRIVATE "${private_libs} ")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/trommel_c.pc.in
    ${PROJECT_BINARY_DIR}/trommel_c.pc.genex @ONLY)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/trommel_c.pc INPUT ${PROJECT_BINARY_DIR}/trommel_c.pc.genex)
  install(FILES ${PROJECT_BINARY_DIR}/trommel_c.pc DESTINATION ${pkgconfig_dir})
endif()
