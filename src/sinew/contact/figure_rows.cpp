#include "sinew/contact/figure_rows.h"

#include <algorithm>
#include <cmath>

#include "sinew/contact/solve.h"
#include "sinew/math/dense_solve.h"
#include "sinew/model/rows.h"

namespace sinew {
namespace {

constexpr double jacobianRounding = 1e-14;
constexpr double placeRounding = 4 * 0x1p-52;  // of places, far from the origin most of an arm between them

// A unit: the links and freedoms of a run of skeletons.
struct UnitLinks {
    int first, count;  // links
    int start;         // freedoms
};
UnitLinks linksOf(const Model& model, int unit)
{
    const SkeletonRun& run = model.runs[unit];
    const Skeleton &head = model.skeletons[run.first], &tail = model.skeletons[run.first + run.count - 1];
    return {head.first, tail.first + tail.count - head.first, freedomStart(model, head)};
}
int unitOf(const Model& model, int body)
{
    return model.runOf[model.skeletonOf[body]];
}

// The answer of a unit to what is in work.row, in work.column: `scaled` by how long the step is in the
// equations of each skeleton.
void answerOf(const Model& model, int unit, const UnitLinks& links, int n, FigureRowsWork& work)
{
    const SkeletonRun& run = model.runs[unit];
    work.column.segment(links.start, n).setZero();  // joints without freedoms are not written
    if (run.count > 1)
        for (int s = run.first; s < run.first + run.count; ++s) {
            const Skeleton& skeleton = model.skeletons[s];
            work.row.segment(freedomStart(model, skeleton), freedomCount(model, skeleton)) *= work.share(s);
        }
    solveIncrement(*work.links, links.first, links.count, work.row, work.column);
    if (work.pairs) work.pairs->correct(work.column);
    if (run.count == 1) work.column.segment(links.start, n) *= work.share(run.first);
}

// Column by column of its inverse, which is then inverted. What spins makes it unsymmetric: solvers that
// want a symmetric matrix take the mean of it and its transpose for their steps, and the whole for what
// they seek.
void fillInertia(void* context, Delassus& delassus)
{
    FigureRowsWork& work = *static_cast<FigureRowsWork*>(context);
    const Model& model = *work.model;
    work.done.assign(model.runs.size(), 0);
    for (int block = 0; block < delassus.size(); ++block)
        for (int side = 0; side < 2; ++side) {
            const int unit = delassus.side(block, side).unit;
            if (unit < 0 || work.done[unit]) continue;
            work.done[unit] = 1;
            const UnitLinks links = linksOf(model, unit);
            const int start = links.start, n = delassus.freedoms(unit);
            if (n > largestSparseUnit) continue;
            auto H = view(delassus.inertia(unit), n, n);
            for (int k = 0; k < n; ++k) {
                work.row.segment(start, n).setZero();
                work.row[start + k] = 1;
                answerOf(model, unit, links, n, work);
                H.col(k) = work.column.segment(start, n);
                // A freedom that is led does not move: any inertia will do.
                if (work.column.segment(start, n).isZero(0)) H(k, k) = 1;
            }
            if (n == 6) {
                const Mat6 inverse = H;
                H = inverse.inverse();
            } else {
                const MatX inverse = H;
                H = inverseDense(inverse);
            }
        }
}

}  // namespace

int freedomStart(const Model& model, const Skeleton& skeleton)
{
    return model.joints[skeleton.first].u;
}

int freedomCount(const Model& model, const Skeleton& skeleton)
{
    const Joint& last = model.joints[skeleton.first + skeleton.count - 1];
    return last.u + last.freedoms() - freedomStart(model, skeleton);
}

// Every joint from the body to the root moves it.
void addJacobian(const ArticulatedLinks& links, const LargeVector<BodyState>& bodies, const BodyRows& rows,
                 int start, int count, double* J, double* terms)
{
    const Vec3 moves = rows.move.rowwise().norm(), turns = rows.turn.rowwise().norm();
    for (int k = rows.body; k >= 0; k = links[k].parent) {
        const ArticulatedLink& link = links[k];
        if (link.freedoms == 0) continue;
        // A turn about the link's joint carries the body along.
        const Vec3 arm = bodies[rows.body].position - originOf(link, bodies[k]);
        const Mat3 turn = rows.turn - rows.move * tilde(arm);
        const double length = arm.norm() + placeRounding / jacobianRounding *
                                               bodies[rows.body].position.cwiseAbs().maxCoeff();
        const auto add = [&](int f, const Vec3& d, double slide, double turned) {
            for (int r = 0; r < 3; ++r) {
                const int at = r * count + link.u + f - start;
                J[at] += d[r];
                terms[at] += moves[r] * slide + turns[r] * turned;
            }
        };
        if (link.kind == LinkKind::free) {
            const Mat3 moved = link.parent < 0 ? rows.move : Mat3(rows.move * large(links[link.parent].R));
            const Mat3 turned = turn * large(link.R);
            for (int f = 0; f < 3; ++f) add(f, moved.col(f), 1, 0);
            for (int f = 0; f < 3; ++f) add(3 + f, turned.col(f), length, 1);
            continue;
        }
        for (int f = 0; f < link.freedoms; ++f) {
            const Vec3 linear = large(link.slide(f)), angular = large(link.turn(f));
            const double turned = angular.norm();
            add(f, rows.move * linear + turn * angular, linear.norm() + length * turned, turned);
        }
    }
}

void setContactRows(const Contact& contact, const LargeVector<BodyState>& bodies, BodyRows& a, BodyRows& b)
{
    const Mat3 frame = contactFrame(contact.normal);
    const auto set = [&](int body, const Vec3& point, double round, double sign) {
        BodyRows rows;
        rows.body = body;
        if (body < 0) return rows;
        // The surface in touch lies `round` from the anchor, toward the other body.
        const Vec3 arm = bodies[body].orientation * point - sign * round * contact.normal;
        rows.move = sign * frame;
        rows.turn = -sign * frame * tilde(arm);
        return rows;
    };
    a = set(contact.bodyA, contact.pointA, contact.roundA, -1);
    b = set(contact.bodyB, contact.pointB, contact.roundB, 1);
}

void setLoopRows(const LoopJoint& loop, const LargeVector<BodyState>& bodies, BodyRows* rows, Vec3* d)
{
    const Place C = placeIn(bodies, loop.child), P = placeIn(bodies, loop.joint.parent);
    Row all[6];
    rowsOf(loop.joint, all);
    for (int k = 0; k < loop.rows(); ++k) {
        BodyRows &parent = rows[2 * (k / 3)], &child = rows[2 * (k / 3) + 1];
        const int r = k % 3;
        if (r == 0) {
            parent = {loop.joint.parent};
            child = {loop.child};
            d[k / 3].setZero();
        }
        const PairGradient g = rowGradient(all[k], loop.joint, C, P);
        d[k / 3][r] = g.value;
        child.move.row(r) = g.child.head<3>();
        child.turn.row(r) = C.R * g.child.tail<3>();
        parent.move.row(r) = g.parent.head<3>();
        parent.turn.row(r) = P.R * g.parent.tail<3>();
    }
}

void addConstraintForces(const Model& model, const State& state, double h, Forces& forces)
{
    const auto add = [&](const BodyRows& rows, const Vec3& f) {
        if (rows.body < 0) return;
        forces.body[rows.body] += {rows.move.transpose() * f, rows.turn.transpose() * f};
    };
    BodyRows rows[4];
    for (const Contact& contact : state.contacts) {
        if (contact.impulse.isZero(0)) continue;
        setContactRows(contact, state.bodies, rows[0], rows[1]);
        for (int side = 0; side < 2; ++side) add(rows[side], contact.impulse / h);
        if (contact.turning.isZero(0)) continue;
        const Vec3 torque = contactFrame(contact.normal).transpose() * contact.turning / h;
        if (contact.bodyA >= 0) forces.body[contact.bodyA] += {Vec3::Zero(), -torque};
        if (contact.bodyB >= 0) forces.body[contact.bodyB] += {Vec3::Zero(), torque};
    }
    Vec3 d[2];
    if (state.loopImpulses.empty()) return;
    const std::size_t loops = model.loops.size();
    for (std::size_t c = 0; c < model.couplings.size(); ++c)
        addCouplingForce(model, model.couplings[c], state.loopImpulses[loops + c][0] / h, forces);
    for (std::size_t l = 0; l < loops; ++l) {
        if (!model.loops[l].holds(state.time)) continue;
        setLoopRows(model.loops[l], state.bodies, rows, d);
        for (int k = 0; k < 2 * loopBlocks(model.loops[l]); ++k)
            add(rows[k], state.loopImpulses[l].segment<3>(3 * (k / 2)) / h);
    }
}

double recovered(const Model& model, double depth, double h, double step)
{
    const double share = h / step;
    const double part = 0.2 * share;
    // Gravity takes that away again within the next step; where there is none, slowly.
    const double most = 0.3 * model.gravity.norm() * h * h + 1e-4 * share * model.contactLength;
    return std::min(part * depth, most);
}

Vec3 contactVelocity(const Contact& contact, const LargeVector<BodyState>& bodies)
{
    return contactVelocity(contact, bodies, bodies);
}

Vec3 contactVelocity(const Contact& contact, const LargeVector<BodyState>& places,
                     const LargeVector<BodyState>& bodies)
{
    BodyRows rows[2];
    setContactRows(contact, places, rows[0], rows[1]);
    Vec3 v = Vec3::Zero();
    for (const BodyRows& r : rows)
        if (r.body >= 0)
            v += r.move * bodies[r.body].velocity + r.turn * bodies[r.body].angularVelocityWorld();
    return v;
}

void clearForSkeletons(const Model& model, Delassus& delassus, std::vector<int>& freedoms)
{
    freedoms.clear();
    for (const SkeletonRun& run : model.runs) {
        int count = 0;
        for (int s = run.first; s < run.first + run.count; ++s)
            count += freedomCount(model, model.skeletons[s]);
        freedoms.push_back(count);
    }
    delassus.clear(freedoms);
    for (int unit = 0; unit < delassus.unitCount(); ++unit)
        std::copy_n(model.freedomUnits.data() + linksOf(model, unit).start, freedoms[unit],
                    delassus.sizes(unit));
}

int addFigureRows(const Model& model, const ArticulatedLinks& links, const LargeVector<BodyState>& bodies,
                  const BodyRows& a, const BodyRows& b, Delassus& delassus)
{
    const int unitA = a.body < 0 ? -1 : unitOf(model, a.body),
              unitB = b.body < 0 ? -1 : unitOf(model, b.body);
    // Two bodies of one skeleton: what carries both alike must cancel here, not in the sums to come.
    const bool isOne = unitA >= 0 && unitA == unitB;
    const int block = delassus.add(unitA, isOne ? -1 : unitB);
    const auto add = [&](const BodyRows& rows, int side) {
        if (rows.body < 0) return;
        addJacobian(links, bodies, rows, linksOf(model, unitOf(model, rows.body)).start,
                    delassus.side(block, side).freedoms, delassus.jacobian(block, side),
                    delassus.terms(block, side));
    };
    add(a, 0);
    add(b, isOne ? 0 : 1);
    // What is left of terms that cancel is rounding. Rows across a planar loop, which nothing moves, are
    // all made of that once the loop is turned in space.
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3 * delassus.side(block, side).freedoms; ++k) {
            double& entry = delassus.jacobian(block, side)[k];
            if (std::abs(entry) <= jacobianRounding * delassus.terms(block, side)[k]) entry = 0;
        }
    return block;
}

