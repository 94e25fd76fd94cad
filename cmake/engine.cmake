# The engine in WebAssembly, which pages carry: the core, the readers of scenes and src/sinew/wasm, compiled by
# Debian's clang-19 beside the native build and packed as text (base64 of gzip).
#
# Sets SINEW_ENGINE_PACKED to the packed file and SINEW_ENGINE_TARGET to what makes it; leaves both empty
# where the compiler or its libraries are missing (cmake/install-deps demo installs them).
set(SINEW_ENGINE_PACKED "")
set(SINEW_ENGINE_TARGET "")

find_program(SINEW_WASM_COMPILER clang++-19)
find_package(Python3 COMPONENTS Interpreter)
find_path(SIMDE_INCLUDE simde/x86/sse2.h)
get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)

set(wasm_folder ${PROJECT_BINARY_DIR}/web)
set(wasm_flags --target=wasm32-wasi -std=c++20 -O2 -DNDEBUG -fno-exceptions -ffp-contract=off -msimd128
  # Eigen is to think that it runs on SSE2 with the registers of x86-64, by which it orders its sums, and that
  # this clang is no old g++ in need of its work-arounds.
  -D__SSE__ -D__SSE2__ -DEIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS=16 -fgnuc-version=0
  # wasi-libc writes HUGE_VAL as a float that is too large.
  -Wno-literal-range
  -isystem${PROJECT_SOURCE_DIR}/src/sinew/wasm/sse
  -I${PROJECT_SOURCE_DIR}/src -isystem${eigen_include})
if(SIMDE_INCLUDE AND NOT SIMDE_INCLUDE STREQUAL "/usr/include")
  list(APPEND wasm_flags -isystem${SIMDE_INCLUDE})
elseif(SIMDE_INCLUDE)
  # The machine's own headers must stay out of sight: only this library is linked in.
  file(MAKE_DIRECTORY ${wasm_folder}/include)
  file(CREATE_LINK ${SIMDE_INCLUDE}/simde ${wasm_folder}/include/simde SYMBOLIC)
  list(APPEND wasm_flags -isystem${wasm_folder}/include)
endif()

# A compiler without its libraries is of no use; a program of one line tells.
function(sinew_can_build_engine result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT SINEW_WASM_COMPILER OR NOT Python3_FOUND OR NOT SIMDE_INCLUDE)
    return()
  endif()
  file(WRITE ${wasm_folder}/probe.cpp "#include <string>\nint main() { return (int)std::string().size(); }\n")
  execute_process(COMMAND ${SINEW_WASM_COMPILER} ${wasm_flags} ${wasm_folder}/probe.cpp -o ${wasm_folder}/probe.wasm
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

sinew_can_build_engine(can_build_engine)
if(NOT can_build_engine)
  message(STATUS "No WebAssembly compiler: pages will play and plot, but have no live mode (cmake/install-deps demo)")
  return()
endif()

# What every file above `base` includes is read once.
set(wasm_header ${wasm_folder}/known.pch)
add_custom_command(OUTPUT ${wasm_header}
  COMMAND ${SINEW_WASM_COMPILER} ${wasm_flags} -fpch-instantiate-templates -MD -MT ${wasm_header} -MF ${wasm_header}.d
    -x c++-header ${PROJECT_SOURCE_DIR}/src/sinew/wasm/known.h -o ${wasm_header}
  DEPFILE ${wasm_header}.d
  COMMENT "WebAssembly: common header" VERBATIM)

file(GLOB_RECURSE wasm_sources RELATIVE ${PROJECT_SOURCE_DIR}/src/sinew CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/sinew/*.cpp)
set(wasm_folders base math geometry ode model figure state recursion field force soft particle dynamics collision measure contact control integrate simulation io/json
  recording wasm)
# A page has no files, and never asks for these.
list(FILTER wasm_sources EXCLUDE REGEX "^geometry/(bounding_hull|bounding_slabs|bounding_sphere|gift_|impact|polyhedron)")
list(REMOVE_ITEM wasm_sources io/json/read_file.cpp io/json/mesh_files.cpp io/json/motion_files.cpp io/json/format.cpp soft/relax.cpp io/json/scene_writer.cpp io/json/variation_reader.cpp figure/chain.cpp dynamics/inverse.cpp
  state/project.cpp simulation/energy_balance.cpp recording/checkpoint.cpp)
# The files of a folder are compiled together: clang, unlike g++, takes no longer for a large file than for its parts.
# Each batch is a file that includes them. Without SINEW_UNITY a batch is a single file.
set(wasm_batch_size 1)
if(SINEW_UNITY)
  set(wasm_batch_size 100)
endif()
set(wasm_objects "")
function(sinew_wasm_batch name)
  set(text "")
  set(files "")
  foreach(source ${ARGN})
    string(APPEND text "#include \"sinew/${source}\"\n")
    list(APPEND files ${PROJECT_SOURCE_DIR}/src/sinew/${source})
  endforeach()
  set(batch ${wasm_folder}/${name}.cpp)
  file(CONFIGURE OUTPUT ${batch} CONTENT "${text}" @ONLY)  # left alone where it is the same
  set(object ${batch}.o)
  set(known -include-pch ${wasm_header})
  if(name MATCHES "^base")
    set(known "")
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${SINEW_WASM_COMPILER} ${wasm_flags} ${known} -MD -MT ${object} -MF ${object}.d -c ${batch} -o ${object}
    DEPENDS ${batch} ${files} ${wasm_header}
    DEPFILE ${object}.d
    COMMENT "WebAssembly: ${name}" VERBATIM)
  set(wasm_objects ${wasm_objects} ${object} PARENT_SCOPE)
endfunction()

foreach(folder ${wasm_folders})
  set(sources ${wasm_sources})
  list(FILTER sources INCLUDE REGEX "^${folder}/")
  string(REPLACE "/" "_" name ${folder})
  set(batch "")
  set(number 0)
  list(LENGTH sources left)
  foreach(source ${sources})
    list(APPEND batch ${source})
    list(LENGTH batch size)
    math(EXPR left "${left} - 1")
    if(size EQUAL wasm_batch_size OR left EQUAL 0)
      sinew_wasm_batch(${name}_${number} ${batch})
      set(batch "")
      math(EXPR number "${number} + 1")
    endif()
  endforeach()
endforeach()

set(SINEW_ENGINE_PACKED ${wasm_folder}/engine.b64)
add_custom_command(OUTPUT ${wasm_folder}/sinew.wasm ${SINEW_ENGINE_PACKED}
  COMMAND ${SINEW_WASM_COMPILER} ${wasm_flags} -mexec-model=reactor -Wl,--strip-all ${wasm_objects}
    -o ${wasm_folder}/sinew.wasm
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/pack_engine.py ${wasm_folder}/sinew.wasm
    ${SINEW_ENGINE_PACKED}
  DEPENDS ${wasm_objects} ${PROJECT_SOURCE_DIR}/cmake/pack_engine.py
  COMMENT "WebAssembly: the engine" VERBATIM)
set(SINEW_ENGINE_TARGET sinew_engine)
add_custom_target(${SINEW_ENGINE_TARGET} DEPENDS ${SINEW_ENGINE_PACKED})
