// Wishes that pull (model/wish.h), as restoring forces: the wrench on a body is
//     −Σ gᵀ (r + (c/weight) ġ),   g = dr/d(place of the body), ġ = g · velocity, c the damping;
// elastic energy is E itself.
//
// Minus the derivative of the wrench by the place of the body is gᵀ g and, as r pulls at arms that turn
// with the body, f~ a~ for a force f at an arm a; and what a type says of its own curvature (WishRows).
// What the damper's force changes by as the arm turns is left out: an implicit step ends where it should
// all the same, after an iteration more where that is much.
//
// They pull on one body (compile/wishes.cpp refuses others, and says what does that instead).
#include "sinew/model/wish.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/types.h"

namespace sinew {
namespace acting_wishes {
namespace {

// function(wish) for those that pull now.
template <class Function>
void forEachActing(const Model& model, double time, Function&& function)
{
    for (const Wish& wish : model.wishes)
        if (wish.acts && wish.isOn(time)) function(wish);
}

bool isIn(const Model& model)
{
    return std::any_of(model.wishes.begin(), model.wishes.end(),
                       [](const Wish& wish) { return wish.acts; });
}

bool isPassive(const Model& model)
{
    for (const Wish& wish : model.wishes)
        if (wish.acts && (std::isfinite(wish.from) || std::isfinite(wish.until))) return false;
    return true;
}

int bodyOf(const Wish& wish)
{
    for (const WishPoint& point : wish.points)
        if (point.body >= 0) return point.body;
    return -1;
}

void markDriven(const Model& model, const MarkBody& mark)
{
    for (const Wish& wish : model.wishes)
        if (wish.acts) mark(bodyOf(wish));
}

Vec6 velocityOf(const State& state, int body)
{
    return (Vec6() << state.bodies[body].velocity, state.bodies[body].angularVelocityWorld()).finished();
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    WishRows rows;
    const WishView view{model, state.bodies, state.q.data()};
    forEachActing(model, state.time, [&](const Wish& wish) {
        rows.clear();
        evaluateWish(wish, view, rows);
        const double c = wish.damping / wish.weight;
        for (const WishRows::ByBody& by : rows.bodies) {
            const double pull = rows.residual[static_cast<std::size_t>(by.row)] +
                                c * by.slope.dot(velocityOf(state, by.body));
            forces.body[by.body] -= Force::from(by.slope) * pull;
        }
    });
}

void addTangents(const Model& model, const State& state, const Forces&, std::vector<BodyTangent>& tangents)
{
    WishRows rows;
    const WishView view{model, state.bodies, state.q.data()};
    forEachActing(model, state.time, [&](const Wish& wish) {
        rows.clear();
        evaluateWish(wish, view, rows);
        BodyTangent& tangent = tangents.emplace_back();
        tangent.body = bodyOf(wish);
        for (const WishRows::ByBody& by : rows.bodies) {
            const Mat6 square = by.slope * by.slope.transpose();
            const Vec3 f = rows.residual[static_cast<std::size_t>(by.row)] * by.pull;
            tangent.stiffness += square;
            tangent.stiffness.bottomRightCorner<3, 3>() += tilde(f) * tilde(by.arm);
            tangent.damping += wish.damping / wish.weight * square;
        }
        for (const WishRows::TurnBend& bend : rows.turnBends)
            tangent.stiffness.bottomRightCorner<3, 3>() += bend.bend;
        for (const WishRows::Bend& bend : rows.bends) {
            const Vec3& arm = bend.arm[bend.body[0] >= 0 ? 0 : 1];
            Matrix<3, 6> X;
            X << Mat3(Mat3::Identity()), Mat3(-tilde(arm));
            tangent.stiffness += X.transpose() * (bend.bend * X);
        }
    });
}

std::size_t mostTangents(const Model& model)
{
    return model.wishes.size();
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    WishRows rows;
    const WishView view{model, state.bodies, state.q.data()};
    forEachActing(model, state.time, [&](const Wish& wish) {
        rows.clear();
        evaluateWish(wish, view, rows);
        of(bodyOf(wish)).elastic += rows.energy();
    });
}

}  // namespace
}  // namespace acting_wishes

const ForceLawInfo wishLaw = {
    .name = "wish",
    .noun = "wishes",
    .kind = ForceKind::body,
    .isIn = acting_wishes::isIn,
    .isPassive = acting_wishes::isPassive,
    .markDriven = acting_wishes::markDriven,
    .addForces = acting_wishes::addForces,
    .addTangents = acting_wishes::addTangents,
    .mostTangents = acting_wishes::mostTangents,
    .addEnergies = acting_wishes::addEnergies,
};

}  // namespace sinew
