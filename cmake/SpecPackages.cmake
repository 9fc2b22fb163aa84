# What `cmake --install` installs, and the packages that `cpack` makes of it (docs/packages.md): a .deb for each distribution
# and, with SPEC_PORTABLE, an archive that runs where it is unpacked, and one file that runs.
#
# The places are fixed, as the program finds its files by its own place: bin/, share/speclens, lib/speclens.
set(to_data share/speclens)
set(to_modules lib/speclens)
set(to_documents share/doc/speclens)
set(extras ${CMAKE_BINARY_DIR}/packaging)

install(TARGETS speclens RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS speclens_library LIBRARY DESTINATION ${to_modules} COMPONENT program)
install(FILES app/c/speclens.h DESTINATION include COMPONENT program)
if(TARGET speclens_cuda)
    install(TARGETS speclens_cuda LIBRARY DESTINATION ${to_modules} COMPONENT cuda)
    install(FILES packaging/cuda.txt DESTINATION share/doc/speclens-cuda RENAME copyright COMPONENT cuda)
endif()
# The recipe trains the models, the traces are for tests, the pictures for the README.
install(DIRECTORY assets/ DESTINATION ${to_data} COMPONENT program
        PATTERN recipe EXCLUDE PATTERN traces EXCLUDE PATTERN pictures EXCLUDE PATTERN __pycache__ EXCLUDE)

# ---- What the program says about itself: a manual page and completion for three shells.
find_program(SPEC_GZIP gzip REQUIRED)
set(page ${extras}/speclens.1.gz)
set(bash_words ${extras}/speclens.bash)
set(zsh_words ${extras}/_speclens)
set(fish_words ${extras}/speclens.fish)
add_custom_command(OUTPUT ${page} ${bash_words} ${zsh_words} ${fish_words}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:speclens> -DGZIP=${SPEC_GZIP} -DFOLDER=${extras}
            -P ${CMAKE_SOURCE_DIR}/packaging/program_texts.cmake
    DEPENDS speclens packaging/program_texts.cmake
    COMMENT "Manual page and completion for bash, zsh and fish" VERBATIM)
set(made ${page} ${bash_words} ${zsh_words} ${fish_words})
install(FILES ${page} DESTINATION share/man/man1 COMPONENT program)
install(FILES ${bash_words} DESTINATION share/bash-completion/completions RENAME speclens COMPONENT program)
set(zsh_folder site-functions)
if(EXISTS /etc/debian_version AND NOT SPEC_PORTABLE)
    set(zsh_folder vendor-completions)
endif()
install(FILES ${zsh_words} DESTINATION share/zsh/${zsh_folder} COMPONENT program)
install(FILES ${fish_words} DESTINATION share/fish/vendor_completions.d COMPONENT program)

# ---- The desktop: a menu entry, links of speclens://, the types of our files, an icon at all sizes.
if(SPEC_APP)
    add_executable(speclens_icon packaging/icon.cpp)
    spec_target(speclens_icon)
    spec_light(speclens_icon)
    target_link_libraries(speclens_icon PRIVATE ui_pictures)
    add_custom_command(OUTPUT ${extras}/icons/scalable/apps/speclens.svg
        COMMAND speclens_icon ${extras}/icons
        DEPENDS speclens_icon
        COMMENT "Icons" VERBATIM)
    list(APPEND made ${extras}/icons/scalable/apps/speclens.svg)
    set(SPEC_HOMEPAGE "" CACHE STRING "Address of a page about the program that a package names (docs/packages.md)")
    set(homepage "")
    if(SPEC_HOMEPAGE)
        set(homepage "<url type=\"homepage\">${SPEC_HOMEPAGE}</url>\n  ")
    endif()
    configure_file(packaging/speclens.metainfo.xml.in ${extras}/speclens.metainfo.xml @ONLY)
    install(DIRECTORY ${extras}/icons/ DESTINATION share/icons/hicolor COMPONENT program)
    install(FILES packaging/speclens.desktop packaging/speclens-link.desktop DESTINATION share/applications COMPONENT program)
    install(FILES packaging/speclens.xml DESTINATION share/mime/packages COMPONENT program)
    install(FILES ${extras}/speclens.metainfo.xml DESTINATION share/metainfo COMPONENT program)
endif()
add_custom_target(speclens_extras ALL DEPENDS ${made})

