#include "sinew/integrate/implicit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sinew/force/laws.h"
#include "sinew/integrate/sleep.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr int lineSearchLimit = 6;
constexpr double machineRounding = 0x1p-52;
constexpr double placeRounding = 16 * machineRounding;
constexpr double roundingWorthALook = 1e-6;  // larger corrections are never taken for rounding

// base ⊕ length · direction.
void retract(const Model& model, const VecX& base, double length, const VecX& direction, VecX& q)
{
    for (const Joint& joint : model.joints) {
        Vec6 part;
        for (int i = 0; i < joint.freedoms(); ++i) part[i] = length * direction[joint.u + i];
        jointRetract(joint, base.data() + joint.q, part.data(), q.data() + joint.q);
    }
}

class Solve {
public:
    Solve(const ImplicitProblem& problem, StepWork& work)
        : model_(problem.model),
          forces_(problem.forces),
          h_(problem.h),
          star_(problem.star),
          work_(work),
          links_(work.links),
          carried_(work.carried),
          excess_(work.excess),
          loads_(work.loads)
    {
        links_.resize(model_.bodies.size());
        // Prescribed joints have no residual and no correction: theirs stay zero.
        work_.residual.setZero(model_.freedomCount);
        work_.correction.setZero(model_.freedomCount);
        work_.trialCorrection.setZero(model_.freedomCount);
        carried_.resize(model_.bodies.size());
        excess_.resize(model_.bodies.size());
        for (int i = 0; i < model_.size(); ++i)
            placeNoise_ = std::max(placeNoise_, placeRounding * star_[i].position.cwiseAbs().maxCoeff() /
                                                    model_.skeletons[model_.skeletonOf[i]].length);
        work_.start.resize(model_.freedomCount);
        constraints_.emplace(model_, problem.start, h_, work_.parts, work_.constraints);
        if (constraints_->empty()) constraints_.reset();
        if (constraints_) work_.torque.resize(model_.bodies.size());
    }

    // From the guess in state.q to the solution, with discrete velocities; false if it was not found.
    bool run(State& state)
    {
        if (constraints_ && !usesPlainInertia()) return runConstrained(state);
        double norm = evaluate(state);
        if (constraints_) {
            if (!holdByPlainInertia(state)) return false;
            norm = evaluate(state);
        }
        const int limit = iterationLimit();
        for (int iteration = 0; iteration < limit; ++iteration) {
            if (!std::isfinite(norm)) return false;
            bool last = false;
            // The exact matrix may be indefinite, even singular, in a taut pose across its load; the one
            // with clamped turning blocks hardly ever is, but converges slower.
            if (!improve(state, false, norm, last) && !improve(state, true, norm, last))
                return giveUp(state);
            if (last) return finish(true);
        }
        return finish(work_.iterations > 0) || giveUp(state);
    }

    void setResidual(State& state) { evaluate(state); }
    void solveLinear(State& state, const VecX& right, VecX& result)
    {
        evaluate(state);
        assemble(false);
        work_.start = right;
        liftRoots();
        factorAndSolveGeneralIncrement(links_, work_.start, result);
    }

private:
    // No end was found. Of the shortest part of a step, one that is near will do: it is counted.
    bool giveUp(const State& state)
    {
        constexpr double near = 1e-2;
        noteTrouble();
        if (!work_.acceptsUnconverged || !(lastSize_ < near) || !isFinite(state)) return false;
        work_.isUnconverged = true;
        return finish(true);
    }
    // The joint whose correction is the largest, for the report.
    void noteTrouble()
    {
        StepStatistics& statistics = work_.statistics;
        statistics.constraints = work_.constraints.report;
        statistics.stuckSize = 0;
        for (int i = 0; i < model_.size(); ++i)
            for (int k = 0; k < model_.joints[i].freedoms(); ++k) {
                const int u = model_.joints[i].u + k;
                const double own = std::abs(work_.correction[u]) / model_.freedomUnits[u];
                if (own <= statistics.stuckSize) continue;
                statistics.stuckSize = own;
                statistics.stuckJoint = i;
            }
    }
    static bool isFinite(const State& state) { return state.q.allFinite() && state.u.allFinite(); }

