#include "sinew/derivative/step_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/math/deficient.h"
#include "sinew/model/rows.h"

namespace sinew::stepping {
Block emptyBlock(int rows, int first, int second)
{
    Block block;
    block.rows = rows;
    block.body[0] = first;
    block.body[1] = second;
    for (int side = 0; side < 2; ++side) {
        for (Six* m : {&block.place[side], &block.rate[side], &block.start[side], &block.push[side]})
            m->setZero();
        for (Six& m : block.wrenchByStart[side]) m.setZero();
    }
    block.A.setZero();
    block.B.setZero();
    return block;
}

void StepBlocks::addCross(int on, int by, const Six& wrench)
{
    if (on < 0 || by < 0 || wrench.isZero(0)) return;
    Block block = emptyBlock(6, on, by);
    block.push[0] = wrench;
    block.place[1] = Six::Identity();
    block.A = Six::Identity();
    block.B = -Six::Identity();
    blocks_.push_back(block);
}

void StepBlocks::addLoop(const Model& model, const StepPart& part, int l, StepTerms& terms)
{
    const LoopJoint& loop = model.loops[static_cast<std::size_t>(l)];
    const int body[2] = {loop.child, loop.joint.parent};
    const LargeVector<BodyState>& to = part.end.bodies;
    const Place C = placeIn(to, body[0]), P = placeIn(to, body[1]);
    const Mat3 R[2] = {C.R, P.R};
    Row rows[6];
    rowsOf(loop.joint, rows);
    Block block = emptyBlock(loop.rows(), body[0], body[1]);
    PairMatrix curvature;
    curvature.setZero();
    Vec6 wrench[2] = {Vec6::Zero(), Vec6::Zero()};  // torque in world axes
    for (int k = 0; k < loop.rows(); ++k) {
        const double force = terms.loopForces[static_cast<std::size_t>(l)][k];
        const PairGradient gradient = rowGradient(rows[k], loop.joint, C, P);
        for (int s = 0; s < 2; ++s) {
            const Vec6& own = s == 0 ? gradient.child : gradient.parent;
            Vec6 row;
            row << Vec3(own.head<3>()), R[s] * Vec3(own.tail<3>());
            block.place[s].row(k) = row.transpose();
            block.push[s].col(k) = row;
            wrench[s] += force * row;
        }
        addRowCurvature(rows[k], loop.joint, C, P, force, curvature);
        block.B(k, k) = 1;
    }
    for (int s = 0; s < 2; ++s) {
        if (body[s] < 0) continue;
        BodyTerms& own = terms.bodies[body[s]];
        own.need -= wrench[s];
        for (int t = 0; t < 2; ++t) {
            if (body[t] < 0) continue;
            Six world = curvature.block[s][t];
            world.bottomRows<3>() = R[s] * Matrix<3, 6>(world.bottomRows<3>());
            world.rightCols<3>() = Matrix<6, 3>(world.rightCols<3>()) * R[t].transpose();
            if (s != t) {
                addCross(body[s], body[t], world);
                continue;
            }
            world.bottomRightCorner<3, 3>() -= tilde(Vec3(wrench[s].tail<3>()));
            terms.extraOf(body[s]).stiffness -= world;
        }
    }
    loopBlock_.push_back(static_cast<int>(blocks_.size()));
    blocks_.push_back(block);
}

void StepBlocks::addCoupling(const Model& model, int c)
{
    const Coupling& coupling = model.couplings[static_cast<std::size_t>(c)];
    Block block = emptyBlock(1, -1, -1);
    block.freedom[0] = model.joints[coupling.follower].u;
    block.freedom[1] = model.joints[coupling.leader].u;
    block.ratio = coupling.ratio;
    block.body[0] = coupling.follower;  // for the islands; its rows are zero
    block.body[1] = coupling.leader;
    block.B(0, 0) = 1;
    blocks_.push_back(block);
}

void StepBlocks::addPair(const PairTangent& pair, StepTerms&)
{
    Block block = emptyBlock(pair.rank, pair.body[0], pair.body[1]);
    for (int s = 0; s < 2; ++s) {
        if (pair.body[s] < 0) continue;
        for (int r = 0; r < pair.rank; ++r)
            for (int k = 0; k < 6; ++k) {
                block.place[s](r, k) = pair.stiffness[s](r, k);
                block.rate[s](r, k) = pair.damping[s](r, k);
                block.push[s](k, r) = -pair.U[s](k, r);
            }
        block.hasRate |= !pair.damping[s].isZero(0);
    }
    for (int r = 0; r < pair.rank; ++r) {
        block.A(r, r) = 1;
        block.B(r, r) = -1;
    }
    blocks_.push_back(block);
}

void StepBlocks::set(const Model& model, const StepPart& part, StepTerms& terms)
{
    model_ = &model;
    blocks_.clear();
    blockOf_.assign(part.contacts.size(), -1);
    for (std::size_t c = 0; c < part.contacts.size(); ++c) addContact(model, part, c, terms);
    for (const TapedTurning& turning : part.turning) addTurning(model, part, turning, terms);
    loopBlock_.clear();
    for (std::size_t l = 0; l < model.loops.size(); ++l) addLoop(model, part, static_cast<int>(l), terms);
    for (std::size_t c = 0; c < model.couplings.size(); ++c) addCoupling(model, static_cast<int>(c));
    for (const PairTangent& pair : terms.pairs) addPair(pair, terms);
    // What sleeps does not move: it is like the world.
    for (Block& block : blocks_)
        for (int s = 0; s < 2; ++s)
            if (block.body[s] >= 0 && terms.bodies[block.body[s]].sleeps) block.body[s] = -1;
    setIslands(model);
}

void StepBlocks::setIslands(const Model& model)
{
    std::vector<int> group(model.skeletons.size());
    std::iota(group.begin(), group.end(), 0);
    const auto rootOf = [&](int s) {
        while (group[static_cast<std::size_t>(s)] != s) s = group[static_cast<std::size_t>(s)];
        return s;
    };
    for (const Block& block : blocks_) {
        if (block.body[0] < 0 || block.body[1] < 0) continue;
        const int a = rootOf(model.skeletonOf[block.body[0]]), b = rootOf(model.skeletonOf[block.body[1]]);
        group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    std::vector<int> islandOf(model.skeletons.size(), -1);
    islands_.clear();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const int body = blocks_[b].body[0] >= 0 ? blocks_[b].body[0] : blocks_[b].body[1];
        if (body < 0) continue;
        const int root = rootOf(model.skeletonOf[body]);
        int& island = islandOf[static_cast<std::size_t>(root)];
        if (island < 0) {
            island = static_cast<int>(islands_.size());
            islands_.emplace_back();
        }
        Island& own = islands_[static_cast<std::size_t>(island)];
        own.at.push_back(own.blocks.empty() ? 0 : own.at.back() + blocks_[own.blocks.back()].rows);
        own.blocks.push_back(static_cast<int>(b));
    }
}

namespace {

// What of the rows' d goes by e', velocities included.
void wholeRows(const StepTerms& terms, const Block& block, int side, Six& whole)
{
    whole = block.place[side];
    if (!block.hasRate) return;
    const BodyTerms& body = terms.bodies[block.body[side]];
    const Mat3 turning = body.R * body.rateByEnd - body.w;
    for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < 3; ++c) {
            whole(r, c) += block.rate[side](r, c) / body.h;
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += block.rate[side](r, 3 + k) * turning(k, c);
            whole(r, 3 + c) += sum;
        }
}

// K⁻¹ of least size: rows and columns scaled, so that units do not count.
MatX leastInverse(MatX K)
{
    constexpr double dependent = 1e-11;
    const int n = K.rows();
    VecX row(n), column(n);
    for (int r = 0; r < n; ++r) {
        double most = 0;
        for (int c = 0; c < n; ++c) most = std::max(most, std::abs(K(r, c)));
        row[r] = most > 0 ? 1 / most : 1;
    }
    for (int c = 0; c < n; ++c) {
        double most = 0;
        for (int r = 0; r < n; ++r) most = std::max(most, std::abs(row[r] * K(r, c)));
        column[c] = most > 0 ? 1 / most : 1;
    }
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) K(r, c) *= row[r] * column[c];
    MatX inverse = leastInverseOf(K, dependent);
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) inverse(r, c) *= column[r] * row[c];
    return inverse;
}

}  // namespace

