find_package(nlohmann_json REQUIRED)
spec_test(remote_test
    LABELS fast
    SOURCES remote_bench.cpp remote_completion.cpp remote_endpoint.cpp remote_http.cpp remote_log.cpp remote_metrics.cpp
        remote_request.cpp remote_scorer.cpp remote_server.cpp
    LIBS remote PkgConfig::HTTPLIB nlohmann_json::nlohmann_json)
