// Newton's method on the implicit step in joint coordinates (integrate/implicit.h, joint_equations.h).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/integrate/joint_equations.h"
#include "sinew/model/springs.h"
#include "sinew/recursion/placement.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr int lineSearchLimit = 6;
constexpr int fromNearLimit = 5;  // iterations, where the end is all but known
constexpr double certain = 1e-2;  // what is left may be of the tolerance, where nothing more is done,
constexpr double certainOfConstrained = 1e-3;  // and where constraints hold
constexpr double placeRounding = 16 * 0x1p-52;
constexpr double roundingWorthALook = 1e-6;  // larger corrections are never taken for rounding

// base ⊕ length · direction.
void retract(const Model& model, const VecX& base, double length, const VecX& direction, VecX& q)
{
    for (const LinkData<double>& link : model.links)
        recursion::retractJoint(link, base.data() + link.q, length, direction.data() + link.u,
                                q.data() + link.q);
}

// Where the joints would come to if they went on accelerating as they do, from the last two velocities:
// those of a skeleton that looks back, v* = v + (v − v₋)/3, tell the one before. Others go on as they move.
void predict(const ImplicitProblem& problem, const StepWork& work, State& trial, VecX& delta)
{
    constexpr double half = 1.5;  // of (v − v₋), which is 3 (v* − v)
    const Model& model = problem.model;
    delta = problem.ahead * trial.u;
    // Limits and friction stop what accelerates.
    if (!work.implicit.loads.empty()) return;
    for (int i = 0; i < model.size(); ++i) {
        if (work.implicit.parts[model.skeletonOf[i]] == 1) continue;
        const LinkData<double>& data = model.links[i];
        const auto turning = [&](int body) -> Vec3 {
            return problem.star[body].angularVelocity - trial.bodies[body].angularVelocity;
        };
        Vec3 more = turning(i);
        if (data.parent >= 0)
            more -= trial.bodies[i].orientation.conjugate() *
                    (trial.bodies[data.parent].orientation * turning(data.parent));
        more *= half * problem.ahead;
        double* own = delta.data() + data.u;
        if (data.kind == LinkKind::hinge) own[0] += large(data.axis).dot(more);
        if (data.kind == LinkKind::free && data.parent < 0) {
            view<3>(own) += half * problem.ahead * (problem.star[i].velocity - trial.bodies[i].velocity);
            own += 3;
        }
        if (data.kind == LinkKind::ball || (data.kind == LinkKind::free && data.parent < 0))
            view<3>(own) += more;
    }
}

class Solve {
public:
    Solve(const ImplicitProblem& problem, StepWork& work)
        : model_(problem.model),
          h_(problem.h),
          work_(work),
          links_(work.joint.links),
          equations_(problem, work),
          constraints_(equations_.constraints()),
          loads_(work.implicit.loads),
          mixing_(work.joint.mixing),
          forces_(work.joint.forces),
          mixedForces_(work.joint.mixedForces),
          mixed_(work.joint.mixed)
    {
        work_.joint.pairs.believed.clear();
        work_.joint.pairs.start.clear();
        work_.constraints.rowsWork.pairs = model_.springs.empty() ? nullptr : &work_.joint.pairs.rows;
        mixing_.clear();
        // Prescribed joints have no correction: theirs stay zero.
        work_.joint.correction.setZero(model_.freedomCount);
        work_.joint.trialCorrection.setZero(model_.freedomCount);
        for (int i = 0; i < model_.size(); ++i)
            placeNoise_ =
                std::max(placeNoise_, placeRounding * problem.star[i].position.cwiseAbs().maxCoeff() /
                                          model_.skeletons[model_.skeletonOf[i]].length);
    }

