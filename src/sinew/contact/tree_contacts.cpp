#include "sinew/contact/tree_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/model/skeleton_parts.h"

namespace sinew {
namespace {

using Piece = TreeContact::Piece;

constexpr int factorsOfTree = 8;    // of a skeleton in one solve, stiff,
constexpr int factorsOfSofter = 6;  // and with each of these penalties over the inverse of W
constexpr double softerPenalties[] = {10, 1e2, 1e3, 1e5, 1e7};
constexpr double stiffest = 1e7;
constexpr int multipliersAtMost = 4;  // in a row, with the same factor
constexpr double slack = 1e-3;  // of the tolerance: what closes no contact, and what is left of the law

// However the tangents lie.
double tangentMobility(const TreeContact& c)
{
    return 0.5 * (c.W(1, 1) + c.W(2, 2));
}

double normalStiffness(const TreeContact& c)
{
    return c.rho / (1 + c.rho * c.compliance);
}
double normalAt(const TreeContact& c, const Vec3& d)
{
    return (c.m[0] - c.rho * d[0]) / (1 + c.rho * c.compliance);
}
Vec2 pullAt(const TreeContact& c, const Vec3& d)
{
    return c.m.tail<2>() - c.rho * d.tail<2>();
}

void setOpen(TreeContact& c)
{
    c.piece = Piece::open;
    c.a.setZero();
    c.K.setZero();
}

void setStick(TreeContact& c)
{
    const double k = normalStiffness(c);
    c.piece = Piece::stick;
    c.a = {k / c.rho * c.m[0], c.m[1], c.m[2]};
    c.K.setZero();
    c.K(0, 0) = k;
    if (!(c.friction > 0)) {
        c.a[1] = c.a[2] = 0;
        return;
    }
    c.K(1, 1) = c.K(2, 2) = c.rho;
}

// Linear about the place where the normal force and what pulls along the tangents are these.
void setSlip(TreeContact& c, double normal, const Vec2& pull)
{
    const double k = normalStiffness(c), length = pull.norm();
    const Vec2 e = pull / length;
    const Mat2 across = c.friction * std::max(normal, 0.) / length * (Mat2::Identity() - e * e.transpose());
    c.piece = Piece::slip;
    const Vec2 at = c.friction * (k / c.rho) * c.m[0] * e + across * c.m.tail<2>();
    c.a = {k / c.rho * c.m[0], at[0], at[1]};
    c.K.setZero();
    c.K(0, 0) = k;
    for (int r = 0; r < 2; ++r) {
        c.K(1 + r, 0) = c.friction * k * e[r];
        for (int s = 0; s < 2; ++s) c.K(1 + r, 1 + s) = c.rho * across(r, s);
    }
}

// Of another m, with K as it is.
void setConstant(TreeContact& c)
{
    if (c.piece == Piece::open) return;
    const double normal = c.m[0] / (1 + c.rho * c.compliance);
    if (c.piece == Piece::stick) {
        c.a = {normal, c.K(1, 1) > 0 ? c.m[1] : 0, c.K(2, 2) > 0 ? c.m[2] : 0};
        return;
    }
    const Vec2 along = c.K.block<2, 1>(1, 0) / c.K(0, 0);  // f e
    const Vec2 at = normal * along + c.K.bottomRightCorner<2, 2>() / c.rho * c.m.tail<2>();
    c.a = {normal, at[0], at[1]};
}

// How far what slips is held in another direction than it is pulled, m.
double turned(const TreeContact& c)
{
    const Vec2 pull = pullAt(c, c.dNow);
    const Vec2 lawful = c.friction * std::max(c.now[0], 0.) / pull.norm() * pull;
    return tangentMobility(c) * (c.now.tail<2>() - lawful).norm();
}

// Onto the piece on which the law has the answer.
void choose(TreeContact& c)
{
    const double normal = normalAt(c, c.dNow);
    if (!(normal > 0)) return setOpen(c);
    const Vec2 pull = pullAt(c, c.dNow);
    // What slips the other way than it is pulled has been let go too far.
    const bool isReversed = c.piece == Piece::slip && pull.dot(c.now.tail<2>()) <= 0;
    if (!(c.friction > 0) || isReversed || pull.norm() <= c.friction * normal) return setStick(c);
    setSlip(c, normal, pull);
}

// How far the answer misses the law, m.
double missed(const TreeContact& c)
{
    const double normal = std::abs(std::min(c.W(0, 0) * c.now[0], c.dNow[0] + c.compliance * c.now[0]));
    if (!(c.friction > 0)) return normal;
    const double scale = tangentMobility(c);
    const Vec2 held = scale * c.now.tail<2>();
    Vec2 target = held - Vec2(c.dNow.tail<2>());
    const double most = scale * c.friction * std::max(0., c.now[0]), length = target.norm();
    if (length > most) target *= most / length;
    return std::max(normal, (held - target).norm());
}

}  // namespace

void TreeContacts::sort(const Model& model)
{
    const auto place = [&](const TreeContact& c) {
        return std::pair(model.skeletonOf[c.rows.body], c.block);
    };
    std::sort(contacts.begin(), contacts.end(),
              [&](const TreeContact& a, const TreeContact& b) { return place(a) < place(b); });
    groups_.clear();
    groupOf_.assign(model.skeletons.size(), -1);
    for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
        const int s = model.skeletonOf[contacts[c].rows.body];
        if (groups_.empty() || groups_.back().skeleton != s) {
            const Skeleton& skeleton = model.skeletons[s];
            groupOf_[s] = static_cast<int>(groups_.size());
            groups_.push_back({s, skeleton.first, skeleton.first + skeleton.count, c, c});
        }
        groups_.back().beyond = c + 1;
    }
}

