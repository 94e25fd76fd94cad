#include "sinew/model/spring_mesh.h"

#include <algorithm>

namespace sinew {

MeshPart SpringMesh::part(int number) const
{
    if (joined.empty()) return {this, 0, size(), 0, static_cast<int>(faces.size())};
    const std::size_t k = static_cast<std::size_t>(number);
    const bool isLast = k + 1 == joined.size();
    return {&joined[k].traits, joined[k].vertex, isLast ? size() : joined[k + 1].vertex, joined[k].face,
            isLast ? static_cast<int>(faces.size()) : joined[k + 1].face};
}

bool SpringMesh::hasFlow() const
{
    for (int p = 0; p < partCount(); ++p)
        if (part(p).traits->drag != 0 || part(p).traits->lift != 0) return true;
    return false;
}

bool SpringMesh::isDamped() const
{
    const auto damps = [](const auto& each) { return each.damping > 0; };
    const auto anyOf = [&](const auto& list) { return std::any_of(list.begin(), list.end(), damps); };
    return hasFlow() || anyOf(springs) || anyOf(folds) || anyOf(pins) || anyOf(ties) || anyOf(glides);
}

}  // namespace sinew