    bool finish(bool found)
    {
        if (constraints_) constraints_->finish();
        return found;
    }

    // For comparison: the constraints' forces come from the inertia without springs, dampers and tension,
    // as most engines have it, and the implicit step takes them as given.
    bool usesPlainInertia() const { return model_.contact && model_.contact->plainInertia; }
    bool holdByPlainInertia(State& state)
    {
        for (int i = 0; i < model_.size(); ++i) {
            ArticulatedLink& link = links_[i];
            link.inertia = rigidInertia(model_.bodies[i]);
            link.hasBlocks = true;
            link.jointBlock = model_.joints[i].armature * Mat3::Identity();
            link.coupling.setZero();
        }
        setRightHandSide();
        factorAndSolveIncrement(links_, work_.start, work_.correction);
        if (!constraints_->correct(state, links_, work_.correction)) return false;
        constraints_->accept(1);
        return true;
    }

    int iterationLimit() const { return work_.iterations ? work_.iterations : implicitIterationLimit; }

    // Newton's method with contacts and loops: each correction is the solution of a problem with
    // inequalities (integrate/constraints.h).
    bool runConstrained(State& state)
    {
        // A solver at its cap is helped by more Newton iterations as long as these make headway, and then
        // by none: the next step goes on from there.
        constexpr int cappedLimit = 8;
        constexpr int patience = 6;
        double norm = evaluate(state);
        bool clamped = false;
        double lastSize = std::numeric_limits<double>::infinity();
        double firstClamped = 0, firstSize = 0;
        for (int iteration = 0; iteration < iterationLimit(); ++iteration) {
            ++work_.statistics.newtonIterations;
            const bool found = solveLinearised(clamped, work_.correction);
            const double free = sizeOf(work_.correction);
            bool solved = found && constraints_->correct(state, links_, work_.correction);
            const double size = sizeOf(work_.correction);
            // Far from the end of the step Newton's method with such a matrix may go to another one, in
            // which the loop is about to buckle.
            const bool isNear = lastSize < 1e-3 && size <= 10 * std::max(free, tolerance(state));
            if (constraints_->isIndefinite() && !isNear) solved = false;
            loads_.predict(model_, state, work_.correction);
            if (!solved || !std::isfinite(size)) {
                if (clamped) return giveUp(state);
                clamped = true;
                continue;
            }
            const ConstraintReport& report = work_.constraints.report;
            // What the constraints' solver leaves open is noise to Newton: corrections that are as small
            // and do not get smaller are all there is to gain.
            const double noise =
                std::min(report.largest(), solverSettings(model_).tolerance) / model_.contactLength;
            const bool stalls = size <= 1000 * noise && size > 0.5 * lastSize;
            const bool settled =
                size <= std::max(tolerance(state), 10 * noise) || stalls || isRounding(size);
            const bool hopes = iteration + 1 < cappedLimit && size < 0.5 * lastSize;
            const bool cut = report.reachedCap && iteration >= 2 && !hopes && mayBeCut(report);
            const bool last = constraints_->heldAllRows() && (settled || cut);
            // Half the step is cheaper than waiting for what may go round in circles.
            if (firstSize == 0) firstSize = size;
            const bool crawls = iteration == patience && !last && size > 0.1 * firstSize;
            if (crawls && !work_.iterations && !work_.acceptsUnconverged) return false;
            if (!searchConstrained(state, std::max(free, size), clamped, last, norm)) {
                if (clamped) return giveUp(state);
                clamped = true;
                continue;
            }
            if (last) return finish(!report.reachedCap || mayBeCut(report));
            // The exact matrix may be indefinite; where it does not converge, the clamped one takes over.
            clamped = clamped ? size > 0.1 * firstClamped : size > lastSize;
            if (clamped && firstClamped == 0) firstClamped = size;
            if (!clamped) firstClamped = 0;
            lastSize = size;
        }
        return finish(work_.iterations > 0) || giveUp(state);
    }

    // Whether a solve that ended at its cap will do: nearly solved, or a part of the step so short that
    // shorter ones are not worth trying.
    bool mayBeCut(const ConstraintReport& report) const
    {
        return work_.acceptsCaps || report.largest() <= 100 * solverSettings(model_).tolerance;
    }