int addCouplingRow(const Model& model, const Coupling& coupling, Delassus& delassus)
{
    const int units[2] = {unitOf(model, coupling.follower), unitOf(model, coupling.leader)};
    const bool apart = units[0] != units[1];
    const int block = delassus.add(units[0], apart ? units[1] : -1);
    const auto entry = [&](int side, int link) -> double& {
        const int start = linksOf(model, unitOf(model, link)).start;
        return delassus.jacobian(block, side)[model.joints[link].u - start];
    };
    entry(0, coupling.follower) = 1;
    entry(apart ? 1 : 0, coupling.leader) = -coupling.ratio;
    return block;
}

void addCouplingForce(const Model& model, const Coupling& coupling, double force, Forces& forces)
{
    forces.joint[model.joints[coupling.follower].u] += force;
    forces.joint[model.joints[coupling.leader].u] -= coupling.ratio * force;
}

void solveFigureRows(const Model& model, ArticulatedLinks& links, Delassus& delassus, FigureRowsWork& work)
{
    work.model = &model;
    work.links = &links;
    work.row.resize(model.freedomCount);
    work.column.setZero(model.freedomCount);
    for (int block = 0; block < delassus.size(); ++block)
        for (int side = 0; side < 2; ++side) {
            const Delassus::Side& s = delassus.side(block, side);
            if (s.unit < 0) continue;
            const UnitLinks own = linksOf(model, s.unit);
            const int start = own.start, n = s.freedoms;
            for (int r = 0; r < 3; ++r) {
                const auto row = view(delassus.jacobian(block, side) + r * n, n);
                if (row.isZero(0)) continue;  // across a planar loop; its response is zero already
                work.row.segment(start, n) = row;
                answerOf(model, s.unit, own, n, work);
                view(delassus.response(block, side) + r * n, n) = work.column.segment(start, n);
            }
        }
    delassus.setInertiaSource(fillInertia, &work);
    delassus.finish();
}

void addUnitMotions(const Model& model, const Delassus& delassus, VecX& motion)
{
    for (std::size_t u = 0; u < model.runs.size(); ++u) {
        const auto x = delassus.unitMotion(static_cast<int>(u));
        const int n = static_cast<int>(x.size());
        motion.segment(linksOf(model, static_cast<int>(u)).start, n) += view(x.data(), n);
    }
}

Vec3 figureMotion(const Model& model, const Delassus& delassus, int block, const VecX& motion)
{
    Vec3 d = Vec3::Zero();
    for (int side = 0; side < 2; ++side) {
        const Delassus::Side& s = delassus.side(block, side);
        if (s.unit < 0) continue;
        const auto part = motion.segment(linksOf(model, s.unit).start, s.freedoms);
        for (int r = 0; r < 3; ++r)
            d[r] += view(delassus.jacobian(block, side) + r * s.freedoms, s.freedoms).dot(part);
    }
    return d;
}

}  // namespace sinew
