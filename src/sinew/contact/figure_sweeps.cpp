#include "sinew/contact/figure_sweeps.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/recursion/increments.h"

namespace sinew {
namespace {

using recursion::readVector;
using recursion::writeVector;

// One of the six directions on its way inward: the force p on the link, as the recursion has it with the
// other sign, and the weight w of its motion.
struct PathColumn {
    Vector3<double> f, n;      // p
    Vector3<double> a, alpha;  // w
};

// What a joint has of a column: y and z of its freedoms, six of a free root.
struct JointPart {
    double y[6], z[6];
};

void passBall(const ArticulatedLink& link, PathColumn& c, JointPart& part)
{
    const Vector3<double> y = link.factor.solve(-c.n), z = c.alpha;
    writeVector(y, part.y);
    writeVector(z, part.z);
    c.f += link.P * y;
    c.a = c.a - transposeTimes(link.G, z);
    if (!link.hasBlocks) {
        c.n = c.alpha = Vector3<double>::zero();
        return;
    }
    if (link.isSoft)
        c.n = -(link.C * y);
    else
        c.n += link.C * y;
    c.alpha = z - transposeTimes(link.J, z);
}

void passHinge(const ArticulatedLink& link, PathColumn& c, JointPart& part)
{
    const Vector3<double>& axis = link.angular[0];
    const double y = -dot(axis, c.n) * link.M.r0.x, z = dot(axis, c.alpha);
    part.y[0] = y;
    part.z[0] = z;
    c.f += y * link.P.r0;
    c.n += y * link.P.r1;
    if (link.isSoft) c.n = c.n - (link.M.r0.y * y + dot(axis, c.n)) * axis;
    c.a = c.a - z * link.G.r0;
    c.alpha = c.alpha - z * link.G.r1;
}

void passOther(const ArticulatedLink& link, PathColumn& c, JointPart& part)
{
    constexpr double none[3] = {};
    ArticulatedLink own = link;  // its y is the caller's
    recursion::reduceOther(own, none, c.f, c.n);
    writeVector(own.y, part.y);
    for (int k = 0; k < link.freedoms; ++k)
        part.z[k] = dot(link.linear[k], c.a) + dot(link.angular[k], c.alpha);
    for (int k = 0; k < link.freedoms; ++k) {
        c.a = c.a - part.z[k] * rowOf(link.G, k);
        c.alpha = c.alpha - part.z[k] * rowOf(link.J, k);
    }
}

void passFree(const ArticulatedLink& link, PathColumn& c, JointPart& part)
{
    Vector3<double> a, alpha;
    recursion::solveFree(link, -c.f, -c.n, a, alpha);
    writeVector(a, part.y);
    writeVector(alpha, part.y + 3);
    writeVector(c.a, part.z);
    writeVector(c.alpha, part.z + 3);
}

}  // namespace

void FigureSweeps::prepare(const Model& model, const ArticulatedLinks& links)
{
    x_.assign(model.freedomCount, 0);
    isMoved_.assign(model.skeletons.size(), 0);
    basis_.assign(model.bodies.size(), {});
    touched_.clear();
    std::size_t size = 0;
    for (const SweptBlock& block : blocks)
        for (const BodyRows& rows : block.sides) {
            if (rows.body < 0 || basis_[rows.body].count > 0) continue;
            int count = 0;
            for (int k = rows.body; k >= 0; k = links[k].parent) {
                count += links[k].freedoms;
                if (links[k].kind == LinkKind::free) break;
            }
            basis_[rows.body] = {size, count};
            isMoved_[model.skeletonOf[rows.body]] = 1;
            size += static_cast<std::size_t>(count);
            if (count > 0) touched_.push_back(rows.body);
        }
    pathSlots_.resize(size);
    pathLeft_.resize(6 * size);
    pathRight_.resize(6 * size);
    constexpr int fewBodies = 16, fewBlocks = 16;
    parallelFor(static_cast<int>(touched_.size()), fewBodies, [&](int first, int end, int) {
        for (int k = first; k < end; ++k) setBasis(links, touched_[k]);
    });
    size = 0;
    for (SweptBlock& block : blocks)
        for (int side = 0; side < 2; ++side) {
            const int body = block.sides[side].body;
            block.first[side] = size;
            block.count[side] = body < 0 ? 0 : basis_[body].count;
            size += static_cast<std::size_t>(block.count[side]);
        }
    slots_.resize(size);
    left_.resize(3 * size);
    right_.resize(3 * size);
    parallelFor(static_cast<int>(blocks.size()), fewBlocks, [&](int first, int end, int) {
        for (int b = first; b < end; ++b) setRows(blocks[b]);
    });
    findIslands();
}

void FigureSweeps::findIslands()
{
    order_.clear();
    for (int b = 0; b < static_cast<int>(blocks.size()); ++b)
        if (blocks[b].contact < 0) order_.push_back(b);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) {
        const SweptBlock &first = blocks[a], &second = blocks[b];
        if (first.root != second.root) return first.root < second.root;
        return first.height != second.height ? first.height < second.height : a < b;
    });
    // Torques follow the contacts that bound them.
    std::vector<std::vector<int>> torques(blocks.size());
    for (int b = 0; b < static_cast<int>(blocks.size()); ++b)
        if (blocks[b].contact >= 0) torques[blocks[b].contact].push_back(b);
    std::vector<int> all;
    for (const int b : order_) {
        all.push_back(b);
        all.insert(all.end(), torques[b].begin(), torques[b].end());
    }
    order_ = all;
    islands_.clear();
    for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
        if (k == 0 || blocks[order_[k]].root != blocks[order_[k - 1]].root) islands_.push_back({k, k, {}});
        islands_.back().end = k + 1;
    }
}

