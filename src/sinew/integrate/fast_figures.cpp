#include "sinew/integrate/fast_figures.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sinew/integrate/halving.h"
#include "sinew/integrate/joint_equations.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_contacts.h"
#include "sinew/measure/energy.h"
#include "sinew/recursion/placement.h"
#include "sinew/state/contacts.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr int fastHalvings = 2;
constexpr int fastLooks = 2, mostFastLooks = 6, mostLooksOfParts = 3;
constexpr double surelyNear = 1e-4;  // rad, or lengths of the figure
constexpr int fastIterations = 12;   // of Newton's method with impulses as they are

class FastFigures {
public:
    FastFigures(const Model& model, ForceFunction forces, double h, const std::vector<int>& roots,
                State& state, StepWork& work, FastFigureWork& own)
        : model_(model),
          forces_(forces),
          h_(h),
          roots_(roots),
          state_(state),
          work_(work),
          own_(own),
          contacts_(work.constraints.contacts),
          links_(work.joint.links),
          loads_(work.implicit.loads)
    {
    }

    bool run(bool mayLookBack)
    {
        own_.start = state_.bodies;
        own_.startCoordinates = state_.q;
        own_.startVelocities = state_.u;
        own_.startTime = state_.time;
        own_.guessed = contacts_;
        work_.constraints.step = h_;
        const bool neededRows = work_.constraints.solver.effort.needsRows;
        work_.constraints.solver.effort.needsRows = true;  // none of them is in the tree
        work_.constraints.recovers = false;                // nor leads velocities out
        const bool found = stepAtOnce(mayLookBack) || stepInHalves() || goBack();
        if (found) work_.statistics.unconverged += isUnsettled_;
        work_.constraints.recovers = true;
        work_.constraints.solver.effort.needsRows = neededRows;
        return found;
    }

private:
    // As if nothing had been tried.
    bool goBack()
    {
        state_.bodies = own_.start;
        state_.q = own_.startCoordinates;
        state_.u = own_.startVelocities;
        state_.time = own_.startTime;
        contacts_ = own_.guessed;
        return false;
    }
    // Whole, each skeleton in its order.
    bool stepAtOnce(bool mayLookBack)
    {
        chooseOrders(mayLookBack);
        constexpr int mostOrders = 3;
        for (int k = 0; k < mostOrders; ++k) {
            contacts_ = own_.guessed;
            setStars(model_, state_, h_, work_);
            if (!solve(h_)) return false;
            if (!looksBack() || !findJumps(model_, state_.bodies, state_.q, h_, work_)) break;
            if (k + 1 == mostOrders) return false;
        }
        const bool hadJumps = !looksBack();
        accept();
        state_.previous = own_.start;
        if (hadJumps) findJumps(model_, own_.start, own_.startCoordinates, h_, work_);
        state_.jumped = work_.implicit.jumps;
        return true;
    }
    bool stepInHalves()
    {
        state_.previous.clear();
        state_.jumped.clear();
        work_.implicit.parts.assign(model_.skeletons.size(), 1);
        contacts_ = own_.guessed;
        double part = h_;
        ++work_.statistics.halvings;
        const auto attempt = [&](double h, bool isLast) {
            contacts_ = own_.guessed;
            scaleImpulses(work_.constraints, h / part);
            setStars(model_, state_, h, work_);
            const bool found = solve(h);
            if (!found && !(isLast && isFinite())) return false;
            work_.statistics.unconverged += !found;
            accept();
            part = h;
            own_.guessed = contacts_;
            return true;
        };
        const auto half = [&] { return takeInHalves(h_ / 2, fastHalvings - 1, work_, attempt); };
        if (!half() || !half()) return false;
        scaleImpulses(work_.constraints, h_ / part);
        return true;
    }

