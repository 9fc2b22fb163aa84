# Run while the portable archive is installed: the libraries that the program needs and not every system has, fonts, and the
# licences of all of them. Sees TO_MODULES, TO_DATA, TO_DOCUMENTS and SOURCE.
cmake_minimum_required(VERSION 3.22)
include(${SOURCE}/cmake/SpecLicences.cmake)
set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})

# What belongs to the system: the C and C++ libraries, and zlib.
set(of_system "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc.*|libz)[.]so.*")
# What belongs to its desktop and to its graphics drivers: kept apart, for systems that have neither.
set(of_desktop "^(libGL|libGLX|libGLdispatch|libOpenGL|libEGL|libX.*|libxcb.*|libbsd|libmd)[.]so.*")

# spec_take(file folder): a copy under the name that programs ask for, and its licence.
function(spec_take file folder)
    get_filename_component(name ${file} NAME)
    file(REAL_PATH ${file} real)
    file(MAKE_DIRECTORY ${root}/${folder})
    file(COPY_FILE ${real} ${root}/${folder}/${name})
    spec_licence(package text ${file})
    if(NOT text)
        message(FATAL_ERROR "The licence of ${file} is not known, so it cannot be given on. Build this archive on Debian, with its packages.")
    endif()
    file(MAKE_DIRECTORY ${root}/${TO_DOCUMENTS}/licences)
    file(COPY_FILE ${text} ${root}/${TO_DOCUMENTS}/licences/${package}.txt)
    message(STATUS "Taking along: ${folder}/${name} (${package})")
endfunction()

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${root}/bin/speclens
     RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES ${of_system})
if(missing)
    message(FATAL_ERROR "These libraries were not found: ${missing}")
endif()
foreach(file IN LISTS libraries)
    get_filename_component(name ${file} NAME)
    if(name MATCHES "${of_desktop}")
        spec_take(${file} ${TO_MODULES}/without-desktop)
    else()
        spec_take(${file} ${TO_MODULES})
    endif()
endforeach()

# Those that ui/fonts.cpp asks for.
foreach(font opentype/inter/Inter-Regular.otf opentype/inter/Inter-SemiBold.otf truetype/jetbrains-mono/JetBrainsMono-Regular.ttf
        truetype/jetbrains-mono/JetBrainsMono-Medium.ttf truetype/dejavu/DejaVuSans.ttf truetype/dejavu/DejaVuSans-Bold.ttf
        truetype/dejavu/DejaVuSansMono.ttf)
    spec_take(/usr/share/fonts/${font} ${TO_DATA}/fonts)
endforeach()

# Debian's texts of licences lead to one copy of the common ones, which other systems do not have.
set(licences ${root}/${TO_DOCUMENTS}/licences)
file(GLOB texts ${licences}/*.txt)
foreach(text IN LISTS texts)
    file(READ ${text} words)
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z]+(-[0-9]+([.][0-9]+)?)?" common "${words}")
    foreach(file IN LISTS common)
        file(REAL_PATH ${file} real)
        get_filename_component(name ${file} NAME)
        file(MAKE_DIRECTORY ${licences}/common)
        file(COPY_FILE ${real} ${licences}/common/${name} ONLY_IF_DIFFERENT)
    endforeach()
endforeach()
