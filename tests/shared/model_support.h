// Helpers of the model tests: golden files, copies of them, and errors checked for what they tell the
// user.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "engine/weights/safetensors.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {

namespace fs = std::filesystem;

inline fs::path golden(const std::string& name) { return fs::path(SPEC_SOURCE_DIR) / "tests" / "engine" / "golden" / name; }

inline std::string read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    EXPECT_TRUE(stream) << file;
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
inline void write_file(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary | std::ios::trunc) << text; }

// A copy of a golden model, to be damaged.
class ModelFolder : public TempFolder {
  public:
    explicit ModelFolder(const std::string& golden_folder) { fs::copy(golden(golden_folder), path(), fs::copy_options::recursive); }
    // Replaces text in a file of the folder; it must be there.
    void edit(const std::string& file, const std::string& from, const std::string& to) const {
        std::string text = read_file(*this / file);
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write_file(*this / file, text.replace(at, from.size(), to));
    }
};

// `action` must throw Error whose text contains every word and whose remedy is a sentence.
template <class Action>
void expect_error(const Action& action, const std::vector<std::string>& words) {
    try {
        action();
        ADD_FAILURE() << "no error; expected one with \"" << words.front() << "\"";
    } catch (const Error& error) {
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << "\"" << word << "\" is missing in \"" << error.what() << "\"";
        EXPECT_GT(error.remedy().size(), 15u) << error.what();
        EXPECT_EQ(std::string(error.what()).find(fs::temp_directory_path().string() + "/"), std::string::npos)
            << "a machine path in " << error.what();
    }
}

inline std::vector<float> floats(const Safetensors& file, const std::string& name) {
    const StoredTensor* tensor = file.find(name);
    EXPECT_NE(tensor, nullptr) << name;
    EXPECT_EQ(tensor->dtype, DType::f32);
    std::vector<float> values(tensor->bytes / sizeof(float));
    file.read(*tensor, 0, std::as_writable_bytes(std::span(values)));
    return values;
}
inline std::vector<int> golden_ids(const Safetensors& file) {
    const StoredTensor* tensor = file.find("ids");
    std::vector<int> ids(tensor->bytes / sizeof(int));
    file.read(*tensor, 0, std::as_writable_bytes(std::span(ids)));
    return ids;
}

// |a - b| relative to the size of b as a whole: the largest deviation over the root mean square.
inline double worst_relative(std::span<const float> a, std::span<const float> b) {
    EXPECT_EQ(a.size(), b.size());
    double square = 0, worst = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        square += double(b[i]) * b[i];
        const double gap = std::abs(double(a[i]) - b[i]);
        worst = std::isnan(gap) ? gap : std::max(worst, gap);
        if (std::isnan(gap)) return gap;
    }
    return worst / std::sqrt(square / static_cast<double>(b.size()));
}

// Bits, so that NaN and -0 cannot hide.
inline ::testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " and " << b.size() << " numbers";
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0)
            return ::testing::AssertionFailure() << "number " << i << ": " << a[i] << " and " << b[i];
    for (const float value : a)
        if (!std::isfinite(value)) return ::testing::AssertionFailure() << "both have " << value;
    return ::testing::AssertionSuccess();
}

// A model with its backend; the backend outlives it.
struct Loaded {
    std::unique_ptr<Backend> backend;
    std::shared_ptr<const Model> model;
};
inline Loaded load_golden(const std::string& name, int threads = 2) {
    Loaded loaded{test_backend(threads), nullptr};
    loaded.model = Model::load(*loaded.backend, golden(name));
    return loaded;
}

// The logits of all rows of one pass, one after the other.
inline std::vector<float> all_logits(PassRows& rows) {
    std::vector<float> all;
    for (int i = 0; i < rows.count(); ++i) {
        const std::vector<float> row = rows.logits(i);
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}
inline std::vector<float> download(Backend& backend, const Tensor& tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    backend.download(tensor, values.data());
    return values;
}

} // namespace speclens::test