void StepBlocks::factor(const StepTerms& terms, const StepTree& tree, TreeVectors& x)
{
    const Model& model = *model_;
    std::vector<Six> whole(2 * blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        for (int s = 0; s < 2; ++s)
            if (blocks_[b].body[s] >= 0) wholeRows(terms, blocks_[b], s, whole[2 * b + s]);
    for (Island& island : islands_) {
        const int n = island.at.back() + blocks_[island.blocks.back()].rows;
        MatX K;
        K.setZero(n, n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            int touched[2] = {-1, -1};
            for (int s = 0; s < 2; ++s)
                if (block.body[s] >= 0) touched[s] = model.skeletonOf[block.body[s]];
            if (touched[1] == touched[0]) touched[1] = -1;
            for (int r = 0; r < block.rows; ++r)
                for (int c = 0; c < block.rows; ++c) K(island.at[i] + r, island.at[i] + c) += block.A(r, c);
            if (block.master >= 0)
                for (std::size_t j = 0; j < island.blocks.size(); ++j)
                    if (island.blocks[j] == block.master) K(island.at[i], island.at[j]) -= block.bound;
            for (int c = 0; c < block.rows; ++c) {
                for (const int skeleton : touched) {
                    if (skeleton < 0) continue;
                    const Skeleton& own = model.skeletons[skeleton];
                    const int first = own.first, end = own.first + own.count;
                    for (int k = first; k < end; ++k) {
                        x.body[k].setZero();
                        for (int f = 0; f < tree.links[k].freedoms; ++f) x.joint[tree.links[k].u + f] = 0;
                    }
                }
                for (int s = 0; s < 2; ++s)
                    if (block.body[s] >= 0) x.body[block.body[s]] -= block.push[s].col(c);
                if (block.freedom[0] >= 0) {
                    x.joint[block.freedom[0]] -= 1;
                    x.joint[block.freedom[1]] += block.ratio;
                }
                for (const int skeleton : touched) {
                    if (skeleton < 0) continue;
                    const Skeleton& own = model.skeletons[skeleton];
                    tree.solve(own.first, own.first + own.count, x);
                }
                for (std::size_t j = 0; j < island.blocks.size(); ++j) {
                    const int number = island.blocks[j];
                    const Block& other = blocks_[number];
                    double d[6] = {};
                    for (int s = 0; s < 2; ++s) {
                        if (other.body[s] < 0) continue;
                        const int skeleton = model.skeletonOf[other.body[s]];
                        if (skeleton != touched[0] && skeleton != touched[1]) continue;
                        const Vec6& e = x.body[other.body[s]];
                        const Six& rows = whole[2 * number + s];
                        for (int r = 0; r < other.rows; ++r)
                            for (int k = 0; k < 6; ++k) d[r] += rows(r, k) * e[k];
                        if (other.freedom[s] >= 0)
                            d[0] += (s == 0 ? 1 : -other.ratio) * x.joint[other.freedom[s]];
                    }
                    for (int r = 0; r < other.rows; ++r)
                        for (int k = 0; k < other.rows; ++k)
                            K(island.at[j] + r, island.at[i] + c) += other.B(r, k) * d[k];
                }
            }
        }
        island.inverse = leastInverse(std::move(K));
    }
}

namespace {

Vec6 worldRate(const BodyTerms& body, const Vec6& rate, const Vec6& end)
{
    Vec6 world;
    world << Vec3(rate.head<3>()), body.R * Vec3(rate.tail<3>()) - body.w * Vec3(end.tail<3>());
    return world;
}

}  // namespace

// −B d into left_, for d of one block by a motion.
void StepBlocks::setLaw(const StepTerms& terms, const Island& island, std::size_t i,
                        const TreeVectors& moved, const StateChange& start) const
{
    const Block& block = blocks_[island.blocks[i]];
    Vec6 d = Vec6::Zero();
    for (int s = 0; s < 2; ++s) {
        const int body = block.body[s];
        if (body < 0) continue;
        d += block.place[s] * moved.body[body];
        if (block.hasRate)
            d += block.rate[s] * worldRate(terms.bodies[body],
                                           rateChange(terms, body, moved.body[body], start),
                                           moved.body[body]);
        if (block.hasStart) d += block.start[s] * Vec6(start.bodies[body].head<6>());
        if (block.freedom[s] >= 0) d[0] += (s == 0 ? 1 : -block.ratio) * moved.joint[block.freedom[s]];
    }
    for (int r = 0; r < block.rows; ++r)
        for (int k = 0; k < block.rows; ++k) left_[island.at[i] + r] -= block.B(r, k) * d[k];
}

void StepBlocks::push(const StepTerms& terms, const TreeVectors& moved, const StateChange& start,
                      TreeVectors& right) const
{
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            setLaw(terms, island, i, moved, start);
        }
        right_ = island.inverse * left_;
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                for (int r = 0; r < block.rows; ++r)
                    right.body[body] -= right_[island.at[i] + r] * block.push[s].col(r);
                if (block.freedom[s] >= 0)
                    right.joint[block.freedom[s]] -= (s == 0 ? 1 : -block.ratio) * right_[island.at[i]];
            }
        }
    }
}