// y and z of the six directions of a body, at its centre of mass, world axes.
void FigureSweeps::setBasis(const ArticulatedLinks& links, int body)
{
    const Vector zero = Vector::zero();
    const Vector axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    PathColumn columns[6];
    for (int k = 0; k < 3; ++k) {
        const Vector arm = cross(links[body].c, axes[k]);
        columns[k] = {-axes[k], -arm, axes[k], arm};
        columns[3 + k] = {zero, -axes[k], zero, axes[k]};
    }
    std::size_t at = basis_[body].first;
    for (int i = body; i >= 0; i = links[i].parent) {
        const ArticulatedLink& link = links[i];
        for (int f = 0; f < link.freedoms; ++f) pathSlots_[at + f] = link.u + f;
        for (int k = 0; k < 6; ++k) {
            JointPart part;
            switch (link.kind) {
                case LinkKind::ball:
                    passBall(link, columns[k], part);
                    break;
                case LinkKind::hinge:
                    passHinge(link, columns[k], part);
                    break;
                case LinkKind::free:
                    passFree(link, columns[k], part);
                    break;
                case LinkKind::other:
                    passOther(link, columns[k], part);
                    break;
                case LinkKind::rigid:
                    break;
            }
            for (int f = 0; f < link.freedoms; ++f) {
                pathRight_[6 * (at + f) + k] = part.y[f];
                pathLeft_[6 * (at + f) + k] = part.z[f];
            }
            columns[k].n += cross(link.l, columns[k].f);
            columns[k].alpha += cross(link.l, columns[k].a);
        }
        at += static_cast<std::size_t>(link.freedoms);
        if (link.kind == LinkKind::free) break;
    }
}