    // Moves along the correction, coordinates and constraints' forces alike, as far as it helps: until the
    // next correction without constraints, which their forces should make small, would be a smaller one. On
    // failure the state is as it was.
    bool searchConstrained(State& state, double size, bool clamped, bool last, double& norm)
    {
        if (search(state, size, clamped, last, norm)) return true;
        norm = moveTo(0, state);
        return false;
    }

    // Along the correction, coordinates and what follows them; returns the residual's norm there.
    double moveTo(double length, State& state)
    {
        if (length > 0)
            retract(model_, work_.searchStart, length, work_.correction, state.q);
        else
            state.q = work_.searchStart;
        if (constraints_) constraints_->accept(length);
        moved_ = length;
        nextIsKnown_ = false;
        return evaluate(state);
    }

    // Moves along the correction as far as it helps. Near the solution a full step is taken without asking.
    bool search(State& state, double size, bool clamped, bool last, double& norm)
    {
        work_.searchStart = state.q;
        double length = 1;
        for (int attempt = 0; attempt < lineSearchLimit; ++attempt, length *= 0.5) {
            const double now = moveTo(length, state);
            if (!std::isfinite(now)) continue;
            const double wanted = loads_.hasLimits() ? 0.5 * norm : norm;
            if (!last && !helps((1 - length / 4) * size, clamped, now <= wanted)) continue;
            norm = now;
            return true;
        }
        return false;
    }

    // The residual mixes units; what counts is whether the next correction, with the matrix at hand, would
    // be a smaller one (Deuflhard's natural monotonicity test). Where limits may come into play since, the
    // matrix of the new place tells, and the residual, most of which may be a stiff limit, does not.
    bool helps(double size, bool clamped, bool hasSmallerResidual)
    {
        if (hasSmallerResidual) return true;
        if (loads_.hasLimits()) {
            nextIsKnown_ = solveLinearised(clamped, work_.trialCorrection);
            nextIsClamped_ = clamped;
            if (!nextIsKnown_) return false;
        } else {
            setRightHandSide();
            solveIncrement(links_, work_.start, work_.trialCorrection);
        }
        return sizeOf(work_.trialCorrection) <= size;
    }

    // Newton's correction at the last evaluation, in rounds that find the limits that will bear.
    bool solveLinearised(bool clamped, VecX& delta)
    {
        const bool isKnown = nextIsKnown_ && nextIsClamped_ == clamped;
        nextIsKnown_ = false;
        if (isKnown) {
            delta = work_.trialCorrection;
            return true;
        }
        if (!loads_.hasLimits()) {
            assemble(clamped);
            setRightHandSide();
            factorAndSolveGeneralIncrement(links_, work_.start, delta);
            return true;
        }
        const int mostRounds = clamped ? 20 : 4;
        work_.nextRound.setZero(model_.freedomCount);
        loads_.beginRounds();
        for (int round = 0; round < mostRounds; ++round) {
            if (round > 0) ++work_.statistics.newtonIterations;
            assemble(clamped);
            setRightHandSide();
            loads_.addToRightHandSide(work_.start);
            factorAndSolveGeneralIncrement(links_, work_.start, work_.nextRound);
            if (loads_.finishRound(work_.nextRound, delta)) return true;
        }
        return false;
    }

    // One Newton correction. On failure the state is as it was.
    bool improve(State& state, bool clamped, double& norm, bool& last)
    {
        ++work_.statistics.newtonIterations;
        VecX& delta = work_.correction;
        if (!solveLinearised(clamped, delta)) return false;
        const double size = sizeOf(delta);
        if (!std::isfinite(size)) return false;
        loads_.predict(model_, state, delta);
        last = size <= tolerance(state) || isRounding(size);
        if (search(state, size, clamped, last, norm)) return true;
        norm = moveTo(0, state);
        return false;
    }

    // The largest of a motion of the freedoms, each in its own unit. Not finite if one is not.
    double sizeOf(const VecX& motion) const
    {
        double size = 0;
        for (Eigen::Index k = 0; k < motion.size(); ++k) {
            const double own = std::abs(motion[k]) / model_.freedomUnits[k];
            if (!(own <= size)) size = own;
        }
        return size;
    }
    // Corrections below this are as good as none.
    double tolerance(const State& state) const
    {
        return std::max(implicitTolerance * std::max(h_ * sizeOf(state.u), implicitStillness), placeNoise_);
    }

