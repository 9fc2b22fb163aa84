// What a guess may cost, counted and not timed: heads that share an output matrix read it once, and a device is asked
// once for a whole block.
#include <map>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/frequent.h"
#include "tests/shared/forwarding_backend.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

using Method = DraftConfig::Method;

class Counting final : public ForwardingBackend {
  public:
    using ForwardingBackend::ForwardingBackend;
    void matmul(const Tensor& x, std::span<const Projection> parts) override {
        for (const Projection& part : parts) {
            ++products[part.weight.data];
            rows[part.weight.data] += x.rows;
        }
        ForwardingBackend::matmul(x, parts);
    }
    void download(const Tensor& from, void* host) override {
        ++downloads;
        ForwardingBackend::download(from, host);
    }
    void forget() { products.clear(), rows.clear(), downloads = 0; }

    std::map<const void*, int> products; // of a weight, and the rows of all of them
    std::map<const void*, std::int64_t> rows;
    int downloads = 0;
};

class HeadCost : public ::testing::Test {
  protected:
    // One draft after a prompt, counted.
    Draft drafted(const std::string& name, const DraftConfig& config, const DraftRequest& wanted, const DrafterOptions& options = {}) {
        network_ = DraftNetwork::random(target_, config, name, 7);
        const auto target = make_model_decoder(target_, 64);
        const auto drafter = find_drafter(name)->make({*target, nullptr, network_, options, frequent_});
        drafter->begin(prompt_);
        target->prefill(std::span(prompt_).first(prompt_.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = prompt_, .first = first, .prompt = true, .features = features});
        });
        backend_.forget();
        DraftRequest request = wanted;
        request.sequence = prompt_;
        return drafter->draft(request);
    }
    [[nodiscard]] static DraftRequest greedy(int k, int nodes = 0) {
        DraftRequest request;
        request.k = k;
        request.nodes = nodes;
        return request;
    }

    Counting backend_{make_cpu_backend({.threads = 1})};
    std::shared_ptr<const Model> target_ = Model::random(backend_, micro_config(6, 48), "micro target", 5);
    std::shared_ptr<const FrequentIds> frequent_ = std::make_shared<FrequentIds>(61, std::vector<int>{});
    std::shared_ptr<const DraftNetwork> network_;
    const std::vector<int> prompt_ = {7, 8, 9, 7, 8};
};

TEST_F(HeadCost, MedusasHeadsMultiplyTheTargetsMatrixOnceForAllOfThem) {
    DraftConfig config = micro_head(Method::medusa, target_->config);
    config.shared_head = true;
    for (const int blocks : {1, 2}) {
        config.medusa_blocks = blocks;
        for (const char* name : {"medusa", "medusa_tree"})
            for (const int k : {1, 3, 4}) {
                SCOPED_TRACE(std::string(name) + " " + std::to_string(k) + " of " + std::to_string(blocks) + " blocks");
                const Draft draft = drafted(name, config, greedy(k, 8));
                EXPECT_GE(draft.nodes.size(), static_cast<std::size_t>(k));
                EXPECT_EQ(backend_.products[target_->head().data], 1);
                EXPECT_EQ(backend_.rows[target_->head().data], k);
            }
    }
}

// And they guess what heads with copies of it guess, each of which has its own product.
TEST_F(HeadCost, ASharedMatrixGuessesWhatCopiesOfItGuess) {
    DraftConfig shared = micro_head(Method::medusa, target_->config), own = shared;
    shared.shared_head = true;
    shared.medusa_blocks = own.medusa_blocks = 2;
    const Draft at_once = drafted("medusa", shared, greedy(4));
    const auto few = std::const_pointer_cast<DraftNetwork>(network_);
    const auto copies = std::const_pointer_cast<DraftNetwork>(DraftNetwork::random(target_, own, "medusa", 7));
    std::vector<int> all(61);
    for (int i = 0; i < 61; ++i) all[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = 0; i < copies->medusa.size(); ++i) {
        copies->medusa[i].blocks = std::move(few->medusa[i].blocks);
        copies->medusa[i].head = gather_head_rows(backend_, target_->head(), all);
    }
    const auto target = make_model_decoder(target_, 64);
    const auto drafter = find_drafter("medusa")->make({*target, nullptr, copies, {}});
    drafter->begin(prompt_);
    target->prefill(std::span(prompt_).first(prompt_.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
        drafter->observe({.sequence = prompt_, .first = first, .prompt = true, .features = features});
    });
    DraftRequest request = greedy(4);
    request.sequence = prompt_;
    const Draft one_by_one = drafter->draft(request);
    ASSERT_EQ(at_once.nodes.size(), 4u);
    ASSERT_EQ(one_by_one.nodes.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(at_once.nodes[i].token, one_by_one.nodes[i].token) << i;
}

TEST_F(HeadCost, ABlockMultipliesItsOutputMatrixOnce) {
    for (const char* name : {"dflash", "domino", "dspark"}) {
        SCOPED_TRACE(name);
        const Method method = name == std::string("dflash")   ? Method::dflash
                              : name == std::string("domino") ? Method::domino
                                                              : Method::dspark;
        DraftConfig config = micro_head(method, target_->config);
        (void)drafted(name, config, greedy(5));
        EXPECT_EQ(backend_.products[target_->head().data], 1);
        EXPECT_EQ(backend_.rows[target_->head().data], 5);
        config.draft_vocab = 20;
        (void)drafted(name, config, greedy(5));
        EXPECT_EQ(backend_.products[network_->lm_head.view().data], 1);
        EXPECT_EQ(backend_.products[target_->head().data], 0);
        if (method != Method::dspark) continue;
        EXPECT_EQ(backend_.products[network_->confidence_row.view().data], 1) << "what rows say of it, for all at once";
    }
}

// Greedy guesses of Domino leave the device together, whatever ids its head ranks.
TEST_F(HeadCost, DominoAsksTheDeviceOnceForABlock) {
    const DraftConfig whole = micro_head(Method::domino, target_->config);
    DraftConfig own = whole, gathered = whole;
    own.draft_vocab = gathered.draft_vocab = 20;
    gathered.gathers_head = true;
    DrafterOptions cut;
    cut.fr_spec = 20;
    for (const auto& [config, options] : {std::pair{whole, DrafterOptions{}}, std::pair{own, DrafterOptions{}},
                                          std::pair{gathered, DrafterOptions{}}, std::pair{whole, cut}}) {
        const Draft draft = drafted("domino", config, greedy(6), options);
        EXPECT_EQ(draft.nodes.size(), 6u);
        EXPECT_EQ(backend_.downloads, 1);
    }
}

} // namespace
} // namespace speclens::test