void FigureSweeps::setRows(SweptBlock& block)
{
    for (int side = 0; side < 2; ++side) {
        const BodyRows& rows = block.sides[side];
        if (rows.body < 0) continue;
        const std::size_t from = basis_[rows.body].first, to = block.first[side];
        double J[3][6];
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k) {
                J[r][k] = rows.move(r, k);
                J[r][3 + k] = rows.turn(r, k);
            }
        for (int e = 0; e < block.count[side]; ++e) {
            slots_[to + e] = pathSlots_[from + e];
            const double *z = &pathLeft_[6 * (from + e)], *y = &pathRight_[6 * (from + e)];
            for (int r = 0; r < 3; ++r) {
                double left = 0, right = 0;
                for (int k = 0; k < 6; ++k) {
                    left += J[r][k] * z[k];
                    right += J[r][k] * y[k];
                }
                left_[3 * (to + e) + r] = left;
                right_[3 * (to + e) + r] = right;
            }
        }
    }
    // W of the block by itself: of a figure that touches itself, both sides move both.
    double W[3][3] = {};
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
            for (int e = 0; e < block.count[a]; ++e) {
                const std::size_t i = block.first[a] + e;
                std::size_t j = i;
                if (a != b) {
                    const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(block.first[b]);
                    const auto found = std::find(begin, begin + block.count[b], slots_[i]);
                    if (found == begin + block.count[b]) continue;
                    j = static_cast<std::size_t>(found - slots_.begin());
                }
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) W[r][c] += left_[3 * i + r] * right_[3 * j + c];
            }
    const auto inverse = [](double w) { return w > 0 ? 1 / w : 0; };
    if (block.contact >= 0) {
        block.inverseN = block.rows == 1 ? inverse(W[0][0]) : 0;
        block.inverseT = inverse(W[0][0] + W[1][1]);
        return;
    }
    block.inverseN = inverse(W[0][0]);
    block.ns = W[1][0];
    block.nt = W[2][0];
    const double half = 0.5 * (W[1][1] - W[2][2]), st = 0.5 * (W[1][2] + W[2][1]);
    block.inverseT = inverse(0.5 * (W[1][1] + W[2][2]) + std::sqrt(half * half + st * st));
}

Vector3<double> FigureSweeps::motion(const SweptBlock& block) const
{
    double n = 0, s = 0, t = 0;
    for (int side = 0; side < 2; ++side) {
        const int* slot = slots_.data() + block.first[side];
        const double* z = left_.data() + 3 * block.first[side];
        for (int e = 0; e < block.count[side]; ++e, z += 3) {
            const double x = x_[slot[e]];
            n += z[0] * x;
            s += z[1] * x;
            t += z[2] * x;
        }
    }
    return {n, s, t};
}
double FigureSweeps::normalMotion(const SweptBlock& block) const
{
    double n = 0;
    for (int side = 0; side < 2; ++side) {
        const int* slot = slots_.data() + block.first[side];
        const double* z = left_.data() + 3 * block.first[side];
        for (int e = 0; e < block.count[side]; ++e) n += z[3 * e] * x_[slot[e]];
    }
    return n;
}
void FigureSweeps::push(const SweptBlock& block, const Vector& change)
{
    for (int side = 0; side < 2; ++side) {
        const int* slot = slots_.data() + block.first[side];
        const double* y = right_.data() + 3 * block.first[side];
        for (int e = 0; e < block.count[side]; ++e, y += 3)
            x_[slot[e]] += y[0] * change.x + y[1] * change.y + y[2] * change.z;
    }
}
void FigureSweeps::pushNormal(const SweptBlock& block, double change)
{
    for (int side = 0; side < 2; ++side) {
        const int* slot = slots_.data() + block.first[side];
        const double* y = right_.data() + 3 * block.first[side];
        for (int e = 0; e < block.count[side]; ++e) x_[slot[e]] += y[3 * e] * change;
    }
}

namespace {

Vector3<double> insideCone(const SweptBlock& block, Vector3<double> impulse)
{
    impulse.x = std::max(0., impulse.x);
    const double most = block.friction * impulse.x;
    const double square = impulse.y * impulse.y + impulse.z * impulse.z;
    if (square <= most * most) return impulse;
    const double part = most / std::sqrt(square);
    return {impulse.x, part * impulse.y, part * impulse.z};
}

}  // namespace

// By how much it moves the contact, m.
double FigureSweeps::relax(SweptBlock& block)
{
    if (block.contact >= 0) return relaxTurn(block);
    if (block.impulse.x == 0 && block.offset.x + normalMotion(block) >= 0) return 0;
    const Vector d = block.offset + motion(block);
    const Vector was = block.impulse;
    const double normal = std::max(0., was.x - block.inverseN * d.x), more = normal - was.x;
    const Vector wanted{normal, was.y - block.inverseT * (d.y + block.ns * more),
                        was.z - block.inverseT * (d.z + block.nt * more)};
    block.impulse = insideCone(block, wanted);
    const Vector change = block.impulse - was;
    push(block, change);
    if (!(block.inverseN > 0)) return 0;
    const double across = std::max(std::abs(change.y), std::abs(change.z));
    return std::max(std::abs(change.x) / block.inverseN, block.inverseT > 0 ? across / block.inverseT : 0);
}
double FigureSweeps::relaxTurn(SweptBlock& block)
{
    const double most = block.friction * blocks[block.contact].impulse.x;
    const Vector d = block.offset + motion(block), was = block.impulse;
    if (block.rows == 1) {
        block.impulse.x = std::clamp(was.x - block.inverseN * d.x, -most, most);
    } else {
        block.impulse = {was.x - block.inverseT * d.x, was.y - block.inverseT * d.y, 0};
        const double size = std::hypot(block.impulse.x, block.impulse.y);
        if (size > most) block.impulse = (most / size) * block.impulse;
    }
    push(block, block.impulse - was);
    return 0;
}

