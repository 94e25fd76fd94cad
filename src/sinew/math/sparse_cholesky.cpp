#include "sinew/math/sparse_cholesky.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// Halves of no more nodes are not split any further: a dense front of them is faster.
constexpr int leafSize = 12;

// Columns are eliminated in blocks of so many, whose packed rows stay in the second cache.
constexpr int blockWidth = 48;
constexpr int strip = 4;  // rows that are packed together

// C −= A Bᵀ of 4·`strips` by 4 numbers, which stay in registers. A and B are packed: of each strip, four
// numbers per column, and `depth` columns. Each number is summed in the same order whatever the strips and
// the lanes of the machine, so that the bits are the same.
template <int strips>
[[gnu::always_inline]] inline void multiplyTile(const double* a, const double* b, int depth,
                                                double (&sum)[strip][strip * strips])
{
    for (int j = 0; j < strip; ++j)
        for (int i = 0; i < strip * strips; ++i) sum[j][i] = 0;
    const std::size_t apart = static_cast<std::size_t>(depth) * strip;
    for (int k = 0; k < depth; ++k, a += strip, b += strip)
        for (int j = 0; j < strip; ++j)
            for (int s = 0; s < strips; ++s)
                for (int i = 0; i < strip; ++i) sum[j][s * strip + i] += a[s * apart + i] * b[j];
}

// A front while it is eliminated: its columns of L, all rows, and what is left beside them, without the
// rows above it.
struct DenseFront {
    double* panel = nullptr;
    double* rest = nullptr;
    int size = 0, columns = 0;

    double* at(int row, int column) const
    {
        return column < columns
                   ? panel + static_cast<std::size_t>(column) * size + row
                   : rest + static_cast<std::size_t>(column - columns) * (size - columns) + (row - columns);
    }
};

// Rows [from, to) of columns [first, last), as strips; what is missing in the last one is zero.
[[gnu::always_inline]] inline double* packRows(const DenseFront& f, int first, int last, int from, int to,
                                               double* packed)
{
    for (int row = from; row < to; row += strip) {
        const int count = std::min(strip, to - row);
        for (int k = first; k < last; ++k, packed += strip) {
            const double* column = f.panel + static_cast<std::size_t>(k) * f.size + row;
            for (int i = 0; i < strip; ++i) packed[i] = i < count ? column[i] : 0;
        }
    }
    return packed;
}

// Columns [first, last) from each other, in groups of a strip: those of a group one by one, and then what
// is right of it in the block from all four at once.
[[gnu::always_inline]] inline bool eliminateBlock(const DenseFront& f, int first, int last)
{
    const std::size_t stride = static_cast<std::size_t>(f.size);
    for (int j = first; j < last; j += strip) {
        const int count = std::min(strip, last - j);
        double* group = f.panel + stride * j;
        for (int c = 0; c < count; ++c) {
            double* column = group + stride * c;
            for (int k = 0; k < c; ++k) {
                const double* other = group + stride * k;
                const double factor = other[j + c];
                for (int i = j + c; i < f.size; ++i) column[i] -= factor * other[i];
            }
            if (!(column[j + c] > 0) || !std::isfinite(column[j + c])) return false;
            const double root = std::sqrt(column[j + c]), inverse = 1 / root;
            column[j + c] = root;
            for (int i = j + c + 1; i < f.size; ++i) column[i] *= inverse;
        }
        for (int c = j + strip; c < last; ++c) {
            double* column = f.panel + stride * c;
            const double *a0 = group, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
            const double b0 = a0[c], b1 = a1[c], b2 = a2[c], b3 = a3[c];
            for (int i = c; i < f.size; ++i)
                column[i] -= (a0[i] * b0 + a1[i] * b1) + (a2[i] * b2 + a3[i] * b3);
        }
    }
    return true;
}