# ---- Licences: ours, and those of the libraries whose headers are compiled into the program.
include(cmake/SpecLicences.cmake)
install(FILES LICENSE DESTINATION ${to_documents} RENAME copyright COMPONENT program)
install(FILES CHANGELOG.md DESTINATION ${to_documents} COMPONENT program OPTIONAL)
set(compiled_in ${ONIGURUMA_INCLUDE_DIR}/oniguruma.h)
foreach(header nlohmann/json.hpp hwy/highway.h httplib.h toml++/toml.h stb/stb_truetype.h imgui/imgui.h)
    find_file(found ${header} NO_CACHE)
    if(found)
        list(APPEND compiled_in ${found})
    endif()
    unset(found)
endforeach()
foreach(header IN LISTS compiled_in)
    spec_licence(package text ${header})
    if(text)
        install(FILES ${text} DESTINATION ${to_documents}/licences RENAME ${package}.txt COMPONENT program)
    endif()
endforeach()

# ---- The archive that runs where it is unpacked: with the libraries and fonts that not every system has.
if(SPEC_PORTABLE)
    # RPATH, not RUNPATH: it holds for the libraries that the libraries need as well.
    target_link_options(speclens PRIVATE -Wl,--disable-new-dtags)
    set_target_properties(speclens PROPERTIES INSTALL_RPATH "$ORIGIN/../${to_modules}")
    install(PROGRAMS packaging/portable_start.sh DESTINATION . RENAME speclens COMPONENT program)
    install(CODE "set(TO_MODULES ${to_modules})\nset(TO_DATA ${to_data})\nset(TO_DOCUMENTS ${to_documents})\nset(SOURCE \"${CMAKE_SOURCE_DIR}\")"
            COMPONENT program)
    install(SCRIPT packaging/portable_files.cmake COMPONENT program)
endif()

# ---- cpack
set(CPACK_PACKAGE_VENDOR "SpecLens authors")
# Whoever gives packages to others says who answers for them. Without it a package names no address, rather than one that nobody reads.
set(SPEC_MAINTAINER "SpecLens authors" CACHE STRING "Who a .deb names as its maintainer: \"Name <address>\" (docs/packages.md)")
set(CPACK_PACKAGE_CONTACT "${SPEC_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see and step speculative decoding")
string(CONCAT CPACK_PACKAGE_DESCRIPTION
    "SpecLens runs speculative decoding on this machine and shows every step:\n"
    "what a drafter guessed, what the model says to it, which tokens are accepted\n"
    "or rejected, and what the time was spent on. A small model and its draft\n"
    "heads are included; your own models open as safetensors or GGUF.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program)
if(TARGET speclens_cuda)
    list(APPEND CPACK_COMPONENTS_ALL cuda)
endif()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_GENERATOR DEB)
if(SPEC_PORTABLE)
    set(CPACK_GENERATOR TGZ)
    string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
    set(CPACK_PACKAGE_FILE_NAME speclens-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
    set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
    set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/make_run.cmake)
endif()

# One version of the packages of each release, the newer release's above the older's.
set(revision 1)
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release release REGEX "^(ID|VERSION_ID)=")
    if("${release}" MATCHES "(^|;)ID=\"?([a-z]+)" )
        set(distribution ${CMAKE_MATCH_2})
        string(REPLACE debian deb short ${distribution})
        if("${release}" MATCHES "VERSION_ID=\"?([0-9.]+)")
            set(revision 1~${short}${CMAKE_MATCH_1})
        endif()
    endif()
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # so a package fits the release that it was built on
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME speclens)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION education)
# What is opened by name while the program runs is not seen by dpkg-shlibdeps: fonts, drivers, fontconfig for other scripts,
# certificates for https, pip for `speclens get`, which says so where there is none.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "fonts-inter, fonts-jetbrains-mono, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libgl1-mesa-dri, libfontconfig1, ca-certificates")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-pip")  # brings a whole compiler along
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME speclens-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION non-free/education)  # NVIDIA's runtime is linked into it
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "speclens (= ${PROJECT_VERSION}-${revision})")
string(CONCAT CPACK_COMPONENT_CUDA_DESCRIPTION
    "The part of SpecLens that computes on NVIDIA GPUs. It needs NVIDIA's driver\n"
    "and nothing else of CUDA.")
include(CPack)