    // From the guess in state.q to the solution, with discrete velocities; false if it was not found.
    bool run(State& state, bool startsNear = false)
    {
        startsNear_ = startsNear;
        equations_.believePairs();
        if (constraints_ && !usesPlainInertia()) return runConstrained(state);
        double norm = equations_.evaluate(state);
        if (constraints_) {
            if (!holdByPlainInertia(state)) return false;
            norm = equations_.evaluate(state);
        }
        const int limit = iterationLimit();
        double early = 0;  // the size of an early correction
        for (int iteration = 0; iteration < limit; ++iteration) {
            if (!std::isfinite(norm) || work_.stop()) return false;
            bool last = false;
            // The guess may load light links as nothing will: if so, with the loads of what coasts.
            if (iteration == 0) {
                if (improve(state, false, norm, last, 1)) {
                    if (last) return finish(true);
                    continue;
                }
                equations_.foreseeCoasting();
                norm = equations_.evaluate(state);
            }
            // The exact matrix may be indefinite, even singular, in a taut pose across its load; the one
            // with clamped turning blocks hardly ever is, but converges slower.
            if (!improve(state, false, norm, last) && !improve(state, true, norm, last))
                return giveUp(state);
            if (last) return finish(true);
            // Half the step is cheaper than waiting for what may go round in circles; limits and friction
            // take some rounds to find out who bears.
            const int patience = loads_.empty() ? 8 : 12;
            if (iteration == 1) early = lastSize_;
            const bool crawls = (iteration == patience && lastSize_ > 0.1 * early) || isOverBudget();
            if (crawls && !work_.settings.iterations && !work_.implicit.acceptsUnconverged) return false;
        }
        return finish(work_.settings.iterations > 0) || giveUp(state);
    }

    void setResidual(State& state) { equations_.evaluate(state); }
    void solveLinear(State& state, const VecX& right, VecX& result)
    {
        equations_.evaluate(state);
        equations_.assemble(false);
        work_.joint.right = right;
        factorPlainly(result);
    }

private:
    // The answer of the matrix, forces between bodies included, to work_.joint.right.
    void factorAndSolve(VecX& result)
    {
        if (constraints_ && constraints_->isInTree())
            return constraints_->factorAndSolve(links_, work_.joint.right, result);
        factorPlainly(result);
    }
    void factorPlainly(VecX& result)
    {
        factorAndSolveIncrement(model_, links_, work_.joint.right, result);
        work_.joint.pairs.rows.factor(model_, links_);
        work_.joint.pairs.rows.correct(result);
    }
    // The same by the factors at hand.
    void solveAgain(VecX& result)
    {
        if (constraints_ && constraints_->isInTree())
            return constraints_->solveAgain(links_, work_.joint.right, result);
        solveIncrement(links_, work_.joint.right, result);
        work_.joint.pairs.rows.correct(result);
    }

    // No end was found. Of the shortest part of a step, one that is near will do: it is counted.
    bool giveUp(const State& state)
    {
        constexpr double near = 1e-2;
        noteTrouble();
        if (startsNear_ || !work_.implicit.acceptsUnconverged || !(lastSize_ < near) || !isFinite(state))
            return false;
        work_.implicit.isUnconverged = true;
        return finish(true);
    }
    // Where body coordinates may find the end they are asked before long.
    bool isOverBudget() const
    {
        constexpr long budget = 24;
        return work_.implicit.mayGoByBodies && work_.statistics.newtonIterations - before_ > budget;
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
                const double own = std::abs(work_.joint.correction[u]) / model_.freedomUnits[u];
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
        for (int i = 0; i < model_.size(); ++i) setRigidInertia(model_, i, links_[i]);
        work_.joint.pairs.rows.clear();
        equations_.setRightHandSide();
        factorAndSolveIncrement(model_, links_, work_.joint.right, work_.joint.correction);
        if (!constraints_->correct(state, links_, work_.joint.correction)) return false;
        constraints_->accept(1);
        return true;
    }

    int iterationLimit() const
    {
        if (work_.settings.iterations) return work_.settings.iterations;
        return startsNear_ ? fromNearLimit : implicitIterationLimit;
    }