// Everything right of the block: minus the product of its rows with their transpose, lower half.
template <int strips>
[[gnu::always_inline]] inline void subtractBlock(const DenseFront& f, int first, int last, double* packed)
{
    const int depth = last - first;
    const std::size_t length = static_cast<std::size_t>(depth) * strip;
    packRows(f, first, last, f.columns, f.size, packRows(f, first, last, last, f.columns, packed));
    // Strips of the columns of L, then those of the rest.
    const int inner = (f.columns - last + strip - 1) / strip,
              all = inner + (f.size - f.columns + strip - 1) / strip;
    const auto rowOf = [&](int s) {
        return s < inner ? last + s * strip : f.columns + (s - inner) * strip;
    };
    const auto endOf = [&](int s) { return std::min(rowOf(s) + strip, s < inner ? f.columns : f.size); };
    for (int t = 0; t < all; ++t) {
        const double* b = packed + t * length;
        const int from = rowOf(t), width = endOf(t) - from;
        for (int s = t; s < all;) {
            const double* a = packed + s * length;
            const int row = rowOf(s);
            if (strips > 1 && width == strip && s + strips <= all &&
                rowOf(s + strips - 1) == row + (strips - 1) * strip &&
                endOf(s + strips - 1) == row + strips * strip) {
                double sum[strip][strip * strips];
                multiplyTile<strips>(a, b, depth, sum);
                for (int j = 0; j < strip; ++j) {
                    double* c = f.at(row, from + j);
                    for (int i = 0; i < strip * strips; ++i) c[i] -= sum[j][i];
                }
                s += strips;
                continue;
            }
            double sum[strip][strip];
            multiplyTile<1>(a, b, depth, sum);
            const int height = endOf(s) - row;
            for (int j = 0; j < width; ++j) {
                double* c = f.at(row, from + j);
                for (int i = 0; i < height; ++i) c[i] -= sum[j][i];
            }
            ++s;
        }
    }
}

template <int strips>
[[gnu::always_inline]] inline bool eliminateFront(const DenseFront& f, double* packed)
{
    for (int first = 0; first < f.columns; first += blockWidth) {
        const int last = std::min(first + blockWidth, f.columns);
        if (!eliminateBlock(f, first, last)) return false;
        subtractBlock<strips>(f, first, last, packed);
    }
    return true;
}

// L y = y for the columns of a front and `count` right-hand sides, `size` numbers each.
template <int count>
[[gnu::always_inline]] inline void solveColumns(const double* panel, int size, int columns, double* y)
{
    const std::size_t stride = static_cast<std::size_t>(size);
    for (int j = 0; j < columns; j += strip) {
        const int width = std::min(strip, columns - j);
        const double* L = panel + stride * j;
        double solved[count][strip] = {};
        for (int r = 0; r < count; ++r)
            for (int c = 0; c < width; ++c) {
                double sum = y[r * size + j + c];
                for (int k = 0; k < c; ++k) sum -= L[stride * k + j + c] * solved[r][k];
                y[r * size + j + c] = solved[r][c] = sum / L[stride * c + j + c];
            }
        if (width < strip) {
            for (int r = 0; r < count; ++r)
                for (int c = 0; c < width; ++c)
                    for (int i = j + width; i < size; ++i)
                        y[r * size + i] -= L[stride * c + i] * solved[r][c];
            continue;
        }
        const double *a0 = L, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
        for (int r = 0; r < count; ++r) {
            const double b0 = solved[r][0], b1 = solved[r][1], b2 = solved[r][2], b3 = solved[r][3];
            double* to = y + r * size;
            for (int i = j + strip; i < size; ++i)
                to[i] -= (a0[i] * b0 + a1[i] * b1) + (a2[i] * b2 + a3[i] * b3);
        }
    }
}

// Lᵀ y = y. Products are summed in four parts, row by row in turns, whatever the lanes.
template <int count>
[[gnu::always_inline]] inline void solveRows(const double* panel, int size, int columns, double* y)
{
    constexpr int width = count == 1 ? 4 : 2;
    const std::size_t stride = static_cast<std::size_t>(size);
    for (int end = columns; end > 0; end -= width) {
        const int first = std::max(end - width, 0);
        const double* L = panel + stride * first;
        double part[width][count][strip] = {};
        int i = end;
        const auto addStrip = [&](int c) {
            for (int r = 0; r < count; ++r)
                for (int l = 0; l < strip; ++l)
                    part[c][r][l] += L[stride * c + i + l] * y[r * size + i + l];
        };
        if (end - first == width)
            for (; i + strip <= size; i += strip)
                for (int c = 0; c < width; ++c) addStrip(c);
        else
            for (; i + strip <= size; i += strip)
                for (int c = 0; c < end - first; ++c) addStrip(c);
        for (; i < size; ++i)
            for (int c = 0; c < end - first; ++c)
                for (int r = 0; r < count; ++r) part[c][r][0] += L[stride * c + i] * y[r * size + i];
        for (int c = end - first; c-- > 0;)
            for (int r = 0; r < count; ++r) {
                const double(&p)[strip] = part[c][r];
                double sum = (p[0] + p[1]) + (p[2] + p[3]);
                for (int k = first + c + 1; k < end; ++k) sum += L[stride * c + k] * y[r * size + k];
                y[r * size + first + c] = (y[r * size + first + c] - sum) / L[stride * c + first + c];
            }
    }
}