void StepBlocks::pull(const StepTerms& terms, const TreeVectors& weights, TreeVectors& right,
                      StateChange& start) const
{
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                for (int r = 0; r < block.rows; ++r)
                    left_[island.at[i] + r] -= block.push[s].col(r).dot(weights.body[body]);
                if (block.freedom[s] >= 0)
                    left_[island.at[i]] -= (s == 0 ? 1 : -block.ratio) * weights.joint[block.freedom[s]];
            }
        }
        right_.setZero(n);
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r) right_[c] += island.inverse(r, c) * left_[r];
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            Vec6 d = Vec6::Zero();
            for (int r = 0; r < block.rows; ++r)
                for (int k = 0; k < block.rows; ++k) d[k] -= block.B(r, k) * right_[island.at[i] + r];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                right.body[body] += block.place[s].transpose() * d;
                if (block.hasRate) {
                    const BodyTerms& own = terms.bodies[body];
                    const Vec6 world = block.rate[s].transpose() * d;
                    const Vec3 turning = world.tail<3>();
                    Vec6 rate;
                    rate << Vec3(world.head<3>()), own.R.transpose() * turning;
                    right.body[body].tail<3>() -= own.w.transpose() * turning;
                    addRateWeights(terms, body, rate, right.body[body], start);
                }
                if (block.hasStart) start.bodies[body].head<6>() += block.start[s].transpose() * d;
                if (block.freedom[s] >= 0)
                    right.joint[block.freedom[s]] += (s == 0 ? 1 : -block.ratio) * d[0];
            }
        }
    }
}

