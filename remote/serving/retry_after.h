// When does it pay to come again? What a text took of late, shared by those that are computed at once, is the time until a place is
// free; a client that is refused is told so many seconds.
#pragma once

namespace speclens {

class RetryAfter {
  public:
    static constexpr int kMost = 60;
    void took(double seconds);                    // a text, from its first round to its end
    [[nodiscard]] int seconds(int at_once) const; // 1 … kMost; 1 where no text has ended yet

  private:
    double mean_ = 0; // of late: each text counts a fifth
    bool any_ = false;
};

} // namespace speclens
