#include "sinew/crowd/crowd.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/memory.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/crowd/ground.h"
#include "sinew/crowd/kernels.h"
#include "sinew/model/wish.h"
#include "sinew/recursion/others.h"
#include "sinew/state/kinematics.h"

namespace sinew {

// All characters, whatever the number type.
class Crowd::Herd {
public:
    virtual ~Herd() = default;
    virtual int lanes() const = 0;
    virtual int jointCount() const = 0;
    virtual void step(int steps) = 0;
    virtual void read(int character, State& state) const = 0;
    virtual void write(int character, const State& state) = 0;
    virtual void scaleMass(int character, double factor) = 0;
    virtual void setSpring(int character, int joint, double stiffness, double damping) = 0;
    virtual void setTarget(int character, int joint, std::span<const double> coordinates) = 0;

    int count = 0;
    double time = 0;
};

namespace {

template <class T>
class HerdOf final : public Crowd::Herd {
    using Number = decltype(lane(T(), 0));
    static constexpr int width = laneCount<T>;

    // What each group keeps.
    struct Kept {
        T massScale;
        LargeVector<recursion::JointSpring<T>> springs;
        LargeVector<T> q, u;
        LargeVector<recursion::Placed<T>> bodies;
        recursion::GroundScales<T> scales;
    };

    // Of one group after the other.
    struct Scratch {
        LargeVector<recursion::Link<T>> links;
        LargeVector<recursion::Resistance<T>> gathered;
        LargeVector<recursion::Extra<T>> extras;
    };

public:
    HerdOf(const Model& model, const CrowdSettings& settings, crowd::StepFunction<T> stepOne)
        : model_(model),
          ground_(crowd::groundOf(model, settings.step)),
          step_(stepOne),
          h_(settings.step),
          isImplicit_(settings.implicitSprings)
    {
        count = settings.count;
        const auto links = model.bodies.size();
        const auto freedoms = static_cast<std::size_t>(model.freedomCount);
        threads_ = settings.threads;
        Scratch scratch;
        scratch.links.resize(links);
        scratch.gathered.resize(links);
        scratch.extras.resize(model.extraLinks.size());
        Kept one;
        for (const LinkData<double>& link : model.links) data_.push_back(converted<Number>(link));
        one.massScale = T(1);
        bool hasDrives = false;
        for (const Joint& joint : model.joints) {
            one.springs.push_back(springOf(joint));
            drives_.push_back(driveOf(joint));
            hasDrives |= drives_.back().hasLimits || drives_.back().hasMotor || joint.hasTwist;
            restElsewhere_.push_back(!(joint.restRotation.coeffs() == Quat::Identity().coeffs()));
        }
        if (!hasDrives) drives_.clear();
        one.q.resize(static_cast<std::size_t>(model.coordinateCount), T(0));
        one.u.resize(freedoms, T(0));
        one.bodies.resize(links);
        one.scales = {{T(1), T(1), T(1)}};
        groups_.assign(static_cast<std::size_t>((count + width - 1) / width), one);
        scratch_.assign(std::min(static_cast<std::size_t>(threads_), groups_.size()), scratch);
        // The lanes after the last character move too, and nobody looks.
        const State rest = restState(model);
        for (int i = 0; i < static_cast<int>(groups_.size()) * width; ++i) write(i, rest);
    }

    int lanes() const override { return width; }
    int jointCount() const override { return model_.size(); }

    void step(int steps) override
    {
        const ThreadScope scope(threads_);
        parallelFor(static_cast<int>(groups_.size()), 1, [&](int first, int end, int worker) {
            Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
            for (int g = first; g < end; ++g) stepOne(groups_[static_cast<std::size_t>(g)], scratch, steps);
        });
        for (int k = 0; k < steps; ++k) time += h_;
    }

