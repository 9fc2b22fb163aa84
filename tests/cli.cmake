# The command line: its pure parts, and the program itself, started as a user would start it.
spec_test(app/cli IN cli LABELS fast LIBS app_cli
    SOME slow "^TimeLeft[.]OfPrompts"
    SOURCES app/cli/parse_test.cpp app/cli/parts_test.cpp app/cli/walk_test.cpp app/cli/sweep_text_test.cpp app/cli/heads_test.cpp app/cli/bench_test.cpp app/cli/prompt_set_test.cpp)
spec_test(app/views IN cli LABELS fast LIBS app_cli
    SOME slow "^Lecture[.]AStepIsMeasuredOnce"
    SOURCES app/views/lecture_test.cpp app/views/link_test.cpp app/views/prices_test.cpp app/views/translated_test.cpp)
# All in the build for users; with the sanitizers too what takes moments on a CPU.
string(CONCAT long_programs "^(Advise|Bench|Compare|Cuda|DataLanguages|Lectures|Lossless|Oracle|RaceFile|Same|Sample|Serve|Sweep|Train)[.]|^SavedFile[.]Every(Key|Column)"
    "|^Attach[.](AServerCan|Keeps|Watches)|^Check[.](AModelOf|SaysThatAChat|SaysWhatAHead)|^Describe[.](Measures|RelaxedRules|ShowsAHead)"
    "|^Export[.](KeepsTheTime|WritesAsMany)|^Links[.]LeadTo|^Failures[.](AKey|ASession|NoResult)|^Render[.](SaysThatAPicture|DrawsEveryScene)"
    "|^Run[.]TakesAsMany|^Usage[.]RefusesABeat")
spec_test(app/cli/program IN program WHEN checked release LABELS fast later
    SOME slow "${long_programs}" release "${long_programs}" first "^Render[.]DrawsEveryScene" both "." real "^(GetReal|RealScenes)[.]"
        slow "^Render[.](ChoosesMoments|HasTheNumbers|Shares|WritesA(Film|Lecture))|^ScenesOnModels[.]"
    SOURCES app/cli/support.cpp app/cli/advise_test.cpp app/cli/sweep_test.cpp app/cli/attach_test.cpp app/cli/same_test.cpp app/cli/usage_test.cpp app/cli/run_test.cpp app/cli/files_test.cpp app/cli/failures_test.cpp app/cli/measures_test.cpp
        app/cli/distributions_test.cpp app/cli/lists_test.cpp app/cli/chained_test.cpp app/cli/train_test.cpp app/cli/sample_test.cpp app/cli/frequent_test.cpp app/cli/get_test.cpp app/cli/cuda_test.cpp app/cli/saved_files_test.cpp app/cli/completion_test.cpp app/cli/scenes_on_models_test.cpp
        app/cli/data_languages_test.cpp
        app/cli/settings_table_test.cpp # every setting of a run, in every place where it belongs
    LIBS app_cli remote PkgConfig::OPENSSL DEPENDS speclens speclens_cuda_emulated
    DEFINES SPECLENS_PROGRAM="$<TARGET_FILE:speclens>" SPECLENS_EMULATED_CUDA="$<TARGET_FILE:speclens_cuda_emulated>")
# The library that other programs load, which is built without sanitizers.
if(TARGET speclens_library)
    spec_test(app/c WHEN release LABELS fast later SOURCES app/c/library_test.cpp app/cli/support.cpp
        LIBS app_cli ${CMAKE_DL_LIBS} DEPENDS speclens speclens_library
        DEFINES SPECLENS_PROGRAM="$<TARGET_FILE:speclens>" SPECLENS_LIBRARY="$<TARGET_FILE:speclens_library>"
                SPEC_COMPILER="${CMAKE_CXX_COMPILER}" SPEC_VERSION="${PROJECT_VERSION}")
endif()