    // Newton's method with contacts and loops: each correction is the solution of a problem with
    // inequalities (integrate/constraints.h).
    bool runConstrained(State& state)
    {
        // A solver at its cap is helped by more Newton iterations as long as these make headway, and then
        // by none: the next step goes on from there.
        constexpr int cappedLimit = 8;
        constexpr int patience = 6;
        double norm = equations_.evaluate(state);
        bool clamped = false, wasClamped = false, staysClamped = false;
        double lastSize = std::numeric_limits<double>::infinity();
        double firstClamped = 0, firstSize = 0;
        for (int iteration = 0; iteration < iterationLimit(); ++iteration) {
            if (work_.stop()) return false;
            ++work_.statistics.newtonIterations;
            if (!clamped && iteration > 0 && isSolved(state)) {
                search(state, 0, clamped, true, norm);
                return finish(true);
            }
            bool found = solveLinearised(clamped, work_.joint.correction);
            double free = sizeOf(work_.joint.correction);
            const bool wasInTree = constraints_->isInTree();
            bool solved = found && constraints_->correct(state, links_, work_.joint.correction);
            if (wasInTree && !solved && constraints_->hasLeftTree()) {
                found = solveLinearised(clamped, work_.joint.correction);
                free = sizeOf(work_.joint.correction);
                solved = found && constraints_->correct(state, links_, work_.joint.correction);
            }
            const double size = sizeOf(work_.joint.correction);
            // All equations hold. Where many forces do the same, or nearly, the solver goes on to others.
            if (iteration >= patience && free <= tolerance(state) &&
                constraints_->missed() <= solverSettings(model_).tolerance) {
                work_.constraints.report = ConstraintReport();
                return finish(true);
            }
            // Far from the end of the step Newton's method with such a matrix may go to another one, in
            // which the loop is about to buckle.
            const bool isNear =
                size < 1e-3 || (lastSize < 1e-3 && size <= 10 * std::max(free, tolerance(state)));
            if (constraints_->isIndefinite() && !isNear) solved = false;
            // The clamped matrix has come near an end from which the exact one leads away, because it takes
            // it for a summit: so the clamped one finishes.
            if (!clamped && wasClamped && !(solved && size <= lastSize)) {
                clamped = staysClamped = true;
                continue;
            }
            loads_.predict(model_, state, work_.joint.correction);
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
            if (last && settled && !work_.implicit.acceptsUnconverged && constraints_->loopsStayOpen())
                return false;
            // Half the step is cheaper than waiting for what may go round in circles.
            if (firstSize == 0) firstSize = size;
            const bool crawls =
                !last && ((iteration == patience && size > 0.1 * firstSize) || isOverBudget());
            if (crawls && !work_.settings.iterations && !work_.implicit.acceptsUnconverged) return false;
            if (!mixedSearch(state, std::max(free, size), clamped, last,
                             iteration < 2 ? 0 : size / lastSize, norm)) {
                if (clamped) return giveUp(state);
                clamped = true;
                continue;
            }
            if (last) return finish(!report.reachedCap || mayBeCut(report));
            // The exact matrix may be indefinite; where it does not converge, the clamped one takes over.
            wasClamped = clamped;
            clamped = staysClamped || (clamped ? size > 0.1 * firstClamped : size > lastSize);
            lastSize_ = size;
            wasClamped_ = wasClamped;
            if (clamped && firstClamped == 0) firstClamped = size;
            if (!clamped) firstClamped = 0;
            lastSize = size;
        }
        return finish(work_.settings.iterations > 0) || giveUp(state);
    }

    // Whether all equations hold at the iterate, by a solve with the factor at hand: the last iteration,
    // which would find that nothing is left to do, is spared the rest.
    bool isSolved(const State& state)
    {
        if (!mayReuseFactor() || !constraints_->heldAllRows() || work_.constraints.report.reachedCap)
            return false;
        if (constraints_->missed() > 10 * certainOfConstrained * solverSettings(model_).tolerance)
            return false;
        VecX& delta = work_.joint.trialCorrection;
        if (!solveByOldFactor(delta) || !(sizeOf(delta) <= certainOfConstrained * tolerance(state)))
            return false;
        // What no constraint reaches is corrected as if it were alone.
        constraints_->clearReached(delta);
        std::swap(delta, work_.joint.correction);
        return true;
    }

