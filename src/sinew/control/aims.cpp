#include "sinew/control/aims.h"

#include <algorithm>
#include <cmath>

#include "sinew/control/leg.h"
#include "sinew/math/rotation.h"
#include "sinew/model/joint_curve.h"

namespace sinew {
namespace {

constexpr double settling = 1.2;  // s that the body takes to come over its feet after a step

double smooth(double s)
{
    s = std::clamp(s, 0., 1.);
    return s * s * (3 - 2 * s);
}

// Wanted coordinates of the joint at the end of the step for a pose of its two bodies.
void aimBetween(const BalanceView& view, int link, const BodyState& parent, const BodyState& child,
                BalanceWork& work)
{
    const Joint& joint = view.model.joints[link];
    jointCoordinatesOf(joint, &parent, child, work.q.data() + joint.q, work.u.data() + joint.u);
}

void setRest(const BalanceView& view, BalanceWork& work)
{
    for (const Balance::Strength& strength : view.balance.joints) {
        const Joint& joint = view.model.joints[strength.joint];
        jointRest(joint, work.q.data() + joint.q);
    }
}

// The hip of a leg that bears holds the body in world axes.
void holdUpright(const BalanceView& view, const BalanceLeg& leg, const Quat& orientation, BalanceWork& work)
{
    BodyState body = view.ahead(view.balance.body);
    body.orientation = orientation;
    body.angularVelocity = Vec3::Zero();
    aimBetween(view, leg.hip, body, view.ahead(leg.hip), work);
}

void legBetween(const BalanceView& view, const BalanceLeg& leg, const Pose& body, const Pose& foot,
                BalanceWork& work)
{
    solveLeg(view.model, leg, body, foot, work.q.data());
}

}  // namespace

BalanceView::BalanceView(const Model& itsModel, const Balance& itsBalance, const State& itsState,
                         double step)
    : model(itsModel),
      balance(itsBalance),
      state(itsState),
      h(step),
      memory(itsState.memory.data() + itsBalance.memory),
      heading(headingOfFeet(itsBalance, itsState)),
      center(centerOfMass(itsModel, itsBalance, itsState))
{
    // A foot in the air says nothing of the ground.
    const int mode = static_cast<int>(memory[Balance::mode]);
    int air = -1;
    if (mode == Balance::stepping) air = static_cast<int>(memory[Balance::swing]);
    if (mode == Balance::walking)
        air = 1 - balance.states[static_cast<std::size_t>(memory[Balance::state])].stance;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < static_cast<int>(balance.legs.size()); ++i) {
        if (i == air) continue;
        sum += soleOf(balance.legs[i], state).middle.dot(balance.up);
        ++count;
    }
    ground = sum / count;
    rate = pendulumRate(balance, center.place.dot(balance.up) - ground);
    capture = center.place + center.velocity / rate;
    capture += (ground - capture.dot(balance.up)) * balance.up;
}

BodyState BalanceView::ahead(int body) const
{
    BodyState there = state.bodies[body];
    there.position += h * there.velocity;
    there.orientation = (there.orientation * expRotation(h * there.angularVelocity)).normalized();
    return there;
}

Quat BalanceView::upright(const Heading& looking, double lean) const
{
    return expRotation(lean * looking.sideways) * looking.turnFrom(balance) * balance.orientation;
}

Pose BalanceView::standingPlace() const
{
    Vec3 middle = Vec3::Zero();
    for (const BalanceLeg& leg : balance.legs) middle += soleOf(leg, state).middle;
    middle /= static_cast<double>(balance.legs.size());
    Pose place{middle + heading.out(balance.place), upright(heading)};
    // Feet apart, legs are short: the body comes down until both hips are within reach.
    constexpr double stretched = 0.99;
    double lower = 0;
    for (const BalanceLeg& leg : balance.legs) {
        const Joint& joint = model.joints[leg.hip];
        const Vec3 way = place * joint.anchorParent - soleOf(leg, state).middle;
        const double high = way.dot(heading.up), across = (way - high * heading.up).squaredNorm();
        const double most = stretched * leg.length;
        // The sole is below the ankle, and legs are not quite straight at rest: that the rest pose is
        // itself within reach says how far this goes.
        const double rest = std::sqrt(std::max(leg.length * leg.length - across, 0.25 * most * most));
        if (across > 0.01 * most * most) lower = std::max(lower, high - rest);
    }
    place.position -= lower * heading.up;
    return place;
}