    // Whether a correction that is not smaller than the one before is what rounding makes of the residual:
    // a solve with the rounding of its terms as the right-hand side tells. It is asked where Newton stalls.
    bool isRounding(double size)
    {
        stalls_ = size > 0.5 * lastSize_ ? stalls_ + 1 : 0;
        lastSize_ = size;
        if (stalls_ < 2 || !(size < roundingWorthALook)) return false;
        setRoundingOfResidual();
        solveIncrement(links_, work_.start, work_.trialCorrection);
        const double noise = sizeOf(work_.trialCorrection);
        setRightHandSide();
        return size <= 3 * noise;
    }

    // Into work_.start, times h²: how large the terms are that the residual is a sum of, times the
    // machine's rounding, with signs that do not cancel by symmetry.
    void setRoundingOfResidual()
    {
        LargeVector<Vec6>& terms = work_.roundingTerms;  // force, torque: one number each
        terms.resize(model_.bodies.size());
        for (int i = 0; i < model_.size(); ++i) {
            const Body& body = model_.bodies[i];
            const BodyState& s = work_.trial.bodies[i];
            const double largestInertia = body.inertia.trace();
            const double force =
                body.mass / h(i) *
                    (s.velocity.norm() + star_[i].velocity.norm() + s.position.norm() / h(i)) +
                work_.forces.body[i].force.norm();
            const double w = s.angularVelocity.norm();
            const double torque =
                largestInertia * ((w + star_[i].angularVelocity.norm() + 1 / h(i)) / h(i) + w * w) +
                work_.forces.body[i].torque.norm();
            terms[i] << force, torque, 0, 0, 0, 0;
        }
        work_.start.setZero();
        for (int i = model_.size() - 1; i >= 0; --i) {
            const ArticulatedLink& link = links_[i];
            const double force = terms[i][0], torque = terms[i][1];
            for (int k = 0; k < link.freedoms; ++k) {
                const bool slides = link.freedoms == 6 ? k < 3 : link.S.col(k).tail<3>().isZero();
                const double arm = link.freedoms == 6 ? 0 : model_.joints[i].anchorChild.norm();
                const double own = slides ? force : torque + arm * force;
                const double sign = (link.u + k) % 2 == 0 ? 1 : -1;
                work_.start[link.u + k] =
                    sign * h(i) * h(i) * machineRounding * (own + std::abs(work_.forces.joint[link.u + k]));
            }
            if (link.parent < 0 || link.freedoms == 6) continue;
            terms[link.parent][0] += force;
            terms[link.parent][1] += torque + link.X.r.norm() * force;
        }
    }

    // Poses at state.q, discrete velocities, forces, and the residual; returns its norm.
    double evaluate(State& state)
    {
        for (int i = 0; i < model_.size(); ++i) {
            prefetch(links_, i + passAhead);
            prefetch(model_.joints, i + passAhead);
            place(state, i);
        }
        if (!loads_.empty()) {
            if (moved_) loads_.accept(model_, *moved_, state);
            loads_.evaluate(model_, state);
        }
        forces_(model_, state, work_.forces);
        if (constraints_) {
            // Constraints bring their own tangents.
            for (int i = 0; i < model_.size(); ++i) work_.torque[i] = work_.forces.body[i].torque;
            constraints_->evaluate(state, work_.forces);
        }
        for (int i = 0; i < model_.size(); ++i) {
            carried_[i] = need(state, i);
            excess_[i].setZero();
        }
        // Inward: each joint carries what lies beyond it.
        VecX& r = work_.residual;
        for (int i = model_.size() - 1; i >= 0; --i) {
            prefetch(links_, i - passAhead);
            const ArticulatedLink& link = links_[i];
            const Vec6& f = carried_[i];
            const int k = link.freedoms;
            if (k == 6) {
                r.segment<6>(link.u) << link.X.R * f.head<3>(), f.tail<3>();
                r.segment<6>(link.u) -= work_.forces.joint.segment<6>(link.u);
                continue;  // cuts the tree
            }
            const double armature = model_.joints[i].armature;
            Vec3& excess = excess_[i];
            const Vec3 beyond = excess;
            for (int c = 0; c < k; ++c) {
                const int u = link.u + c;
                r[u] = link.S.col(c).dot(f) - work_.forces.joint[u];
                if (armature > 0) r[u] += armature / h(i) * (state.u[u] - work_.starredVelocity[u]);
                // What the joint still lacks of its own torque (implicit.h); a slide's turns are zero.
                const Vec3 turn = link.S.col(c).tail<3>();
                const double lacks = loads_.empty() ? r[u] : r[u] - loads_.difference()[u];
                excess += (lacks - turn.dot(beyond)) * turn;
            }
            if (link.parent < 0) continue;
            carried_[link.parent] += link.X.toParent(Force::from(f)).vector();
            excess_[link.parent] += link.X.R * excess;
        }
        return r.norm();
    }

