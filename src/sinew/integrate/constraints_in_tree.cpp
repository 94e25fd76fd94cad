// Contacts of an implicit step that are terms of the tree (contact/tree_contacts.h), with rows for those
// beside them that bear.
//
// Contacts with what does not move act on one body alone, and go into the tree. Those between two bodies
// keep rows, on the operator W = J G⁻¹ Jᵀ of the tree G with the others in it; but only as long as they
// bear or would be closed: a figure has many places that are near each other and few that touch. What these
// change may put others onto other pieces, and then it all begins again. Where that leads nowhere, all
// contacts get rows on the plain tree, and solve.h has the word.
#include <algorithm>
#include <cmath>

#include "sinew/integrate/constraints.h"

namespace sinew {
namespace {

// As sharingCompliance, but W is here the mobility of a body by itself, which may bear a hundred times its
// weight. Of faces that slide it has to decide more.
constexpr double treeCompliance = 1e-9;

}  // namespace

// What touches one body alone, of a figure that floats, so that nothing there is immobile. Springs and
// loops that tie bodies, and torques that follow normal forces, are of rows.
bool StepConstraints::mayBeInTree(const Contact& contact) const
{
    if ((contact.bodyA < 0) == (contact.bodyB < 0)) return false;
    const int body = std::max(contact.bodyA, contact.bodyB);
    const Skeleton& skeleton = model_.skeletons[model_.skeletonOf[body]];
    const Joint& root = model_.joints[skeleton.first];
    return skeleton.count > 1 && root.isFree() && root.parent < 0;
}

void StepConstraints::chooseTree()
{
    work_.tree.contacts.clear();
    work_.beside.clear();
    // What bounces cuts steps into parts that are solved again and again, and was tried with rows.
    const bool bounces = std::any_of(model_.colliders.begin(), model_.colliders.end(),
                                     [](const Collider& collider) { return collider.restitution > 0; });
    if (bounces || work_.solver.effort.needsRows || !work_.turning.empty() || !model_.loops.empty() ||
        !model_.couplings.empty() || !model_.springs.empty() || !model_.prescribed.empty() ||
        !model_.switches.empty() || (model_.contact && model_.contact->plainInertia))
        return;
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        if (!mayBeInTree(work_.contacts[c])) {
            work_.beside.push_back(static_cast<int>(c));
            continue;
        }
        work_.tree.contacts.emplace_back().block = static_cast<int>(c);
        work_.tree.contacts.back().rows.body = std::max(work_.contacts[c].bodyA, work_.contacts[c].bodyB);
    }
    // Few rows are as quick as finding out which of them it takes.
    selects_ = !work_.tree.contacts.empty() || work_.contacts.size() > contactsOfSmallPiles;
    work_.tree.tolerance = solverSettings(model_).tolerance;
    work_.tree.sort(model_);
    work_.isInRows.resize(work_.blocks.size());
    work_.mobilities.resize(work_.blocks.size());
}

void StepConstraints::prepareTree()
{
    int skeleton = -1;
    double whole = 0;  // of the skeleton at hand
    for (TreeContact& c : work_.tree.contacts) {
        const std::size_t b = static_cast<std::size_t>(c.block);
        const Contact& contact = work_.contacts[b];
        ConstraintBlock& block = work_.blocks[b];
        c.rows = work_.rows[2 * b + (contact.bodyA < 0 ? 1 : 0)];
        c.share = shareOf(c.rows.body);
        c.W = work_.mobilities[b] = freeMobility(c.rows);
        if (model_.skeletonOf[c.rows.body] != skeleton) {
            skeleton = model_.skeletonOf[c.rows.body];
            whole = wholeMobility(contact);
        }
        if (sharesLoads(contact))
            block.compliance =
                (work_.slides[b] ? sharingCompliance : treeCompliance) * std::min(c.W(0, 0), whole);
        c.friction = block.friction;
        c.compliance = block.compliance;
        c.d = work_.motion[b];
        c.held = c.m = work_.impulses[b];
    }
    work_.tree.guess();
    isTreeStale_ = false;
}

