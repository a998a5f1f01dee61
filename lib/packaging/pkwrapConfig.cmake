# find_package(pkwrap): the target pkwrap::pkwrap and the function pkwrap_add_module.
get_filename_component(pkwrap_FOLDER "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
find_program(PKWRAP_EXECUTABLE pkwrap HINTS "${pkwrap_FOLDER}/../../../../bin" DOC "the tool pkwrap")

# Generated modules are linked to nothing: they import the package pkwrap.
if(NOT TARGET pkwrap::pkwrap)
  add_library(pkwrap::pkwrap INTERFACE IMPORTED)
  set_target_properties(pkwrap::pkwrap PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${pkwrap_FOLDER}/include" INTERFACE_COMPILE_DEFINITIONS PKW_API_BY_IMPORT)
endif()

# pkwrap_add_module(NAME MANIFEST FILE [SOURCES FILE...])
#
# Adds the target NAME, a Python module: the wrapper that is generated from the manifest, together with the given sources. NAME is
# the manifest's "module". It is generated again when the manifest or a header that it reads changes. Python has been found
# before: find_package(Python COMPONENTS Interpreter Development.Module).
function(pkwrap_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "MANIFEST" "SOURCES")
  if(NOT module_MANIFEST OR module_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pkwrap_add_module(NAME MANIFEST FILE [SOURCES FILE...]): wrong arguments")
  endif()
  if(NOT PKWRAP_EXECUTABLE)
    message(FATAL_ERROR "the tool pkwrap is not found; install the package pkwrap or set PKWRAP_EXECUTABLE")
  endif()
  get_filename_component(manifest "${module_MANIFEST}" ABSOLUTE)
  get_filename_component(manifest_folder "${manifest}" DIRECTORY)
  set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${name}_wrap.c")
  add_custom_command(OUTPUT "${wrapper}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.pyi"
    COMMAND "${PKWRAP_EXECUTABLE}" generate "${manifest}" -o "${CMAKE_CURRENT_BINARY_DIR}" --depfile "${wrapper}.d" --python "${Python_EXECUTABLE}"
    DEPENDS "${manifest}" "${PKWRAP_EXECUTABLE}" DEPFILE "${wrapper}.d"
    COMMENT "Wrapping ${module_MANIFEST}" VERBATIM)
  Python_add_library(${name} MODULE WITH_SOABI "${wrapper}" ${module_SOURCES})
  target_include_directories(${name} PRIVATE "${manifest_folder}")
  target_link_libraries(${name} PRIVATE pkwrap::pkwrap)
endfunction()
