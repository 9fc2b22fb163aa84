// Of a build without OpenSSL: nothing is hashed, and whoever asks is told.
#include "engine/fetch/sha256.h"
#include "kernels/error.h"

namespace speclens {
namespace {

Error no_hash() {
    return {"this program has no SHA-256, so it neither writes nor reads a corpus", "Use one that was built with SPEC_NETWORK=ON."};
}

} // namespace

struct Sha256::State {};
Sha256::Sha256() { throw no_hash(); }
Sha256::~Sha256() = default;
void Sha256::add(std::string_view) {}
std::string Sha256::hex() { return {}; }
std::string sha256_of_file(const std::filesystem::path&, const std::function<void()>&) { throw no_hash(); }

} // namespace speclens