double BalanceView::outside() const
{
    Vec3 middle = Vec3::Zero();
    for (const BalanceLeg& leg : balance.legs) middle += soleOf(leg, state).middle;
    middle /= static_cast<double>(balance.legs.size());
    const Vec3 p = heading.in(capture - middle);
    return SupportPolygon(balance, state, heading, middle, 1).outside(Vec2(p[0], p[1]));
}

// Of a fall forward or backward the foot that is farther behind, of one to the side that on its side.
int BalanceView::nextSwing() const
{
    const Sole soles[2] = {soleOf(balance.legs[0], state), soleOf(balance.legs[1], state)};
    const Vec3 way = heading.in(capture - 0.5 * (soles[0].middle + soles[1].middle));
    const Vec3 apart = heading.in(soles[1].middle - soles[0].middle);
    if (std::abs(way[1]) > std::abs(way[0])) return (apart[1] > 0) == (way[1] > 0) ? 1 : 0;
    const double behind = apart[0] * (way[0] > 0 ? 1 : -1);
    // Side by side: the one that bears less, on the side away from the fall.
    if (std::abs(behind) > 0.05 * balance.legs[0].length) return behind > 0 ? 0 : 1;
    return way[1] * apart[1] > 0 ? 0 : 1;
}

// Where the capture point will be when the foot comes down, as it runs away from the pressure under the
// other: ξ(T) = p + (ξ − p) e^{ω T}; no nearer to the other foot, and no farther from the hip, than the
// figure can.
Vec3 BalanceView::foothold(int swing) const
{
    const BalanceDescription::Step& step = *balance.step;
    const BalanceLeg &leg = balance.legs[swing], &other = balance.legs[1 - swing];
    const Sole bearing = soleOf(other, state);
    const SupportPolygon sole(balance, state, heading, bearing.middle, balance.sole, 1 - swing);
    const Vec3 xi = heading.in(capture - bearing.middle);
    const Vec2 p = sole.nearest(Vec2(xi[0], xi[1]));
    const double left = std::max(memory[Balance::since] + step.time - state.time, 0.);
    const double growth = std::exp(rate * left);
    Vec2 there = p + growth * (Vec2(xi[0], xi[1]) - p);
    const Vec2 fall = Vec2(xi[0], xi[1]) - p;
    if (fall.norm() > 0) there += step.further * leg.length / fall.norm() * fall;
    // Sideways it stays on its own side; where it does not have to go there, it goes as far apart as at
    // rest.
    const Vec3 atRest =
        heading.in(heading.turnFrom(balance) *
                   (model.bodies[leg.foot].rest * leg.sole - model.bodies[other.foot].rest * other.sole));
    const double side = atRest[1] > 0 ? 1 : -1;
    there[1] = side * std::max(side * there[1], std::max(side * atRest[1], step.width * leg.length));
    const Vec3 hip = heading.in(
        state.bodies[balance.body].position + left * center.velocity +
        state.bodies[balance.body].orientation * model.joints[leg.hip].anchorParent - bearing.middle);
    Vec2 way = there - Vec2(hip[0], hip[1]);
    const double most = step.reach * leg.length;
    if (way.norm() > most) there = Vec2(hip[0], hip[1]) + most / way.norm() * way;
    return bearing.middle + heading.out({there[0], there[1], 0});
}

void aimStanding(const BalanceView& view, BalanceWork& work)
{
    const Balance& balance = view.balance;
    setRest(view, work);
    Pose place = view.standingPlace();
    const double* memory = view.memory;
    const double left = 1 - smooth((view.state.time - memory[Balance::since]) / settling);
    place.position +=
        left * Vec3(memory[Balance::lifted], memory[Balance::lifted + 1], memory[Balance::lifted + 2]);
    const Vec3 turned = logRotation(rotationIn(memory + Balance::turned));
    place.orientation = expRotation(left * turned) * place.orientation;
    for (const BalanceLeg& leg : balance.legs) {
        const BodyState& foot = view.state.bodies[leg.foot];
        legBetween(view, leg, place, {foot.position, foot.orientation}, work);
    }
    Vec3 middle = Vec3::Zero();
    for (const BalanceLeg& leg : balance.legs) middle += soleOf(leg, view.state).middle;
    middle /= static_cast<double>(balance.legs.size());
    const GroundForce ground = standingForce(balance, view.state, view.heading, view.center,
                                             middle + view.heading.out(balance.center));
    staticTorques(view.model, balance, view.state, ground, work);
}

