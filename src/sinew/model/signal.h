// A number that changes with time as a script says: keyframes and closed forms, added up. What controllers
// aim at, what motors and spikes follow, what prescribed joints do.
//
//     sine    offset + amplitude · sin(2π frequency t + phase)
//     pulse   height from start on for `length`, again after every period; ramps up and down within it
//     step    from, then to, from `time` on, over a ramp
//     noise   smooth and random, about `frequency` turns a second, the same for the same seed
//     keys    through given values, straight or smoothly and never beyond them; before the first and after
//     the last it stands
//             still, with a period it repeats
// A ramp is 6s⁵ − 15s⁴ + 10s³: it begins and ends without a jump even in acceleration.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace sinew {

// A value with its first and second derivative by time.
struct SignalValue {
    double value = 0, rate = 0, rate2 = 0;

    SignalValue& operator+=(const SignalValue& o)
    {
        value += o.value;
        rate += o.rate;
        rate2 += o.rate2;
        return *this;
    }
};

struct ConstantSignal {
    double value = 0;
};
struct SineSignal {
    double amplitude = 1, frequency = 1, phase = 0, offset = 0;  // Hz, rad
};
struct PulseSignal {
    double height = 1, start = 0, length = 0, period = 0, ramp = 0;  // s; period 0: once
};
struct StepSignal {
    double from = 0, to = 1, time = 0, ramp = 0;
};
struct NoiseSignal {
    double amplitude = 1, frequency = 1;
    std::uint32_t seed = 0;
};
struct KeySignal {
    struct Key {
        double time = 0, value = 0;
    };
    std::vector<Key> keys;  // at least one, times rising
    bool smooth = true;     // a cubic through the keys; otherwise straight
    double period = 0;      // 0: once
};
using SignalPart =
    std::variant<ConstantSignal, SineSignal, PulseSignal, StepSignal, NoiseSignal, KeySignal>;

struct Signal {
    std::vector<SignalPart> parts;  // their sum; none: zero

    Signal() = default;
    Signal(double value) : parts{ConstantSignal{value}} {}
    explicit Signal(SignalPart part) : parts{std::move(part)} {}

    SignalValue at(double time) const;
    bool isConstant() const;
};

// 0 before s = 0, 1 after s = 1, and the ramp between them.
SignalValue rampAt(double s);

// The cubic over [0, span] with these ends and slopes, at `time` in it.
template <class T>
struct CubicValue {
    T value, rate, rate2;
};
template <class T>
CubicValue<T> cubicAt(const T& from, const T& fromRate, const T& to, const T& toRate, double span,
                      double time)
{
    const double s = time / span;
    const T a = fromRate * span, b = toRate * span, way = to - from;
    const T second = 3 * way - 2 * a - b, third = a + b - 2 * way;
    return {from + s * (a + s * (second + s * third)), (a + s * (2 * second + 3 * s * third)) / span,
            (2 * second + 6 * s * third) / (span * span)};
}

}  // namespace sinew
