# The documents: links that lead nowhere.
spec_test(documents LABELS fast SOURCES documents_test.cpp)
