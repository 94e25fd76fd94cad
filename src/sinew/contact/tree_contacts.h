// Contacts with what does not move, as terms of the tree: no rows, and linear in links and contacts.
//
// Sources: Alart & Curnier 1991 for the law as a projection of a multiplier; Rockafellar 1976 for the
// proximal point; Carpentier, Budhiraja & Mansard, Proximal and sparse resolution of constrained dynamic
// equations, 2021, and Sathya & Carpentier 2024 for proximal terms inside the recursion over the links.
//
// Such a contact acts on one body alone. With the multiplier m, the penalty ρ and the compliance c, and
// d = d0 + J δ as in integrate/constraints.h,
//     open    μ = 0
//     stick   μ_n = (m_n − ρ d_n)/(1 + ρ c),   μ_t = y = m_t − ρ d_t
//     slip    μ_n likewise,   e = y/|y|:   μ_t = f μ_n e + (f μ_n/|y|) (1 − e eᵀ) y
// on each of these pieces μ = a − K d is linear, so that
//     (H + Jᵀ K J) δ = −h² r + Jᵀ (a − K d0 − μ_held)
// has a term of 6 × 6 in that body's own block: a factorisation of the tree as without contact, that of a
// slip being unsymmetric as the tree's matrix is. Pieces change where their answers leave them, an
// active-set method that starts from the pieces of the last step. Where none changes, what is left is (m −
// μ)/ρ: m := μ takes a part 1/(1 + ρ W) of that away in another solve with the same factor, and ρ = 10⁷/W
// leaves nothing to do, where W is the mobility of the body by itself, the most that it may have in its
// tree.
//
// Cost: a factorisation for each change of pieces, one as a rule for what lies; a solve for each m. Of many
// answers, as of four corners of a foot, it is the one that is nearest to m. Fails where pieces go round in
// circles; then somebody else has to look (solve.h).
#pragma once

#include <vector>

#include "sinew/contact/coulomb.h"
#include "sinew/contact/figure_rows.h"

namespace sinew {

struct TreeContact {
    enum class Piece { open, stick, slip };

    int block = 0;     // whose it is
    BodyRows rows;     // of the body that moves
    double share = 1;  // of the matrix (FigureRowsWork::share)
    double friction = 0, compliance = 0;
    Mat3 W = Mat3::Zero();  // of the body alone
    double rho = 0;
    Vec3 d = Vec3::Zero();     // at the iterate
    Vec3 held = Vec3::Zero();  // μ that the residual has in it
    Vec3 m = Vec3::Zero();
    Vec3 a = Vec3::Zero();
    Mat3 K = Mat3::Zero();
    Piece piece = Piece::open;
    Vec3 dNow = Vec3::Zero(), now = Vec3::Zero();  // d and μ of the last answer
};

// The contacts of a model, in the order of their bodies, and the memory of their solves.
class TreeContacts {
public:
    std::vector<TreeContact> contacts;
    double tolerance = 1e-8;  // m

    // Where each skeleton's contacts begin; sorts them. The same order for the same contacts.
    void sort(const Model& model);
    // The pieces that impulses and places of the iterate suggest.
    void guess();
    // Factorises the links, which have their inertias, and sets δ, with pieces that agree with it. False if
    // there are none to be found: then the links are as they were, filled but not factorised.
    bool solve(const Model& model, ArticulatedLinks& links, const VecX& right, VecX& delta);
    // The same with the pieces at hand, whether δ agrees or not.
    void solveOnPieces(const Model& model, ArticulatedLinks& links, const VecX& right, VecX& delta);
    // By the factor at hand, for another right-hand side, from the impulses and places in `held` and `d`.
    void solveAgain(const Model& model, ArticulatedLinks& links, const VecX& right, VecX& delta);
    // The answer where the links come to, which others have changed since, into dNow and now. True if it
    // stays on the pieces; if not, they are changed.
    bool agrees(const ArticulatedLinks& links);
    // The links as they were before they were factorised.
    void restore(ArticulatedLinks& links) const;

private:
    struct Group {
        int skeleton, first, end;  // links
        int begin, beyond;         // contacts
    };
    bool solveGroup(const Group& group, ArticulatedLinks& links, const VecX& right, VecX& delta);
    void factor(const Group& group, ArticulatedLinks& links, const VecX& right, VecX& delta);
    void load(const Group& group, ArticulatedLinks& links) const;
    double look(const Group& group, const ArticulatedLinks& links, bool& changed);
    // `isFresh`: the links are not factorised yet.
    double solveFrom(const Group& group, int factors, bool isFresh, ArticulatedLinks& links,
                     const VecX& right, VecX& delta);
    void setPenalties(const Group& group, double stiffness);
    void guess(const Group& group);
    template <class Solve>
    void eachPart(const Model& model, const Solve& solve);

    std::vector<Group> groups_;
    std::vector<int> groupOf_;  // of each skeleton; −1: it has no contacts
    // Of each link: what a factorisation overwrites.
    struct Filled {
        Matrix3<double> M, P, G, J, B, C;
    };
    void keep(int first, int end, const ArticulatedLinks& links);
    void restore(int first, int end, ArticulatedLinks& links) const;
    LargeVector<Filled> filled_;
};

}  // namespace sinew