    void read(int character, State& state) const override
    {
        const Kept& kept = groups_[static_cast<std::size_t>(character / width)];
        const int in = character % width;
        state.time = time;
        for (int k = 0; k < state.q.size(); ++k) state.q[k] = static_cast<double>(lane(kept.q[k], in));
        for (int k = 0; k < state.u.size(); ++k) state.u[k] = static_cast<double>(lane(kept.u[k], in));
        const auto vector = [&](const Vector3<T>& v) {
            return Vec3(static_cast<double>(lane(v.x, in)), static_cast<double>(lane(v.y, in)),
                        static_cast<double>(lane(v.z, in)));
        };
        for (std::size_t i = 0; i < state.bodies.size(); ++i) {
            const recursion::Placed<T>& b = kept.bodies[i];
            const Quaternion4<T>& o = b.orientation;
            state.bodies[i] = {vector(b.position),
                               Quat(static_cast<double>(lane(o.w, in)), static_cast<double>(lane(o.x, in)),
                                    static_cast<double>(lane(o.y, in)), static_cast<double>(lane(o.z, in))),
                               vector(b.velocity), vector(b.angularVelocity)};
        }
    }

    void write(int character, const State& state) override
    {
        Kept& kept = groups_[static_cast<std::size_t>(character / width)];
        const int in = character % width;
        for (int k = 0; k < state.q.size(); ++k) setLane(kept.q[k], in, static_cast<Number>(state.q[k]));
        for (int k = 0; k < state.u.size(); ++k) setLane(kept.u[k], in, static_cast<Number>(state.u[k]));
        recursion::place<T>(model_, data_.data(), nullptr, nullptr, kept.q.data(), kept.u.data(),
                            kept.bodies.data());
    }

    void scaleMass(int character, double factor) override
    {
        Kept& kept = groups_[static_cast<std::size_t>(character / width)];
        const int in = character % width;
        setLane(kept.scales.by[1], in, static_cast<Number>(std::sqrt(factor)));
        setLane(kept.scales.by[2], in, static_cast<Number>(factor));
        setLane(kept.massScale, in, static_cast<Number>(factor));
    }

    void setSpring(int character, int joint, double stiffness, double damping) override
    {
        auto& spring = groups_[static_cast<std::size_t>(character / width)].springs[joint];
        setLane(spring.stiffness, character % width, static_cast<Number>(stiffness));
        setLane(spring.damping, character % width, static_cast<Number>(damping));
    }

    void setTarget(int character, int joint, std::span<const double> coordinates) override
    {
        auto& spring = groups_[static_cast<std::size_t>(character / width)].springs[joint];
        double numbers[4] = {};
        for (std::size_t k = 0; k < coordinates.size() && k < 4; ++k) numbers[k] = coordinates[k];
        setLane(spring.rest, character % width,
                Quaternion4<double>{numbers[0], numbers[1], numbers[2], numbers[3]});
        restElsewhere_[static_cast<std::size_t>(joint)] = true;
    }

private:
    static recursion::JointSpring<T> springOf(const Joint& joint)
    {
        Quaternion4<double> rest = small(joint.restRotation);
        if (!joint.isBall()) rest = {joint.rest[0], joint.rest[1], joint.rest[2], 0};
        return {T(joint.stiffness), T(joint.damping), converted<T>(rest)};
    }

    static recursion::JointDrive<Number> driveOf(const Joint& joint)
    {
        const auto number = [](double x) { return static_cast<Number>(x); };
        recursion::JointDrive<Number> drive{};
        drive.hasLimits = joint.limitStiffness > 0;
        drive.hasMotor = joint.hasMotor;
        for (int k = 0; k < 3; ++k) {
            drive.stiffness[k] = number(joint.isBall() ? joint.limitStiffness : joint.limitStiffnessOf(k));
            drive.lower[k] = number(joint.lower[k]);
            drive.upper[k] = number(joint.upper[k]);
        }
        drive.swing = number(joint.swingLimit);
        drive.axis = converted<Number>(small(joint.axis));
        drive.hasTwist = joint.hasTwist;
        drive.twistRatio = number(joint.stiffness > 0 ? joint.twistStiffness / joint.stiffness : 0);
        drive.springAxis = converted<Number>(small(joint.springAxis()));
        if (!joint.hasMotor) return drive;
        Vec6 motor = Vec6::Zero();
        for (int k = 0; k < joint.freedoms(); ++k) motor[k] = joint.motor[joint.described(k)];
        // Given on the second body, here the parent, in its axes.
        drive.isMotorOfParent = joint.isBall() && joint.childIsFirst;
        if (drive.isMotorOfParent)
            motor.head<3>() = -(joint.R_PC_rest.transpose() * Vec3(joint.motor.head<3>()));
        for (int k = 0; k < 6; ++k) drive.motor[k] = number(motor[k]);
        return drive;
    }