void TreeContacts::guess()
{
    for (const Group& group : groups_) {
        setPenalties(group, stiffest);
        guess(group);
    }
}

void TreeContacts::guess(const Group& group)
{
    for (int k = group.begin; k < group.beyond; ++k) {
        TreeContact& c = contacts[k];
        if (!(c.held[0] > 0)) {
            c.dNow = c.d;
            if (c.d[0] < -slack * tolerance)
                choose(c);
            else
                setOpen(c);
            continue;
        }
        constexpr double used = 0.999;  // of the friction there is
        const Vec2 held = c.held.tail<2>(), pull = pullAt(c, c.d);
        const bool slips = c.friction > 0 && held.norm() > used * c.friction * c.held[0] &&
                           pull.dot(held) > held.squaredNorm();
        if (slips)
            setSlip(c, c.held[0], pull);
        else
            setStick(c);
    }
}

// What the contacts push with, where δ = 0.
void TreeContacts::load(const Group& group, ArticulatedLinks& links) const
{
    for (int i = group.first; i < group.end; ++i) links[i].f = links[i].n = Vector3<double>::zero();
    for (int k = group.begin; k < group.beyond; ++k) {
        const TreeContact& c = contacts[k];
        const Vec3 push = c.share * (c.a - c.K * c.d - c.held);
        if (push.isZero(0)) continue;
        ArticulatedLink& link = links[c.rows.body];
        const Vector3<double> force = small(Vec3(c.rows.move.transpose() * push));
        link.f = link.f - force;
        link.n = link.n - small(Vec3(c.rows.turn.transpose() * push)) - cross(link.c, force);
    }
}

void TreeContacts::factor(const Group& group, ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    for (int k = group.begin; k < group.beyond; ++k) {
        const TreeContact& c = contacts[k];
        if (c.piece == Piece::open) continue;
        const Mat3 Km = c.share * (c.K * c.rows.move), Kt = c.share * (c.K * c.rows.turn);
        links[c.rows.body].add(
            small(Mat3(c.rows.move.transpose() * Km)), small(Mat3(c.rows.move.transpose() * Kt)),
            small(Mat3(c.rows.turn.transpose() * Km)), small(Mat3(c.rows.turn.transpose() * Kt)));
    }
    load(group, links);
    solveLoadedIncrement(links, group.first, group.end, true, right, delta);
}

// The answer, by how the links move; returns how far it misses the law, m. What does not agree with it is
// put on other pieces, which is told in `changed`.
double TreeContacts::look(const Group& group, const ArticulatedLinks& links, bool& changed)
{
    const double least = slack * tolerance;
    double most = 0;
    changed = false;
    for (int k = group.begin; k < group.beyond; ++k) {
        TreeContact& c = contacts[k];
        const ArticulatedLink& link = links[c.rows.body];
        c.dNow =
            c.d + c.rows.move * large(link.a + cross(link.alpha, link.c)) + c.rows.turn * large(link.alpha);
        c.now = c.a - c.K * c.dNow;
        const double own = missed(c);
        if (!(own <= most)) most = own;  // NaN too
        if (own <= least) continue;
        const bool isOpen = c.piece == Piece::open;
        const bool closes = isOpen && c.dNow[0] < -least, opens = !isOpen && !(c.now[0] > 0);
        const bool leaves = c.piece == Piece::stick && c.friction > 0 &&
                            c.now.tail<2>().norm() > (1 + 1e-9) * c.friction * c.now[0];
        const bool turns = c.piece == Piece::slip && !(turned(c) <= least);
        if (!(closes || opens || leaves || turns)) continue;
        changed = true;
        choose(c);
    }
    return most;
}

