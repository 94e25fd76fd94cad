#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sinew/force/laws.h"
#include "sinew/integrate/body_blocks.h"
#include "sinew/integrate/held_joint.h"
#include "sinew/integrate/implicit.h"
#include "sinew/integrate/pair_force.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/model/springs.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr int shorteningLimit = 6;
// rad, or lengths of the figure: smaller ones may grow. Where a joint at rest gives way to a force, the
// tangent of dry friction lets it move by little at first.
constexpr double smallCorrection = 1e-2;

// Equations and matrix times h². Unknown per body a small move (world axes) and turn (body axes, on the
// right), per joint μ = h² λ.
class MaximalSolve {
public:
    MaximalSolve(const ImplicitProblem& problem, double ahead, StepWork& work)
        : ahead_(ahead),
          model_(problem.model),
          forces_(problem.forces),
          h_(problem.h),
          star_(problem.star),
          work_(work),
          tree_(work.maximal.tree),
          mu_(work.maximal.multipliers),
          loads_(work.implicit.loads),
          pairs_(work.joint.pairs)
    {
        pairs_.tangents.clear();
        pairs_.believe(model_, problem.start, 0);
        tree_.resize(model_.size());
        mu_.assign(model_.bodies.size(), Vec6::Zero());
        work_.maximal.loopMultipliers.assign(model_.loops.size(), Vec6::Zero());
    }

    bool run(State& state)
    {
        // Geometric stiffness needs the joint forces: a first solve is for them alone. It moves nothing and
        // does not count as an iteration, though it costs as much as one.
        setVelocities(state);
        if (!correct(state)) return false;
        update(state, 0, 1);

        const int limit = work_.settings.iterations ? work_.settings.iterations : implicitIterationLimit;
        double lastSize = 1e300;
        int shortened = 0, leapsLeft = mostLeaps;
        std::uint64_t touched = bearingPlaces(model_, state, work_.forces.span);
        for (int iteration = 0; iteration < limit; ++iteration) {
            if (work_.stop()) return false;
            ++work_.statistics.newtonIterations;
            if (!correct(state)) return false;
            const double size = correctionSize();
            if (!std::isfinite(size)) return false;
            const bool last = size <= tolerance(state);
            // A correction larger than the one before shows that that one went too far: back half the way.
            const std::uint64_t touches = bearingPlaces(model_, state, work_.forces.span);
            const bool leaps = touches != touched && leapsLeft-- > 0;
            touched = touches;
            if (!last && !leaps && size > std::max(lastSize, smallCorrection) &&
                shortened < shorteningLimit) {
                ++shortened;
                retreat(state);
                lastSize *= 0.999;
                continue;
            }
            shortened = 0;
            remember(state);
            update(state, 1, 1);
            if (last) return true;
            lastSize = size;
        }
        return work_.settings.iterations > 0;
    }

private:
    // The velocities belong to the poses.
    void setVelocities(State& state) const
    {
        for (int i = 0; i < model_.size(); ++i) {
            BodyState& body = state.bodies[i];
            body.velocity = (body.position - star_[i].position) / h_;
            body.angularVelocity = work_.implicit.spins[i].velocity(body.orientation, h_);
        }
    }

    // Solves for the correction at the present poses and multipliers, into the tree; in rounds that find
    // the limits that will bear (joint_loads.h).
    bool correct(State& state)
    {
        jointsFromBodies(model_, state, ahead_);
        ahead_ = 0;
        forces_(model_, state, work_.forces);
        if (loads_.empty()) return solveLinearised(state);
        if (accepted_ >= 0) loads_.accept(model_, accepted_, state);
        loads_.evaluate(model_, state);
        VecX& next = work_.maximal.nextRound;
        VecX& delta = work_.maximal.roundCorrection;
        loads_.beginRounds();
        constexpr int mostRounds = 6;
        for (int round = 0; round < mostRounds; ++round) {
            if (round > 0) ++work_.statistics.newtonIterations;
            if (!solveLinearised(state)) return false;
            if (!loads_.hasLimits()) break;
            readCorrection(state, next);
            const bool found = loads_.finishRound(next, delta);
            writeCorrection(delta);
            if (found) break;
        }
        readCorrection(state, next);
        loads_.predict(model_, state, next);
        return true;
    }