    crowd::Group<T> groupOf(Kept& kept, Scratch& s)
    {
        return {data_.data(),
                &kept.massScale,
                kept.springs.data(),
                restElsewhere_.data(),
                drives_.empty() ? nullptr : drives_.data(),
                kept.q.data(),
                kept.u.data(),
                kept.bodies.data(),
                s.links.data(),
                s.gathered.data(),
                s.extras.data(),
                ground_.view(),
                &kept.scales};
    }

    void stepOne(Kept& kept, Scratch& scratch, int steps)
    {
        for (int k = 0; k < steps; ++k) {
            setExtras(kept, scratch);
            step_(model_, groupOf(kept, scratch), h_, isImplicit_);
        }
    }

    // The table of joints, lane by lane.
    void setExtras(const Kept& kept, Scratch& scratch)
    {
        for (std::size_t e = 0; e < scratch.extras.size(); ++e) {
            const int i = model_.extraLinks[e];
            const Joint& joint = model_.joints[i];
            for (int in = 0; in < width; ++in) {
                double q[7] = {}, u[6] = {};
                for (int k = 0; k < joint.coordinates(); ++k)
                    q[k] = static_cast<double>(lane(kept.q[joint.q + k], in));
                for (int k = 0; k < joint.freedoms(); ++k)
                    u[k] = static_cast<double>(lane(kept.u[joint.u + k], in));
                recursion::Extra<double> own;
                recursion::setExtraAt(model_, i, q, u, nullptr, own);
                recursion::setExtraLane(scratch.extras[e], in, own);
            }
        }
    }

