# What is compiled for WebAssembly, started by node and in a browser: ./test --web compiles that first.
if(TARGET speclens AND SPEC_APP)
    spec_test(web WHEN release LABELS web TIMEOUT 1800 SOURCES app/cli/support.cpp web/program_test.cpp web/page_test.cpp web/browser.cpp web/chromium.cpp web/firefox.cpp
        web/child.cpp LIBS app_cli remote PkgConfig::HTTPLIB
        DEFINES SPECLENS_PROGRAM="$<TARGET_FILE:speclens>" DEPENDS speclens)
endif()
