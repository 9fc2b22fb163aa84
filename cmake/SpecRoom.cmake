# spec_room(NAME [FOLDER dir] [USES room…] [SOURCES file…] [LIGHT] [LINKS lib…] [WITHOUT name…])
#
# One folder of sources as a target with an include path of its own. Headers are included by their path from the root of
# the repository ("engine/text/tokenizer.h"), but the root is on no product target's path: a room sees its own headers
# and those of the rooms it USES, and what these use in turn. So an include against the arrows does not compile.
#
# The path is a folder of links in the build tree, one for each header. Sources and headers are those of the folder, not
# of its subfolders: a new file is found by itself.
# LINKS are libraries from outside that only the sources see. What a build cannot have is named by WITHOUT: NAME.cpp is left out, and
# where there is a NAME_none.cpp, which says that it is not there, it stands in. Other builds leave those out.
function(spec_room name)
    cmake_parse_arguments(R "LIGHT" "FOLDER" "USES;SOURCES;LINKS;WITHOUT" ${ARGN})
    if(NOT R_FOLDER)
        file(RELATIVE_PATH R_FOLDER ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
    set(from ${CMAKE_SOURCE_DIR}/${R_FOLDER})
    if(NOT R_SOURCES)
        file(GLOB R_SOURCES CONFIGURE_DEPENDS ${from}/*.cpp)
        list(FILTER R_SOURCES EXCLUDE REGEX "_none[.]cpp$")
        foreach(missing IN LISTS R_WITHOUT)
            list(REMOVE_ITEM R_SOURCES ${from}/${missing}.cpp)
            if(EXISTS ${from}/${missing}_none.cpp)
                list(APPEND R_SOURCES ${from}/${missing}_none.cpp)
            endif()
        endforeach()
    endif()
    spec_headers(${name} ${R_FOLDER})

    add_library(${name} STATIC ${R_SOURCES})
    spec_target(${name})
    target_link_libraries(${name} PUBLIC ${name}_headers ${R_USES} PRIVATE ${R_LINKS})
    if(R_LIGHT)
        spec_light(${name})
    endif()
    if(EMSCRIPTEN AND R_FOLDER MATCHES "^(app|scenes|remote)") # four fifths of a page's program, which a reader fetches
        target_compile_options(${name} PRIVATE -Os)
    endif()
    # For the test that looks at the arrows: the folder, and what the compiler gets.
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/rooms/${name}/path.txt
         CONTENT "${R_FOLDER}\n$<JOIN:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,\n>\n")
endfunction()

# spec_headers(NAME dir [pattern…]): NAME_headers puts the headers of the folder on the include path of who links it.
function(spec_headers name folder)
    set(patterns ${ARGN})
    if(NOT patterns)
        set(patterns *.h *.inc)
    endif()
    set(path ${CMAKE_BINARY_DIR}/rooms/${name})
    file(REMOVE_RECURSE ${path})
    file(MAKE_DIRECTORY ${path}/${folder})
    list(TRANSFORM patterns PREPEND ${CMAKE_SOURCE_DIR}/${folder}/)
    file(GLOB headers CONFIGURE_DEPENDS ${patterns})
    foreach(header IN LISTS headers)
        get_filename_component(file ${header} NAME)
        file(CREATE_LINK ${header} ${path}/${folder}/${file} SYMBOLIC)
    endforeach()
    add_library(${name}_headers INTERFACE)
    target_include_directories(${name}_headers INTERFACE ${path})
endfunction()