    void place(State& state, int i)
    {
        const Joint& joint = model_.joints[i];
        ArticulatedLink& link = links_[i];
        placeJoint(model_, state.q, i, link);
        BodyState& body = state.bodies[i];
        if (joint.parent >= 0) {
            const BodyState& parent = state.bodies[joint.parent];
            body.position = parent.position + parent.orientation * link.X.r;
            body.orientation = (parent.orientation * Quat(link.X.R)).normalized();
        } else {
            body.position = link.X.r;
            body.orientation = Quat(link.X.R);
        }
        body.velocity = (body.position - star_[i].position) / h(i);
        body.angularVelocity = work_.spins[i].velocity(body.orientation, h(i));
        link.velocity = {body.orientation.conjugate() * body.velocity, body.angularVelocity};
        Motion relative = link.velocity;
        if (joint.parent >= 0) relative = relative - link.X.toChild(links_[joint.parent].velocity);
        jointVelocityOf(joint, state.q.data() + joint.q, link.X, relative, state.u.data() + joint.u);
        if (isPrescribed(model_, state, i) || isBodyAsleep(model_, state, i)) link.freedoms = 0;
    }

    // f of one body, body axes.
    Vec6 need(const State& state, int i) const
    {
        const Body& body = model_.bodies[i];
        const BodyState& s = state.bodies[i];
        const Force& F = work_.forces.body[i];
        const Vec3& w = s.angularVelocity;
        const Quat toBody = s.orientation.conjugate();
        Vec6 f;
        f << toBody * (body.mass / h(i) * (s.velocity - star_[i].velocity) - F.force),
            work_.spins[i].need(body.inertia, s.orientation, w, h(i)) - toBody * F.torque;
        return f;
    }

    // The matrix at the state of the last evaluation.
    void assemble(bool clamped)
    {
        // Outward, so that a parent's inertia is set before a joint adds to it.
        for (int i = 0; i < model_.size(); ++i) {
            prefetch(links_, i + passAhead);
            const Mat3 rate = velocityRate(i);
            setInertia(i, rate);
            addJoint(i, rate, clamped);
        }
        addBodyTangents();
        if (constraints_) constraints_->addTangents(work_.trial, links_);
        if (clamped) {
            for (int i = 0; i < model_.size(); ++i) {
                links_[i].coupling.setZero();
                links_[i].V.setZero();
                clampTurning(i);
                clampJoint(i);
            }
        }
        addBearingLimits();
    }

    // Raises the turning block to at least the body's own inertia, as it spins.
    void clampTurning(int i)
    {
        auto block = links_[i].inertia.bottomRightCorner<3, 3>();
        const Mat3 own = turningInertia(i, velocityRate(i));
        block = own + positivePart(block - own);
    }
    // A spring that turns a ball joint, such as that of its limit, is of negative stiffness across its
    // pull.
    void clampJoint(int i)
    {
        if (links_[i].hasBlocks) links_[i].jointBlock = positivePart(links_[i].jointBlock);
    }
    void addBearingLimits()
    {
        if (!loads_.hasLimits()) return;
        for (int i = 0; i < model_.size(); ++i)
            if (links_[i].hasBlocks) links_[i].jointBlock += loads_.bearingStiffness(i);
    }
    static Mat3 positivePart(const Mat3& m)
    {
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(0.5 * (m + m.transpose()));
        const Vec3 kept = eigen.eigenvalues().cwiseMax(0);
        return eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
    }

