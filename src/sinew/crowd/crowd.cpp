#include "sinew/crowd/crowd.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/memory.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/crowd/ground.h"
#include "sinew/crowd/kernels.h"
#include "sinew/crowd/twins.h"
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

// Each group is a character in each lane; of twins (crowd/twins.h) it is one character, whose links have
// places and lanes.
template <class T>
class HerdOf final : public Crowd::Herd {
    using Number = NumberOf<T>;
    using Drive = recursion::JointDrive<ConstantOf<T>>;
    static constexpr bool isOfTwins = recursion::areTwins<T>;
    static constexpr int width = isOfTwins ? 1 : laneCount<T>;  // characters of a group

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

    // Where the numbers of one character's link are.
    struct Seat {
        int place = 0;
        int lane = 0, end = 1;  // all of them hold the same
    };

public:
    HerdOf(const Model& model, const CrowdSettings& settings, crowd::StepFunction<T> stepOne,
           const std::vector<crowd::TwinPlace>& twins = {})
        : model_(model),
          ground_(crowd::groundOf(model, settings.step)),
          step_(stepOne),
          h_(settings.step),
          isImplicit_(settings.implicitSprings)
    {
        count = settings.count;
        threads_ = settings.threads;
        if constexpr (isOfTwins) {
            data_ = crowd::twinLinks(model, twins);
            setSeats(twins);
        } else {
            for (const LinkData<double>& link : model.links) data_.push_back(converted<Number>(link));
        }
        const std::size_t places = data_.size();
        Scratch scratch;
        scratch.links.resize(places);
        scratch.gathered.resize(places);
        scratch.extras.resize(model.extraLinks.size());
        restElsewhere_.resize(places);
        drives_.resize(places);
        Kept one;
        one.massScale = T(1);
        one.springs.resize(places);
        one.q.resize(static_cast<std::size_t>(model.coordinateCount), T(0));
        one.u.resize(static_cast<std::size_t>(model.freedomCount), T(0));
        one.bodies.resize(places);
        one.scales = {{T(1), T(1), T(1)}};
        setJoints(one);
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
        state.time = time;
        for (int i = 0; i < model_.size(); ++i) {
            const Seat seat = seatOf(character, i);
            const Joint& joint = model_.joints[i];
            const auto& data = data_[static_cast<std::size_t>(seat.place)];
            const auto number = [&](const T& x) { return static_cast<double>(lane(x, seat.lane)); };
            const auto vector = [&](const Vector3<T>& v) {
                return Vec3(number(v.x), number(v.y), number(v.z));
            };
            for (int k = 0; k < joint.coordinates(); ++k) state.q[joint.q + k] = number(kept.q[data.q + k]);
            for (int k = 0; k < joint.freedoms(); ++k) state.u[joint.u + k] = number(kept.u[data.u + k]);
            const recursion::Placed<T>& b = kept.bodies[seat.place];
            const Quaternion4<T>& o = b.orientation;
            state.bodies[i] = {vector(b.position), Quat(number(o.w), number(o.x), number(o.y), number(o.z)),
                               vector(b.velocity), vector(b.angularVelocity)};
        }
    }

    void write(int character, const State& state) override
    {
        Kept& kept = groups_[static_cast<std::size_t>(character / width)];
        for (int i = 0; i < model_.size(); ++i) {
            const Seat seat = seatOf(character, i);
            const Joint& joint = model_.joints[i];
            const auto& data = data_[static_cast<std::size_t>(seat.place)];
            for (int in = seat.lane; in < seat.end; ++in) {
                for (int k = 0; k < joint.coordinates(); ++k)
                    setLane(kept.q[data.q + k], in, static_cast<Number>(state.q[joint.q + k]));
                for (int k = 0; k < joint.freedoms(); ++k)
                    setLane(kept.u[data.u + k], in, static_cast<Number>(state.u[joint.u + k]));
            }
        }
        recursion::place<T>(model_, data_.data(), nullptr, nullptr, kept.q.data(), kept.u.data(),
                            kept.bodies.data(), 0, static_cast<int>(data_.size()));
    }

    void scaleMass(int character, double factor) override
    {
        Kept& kept = groups_[static_cast<std::size_t>(character / width)];
        if constexpr (isOfTwins) {
            kept.massScale = T(factor);
        } else {
            const int in = character % width;
            setLane(kept.scales.by[1], in, static_cast<Number>(std::sqrt(factor)));
            setLane(kept.scales.by[2], in, static_cast<Number>(factor));
            setLane(kept.massScale, in, static_cast<Number>(factor));
        }
    }

    void setSpring(int character, int joint, double stiffness, double damping) override
    {
        const Seat seat = seatOf(character, joint);
        auto& spring = groups_[static_cast<std::size_t>(character / width)].springs[seat.place];
        for (int in = seat.lane; in < seat.end; ++in) {
            setLane(spring.stiffness, in, static_cast<Number>(stiffness));
            setLane(spring.damping, in, static_cast<Number>(damping));
        }
    }

    void setTarget(int character, int joint, std::span<const double> coordinates) override
    {
        const Seat seat = seatOf(character, joint);
        auto& spring = groups_[static_cast<std::size_t>(character / width)].springs[seat.place];
        double numbers[4] = {};
        for (std::size_t k = 0; k < coordinates.size() && k < 4; ++k) numbers[k] = coordinates[k];
        for (int in = seat.lane; in < seat.end; ++in)
            setLane(spring.rest, in, Quaternion4<double>{numbers[0], numbers[1], numbers[2], numbers[3]});
        restElsewhere_[static_cast<std::size_t>(seat.place)] = true;
    }

private:
    void setSeats(const std::vector<crowd::TwinPlace>& twins)
    {
        seats_.resize(model_.bodies.size());
        for (std::size_t p = 0; p < twins.size(); ++p) {
            const int place = static_cast<int>(p);
            seats_[static_cast<std::size_t>(twins[p].second)] = {place, 1, 2};
            seats_[static_cast<std::size_t>(twins[p].first)] = {place, 0, twins[p].isPair() ? 1 : 2};
        }
    }
    Seat seatOf(int character, int link) const
    {
        if constexpr (isOfTwins) return seats_[static_cast<std::size_t>(link)];
        return {link, character % width, character % width + 1};
    }

