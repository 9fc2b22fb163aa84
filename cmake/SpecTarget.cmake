# spec_target(NAME): warnings, sanitizers and float rules for our own targets only.
# Contraction is decided by the kernels (explicit FMA), never by the compiler: the golden hashes depend on it.
function(spec_target name)
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -ffp-contract=off)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # g++ 12 reports impossible overlaps inside std::string concatenation at -O2 (GCC bug 105651).
        # It also takes the dead alternatives of a std::variant that is moved for uninitialised values.
        target_compile_options(${name} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
    endif()
    # With the sanitizers g++ reports uninitialised values inside its own <regex>; the plain build is the strict one.
    if(SPEC_WERROR AND NOT SPEC_SANITIZE)
        target_compile_options(${name} PRIVATE -Werror)
    endif()
    # Headers and the templates of their types are most of the compiler's time: ten sources at once take two thirds of
    # the time of ten alone, ten tests half. A build without SPEC_UNITY compiles one by one and notices a missing #include.
    if(SPEC_UNITY STREQUAL "all")
        set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
    endif()
    if(SPEC_FUZZ)  # libFuzzer is guided by the coverage of the code under test, not of its own entry point
        target_compile_options(${name} PUBLIC -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
        target_link_options(${name} PUBLIC -fsanitize=address,undefined)
    endif()
    if(SPEC_SANITIZE STREQUAL "address")
        # What `null` and `object-size` find, the address sanitizer finds too; they are a tenth of the compiler's time.
        # `alignment` is a quarter of it: spec_aligned() has it where bytes are read as numbers.
        target_compile_options(${name} PUBLIC -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment
                                              -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${name} PUBLIC -fsanitize=address,undefined)
    elseif(SPEC_SANITIZE STREQUAL "thread")
        target_compile_options(${name} PUBLIC -fsanitize=thread -fno-omit-frame-pointer)
        target_link_options(${name} PUBLIC -fsanitize=thread)
    endif()
endfunction()

# spec_aligned(NAME…): targets that read the bytes of a buffer or a file as wider numbers.
function(spec_aligned)
    if(SPEC_SANITIZE STREQUAL "address")
        foreach(name ${ARGN})
            target_compile_options(${name} PRIVATE -fsanitize=alignment)
        endforeach()
    endif()
endfunction()

# spec_light(NAME…): targets that wait for people, files and the network most of the time. The compiler's time is most of
# what they cost: -O1 takes three quarters of that of -O3, and with the sanitizers -O0 half of that of -O1.
function(spec_light)
    set(level -O1)
    if(SPEC_SANITIZE)
        set(level -O0)
    endif()
    foreach(name ${ARGN})
        target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
    endforeach()
endfunction()
