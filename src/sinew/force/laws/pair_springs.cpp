// The force g on body a at its place p, and −g on body b. Both act at one point, so that linear and angular
// momentum are kept to rounding: at the two ends of a line that g runs along, or both at p.
//
// In axes of b: with ξ the move of p against b, η the change of its velocity w there, and θ a turn of b,
//     δg = −K ξ − D η + θ_b × g
//     K = k n nᵀ + c n (C w)ᵀ + T C,   D = c n nᵀ         n, C: gradient and second derivative of the
//     distance
// or, where the rest length is zero, with t the tangent of a curve and S the second derivative of ½
// distance²
//     K = k S − c ((t·w) ∂t + t wᵀ ∂t),   D = c (1 − t tᵀ)
#include "sinew/force/laws/pair_springs.h"

#include "sinew/base/hash.h"
#include "sinew/force/laws/types.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace pair_springs {
namespace {

using Side = Matrix<3, 6>;

// A body as a spring sees it; the world stands still.
struct Seat {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
    Quat orientation = Quat::Identity();
};
Seat seatOf(const State& state, int body)
{
    if (body < 0) return {};
    const BodyState& s = state.bodies[body];
    return {s.position, s.velocity, s.angularVelocityWorld(), s.orientation};
}

// All that forces and tangents are made of, world axes.
struct Along {
    Seat A, B;
    Vec3 a, b;      // from the centres of mass to where g acts
    Vec3 w;         // how the place of a moves against b's
    bool isHinged;  // b is a point of its body; otherwise it is where a is
    SpringReach reach;
    Vec3 n;
    SpringPull pull;
};

Along alongOf(const Spring& spring, const State& state)
{
    Along o;
    o.A = seatOf(state, spring.a.body);
    o.B = seatOf(state, spring.b.body);
    o.a = o.A.orientation * spring.pointA();
    o.pull.place = o.A.position + o.a;
    const Vec3 offset = o.pull.place - o.B.position;
    o.reach = springReach(spring.b.form, o.B.orientation.conjugate() * offset);
    const auto* point = std::get_if<SpringPoint>(&spring.b.form);
    o.isHinged = point && !spring.isPin();
    o.b = o.isHinged ? o.B.orientation * *point->point : offset;
    o.w = o.A.velocity + o.A.spin.cross(o.a) - o.B.velocity - o.B.spin.cross(o.b);
    o.n = o.B.orientation * o.reach.normal;
    SpringPull& pull = o.pull;
    pull.nearest = o.B.position + o.B.orientation * o.reach.nearest;
    pull.length = o.reach.distance;
    const double stretch = pull.length - spring.length;
    if (spring.isPin()) {
        const Vec3 t = o.B.orientation * o.reach.tangent;
        pull.force =
            -spring.stiffness * (pull.place - pull.nearest) - spring.damping * (o.w - t.dot(o.w) * t);
        return o;
    }
    pull.tension = spring.stiffness * stretch + spring.damping * o.n.dot(o.w);
    if (spring.acts == SpringActs::pull) pull.acts = stretch > 0 && pull.tension > 0;
    if (spring.acts == SpringActs::push) pull.acts = stretch < 0 && pull.tension < 0;
    if (!pull.acts) pull.tension = 0;
    pull.force = -pull.tension * o.n;
    return o;
}

Mat3 turned(const Quat& R, const Mat3& m)
{
    const Mat3 r = R.toRotationMatrix();
    return r * m * r.transpose();
}

// K and D, with the tension or the force that is believed.
void slopes(const Spring& spring, const Along& o, double tension, Mat3& K, Mat3& D)
{
    const double k = spring.stiffness, c = spring.damping;
    if (!spring.isPin()) {
        const Mat3 curvature = turned(o.B.orientation, o.reach.curvature);
        const Mat3 along = o.n * o.n.transpose();
        K = k * along + c * o.n * (curvature * o.w).transpose() + tension * curvature;
        D = c * along;
        return;
    }
    const Vec3 t = o.B.orientation * o.reach.tangent;
    const Mat3 rate = turned(o.B.orientation, o.reach.tangentRate);
    K = k * turned(o.B.orientation, o.reach.square) -
        c * (t.dot(o.w) * rate + t * (rate.transpose() * o.w).transpose());
    D = c * (Mat3::Identity() - t * t.transpose());
}

void setSide(PairTangent& tangent, int side, const Side& columns, const Side& stiffness,
             const Side& damping)
{
    tangent.U[side].leftCols<3>() = columns.transpose();
    tangent.stiffness[side].topRows<3>() = stiffness;
    tangent.damping[side].topRows<3>() = damping;
}

Side sideOf(const Mat3& linear, const Mat3& angular)
{
    Side side;
    side << linear, angular;
    return side;
}

void addAlong(const Spring& spring, const State& state, const Vec3* believed,
              std::vector<PairTangent>& tangents)
{
    const Along o = alongOf(spring, state);
    PairTangent& out = tangents.emplace_back();
    out.body[0] = spring.a.body;
    out.body[1] = spring.b.body;
    out.force = out.believed = o.pull.force;
    if (!o.pull.acts) return;
    double tension = o.pull.tension;
    if (believed) {
        out.believed = *believed;
        if (!spring.isPin()) {
            tension = -believed->dot(o.n);
            out.believed = -tension * o.n;
        }
    }
    const Vec3& g = out.believed;
    Mat3 K, D;
    slopes(spring, o, tension, K, D);
    const Mat3 one = Mat3::Identity(), none = Mat3::Zero();
    const Side XA = sideOf(one, -tilde(o.a)), XB = sideOf(-one, tilde(o.b));
    Side YA = sideOf(none, -tilde(o.A.spin) * tilde(o.a)), YB = sideOf(none, tilde(o.B.spin) * tilde(o.b));
    out.own[0].bottomRightCorner<3, 3>() = -tilde(g) * tilde(o.a);
    if (o.isHinged) {
        out.own[1].bottomRightCorner<3, 3>() = tilde(g) * tilde(o.b);
    } else {
        YA -= tilde(o.B.spin) * XA;
        YB += sideOf(none, tilde(o.w)) - tilde(o.B.spin) * XB;
        // The torque on b changes as its arm goes along with a.
        out.rank = 6;
        out.U[1].block<3, 3>(3, 3) = -tilde(g);
        out.stiffness[0].bottomRows<3>() = XA;
        out.stiffness[1].bottomRows<3>() = sideOf(-one, none);
    }
    Side SB = K * XB + D * YB;
    if (!o.isHinged) SB += sideOf(none, tilde(g));
    setSide(out, 0, XA, K * XA + D * YA, D * XA);
    setSide(out, 1, XB, SB, D * XB);
}

void addTurn(const Spring& spring, const State& state, const Vec3* believed,
             std::vector<PairTangent>& tangents)
{
    const SpringTurn now = springTurn(spring, state);
    const Seat A = seatOf(state, spring.a.body), B = seatOf(state, spring.b.body);
    PairTangent& out = tangents.emplace_back();
    out.body[0] = spring.a.body;
    out.body[1] = spring.b.body;
    out.force = now.torque;
    out.believed = believed ? *believed : now.torque;
    const Mat3 K = spring.turnStiffness * turned(B.orientation, rightJacobianInverse(now.turn));
    const Mat3 one = Mat3::Identity(), none = Mat3::Zero(), c = spring.turnDamping * one;
    const Vec3 elastic = out.believed - spring.turnDamping * (B.spin - A.spin);
    setSide(out, 0, sideOf(none, one), sideOf(none, K), sideOf(none, c));
    setSide(out, 1, sideOf(none, -one), sideOf(none, tilde(elastic) - K), sideOf(none, -c));
}

// ---- the law --------------------------------------------------------------------------------------

bool isIn(const Model& model)
{
    return !model.springs.empty();
}

// What hangs on a spring does not rest by itself: it would have to wake with the other end.
void markDriven(const Model& model, const MarkBody& mark)
{
    for (const Spring& spring : model.springs)
        for (const int body : {spring.a.body, spring.b.body})
            if (body >= 0) mark(body);
}

void addForce(const Spring& spring, const State& state, LargeVector<Force>& bodies, double sign = 1)
{
    if (spring.pulls()) {
        const Along o = alongOf(spring, state);
        const Vec3 g = sign * o.pull.force;
        if (spring.a.body >= 0) bodies[spring.a.body] += {g, o.a.cross(g)};
        if (spring.b.body >= 0) bodies[spring.b.body] += {-g, -o.b.cross(g)};
    }
    if (!spring.turns()) return;
    const Vec3 torque = sign * springTurn(spring, state).torque;
    if (spring.a.body >= 0) bodies[spring.a.body] += {Vec3::Zero(), torque};
    if (spring.b.body >= 0) bodies[spring.b.body] += {Vec3::Zero(), -torque};
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    for (const Spring& spring : model.springs) addForce(spring, state, forces.body);
}

void addPairTangents(const Model& model, const State& state, std::span<const Vec3> believed,
                     std::vector<PairTangent>& tangents)
{
    std::size_t next = 0;
    const auto take = [&] { return next < believed.size() ? &believed[next++] : nullptr; };
    for (const Spring& spring : model.springs) {
        if (spring.pulls()) addAlong(spring, state, take(), tangents);
        if (spring.turns()) addTurn(spring, state, take(), tangents);
    }
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    for (const Spring& spring : model.springs) {
        double energy = 0;
        if (spring.pulls()) {
            double stretch = springPull(spring, state).length - spring.length;
            if (spring.acts == SpringActs::pull) stretch = std::max(stretch, 0.);
            if (spring.acts == SpringActs::push) stretch = std::min(stretch, 0.);
            energy += 0.5 * spring.stiffness * stretch * stretch;
        }
        if (spring.turns())
            energy += 0.5 * spring.turnStiffness * springTurn(spring, state).turn.squaredNorm();
        const int a = spring.a.body < 0 ? spring.b.body : spring.a.body;
        const int b = spring.b.body < 0 ? spring.a.body : spring.b.body;
        of(a).elastic += 0.5 * energy;
        of(b).elastic += 0.5 * energy;
    }
}

}  // namespace
}  // namespace pair_springs