void StepConstraints::factorAndSolve(ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    if (isTreeStale_) prepareTree();
    right_ = &right;
    if (work_.tree.contacts.empty()) return factorAndSolveIncrement(model_, links, right, delta);
    if (work_.tree.solve(model_, links, right, delta)) return;
    work_.tree.restore(links);
    hasLeftTree_ = work_.solver.effort.needsRows = true;
    factorAndSolveIncrement(model_, links, right, delta);
}

void StepConstraints::solveAgain(ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    if (work_.tree.contacts.empty()) return solveIncrement(links, right, delta);
    for (TreeContact& c : work_.tree.contacts) {
        c.d = work_.motion[static_cast<std::size_t>(c.block)];
        c.held = work_.impulses[static_cast<std::size_t>(c.block)];
    }
    work_.tree.solveAgain(model_, links, right, delta);
}

// Where a contact comes to as its bodies move as the links say.
Vec3 StepConstraints::motionBy(const ArticulatedLinks& links, std::size_t block) const
{
    Vec3 d = work_.motion[block];
    for (const BodyRows* rows : {&work_.rows[2 * block], &work_.rows[2 * block + 1]}) {
        if (rows->body < 0) continue;
        const ArticulatedLink& link = links[rows->body];
        d += rows->move * large(link.a + cross(link.alpha, link.c)) + rows->turn * large(link.alpha);
    }
    return d;
}

// What a body that is free has of it.
Mat3 StepConstraints::freeMobility(const BodyRows& rows) const
{
    if (rows.body < 0) return Mat3::Zero();
    const Body& body = model_.bodies[rows.body];
    const Mat3 turn = rows.turn * start_[rows.body].orientation.toRotationMatrix();
    return shareOf(rows.body) *
           (rows.move * rows.move.transpose() / body.mass + turn * body.inverseInertia * turn.transpose());
}

// Contacts beside those in the tree that bear, or would be closed where the links come to, get rows; if
// there are any, so do those that would be as near as this. Others stay open. True if there are more than
// before.
bool StepConstraints::addRowsThatBear(const ArticulatedLinks& links, double near)
{
    const double least = 1e-2 * work_.tree.tolerance;
    bool any = false;
    const auto add = [&](double limit) {
        for (const int b : work_.beside) {
            if (work_.isInRows[b]) continue;
            if (!(work_.impulses[b][0] > 0) && !(motionBy(links, static_cast<std::size_t>(b))[0] < limit))
                continue;
            work_.isInRows[b] = 1;
            any = true;
        }
    };
    add(-least);
    if (any && near > 0) add(near);
    return any;
}

void StepConstraints::setRows(const State& state, const ArticulatedLinks& links)
{
    work_.inRows.clear();
    clearForSkeletons(model_, work_.delassus, work_.freedoms);
    for (const int b : work_.beside) {
        if (!work_.isInRows[b]) continue;
        work_.inRows.push_back(b);
        addFigureRows(model_, links, state.bodies, work_.rows[2 * b], work_.rows[2 * b + 1],
                      work_.delassus);
    }
    work_.rowsWork.parts = parts_;
}

// Forces of the blocks that have rows, whose W is that of the tree with the contacts in it, and δ with them
// into work.moved. False if that leads nowhere.
bool StepConstraints::solveRows(ArticulatedLinks& links, const VecX& delta)
{
    Delassus& W = work_.delassus;
    std::vector<ConstraintBlock>& blocks = work_.rowBlocks;
    solveFigureRows(model_, links, W, work_.rowsWork);
    constexpr double operationsOfRows = 5000;
    work_.solver.effort.work += operationsOfRows * static_cast<double>(work_.inRows.size());
    W.clearMotion();
    for (std::size_t k = 0; k < work_.inRows.size(); ++k)
        W.push(static_cast<int>(k), -work_.impulses[work_.inRows[k]]);
    work_.moved = delta;
    addUnitMotions(model_, W, work_.moved);
    for (std::size_t k = 0; k < work_.inRows.size(); ++k) {
        const std::size_t b = static_cast<std::size_t>(work_.inRows[k]);
        const Mat3& own = work_.mobilities[b] = W.diagonal(static_cast<int>(k));
        if (!(own.diagonal().minCoeff() >= 0)) return false;
        ConstraintBlock& block = work_.blocks[b];
        block.impulse = work_.impulses[b];
        if (sharesLoads(work_.contacts[b]))
            block.compliance = sharingCompliance * sharingMobility(b);
        else if (work_.slides[b])
            block.sharing = slidingCompliance * sharingMobility(b);
        block.offset = work_.motion[b] + figureMotion(model_, W, static_cast<int>(k), work_.moved);
    }
    ConstraintSolverSettings settings = solverSettings(model_);
    settings.isPile = isPile_;
    const bool isAlone = work_.tree.contacts.empty();
    for (bool again = true; again;) {
        blocks.clear();
        for (const int b : work_.inRows) blocks.push_back(work_.blocks[b]);
        work_.report = solveConstraints(W, blocks, settings, work_.solver);
        // What is inside may stand in the way.
        again = work_.report.reachedCap && isAlone && (isPile_ ? stopRecoveryOfUnsolved() : stopRecovery());
    }
    addUnitMotions(model_, W, work_.moved);
    return isAlone || !work_.report.reachedCap;
}