    // Not symmetric (integrate/implicit.h).
    Mat3 turningInertia(int i, const Mat3& rate) const
    {
        const BodyState& s = work_.trial.bodies[i];
        return work_.spins[i].turningInertia(model_.bodies[i].inertia, s.orientation, s.angularVelocity,
                                             rate, h(i));
    }
    // h ∂ω'/∂θ'.
    Mat3 velocityRate(int i) const { return work_.spins[i].velocityRate(links_[i].velocity.angular, h(i)); }

    void setInertia(int i, const Mat3& rate)
    {
        ArticulatedLink& link = links_[i];
        link.inertia.setZero();
        link.inertia.diagonal().head<3>().setConstant(model_.bodies[i].mass);
        auto turning = link.inertia.bottomRightCorner<3, 3>();
        turning = turningInertia(i, rate);
        // A torque that stays as it is in the world turns in body axes.
        const Vec3& torque = constraints_ ? work_.torque[i] : work_.forces.body[i].torque;
        if (!torque.isZero(0))
            turning -= h(i) * h(i) * tilde(work_.trial.bodies[i].orientation.conjugate() * torque);
    }

    // Constant loads, obstacles and targets.
    void addBodyTangents()
    {
        bodyForceTangents(model_, work_.trial, work_.forces, work_.tangents);
        for (const BodyTangent& tangent : work_.tangents) {
            const BodyState& body = work_.trial.bodies[tangent.body];
            const Mat3 R = body.orientation.toRotationMatrix();
            const auto turned = [&R](const Mat6& world) {
                Mat6 own;
                for (int r = 0; r < 2; ++r)
                    for (int c = 0; c < 2; ++c)
                        own.block<3, 3>(3 * r, 3 * c) = R.transpose() * world.block<3, 3>(3 * r, 3 * c) * R;
                return own;
            };
            // R ω' changes with ω', and with R.
            const Vec3 turn = h(tangent.body) * body.angularVelocity;
            Mat6 damping = turned(tangent.damping);
            damping.rightCols<3>() *= velocityRate(tangent.body) - tilde(turn);
            const double h1 = h(tangent.body);
            links_[tangent.body].inertia += h1 * h1 * turned(tangent.stiffness) + h1 * damping;
        }
    }

    // What a joint carries as the equations of the joints have it: without the weight w that gravity
    // compensation bears, because the joints bear it in any pose.
    Vec6 liftedLoad(int i) const
    {
        const Quat toLink = work_.trial.bodies[i].orientation.conjugate();
        const Force& weight = work_.forces.weights[i];
        Vec6 load = carried_[i];
        load.head<3>() -= toLink * weight.force;
        load.tail<3>() -= toLink * weight.torque;
        return load;
    }

    // A free root has the weight w of all bodies in its equations. Its torque changes as it turns, and with
    // the places of the bodies, −w × (δx_com − δx_root): of which M δx_com is what the equations of the
    // places are, so that part goes to the right-hand side (liftRoots).
    void addRootWeight(int i)
    {
        const Quat toLink = work_.trial.bodies[i].orientation.conjugate();
        const Force& weight = work_.forces.weights[i];
        const double h2 = h(i) * h(i);
        links_[i].inertia.bottomRightCorner<3, 3>() += h2 * tilde(toLink * weight.torque);
        links_[i].inertia.bottomLeftCorner<3, 3>() += h2 * tilde(toLink * weight.force);
    }
    void liftRoots()
    {
        if (!(model_.gravityCompensation > 0)) return;
        for (const Skeleton& skeleton : model_.skeletons) {
            const int i = skeleton.first;
            if (links_[i].freedoms != 6) continue;
            double mass = 0;
            for (int k = i; k < i + skeleton.count; ++k) mass += model_.bodies[k].mass;
            const Vec3 pull = h(i) * h(i) / mass * work_.forces.weights[i].force;
            const Vec3 move = work_.start.segment<3>(links_[i].u);
            work_.start.segment<3>(links_[i].u + 3) +=
                work_.trial.bodies[i].orientation.conjugate() * Vec3(pull.cross(move));
        }
    }