    // Skeletons that touch nothing and whose velocities did not jump look back.
    void chooseOrders(bool mayLookBack)
    {
        constexpr double bdf2 = 2. / 3;
        std::vector<double>& parts = work_.implicit.parts;
        work_.implicit.jumps.assign(model_.skeletons.size(), 0);
        mayLookBack &= state_.previous.size() == state_.bodies.size();
        parts.assign(model_.skeletons.size(), mayLookBack ? bdf2 : 1);
        for (std::size_t s = 0; s < parts.size(); ++s)
            if (isAsleep(state_, static_cast<int>(s)) || (s < state_.jumped.size() && state_.jumped[s]))
                parts[s] = 1;
        std::vector<char> touches(parts.size(), 0);  // per root
        for (const Contact& c : contacts_)
            for (const int body : {c.bodyA, c.bodyB})
                if (body >= 0) touches[roots_[model_.skeletonOf[body]]] = 1;
        for (std::size_t s = 0; s < parts.size(); ++s)
            if (touches[roots_[s]]) parts[s] = 1;
    }
    bool looksBack() const
    {
        return std::any_of(work_.implicit.parts.begin(), work_.implicit.parts.end(),
                           [](double part) { return part != 1; });
    }

    bool isFinite() const
    {
        const State& trial = work_.implicit.trial;
        return trial.q.allFinite() && trial.u.allFinite();
    }
    // A turn of more than half a circle would be taken for one the other way round.
    bool isPlausible(double h) const
    {
        constexpr double largestTurn = 2.5;  // rad
        const State& trial = work_.implicit.trial;
        for (int i = 0; i < model_.size(); ++i)
            if (!((trial.bodies[i].angularVelocity - work_.implicit.spins[i].spin).norm() * h <
                  largestTurn))
                return false;
        return true;
    }

    void accept()
    {
        State& trial = work_.implicit.trial;
        if (work_.settings.measuresContacts)
            work_.statistics.contactEnergy += contactWork(contacts_, state_, trial);
        std::swap(state_.bodies, trial.bodies);
        std::swap(state_.q, trial.q);
        std::swap(state_.u, trial.u);
        state_.time = trial.time;
        for (std::size_t c = 0; c < contacts_.size(); ++c)
            contacts_[c].slipping = work_.constraints.slips[c];
    }

    // A part of the step, to work_.implicit.trial; with the places that its end shows, if need be.
    bool solve(double h)
    {
        State& trial = work_.implicit.trial;
        trial.q = state_.q;
        trial.u = state_.u;
        trial.bodies = state_.bodies;
        trial.memory = state_.memory;
        trial.quiet = state_.quiet;
        trial.time = state_.time + h;
        part_ = h;
        work_.joint.searchStart = trial.q;
        work_.joint.correction = h * trial.u;
        retract(work_.joint.searchStart, 1, work_.joint.correction, trial.q);
        setPrescribed(model_, trial);
        work_.forces.span = {h, &state_.bodies};
        bool found = solveFrom(trial);
        if (found && findsMore()) found = solveFrom(trial);
        work_.forces.span = {};
        if (!found || !isPlausible(h)) return false;
        limitEnergy(trial);
        restIslands(model_, own_.sweeps.swept, roots_, h, trial, own_.energy);
        takeDepthsBack(trial);
        return isFinite();
    }
    // Of islands in which nothing looks back, whose energy one step tells, where nothing drives them.
    void limitEnergy(State& trial)
    {
        if (contacts_.empty() || !isPassive(model_) || work_.forces.outside.any) return;
        own_.energy.isJudged.assign(model_.skeletons.size(), 1);
        for (std::size_t s = 0; s < model_.skeletons.size(); ++s)
            if (work_.implicit.parts[s] != 1) own_.energy.isJudged[roots_[s]] = 0;
        limitEnergyOfIslands(model_, state_, roots_, trial, own_.energy);
    }
    bool findsMore()
    {
        if (contacts_.empty()) return false;
        work_.constraints.holdsAll = true;
        const bool finds = lookAgain(model_, state_, 1, work_) != Seen::nothing;
        work_.constraints.holdsAll = false;
        return finds;
    }