// Of the islands that were not solved, nor nearly. The others go on from their answers. True if that
// changes anything.
bool StepConstraints::stopRecoveryOfUnsolved()
{
    bool any = false;
    for (std::size_t k = 0; k < work_.inRows.size(); ++k) {
        const std::size_t b = static_cast<std::size_t>(work_.inRows[k]);
        if (work_.solver.left[work_.solver.islandOfBlock[k]] <= nearlySolved()) {
            work_.blocks[b].impulse = work_.rowBlocks[k].impulse;
            continue;
        }
        const double less = stopRecovery(b);
        if (!(less > 0)) continue;
        any = true;
        work_.motion[b][0] += less;
        work_.blocks[b].offset[0] += less;
    }
    return any;
}

// The contacts beside those in the tree. False if no forces are found that agree with these.
bool StepConstraints::correctBeside(const State& state, ArticulatedLinks& links, VecX& delta)
{
    constexpr int mostRounds = 10;
    for (const int b : work_.beside) {
        work_.isInRows[b] = 0;
        work_.blocks[b].impulse.setZero();
        work_.mobilities[b] = freeMobility(work_.rows[2 * b]) + freeMobility(work_.rows[2 * b + 1]);
    }
    // What comes down on what stops, layer by layer: so more and more is taken along at once.
    const double near[] = {0, 0.02 * model_.contactLength, HUGE_VAL};
    bool grows = addRowsThatBear(links, near[0]), agrees = true;
    for (int round = 0; grows || !agrees; ++round) {
        if (round == mostRounds) return false;
        if (!agrees) work_.tree.solveOnPieces(model_, links, *right_, delta);
        if (grows) setRows(state, links);
        if (!solveRows(links, delta)) return false;
        moveByIncrement(links, 0, static_cast<int>(links.size()), work_.moved);
        agrees = work_.tree.agrees(links);
        grows = addRowsThatBear(links, near[std::min(round + 1, 2)]);
        if (grows || !agrees) continue;
        for (std::size_t k = 0; k < work_.inRows.size(); ++k)
            work_.blocks[work_.inRows[k]] = work_.rowBlocks[k];
        delta = work_.moved;
    }
    return true;
}

// δ is that of factorAndSolve().
bool StepConstraints::correctInTree(const State& state, ArticulatedLinks& links, VecX& delta)
{
    work_.lastImpulses = work_.impulses;
    work_.report = ConstraintReport();
    heldAllRows_ = true;
    isIndefinite_ = false;
    work_.inRows.clear();
    if (!correctBeside(state, links, delta)) {
        hasLeftTree_ = work_.solver.effort.needsRows = true;
        // Without contacts in it the tree is what it was.
        if (work_.tree.contacts.empty()) return correctAll(state, links, delta);
        work_.tree.restore(links);
        return false;
    }
    for (const TreeContact& c : work_.tree.contacts) {
        ConstraintBlock& block = work_.blocks[static_cast<std::size_t>(c.block)];
        const ConstraintLaw law = constraintLaw(block, c.W, 0);
        block.impulse = insideCone(law, c.now);
        const LawResidual residual = lawResidual(law, block, c.dNow);
        work_.report.complementarity = std::max(work_.report.complementarity, residual.complementarity);
        work_.report.cone = std::max(work_.report.cone, residual.cone);
        work_.report.penetration = std::max(work_.report.penetration, residual.penetration);
    }
    return true;
}

}  // namespace sinew
