#include "engine/lab/busy.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace speclens {

BusyMeter::Reading BusyMeter::read() {
    Reading reading;
    reading.at_s = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    std::ifstream stat("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0; // jiffies
    if (stat >> cpu >> user >> nice >> system)
        reading.all_s = (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) == 0)
        reading.own_s = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                        static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    return reading;
}

void BusyMeter::start() {
    first_ = read();
}

double BusyMeter::cores() const {
    constexpr double kShortest = 0.1; // ten ticks
    const Reading now = read();
    const double seconds = now.at_s - first_.at_s;
    if (seconds < kShortest || now.all_s <= first_.all_s) return 0;
    return std::max(0.0, (now.all_s - first_.all_s) - (now.own_s - first_.own_s)) / seconds;
}

} // namespace speclens
