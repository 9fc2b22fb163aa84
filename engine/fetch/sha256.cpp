#include "engine/fetch/sha256.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <openssl/evp.h>

#include "kernels/error.h"

namespace speclens {

struct Sha256::State {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    CHECK(state_->context && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1, "no SHA-256 in OpenSSL");
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "SHA-256 failed"); }

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &length) == 1, "SHA-256 failed");
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
    }
    return text;
}

std::string sha256_of_file(const std::filesystem::path& file, const std::function<void()>& tick) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rbe"), std::fclose);
    Sha256 hash;
    std::string block(std::size_t{1} << 20, '\0');
    std::size_t got = 0;
    while (in && (got = std::fread(block.data(), 1, block.size(), in.get())) > 0) {
        hash.add({block.data(), got});
        if (tick) tick();
    }
    if (!in || std::ferror(in.get()))
        throw Error(file.string() + " cannot be read: " + std::strerror(errno), "Check the permissions of the file.");
    return hash.hex();
}

} // namespace speclens