const ForceLawInfo pairSpringLaw = {
    .name = "pair_spring",
    .noun = "springs between bodies",
    .kind = ForceKind::pair,
    .isIn = pair_springs::isIn,
    .isPassive = laws::always,
    .markDriven = pair_springs::markDriven,
    .addForces = pair_springs::addForces,
    .addPairTangents = pair_springs::addPairTangents,
    .addEnergies = pair_springs::addEnergies,
};

SpringPull springPull(const Spring& spring, const State& state)
{
    return pair_springs::alongOf(spring, state).pull;
}

SpringTurn springTurn(const Spring& spring, const State& state)
{
    const pair_springs::Seat A = pair_springs::seatOf(state, spring.a.body);
    const pair_springs::Seat B = pair_springs::seatOf(state, spring.b.body);
    SpringTurn now;
    now.turn = logRotation(spring.turn.conjugate() * (A.orientation.conjugate() * B.orientation));
    now.torque = spring.turnStiffness * (B.orientation * now.turn) + spring.turnDamping * (B.spin - A.spin);
    return now;
}

void addSpringForces(const Model& model, const State& state, LargeVector<Force>& elastic,
                     LargeVector<Force>& dampers)
{
    for (const Spring& spring : model.springs) {
        Spring undamped = spring;
        undamped.damping = undamped.turnDamping = 0;
        pair_springs::addForce(undamped, state, elastic);
        pair_springs::addForce(spring, state, dampers);
        pair_springs::addForce(undamped, state, dampers, -1);
    }
}

std::uint64_t actingSprings(const Model& model, const State& state)
{
    Hash hash;
    for (const Spring& spring : model.springs)
        if (spring.pulls() && spring.acts != SpringActs::both)
            hash.add(springPull(spring, state).acts ? 1 : 2);
    return hash.value();
}

}  // namespace sinew
