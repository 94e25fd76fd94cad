#include "sinew/optimize/wish_slopes.h"

#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Adds `slope` · (what the freedoms on the way to the root do to the body) to one row.
void addAlongPath(const Model& model, const State& state, const FreedomMotions& motions, int body,
                  const Vec6& slope, int row, MatX& jacobian)
{
    const Vec3 f = slope.head<3>(), torque = slope.tail<3>();
    for (int link = body; link >= 0; link = model.joints[link].parent) {
        const Joint& joint = model.joints[link];
        const Vec3 way = state.bodies[body].position - state.bodies[link].position;
        const Vec3 about = torque + way.cross(f);
        for (int k = joint.u; k < joint.u + joint.freedoms(); ++k) {
            const Motion& S = motions.columns[static_cast<std::size_t>(k)];
            jacobian(row, k) += S.linear.dot(f) + S.angular.dot(about);
        }
    }
}

}  // namespace

std::vector<int> wishesAt(const Model& model, double time, bool poses)
{
    std::vector<int> list;
    for (std::size_t i = 0; i < model.wishes.size(); ++i)
        if (model.wishes[i].isOn(time) && !(poses && model.wishes[i].type->isOfVelocities))
            list.push_back(static_cast<int>(i));
    return list;
}

int wishRowCount(const Model& model, WishList wishes)
{
    int count = 0;
    for (const int i : wishes) count += model.wishes[static_cast<std::size_t>(i)].rows;
    return count;
}

void evaluateWishes(const Model& model, const State& state, WishList wishes, WishRows& rows)
{
    rows.clear();
    const WishView view = wishView(model, state);
    for (const int i : wishes) evaluateWish(model.wishes[static_cast<std::size_t>(i)], view, rows);
}

void FreedomMotions::place(const Model& model, const State& state)
{
    columns.resize(static_cast<std::size_t>(model.freedomCount));
    Subspace S;
    for (int link = 0; link < model.size(); ++link) {
        const Joint& joint = model.joints[link];
        const double* q = state.q.data() + joint.q;
        jointSubspace(joint, q, jointTransform(joint, q), S);
        const Quat& R = state.bodies[link].orientation;
        for (int k = 0; k < joint.freedoms(); ++k) {
            const Vec6 column = S.col(k);
            columns[static_cast<std::size_t>(joint.u + k)] = {R * Vec3(column.head<3>()),
                                                              R * Vec3(column.tail<3>())};
        }
    }
}

void addWishGradient(const Model& model, const State& state, const FreedomMotions& motions,
                     const WishRows& rows, VecX& gradient)
{
    std::vector<Force> sums(static_cast<std::size_t>(model.size()));
    for (const WishRows::ByBody& by : rows.bodies)
        sums[static_cast<std::size_t>(by.body)] +=
            Force::from(by.slope) * rows.residual[static_cast<std::size_t>(by.row)];
    for (int link = model.size() - 1; link >= 0; --link) {
        const Joint& joint = model.joints[link];
        const Force& own = sums[static_cast<std::size_t>(link)];
        for (int k = joint.u; k < joint.u + joint.freedoms(); ++k) {
            const Motion& S = motions.columns[static_cast<std::size_t>(k)];
            gradient[k] += S.linear.dot(own.force) + S.angular.dot(own.torque);
        }
        if (joint.parent < 0) continue;
        const Vec3 way = state.bodies[link].position - state.bodies[joint.parent].position;
        sums[static_cast<std::size_t>(joint.parent)] += {own.force, own.torque + way.cross(own.force)};
    }
    for (const WishRows::ByFreedom& by : rows.freedoms)
        gradient[by.freedom] += by.slope * rows.residual[static_cast<std::size_t>(by.row)];
}

void wishJacobian(const Model& model, const State& state, const FreedomMotions& motions,
                  const WishRows& rows, MatX& jacobian)
{
    jacobian.setZero(static_cast<int>(rows.residual.size()), model.freedomCount);
    for (const WishRows::ByBody& by : rows.bodies)
        addAlongPath(model, state, motions, by.body, by.slope, by.row, jacobian);
    for (const WishRows::ByFreedom& by : rows.freedoms) jacobian(by.row, by.freedom) += by.slope;
}

void wishVelocityJacobian(const Model& model, const State& state, const FreedomMotions& motions,
                          const WishRows& rows, MatX& jacobian)
{
    jacobian.setZero(static_cast<int>(rows.residual.size()), model.freedomCount);
    for (const WishRows::ByVelocity& by : rows.velocities)
        addAlongPath(model, state, motions, by.body, by.slope, by.row, jacobian);
}

void moveAlong(const Model& model, const VecX& from, const VecX& step, State& state)
{
    for (const Joint& joint : model.joints)
        jointRetract(joint, from.data() + joint.q, step.data() + joint.u, state.q.data() + joint.q);
    bodiesFromJoints(model, state);
}

}  // namespace sinew
