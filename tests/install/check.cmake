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
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build
  -D CMAKE_PREFIX_PATH=${WORK}/prefix
  -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
  -D CMAKE_CXX_COMPILER=${COMPILER}
  -D CMAKE_CXX_FLAGS_DEBUG=${FLAGS}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/uses_sinew)
run(${WORK}/build/uses_one_layer)
