#include "sinew/math/sparse_cholesky.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// Halves of no more nodes are not split any further: a dense front of them is faster.
constexpr int leafSize = 12;

// Twice the lanes where the machine has them. The lanes hold different entries, each summed in the same
// order, so that the bits are the same.
#if defined(__x86_64__) && defined(__clang__) && !defined(__wasm__)
#define SINEW_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SINEW_WIDE
#endif

// C −= A Bᵀ, where A is rows × depth, B columns × depth, all columns a stride apart. Four by four numbers
// of C stay in registers.
template <int rows, int columns>
[[gnu::always_inline]] inline void subtractTile(const double* a, const double* b, double* c, int depth,
                                                int stride)
{
    double sum[columns][rows] = {};
    for (int k = 0; k < depth; ++k) {
        const double* ak = a + static_cast<std::size_t>(k) * stride;
        const double* bk = b + static_cast<std::size_t>(k) * stride;
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) sum[j][i] += ak[i] * bk[j];
    }
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) c[static_cast<std::size_t>(j) * stride + i] -= sum[j][i];
}

// Columns [from, to) of the matrix f, from row `top` on, of `size` rows: minus the product of columns
// [first, last) with their transpose.
[[gnu::always_inline]] inline void subtractProduct(double* f, int size, int first, int last, int from,
                                                   int to, int top)
{
    const std::size_t stride = static_cast<std::size_t>(size);
    const double* panel = f + stride * first;
    const int depth = last - first;
    int j = from;
    for (; j + 4 <= to; j += 4) {
        int i = std::max(j, top);
        for (; i + 4 <= size; i += 4)
            subtractTile<4, 4>(panel + i, panel + j, f + stride * j + i, depth, size);
        for (; i < size; ++i) subtractTile<1, 4>(panel + i, panel + j, f + stride * j + i, depth, size);
    }
    for (; j < to; ++j) {
        int i = std::max(j, top);
        for (; i + 4 <= size; i += 4)
            subtractTile<4, 1>(panel + i, panel + j, f + stride * j + i, depth, size);
        for (; i < size; ++i) subtractTile<1, 1>(panel + i, panel + j, f + stride * j + i, depth, size);
    }
}

// The first `columns` columns of the lower triangle of f become those of L, and the rest what is left of f
// beside them. Columns are taken in groups of a few, each from all before at once, so that the work is in
// tiles.
SINEW_WIDE bool eliminate(double* f, int size, int columns)
{
    constexpr int width = 4;
    const std::size_t stride = static_cast<std::size_t>(size);
    for (int first = 0; first < columns; first += width) {
        const int last = std::min(first + width, columns);
        if (first > 0) subtractProduct(f, size, 0, first, first, last, first);
        for (int j = first; j < last; ++j) {
            double* column = f + stride * j;
            for (int k = first; k < j; ++k) {
                const double* other = f + stride * k;
                const double factor = other[j];
                for (int i = j; i < size; ++i) column[i] -= factor * other[i];
            }
            if (!(column[j] > 0) || !std::isfinite(column[j])) return false;
            const double root = std::sqrt(column[j]), inverse = 1 / root;
            column[j] = root;
            for (int i = j + 1; i < size; ++i) column[i] *= inverse;
        }
    }
    if (columns > 0) subtractProduct(f, size, 0, columns, columns, size, columns);
    return true;
}

}  // namespace

// Appends the fronts of the nodes, children first, and gives the last one.
int SparseCholesky::split(std::vector<int>& nodes, std::span<const Vec3> places, int depth)
{
    std::vector<int> children, own;
    if (static_cast<int>(nodes.size()) <= leafSize || depth > 60) {
        own = std::move(nodes);
    } else {
        Vec3 low = places[nodes[0]], high = low;
        for (int node : nodes) {
            low = low.cwiseMin(places[node]);
            high = high.cwiseMax(places[node]);
        }
        int axis = 0;
        (high - low).maxCoeff(&axis);
        const auto middle = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
        std::nth_element(nodes.begin(), middle, nodes.end(), [&](int a, int b) {
            return places[a][axis] != places[b][axis] ? places[a][axis] < places[b][axis] : a < b;
        });
        std::vector<int> half(nodes.begin(), middle), other(middle, nodes.end());
        std::sort(half.begin(), half.end());
        std::sort(other.begin(), other.end());
        for (int node : other) side_[node] = depth + 1;
        std::vector<int> inner;
        for (int node : half) {
            const bool touches = std::any_of(neighbours_[node].begin(), neighbours_[node].end(),
                                             [&](int next) { return side_[next] == depth + 1; });
            (touches ? own : inner).push_back(node);
        }
        for (int node : other) side_[node] = 0;
        nodes.clear();
        if (!inner.empty()) children.push_back(split(inner, places, depth + 1));
        children.push_back(split(other, places, depth + 1));
        // Where nothing lies between the halves the front has no columns, and only passes on.
    }
    Front front;
    front.first = static_cast<int>(order_.size());
    front.columns = static_cast<int>(own.size());
    for (int node : own) {
        place_[node] = static_cast<int>(order_.size());
        order_.push_back(node);
    }
    const int number = static_cast<int>(fronts_.size());
    for (int child : children) fronts_[child].parent = number;
    fronts_.push_back(std::move(front));
    return number;
}

