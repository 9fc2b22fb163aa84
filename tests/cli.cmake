# The command line: its pure parts, and the program itself, started as a user would start it.
spec_test(cli_parts_test LABELS fast SOURCES app/cli/parse_test.cpp app/cli/parts_test.cpp app/cli/walk_test.cpp app/cli/sweep_text_test.cpp app/cli/heads_test.cpp app/cli/bench_test.cpp app/views/lecture_test.cpp app/views/link_test.cpp app/views/prices_test.cpp app/views/translated_test.cpp LIBS app_cli
    SOME slow "^Lecture[.]AStepIsMeasuredOnce")
spec_test(cli_program_test LABELS fast
    # What measures or compares for long touches what others touch that do not.
    SOME plain_only "^Bench[.]|^Cuda[.]IsMeasuredByOneCommand|EveryKeyOfABench"
        slow "^(Advise|Bench|Compare|Cuda|Lectures|Lossless|Oracle|RaceFile|Serve|Sweep|Train)[.]|^SavedFile[.]Every(Key|Column)"
        slow "^Attach[.](AServerCan|Keeps|Watches)|^Check[.](AModelOf|SaysThatAChat|SaysWhatAHead)"
        slow "^Describe[.](Measures|RelaxedRules|ShowsAHead)|^Export[.](KeepsTheTime|WritesAsMany)|^Links[.]LeadTo"
        slow "^Failures[.](AKey|ASession|NoResult)|^Render[.]SaysThatAPicture|^Run[.]TakesAsMany|^Usage[.]RefusesABeat"
        real "^GetReal[.]"
        # Whole runs on the emulated device, whose kernels have tests of their own that the sanitizer runs.
        not_address "^Cuda[.](WritesTheText|IsWhatAutoChooses|IsCheckedWithHeads|MultipliesInF32)"
        plain_only "^Lossless[.](PassesOnTheBuiltInTable|SaysWhenThereAreTooFewKinds|TellsWhatWasTested)"
    SOURCES app/cli/support.cpp app/cli/advise_test.cpp app/cli/sweep_test.cpp app/cli/attach_test.cpp app/cli/usage_test.cpp app/cli/run_test.cpp app/cli/files_test.cpp app/cli/failures_test.cpp app/cli/measures_test.cpp
        app/cli/distributions_test.cpp app/cli/lists_test.cpp app/cli/train_test.cpp app/cli/get_test.cpp app/cli/cuda_test.cpp app/cli/saved_files_test.cpp app/cli/completion_test.cpp
    LIBS app_cli remote)
# Every setting of a run, in every place where it belongs.
spec_test(settings_test LABELS fast SOURCES app/cli/support.cpp app/cli/settings_table_test.cpp LIBS app_cli)
target_compile_definitions(settings_test PRIVATE SPECLENS_PROGRAM="$<TARGET_FILE:speclens>")
add_dependencies(settings_test speclens)
target_compile_definitions(cli_program_test PRIVATE SPECLENS_PROGRAM="$<TARGET_FILE:speclens>")
target_compile_definitions(cli_program_test PRIVATE SPECLENS_EMULATED_CUDA="$<TARGET_FILE:speclens_cuda_emulated>")
add_dependencies(cli_program_test speclens speclens_cuda_emulated)