// Twice the lanes where the machine has them.
#if defined(__x86_64__)
const bool isWide = __builtin_cpu_supports("avx2");
[[gnu::target("avx2")]] bool eliminateWide(const DenseFront& f, double* packed)
{
    return eliminateFront<2>(f, packed);
}
template <int count>
[[gnu::target("avx2")]] void solveColumnsWide(const double* panel, int size, int columns, double* y)
{
    solveColumns<count>(panel, size, columns, y);
}
template <int count>
[[gnu::target("avx2")]] void solveRowsWide(const double* panel, int size, int columns, double* y)
{
    solveRows<count>(panel, size, columns, y);
}
#endif

bool eliminate(const DenseFront& f, double* packed)
{
#if defined(__x86_64__)
    if (isWide) return eliminateWide(f, packed);
#endif
    return eliminateFront<1>(f, packed);
}

template <int count>
void solveDown(const double* panel, int size, int columns, double* y)
{
#if defined(__x86_64__)
    if (isWide) return solveColumnsWide<count>(panel, size, columns, y);
#endif
    solveColumns<count>(panel, size, columns, y);
}

template <int count>
void solveUp(const double* panel, int size, int columns, double* y)
{
#if defined(__x86_64__)
    if (isWide) return solveRowsWide<count>(panel, size, columns, y);
#endif
    solveRows<count>(panel, size, columns, y);
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
    const std::size_t b = static_cast<std::size_t>(blockSize);
    std::size_t numbers = 0;
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
        const std::size_t size = b * front.size(), columns = b * front.columns;
        numbers += size * columns;
        for (std::size_t j = 0; j < columns; ++j)
            operations_ += 0.5 * static_cast<double>(size - j) * static_cast<double>(size - j);
        std::vector<int>().swap(rows);
    }
    for (Front& front : fronts_) {
        if (front.parent < 0) continue;
        const Front& parent = fronts_[front.parent];
        for (std::size_t k = 0; k < front.rows.size(); ++k) {
            const int row = front.rows[k];
            int to = row - parent.first;
            if (to >= parent.columns) {
                const auto at = std::lower_bound(parent.rows.begin(), parent.rows.end(), row);
                to = parent.columns + static_cast<int>(at - parent.rows.begin());
            }
            const bool goesOn = !front.runs.empty() && to != parent.columns &&
                                to == front.runs.back().to + front.runs.back().count;
            if (goesOn)
                ++front.runs.back().count;
            else
                front.runs.push_back({static_cast<int>(k), to, 1});
        }
    }
    placeRests();
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
    std::size_t longest = 0;
    for (const Front& front : fronts_) longest = std::max(longest, b * front.size());
    gathered_.resize(3 * longest);
    packed_.resize((longest + 2 * strip) * blockWidth);
    std::vector<std::vector<int>>().swap(neighbours_);
    std::vector<int>().swap(side_);
}

// What a front leaves lies on one of two stacks until its parent takes it: those of even depth on one,
// those of odd depth on the other, so that a parent's never lies on its children's.
void SparseCholesky::placeRests()
{
    std::vector<int> depth(fronts_.size());
    for (std::size_t f = fronts_.size(); f-- > 0;)
        depth[f] = fronts_[f].parent < 0 ? 0 : depth[static_cast<std::size_t>(fronts_[f].parent)] + 1;
    std::vector<std::size_t> theirs(fronts_.size());  // numbers that the children leave
    std::size_t top[2] = {}, most[2] = {};
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
        Front& front = fronts_[f];
        const std::size_t left = static_cast<std::size_t>(block_) * front.rows.size(), side = depth[f] % 2;
        front.rest = top[side];
        front.restSide = static_cast<int>(side);
        most[side] = std::max(most[side], top[side] += left * left);
        top[1 - side] -= theirs[f];
        if (front.parent >= 0) theirs[static_cast<std::size_t>(front.parent)] += left * left;
        if (front.parent >= 0)
            fronts_[static_cast<std::size_t>(front.parent)].children.push_back(static_cast<int>(f));
    }
    for (int side : {0, 1}) rests_[side].resize(most[side]);
}