    // Springs of one group, and what is the same in all.
    void setJoints(Kept& one)
    {
        bool hasDrives = false;
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const Seat seat = seatOf(0, i);
            const auto place = static_cast<std::size_t>(seat.place);
            restElsewhere_[place] |= !(joint.restRotation.coeffs() == Quat::Identity().coeffs());
            hasDrives |= joint.limitStiffness > 0 || joint.hasMotor || joint.hasTwist;
            // In all lanes, or in the last one.
            setSpring(joint, seat.lane, laneCount<T>, one.springs[place]);
            for (int in = seat.lane; in < seat.end; ++in) setDrive(joint, in, drives_[place]);
        }
        if (!hasDrives) drives_.clear();
    }

    static void setSpring(const Joint& joint, int lane, int end, recursion::JointSpring<T>& spring)
    {
        Quaternion4<double> rest = small(joint.restRotation);
        if (!joint.isBall()) rest = {joint.rest[0], joint.rest[1], joint.rest[2], 0};
        for (int in = lane; in < end; ++in) {
            setLane(spring.stiffness, in, static_cast<Number>(joint.stiffness));
            setLane(spring.damping, in, static_cast<Number>(joint.damping));
            setLane(spring.rest, in, rest);
        }
    }

    static void setDrive(const Joint& joint, int in, Drive& drive)
    {
        const auto set = [in](auto& to, double x) { setLane(to, in, static_cast<Number>(x)); };
        drive.hasLimits = joint.limitStiffness > 0;
        drive.hasMotor = joint.hasMotor;
        for (int k = 0; k < 3; ++k) {
            set(drive.stiffness[k], joint.isBall() ? joint.limitStiffness : joint.limitStiffnessOf(k));
            set(drive.lower[k], joint.lower[k]);
            set(drive.upper[k], joint.upper[k]);
        }
        set(drive.swing, joint.swingLimit);
        setLane(drive.axis, in, small(joint.axis));
        drive.hasTwist = joint.hasTwist;
        set(drive.twistRatio, joint.stiffness > 0 ? joint.twistStiffness / joint.stiffness : 0);
        setLane(drive.springAxis, in, small(joint.springAxis()));
        Vec6 motor = Vec6::Zero();
        if (joint.hasMotor)
            for (int k = 0; k < joint.freedoms(); ++k) motor[k] = joint.motor[joint.described(k)];
        // Given on the second body, here the parent, in its axes.
        drive.isMotorOfParent = joint.hasMotor && joint.isBall() && joint.childIsFirst;
        if (drive.isMotorOfParent)
            motor.head<3>() = -(joint.R_PC_rest.transpose() * Vec3(joint.motor.head<3>()));
        for (int k = 0; k < 6; ++k) set(drive.motor[k], motor[k]);
    }

    crowd::Group<T> groupOf(Kept& kept, Scratch& s)
    {
        return {data_.data(),          static_cast<int>(data_.size()),
                &kept.massScale,       kept.springs.data(),
                restElsewhere_.data(), drives_.empty() ? nullptr : drives_.data(),
                kept.q.data(),         kept.u.data(),
                kept.bodies.data(),    s.links.data(),
                s.gathered.data(),     s.extras.data(),
                ground_.view(),        &kept.scales};
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
            for (int in = 0; in < laneCount<T>; ++in) {
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
    LargeVector<LinkData<ConstantOf<T>>> data_;
    std::vector<Seat> seats_;          // of links, where they are of twins
    std::vector<char> restElsewhere_;  // as in Group
    LargeVector<Drive> drives_;
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
    const bool isAvx = crowd::hasThreeOperands();
    const auto made = [&]<class T>(crowd::StepFunction<T> step) -> std::unique_ptr<Crowd::Herd> {
        return std::make_unique<HerdOf<T>>(model, settings, step);
    };
    const bool isAlone = settings.lanes < 2 || settings.count == 1;
    if (!settings.single && isAlone && crowd::groundOf(model, settings.step).pairs.empty())
        if (const std::vector<crowd::TwinPlace> twins = crowd::findTwins(model); !twins.empty())
            return std::make_unique<HerdOf<recursion::Twins>>(
                model, settings, isAvx ? crowd::stepTwinsByAvx : crowd::stepTwins, twins);
    if (settings.single) {
        if (isWidest && settings.lanes >= 16) return made(crowd::stepSixteenFloats);
        if (isWide && settings.lanes >= 8) return made(crowd::stepEightFloats);
        return settings.lanes >= 4 ? made(crowd::stepFourFloats)
                                   : made(isAvx ? crowd::stepOneFloatByAvx : crowd::stepOneFloat);
    }
    if (isWidest && settings.lanes >= 8) return made(crowd::stepEightDoubles);
    if (isWide && settings.lanes >= 4) return made(crowd::stepFourDoubles);
    return settings.lanes >= 2 ? made(crowd::stepTwoDoubles)
                               : made(isAvx ? crowd::stepOneDoubleByAvx : crowd::stepOneDouble);
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