    // The correction as one vector: the motion of the joints' freedoms, then all of the tree and of the
    // loops.
    void readCorrection(const State& state, VecX& all)
    {
        if (!model_.loops.empty()) readLoopCorrection();
        const VecX& z = work_.maximal.borderCorrection;
        const int loops = model_.loops.empty() ? 0 : z.size();
        all.setZero(model_.freedomCount + 12 * model_.size() + loops);
        for (int i = 0; i < model_.size(); ++i) {
            all.segment<12>(model_.freedomCount + 12 * i) = tree_.links[i].x;
            const Joint& joint = model_.joints[i];
            const Vec6 own = tree_.links[i].x.head<6>();
            const Vec6 up =
                joint.parent < 0 ? Vec6(Vec6::Zero()) : Vec6(tree_.links[joint.parent].x.head<6>());
            const Place C = placeOf(state.bodies[i]), P = parentPlace(model_, state, i);
            if (joint.keepsOrientation() && joint.isArticulated()) {
                const PairGradient g = rowGradient(slideCoordinate(joint), joint, C, P);
                all[joint.u] = g.child.dot(own) + g.parent.dot(up);
            } else if (joint.freedoms() > 0 && joint.freedoms() < 6) {
                const double* q = state.q.data() + joint.q;
                Subspace S;
                jointSubspace(joint, q, jointTransform(joint, q), S);
                const Vec3 turn = own.tail<3>() - C.R.transpose() * P.R * up.tail<3>();
                all.segment(joint.u, joint.freedoms()) = S.bottomRows<3>().transpose() * turn;
            }
        }
        if (loops > 0) all.tail(loops) = z;
    }
    void writeCorrection(const VecX& all)
    {
        for (int i = 0; i < model_.size(); ++i)
            tree_.links[i].x = all.segment<12>(model_.freedomCount + 12 * i);
        const int loops = all.size() - model_.freedomCount - 12 * model_.size();
        if (loops > 0) work_.maximal.borderCorrection = all.tail(loops);
    }

    bool solveLinearised(State& state)
    {
        for (const Joint& joint : model_.joints) {
            if (joint.armature == 0) continue;
            const int k = joint.freedoms();
            work_.forces.joint.segment(joint.u, k) -=
                joint.armature / h_ *
                (state.u.segment(joint.u, k) - work_.implicit.starredVelocity.segment(joint.u, k));
        }
        evaluatePairs(state);
        for (int i = 0; i < model_.size(); ++i) setBody(state, i);
        bodyForceTangents(model_, state, work_.forces, work_.implicit.tangents);
        for (const BodyTangent& tangent : work_.implicit.tangents) {
            const BodyBlocks own = inBodyAxes(tangent, state.bodies[tangent.body]);
            tree_.links[tangent.body].body() +=
                h_ * h_ * own.stiffness + h_ * byMove(own.damping, state, tangent.body);
        }
        for (int i = 0; i < model_.size(); ++i) {
            addJointForce(state, i);
            addConstraints(state, i);
        }
        work_.maximal.border.lines.clear();
        for (std::size_t l = 0; l < model_.loops.size(); ++l) addLoop(state, l);
        addPairs(state);
        if (!tree_.factor()) return false;
        if (work_.maximal.border.lines.empty())
            tree_.solve();
        else
            work_.maximal.border.solve(tree_);
        foreseePairs();
        return true;
    }

    // Forces between bodies, as in joint coordinates: with what the last correction foresaw in the matrix.
    void evaluatePairs(const State& state)
    {
        if (model_.springs.empty()) return;
        if (acceptedForces_ >= 0 && !pairs_.start.empty()) pairs_.foresee(acceptedForces_);
        pairs_.evaluate(model_, state);
        pairs_.start.clear();
        for (const PairTangent& tangent : pairs_.tangents) pairs_.start.push_back(tangent.force);
    }
    // A line for each of their rows, beside the tree.
    void addPairs(const State& state)
    {
        firstPairLine_ = work_.maximal.border.lines.size();
        for (const PairTangent& tangent : pairs_.tangents) {
            BorderedTree::Line lines[6];
            for (int side = 0; side < 2; ++side) {
                const int body = tangent.body[side];
                if (body < 0) continue;
                const BodyState& s = state.bodies[body];
                const Mat3 R = s.orientation.toRotationMatrix();
                Mat6 turned = Mat6::Identity();
                turned.bottomRightCorner<3, 3>() = R;
                const Mat6 damping = tangent.damping[side] * turned;
                Mat6 stiffness = tangent.stiffness[side] * turned;
                stiffness.rightCols<3>() -= damping.rightCols<3>() * tilde(s.angularVelocity);
                const Mat6 rows = h_ * h_ * stiffness + h_ * byMove(damping, state, body);
                const Mat6 columns = turned.transpose() * tangent.U[side];
                for (int r = 0; r < tangent.rank; ++r) {
                    lines[r].body[side] = body;
                    lines[r].column[side] = columns.col(r);
                    lines[r].row[side] = rows.row(r).transpose();
                }
                tree_.links[body].body() += h_ * h_ * (turned.transpose() * tangent.own[side] * turned);
            }
            for (int r = 0; r < tangent.rank; ++r) {
                lines[r].corner = -1;
                work_.maximal.border.lines.push_back(lines[r]);
            }
        }
    }
    void foreseePairs()
    {
        if (pairs_.tangents.empty()) return;
        std::size_t line = firstPairLine_;
        pairs_.change.resize(pairs_.tangents.size());
        for (std::size_t t = 0; t < pairs_.tangents.size(); ++t) {
            for (int r = 0; r < 3; ++r)
                pairs_.change[t][r] =
                    -work_.maximal.border.answer()[static_cast<int>(line) + r] / (h_ * h_);
            line += static_cast<std::size_t>(pairs_.tangents[t].rank);
        }
    }

