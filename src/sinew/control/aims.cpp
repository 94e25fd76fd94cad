#include "sinew/control/aims.h"

#include <algorithm>
#include <cmath>

#include "sinew/control/leg.h"
#include "sinew/math/rotation.h"
#include "sinew/model/joint_curve.h"

namespace sinew {
namespace {

constexpr double lowered = 0.06;  // of the leg: how far the body comes down in a step
constexpr double swinging = 2;    // of stiffness and damping: the leg in the air
constexpr double pressing =
    0.6;                         // of the way from the ankle to the capture point: where pressure is wanted
constexpr double holding = 1.6;  // likewise, while the capture point is over the foot that bears
constexpr double foreseen = 0.1;     // s: how long before its time a step to the side is begun
constexpr double stretched = 0.985;  // of a straight leg: knees stay a little bent
constexpr double ankle = 1.6;        // of stiffness: the ankle that bears
constexpr double outer = 0.06;       // of the leg: how far beside the capture point a foot is put down
constexpr double widened = 1.6;      // of the feet's distance at rest: one has stepped aside
constexpr double settling = 1.6;     // s that the body takes to come over its feet after a step

double smooth(double s)
{
    s = std::clamp(s, 0., 1.);
    return s * s * (3 - 2 * s);
}

// eˣ of x in [0, 16) to rounding, by additions and multiplications alone: C libraries differ in the last
// place, and a motion would not be the same in a browser (math/trigonometry.h).
double exponential(double x)
{
    constexpr int halvings = 6, terms = 13;
    const double y = std::min(x, 16.) / (1 << halvings);
    double sum = 1;
    for (int k = terms; k > 0; --k) sum = 1 + sum * y / k;
    for (int k = 0; k < halvings; ++k) sum *= sum;
    return sum;
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

// A foot out of reach is aimed at on the way to it.
void legBetween(const BalanceView& view, const BalanceLeg& leg, const Pose& body, Pose foot,
                BalanceWork& work)
{
    const Vec3 hip = body * view.model.joints[leg.hip].anchorParent;
    const Vec3 way = foot * leg.ankle - hip;
    const double most = stretched * leg.straight, distance = way.norm();
    if (distance > most) foot.position -= (1 - most / distance) * way;
    solveLeg(view.model, leg, body, foot, work.q.data());
}

Heading rememberedHeading(const Balance& balance, const State& state)
{
    const double angle = state.memory[balance.memory + Balance::heading];
    return {expRotation(angle * balance.up) * balance.forward, balance.up};
}

}  // namespace

BalanceView::BalanceView(const Model& itsModel, const Balance& itsBalance, const State& itsState,
                         double step)
    : model(itsModel),
      balance(itsBalance),
      state(itsState),
      h(step),
      memory(itsState.memory.data() + itsBalance.memory),
      heading(rememberedHeading(itsBalance, itsState)),
      center(centerOfMass(itsModel, itsBalance, itsState))
{
    const int mode = static_cast<int>(memory[Balance::mode]);
    const int count = static_cast<int>(balance.legs.size());
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (mode == Balance::standing) bears[i] = footTouches(model, balance, balance.legs[i], state, h);
        if (mode == Balance::stepping) bears[i] = i != static_cast<int>(memory[Balance::swing]);
        if (mode == Balance::walking)
            bears[i] = i == balance.states[static_cast<std::size_t>(memory[Balance::state])].stance;
        any |= bears[i];
    }
    // As a run begins nothing is known of touches.
    if (!any) bears = {true, count == 2};
    // With both feet on the ground it looks where they do; otherwise where it looked before.
    if (bears[0] && bears[1] && mode == Balance::standing) heading = headingOfFeet(balance, state);
    // A foot in the air says nothing of the ground.
    ground = 0;
    middle = Vec3::Zero();
    for (int i = 0; i < count; ++i) {
        const Vec3 sole = soleOf(balance.legs[i], state).middle;
        middle += sole / count;
        if (bears[i]) ground += sole.dot(balance.up) / (bears[0] + bears[1]);
    }
    middle = onGround(middle);
    rate = pendulumRate(balance, center.place.dot(balance.up) - ground);
    capture = onGround(center.place + center.velocity / rate);
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
    Pose place{middle + heading.out(balance.place), upright(heading)};
    // Feet apart, legs are short: the body comes down until both ankles are within reach.
    double lower = 0;
    for (const BalanceLeg& leg : balance.legs) {
        const Vec3 lift = heading.up * (ground - soleOf(leg, state).middle.dot(heading.up));
        const Vec3 way = place * model.joints[leg.hip].anchorParent - soleOf(leg, state).ankle - lift;
        const double high = way.dot(heading.up), across = (way - high * heading.up).squaredNorm();
        const double most = stretched * leg.straight;
        lower = std::max(lower, high - std::sqrt(std::max(most * most - across, 0.1 * most * most)));
    }
    place.position -= lower * heading.up;
    return place;
}

double BalanceView::outside() const
{
    const Vec3 p = heading.in(capture - middle);
    return SupportPolygon(balance, state, heading, middle, 1).outside(Vec2(p[0], p[1]));
}

// The one that is in the air already. Of a fall forward or backward the foot that is farther behind, of one
// to the side that on its side.
int BalanceView::nextSwing() const
{
    if (bears[0] != bears[1]) return bears[0] ? 1 : 0;
    const Sole soles[2] = {soleOf(balance.legs[0], state), soleOf(balance.legs[1], state)};
    const Vec3 way = heading.in(capture - 0.5 * (soles[0].middle + soles[1].middle));
    const Vec3 apart = heading.in(soles[1].middle - soles[0].middle);
    if (std::abs(way[1]) > std::abs(way[0]) || fallsAside()) {
        const int outer = (apart[1] > 0) == (way[1] > 0) ? 1 : 0;
        // With the feet wide apart the one on that side bears: it stays, and the other comes up to it.
        const bool wide = std::abs(apart[1]) > widened * std::abs(apartAtRest(0)[1]);
        return wide ? 1 - outer : outer;
    }
    const double behind = apart[0] * (way[0] > 0 ? 1 : -1);
    // Side by side: the one that bears less, on the side away from the fall. Straight ahead rounding would
    // choose, and another one in a mirror: then it is the first.
    constexpr double straight = 1e-6;
    if (std::abs(behind) > 0.05 * balance.legs[0].length) return behind > 0 ? 0 : 1;
    if (std::abs(way[1]) < straight * balance.legs[0].length) return 0;
    return way[1] * apart[1] > 0 ? 0 : 1;
}

// A step to the side has to begin while both feet bear: soon the foot on the side of the push has all of
// the weight, and cannot be lifted. How the capture point moves, ċ + c̈/ω, tells it early.
bool BalanceView::fallsAside() const
{
    if (state.previous.size() != state.bodies.size()) return false;
    const Skeleton& skeleton = model.skeletons[balance.skeleton];
    Vec3 before = Vec3::Zero();
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i)
        before += model.bodies[i].mass / balance.mass * state.previous[i].velocity;
    const Vec3 moves = center.velocity + (center.velocity - before) / (h * rate);
    const Vec3 soon = heading.in(capture + foreseen * moves - middle);
    const Vec3 now = heading.in(capture - middle);
    const double side = now[1] > 0 ? 1 : -1;
    if (side * soon[1] < std::max(2 * std::abs(soon[0]), std::abs(now[1]))) return false;
    return SupportPolygon(balance, state, heading, middle, 1).outside(Vec2(0, soon[1])) > 0;
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
    const double growth = exponential(rate * left);
    Vec2 there = p + growth * (Vec2(xi[0], xi[1]) - p);
    const Vec2 fall = Vec2(xi[0], xi[1]) - p;
    if (fall.norm() > 0) there += step.further * leg.length / fall.norm() * fall;
    there[1] += (apartAtRest(swing)[1] > 0 ? 1 : -1) * outer * leg.length;
    // Sideways it stays on its own side; where it does not have to go there, it goes as far apart as at
    // rest.
    const double rest = apartAtRest(swing)[1], side = rest > 0 ? 1 : -1;
    there[1] = side * std::max(side * there[1], std::max(side * rest, step.width * leg.length));
    const BodyState& body = state.bodies[balance.body];
    const Vec3 anchor = body.orientation * model.joints[leg.hip].anchorParent;
    const Vec3 hip = heading.in(body.position + left * center.velocity + anchor - bearing.middle);
    const Vec2 way = there - Vec2(hip[0], hip[1]);
    const double most = step.reach * leg.length;
    if (way.norm() > most) there = Vec2(hip[0], hip[1]) + most / way.norm() * way;
    return bearing.middle + heading.out({there[0], there[1], 0});
}

