spec_test(remote_test
    LABELS fast threads
    SOME plain_only "^PromptScorer[.]JudgesAsTheTargetHereDoes"  # a long comparison of what others touch too
        slow "^PromptScorer[.]JudgesAs|^Http[.](ABodyThatDrips|AHeaderThatDrips|AStream)"
        not_address "^Pool[.]WithAllTokensListedAnyTemperatureIsExact"  # thousands of requests like those of its neighbours
        not_thread "SurvivesDamage|^BatchedServer[.](TextsShare|AKeysAnswers)|^Pool[.](WithAllTokens|DraftingAheadWrites)"  # files are read with one thread; a soak has many texts and keys at once, and other pools several workers
    SOURCES remote/batched_server_test.cpp remote/bench_test.cpp remote/completion_test.cpp remote/endpoint_test.cpp
        remote/http_test.cpp remote/log_test.cpp remote/metrics_test.cpp remote/page_server_test.cpp remote/passes_test.cpp remote/pool_test.cpp
        remote/request_test.cpp remote/scorer_test.cpp remote/server_cases_test.cpp remote/server_test.cpp remote/shared_models_test.cpp
    LIBS remote engine PkgConfig::HTTPLIB)