// The answer to the residual alone is no motion where forces of loops can bear it.
void StepBlocks::correctLoops(const StepTree& tree, StepTerms& terms, TreeVectors& x) const
{
    x.body.assign(terms.bodies.size(), Vec6::Zero());
    x.joint = terms.residual;
    tree.solve(0, tree.size(), x);
    StateChange none;
    none.setZero(*model_);
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) setLaw(terms, island, i, x, none);
        right_ = island.inverse * left_;
        for (std::size_t l = 0; l < loopBlock_.size(); ++l)
            for (std::size_t i = 0; i < island.blocks.size(); ++i)
                if (island.blocks[i] == loopBlock_[l])
                    for (int r = 0; r < blocks_[loopBlock_[l]].rows; ++r)
                        terms.loopForces[l][r] += right_[island.at[i] + r];
    }
}

void StepBlocks::addStart(const StateChange& start, TreeVectors& right) const
{
    for (const Block& block : blocks_) {
        if (!block.hasStart) continue;
        for (int s = 0; s < 2; ++s)
            for (int t = 0; t < 2; ++t)
                if (block.body[s] >= 0 && block.body[t] >= 0)
                    right.body[block.body[s]] -=
                        block.wrenchByStart[s][t] * Vec6(start.bodies[block.body[t]].head<6>());
    }
}

void StepBlocks::addStartWeights(const TreeVectors& weights, StateChange& start) const
{
    for (const Block& block : blocks_) {
        if (!block.hasStart) continue;
        for (int s = 0; s < 2; ++s)
            for (int t = 0; t < 2; ++t)
                if (block.body[s] >= 0 && block.body[t] >= 0)
                    start.bodies[block.body[t]].head<6>() -=
                        block.wrenchByStart[s][t].transpose() * weights.body[block.body[s]];
    }
}

}  // namespace sinew::stepping
