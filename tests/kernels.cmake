# What a backend computes: run here on the CPU, in cuda.cmake on an emulated and a real device.
spec_test_objects(operation_tests LIBS kernels
    SOURCES kernels/attention_test.cpp kernels/determinism_test.cpp kernels/gates_test.cpp kernels/matmul_test.cpp kernels/norm_rope_test.cpp
            kernels/paged_test.cpp kernels/rows_test.cpp)
set(kernel_tests kernels/free_memory_test.cpp kernels/amx_test.cpp kernels/backend_test.cpp kernels/compare_test.cpp
    kernels/quant_matmul_test.cpp kernels/quant_test.cpp kernels/precision_test.cpp kernels/thread_pool_test.cpp)
find_package(nlohmann_json REQUIRED) # tests of the kernels see nothing of the engine
spec_test(kernels IN kernels WHEN checked release LABELS fast LIBS kernels nlohmann_json::nlohmann_json
    # Bits of whole products in every width, and what counts many numbers, are Release's: they find no bad address that others do not.
    SOME release "^(Bf16|Int8)Products[.](GiveTheBitsOfTheirChain|MatchTheDouble)|^QuantMatmul[.]GivesTheBitsOfAPlainChain(ForEveryWidthAndDepth|InAPrefill)|ExponentialIsAccurateToAFewUnits|^KeptProducts[.]GiveTheBitsOfTheirChain$|AttentionBehind.*/2400$|NarrowProductsWith"
        slow "^(Bf16|Int8|Kept|Amx)(Products|Kept)[.](GivesTheBits|GiveTheBitsOfTheirChain$|MatchTheDouble)|^QuantMatmul[.]GivesTheBitsOfAPlainChainForEvery|^AmxProcessor[.]"
        both "^Determinism[.]|^Memory[.]ThatWasReleased"
    # Two and five threads find what three and eight do, behind one context what they do behind all.
        not_thread "AttentionBehind.*/(100|2400)$|NarrowProductsWith.*/[138]$"
        # One thread against a plain loop, for many shapes: there is no race to find.
        not_thread "^PagedAttention[.]ATextAlone|^NarrowProducts[.]LetNan|^Attention[.](ARowHasTheSameBitsInEveryPassBehindAnyContext|HandlesALongContext|MatchesTheReferenceForEveryPrefix)"
        not_thread "^QuantMatmul[.]GivesTheBitsOfAPlainChain(ForEveryWidthAndDepth|InAPrefill)"
        not_thread "^(Bf16|Int8|Kept)Products[.](GiveTheBitsOfTheirChain|MatchTheDouble|WidenQuantised)"
        # What the process has: the sanitizer's own memory is many times as much.
        not_thread "^Memory[.]ThatWasReleased"
    SOURCES kernels/allocation_test.cpp ${kernel_tests} $<TARGET_OBJECTS:operation_tests>
    # All but that which counts what is allocated: the sanitizer allocates itself.
    THREADS ${kernel_tests} $<TARGET_OBJECTS:operation_tests>)
# Times of products by type of weight, run by hand: ninja product_bench.
add_executable(product_bench EXCLUDE_FROM_ALL kernels/product_bench.cpp)
spec_test_target(product_bench)
target_link_libraries(product_bench PRIVATE kernels)