    // With what was learned from the last iterations (mixing.h) where they converge slowly, or else
    // plainly.
    bool mixedSearch(State& state, double bound, bool clamped, bool last, double ratio, double& norm)
    {
        constexpr double near = 0.1;  // rad, or lengths of the figure: farther off nothing is linear
        constexpr double slow = 0.1;
        VecX& correction = work_.joint.correction;
        if (last || sizeOf(correction) > near) {
            mixing_.clear();
            return search(state, bound, clamped, last, norm);
        }
        if (clamped != mixesClamped_ || constraints_->hasJustSettledPlaces()) mixing_.clear();
        mixesClamped_ = clamped;
        constraints_->forceCorrections(forces_);
        mixing_.found(correction, model_.freedomUnits, forces_);
        if (ratio > slow && mixing_.mix(mixed_, mixedForces_) && sizeOf(mixed_) <= near) {
            std::swap(correction, mixed_);
            constraints_->setForceCorrections(mixedForces_, forces_);
            if (search(state, bound, clamped, false, norm, 1)) {
                constraints_->forceCorrections(forces_);
                mixing_.took(1, correction, forces_);
                return true;
            }
            std::swap(correction, mixed_);
            constraints_->setForceCorrections(forces_, forces_);
        }
        if (!search(state, bound, clamped, false, norm)) {
            mixing_.clear();
            return false;
        }
        mixing_.took(length_, correction, forces_);
        return true;
    }

    // Whether a solve that ended at its cap will do: in a part of the step so short that shorter ones are
    // not worth trying, or after so many sweeps as somebody asked for if it is nearly solved.
    bool mayBeCut(const ConstraintReport& report) const
    {
        using Solver = ContactDescription::Solver;
        const bool bySweeps = model_.contact && model_.contact->solver == Solver::iterative;
        return work_.implicit.acceptsCaps || constraints_->isNearlySolved() ||
               (bySweeps && report.largest() <= 100 * solverSettings(model_).tolerance);
    }

    // Along the correction, coordinates and what follows them; returns the residual's norm there.
    double moveTo(double length, State& state)
    {
        if (length > 0)
            retract(model_, work_.joint.searchStart, length, work_.joint.correction, state.q);
        else
            state.q = work_.joint.searchStart;
        if (constraints_) constraints_->accept(length);
        nextIsKnown_ = false;
        return equations_.evaluate(state, length);
    }

    // Moves along the correction, coordinates and constraints' forces alike, as far as it helps. The last
    // one is taken without asking. On failure the state is as it was.
    bool search(State& state, double size, bool clamped, bool last, double& norm,
                int most = lineSearchLimit)
    {
        work_.joint.searchStart = state.q;
        if (last) {
            retract(model_, work_.joint.searchStart, 1, work_.joint.correction, state.q);
            if (constraints_) constraints_->accept(1);
            equations_.finish(state);
            return true;
        }
        equations_.foresee(state, work_.joint.correction);
        double length = 1;
        const std::uint64_t touched = bearingPlaces(model_, state, work_.forces.span);
        for (int attempt = 0; attempt < most; ++attempt, length *= 0.5) {
            length_ = length;
            const double now = moveTo(length, state);
            if (!std::isfinite(now)) continue;
            if (length == 1 && leapsLeft_ > 0 &&
                bearingPlaces(model_, state, work_.forces.span) != touched) {
                --leapsLeft_;
                norm = now;
                return true;
            }
            const double wanted = loads_.hasLimits() ? 0.5 * norm : norm;
            if (!helps((1 - length / 4) * size, clamped, now <= wanted)) continue;
            norm = now;
            return true;
        }
        norm = moveTo(0, state);
        return false;
    }

    // The residual mixes units; what counts is whether the next correction, with the matrix at hand, would
    // be a smaller one (Deuflhard's natural monotonicity test); without constraints, whose forces should
    // make it small. Where limits may come into play since, the matrix of the new place tells, and the
    // residual, most of which may be a stiff limit, does not.
    bool helps(double size, bool clamped, bool hasSmallerResidual)
    {
        if (hasSmallerResidual) return true;
        if (loads_.hasLimits()) {
            nextIsKnown_ = solveLinearised(clamped, work_.joint.trialCorrection);
            nextIsClamped_ = clamped;
            if (!nextIsKnown_) return false;
        } else {
            equations_.setRightHandSide();
            solveAgain(work_.joint.trialCorrection);
        }
        return sizeOf(work_.joint.trialCorrection) <= size;
    }

