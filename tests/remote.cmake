spec_test(remote LABELS fast LIBS remote engine ui_stories PkgConfig::HTTPLIB
    SOME slow "^SameServers[.]|^PromptScorer[.]JudgesAs|^Http[.](ABodyThatDrips|AHeaderThatDrips|AStream)|^BatchedServer[.]ASoak"
        not_thread "SurvivesDamage|^PromptScorer[.]JudgesAsTheTargetHereDoes|^BatchedServer[.](TextsShare|AKeysAnswers)"  # files are read with one thread; a soak has many texts and keys at once
    SOURCES remote/batched_server_test.cpp remote/bench_test.cpp remote/completion_test.cpp remote/endpoint_test.cpp
        remote/http_test.cpp remote/keep_rule_test.cpp remote/log_test.cpp remote/metrics_test.cpp remote/page_server_test.cpp remote/passes_test.cpp
        remote/request_test.cpp remote/same_test.cpp remote/scorer_test.cpp remote/server_cases_test.cpp remote/server_test.cpp remote/shared_models_test.cpp
        remote/token_told_test.cpp remote/trackers_test.cpp
    THREADS remote/batched_server_test.cpp remote/endpoint_test.cpp remote/http_test.cpp remote/metrics_test.cpp remote/page_server_test.cpp
        remote/scorer_test.cpp remote/server_test.cpp remote/shared_models_test.cpp)
spec_test(remote/pool IN long WHEN checked release LABELS slow LIBS remote engine PkgConfig::HTTPLIB
    SOME release "^Pool[.](WithAllTokens|DraftingAheadWrites)"
        not_thread "^Pool[.](WithAllTokens|DraftingAheadWrites)" # other pools have several workers too
    SOURCES remote/pool_test.cpp THREADS remote/pool_test.cpp)
