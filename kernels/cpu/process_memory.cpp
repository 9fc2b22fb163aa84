#include "kernels/process_memory.h"

#include <fstream>
#include <limits>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "kernels/cpu/memory.h"

namespace speclens {

ProcessMemory process_memory() {
    std::ifstream file("/proc/self/status"); // not getrusage: its peak has that of the program that started this one
    ProcessMemory memory;
    std::string key;
    while (file >> key) {
        std::size_t* const to = key == "VmRSS:" ? &memory.now : key == "VmHWM:" ? &memory.most : nullptr;
        if (to != nullptr && file >> *to) *to *= 1024;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return memory;
}

void give_back_memory() noexcept {
    give_back_released();
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

} // namespace speclens
