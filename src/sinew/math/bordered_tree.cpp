#include "sinew/math/bordered_tree.h"
#include "sinew/math/eigen.h"

#include <Eigen/LU>

namespace sinew {

void BorderedTree::addBlock(int rowBody, int columnBody, const Mat6& block)
{
    for (int j = 0; j < 6; ++j) {
        if (block.col(j).isZero(0)) continue;
        Line line;
        line.body[0] = rowBody;
        line.body[1] = columnBody;
        line.column[0] = block.col(j);
        line.row[1] = Vec6::Unit(j);
        line.corner = -1;
        lines.push_back(line);
    }
}

void BorderedTree::solve(BlockTree& tree)
{
    constexpr int width = 12;  // of a link's unknowns
    const int n = static_cast<int>(tree.links.size()), m = static_cast<int>(lines.size());
    const auto store = [&](View<double, dynamic, 1> x) {
        for (int i = 0; i < n; ++i) {
            const int used = 6 + tree.links[i].rows;
            x.segment(width * i, used) = tree.links[i].x.head(used);
            x.segment(width * i + used, width - used).setZero();
        }
    };
    tree.solve();
    x0_.resize(width * n);
    X_.resize(width * n, m);
    store(x0_);
    for (int l = 0; l < m; ++l) {
        for (BlockTreeLink& link : tree.links) link.x.setZero();
        for (int s = 0; s < 2; ++s)
            if (lines[l].body[s] >= 0) tree.links[lines[l].body[s]].x.head<6>() += lines[l].column[s];
        tree.solve();
        store(X_.col(l));
    }

    // Regular lines first.
    std::vector<int> order;
    for (int l = 0; l < m; ++l)
        if (lines[l].corner != 0) order.push_back(l);
    const int regular = static_cast<int>(order.size());
    for (int l = 0; l < m; ++l)
        if (lines[l].corner == 0) order.push_back(l);
    schur_.resize(m, m);
    right_.resize(m);
    for (int i = 0; i < m; ++i) {
        const Line& line = lines[order[i]];
        const auto times = [&](const auto& x) {
            double sum = 0;
            for (int s = 0; s < 2; ++s)
                if (line.body[s] >= 0) sum += line.row[s].dot(x.template segment<6>(width * line.body[s]));
            return sum;
        };
        right_[i] = times(x0_) - line.value;
        for (int j = 0; j < m; ++j) schur_(i, j) = times(X_.col(order[j]));
        schur_(i, i) -= line.corner;
    }
    const int rest = m - regular;
    VecX z(m), first, second;
    if (regular > 0) {
        // [S11 S12; S21 S22]: S22 − S21 S11⁻¹ S12 is what may be singular.
        const Eigen::PartialPivLU<Eigen::MatrixXd> lu(eigen(schur_.topLeftCorner(regular, regular)));
        regular_ = fromEigen(lu.solve(eigen(schur_.topRightCorner(regular, rest))));
        first = fromEigen(lu.solve(eigen(right_.head(regular))));
        schur_.bottomRightCorner(rest, rest) -= schur_.bottomLeftCorner(rest, regular) * regular_;
        right_.tail(rest) -= schur_.bottomLeftCorner(rest, regular) * first;
    }
    reference_.resize(rest);
    for (int i = 0; i < rest; ++i) reference_[i] = lines[order[regular + i]].reference;
    system_.factor(schur_.bottomRightCorner(rest, rest), reference_);
    system_.solve(right_.tail(rest), second);
    if (regular > 0) z.head(regular) = first - regular_ * second;
    z.tail(rest) = second;
    z_.resize(m);
    for (int i = 0; i < m; ++i) z_[order[i]] = z[i];

    x0_ -= X_ * z_;
    for (int i = 0; i < n; ++i) tree.links[i].x = x0_.segment<width>(width * i);
}

}  // namespace sinew