double FigureSweeps::sweep(const Island& island, bool upward)
{
    double most = 0;
    if (upward)
        for (int k = island.first; k < island.end; ++k) most = std::max(most, relax(blocks[order_[k]]));
    else
        for (int k = island.end - 1; k >= island.first; --k)
            most = std::max(most, relax(blocks[order_[k]]));
    return most;
}

void FigureSweeps::solve(const SweepSettings& settings)
{
    std::fill(x_.begin(), x_.end(), 0.);
    parallelFor(static_cast<int>(islands_.size()), 1, [&](int first, int end, int) {
        for (int i = first; i < end; ++i) solveIsland(islands_[i], settings);
    });
    report = ConstraintReport();
    caps = 0;
    swept.clear();
    for (const Island& island : islands_) {
        SweptIsland& end = swept.emplace_back();
        end.root = blocks[order_[island.first]].root;
        end.left = island.report.complementarity;
        for (int k = island.first; k < island.end; ++k) {
            const SweptBlock& b = blocks[order_[k]];
            end.stands |= b.contact < 0 && b.impulse.x > 0 && (b.count[0] == 0 || b.count[1] == 0);
        }
        report.complementarity = std::max(report.complementarity, island.report.complementarity);
        report.sweeps = std::max(report.sweeps, island.report.sweeps);
        report.reachedCap |= island.report.reachedCap;
        caps += island.report.reachedCap;
    }
}

void FigureSweeps::solveIsland(Island& island, const SweepSettings& settings)
{
    const auto each = [&](auto&& action) {
        for (int k = island.first; k < island.end; ++k) action(blocks[order_[k]]);
    };
    each([&](SweptBlock& b) {
        b.old = b.impulse;
        push(b, -b.impulse);
    });
    each([&](SweptBlock& b) { b.offset += motion(b); });
    each([&](SweptBlock& b) {
        for (int side = 0; side < 2; ++side)
            for (int e = 0; e < b.count[side]; ++e) x_[slots_[b.first[side] + e]] = 0;
    });
    each([&](SweptBlock& b) {
        if (b.contact < 0) b.impulse = insideCone(b, b.impulse);
        push(b, b.impulse);
    });
    island.report = ConstraintReport();
    const int sweeps = std::clamp(settings.visits / (island.end - island.first), settings.leastSweeps,
                                  settings.mostSweeps);
    double last = 0, left = 0;
    for (int k = 2;; k += 2) {
        each([](SweptBlock& b) { b.before = b.impulse; });
        sweep(island, true);
        left = sweep(island, false);
        island.report.sweeps = k;
        if (k >= sweeps || left <= settings.tolerance) break;
        last = goOn(island, last);
    }
    limitEnergy(island);
    island.report.complementarity = left;
    island.report.reachedCap = left > settings.tolerance;
    // What has changed is what figures move by.
    each([&](SweptBlock& b) { push(b, -b.old); });
}

// Beyond what two sweeps changed, by as much as the changes before say. `last`: the square of the size of
// those; returns that of these.
double FigureSweeps::goOn(const Island& island, double last)
{
    double size = 0;
    for (int k = island.first; k < island.end; ++k) {
        const SweptBlock& b = blocks[order_[k]];
        if (b.contact >= 0 || !(b.inverseN > 0) || !(b.inverseT > 0)) continue;
        const Vector change = b.impulse - b.before;
        size += change.x * change.x / b.inverseN + (change.y * change.y + change.z * change.z) / b.inverseT;
    }
    const double part = last > 0 && size <= last ? size / last : 0;
    for (int k = island.first; k < island.end; ++k) {
        SweptBlock& b = blocks[order_[k]];
        if (b.contact >= 0) continue;
        const Vector change = b.impulse - b.before, on = part * b.direction;
        b.direction = last > 0 ? on + change : change;
        if (on.x == 0 && on.y == 0 && on.z == 0) continue;
        const Vector was = b.impulse;
        b.impulse = insideCone(b, was + on);
        push(b, b.impulse - was);
    }
    return size;
}