    // D times how the velocity (times h) changes with the move.
    Mat6 byMove(const Mat6& D, const State& state, int body) const
    {
        Mat6 result = D;
        result.rightCols<3>() = D.rightCols<3>() * work_.implicit.spins[body].velocityRate(
                                                       state.bodies[body].angularVelocity, h_);
        return result;
    }

    void setBody(const State& state, int i)
    {
        prefetch(tree_.links, i + passAhead);
        const Body& body = model_.bodies[i];
        const BodyState& s = state.bodies[i];
        const Vec3& w = s.angularVelocity;
        const Vec3 torque = s.orientation.conjugate() * work_.forces.body[i].torque;
        Vec3 believed = torque;
        if (!pairs_.tangents.empty()) believed -= s.orientation.conjugate() * pairs_.excess[i].torque;
        BlockTreeLink& link = tree_.links[i];
        link.parent = model_.joints[i].parent;
        link.rows = jointAtEnd(state, i).rows();
        link.setZero();
        link.body().topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
        const StarredSpin& spin = work_.implicit.spins[i];
        link.body().bottomRightCorner<3, 3>() =
            spin.turningInertia(body.inertia, s.orientation, w, spin.velocityRate(w, h_), h_) -
            h_ * h_ * tilde(believed);
        link.x.head<3>() =
            h_ * h_ * work_.forces.body[i].force - h_ * body.mass * (s.velocity - star_[i].velocity);
        link.x.segment<3>(3) = h_ * h_ * (torque - spin.need(body.inertia, s.orientation, w, h_));
    }

    const Joint& jointAtEnd(const State& state, int i) const
    {
        return heldJoint(model_, state, i, work_.held.atEnd);
    }

    void addJointForce(const State& state, int i)
    {
        const Joint& joint = model_.joints[i];
        const int parent = joint.parent;
        if (isPrescribed(model_, state, i)) return;  // moves nothing
        const double* Q = work_.forces.joint.data() + joint.u;
        const bool hasForce =
            loads_.has(i) ? loadedPairForce(state, i, Q)
                          : jointPairForce(model_, state, i, work_.forces, joint.armature / h_, pair_);
        if (!hasForce) return;
        const auto block = [&](int r, int c) -> Mat6 {
            const int body = c == 0 ? i : parent;
            return h_ * h_ * pair_.stiffness.block[r][c] +
                   h_ * byMove(pair_.damping.block[r][c], state, body);
        };
        BlockTreeLink& link = tree_.links[i];
        link.x.head<6>() += h_ * h_ * pair_.child;
        link.body() += block(0, 0);
        if (parent < 0) return;
        BlockTreeLink& up = tree_.links[parent];
        up.x.head<6>() += h_ * h_ * pair_.parent;
        up.body() += block(1, 1);
        link.bodyParent() += block(0, 1);
        link.parentBody() += block(1, 0);
    }

    // With the loads of limits, friction and controllers in the tangent.
    bool loadedPairForce(const State& state, int i, const double* law)
    {
        const Joint& joint = model_.joints[i];
        JointTangent tangent;
        jointForceTangent(model_, state, i, tangent, false);
        work_.forces.outside.addTo(i, tangent);
        loads_.addTangent(model_, state, i, tangent);
        tangent.damping.diagonal().array() += joint.armature / h_;
        tangent.stiffness += loads_.bearingStiffness(i) / (h_ * h_);
        const Vec3 change = loads_.bearingChange(i) / (h_ * h_);
        double Q[3] = {}, turning[3] = {};
        for (int k = 0; k < joint.freedoms(); ++k) {
            Q[k] = law[k] + change[k];
            turning[k] = law[k] + loads_.difference()[joint.u + k];
        }
        return jointPairForce(model_, state, i, Q, turning, tangent, pair_);
    }

