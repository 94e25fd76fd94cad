#include "sinew/optimize/motion_contact.h"

#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/state/jacobian.h"

namespace sinew {
namespace {

// A point of a body that turns and moves, and what weights on it are by the body.
struct MovingPoint {
    int body;
    Vec3 arm, spin, velocity;

    MovingPoint(const State& state, int of, const Vec3& point) : body(of)
    {
        const BodyState& b = state.bodies[of];
        arm = b.orientation * point;
        spin = b.angularVelocityWorld();
        velocity = b.velocity + spin.cross(arm);
    }
    Vec3 place(const State& state) const { return state.bodies[body].position + arm; }
    Vec3 acceleration(const State& state, const Motion& own) const
    {
        const BodyState& b = state.bodies[body];
        const Vec3 v = b.orientation.conjugate() * b.velocity;
        const Vec3 centre = b.orientation * (own.linear + b.angularVelocity.cross(v));
        return centre + (b.orientation * own.angular).cross(arm) + spin.cross(spin.cross(arm));
    }

    void byPlace(const Vec3& e, LargeVector<BodyChange>& weights) const
    {
        weights[body].place = weights[body].place + Motion{e, arm.cross(e)};
    }
    void byVelocity(const Vec3& e, LargeVector<BodyChange>& weights) const
    {
        weights[body].velocity = weights[body].velocity + Motion{e, arm.cross(e)};
        weights[body].place.angular += arm.cross(e.cross(spin));
    }
    void byAcceleration(const State& state, const Motion& own, const Vec3& e,
                        LargeVector<BodyChange>& weights) const
    {
        BodyChange& weight = weights[body];
        weight.acceleration = weight.acceleration + Motion{e, arm.cross(e)};
        // ω × (ω × r) by ω, and all of it by r.
        weight.velocity.angular += spin.cross(arm).cross(e) + arm.cross(e.cross(spin));
        const Vec3 turning = state.bodies[body].orientation * own.angular;
        weight.place.angular += arm.cross(e.cross(turning) + e.cross(spin).cross(spin));
    }
};

// What says that a body does not move, once: of points that span a plane the motion of their middle and
// the turning of the body, of points on a line that of the middle and of one of them across the line. As
// many rows as there are points would contradict each other as soon as the body turns a little.
struct Support {
    Vec3 middle = Vec3::Zero();  // body axes
    double radius = 0;           // of the points around it, in the mean
    Vec3 end = Vec3::Zero();     // of a line: the farthest point
    enum { point, line, plane } shape = point;
    double weight = 1;  // rows count as those of all points together

