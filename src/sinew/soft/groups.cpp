#include "sinew/soft/groups.h"

#include <algorithm>

namespace sinew {
namespace {

const MeshState& memberState(const std::vector<MeshState>& states, int mesh)
{
    return states[static_cast<std::size_t>(mesh)];
}

void append(VecX& to, int& at, const VecX& from)
{
    for (int i = 0; i < from.size(); ++i) to[at + i] = from[i];
    at += from.size();
}

}  // namespace

const SpringMesh& solvedMesh(const Model& model, const TiedMeshes& group)
{
    return group.joined.empty() ? model.meshes[static_cast<std::size_t>(group.members.front())]
                                : group.joined.front();
}

const MeshState& solvedState(const Model& model, const TiedMeshes& group,
                             const std::vector<MeshState>& states, MeshState& memory)
{
    if (group.joined.empty()) return memberState(states, group.members.front());
    const int size = solvedMesh(model, group).size();
    const auto collect = [&](VecX MeshState::*part, int numbers) {
        (memory.*part).resize(numbers);
        int at = 0;
        for (int m : group.members) append(memory.*part, at, memberState(states, m).*part);
    };
    collect(&MeshState::x, 3 * size);
    collect(&MeshState::v, 3 * size);
    collect(&MeshState::a, 3 * size);
    // Before the first step nothing touches.
    const bool touch = std::all_of(group.members.begin(), group.members.end(), [&](int m) {
        return memberState(states, m).touched.size() ==
               static_cast<std::size_t>(model.meshes[static_cast<std::size_t>(m)].size());
    });
    memory.touched.clear();
    if (!touch) return memory;
    for (int m : group.members)
        memory.touched.insert(memory.touched.end(), memberState(states, m).touched.begin(),
                              memberState(states, m).touched.end());
    collect(&MeshState::anchor, 3 * size);
    collect(&MeshState::pressed, size);
    return memory;
}

void spread(const Model& model, const TiedMeshes& group, const MeshState& joined,
            std::vector<MeshState>& states)
{
    int first = 0;
    for (int m : group.members) {
        const int size = model.meshes[static_cast<std::size_t>(m)].size();
        MeshState& state = states[static_cast<std::size_t>(m)];
        const auto take = [&](VecX MeshState::*part, int each) {
            (state.*part).resize(each * size);
            for (int i = 0; i < each * size; ++i) (state.*part)[i] = (joined.*part)[each * first + i];
        };
        take(&MeshState::x, 3);
        take(&MeshState::v, 3);
        take(&MeshState::a, 3);
        if (!joined.touched.empty()) {
            state.touched.assign(joined.touched.begin() + first, joined.touched.begin() + first + size);
            take(&MeshState::anchor, 3);
            take(&MeshState::pressed, 1);
        }
        first += size;
    }
}

}  // namespace sinew