// The work of the contacts is not more than none.
void FigureSweeps::limitEnergy(const Island& island)
{
    double without = 0, by = 0;  // of the impulses on what moves without them, and by themselves
    for (int k = island.first; k < island.end; ++k) {
        const SweptBlock& b = blocks[order_[k]];
        if (b.impulse.x == 0 && b.impulse.y == 0 && b.impulse.z == 0) continue;
        Vector way = b.offset + b.started;
        way.x -= b.ahead;
        without += dot(b.impulse, way);
        by += dot(b.impulse, motion(b));
    }
    if (!(by > 0) || without + by <= 0) return;
    const double s = std::clamp(-without / by, 0., 1.);
    for (int k = island.first; k < island.end; ++k) {
        SweptBlock& b = blocks[order_[k]];
        const Vector less = (s - 1) * b.impulse;
        push(b, less);
        b.impulse += less;
    }
}

void FigureSweeps::addMotion(const Model& model, ArticulatedLinks& links, VecX& delta)
{
    const Vector zero = Vector::zero();
    moved_.assign(model.freedomCount, 0);
    for (std::size_t s = 0; s < model.skeletons.size(); ++s) {
        if (!isMoved_[s]) continue;
        const Skeleton& skeleton = model.skeletons[s];
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            ArticulatedLink& link = links[i];
            const double* x = x_.data() + link.u;
            double* moved = moved_.data() + link.u;
            const ArticulatedLink* parent = link.parent < 0 ? nullptr : &links[link.parent];
            if (link.kind == LinkKind::free) {
                // Its x is its motion, whatever carries it.
                Vector given = zero, turned = zero;
                if (parent) {
                    given = parent->a + cross(parent->alpha, link.l);
                    turned = parent->alpha;
                }
                link.a = readVector(x);
                link.alpha = readVector(x + 3);
                const Vector move = link.a - given;
                writeVector(parent ? transposeTimes(parent->R, move) : move, moved);
                writeVector(transposeTimes(link.R, link.alpha - turned), moved + 3);
            } else {
                link.y = zero;
                if (link.kind == LinkKind::hinge)
                    link.y.x = x[0];
                else if (link.kind == LinkKind::ball)
                    link.y = readVector(x);
                else if (link.freedoms > 0)
                    link.y = {x[0], link.freedoms > 1 ? x[1] : 0, link.freedoms > 2 ? x[2] : 0};
                recursion::moveLink(link, parent, moved_.data());
            }
            for (int f = 0; f < link.freedoms; ++f) delta[link.u + f] += moved[f];
        }
    }
}

void FigureSweeps::relaxDepth(SweptBlock& b)
{
    if (b.contact >= 0) return;
    const double was = b.push;
    b.push = std::max(0., was - b.inverseN * (b.offset.x + normalMotion(b) - b.depth));
    if (b.push != was) pushNormal(b, b.push - was);
}

bool FigureSweeps::takeDepthsBack(const SweepSettings& settings)
{
    std::fill(x_.begin(), x_.end(), 0.);
    std::vector<char> isDeep(islands_.size(), 0);
    bool any = false;
    for (std::size_t i = 0; i < islands_.size(); ++i)
        for (int k = islands_[i].first; k < islands_[i].end; ++k)
            if (blocks[order_[k]].depth > 0) any = isDeep[i] = 1;
    if (!any) return false;
    parallelFor(static_cast<int>(islands_.size()), 1, [&](int first, int end, int) {
        for (int i = first; i < end; ++i) {
            if (!isDeep[i]) continue;
            const Island& island = islands_[i];
            for (int k = island.first; k < island.end; ++k) blocks[order_[k]].push = 0;
            for (int n = 0; n < settings.depthSweeps; ++n)
                for (int k = island.first; k < island.end; ++k)
                    relaxDepth(blocks[order_[n % 2 == 0 ? k : island.end - 1 - (k - island.first)]]);
        }
    });
    return true;
}

}  // namespace sinew
