#include "engine/drafters/ngram_trie.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <type_traits>

#include "engine/base/json_read.h"
#include "engine/model/model_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kNodeBytes = 24, kLinkBytes = 12, kHeaderBytes = 16; // in the file
constexpr std::uint64_t kLongestOrder = 16;

// The file front to back; a short one is an Error.
class Reader {
  public:
    Reader(const std::filesystem::path& file, std::string name) : name_(std::move(name)), in_(file, std::ios::binary) {
        std::error_code failure;
        size_ = std::filesystem::file_size(file, failure);
        if (!in_ || failure)
            throw Error(name_ + ": cannot be opened (" + (failure ? failure.message() : std::strerror(errno)) + ")",
                        "A DART head has its n-grams beside its weights, as a file that ends in .trie.");
    }
    template <class T>
    [[nodiscard]] T next() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        in_.read(reinterpret_cast<char*>(&value), sizeof value);
        if (!in_) damaged("ends after " + std::to_string(at_) + " bytes, in the middle of a node");
        at_ += sizeof value;
        return value;
    }
    [[noreturn]] void damaged(const std::string& what) const {
        throw Error(name_ + ": " + what, "The file is damaged or no n-gram trie: download it again.");
    }
    [[nodiscard]] std::size_t left() const { return size_ - std::min(size_, at_); }
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    std::string name_;
    std::ifstream in_;
    std::size_t at_ = 0, size_ = 0;
};

} // namespace

NgramTrie NgramTrie::read(const std::filesystem::path& file, const Progress& progress) {
    Reader in(file, short_name(file));
    NgramTrie trie;
    const auto order = in.next<std::uint64_t>(), count = in.next<std::uint64_t>();
    if (order < 2 || order > kLongestOrder) in.damaged("says that it counts sequences of " + std::to_string(order) + " tokens");
    // every node is in the file, and every node but the root hangs from one link
    if (count == 0 || count > std::numeric_limits<std::uint32_t>::max() || in.left() != count * kNodeBytes + (count - 1) * kLinkBytes)
        in.damaged("has " + std::to_string(in.size()) + " bytes, which is no room for just the " + std::to_string(count) +
                   " nodes that it says it has");
    trie.order_ = static_cast<int>(order);
    try {
        trie.nodes_.reserve(count);
        trie.links_.reserve(count - 1);
    } catch (const std::bad_alloc&) {
        throw Error(short_name(file) + ": its " + std::to_string(count) + " nodes do not fit into memory",
                    "Use the smaller trie of the two that were released, small.trie.");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % (1u << 16) == 0) {
            check_cancelled(progress);
            report_megabytes(progress, "n-grams", in.at(), in.size());
        }
        (void)in.next<std::int32_t>();  // its token, which the link to it has as well
        (void)in.next<std::uint64_t>(); // its parent
        Node node;
        node.count = in.next<std::int32_t>();
        const auto links = in.next<std::uint64_t>();
        node.first = trie.links_.size();
        const std::string name = "node " + std::to_string(i);
        if (node.count < 0) in.damaged(name + " was seen " + std::to_string(node.count) + " times");
        if (links > count - 1 - node.first) in.damaged(name + " has " + std::to_string(links) + " children, more than there are nodes");
        node.links = static_cast<std::uint32_t>(links);
        for (std::uint64_t j = 0; j < links; ++j) {
            Link link;
            link.token = in.next<std::int32_t>();
            const auto to = in.next<std::uint64_t>();
            if (to == 0 || to >= count) in.damaged(name + " has a child numbered " + std::to_string(to));
            link.node = static_cast<std::uint32_t>(to);
            trie.links_.push_back(link);
        }
        std::sort(trie.links_.begin() + static_cast<std::ptrdiff_t>(node.first), trie.links_.end(),
                  [](const Link& a, const Link& b) { return a.token < b.token; });
        trie.nodes_.push_back(node);
    }
    // A share above 1 would let a path of the search score more than the one it goes on from. The root is no
    // context: its count is not read.
    for (std::size_t i = 1; i < trie.nodes_.size(); ++i) {
        if (i % (1u << 16) == 0) check_cancelled(progress);
        const Node& from = trie.nodes_[i];
        for (std::uint64_t j = from.first; j < from.first + from.links; ++j) {
            const std::uint32_t to = trie.links_[j].node;
            if (trie.nodes_[to].count > from.count)
                in.damaged("node " + std::to_string(to) + " was seen " + std::to_string(trie.nodes_[to].count) +
                           " times, more often than what it continues, node " + std::to_string(i));
        }
    }
    return trie;
}

NgramTrie NgramTrie::count(std::span<const std::vector<int>> texts, int order) {
    CHECK(order >= 2, "a context and a token");
    struct Growing {
        std::map<int, std::size_t> children;
        int count = 0;
    };
    std::vector<Growing> growing(1);
    for (const std::vector<int>& text : texts)
        for (std::size_t start = 0; start < text.size(); ++start) {
            std::size_t at = 0;
            ++growing[0].count;
            for (std::size_t i = start; i < std::min(text.size(), start + static_cast<std::size_t>(order)); ++i) {
                const auto [child, added] = growing[at].children.try_emplace(text[i], growing.size());
                at = child->second;
                if (added) growing.emplace_back();
                ++growing[at].count;
            }
        }
    NgramTrie trie;
    trie.order_ = order;
    for (const Growing& from : growing) {
        trie.nodes_.push_back({trie.links_.size(), static_cast<std::uint32_t>(from.children.size()), from.count});
        for (const auto& [token, node] : from.children) trie.links_.push_back({token, static_cast<std::uint32_t>(node)});
    }
    return trie;
}

std::int64_t NgramTrie::child(std::int64_t node, int token) const {
    const Node& from = nodes_[static_cast<std::size_t>(node)];
    const auto first = links_.begin() + static_cast<std::ptrdiff_t>(from.first), end = first + from.links;
    const auto found = std::lower_bound(first, end, token, [](const Link& link, int wanted) { return link.token < wanted; });
    return found == end || found->token != token ? -1 : static_cast<std::int64_t>(found->node);
}

std::vector<float> NgramTrie::shares(std::span<const int> context, std::span<const int> tokens) const {
    std::vector<float> shares(tokens.size(), 0.0f);
    std::vector<bool> known(tokens.size(), false);
    for (std::size_t length = std::min(context.size(), static_cast<std::size_t>(order_ - 1)); length > 0; --length) {
        std::int64_t node = 0;
        for (const int token : context.last(length))
            if (node >= 0) node = child(node, token);
        if (node < 0 || nodes_[static_cast<std::size_t>(node)].count == 0) continue;
        const float of = 1.0f / static_cast<float>(nodes_[static_cast<std::size_t>(node)].count);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (known[i]) continue;
            const std::int64_t next = child(node, tokens[i]);
            if (next < 0) continue;
            known[i] = true;
            shares[i] = static_cast<float>(nodes_[static_cast<std::size_t>(next)].count) * of;
        }
    }
    return shares;
}

} // namespace speclens
