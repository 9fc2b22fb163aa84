# What is compiled for WebAssembly, started by node and in a browser: ./test --web compiles that first.
if(TARGET speclens AND SPEC_APP)
    spec_test(web_test LABELS web TIMEOUT 1800 SOURCES app/cli/support.cpp web/program_test.cpp web/page_test.cpp web/browser.cpp web/chromium.cpp web/firefox.cpp
        web/child.cpp LIBS app_cli remote PkgConfig::HTTPLIB)
    target_compile_definitions(web_test PRIVATE SPECLENS_PROGRAM="$<TARGET_FILE:speclens>")
    add_dependencies(web_test speclens)
endif()
