#include "sinew/particle/step.h"

#include <algorithm>
#include <cmath>

#include "sinew/particle/bounce.h"
#include "sinew/particle/distributions.h"

namespace sinew {
namespace particle {
namespace {

std::uint32_t packed(const Vec3& color, double opacity)
{
    const auto byte = [](double x) {
        return static_cast<std::uint32_t>(std::clamp(x, 0., 1.) * 255 + 0.5);
    };
    return byte(color.x()) | byte(color.y()) << 8 | byte(color.z()) << 16 | byte(opacity) << 24;
}

constexpr float farthest = 1e30f;  // m², from the origin

// One system in one step.
class SystemStep {
public:
    SystemStep(const Model& model, const ParticleSystem& system, const ParticleWork& work,
               const StepMotion& motion, ParticleState& state)
        : system_(system), motion_(motion), s_(state), flight_(model, system, work, motion)
    {
        if (system.bounce) bounces_.emplace(system, motion);
    }

    void run()
    {
        flyAll();
        replaceDead();
        markTrails();
        ++s_.steps;
    }

private:
    void fly(const Lanes& lanes, unsigned char* dead) const
    {
        if (!bounces_) {
            flight_.advance(lanes);
            return;
        }
        Bounces::Before before;
        Bounces::keep(lanes, before);
        flight_.advance(lanes);
        bounces_->apply(before, lanes, dead);
    }

    void flyAll()
    {
        const float h = static_cast<float>(motion_.h);
        float spans[mostLanes];
        std::fill_n(spans, mostLanes, h);
        for (int first = 0; first < s_.alive; first += mostLanes) {
            const int n = std::min(mostLanes, s_.alive - first);
            unsigned char dead[mostLanes] = {};
            fly({n, &s_.x[first], &s_.y[first], &s_.z[first], &s_.vx[first], &s_.vy[first], &s_.vz[first],
                 &s_.age[first], &s_.life[first], &s_.size[first], spans},
                dead);
            float *age = &s_.age[first], *life = &s_.life[first];
            for (int i = 0; i < n; ++i) age[i] += h;
            // What has gone where single precision ends is gone.
            const float *x = &s_.x[first], *y = &s_.y[first], *z = &s_.z[first];
            for (int i = 0; i < n; ++i)
                dead[i] |=
                    static_cast<unsigned char>(!(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] < farthest));
            for (int i = 0; i < n; ++i) age[i] = dead[i] ? life[i] : age[i];
        }
    }

    // Births take the places of the dead; where there are more dead, the last ones move up.
    void replaceDead()
    {
        births_ = birthsIn(system_, motion_.time, motion_.h, s_.steps);
        const auto isDead = [&](int i) { return s_.age[i] >= s_.life[i]; };
        int made = 0;
        for (int i = 0; i < s_.alive; ++i) {
            if (!isDead(i)) continue;
            ++s_.died;
            if (made < births_) {
                bear(i, made++);
                continue;
            }
            while (s_.alive - 1 > i && isDead(s_.alive - 1)) {
                ++s_.died;
                --s_.alive;
            }
            --s_.alive;
            if (i < s_.alive) move(s_.alive, i);
        }
        for (; made < births_ && s_.alive < system_.most; ++made) bear(s_.alive++, made);
        s_.turnedAway += static_cast<std::uint64_t>(births_ - made);
        flyBorn();
    }

    void bear(int slot, int k)
    {
        const std::uint64_t number = s_.born++;
        const double part = momentOf(system_, number, k, births_);
        const Birth birth = birthOf(system_, number, motion_, part);
        const auto of = [&](const Spread& spread, Draw what) {
            return drawn(spread, system_.seed, number, what);
        };
        s_.x[slot] = static_cast<float>(birth.position.x());
        s_.y[slot] = static_cast<float>(birth.position.y());
        s_.z[slot] = static_cast<float>(birth.position.z());
        s_.vx[slot] = static_cast<float>(birth.velocity.x());
        s_.vy[slot] = static_cast<float>(birth.velocity.y());
        s_.vz[slot] = static_cast<float>(birth.velocity.z());
        s_.life[slot] = static_cast<float>(of(system_.life, Draw::life));
        s_.size[slot] = static_cast<float>(of(system_.size, Draw::size));
        s_.age[slot] = 0;
        const double mix = drawnUnit(system_.seed, number, Draw::color);
        s_.color[slot] = packed(system_.color + mix * (system_.otherColor - system_.color),
                                of(system_.opacity, Draw::opacity));
        s_.id[slot] = static_cast<std::uint32_t>(number);
        for (int place = 0; place < system_.trail; ++place) setTrail(slot, place);
        born_[bornCount_] = slot;
        bornSpan_[bornCount_] = static_cast<float>((1 - part) * motion_.h);
        if (++bornCount_ == mostLanes) flyBorn();
    }

