# cmake -DPROGRAM=… -DGZIP=… -DFOLDER=… -P: what the program prints about itself, as files.
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${FOLDER})

function(program_text file)
    execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} ERROR_VARIABLE problem RESULT_VARIABLE failed)
    if(failed)
        file(REMOVE ${FOLDER}/${file})
        list(JOIN ARGN " " words)
        message(FATAL_ERROR "speclens ${words} failed: ${problem}")
    endif()
endfunction()

program_text(speclens.bash completion bash)
program_text(_speclens completion zsh)
program_text(speclens.fish completion fish)
program_text(speclens.1 man)
# -n: no name and no time in it, so that the same program gives the same bytes.
execute_process(COMMAND ${GZIP} -9nf ${FOLDER}/speclens.1 COMMAND_ERROR_IS_FATAL ANY)