void SparseCholesky::analyze(std::span<const Vec3> places, std::span<const Edge> edges, int blockSize)
{
    *this = {};
    block_ = blockSize;
    const int n = static_cast<int>(places.size());
    if (n == 0) return;
    neighbours_.resize(n);
    for (const Edge& edge : edges) {
        neighbours_[edge[0]].push_back(edge[1]);
        neighbours_[edge[1]].push_back(edge[0]);
    }
    side_.assign(n, 0);
    place_.assign(n, 0);
    std::vector<int> all(n);
    for (int i = 0; i < n; ++i) all[i] = i;
    split(all, places, 0);

    // What a front touches: what its own nodes do, and what its children leave.
    std::vector<std::vector<int>> touched(fronts_.size());
    std::vector<int> frontOf(n);
    std::vector<std::size_t> childrens(fronts_.size());  // numbers that the children of a front leave
    const std::size_t b = static_cast<std::size_t>(blockSize);
    std::size_t numbers = 0, largest = 0, stacked = 0;
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
        Front& front = fronts_[f];
        std::vector<int>& rows = touched[f];
        const int end = front.first + front.columns;
        for (int k = front.first; k < end; ++k) {
            frontOf[k] = static_cast<int>(f);
            for (int next : neighbours_[order_[k]]) rows.push_back(place_[next]);
        }
        std::erase_if(rows, [&](int k) { return k < end; });
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        front.rows = rows;
        if (front.parent >= 0) {
            std::vector<int>& above = touched[front.parent];
            above.insert(above.end(), rows.begin(), rows.end());
        }
        front.panel = numbers;
        const std::size_t size = b * front.size(), columns = b * front.columns, left = size - columns;
        numbers += size * columns;
        largest = std::max(largest, size * size);
        stacked += left * left;
        mostLeft_ = std::max(mostLeft_, stacked);  // an upper bound: children are taken off below
        for (std::size_t j = 0; j < columns; ++j)
            operations_ += 0.5 * static_cast<double>(size - j) * static_cast<double>(size - j);
        stacked -= childrens[f];
        if (front.parent >= 0) childrens[front.parent] += left * left;
        std::vector<int>().swap(rows);
    }
    for (Front& front : fronts_) {
        if (front.parent < 0) continue;
        const Front& parent = fronts_[front.parent];
        for (int row : front.rows) {
            if (row < parent.first + parent.columns) {
                front.inParent.push_back(row - parent.first);
            } else {
                const auto at = std::lower_bound(parent.rows.begin(), parent.rows.end(), row);
                front.inParent.push_back(parent.columns + static_cast<int>(at - parent.rows.begin()));
            }
        }
    }
    // Where each number of the matrix goes.
    entries_.resize(fronts_.size());
    for (int k = 0; k < n; ++k) {
        const int in = k - fronts_[frontOf[k]].first;
        entries_[frontOf[k]].push_back({in, in, -1, order_[k], false});
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const int i = place_[edges[e][0]], j = place_[edges[e][1]];
        const int column = std::min(i, j), row = std::max(i, j);
        const Front& front = fronts_[frontOf[column]];
        Entry entry{0, column - front.first, static_cast<int>(e), 0, j > i};
        if (row < front.first + front.columns) {
            entry.row = row - front.first;
        } else {
            const auto at = std::lower_bound(front.rows.begin(), front.rows.end(), row);
            entry.row = front.columns + static_cast<int>(at - front.rows.begin());
        }
        entries_[frontOf[column]].push_back(entry);
    }
    panels_.resize(numbers);
    front_.resize(largest);
    left_.resize(mostLeft_);
    std::size_t longest = 0;
    for (const Front& front : fronts_) longest = std::max(longest, b * front.size());
    gathered_.resize(3 * longest);
    open_.reserve(fronts_.size());
    std::vector<std::vector<int>>().swap(neighbours_);
    std::vector<int>().swap(side_);
}