    void addConstraints(const State& state, int i)
    {
        const Joint& joint = jointAtEnd(state, i);
        const Place C = placeOf(state.bodies[i]), P = parentPlace(model_, state, i);
        BlockTreeLink& link = tree_.links[i];
        BlockTreeLink* up = joint.parent < 0 ? nullptr : &tree_.links[joint.parent];
        Row rows[6];
        rowsOf(joint, rows);
        curvature_.setZero();
        for (int k = 0; k < link.rows; ++k) {
            const PairGradient g = rowGradient(rows[k], joint, C, P);
            addRowCurvature(rows[k], joint, C, P, mu_[i][k], curvature_);
            link.x.head<6>() += mu_[i][k] * g.child;
            link.x[6 + k] = -g.value;
            link.bodyJoint().col(k) = -g.child;
            link.jointBody().row(k) = g.child;
            if (!up) continue;
            up->x.head<6>() += mu_[i][k] * g.parent;
            link.parentJoint().col(k) = -g.parent;
            link.jointParent().row(k) = g.parent;
        }
        link.body() -= curvature_.block[0][0];
        if (!up) return;
        up->body() -= curvature_.block[1][1];
        link.bodyParent() -= curvature_.block[0][1];
        link.parentBody() -= curvature_.block[1][0];
    }

    // The rows of a joint that closes a loop stand beside the tree, and so does what their forces change
    // between its two bodies.
    void addLoop(const State& state, std::size_t l)
    {
        const LoopJoint& loop = model_.loops[l];
        const int child = loop.child, parent = loop.joint.parent;
        const Place C = placeIn(state.bodies, child), P = placeIn(state.bodies, parent);
        const Vec6& mu = work_.maximal.loopMultipliers[l];
        Row rows[6];
        rowsOf(loop.joint, rows);
        curvature_.setZero();
        for (int k = 0; k < loop.rows(); ++k) {
            const PairGradient g = rowGradient(rows[k], loop.joint, C, P);
            addRowCurvature(rows[k], loop.joint, C, P, mu[k], curvature_);
            BorderedTree::Line line;
            const Vec6* side[2] = {&g.child, &g.parent};
            for (int s = 0; s < 2; ++s) {
                const int body = s == 0 ? child : parent;
                if (body < 0) continue;
                line.body[s] = body;
                line.column[s] = -*side[s];
                line.row[s] = *side[s];
                line.reference += mobility(model_.bodies[body], *side[s]);
                tree_.links[body].x.head<6>() += mu[k] * *side[s];
            }
            line.value = -g.value;
            work_.maximal.border.lines.push_back(line);
        }
        tree_.links[child].body() -= curvature_.block[0][0];
        if (parent < 0) return;
        tree_.links[parent].body() -= curvature_.block[1][1];
        work_.maximal.border.addBlock(child, parent, -curvature_.block[0][1]);
        work_.maximal.border.addBlock(parent, child, -curvature_.block[1][0]);
    }

    static double mobility(const Body& body, const Vec6& row)
    {
        return row.head<3>().squaredNorm() / body.mass +
               row.tail<3>().dot(body.inverseInertia * row.tail<3>());
    }

    // The lines of the loops' rows, in their order.
    void moveLoops(double length)
    {
        const VecX& z = work_.maximal.borderCorrection;
        int at = 0;
        for (std::size_t l = 0; l < model_.loops.size(); ++l) {
            const int rows = model_.loops[l].rows();
            work_.maximal.loopMultipliers[l].head(rows) += length * z.segment(at, rows);
            at += rows;
        }
    }

    // Without the lines of blocks.
    void readLoopCorrection()
    {
        VecX& z = work_.maximal.borderCorrection;
        z.resize(work_.maximal.border.answer().size());
        int at = 0;
        for (std::size_t k = 0; k < work_.maximal.border.lines.size(); ++k)
            if (work_.maximal.border.lines[k].corner == 0)
                z[at++] = work_.maximal.border.answer()[static_cast<int>(k)];
        z.resize(at);
    }