    explicit Support(const std::vector<Vec3>& points)
    {
        const double count = static_cast<double>(points.size());
        for (const Vec3& p : points) middle += p / count;
        double square = 0, farthest = 0;
        for (const Vec3& p : points) {
            const double way = (p - middle).squaredNorm();
            square += way / count;
            if (way > farthest) end = p;
            farthest = std::max(farthest, way);
        }
        radius = std::sqrt(square);
        weight = std::sqrt(count);
        constexpr double little = 1e-6;
        if (!(square > 0)) return;
        shape = line;
        for (const Vec3& p : points)
            if ((p - middle).cross(end - middle).norm() > little * farthest) shape = plane;
    }
    // The directions across the line, body axes.
    Vec3 across(int k) const
    {
        const Directors directors = directorsAcross((end - middle).normalized());
        return k == 0 ? directors.first : directors.second;
    }
};

}  // namespace

int placesAt(const MotionProblem& problem, double time)
{
    int places = 0;
    eachPhase(problem, time, [&](const ContactPhase& phase, int) { places += placesOf(phase); });
    return places;
}

double placeUnit(const MotionProblem& problem, const ContactPhase& phase, int place)
{
    return phase.isHold() && place == 1 ? problem.force : problem.force / problem.length;
}

void addPlaceForce(const State& state, const ContactPhase& phase, int place, const Vec3& f, Forces& forces,
                   ForceTangents* tangents)
{
    if (phase.isHold() && place == 1) {
        forces.body[phase.body] += Force{Vec3::Zero(), f};
        forces.body[phase.holder] += Force{Vec3::Zero(), -f};
        return;
    }
    const auto push = [&](int body, const Vec3& point, const Vec3& force) {
        const Vec3 arm = state.bodies[body].orientation * point;
        forces.body[body] += Force{force, arm.cross(force)};
        if (!tangents || point.isZero()) return;
        // The force stays, its arm turns.
        BodyTangent& tangent = tangents->bodies.emplace_back();
        tangent.body = body;
        tangent.stiffness.bottomRightCorner<3, 3>() = -(tilde(force) * tilde(arm));
    };
    if (phase.isHold()) {
        push(phase.body, Vec3::Zero(), f);
        push(phase.holder, phase.held.position, -f);
    } else {
        push(phase.body, phase.points[static_cast<std::size_t>(place)], f);
    }
}

void placeJacobian(const Model& model, const State& state, const ContactPhase& phase, int place, MatX& J)
{
    if (!phase.isHold())
        return pointJacobian(model, state, phase.body, phase.points[static_cast<std::size_t>(place)], J);
    MatX holders;
    if (place == 0) {
        pointJacobian(model, state, phase.body, Vec3::Zero(), J);
        pointJacobian(model, state, phase.holder, phase.held.position, holders);
    } else {
        turnJacobian(model, state, phase.body, J);
        turnJacobian(model, state, phase.holder, holders);
    }
    J -= holders;
}

void addBeginRows(const MotionMoment& moment, const MotionProblem& problem, const ContactPhase& phase,
                  int name, MotionRows& rows)
{
    const State& state = moment.state;
    const double byLength = 1 / problem.length, bySpeed = problem.duration / problem.length;
    const auto add = [&](double value, double scale, const auto& weigh) {
        LargeVector<BodyChange> weights(moment.model.bodies.size());
        weigh(weights);
        moment.addRow(RowKind::equal, name, value, scale, weights, rows);
    };
    if (!phase.isHold()) {
        for (const Vec3& point : phase.points) {
            const MovingPoint p(state, phase.body, point);
            add(phase.normal.dot(p.place(state)) - phase.height, byLength,
                [&](auto& weights) { p.byPlace(phase.normal, weights); });
        }
        const Support support(phase.points);
        const double scale = support.weight * bySpeed;
        const MovingPoint middle(state, phase.body, support.middle), end(state, phase.body, support.end);
        for (int k = 0; k < 3; ++k)
            add(middle.velocity[k], scale,
                [&](auto& weights) { middle.byVelocity(Vec3::Unit(k), weights); });
        for (int k = 0; k < 3 && support.shape == Support::plane; ++k)
            add(middle.spin[k], scale * support.radius,
                [&](auto& weights) { weights[phase.body].velocity.angular += Vec3::Unit(k); });
        for (int k = 0; k < 2 && support.shape == Support::line; ++k) {
            const Vec3 e = state.bodies[phase.body].orientation * support.across(k),
                       relative = end.velocity - middle.velocity;
            add(e.dot(relative), scale, [&](auto& weights) {
                end.byVelocity(e, weights);
                middle.byVelocity(-e, weights);
                weights[phase.body].place.angular += e.cross(relative);
            });
        }
        return;
    }
    const MovingPoint own(state, phase.body, Vec3::Zero()), its(state, phase.holder, phase.held.position);
    const Quat wanted = state.bodies[phase.holder].orientation * phase.held.orientation;
    const Vec3 turn = logRotation(state.bodies[phase.body].orientation * wanted.conjugate());
    const Mat3 byOwn = leftJacobianInverse(turn), byIts = rightJacobianInverse(turn);
    for (int k = 0; k < 3; ++k) {
        const Vec3 e = Vec3::Unit(k);
        add((own.place(state) - its.place(state))[k], byLength, [&](auto& weights) {
            own.byPlace(e, weights);
            its.byPlace(-e, weights);
        });
        add((own.velocity - its.velocity)[k], bySpeed, [&](auto& weights) {
            own.byVelocity(e, weights);
            its.byVelocity(-e, weights);
        });
        add(turn[k], 1, [&](auto& weights) {
            weights[phase.body].place.angular += byOwn.row(k).transpose();
            weights[phase.holder].place.angular -= byIts.row(k).transpose();
        });
        add((own.spin - its.spin)[k], problem.duration, [&](auto& weights) {
            weights[phase.body].velocity.angular += e;
            weights[phase.holder].velocity.angular -= e;
        });
    }
}

void addRestRows(const MotionMoment& moment, const LargeVector<Motion>& accelerations,
                 const ContactPhase& phase, int name, double scale, double length, MotionRows& rows)
{
    const State& state = moment.state;
    const auto add = [&](double value, double unit, const auto& weigh) {
        LargeVector<BodyChange> weights(moment.model.bodies.size());
        weigh(weights);
        moment.addRow(RowKind::equal, name, value, unit, weights, rows);
    };
    const Motion& a = accelerations[phase.body];
    if (!phase.isHold()) {
        const Support support(phase.points);
        const double own = support.weight * scale;
        const MovingPoint middle(state, phase.body, support.middle), end(state, phase.body, support.end);
        const Vec3 value = middle.acceleration(state, a);
        for (int k = 0; k < 3; ++k)
            add(value[k], own,
                [&](auto& weights) { middle.byAcceleration(state, a, Vec3::Unit(k), weights); });
        const Vec3 turning = state.bodies[phase.body].orientation * a.angular;
        for (int k = 0; k < 3 && support.shape == Support::plane; ++k)
            add(turning[k], own * support.radius,
                [&](auto& weights) { weights[phase.body].acceleration.angular += Vec3::Unit(k); });
        for (int k = 0; k < 2 && support.shape == Support::line; ++k) {
            const Vec3 e = state.bodies[phase.body].orientation * support.across(k),
                       relative = end.acceleration(state, a) - value;
            add(e.dot(relative), own, [&](auto& weights) {
                end.byAcceleration(state, a, e, weights);
                middle.byAcceleration(state, a, -e, weights);
                weights[phase.body].place.angular += e.cross(relative);
            });
        }
        return;
    }
    const Motion& b = accelerations[phase.holder];
    const MovingPoint own(state, phase.body, Vec3::Zero()), its(state, phase.holder, phase.held.position);
    const Vec3 apart = own.acceleration(state, a) - its.acceleration(state, b);
    const Vec3 turning = state.bodies[phase.body].orientation * a.angular -
                         state.bodies[phase.holder].orientation * b.angular;
    for (int k = 0; k < 3; ++k) {
        const Vec3 e = Vec3::Unit(k);
        add(apart[k], scale, [&](auto& weights) {
            own.byAcceleration(state, a, e, weights);
            its.byAcceleration(state, b, -e, weights);
        });
        add(turning[k], scale * length, [&](auto& weights) {
            weights[phase.body].acceleration.angular += e;
            weights[phase.holder].acceleration.angular -= e;
        });
    }
}

}  // namespace sinew
