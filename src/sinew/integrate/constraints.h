// Contacts and closed loops inside an implicit step: what must hold at its end, and what holds it.
//
// With μ = h² f the unknown forces of the constraints, their end-of-step displacements d, and H the Newton
// matrix of the step (integrate/implicit.h), stiff joints and geometric blocks included, each iteration
// solves
//     H δ = −h² r + Jᵀ (μ' − μ)        d' = d + J δ        under Coulomb's law or d' = 0
// i.e. one problem d' = d0 + W μ' on the Delassus operator W = J H⁻¹ Jᵀ of the *implicit* inertia
// (contact/solve.h). It is Newton's method on a step with complementarity, so W follows the iterate.
//
//     contact  d_n = gap at the end − target      target 0; of what is already inside, a part of its depth
//              d_t = slip over the step: how far the places in touch move along each other
//     turning  d   = ℓ times how far the bodies turn against each other over the step: about the normal
//                    (spinning) or across it (rolling), ℓ a radius of gyration. |μ| ≤ (coefficient / ℓ)
//                    μ_n, with μ_n of the contact, in a fixed point of a few rounds
//     loop     d   = the rows of its joint (model/rows.h)
//     coupling d   = q_follower − ratio q_leader − offset, whose force acts on the joints' freedoms
//
// Static friction: a contact that does not slip when the step begins holds up to its static coefficient.
// Where it slips at the end all the same it has broken loose, and the step is solved again with the kinetic
// one (step_contacts.h), which it keeps until a step ends without slip.
//
// Where something curved touches, place and normal are those of the iterate, at last those of the end of
// the step (collision/follow.h); elsewhere anchors move with their bodies and normals are those of the
// start. The gap is exact for them at the end.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sinew/base/special_members.h"
#include "sinew/collision/detect.h"
#include "sinew/collision/follow.h"
#include "sinew/contact/figure_rows.h"
#include "sinew/contact/solve.h"
#include "sinew/contact/tree_contacts.h"
#include "sinew/force/laws.h"

namespace sinew {

// Piles of more contacts than these have a bound on the work of a step while they are in motion; larger
// ones are solved, and their contacts found, with what is only worth while for many.
inline constexpr std::size_t contactsOfSmallPiles = 200, contactsOfLargePiles = 2000;

// Kept from step to step.
struct ConstraintWork {
    SINEW_SPECIAL_MEMBERS(ConstraintWork);

