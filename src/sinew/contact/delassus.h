// How far impulses at contacts and closed loops move each other: d = d0 + W μ, W = J H⁻¹ Jᵀ, the Delassus
// operator of a figure, never formed as a whole.
//
// Each constraint is a block of up to three rows and acts on one or two units (skeletons, each with an
// inertia H of its own). Per unit it keeps J (rows × freedoms) and Y = H⁻¹ Jᵀ, which whoever holds the
// factorised H fills in; the inertia may be the plain one or that of an implicit step, it looks the same
// from here. The motion x = Σ Y μ of every unit is kept up to date while impulses change:
//     motion of block c      J_A x_A + J_B x_B                 O(freedoms of its units)
//     a change Δμ of it      x_A += Y_A Δμ,  x_B += Y_B Δμ     likewise
#pragma once

#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// μ and d of a block with fewer than three rows are zero in the others.
struct ConstraintBlock {
    // contact: rows normal, tangent, tangent; find μ with
    //     0 ≤ μ_n ⟂ d_n + compliance μ_n ≥ 0,   |μ_t| ≤ friction μ_n,   and where d_t ≠ 0: μ_t = −friction
    //     μ_n d_t/|d_t|.
    // equality: d = 0 in all rows; rows may repeat what others say.
    // bounded: one or two rows; |μ| ≤ radius, and where d ≠ 0: μ = −radius d/|d|.
    enum class Kind { contact, equality, bounded };
    Kind kind = Kind::contact;
    int rows = 3;
    bool isVector = false;  // equality: the rows are a vector's components along the world's axes
    double friction = 0;
    double radius = 0;            // bounded
    double compliance = 0;        // m per unit of μ
    double sharing = 0;           // a compliance that is wanted where few blocks depend on each other
    Vec3 offset = Vec3::Zero();   // d0, m
    Vec3 impulse = Vec3::Zero();  // μ: a guess before solving, the answer after
};

class Delassus {
public:
    struct Side {
        int unit = -1;       // −1: the world, or no second body
        int freedoms = 0;    // of the unit
        std::size_t at = 0;  // where its J (row-major, 3 × freedoms) and Y (the same, transposed) begin
    };

    // Forgets all blocks and units; keeps the memory. freedoms[u] is the size of unit u.
    void clear(std::span<const int> freedoms);
    // What counts as one of each freedom of a unit, as where turns and moves are compared. One until set.
    double* sizes(int unit) { return sizes_.data() + unitAt_[unit]; }
    const double* sizes(int unit) const { return sizes_.data() + unitAt_[unit]; }
    // Adds a block on one or two units (unit −1: none) and returns its number. J and Y are zero until
    // filled. Both sides may be the same unit: then both are kept and add up.
    int add(int unitA, int unitB);
    double* jacobian(int block, int side) { return J_.data() + sides_[2 * block + side].at; }
    const double* jacobian(int block, int side) const { return J_.data() + sides_[2 * block + side].at; }
    // Of whoever fills J: how large the terms are that its entries are sums of. Zero until set.
    double* terms(int block, int side) { return terms_.data() + sides_[2 * block + side].at; }
    // 3 × freedoms, row-major: row r is H⁻¹ of row r of J.
    double* response(int block, int side) { return Y_.data() + sides_[2 * block + side].at; }
    // The inertia H of the units themselves, for solvers that want it: who fills J and Y says how to get
    // it, and it is asked for only then.
    using FillInertia = void (*)(void* context, Delassus& delassus);
    void setInertiaSource(FillInertia fill, void* context);
    bool hasInertiaSource() const { return fill_ != nullptr; }
    // Whether there is one, now or by asking for it.
    bool findInertia();
    // freedoms × freedoms, of units on which there are blocks.
    double* inertia(int unit) { return H_.data() + inertiaAt_[unit]; }
    const double* inertia(int unit) const { return H_.data() + inertiaAt_[unit]; }
    int freedoms(int unit) const { return static_cast<int>(unitAt_[unit + 1] - unitAt_[unit]); }

    // After J and Y of all blocks are set: the diagonal blocks.
    void finish();

    int size() const { return static_cast<int>(sides_.size() / 2); }
    const Side& side(int block, int which) const { return sides_[2 * block + which]; }
    int unitCount() const { return static_cast<int>(unitAt_.size()) - 1; }

    const Mat3& diagonal(int block) const { return diagonal_[block]; }
    // W between two blocks: how the first moves by an impulse on the second. Zero where they share no unit.
    Mat3 coupling(int block, int other) const;

    // Motion of units by all impulses since clearMotion().
    void clearMotion();
    void clearUnit(int unit);  // of one unit; −1: nothing to do
    Vec3 motion(int block) const;
    double firstMotion(int block) const;  // of its first row
    void push(int block, const Vec3& impulse);
    std::span<const double> unitMotion(int unit) const
    {
        return {x_.data() + unitAt_[unit], x_.data() + unitAt_[unit + 1]};
    }

private:
    std::vector<std::size_t> unitAt_;
    std::vector<Side> sides_;
    std::vector<double> J_, Y_, terms_, x_, sizes_, H_;
    std::vector<std::size_t> inertiaAt_;
    FillInertia fill_ = nullptr;
    void* fillContext_ = nullptr;
    std::vector<Mat3> diagonal_;
};

}  // namespace sinew
