#include "app/cli/calls/failure.h"

#include <filesystem>
#include <new>

#include "app/cli/output.h"
#include "engine/base/progress.h"

namespace speclens::cli {

Failure failure_of(const std::exception_ptr& ended_by) {
    try {
        std::rethrow_exception(ended_by);
    } catch (const ReaderGone&) {
        return {};
    } catch (const Interrupted&) {
        return {"interrupted", "", Exit::interrupted};
    } catch (const Cancelled&) {
        return {"interrupted", "", Exit::interrupted};
    } catch (const Error& error) {
        return {error.what(), error.remedy(), error.code()};
    } catch (const std::bad_alloc&) {
        return {"out of memory", "Close other programs, or use a smaller model.", Exit::device};
    } catch (const std::filesystem::filesystem_error& error) {
        return {error.what(), "Check the name and the permissions.", Exit::model};
    } catch (const std::exception& error) {
        return {std::string("unexpected: ") + error.what(), "Please report what led to it.", Exit::model};
    }
}

} // namespace speclens::cli
