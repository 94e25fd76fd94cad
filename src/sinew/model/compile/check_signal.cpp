#include "sinew/model/compile/check_signal.h"

namespace sinew::compiling {
namespace {

struct PartCheck {
    const std::string& pointer;
    Checker& check;

    void finite(double x, const std::string& where) const { check.finite(x, where); }
    void operator()(const ConstantSignal& s) const { finite(s.value, pointer); }
    void operator()(const SineSignal& s) const
    {
        finite(s.amplitude, pointer + "/sine/amplitude");
        check.notNegative(s.frequency, pointer + "/sine/frequency");
        finite(s.phase, pointer + "/sine/phase");
        finite(s.offset, pointer + "/sine/offset");
    }
    void operator()(const PulseSignal& s) const
    {
        const std::string here = pointer + "/pulse";
        finite(s.height, here + "/height");
        finite(s.start, here + "/start");
        check.positive(s.length, here + "/length");
        check.span(s.length, here + "/length");
        check.span(s.period, here + "/period");
        check.span(s.ramp, here + "/ramp");
        check.require(s.period == 0 || s.period >= s.length, here + "/period",
                      "is " + number(s.period) + ", shorter than the pulse itself, " + number(s.length));
        check.require(
            2 * s.ramp <= s.length * (1 + 1e-9), here + "/ramp",
            "is " + number(s.ramp) + "; two of them do not fit into the length, " + number(s.length));
    }
    void operator()(const StepSignal& s) const
    {
        finite(s.from, pointer + "/step/from");
        finite(s.to, pointer + "/step/to");
        finite(s.time, pointer + "/step/time");
        check.span(s.ramp, pointer + "/step/ramp");
    }
    void operator()(const NoiseSignal& s) const
    {
        finite(s.amplitude, pointer + "/noise/amplitude");
        check.notNegative(s.frequency, pointer + "/noise/frequency");
    }
    void operator()(const KeySignal& s) const
    {
        check.require(!s.keys.empty(), pointer + "/keys", "is empty; give at least one key");
        check.span(s.period, pointer + "/period");
        for (std::size_t i = 0; i < s.keys.size() && !check.failed(); ++i) {
            const std::string here = pointer + at("keys", i);
            finite(s.keys[i].time, here + "/0");
            finite(s.keys[i].value, here + "/1");
            if (i > 0) checkRise(s.keys[i - 1].time, s.keys[i].time, here + "/0", check);
        }
        if (check.failed() || s.period == 0) return;
        const double span = s.keys.back().time - s.keys.front().time;
        check.require(span <= s.period, pointer + "/period",
                      "is " + number(s.period) + "; the keys alone take " + number(span));
        check.require(span < s.period || s.keys.back().value == s.keys.front().value, pointer + "/period",
                      "brings the last key onto the first, which has another value");
    }
};

}  // namespace

void checkRise(double before, double now, const std::string& pointer, Checker& check)
{
    check.require(before < now, pointer,
                  "is " + number(now) + ", not later than the key before it, " + number(before) +
                      "; times must rise");
    check.require(now - before >= Checker::shortest, pointer,
                  "comes less than 1e-9 s after the key before it");
}

void checkSignal(const Signal& signal, const std::string& pointer, Checker& check)
{
    for (std::size_t i = 0; i < signal.parts.size() && !check.failed(); ++i) {
        const std::string here = signal.parts.size() == 1 ? pointer : pointer + at("sum", i);
        std::visit(PartCheck{here, check}, signal.parts[i]);
    }
}

void checkSignals(const std::vector<Signal>& signals, int freedoms, const std::string& pointer,
                  Checker& check)
{
    if (signals.empty()) return;
    check.require(
        static_cast<int>(signals.size()) == freedoms, pointer,
        "has " + std::to_string(signals.size()) + " signals; this joint takes " + std::to_string(freedoms));
    for (std::size_t i = 0; i < signals.size() && !check.failed(); ++i)
        checkSignal(signals[i], signals.size() == 1 ? pointer : pointer + "/" + std::to_string(i), check);
}

}  // namespace sinew::compiling
