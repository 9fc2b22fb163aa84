#include "tests/shared/tables.h"

#include "kernels/backend.h"

namespace speclens::test {

std::shared_ptr<const Models> table_models(std::shared_ptr<const TableModel> target, std::shared_ptr<const TableModel> draft) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 1});
    models->target_table = std::move(target);
    models->draft_table = std::move(draft);
    return models;
}

} // namespace speclens::test