    // Newton's correction at the last evaluation, in rounds that find the limits that will bear.
    bool solveLinearised(bool clamped, VecX& delta)
    {
        const bool isKnown = nextIsKnown_ && nextIsClamped_ == clamped;
        nextIsKnown_ = false;
        if (isKnown) {
            delta = work_.joint.trialCorrection;
            return true;
        }
        if (!loads_.hasLimits()) {
            equations_.assemble(clamped);
            equations_.setRightHandSide();
            factorAndSolve(delta);
            return true;
        }
        const int mostRounds = clamped ? 20 : 4;
        work_.joint.nextRound.setZero(model_.freedomCount);
        loads_.beginRounds();
        for (int round = 0; round < mostRounds; ++round) {
            if (round > 0) ++work_.statistics.newtonIterations;
            equations_.assemble(clamped);
            equations_.setRightHandSide();
            loads_.addToRightHandSide(work_.joint.right);
            factorAndSolve(work_.joint.nextRound);
            if (loads_.finishRound(work_.joint.nextRound, delta)) return true;
        }
        return false;
    }

    // One Newton correction. On failure the state is as it was.
    bool improve(State& state, bool clamped, double& norm, bool& last, int most = lineSearchLimit)
    {
        ++work_.statistics.newtonIterations;
        VecX& delta = work_.joint.correction;
        if (!clamped && mayReuseFactor() && converges(state, delta, last))
            return search(state, lastSize_, clamped, last, norm, most);
        if (!solveLinearised(clamped, delta)) return false;
        const double size = sizeOf(delta);
        constexpr double far = 1;  // rad, or lengths of the figure: what a first look does not follow
        if (!std::isfinite(size) || (most == 1 && size > far)) return false;
        loads_.predict(model_, state, delta);
        last = size <= tolerance(state) || isRounding(size);
        wasClamped_ = clamped;
        return search(state, size, clamped, last, norm, most);
    }

    // The matrix of an earlier iteration contracts too, by how much a correction is smaller than the one
    // before. So the last corrections, which do little more than verify, are solves with the factor at
    // hand, in place of matrices of their own. The error of one is that contraction times its size.
    bool mayReuseFactor() const
    {
        constexpr double small = 1e-3;  // rad, or lengths of the figure
        return lastSize_ < small && length_ == 1 && !wasClamped_ && !nextIsKnown_ &&
               !work_.settings.iterations;
    }
    // False if other limits would bear.
    bool solveByOldFactor(VecX& delta)
    {
        equations_.setRightHandSide();
        loads_.addToRightHandSide(work_.joint.right);
        solveAgain(delta);
        return loads_.bearsAsChosen(delta);
    }
    // Whether this correction, or one or two more like it, is the last: that takes less than a new matrix.
    bool converges(const State& state, VecX& delta, bool& last)
    {
        if (!solveByOldFactor(delta)) return false;
        const double size = sizeOf(delta), contraction = size / lastSize_;
        const double left = contraction * size, bound = certain * tolerance(state);
        if (!(contraction < 0.1) || !(contraction * contraction * left <= bound)) return false;
        last = left <= bound;
        lastSize_ = size;
        loads_.predict(model_, state, delta);
        return true;
    }

    // The largest of a motion of the freedoms, each in its own unit. Not finite if one is not.
    double sizeOf(const VecX& motion) const
    {
        double size = 0;
        for (int k = 0; k < motion.size(); ++k) {
            const double unit = model_.freedomUnits[k];
            double own = std::abs(motion[k]);
            if (unit != 1) own /= unit;
            if (!(own <= size)) size = own;
        }
        return size;
    }
    // Corrections below this are as good as none.
    double tolerance(const State& state) const
    {
        const double part = implicitTolerance / work_.settings.sharpness;
        return std::max(part * std::max(h_ * sizeOf(state.u), implicitStillness), placeNoise_);
    }

