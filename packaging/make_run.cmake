# By cpack, when the portable archive is made: the one file that runs, beside it.
foreach(archive IN LISTS CPACK_PACKAGE_FILES)
    execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/make_run.sh ${archive} ${CPACK_PACKAGE_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