void aimStepping(const BalanceView& view, BalanceWork& work)
{
    const Balance& balance = view.balance;
    const BalanceDescription::Step& step = *balance.step;
    const double* memory = view.memory;
    const int swing = static_cast<int>(memory[Balance::swing]);
    const BalanceLeg &leg = balance.legs[swing], &bearing = balance.legs[1 - swing];
    // The foot in the air, at the end of the step, as seen from where the body will be.
    const double s = (view.state.time + view.h - memory[Balance::since]) / step.time;
    const Vec3 from(memory[Balance::lifted], memory[Balance::lifted + 1], memory[Balance::lifted + 2]);
    const Quat turnedFrom = rotationIn(memory + Balance::turned);
    const Quat flat = view.heading.turnFrom(balance) * view.model.bodies[leg.foot].rest.orientation;
    const Vec3 to = view.foothold(swing) - flat * leg.sole;
    const double way = smooth(s / 0.85), up = std::min(s, 1.);
    const double lift = step.lift * leg.length * 16 * up * up * (1 - up) * (1 - up);
    constexpr double down = 0.5;  // lengths of the leg a second, while the ground does not come
    const double late = std::max(s - 1, 0.) * step.time * down * leg.length;
    Pose foot;
    foot.position = from + way * (to - from) + (lift - late) * view.heading.up;
    foot.orientation = expRotation(way * logRotation(flat * turnedFrom.conjugate())) * turnedFrom;
    const BodyState body = view.ahead(balance.body);
    legBetween(view, leg, {body.position, body.orientation}, foot, work);
    // The other one holds the body upright and lets the ankle give way.
    holdUpright(view, bearing, view.upright(view.heading), work);
    work.stiffness[bearing.foot] = 0;
    const GroundForce ground =
        bearingForce(balance, view.state, view.heading, view.center, 1 - swing, view.capture);
    staticTorques(view.model, balance, view.state, ground, work);
}

void aimWalking(const BalanceView& view, BalanceWork& work)
{
    const Balance& balance = view.balance;
    const Balance::State& now = balance.states[static_cast<std::size_t>(view.memory[Balance::state])];
    for (std::size_t i = 0; i < balance.joints.size(); ++i) {
        const Joint& joint = view.model.joints[balance.joints[i].joint];
        std::copy(now.pose[i].begin(), now.pose[i].end(), work.q.data() + joint.q);
    }
    const double turn = balance.turn ? balance.turn->at(view.state.time).value : 0;
    const Heading looking(expRotation(turn * balance.up) * balance.forward, balance.up);
    const BalanceLeg &bearing = balance.legs[now.stance], &swing = balance.legs[1 - now.stance];
    const Quat upright = view.upright(looking, now.lean);

    // The thigh in the air, in world axes.
    const Sole sole = soleOf(bearing, view.state);
    const Vec3 d = looking.in(view.center.place - sole.ankle), v = looking.in(view.center.velocity);
    const double ahead = now.distance[0] * d[0] + now.speed[0] * v[0];
    const double aside = now.distance[1] * d[1] + now.speed[1] * v[1];
    const Joint& hip = view.model.joints[swing.hip];
    const Transform posed = jointTransform(hip, work.q.data() + hip.q);
    const Vec3 feedback =
        ahead * looking.forward.cross(looking.up) + aside * looking.sideways.cross(looking.up);
    BodyState thigh = view.ahead(swing.hip);
    thigh.orientation = (expRotation(feedback) * upright * Quat(posed.R)).normalized();
    thigh.angularVelocity = Vec3::Zero();
    aimBetween(view, swing.hip, view.ahead(balance.body), thigh, work);
    holdUpright(view, bearing, upright, work);

    const GroundForce ground =
        bearingForce(balance, view.state, view.heading, view.center, now.stance, sole.ankle);
    staticTorques(view.model, balance, view.state, ground, work);
}

}  // namespace sinew