    // Whether a correction that is not smaller than the one before is what rounding makes of the residual:
    // a solve with the rounding of its terms as the right-hand side tells. It is asked where Newton stalls.
    bool isRounding(double size)
    {
        stalls_ = size > 0.5 * lastSize_ ? stalls_ + 1 : 0;
        lastSize_ = size;
        if (stalls_ < 2 || !(size < roundingWorthALook)) return false;
        equations_.setRoundingOfResidual();
        solveAgain(work_.joint.trialCorrection);
        double noise = sizeOf(work_.joint.trialCorrection);
        equations_.setRightHandSide();
        if (constraints_ && !usesPlainInertia() && size > 3 * noise) {
            constraints_->changeByRounding(work_.joint.trialCorrection);
            noise = std::max(noise, sizeOf(work_.joint.trialCorrection));
        }
        return size <= 3 * noise;
    }

    const Model& model_;
    double h_;
    StepWork& work_;
    ArticulatedLinks& links_;
    JointEquations equations_;
    std::optional<StepConstraints>& constraints_;
    JointLoads& loads_;
    int leapsLeft_ = mostLeaps;
    bool nextIsKnown_ = false;    // the next correction is in work_.joint.trialCorrection,
    bool nextIsClamped_ = false;  // of this matrix
    double placeNoise_ = 0;       // of places far from the origin, in units of the figures
    double lastSize_ = HUGE_VAL;  // of Newton's last correction
    Mixing& mixing_;
    bool mixesClamped_ = false;  // it has learned from corrections with the clamped matrix
    std::vector<Vec3>&forces_, &mixedForces_;
    VecX& mixed_;
    double length_ = 1;        // of the last search, of the correction
    bool wasClamped_ = false;  // the factor at hand is that of the clamped matrix
    bool startsNear_ = false;
    long before_ = work_.statistics.newtonIterations;  // iterations before this solve
    int stalls_ = 0;  // how many corrections in a row were hardly smaller than the one before
};

}  // namespace

bool solveInJointCoordinates(const ImplicitProblem& problem, State& trial, StepWork& work)
{
    work.joint.searchStart = trial.q;
    work.implicit.loads.begin(problem.model, trial, problem.h, work.implicit.parts);
    work.implicit.loads.guessFriction(problem.model, trial, problem.h, work.implicit.parts);
    if (work.implicit.guessedFor == problem.ahead) {
        trial.q = work.implicit.guess;
    } else {
        predict(problem, work, trial, work.joint.correction);
        retract(problem.model, work.joint.searchStart, 1, work.joint.correction, trial.q);
    }
    setPrescribed(problem.model, trial);
    return Solve(problem, work).run(trial);
}

void guessEnd(const Model& model, const State& start, double h, const VecX& velocity, ImplicitWork& work)
{
    work.guess.resize(start.q.size());
    retract(model, start.q, h, velocity, work.guess);
    work.guessedFor = h;
}

bool solveInJointCoordinatesFrom(const ImplicitProblem& problem, State& trial, StepWork& work)
{
    work.implicit.loads.begin(problem.model, trial, problem.h, work.implicit.parts);
    work.implicit.loads.guessFriction(problem.model, trial, problem.h, work.implicit.parts);
    return Solve(problem, work).run(trial, true);
}

void residualInJointCoordinates(const ImplicitProblem& problem, StepWork& work)
{
    work.implicit.loads.begin(problem.model, work.implicit.trial, problem.h, work.implicit.parts);
    Solve(problem, work).setResidual(work.implicit.trial);
}

void solveLinearInJointCoordinates(const ImplicitProblem& problem, const VecX& right, VecX& result,
                                   StepWork& work)
{
    work.implicit.loads.begin(problem.model, work.implicit.trial, problem.h, work.implicit.parts);
    Solve(problem, work).solveLinear(work.implicit.trial, right, result);
}

}  // namespace sinew