// Adds what a child has left.
void SparseCholesky::takeIn(const Front& front, const Front& child)
{
    const int b = block_, size = b * front.size(), columns = b * front.columns, left = size - columns,
              its = b * static_cast<int>(child.rows.size());
    const double* rest = rests_[child.restSide].data() + child.rest;
    for (std::size_t r = 0; r < child.runs.size(); ++r) {
        const Run& across = child.runs[r];
        for (int j = 0; j < b * across.count; ++j) {
            const int from = b * across.from + j, to = b * across.to + j;
            const double* source = rest + static_cast<std::size_t>(from) * its;
            const bool isInner = to < columns;
            double* target = isInner ? panels_.data() + front.panel + static_cast<std::size_t>(to) * size
                                     : rests_[front.restSide].data() + front.rest +
                                           static_cast<std::size_t>(to - columns) * left;
            const int shift = isInner ? 0 : columns;
            for (std::size_t q = r; q < child.runs.size(); ++q) {
                const Run& down = child.runs[q];
                const int skip = q == r ? j : 0, count = b * down.count - skip;
                double* to_ = target + (b * down.to + skip - shift);
                const double* from_ = source + b * down.from + skip;
                for (int i = 0; i < count; ++i) to_[i] += from_[i];
            }
        }
    }
}

bool SparseCholesky::factorize(std::span<const double> diagonal, std::span<const double> off)
{
    const int b = block_;
    std::fill(panels_.begin(), panels_.end(), 0.0);
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
        const Front& front = fronts_[f];
        const int size = b * front.size(), columns = b * front.columns, left = size - columns;
        double* matrix = panels_.data() + front.panel;
        double* rest = rests_[front.restSide].data() + front.rest;
        for (int j = 0; j < left; ++j)
            std::fill_n(rest + static_cast<std::size_t>(j) * left + j, left - j, 0.0);
        for (const Entry& entry : entries_[f]) {
            const double* source = entry.edge < 0 ? &diagonal[static_cast<std::size_t>(entry.node) * b * b]
                                                  : &off[static_cast<std::size_t>(entry.edge) * b * b];
            for (int j = 0; j < b; ++j)
                for (int i = 0; i < b; ++i)
                    matrix[static_cast<std::size_t>(entry.column * b + j) * size + entry.row * b + i] +=
                        entry.turned ? source[i * b + j] : source[j * b + i];
        }
        for (int child : front.children) takeIn(front, fronts_[static_cast<std::size_t>(child)]);
        if (!eliminate({matrix, rest, size, columns}, packed_.data())) return false;
    }
    return true;
}

template <int count>
void SparseCholesky::solveInPlace(double* x) const
{
    const int b = block_;
    const auto at = [&](int k) { return x + static_cast<std::size_t>(order_[k]) * b * count; };
    // The unknowns of a front, one right-hand side after the other.
    const auto gather = [&](const Front& front, int from, int to, double* y) {
        const int size = b * front.size();
        for (int k = from; k < to; ++k) {
            const double* source =
                at(k < front.columns ? front.first + k
                                     : front.rows[static_cast<std::size_t>(k - front.columns)]);
            for (int i = 0; i < b; ++i)
                for (int r = 0; r < count; ++r) y[r * size + k * b + i] = source[i * count + r];
        }
    };
    const auto putBack = [&](const Front& front, const double* y) {
        const int size = b * front.size();
        for (int k = 0; k < front.columns; ++k)
            for (int i = 0; i < b; ++i)
                for (int r = 0; r < count; ++r)
                    at(front.first + k)[i * count + r] = y[r * size + k * b + i];
    };
    double* y = gathered_.data();
    // L y = x
    for (const Front& front : fronts_) {
        const int size = b * front.size(), columns = b * front.columns;
        gather(front, 0, front.columns, y);
        for (int r = 0; r < count; ++r) std::fill(y + r * size + columns, y + (r + 1) * size, 0.0);
        solveDown<count>(panels_.data() + front.panel, size, columns, y);
        putBack(front, y);
        for (std::size_t k = 0; k < front.rows.size(); ++k) {
            double* to = at(front.rows[k]);
            const double* from = y + columns + k * b;
            for (int i = 0; i < b; ++i)
                for (int r = 0; r < count; ++r) to[i * count + r] += from[r * size + i];
        }
    }
    // Lᵀ x = y
    for (std::size_t f = fronts_.size(); f-- > 0;) {
        const Front& front = fronts_[f];
        const int size = b * front.size(), columns = b * front.columns;
        gather(front, 0, front.size(), y);
        solveUp<count>(panels_.data() + front.panel, size, columns, y);
        putBack(front, y);
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