    // What is left of the step for those who were born in it.
    void flyBorn()
    {
        struct Row {
            float at[mostLanes];
        };
        Row x, y, z, vx, vy, vz, age, life, size;
        const int n = bornCount_;
        const auto gather = [&](const LargeVector<float>& from, Row& to) {
            for (int i = 0; i < n; ++i) to.at[i] = from[born_[i]];
        };
        const auto scatter = [&](const Row& from, LargeVector<float>& to) {
            for (int i = 0; i < n; ++i) to[born_[i]] = from.at[i];
        };
        gather(s_.x, x), gather(s_.y, y), gather(s_.z, z);
        gather(s_.vx, vx), gather(s_.vy, vy), gather(s_.vz, vz);
        gather(s_.age, age), gather(s_.life, life), gather(s_.size, size);
        unsigned char dead[mostLanes] = {};
        fly({n, x.at, y.at, z.at, vx.at, vy.at, vz.at, age.at, life.at, size.at, bornSpan_}, dead);
        for (int i = 0; i < n; ++i) age.at[i] = dead[i] ? life.at[i] : bornSpan_[i];
        scatter(x, s_.x), scatter(y, s_.y), scatter(z, s_.z);
        scatter(vx, s_.vx), scatter(vy, s_.vy), scatter(vz, s_.vz);
        scatter(age, s_.age);
        bornCount_ = 0;
    }

    void move(int from, int to)
    {
        for (LargeVector<float>* row :
             {&s_.x, &s_.y, &s_.z, &s_.vx, &s_.vy, &s_.vz, &s_.age, &s_.life, &s_.size})
            (*row)[to] = (*row)[from];
        s_.color[to] = s_.color[from];
        s_.id[to] = s_.id[from];
        const std::size_t width = 3 * static_cast<std::size_t>(system_.trail);
        std::copy_n(s_.trail.begin() + static_cast<std::ptrdiff_t>(width * static_cast<std::size_t>(from)),
                    width,
                    s_.trail.begin() + static_cast<std::ptrdiff_t>(width * static_cast<std::size_t>(to)));
    }

    void setTrail(int slot, int place)
    {
        float* at =
            &s_.trail[3 * (static_cast<std::size_t>(slot) * static_cast<std::size_t>(system_.trail) +
                           static_cast<std::size_t>(place))];
        at[0] = s_.x[slot];
        at[1] = s_.y[slot];
        at[2] = s_.z[slot];
    }

    // As often as the time asks for; a step writes one place at most.
    void markTrails()
    {
        if (system_.trail == 0) return;
        const double due = std::floor((motion_.time + motion_.h) / system_.trailEvery + 1e-6);
        if (!(due > static_cast<double>(s_.trailTime))) return;
        s_.trailTime = static_cast<std::uint64_t>(due);
        const int place = static_cast<int>(s_.trailCount++ % static_cast<std::uint64_t>(system_.trail));
        for (int i = 0; i < s_.alive; ++i) setTrail(i, place);
    }

    const ParticleSystem& system_;
    const StepMotion& motion_;
    ParticleState& s_;
    Flight flight_;
    std::optional<Bounces> bounces_;
    int births_ = 0, bornCount_ = 0;
    int born_[mostLanes];
    float bornSpan_[mostLanes];
};

}  // namespace
}  // namespace particle

void stepParticles(const Model& model, const LargeVector<BodyState>& start, double h, State& state,
                   ParticleWork& work)
{
    const particle::StepMotion motion{&start, &state.bodies, state.time - h, h};
    work.prepare(model, motion.time + 0.5 * h);
    state.particles.resize(model.particles.size());
    for (std::size_t i = 0; i < model.particles.size(); ++i) {
        const ParticleSystem& system = model.particles[i];
        ParticleState& particles = state.particles[i];
        if (particles.room() != system.most) particles.reserve(system.most, system.trail);
        particle::SystemStep(model, system, work, motion, particles).run();
    }
}

}  // namespace sinew
