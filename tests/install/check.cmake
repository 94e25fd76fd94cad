# Installs the build into a prefix of its own, then configures, builds and runs a project that finds
# it there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

# What a former run left must not hide a file that is no longer installed.
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
# Configures, builds and runs the project in a folder of its own, with more flags if given.
function(use folder)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/${folder}
    -D CMAKE_PREFIX_PATH=${WORK}/prefix
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_CXX_FLAGS=${ARGN}
    -D CMAKE_CXX_FLAGS_DEBUG=${FLAGS}
    -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
  run(${CMAKE_COMMAND} --build ${WORK}/${folder})
  run(${WORK}/${folder}/uses_sinew)
  run(${WORK}/${folder}/uses_one_layer)
  run(${WORK}/${folder}/uses_files ${SOURCE}/../data/arm.urdf)
endfunction()
use(build)

# With other vector instructions than the library Eigen's types must not be laid out otherwise.
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo avx2 REGEX "^flags.* avx2( |$)" LIMIT_COUNT 1)
endif()
if(avx2)
  use(avx2 -mavx2)
else()
  message("this machine has no AVX2: only the library's own flags are tested")
endif()