Vec3 BalanceView::apartAtRest(int of) const
{
    const BalanceLeg &leg = balance.legs[of], &other = balance.legs[1 - of];
    return heading.in(heading.turnFrom(balance) * (model.bodies[leg.foot].rest * leg.sole -
                                                   model.bodies[other.foot].rest * other.sole));
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
    for (std::size_t i = 0; i < balance.legs.size(); ++i) {
        const BalanceLeg& leg = balance.legs[i];
        const BodyState& now = view.state.bodies[leg.foot];
        Pose foot{now.position, now.orientation};
        if (!view.bears[i]) {  // it is put down where it is
            foot.orientation = view.flat(leg);
            Vec3 there = view.onGround(soleOf(leg, view.state).middle);
            if (balance.legs.size() == 2) {
                const Vec3 other = view.onGround(soleOf(balance.legs[1 - i], view.state).middle);
                const double rest = view.apartAtRest(static_cast<int>(i))[1], side = rest > 0 ? 1 : -1;
                Vec3 apart = view.heading.in(there - other);
                apart[1] = side * std::max(side * apart[1], 0.8 * side * rest);
                there = other + view.heading.out(apart);
            }
            foot.position = there - foot.orientation * leg.sole;
        }
        legBetween(view, leg, place, foot, work);
    }
    const GroundForce ground = standingForce(balance, view.state, view.heading, view.center, view.bears,
                                             view.middle, view.middle + view.heading.out(balance.center));
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
    const Quat flat = view.flat(leg);
    const Vec3 to = view.foothold(swing) - flat * leg.sole;
    const double way = smooth(s / 0.96), up = std::min(s, 1.);
    const double lift = step.lift * leg.length * 16 * up * up * (1 - up) * (1 - up);
    constexpr double down = 0.5;  // lengths of the leg a second, while the ground does not come
    const double late = std::max(s - 1, 0.) * step.time * down * leg.length;
    Pose foot;
    foot.position = from + way * (to - from) + (lift - late) * view.heading.up;
    foot.orientation = expRotation(way * logRotation(flat * turnedFrom.conjugate())) * turnedFrom;
    const BodyState body = view.ahead(balance.body);
    legBetween(view, leg, {body.position, body.orientation}, foot, work);
    for (int link : leg.joints) work.stiffness[link] = work.damping[link] = swinging;
    // The other one holds the body upright and at its height, and lets the ankle give way.
    const BodyState stance = view.ahead(bearing.foot);
    Pose place{body.position, view.upright(view.heading)};
    const double high = view.standingPlace().position.dot(view.heading.up) - lowered * bearing.length;
    place.position += (high - place.position.dot(view.heading.up)) * view.heading.up;
    legBetween(view, bearing, place, {stance.position, stance.orientation}, work);
    holdUpright(view, bearing, place.orientation, work);
    work.stiffness[bearing.foot] = ankle;
    const Vec3 joint = soleOf(bearing, view.state).ankle;
    // Over that foot it only waits for the other one: pressure beyond the capture point keeps it there.
    const double part = view.outside() < 0 ? holding : pressing;
    const Vec3 pressure = joint + part * (view.capture - joint);
    const GroundForce ground =
        bearingForce(balance, view.state, view.heading, view.center, 1 - swing, pressure);
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