    // From where the trial is.
    bool solveFrom(State& trial)
    {
        const ImplicitProblem problem{
            model_,       ForceFunction(noForces).plus(addForces, this), part_, part_, work_.implicit.star,
            state_.bodies};
        JointWork& joint = work_.joint;
        joint.correction.setZero(model_.freedomCount);
        joint.trialCorrection.setZero(model_.freedomCount);
        joint.pairs.believed.clear();
        joint.pairs.start.clear();
        work_.constraints.rowsWork.pairs = nullptr;
        work_.implicit.guessedFor = 0;
        loads_.begin(model_, state_, part_, work_.implicit.parts);
        loads_.guessFriction(model_, state_, part_, work_.implicit.parts);
        own_.wrenches.clear();
        own_.sweeps.blocks.clear();
        own_.sweeps.swept.clear();
        JointEquations equations(problem, work_);
        equations.clampWhereNegative();
        equations.evaluate(trial);
        work_.constraints.slips.assign(contacts_.size(), 0);
        if (!equations.constraints()) return converge(equations, trial);
        if (!look(equations, trial)) return false;
        bool found = true;
        if (isStill_) {
            equations.finish(trial);
        } else {
            holdWrenches();
            found = settle(equations, trial);
            std::swap(work_.constraints.impulses, own_.impulses);
        }
        note();
        equations.constraints()->finish();
        return found;
    }

    // What contacts exert, as the last look has it, stays as it is in the world until Newton's method is
    // done: a force whose arm turned with its body would turn over light bodies that bear much. While they
    // bear their places hold them; here nothing does.
    void holdWrenches()
    {
        std::vector<Vec3>& impulses = work_.constraints.impulses;
        own_.impulses.assign(impulses.size(), Vec3::Zero());
        std::swap(impulses, own_.impulses);
        own_.wrenches.assign(model_.bodies.size(), Force());
        const double over = 1 / (part_ * part_);
        for (const SweptBlock& block : own_.sweeps.blocks) {
            const Vec3 f = over * large(block.impulse);
            for (const BodyRows& rows : block.sides)
                if (rows.body >= 0)
                    own_.wrenches[rows.body] += {rows.move.transpose() * f, rows.turn.transpose() * f};
        }
    }
    static void noForces(const Model&, const State&, Forces&) {}
    static void addForces(void* self, const Model& model, const State& state, Forces& forces)
    {
        FastFigures& own = *static_cast<FastFigures*>(self);
        own.forces_(model, state, forces);
        const LargeVector<Force>& wrenches = own.own_.wrenches;
        for (std::size_t i = 0; i < wrenches.size(); ++i) forces.body[i] += wrenches[i];
    }

    // ---- Looks at the contacts ---------------------------------------------------------------------

    bool look(JointEquations& equations, State& trial)
    {
        VecX& delta = work_.joint.correction;
        own_.aims.assign(contacts_.size(), 0);
        own_.numberOf.assign(work_.constraints.blocks.size(), -1);
        const int mostLooks = part_ == h_ ? mostFastLooks : mostLooksOfParts;
        int looks = fastLooks;
        for (int k = 0; k < looks; ++k) {
            ++work_.statistics.newtonIterations;
            if (!linearise(equations, true, delta) || !delta.allFinite()) return false;
            moveByIncrement(links_, 0, model_.size(), delta);
            gatherBlocks();
            FigureSweeps& sweeps = own_.sweeps;
            sweeps.prepare(model_, links_);
            sweeps.solve(settings());
            sweeps.addMotion(model_, links_, delta);
            for (const SweptBlock& block : sweeps.blocks)
                work_.constraints.impulses[block.source] = large(block.impulse);
            if (!delta.allFinite()) return false;
            lastSize_ = sizeOf(delta);
            // Blows turn bodies far from where the impulses were found for.
            constexpr double far = 0.01;  // rad, or lengths of the figure
            if ((k == 0 && setAims()) || (k + 1 == looks && looks < mostLooks && lastSize_ > far)) ++looks;
            loads_.predict(model_, trial, delta);
            // What rests is done at once.
            isStill_ = lastSize_ <= stillness(trial);
            if (isStill_ && own_.aims.end() == std::find_if(own_.aims.begin(), own_.aims.end(),
                                                            [](double aim) { return aim != 0; })) {
                work_.joint.searchStart = trial.q;
                retract(work_.joint.searchStart, 1, delta, trial.q);
                return true;
            }
            isStill_ = false;
            move(equations, 1, delta, trial);
        }
        return true;
    }

    // Corrections that are not worth another look.
    double stillness(const State& trial) const
    {
        constexpr double still = 1e-6,
                         part = 1e-4;  // rad, or lengths of the figure; of the way of the step
        return std::max(still, part * part_ * sizeOf(trial.u));
    }
    SweepSettings settings() const
    {
        SweepSettings settings;
        settings.tolerance = solverSettings(model_).tolerance;
        return settings;
    }