bool SparseCholesky::factorize(std::span<const double> diagonal, std::span<const double> off)
{
    const int b = block_;
    std::size_t top = 0;  // of the stack of what fronts have left
    // Children stand before their parent, so those of a front are the last on the stack, the last one on
    // top.
    std::vector<int>& open = open_;
    open.clear();
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
        const Front& front = fronts_[f];
        const int size = b * front.size(), columns = b * front.columns, left = size - columns;
        double* matrix = front_.data();
        std::fill(matrix, matrix + static_cast<std::size_t>(size) * size, 0.0);
        for (const Entry& entry : entries_[f]) {
            const double* source = entry.edge < 0 ? &diagonal[static_cast<std::size_t>(entry.node) * b * b]
                                                  : &off[static_cast<std::size_t>(entry.edge) * b * b];
            for (int j = 0; j < b; ++j)
                for (int i = 0; i < b; ++i)
                    matrix[static_cast<std::size_t>(entry.column * b + j) * size + entry.row * b + i] +=
                        entry.turned ? source[i * b + j] : source[j * b + i];
        }
        while (!open.empty() && fronts_[open.back()].parent == static_cast<int>(f)) {
            const Front& child = fronts_[open.back()];
            open.pop_back();
            const int its = b * static_cast<int>(child.rows.size());
            top -= static_cast<std::size_t>(its) * its;
            const double* rest = left_.data() + top;
            for (int j = 0; j < its; ++j) {
                double* to = matrix + static_cast<std::size_t>(child.inParent[j / b] * b + j % b) * size;
                const double* from = rest + static_cast<std::size_t>(j) * its;
                for (int i = j; i < its; ++i) to[child.inParent[i / b] * b + i % b] += from[i];
            }
        }
        if (!eliminate(matrix, size, columns)) return false;
        std::copy(matrix, matrix + static_cast<std::size_t>(size) * columns, panels_.data() + front.panel);
        if (front.parent >= 0) {
            double* rest = left_.data() + top;
            for (int j = 0; j < left; ++j) {
                const double* from = matrix + static_cast<std::size_t>(columns + j) * size + columns;
                std::copy(from + j, from + left, rest + static_cast<std::size_t>(j) * left + j);
            }
            top += static_cast<std::size_t>(left) * left;
            open.push_back(static_cast<int>(f));
        }
    }
    return true;
}

template <int count>
void SparseCholesky::solveInPlace(double* x) const
{
    const int b = block_;
    const auto at = [&](int k) { return x + static_cast<std::size_t>(order_[k]) * b * count; };
    // L y = x
    for (const Front& front : fronts_) {
        const int size = b * front.size(), columns = b * front.columns;
        double* y = gathered_.data();
        for (int k = 0; k < front.columns; ++k)
            std::copy(at(front.first + k), at(front.first + k) + b * count, y + k * b * count);
        std::fill(y + columns * count, y + size * count, 0.0);
        const double* L = panels_.data() + front.panel;
        for (int j = 0; j < columns; ++j, L += size) {
            double yj[count];
            const double inverse = 1 / L[j];
            for (int r = 0; r < count; ++r) yj[r] = y[j * count + r] *= inverse;
            for (int i = j + 1; i < size; ++i)
                for (int r = 0; r < count; ++r) y[i * count + r] -= L[i] * yj[r];
        }
        for (int k = 0; k < front.columns; ++k)
            std::copy(y + k * b * count, y + (k + 1) * b * count, at(front.first + k));
        for (std::size_t k = 0; k < front.rows.size(); ++k) {
            double* to = at(front.rows[k]);
            const double* from = y + (columns + k * b) * count;
            for (int i = 0; i < b * count; ++i) to[i] += from[i];
        }
    }
    // Lᵀ x = y
    for (std::size_t f = fronts_.size(); f-- > 0;) {
        const Front& front = fronts_[f];
        const int size = b * front.size(), columns = b * front.columns;
        double* y = gathered_.data();
        for (int k = 0; k < front.columns; ++k)
            std::copy(at(front.first + k), at(front.first + k) + b * count, y + k * b * count);
        for (std::size_t k = 0; k < front.rows.size(); ++k)
            std::copy(at(front.rows[k]), at(front.rows[k]) + b * count, y + (columns + k * b) * count);
        for (int j = columns; j-- > 0;) {
            const double* L = panels_.data() + front.panel + static_cast<std::size_t>(j) * size;
            double sum[count] = {};
            for (int i = j + 1; i < size; ++i)
                for (int r = 0; r < count; ++r) sum[r] += L[i] * y[i * count + r];
            const double inverse = 1 / L[j];
            for (int r = 0; r < count; ++r) y[j * count + r] = (y[j * count + r] - sum[r]) * inverse;
        }
        for (int k = 0; k < front.columns; ++k)
            std::copy(y + k * b * count, y + (k + 1) * b * count, at(front.first + k));
    }
}

void SparseCholesky::solve(std::span<double> x, int columns) const
{
    if (columns == 3)
        solveInPlace<3>(x.data());
    else
        solveInPlace<1>(x.data());
}

}  // namespace sinew