// From the pieces and multipliers at hand. Returns how far the answer misses the law.
double TreeContacts::solveFrom(const Group& group, int factors, bool isFresh, ArticulatedLinks& links,
                               const VecX& right, VecX& delta)
{
    const double enough = slack * tolerance;
    double before = HUGE_VAL, left = HUGE_VAL;
    for (int k = 0, multipliers = 0; k < factors;) {
        if (multipliers == 0) {
            if (k > 0 || !isFresh) restore(group.first, group.end, links);
            factor(group, links, right, delta);
            ++k;
        } else {
            load(group, links);
            solveLoadedIncrement(links, group.first, group.end, false, right, delta);
        }
        bool changed = false;
        left = look(group, links, changed);
        if (left <= enough || !std::isfinite(left)) return left;
        if (changed) {
            multipliers = 0;
            before = HUGE_VAL;
            continue;
        }
        // What is left is the multipliers', or rounding.
        if (!(left < 0.5 * before) || ++multipliers > multipliersAtMost) return left;
        before = left;
        for (int c = group.begin; c < group.beyond; ++c) {
            contacts[c].m = contacts[c].now;
            setConstant(contacts[c]);
        }
    }
    return left;
}

void TreeContacts::setPenalties(const Group& group, double stiffness)
{
    for (int k = group.begin; k < group.beyond; ++k)
        contacts[k].rho = stiffness / std::max(contacts[k].W(0, 0), tangentMobility(contacts[k]));
}

bool TreeContacts::solveGroup(const Group& group, ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    const double enough = 0.01 * tolerance;
    keep(group.first, group.end, links);
    if (solveFrom(group, factorsOfTree, true, links, right, delta) <= enough) return true;
    // Stiff pieces went round in circles: softer ones do so less.
    for (int k = group.begin; k < group.beyond; ++k) contacts[k].m = contacts[k].held;
    for (const double stiffness : softerPenalties) {
        setPenalties(group, stiffness);
        if (stiffness == softerPenalties[0])
            guess(group);
        else
            for (int k = group.begin; k < group.beyond; ++k) {
                TreeContact& c = contacts[k];
                c.m = c.now[0] > 0 ? c.now : Vec3(Vec3::Zero());
                choose(c);
            }
        const double left = solveFrom(group, factorsOfSofter, false, links, right, delta);
        if (!std::isfinite(left)) return false;
        if (left <= enough) return true;
    }
    return false;
}

template <class Solve>
void TreeContacts::eachPart(const Model& model, const Solve& solve)
{
    eachSkeletonPart(model, [&](int first, int end) {
        for (int i = first; i < end;) {
            const int s = model.skeletonOf[i], group = groupOf_[s];
            const int beyond = model.skeletons[s].first + model.skeletons[s].count;
            solve(group < 0 ? nullptr : &groups_[group], i, beyond);
            i = beyond;
        }
    });
}

bool TreeContacts::solve(const Model& model, ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    filled_.resize(links.size());
    std::vector<char> found(groups_.size(), 1);
    eachPart(model, [&](const Group* group, int first, int end) {
        if (group) {
            found[group - groups_.data()] = solveGroup(*group, links, right, delta);
            return;
        }
        keep(first, end, links);
        for (int i = first; i < end; ++i) links[i].f = links[i].n = Vector3<double>::zero();
        solveLoadedIncrement(links, first, end, true, right, delta);
    });
    return std::all_of(found.begin(), found.end(), [](char one) { return one != 0; });
}

void TreeContacts::solveOnPieces(const Model& model, ArticulatedLinks& links, const VecX& right,
                                 VecX& delta)
{
    eachPart(model, [&](const Group* group, int first, int end) {
        restore(first, end, links);
        if (group) return factor(*group, links, right, delta);
        for (int i = first; i < end; ++i) links[i].f = links[i].n = Vector3<double>::zero();
        solveLoadedIncrement(links, first, end, true, right, delta);
    });
}

void TreeContacts::solveAgain(const Model& model, ArticulatedLinks& links, const VecX& right, VecX& delta)
{
    for (TreeContact& c : contacts) {
        c.m = c.held;
        setConstant(c);
    }
    eachPart(model, [&](const Group* group, int first, int end) {
        if (group) {
            load(*group, links);
        } else {
            for (int i = first; i < end; ++i) links[i].f = links[i].n = Vector3<double>::zero();
        }
        solveLoadedIncrement(links, first, end, false, right, delta);
    });
}

bool TreeContacts::agrees(const ArticulatedLinks& links)
{
    bool all = true;
    for (const Group& group : groups_) {
        bool changed = false;
        const double left = look(group, links, changed);
        all = all && (left <= slack * tolerance || (!changed && left <= 0.01 * tolerance));
    }
    return all;
}

void TreeContacts::keep(int first, int end, const ArticulatedLinks& links)
{
    for (int i = first; i < end; ++i) {
        const ArticulatedLink& link = links[i];
        filled_[i] = {link.M, link.P, link.G, link.J, link.B, link.C};
    }
}
void TreeContacts::restore(int first, int end, ArticulatedLinks& links) const
{
    for (int i = first; i < end; ++i) {
        ArticulatedLink& link = links[i];
        const Filled& filled = filled_[i];
        link.M = filled.M;
        link.P = filled.P;
        link.G = filled.G;
        link.J = filled.J;
        link.B = filled.B;
        link.C = filled.C;
    }
}
void TreeContacts::restore(ArticulatedLinks& links) const
{
    restore(0, static_cast<int>(links.size()), links);
}

}  // namespace sinew
