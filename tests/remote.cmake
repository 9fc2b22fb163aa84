find_package(nlohmann_json REQUIRED)
spec_test(remote_test
    LABELS fast
    SOURCES remote/bench_test.cpp remote/completion_test.cpp remote/endpoint_test.cpp remote/http_test.cpp remote/log_test.cpp remote/metrics_test.cpp
        remote/request_test.cpp remote/scorer_test.cpp remote/server_test.cpp remote/shared_models_test.cpp
    LIBS remote engine PkgConfig::HTTPLIB nlohmann_json::nlohmann_json)
