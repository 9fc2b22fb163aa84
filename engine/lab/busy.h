// How busy other programs keep the cores while something is measured here.
#pragma once

namespace speclens {

class BusyMeter {
  public:
    BusyMeter() { start(); }
    void start();
    // Cores that other programs kept busy since start(), a mean; 0 where the system does not tell, or so shortly after
    // it that its clock has not ticked often enough to tell.
    [[nodiscard]] double cores() const;

  private:
    struct Reading {
        double all_s = 0, own_s = 0, at_s = 0; // core seconds of all programs, of this one; time
    };
    [[nodiscard]] static Reading read();
    Reading first_;
};

} // namespace speclens