    // Geometric stiffness of the joint's force on both bodies, springs and dampers, and the coupling.
    void addJoint(int i, const Mat3& velocityRate, bool clamped)
    {
        ArticulatedLink& link = links_[i];
        const Joint& joint = model_.joints[i];
        if (link.freedoms == 6) {
            if (model_.gravityCompensation > 0) addRootWeight(i);
            return;
        }
        link.hasBlocks = true;
        const double h2 = h(i) * h(i);
        Vec6 lifted;
        if (model_.gravityCompensation > 0) lifted = liftedLoad(i);
        const Vec6& load = model_.gravityCompensation > 0 ? lifted : carried_[i];
        const Vec3 F = load.head<3>();
        const Vec3& anchor = joint.anchorChild;
        const Vec3 N = load.tail<3>() - anchor.cross(F) - excess_[i];
        link.inertia.bottomRightCorner<3, 3>() -= h2 * lever(anchor, F);
        if (link.parent >= 0)
            links_[link.parent].inertia.bottomRightCorner<3, 3>() +=
                h2 * lever(link.X.r + link.X.R * anchor, link.X.R * F);

        JointTangent tangent;
        const bool hasLoads = !loads_.empty();
        jointForceTangent(model_, work_.trial, i, tangent, !hasLoads);
        if (hasLoads) loads_.addTangent(model_, work_.trial, i, tangent);
        link.jointBlock = h2 * tangent.stiffness;
        link.V.setZero();
        const Mat3 damping = h(i) * tangent.damping + joint.armature * Mat3::Identity();
        if (!damping.isZero(0)) addRates(i, velocityRate, damping);
        if (joint.type == JointType::slide) {
            link.coupling.col(0) = h2 * link.S.col(0).head<3>().cross(F);
            link.V.col(0).tail<3>() += link.coupling.col(0);
            return;
        }
        for (int k = 0; k < link.freedoms; ++k)
            link.coupling.col(k) = h2 * link.S.col(k).tail<3>().cross(N);
        // The first axis turns about the second.
        if (joint.type == JointType::universal && link.freedoms == 2 && !clamped)
            link.jointBlock(0, 1) += h2 * N.dot(link.S.col(0).tail<3>().cross(link.S.col(1).tail<3>()));
    }

    // The axes of a turning joint; zero where it has no more. Of a fixed size: no memory from the heap.
    static Mat3 turnsOf(const ArticulatedLink& link)
    {
        Mat3 turns = Mat3::Zero();
        for (int k = 0; k < link.freedoms; ++k) turns.col(k) = link.S.col(k).tail<3>();
        return turns;
    }

    // The parent's velocityRate in child axes, its angular velocity being w there: J(Rᵀφ) = Rᵀ J(φ) R.
    Mat3 rateOfParent(const ArticulatedLink& link, const Vec3& w) const
    {
        const Vec3 spin = link.X.R.transpose() * work_.spins[link.parent].spin;
        return rightJacobianInverse(h(link.parent) * (w - spin));
    }

