#include "engine/base/busy.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace speclens {
namespace {

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; }

CoreTime now() {
    CoreTime time;
    std::ifstream stat("/proc/stat");
    time.all = worked_ticks(stat) / static_cast<double>(sysconf(_SC_CLK_TCK));
    rusage own{};
    if (getrusage(RUSAGE_SELF, &own) == 0) time.own = seconds(own.ru_utime) + seconds(own.ru_stime);
    time.at = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    return time;
}

} // namespace

double worked_ticks(std::istream& stat) {
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0, stolen = 0;
    if (!(stat >> cpu >> user >> nice >> system >> idle) || cpu != "cpu") return 0;
    stat >> waiting >> irq >> soft_irq >> stolen; // old kernels list fewer
    return user + nice + system + irq + soft_irq + stolen;
}

double other_cores(const CoreTime& from, const CoreTime& to) {
    const double took = to.at - from.at;
    return took > 0 ? std::max(0.0, ((to.all - from.all) - (to.own - from.own)) / took) : 0;
}

BusyMeter::BusyMeter() : start_(now()) {}

double BusyMeter::cores() const {
    constexpr double kLeastSeconds = 0.25;
    const CoreTime end = now();
    return end.at - start_.at < kLeastSeconds ? 0 : other_cores(start_, end);
}

} // namespace speclens
