// Motions whose truth is known, for the integrators of ode/.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "sinew/math/rotation.h"
#include "sinew/math/types.h"
#include "sinew/ode/dormand_prince.h"
#include "sinew/ode/schemes.h"

namespace sinew::test {

// What a system starts from, how long it is looked at, and where it is then.
struct Motion2 {
    std::vector<double> x, v;
};

struct Oscillator : ode::SecondOrder {
    double damping = 0;
    int size() const override { return 1; }
    bool dependsOnVelocity() const override { return damping != 0; }
    void accelerate(double, ode::In x, ode::In v, ode::Out a) override { a[0] = -x[0] - damping * v[0]; }
    double energy(const Motion2& m) const { return 0.5 * (m.x[0] * m.x[0] + m.v[0] * m.v[0]); }
    static Motion2 start() { return {{1}, {0}}; }
    static constexpr double period = 2 * pi;
};

// An orbit of eccentricity 0.3 about a unit mass, from its nearest point; its great half axis is 1.
struct Kepler : ode::SecondOrder {
    int size() const override { return 2; }
    bool dependsOnVelocity() const override { return false; }
    void accelerate(double, ode::In x, ode::In, ode::Out a) override
    {
        const double square = x[0] * x[0] + x[1] * x[1], cube = square * std::sqrt(square);
        a[0] = -x[0] / cube;
        a[1] = -x[1] / cube;
    }
    double energy(const Motion2& m) const
    {
        return 0.5 * (m.v[0] * m.v[0] + m.v[1] * m.v[1]) - 1 / std::hypot(m.x[0], m.x[1]);
    }
    static double angularMomentum(const Motion2& m) { return m.x[0] * m.v[1] - m.x[1] * m.v[0]; }
    static Motion2 start() { return {{0.7, 0}, {0, std::sqrt(1.3 / 0.7)}}; }
    static constexpr double period = 2 * pi;
    // By Kepler's equation E − e sin E = t.
    static Motion2 at(double t)
    {
        const double e = 0.3, b = std::sqrt(1 - e * e);
        double E = t;
        for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
        const double rate = 1 / (1 - e * std::cos(E));
        return {{std::cos(E) - e, b * std::sin(E)}, {-std::sin(E) * rate, b * std::cos(E) * rate}};
    }
};

// A pendulum of length g, let go at 1 rad.
struct Pendulum : ode::SecondOrder {
    int size() const override { return 1; }
    bool dependsOnVelocity() const override { return false; }
    void accelerate(double, ode::In x, ode::In, ode::Out a) override { a[0] = -std::sin(x[0]); }
    double energy(const Motion2& m) const { return 0.5 * m.v[0] * m.v[0] - std::cos(m.x[0]); }
    static Motion2 start() { return {{1}, {0}}; }
    // sin(x/2) = k sn(t + K, k) with k = sin ½, by the arithmetic-geometric mean (Abramowitz &
    // Stegun 16.4).
    static Motion2 at(double t)
    {
        constexpr int n = 8;
        double a[n + 1] = {1}, b = std::cos(0.5), c[n + 1] = {std::sin(0.5)};
        for (int i = 0; i < n; ++i) {
            a[i + 1] = 0.5 * (a[i] + b);
            c[i + 1] = 0.5 * (a[i] - b);
            b = std::sqrt(a[i] * b);
        }
        double phi = (1 << n) * a[n] * t + (1 << n) * 0.5 * pi;
        for (int i = n; i > 0; --i) phi = 0.5 * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
        const double k = std::sin(0.5), cn = std::cos(phi);
        // d/dt of 2 asin(k sn) is 2 k cn.
        return {{2 * std::asin(k * std::sin(phi))}, {2 * k * cn}};
    }
    static double period()
    {
        double a = 1, b = std::cos(0.5);
        for (int i = 0; i < 8; ++i) {
            const double mean = 0.5 * (a + b);
            b = std::sqrt(a * b);
            a = mean;
        }
        return 2 * pi / a;
    }
};

// A heavy top on a ball joint in a chart of the rotation group: coordinates are the rotation vector from
// where the step began, body axes. Its own motion is what the chart is for.
struct Top : ode::SecondOrder {
    Quat base = Quat::Identity();
    Vec3 inertia = Vec3(1, 1.5, 0.6), centre = Vec3(0.1, 0.8, 0.2);
    int size() const override { return 3; }
    static Vec3 vec(ode::In x) { return {x[0], x[1], x[2]}; }
    void accelerate(double, ode::In x, ode::In v, ode::Out a) override
    {
        const Quat now = base * expRotation(vec(x));
        const Vec3 w = vec(v), spin(inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]);
        const Vec3 torque = centre.cross(now.conjugate() * Vec3(0, -2, 0)) - w.cross(spin);
        for (int i = 0; i < 3; ++i) a[i] = torque[i] / inertia[i];
    }
    void rates(double t, ode::In x, ode::In v, ode::Out rate, ode::Out a) override
    {
        const Vec3 r = rightJacobianInverse(vec(x)) * vec(v);
        for (int i = 0; i < 3; ++i) rate[i] = r[i];
        accelerate(t, x, v, a);
    }
    bool rebase(double, ode::Out x, ode::Out) override
    {
        base = (base * expRotation(vec(x))).normalized();
        std::fill(x.begin(), x.end(), 0.);
        return true;
    }
    static Motion2 start() { return {{0, 0, 0}, {0.3, 2, -0.5}}; }
};

// n steps over a time, or as many as it takes with a scheme that adapts.
template <class System>
Motion2 after(const ode::Scheme& scheme, System& system, double time, int n, ode::Work& work)
{
    Motion2 m = System::start();
    const double h = time / n;
    for (int i = 0; i < n; ++i)
        if (!ode::step(scheme, system, h * i, h, m.x, m.v, work)) return {{NAN}, {NAN}};
    return m;
}

inline double distance(const Motion2& a, const Motion2& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i)
        sum += (a.x[i] - b.x[i]) * (a.x[i] - b.x[i]) + (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
    return std::sqrt(sum);
}

// The largest error of the energy over `periods`, relative to the start, after the first hundredth of them
// and after all.
struct EnergyRange {
    double early = 0, late = 0, end = 0;
};
template <class System>
EnergyRange energyRange(const ode::Scheme& scheme, double period, int stepsAPeriod, long periods)
{
    System system;
    ode::Work work;
    Motion2 m = System::start();
    const double start = system.energy(m), h = period / stepsAPeriod;
    EnergyRange range;
    for (long i = 0; i < periods * stepsAPeriod; ++i) {
        ode::step(scheme, system, h * static_cast<double>(i), h, m.x, m.v, work);
        range.end = system.energy(m) / start - 1;
        range.late = std::max(range.late, std::abs(range.end));
        if (i < periods * stepsAPeriod / 100) range.early = range.late;
    }
    return range;
}

}  // namespace sinew::test