    Collisions collisions;
    std::vector<Contact> contacts;             // of this step; their impulses are a guess until it is done
    std::vector<Contact> asleep;               // contacts that nothing awake takes part in
    std::vector<char> carried;                 // memory of carryImpulses
    std::vector<FollowedContact> followed;     // of each, how it moves over what is curved
    std::vector<ContactCurvature> curvatures;  // at the iterate
    std::vector<std::pair<int, int>> letThrough;  // colliders that will bounce off each other
    bool holdsAll = false;                        // nothing is let through
    std::vector<Contact> heldPlaces;              // nor is this, however fast it comes on in the end
    std::vector<std::pair<int, int>> heldPairs;   // nor any place of these colliders
    std::vector<Contact> knownContacts;           // as the step began, with the impulses of the last one
    // Where attempts at parts of a step begin.
    std::vector<Contact> guessedContacts;
    std::vector<Vec6> guessedLoops;
    double step = 0;          // s, of the whole step; parts of it may be solved
    double begins = 0;        // s: when the part that is solved does
    bool recovers = true;     // what is inside comes out
    std::vector<char> loose;  // of the contacts: broken loose within the step
    std::vector<char> slips;  // and whether they slip at its end
    struct Turning {
        std::size_t contact;
        bool spins;            // about the normal; otherwise it rolls
        double length, bound;  // ℓ, and the coefficient over it
    };
    std::vector<Turning> turning;         // blocks of rolling and spinning friction
    std::vector<Vec3> startOffsets;       // x_B − x_A of each at the start
    std::vector<double> targets;          // gap at the end
    std::vector<char> slides;             // whether it is one of many of a face that slides
    std::vector<ConstraintBlock> blocks;  // of the contacts, of `turning`, of the loops, of the couplings
    std::vector<BodyRows> rows;           // two for each block but those of couplings
    std::vector<Vec3> motion;             // d of each block at the iterate
    std::vector<Vec3> impulses;           // μ of each block at the iterate
    std::vector<Vec3> lastImpulses;       // and where the correction began
    std::vector<Vec6> loopImpulses;       // likewise
    Delassus delassus;
    ConstraintSolverWork solver;
    ConstraintReport report;  // of the last iteration
    std::vector<int> freedoms;
    FigureRowsWork rowsWork;
    // Where some contacts are terms of the tree: those, the other blocks, and which of these have rows.
    TreeContacts tree;
    std::vector<int> beside, inRows;
    std::vector<char> isInRows;
    std::vector<ConstraintBlock> rowBlocks;
    std::vector<ConstraintBlock> roundedBlocks;  // with places off by their rounding
    std::vector<Mat3> mobilities;                // of all blocks
    VecX moved;                                  // δ with the forces of those that have rows
};

inline bool isAmong(const std::vector<Contact>& places, const Contact& contact)
{
    return std::any_of(places.begin(), places.end(),
                       [&](const Contact& c) { return c.isSamePlace(contact); });
}

inline std::pair<int, int> pairOf(const Contact& contact)
{
    return {contact.colliderA, contact.colliderB};
}
inline bool isAmong(const std::vector<std::pair<int, int>>& pairs, const Contact& contact)
{
    return std::find(pairs.begin(), pairs.end(), pairOf(contact)) != pairs.end();
}

// Of contacts of jointed figures, as a part of how far their own force moves them: gaps are off by that
// part of what would be fallen through in a step.
inline constexpr double sharingCompliance = 1e-7;
// Of faces that slide. Places are rounded, and a load goes to whichever corner that lets stand out.
inline constexpr double slidingCompliance = 3e-5;

// What the scene wants of the solver.
ConstraintSolverSettings solverSettings(const Model& model);

class StepConstraints {
public:
    // The contacts of the step are in work.contacts.
    // `parts`: per skeleton, how long the step is in its equations, over h (BDF2: 2/3). The unknown is
    // μ = h² f for all.
    StepConstraints(const Model& model, const LargeVector<BodyState>& start, double h,
                    const std::vector<double>& parts, ConstraintWork& work);

    bool empty() const { return work_.blocks.empty(); }
    // Rows and displacements at the state; adds the constraints' forces to `forces`.
    void evaluate(const State& state, Forces& forces);
    // Adds the geometric stiffness of loops and of curved contacts, times h², to the inertia of the links.
    void addTangents(const State& state, ArticulatedLinks& links) const;
    // Whether contacts are terms of the tree (contact/tree_contacts.h), or have rows only as long as they
    // bear: then δ comes from here, with all other forces as they are, and so does that of another
    // right-hand side with the same factor.
    bool isInTree() const { return selects_ && !hasLeftTree_; }
    void factorAndSolve(ArticulatedLinks& links, const VecX& right, VecX& delta);
    void solveAgain(ArticulatedLinks& links, const VecX& right, VecX& delta);
    // Whether the last correction was not found that way: it is to be made again, with rows for all.
    bool hasLeftTree() const { return hasLeftTree_; }
    // `delta` solves H δ = −h² r with the factorised links; changes it to what the constraints allow. False
    // if the inertia seen from the constraints is not positive.
    bool correct(const State& state, ArticulatedLinks& links, VecX& delta);
    // How far the forces and displacements of the iterate miss the laws, m, as long as the correction has
    // not been accepted.
    double missed() const;
    // Zero for the freedoms of all figures that a constraint of the last correction acts on.
    void clearReached(VecX& motion) const;
    // Whether the last correction held all rows of the loops that can be held.
    // Of a pile: contacts are off by little more than the tolerance, somewhere.
    bool isNearlySolved() const { return isPile_ && work_.report.largest() <= nearlySolved(); }
    double nearlySolved() const
    {
        constexpr double near = 100;
        return near * solverSettings(model_).tolerance;
    }
    bool heldAllRows() const { return heldAllRows_; }
    // Whether loops stay open after the correction, though all rows were asked for: in a dead point of a
    // linkage a row depends on the others and yet does not hold where they do.
    bool loopsStayOpen() const;
    // Whether it was for loops whose tree would buckle if it were open. What comes of that is no good where
    // the loops are all but singular.
    bool isIndefinite() const { return isIndefinite_; }
    // What the correction changes of all forces; and other changes instead, moved into the cones of
    // friction. Contacts that were found to open stay so.
    void forceCorrections(std::vector<Vec3>& changes) const;
    void setForceCorrections(const std::vector<Vec3>& changes, const std::vector<Vec3>& found);
    // Whether places of contacts that have moved over what is curved stay where they are since the iterate
    // of the last correction.
    bool hasJustSettledPlaces() const;
    // A part of the correction is taken, and of its forces.
    void accept(double length);
    // How much the last correction would change if places were off by their rounding: a face that slides on
    // more corners than it needs leaves open how they share its load, and rounding decides.
    void changeByRounding(VecX& change);
    // At the end: the impulses into the contacts.
    void finish();

private:
    // Newton's method has converged by then, or the places in touch run from one side to another: they stay
    // where they are from then on.
    static constexpr int followedCorrections = 5;

