// The matrix of a large island over the freedoms of its units, H + Σ Jᵀ K J with a 3×3 K for each block of
// constraints, and its sparse factor.
//
// Each unit has a block of its own and one for each other unit that it touches; most units are single
// bodies. The ordering of the columns is kept as long as the same units touch. Members are counted in the
// order of the island, x is the motion of all its units one after the other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sinew/contact/island.h"

namespace sinew {

class SparseSystem {
public:
    SparseSystem();
    ~SparseSystem();
    SparseSystem(const SparseSystem&) = delete;
    SparseSystem& operator=(const SparseSystem&) = delete;

    // Numbers the units of an island, which is to stay as long as anything below is asked.
    void begin(const Island& island);
    int freedoms() const { return freedoms_; }

    void readMotion(VecX& x) const;
    // Adds J x of a member.
    void addMotion(std::size_t i, const VecX& x, Vec3& d) const;
    // Adds Jᵀ push of a member.
    void addTransposed(std::size_t i, const Vec3& push, VecX& to) const;
    void setInertiaTimes(const VecX& v, VecX& to) const;

    // The matrix, of which the lower triangle is known: the symmetric part of H, then Jᵀ K J of members.
    void setInertia();
    void addProduct(std::size_t i, const Mat3& K);
    // What the next factorisation takes, as far as that is known.
    double operations() const;
    bool factorise();
    VecX solved(const VecX& right) const;

private:
    struct Factor;

    void findPattern();
    double* column(int unit, int c);
    void addProduct(std::size_t i, int a, int b, const Mat3& K);

    const Island* island_ = nullptr;
    std::unique_ptr<Factor> factor_;
    int freedoms_ = 0;
    std::vector<int> units_, at_, sizes_;     // of the island, where each begins in x, and its freedoms
    std::vector<int> place_;                  // unit → number in the island
    std::vector<std::pair<int, int>> pairs_;  // of units that touch
    std::vector<int> pairOf_;                 // per member: of its two units, or −1
    std::vector<int> pairStart_;              // of a pair, in each column of its first unit
    // When the columns were ordered.
    std::vector<std::pair<int, int>> orderedPairs_;
    std::vector<int> orderedSizes_;
};

}  // namespace sinew