    // What `damping` does to changes of the joint's velocity u', which is the difference of two discrete
    // velocities and changes with the own freedoms δ and with the turn θ of the parent (child axes). With
    // J the velocityRate of child and parent, ρ and ν the child's offset and relative velocity:
    //     turning   h ∂u' = Sᵀ ((J − h ω_p~) S δ + (J − J_p) θ)
    //     sliding   h ∂u' = δ + sᵀ (ρ~ (J_p − 1) + h (ν + ω_p × ρ)~) θ
    void addRates(int i, const Mat3& own, const Mat3& damping)
    {
        ArticulatedLink& link = links_[i];
        const Joint& joint = model_.joints[i];
        const int k = link.freedoms;
        if (k == 0) return;
        const bool hasParent = link.parent >= 0;
        const Motion none;
        const Motion inherited = hasParent ? link.X.toChild(links_[link.parent].velocity) : none;
        const Vec3& wp = inherited.angular;
        if (joint.type == JointType::slide) {
            link.jointBlock(0, 0) += damping(0, 0);
            if (!hasParent) return;
            const Vec3 rho = link.X.R.transpose() * link.X.r;
            const Vec3 speed = link.velocity.linear - inherited.linear;
            const Mat3 across = tilde(rho) * (rateOfParent(link, wp) - Mat3::Identity()) +
                                h(i) * tilde(speed + wp.cross(rho));
            link.V.col(0).tail<3>() += damping(0, 0) * across.transpose() * link.S.col(0).head<3>();
            return;
        }
        if (joint.type == JointType::spherical) {  // S turns about the axes themselves
            link.jointBlock += damping * (own - h(i) * tilde(wp));
            if (hasParent) link.V.bottomRows<3>() += (damping * (own - rateOfParent(link, wp))).transpose();
            return;
        }
        const Mat3 turns = turnsOf(link);
        Mat3 rate = turns.transpose() * (own - h(i) * tilde(wp)) * turns;
        if (joint.type == JointType::universal)
            rate(0, 1) += h(i) * Vec3(link.S.col(0).tail<3>())
                                     .cross(Vec3(link.S.col(1).tail<3>()))
                                     .dot(link.velocity.angular - wp);
        link.jointBlock += damping * rate;
        if (!hasParent) return;
        const Mat3 across = own - rateOfParent(link, wp);
        link.V.bottomRows<3>() += across.transpose() * turns * damping.transpose();
    }

    // ρ~ F~ = F ρᵀ − (F·ρ) 1: how the torque ρ × F of a force fixed in the world, seen from the body,
    // changes as the body turns.
    static Mat3 lever(const Vec3& rho, const Vec3& F)
    {
        return F * rho.transpose() - F.dot(rho) * Mat3::Identity();
    }

    // (matrix) δ = −h² r.
    void setRightHandSide()
    {
        for (const Skeleton& skeleton : model_.skeletons) {
            const double own = h(skeleton.first);
            const int end = skeleton.first + skeleton.count;
            for (int i = skeleton.first; i < end; ++i) {
                const Joint& joint = model_.joints[i];
                work_.start.segment(joint.u, joint.freedoms()) =
                    -own * own * work_.residual.segment(joint.u, joint.freedoms());
            }
        }
        liftRoots();
    }
    // The length of the step as the equations of a body have it: BDF2's is 2/3 of the whole.
    double h(int body) const { return h_ * work_.parts[model_.skeletonOf[body]]; }

    const Model& model_;
    ForceFunction forces_;
    double h_;
    const LargeVector<BodyState>& star_;
    StepWork& work_;
    LargeVector<ArticulatedLink>& links_;
    std::optional<StepConstraints> constraints_;
    LargeVector<Vec6>& carried_;  // what each joint carries, at its link's centre of mass, link axes
    LargeVector<Vec3>& excess_;   // and what of it is residual of turning joints (implicit.h), link axes
    JointLoads& loads_;
    std::optional<double> moved_;  // along the correction, since it was found
    bool nextIsKnown_ = false;     // the next correction is in work_.trialCorrection,
    bool nextIsClamped_ = false;   // of this matrix
    double placeNoise_ = 0;        // of places far from the origin, in units of the figures
    double lastSize_ = HUGE_VAL;   // of Newton's last correction
    int stalls_ = 0;               // how many corrections in a row were hardly smaller than the one before
};

}  // namespace

bool solveInJointCoordinates(const ImplicitProblem& problem, State& trial, StepWork& work)
{
    work.searchStart = trial.q;
    work.loads.begin(problem.model, trial, problem.h, work.parts);
    retract(problem.model, work.searchStart, problem.ahead, trial.u, trial.q);
    setPrescribed(problem.model, trial);
    return Solve(problem, work).run(trial);
}

void residualInJointCoordinates(const ImplicitProblem& problem, StepWork& work)
{
    work.loads.begin(problem.model, work.trial, problem.h, work.parts);
    Solve(problem, work).setResidual(work.trial);
}

void solveLinearInJointCoordinates(const ImplicitProblem& problem, const VecX& right, VecX& result,
                                   StepWork& work)
{
    work.loads.begin(problem.model, work.trial, problem.h, work.parts);
    Solve(problem, work).solveLinear(work.trial, right, result);
}

}  // namespace sinew