    bool followsPlace(std::size_t c) const
    {
        return work_.followed[c].isFollowed && corrections_ < followedCorrections;
    }
    bool sharesLoads(const Contact& contact) const;
    double sharingMobility(std::size_t c) const;
    void findSliding();
    bool hasNegativeInertia() const;
    template <class F>
    double largestLoopGap(const F& openingOf) const;
    double relativeLoopGap() const;
    bool isOfFigure(const Contact& contact) const;
    void chooseTree();
    bool mayBeInTree(const Contact& contact) const;
    void prepareTree();
    bool correctInTree(const State& state, ArticulatedLinks& links, VecX& delta);
    bool correctBeside(const State& state, ArticulatedLinks& links, VecX& delta);
    bool addRowsThatBear(const ArticulatedLinks& links, double near);
    bool correctAll(const State& state, ArticulatedLinks& links, VecX& delta);
    void setRows(const State& state, const ArticulatedLinks& links);
    bool solveRows(ArticulatedLinks& links, const VecX& delta);
    Vec3 motionBy(const ArticulatedLinks& links, std::size_t block) const;
    Mat3 freeMobility(const BodyRows& rows) const;
    const Mat3& mobility(std::size_t block) const
    {
        return isInTree() ? work_.mobilities[block] : work_.delassus.diagonal(static_cast<int>(block));
    }
    double wholeMobility(const Contact& contact) const;
    void setContact(const State& state, std::size_t c);
    void addTurning(std::size_t c);
    void setTurning(const State& state, std::size_t t);
    // Bounds of the turning blocks by the normal impulses in the blocks. True if that changes the answer.
    bool setRadii();
    void finishTurning();
    bool slips(std::size_t c) const;
    double startGap(std::size_t c) const;
    double stopRecovery(std::size_t c);
    bool stopRecovery();
    bool stopRecoveryOfUnsolved();
    bool holds(const LoopJoint& loop) const { return loop.holds(work_.begins); }
    std::size_t firstLoop() const { return work_.contacts.size() + work_.turning.size(); }
    void setLoops(const State& state);
    void addContactTangents(const State& state, ArticulatedLinks& links) const;
    double partOf(int body) const { return parts_[model_.skeletonOf[body]]; }
    double shareOf(int body) const { return partOf(body) * partOf(body); }
    void addAnchorTangents(const State& state, const Contact& contact, const Vec3& impulse,
                           ArticulatedLinks& links) const;
    // The first block of the couplings.
    std::size_t firstCoupling() const { return work_.blocks.size() - model_.couplings.size(); }

    const Model& model_;
    const LargeVector<BodyState>& start_;
    double h_;
    const std::vector<double>& parts_;
    ConstraintWork& work_;
    double patience_ = 1;  // how much open loops excuse, from iteration to iteration
    bool heldAllRows_ = true;
    bool isIndefinite_ = false;
    int corrections_ = 0;
    bool selects_ = false;
    bool isPile_ = false;
    bool hasLeftTree_ = false;
    bool isTreeStale_ = true;      // since the last evaluation
    const VecX* right_ = nullptr;  // of the last factorisation
};

}  // namespace sinew