    const Model& model_;
    LargeVector<LinkData<Number>> data_;
    std::vector<char> restElsewhere_;  // as in Group
    LargeVector<recursion::JointDrive<Number>> drives_;
    crowd::ModelGround ground_;
    crowd::StepFunction<T> step_;
    double h_;
    bool isImplicit_;
    int threads_ = 1;
    std::vector<Kept> groups_;
    std::vector<Scratch> scratch_;  // of each thread
};

std::unique_ptr<Crowd::Herd> makeHerd(const Model& model, const CrowdSettings& settings)
{
    const bool isWide = crowd::hasWideLanes(), isWidest = crowd::hasWidestLanes();
    const auto made = [&]<class T>(crowd::StepFunction<T> step) -> std::unique_ptr<Crowd::Herd> {
        return std::make_unique<HerdOf<T>>(model, settings, step);
    };
    if (settings.single) {
        if (isWidest && settings.lanes >= 16) return made(crowd::stepSixteenFloats);
        if (isWide && settings.lanes >= 8) return made(crowd::stepEightFloats);
        return settings.lanes >= 4 ? made(crowd::stepFourFloats) : made(crowd::stepOneFloat);
    }
    if (isWidest && settings.lanes >= 8) return made(crowd::stepEightDoubles);
    if (isWide && settings.lanes >= 4) return made(crowd::stepFourDoubles);
    return settings.lanes >= 2 ? made(crowd::stepTwoDoubles) : made(crowd::stepOneDouble);
}

}  // namespace

std::string unsupportedInCrowd(const Model& model)
{
    if (std::string fault = crowd::unsupportedContact(model); !fault.empty()) return fault;
    if (!model.loops.empty()) return "closed loops";
    if (!model.couplings.empty()) return "coupled joints";
    if (!model.prescribed.empty()) return "prescribed motion";
    if (!model.loads.empty()) return "loads";
    if (!model.targets.empty()) return "targets";
    if (!model.switches.empty() || !model.settings.empty()) return "switches";
    if (!model.drives.empty()) return "motors that change, controllers and torque functions";
    if (!model.springs.empty()) return "springs between bodies";
    for (const Wish& wish : model.wishes)
        if (wish.acts) return "wishes that pull";
    if (!model.fields.empty() || !model.drags.empty()) return "media and fields";
    if (!model.meshes.empty()) return "spring meshes";
    if (!model.particles.empty()) return "particles";
    if (model.gravityCompensation != 0) return "gravity compensation";
    for (const Joint& joint : model.joints) {
        const std::string of = " of joint " + quotedName(joint.name);
        if (joint.twistStiffness > 0 && !(joint.stiffness > 0)) return "a spring of the twist alone" + of;
        if (joint.coulomb > 0) return "dry friction" + of;
        if (joint.cone) return "the swing cone" + of;
    }
    return {};
}

Result<Crowd> Crowd::create(const Model& model, const CrowdSettings& settings)
{
    if (settings.count < 1 || settings.count > most)
        return settingFault("count", "is " + std::to_string(settings.count) + "; a crowd is of 1 to " +
                                         std::to_string(most) + " characters");
    if (settings.threads < 1 || settings.threads > mostThreads)
        return settingFault("threads", "is " + std::to_string(settings.threads) + "; there may be 1 to " +
                                           std::to_string(mostThreads));
    if (!(settings.step >= 1e-9 && settings.step <= 1e9))
        return settingFault("step", "must be positive, from 1e-9 to 1e9 seconds");
    if (const std::string law = unsupportedInCrowd(model); !law.empty())
        return Diagnostic{"a crowd does not support " + law};
    // About: what a character keeps for each link.
    const double each =
        static_cast<double>(model.size()) *
        (sizeof(recursion::JointSpring<double>) + sizeof(recursion::Placed<double>) + 7 * sizeof(double)) /
        (settings.single ? 2 : 1);
    if (settings.count * each > memoryAtHand())
        return settingFault("count", "is " + std::to_string(settings.count) + "; they would take " +
                                         bytesText(settings.count * each) + ", and there are " +
                                         bytesText(memoryAtHand()));
    return Crowd(makeHerd(model, settings));
}

Crowd::Crowd(std::unique_ptr<Herd> herd) : herd_(std::move(herd)) {}
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;
Crowd::~Crowd() = default;

int Crowd::size() const
{
    return herd_->count;
}
int Crowd::lanes() const
{
    return herd_->lanes();
}
double Crowd::time() const
{
    return herd_->time;
}
void Crowd::step(int steps)
{
    herd_->step(steps);
}
void Crowd::read(int character, State& state) const
{
    SINEW_ASSERT(character >= 0 && character < size());
    herd_->read(character, state);
}
void Crowd::write(int character, const State& state)
{
    SINEW_ASSERT(character >= 0 && character < size());
    herd_->write(character, state);
}
void Crowd::scaleMass(int character, double factor)
{
    SINEW_ASSERT(character >= 0 && character < size() && factor > 0);
    herd_->scaleMass(character, factor);
}
void Crowd::setSpring(int character, int joint, double stiffness, double damping)
{
    SINEW_ASSERT(character >= 0 && character < size() && joint >= 0 && joint < herd_->jointCount());
    herd_->setSpring(character, joint, stiffness, damping);
}
void Crowd::setTarget(int character, int joint, std::span<const double> coordinates)
{
    SINEW_ASSERT(character >= 0 && character < size() && joint >= 0 && joint < herd_->jointCount());
    herd_->setTarget(character, joint, coordinates);
}

}  // namespace sinew
