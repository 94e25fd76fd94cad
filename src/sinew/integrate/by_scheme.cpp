#include "sinew/integrate/by_scheme.h"

#include "sinew/integrate/evaluate.h"

namespace sinew {
namespace {

// What one freedom's motion is measured by: 1 rad, or the length of its skeleton.
double unitOf(const Model& model, const BodyCoordinates&, int freedom)
{
    const bool turns = freedom % 6 >= 3;
    return turns ? 1 : model.skeletons[model.skeletonOf[freedom / 6]].length;
}
double unitOf(const Model& model, const JointCoordinates&, int freedom)
{
    return model.freedomUnits[freedom];
}

// The freedoms of a skeleton: [first, last).
std::pair<int, int> freedomsOf(const Model&, const BodyCoordinates&, const Skeleton& skeleton)
{
    return {6 * skeleton.first, 6 * (skeleton.first + skeleton.count)};
}
std::pair<int, int> freedomsOf(const Model& model, const JointCoordinates&, const Skeleton& skeleton)
{
    const Joint& last = model.joints[skeleton.first + skeleton.count - 1];
    return {model.joints[skeleton.first].u, last.u + last.freedoms()};
}

template <class Coordinates>
class SkeletonSystem final : public ode::SecondOrder {
public:
    SkeletonSystem(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                   StepWork& work)
        : model_(model),
          method_(method),
          forces_(forces),
          h_(h),
          state_(state),
          work_(work),
          own_(work.schemes)
    {
        const int n = Coordinates::size(model);
        for (VecX* each : {&own_.delta, &own_.velocity, &own_.rate}) each->resize(n);
        own_.stage = state;
    }

    int size() const override { return Coordinates::size(model_); }
    void accelerate(double t, ode::In x, ode::In v, ode::Out a) override
    {
        const State& there = place(t, x, v);
        evaluate(model_, method_, forces_, there, work_);
        Coordinates::readAcceleration(model_, there, work_.accelerations, own_.rate);
        copy(own_.rate, a);
    }
    void rates(double t, ode::In x, ode::In v, ode::Out rate, ode::Out a) override
    {
        accelerate(t, x, v, a);
        // As it is after prescribed joints and loops have had their say.
        Coordinates::readVelocity(model_, isStart(t) ? state_ : own_.stage, own_.velocity);
        Coordinates::chartRate(model_, own_.delta, own_.velocity, own_.rate);
        copy(own_.rate, rate);
    }
    bool rebase(double t, ode::Out x, ode::Out v) override
    {
        read(x, v);
        Coordinates::move(model_, state_, own_.delta, own_.velocity, t - state_.time, state_);
        state_.time = t;
        settle<Coordinates>(model_, state_, work_);
        std::fill(x.begin(), x.end(), 0.);
        Coordinates::readVelocity(model_, state_, own_.velocity);
        copy(own_.velocity, v);
        return settlesNothing<Coordinates>(model_);
    }

    // The largest error of a place by the length of its skeleton (of an angle by 1 rad) and of a velocity
    // by the fastest in its skeleton in the same units; motion below a thousandth of that in a step counts
    // as so much.
    double errorSize(ode::In before, ode::In after, ode::In error, const ode::Tolerance& tolerance) override
    {
        const std::size_t n = static_cast<std::size_t>(size());
        double largest = 0;
        for (const Skeleton& skeleton : model_.skeletons) {
            const auto [first, last] = freedomsOf(model_, Coordinates(), skeleton);
            double speed = 1e-3 / h_;
            for (int i = first; i < last; ++i)
                speed = std::max(speed, std::max(std::abs(before[n + i]), std::abs(after[n + i])) /
                                            unitOf(model_, Coordinates(), i));
            for (int i = first; i < last; ++i) {
                const double unit = unitOf(model_, Coordinates(), i);
                const double part = std::abs(error[i]) / unit + std::abs(error[n + i]) / (unit * speed);
                if (!std::isfinite(part)) return part;
                largest = std::max(largest, part);
            }
        }
        return largest / tolerance.relative;
    }

private:
    bool isStart(double t) const { return t == state_.time; }

    static void copy(const VecX& from, ode::Out to)
    {
        std::copy(from.data(), from.data() + from.size(), to.begin());
    }
    void read(ode::In x, ode::In v)
    {
        std::copy(x.begin(), x.end(), own_.delta.data());
        std::copy(v.begin(), v.end(), own_.velocity.data());
    }
    // The state at a place of the chart; at its origin the one that is there.
    const State& place(double t, ode::In x, ode::In v)
    {
        read(x, v);
        if (isStart(t)) return state_;
        Coordinates::move(model_, state_, own_.delta, own_.velocity, t - state_.time, own_.stage);
        own_.stage.time = t;
        settle<Coordinates>(model_, own_.stage, work_);
        return own_.stage;
    }

    const Model& model_;
    const Method& method_;
    ForceFunction forces_;
    double h_;
    State& state_;
    StepWork& work_;
    SchemeWork& own_;
};

}  // namespace

template <class Coordinates, SchemeName name>
void stepByScheme(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                  StepWork& work)
{
    static const ode::Scheme& scheme = *ode::findScheme(name.text);
    SchemeWork& own = work.schemes;
    SkeletonSystem<Coordinates> system(model, method, forces, h, state, work);
    own.x.assign(static_cast<std::size_t>(system.size()), 0.);
    own.v.resize(own.x.size());
    Coordinates::readVelocity(model, state, own.velocity);
    std::copy(own.velocity.data(), own.velocity.data() + own.velocity.size(), own.v.begin());
    own.ode.restart();
    own.ode.statistics = {};
    own.ode.tolerance.relative = work.settings.tolerance;
    own.ode.stop = work.stop;
    if (!ode::step(scheme, system, state.time, h, own.x, own.v, own.ode)) work.statistics.failed = true;
    work.statistics.rejected += own.ode.statistics.rejected;
}

#define SINEW_STEP_BY_SCHEME(coordinates, name)                                                       \
    template void stepByScheme<coordinates, name>(const Model&, const Method&, ForceFunction, double, \
                                                  State&, StepWork&)
SINEW_STEP_BY_SCHEME(BodyCoordinates, "midpoint");
SINEW_STEP_BY_SCHEME(JointCoordinates, "midpoint");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "heun");
SINEW_STEP_BY_SCHEME(JointCoordinates, "heun");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "heun_slides");
SINEW_STEP_BY_SCHEME(JointCoordinates, "heun_slides");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "semi_implicit_slides");
SINEW_STEP_BY_SCHEME(JointCoordinates, "semi_implicit_slides");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "dormand_prince");
SINEW_STEP_BY_SCHEME(JointCoordinates, "dormand_prince");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "velocity_verlet");
SINEW_STEP_BY_SCHEME(JointCoordinates, "velocity_verlet");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "position_verlet");
SINEW_STEP_BY_SCHEME(BodyCoordinates, "leapfrog");
#undef SINEW_STEP_BY_SCHEME

}  // namespace sinew