    // Places are measured by the length of the figure, as in joint coordinates.
    double lengthOf(int body) const { return model_.skeletons[model_.skeletonOf[body]].length; }
    double correctionSize() const
    {
        double size = 0;
        for (int i = 0; i < model_.size(); ++i) {
            const BlockTreeLink& link = tree_.links[i];
            const double own = std::max(link.x.head<3>().cwiseAbs().maxCoeff() / lengthOf(i),
                                        link.x.segment<3>(3).cwiseAbs().maxCoeff());
            if (!(own <= size)) size = own;  // NaN too
        }
        return size;
    }
    double tolerance(const State& state) const
    {
        constexpr double placeRounding = 16 * 0x1p-52;
        double motion = implicitStillness, noise = 0;
        for (int i = 0; i < model_.size(); ++i) {
            const BodyState& body = state.bodies[i];
            motion = std::max({motion, h_ * body.velocity.cwiseAbs().maxCoeff() / lengthOf(i),
                               h_ * body.angularVelocity.cwiseAbs().maxCoeff()});
            noise = std::max(noise, placeRounding * body.position.cwiseAbs().maxCoeff() / lengthOf(i));
        }
        return std::max(implicitTolerance * motion, noise);
    }

    void remember(const State& state)
    {
        work_.maximal.beforeCorrection = state.bodies;
        work_.maximal.multiplierStart = mu_;
        work_.maximal.loopMultiplierStart = work_.maximal.loopMultipliers;
        if (!loads_.empty()) work_.maximal.loadsStart = loads_;
        work_.maximal.correction.resize(12 * model_.size());
        for (int i = 0; i < model_.size(); ++i)
            work_.maximal.correction.segment<12>(12 * i) = tree_.links[i].x;
        length_ = 1;
    }

    // The last correction again, half as long.
    void retreat(State& state)
    {
        length_ *= 0.5;
        state.bodies = work_.maximal.beforeCorrection;
        mu_ = work_.maximal.multiplierStart;
        work_.maximal.loopMultipliers = work_.maximal.loopMultiplierStart;
        if (!loads_.empty()) loads_ = work_.maximal.loadsStart;
        for (int i = 0; i < model_.size(); ++i)
            tree_.links[i].x = work_.maximal.correction.segment<12>(12 * i);
        move(state, length_, length_);
    }

    // Moves the bodies and the multipliers along the correction that was solved for last.
    void update(State& state, double length, double multiplierLength)
    {
        if (!model_.loops.empty() && loads_.empty()) readLoopCorrection();
        move(state, length, multiplierLength);
    }
    void move(State& state, double length, double multiplierLength)
    {
        accepted_ = length;
        acceptedForces_ = multiplierLength;
        moveLoops(multiplierLength);
        for (int i = 0; i < model_.size(); ++i) {
            const BlockTreeLink& link = tree_.links[i];
            BodyState& body = state.bodies[i];
            mu_[i].head(link.rows) += multiplierLength * link.x.segment(6, link.rows);
            if (length == 0) continue;
            body.position += length * link.x.head<3>();
            body.orientation = (body.orientation * expRotation(length * link.x.segment<3>(3))).normalized();
        }
        setVelocities(state);
    }

    double ahead_;  // how long before the bodies the joint coordinates are
    const Model& model_;
    ForceFunction forces_;
    double h_;
    const LargeVector<BodyState>& star_;
    StepWork& work_;
    BlockTree& tree_;
    LargeVector<Vec6>& mu_;
    PairForce pair_;
    PairMatrix curvature_;
    JointLoads& loads_;
    PairWork& pairs_;
    std::size_t firstPairLine_ = 0;
    double length_ = 1;
    double accepted_ = -1;        // of the last correction
    double acceptedForces_ = -1;  // and of the forces that it foresaw
};

}  // namespace

bool solveInMaximalCoordinates(const ImplicitProblem& problem, State& trial, StepWork& work)
{
    // A single iteration is Hernandez' step with geometric stiffness: linearised where the step starts.
    const double ahead = work.settings.iterations == 1 ? 0 : problem.ahead;
    work.maximal.whole.assign(problem.model.skeletons.size(), 1);  // h is the part already
    work.implicit.loads.begin(problem.model, trial, problem.h, work.maximal.whole);
    work.implicit.loads.guessFriction(problem.model, trial, problem.h, work.maximal.whole);
    for (BodyState& body : trial.bodies) {
        body.position += ahead * body.velocity;
        body.orientation = (body.orientation * expRotation(ahead * body.angularVelocity)).normalized();
    }
    holdPrescribed(problem.model, trial, work.held.atEnd);
    if (!MaximalSolve(problem, ahead, work).run(trial)) return false;
    jointsFromBodies(problem.model, trial, problem.ahead - ahead);
    return true;
}

}  // namespace sinew