    // Those that bear, or would be closed by the correction.
    void gatherBlocks()
    {
        const ConstraintWork& constraints = work_.constraints;
        std::vector<SweptBlock>& blocks = own_.sweeps.blocks;
        blocks.clear();
        std::fill(own_.numberOf.begin(), own_.numberOf.end(), -1);
        const double near = model_.gravity.norm() * part_ * part_ + 1e-3 * model_.contactLength;
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            Vec3 d = motionBy(c);
            d[0] -= own_.aims[c];
            if (!(constraints.impulses[c][0] > 0) && !(d[0] < near)) continue;
            const Contact& contact = contacts_[c];
            SweptBlock& block = addBlock(c, d);
            block.friction = constraints.blocks[c].friction;
            const double gap = gapAtStart(c);
            block.ahead = gap - constraints.targets[c] - own_.aims[c];
            const Vec3 middle =
                placeOf(contact.bodyA, contact.pointA) + placeOf(contact.bodyB, contact.pointB);
            block.height = -model_.gravity.dot(middle);
            int awake = contact.bodyA;
            if (awake < 0 || isBodyAsleep(model_, state_, awake)) awake = contact.bodyB;
            block.root = roots_[model_.skeletonOf[awake]];
        }
        for (std::size_t t = 0; t < constraints.turning.size(); ++t) {
            const ConstraintWork::Turning& turning = constraints.turning[t];
            const int contact = own_.numberOf[turning.contact];
            if (contact < 0) continue;
            const std::size_t b = contacts_.size() + t;
            SweptBlock& block = addBlock(b, motionBy(b));
            block.contact = contact;
            block.rows = constraints.blocks[b].rows;
            block.friction = turning.bound;
            block.root = blocks[contact].root;
        }
    }
    SweptBlock& addBlock(std::size_t b, const Vec3& d)
    {
        const ConstraintWork& constraints = work_.constraints;
        own_.numberOf[b] = static_cast<int>(own_.sweeps.blocks.size());
        SweptBlock& block = own_.sweeps.blocks.emplace_back();
        block.source = static_cast<int>(b);
        block.sides[0] = constraints.rows[2 * b];
        block.sides[1] = constraints.rows[2 * b + 1];
        block.offset = small(d);
        block.impulse = small(constraints.impulses[b]);
        Vec3 started = Vec3::Zero();
        for (const BodyRows& rows : block.sides)
            if (rows.body >= 0) {
                const BodyState& body = state_.bodies[rows.body];
                started += rows.move * body.velocity + rows.turn * body.angularVelocityWorld();
            }
        block.started = small(Vec3(part_ * started));
        return block;
    }
    // Where a block comes to as its bodies move by the correction.
    Vec3 motionBy(std::size_t b) const
    {
        Vec3 d = work_.constraints.motion[b];
        for (const BodyRows* rows : {&work_.constraints.rows[2 * b], &work_.constraints.rows[2 * b + 1]}) {
            if (rows->body < 0) continue;
            const ArticulatedLink& link = links_[rows->body];
            d += rows->move * large(link.a + cross(link.alpha, link.c)) + rows->turn * large(link.alpha);
        }
        return d;
    }
    Vec3 placeOf(int body, const Vec3& anchor) const
    {
        return body < 0 ? anchor
                        : Vec3(state_.bodies[body].position + state_.bodies[body].orientation * anchor);
    }
    double gapAtStart(std::size_t c) const
    {
        const Contact& contact = contacts_[c];
        return contact.normal.dot(work_.constraints.startOffsets[c]) - contact.roundA - contact.roundB;
    }

    // What came on fast and has been stopped goes back by its share. True if anything does.
    bool setAims()
    {
        bool any = false;
        for (const SweptBlock& block : own_.sweeps.blocks) {
            if (block.contact >= 0 || !(block.impulse.x > 0)) continue;
            const std::size_t c = static_cast<std::size_t>(block.source);
            if (!(contacts_[c].restitution > 0) ||
                !(block.started.x < -part_ * *model_.contact->bounceSpeed))
                continue;
            own_.aims[c] =
                gapAtStart(c) - work_.constraints.targets[c] - contacts_[c].restitution * block.started.x;
            any = true;
        }
        return any;
    }

    void note()
    {
        work_.constraints.report = own_.sweeps.report;
        const int caps = work_.statistics.contactCaps;
        work_.statistics.note(own_.sweeps.report);
        work_.statistics.contactCaps = caps + own_.sweeps.caps;
    }

    // Places alone: the bodies keep their velocities.
    void takeDepthsBack(State& trial)
    {
        FigureSweeps& sweeps = own_.sweeps;
        if (sweeps.blocks.empty()) return;
        for (SweptBlock& block : sweeps.blocks) {
            if (block.contact >= 0) continue;
            const std::size_t c = static_cast<std::size_t>(block.source);
            const double gap = work_.constraints.motion[c][0] + work_.constraints.targets[c];
            block.depth = gap < 0 ? recovered(model_, -gap, part_, h_) : 0;
            if (block.depth < settings().tolerance) block.depth = 0;
            block.offset.x = std::max(gap, 0.);
        }
        if (!sweeps.takeDepthsBack(settings())) return;
        VecX& delta = work_.joint.trialCorrection;
        delta.setZero(model_.freedomCount);
        sweeps.addMotion(model_, links_, delta);
        if (!delta.allFinite()) return;
        velocities_ = trial.bodies;
        work_.joint.searchStart = trial.q;
        skeletonEnergies(model_, trial, work_.implicit.energies);
        moveAlong(delta, trial);
        // Not into the springs and limits of joints, which would throw it back.
        skeletonEnergies(model_, trial, work_.implicit.trialEnergies);
        const double most = model_.gravity.norm() * recovered(model_, HUGE_VAL, part_, h_);
        bool any = false;
        for (std::size_t s = 0; s < model_.skeletons.size(); ++s) {
            const double more =
                work_.implicit.trialEnergies[s].elastic - work_.implicit.energies[s].elastic;
            if (!(more > most * massOf(model_.skeletons[s]))) continue;
            const auto [first, count] = freedomsOf(s);
            delta.segment(first, count).setZero();
            any = true;
        }
        if (any) moveAlong(delta, trial);
    }
    // From the coordinates at the start of the search; velocities stay what they are.
    void moveAlong(const VecX& delta, State& trial)
    {
        retract(work_.joint.searchStart, 1, delta, trial.q);
        recursion::place(model_, model_.links.data(), static_cast<const double*>(nullptr),
                         static_cast<const double*>(nullptr), trial.q.data(), trial.u.data(),
                         trial.bodies.data());
        for (int i = 0; i < model_.size(); ++i) {
            trial.bodies[i].velocity = velocities_[i].velocity;
            trial.bodies[i].angularVelocity = velocities_[i].angularVelocity;
        }
    }
    double massOf(const Skeleton& skeleton) const
    {
        double mass = 0;
        for (int i = 0; i < skeleton.count; ++i) mass += model_.bodies[skeleton.first + i].mass;
        return mass;
    }

    // ---- Newton's method with impulses as they are -------------------------------------------------

    // After looks, each skeleton as far as it comes nearer: a chain of light bodies that is pressed would
    // buckle if nothing but forces held its end. What is left of momenta is put in order then.
    bool settle(JointEquations& equations, State& trial)
    {
        constexpr int mostCorrections = 6;
        constexpr double near = 0.1, nearer = 0.5;
        VecX& delta = work_.joint.correction;
        std::vector<double>& last = own_.sizes;
        last.assign(model_.skeletons.size(), near / nearer);
        bool mayReuse = false, isSettled = false;
        equations.evaluate(trial);
        for (int k = 0; k < mostCorrections && !isSettled; ++k) {
            ++work_.statistics.newtonIterations;
            if (!(mayReuse && solveAgain(equations, delta)) && !linearise(equations, false, delta)) break;
            const double tolerated = tolerance(trial);
            double most = 0;
            bool stops = false;
            for (std::size_t s = 0; s < last.size(); ++s) {
                const auto [first, count] = freedomsOf(s);
                const double size = sizeOf(delta, first, first + count);
                if (size < nearer * last[s] || size <= tolerated) {
                    most = std::max(most, size);
                    last[s] = size;
                    continue;
                }
                // Not nearer: it stays where it is.
                stops |= !(last[s] <= surelyNear);
                last[s] = 0;
                delta.segment(first, count).setZero();
            }
            constexpr double small = 1e-3;
            mayReuse = most < small;
            isSettled = most <= tolerated;
            isUnsettled_ |= stops;
            loads_.predict(model_, trial, delta);
            if (isSettled) {
                work_.joint.searchStart = trial.q;
                retract(work_.joint.searchStart, 1, delta, trial.q);
            } else {
                move(equations, 1, delta, trial);
            }
        }
        if (!isSettled || isUnsettled_) balance(equations, trial);
        equations.finish(trial);
        return trial.q.allFinite();
    }
    // Linear momentum, by a move of each figure that floats.
    void balance(JointEquations& equations, State& trial)
    {
        equations.evaluate(trial);
        for (std::size_t s = 0; s < model_.skeletons.size(); ++s) {
            const Skeleton& skeleton = model_.skeletons[s];
            const Joint& root = model_.joints[skeleton.first];
            if (!root.isFree() || root.parent >= 0 || links_[skeleton.first].kind != LinkKind::free)
                continue;
            const double mass = massOf(skeleton);
            if (!(mass > 0)) continue;
            const double h = part_ * work_.implicit.parts[s];
            trial.q.segment<3>(root.q) -= h * h / mass * work_.joint.residual.segment<3>(root.u);
        }
    }

    // ---- Newton's method where nothing touches -----------------------------------------------------

    bool converge(JointEquations& equations, State& trial)
    {
        VecX& delta = work_.joint.correction;
        double norm = work_.joint.residual.norm();
        bool mayReuse = false;  // the factor at hand is of the exact matrix, and does
        nextIsKnown_ = false;
        for (int k = 0; k < fastIterations; ++k) {
            if (work_.stop()) return false;
            ++work_.statistics.newtonIterations;
            constexpr double small = 1e-3, contracts = 0.1;
            if (nextIsKnown_)
                std::swap(delta, own_.next);
            else if (!(mayReuse && solveAgain(equations, delta)) && !linearise(equations, false, delta))
                return false;
            nextIsKnown_ = false;
            const double size = sizeOf(delta);
            if (!std::isfinite(size)) return false;
            loads_.predict(model_, trial, delta);
            mayReuse = k == 0 ? size < small : size < contracts * lastSize_;
            lastSize_ = size;
            if (size > tolerance(trial)) {
                if (search(equations, size, trial, norm)) continue;
                // Rounding, or limits that are all but reached.
                constexpr double nearly = 1e3;
                if (size > nearly * tolerance(trial)) {
                    mayReuse = false;
                    if (!linearise(equations, true, delta)) return false;
                    loads_.predict(model_, trial, delta);
                    if (!search(equations, sizeOf(delta), trial, norm)) return false;
                    continue;
                }
            }
            work_.joint.searchStart = trial.q;
            retract(work_.joint.searchStart, 1, delta, trial.q);
            equations.finish(trial);
            return true;
        }
        return false;
    }

    // Along the correction, as far as it helps: as that of exact steps (implicit_joint.cpp).
    bool search(JointEquations& equations, double size, State& trial, double& norm)
    {
        constexpr int attempts = 5;
        const VecX& delta = work_.joint.correction;
        own_.searchStart = trial.q;
        const double wanted = loads_.hasLimits() ? 0.5 * norm : norm;
        double length = 1;
        for (int k = 0; k < attempts; ++k, length *= 0.5) {
            trial.q = own_.searchStart;
            const double now = move(equations, length, delta, trial);
            if (!std::isfinite(now)) continue;
            if (now > wanted) {
                const bool isSolved = loads_.hasLimits() ? linearise(equations, false, own_.next)
                                                         : solveAgain(equations, own_.next);
                if (!isSolved || !(sizeOf(own_.next) <= (1 - length / 4) * size)) continue;
                nextIsKnown_ = loads_.hasLimits();
            }
            norm = now;
            return true;
        }
        trial.q = own_.searchStart;
        norm = move(equations, 0, delta, trial);
        return false;
    }

    double tolerance(const State& trial) const
    {
        constexpr double part = 1e-5;  // convergence is quadratic by then
        return part * std::max(part_ * sizeOf(trial.u), 1e-2 * implicitStillness);
    }

    bool solveAgain(JointEquations& equations, VecX& delta)
    {
        delta.setZero(model_.freedomCount);
        equations.setRightHandSide();
        loads_.addToRightHandSide(work_.joint.right);
        solveIncrement(links_, work_.joint.right, delta);
        return loads_.bearsAsChosen(delta);
    }

    // Newton's correction at the last evaluation, in rounds that find the limits that will bear.
    bool linearise(JointEquations& equations, bool clamped, VecX& delta)
    {
        delta.setZero(model_.freedomCount);
        if (!loads_.hasLimits()) {
            equations.assemble(clamped);
            equations.setRightHandSide();
            factorAndSolveIncrement(model_, links_, work_.joint.right, delta);
            return true;
        }
        const int mostRounds = clamped ? 20 : 4;
        VecX& next = work_.joint.nextRound;
        next.setZero(model_.freedomCount);
        loads_.beginRounds();
        for (int round = 0; round < mostRounds; ++round) {
            equations.assemble(clamped);
            equations.setRightHandSide();
            loads_.addToRightHandSide(work_.joint.right);
            factorAndSolveIncrement(model_, links_, work_.joint.right, next);
            if (loads_.finishRound(next, delta)) return true;
        }
        return !clamped || delta.allFinite();
    }

    // Along the correction; returns the norm of the residual there.
    double move(JointEquations& equations, double length, const VecX& delta, State& trial)
    {
        equations.foresee(trial, delta);
        work_.joint.searchStart = trial.q;
        if (length > 0) retract(work_.joint.searchStart, length, delta, trial.q);
        return equations.evaluate(trial, length);
    }

    void retract(const VecX& base, double length, const VecX& direction, VecX& q) const
    {
        for (const LinkData<double>& link : model_.links)
            recursion::retractJoint(link, base.data() + link.q, length, direction.data() + link.u,
                                    q.data() + link.q);
    }
    std::pair<int, int> freedomsOf(std::size_t skeleton) const
    {
        const Skeleton& own = model_.skeletons[skeleton];
        return {freedomStart(model_, own), freedomCount(model_, own)};
    }
    // The largest of a motion of the freedoms, each in its own unit.
    double sizeOf(const VecX& motion) const { return sizeOf(motion, 0, static_cast<int>(motion.size())); }
    double sizeOf(const VecX& motion, int first, int end) const
    {
        double size = 0;
        for (int k = first; k < end; ++k) {
            const double own = std::abs(motion[k]) / model_.freedomUnits[k];
            if (!(own <= size)) size = own;
        }
        return size;
    }

    const Model& model_;
    ForceFunction forces_;
    double h_, part_ = 0;
    const std::vector<int>& roots_;
    State& state_;
    StepWork& work_;
    FastFigureWork& own_;
    std::vector<Contact>& contacts_;
    ArticulatedLinks& links_;
    JointLoads& loads_;
    double lastSize_ = HUGE_VAL;  // of the last correction
    bool isStill_ = false;        // nothing is left to do after the looks
    bool isUnsettled_ = false;    // a skeleton of this step came to no end
    bool nextIsKnown_ = false;    // the next one is in own_.next
    LargeVector<BodyState> velocities_;
};

}  // namespace

std::string keepsFromFastFigures(const Model& model)
{
    if (!model.loops.empty()) return "closed loops";
    if (!model.couplings.empty()) return "coupled joints";
    if (!model.springs.empty()) return "springs between bodies";
    if (model.contact && model.contact->plainInertia) return "\"inertia\": \"plain\"";
    return {};
}

bool stepFiguresFast(const Model& model, const Integrator& integrator, ForceFunction forces, double h,
                     const std::vector<int>& roots, State& state, StepWork& work, FastFigureWork& own)
{
    using namespace std::string_view_literals;
    const bool mayLookBack =
        integrator.name == "implicit_bdf2"sv && !switchesBetween(model, state.time, state.time + h);
    return FastFigures(model, forces, h, roots, state, work, own).run(mayLookBack);
}

}  // namespace sinew
