# cmake -DBUILD=… -DSOURCE=… -DVERSION=… -DWINDOW=… -DWORK=… -P: installs the build below WORK, starts the program from there with an
# empty environment, and looks for anything that points back to where it was built.
cmake_minimum_required(VERSION 3.22)
set(tree ${WORK}/usr)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -E env DESTDIR=${WORK} ${CMAKE_COMMAND} --install ${BUILD} --prefix /usr
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# expect(output argument…): what the installed program prints; anything but success is an error.
function(expect output)
    execute_process(COMMAND env -i ${tree}/bin/speclens ${ARGN} WORKING_DIRECTORY ${WORK}
                    OUTPUT_VARIABLE words ERROR_VARIABLE problem RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "speclens ${ARGN} ended with ${failed}:\n${words}${problem}")
    endif()
    set(${output} "${words}" PARENT_SCOPE)
endfunction()

expect(version --version)
if(NOT version MATCHES "^SpecLens ${VERSION}\n")
    message(FATAL_ERROR "The version of the project is ${VERSION}, the program says ${version}")
endif()
expect(checked check)
if(NOT checked MATCHES "Everything a run needs is here")
    message(FATAL_ERROR "check says:\n${checked}")
endif()
expect(drafters list drafters)
foreach(name lookup small domino)
    if(NOT drafters MATCHES "(^|\n) *${name} ")
        message(FATAL_ERROR "${name} is not among the drafters:\n${drafters}")
    endif()
endforeach()

set(wanted share/man/man1/speclens.1.gz share/bash-completion/completions/speclens share/doc/speclens/copyright
    share/speclens/models/MANIFEST.json)
if(WINDOW)
    list(APPEND wanted share/applications/speclens.desktop share/mime/packages/speclens.xml share/metainfo/speclens.metainfo.xml
         share/icons/hicolor/16x16/apps/speclens.png share/icons/hicolor/scalable/apps/speclens.svg)
endif()
foreach(file IN LISTS wanted)
    if(NOT EXISTS ${tree}/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
    file(SIZE ${tree}/${file} size)
    if(size EQUAL 0)
        message(FATAL_ERROR "${file} is empty")
    endif()
endforeach()

# A package holds copies, not links.
file(GLOB_RECURSE files LIST_DIRECTORIES true ${WORK}/*)
foreach(file IN LISTS files)
    if(IS_SYMLINK ${file})
        message(FATAL_ERROR "${file} is a link")
    endif()
endforeach()
# Neither folder is named, in programs as little as in texts: whoever has the package has not got them. What is left is the name
# of a source file in the text of an internal error, for whoever reads a report of one.
string(REGEX REPLACE "([][+.*()^$?{}])" "\\\\\\1" folders "${BUILD}/|${SOURCE}/")
execute_process(COMMAND grep -raoE -e "(${folders})[A-Za-z0-9_./-]*" ${WORK} COMMAND grep -vE "[.](cpp|h|inc|cu)$"
                OUTPUT_VARIABLE pointing)
if(pointing)
    message(FATAL_ERROR "These name the folder of the build or of the source:\n${pointing}")
endif()
file(REMOVE_RECURSE ${WORK})
