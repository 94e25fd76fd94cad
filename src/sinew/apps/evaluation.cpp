#include "sinew/apps/evaluation.h"

#include "sinew/force/laws.h"

namespace sinew {

Result<Evaluation> loadEvaluation(const std::string& path)
{
    Result<SceneFile> scene = openScene(path);
    if (!scene) return scene.error();
    Result<Model> model = compile(scene.value().description);
    if (!model) return inScene(model.error(), path);
    Result<State> state = initialState(model.value(), scene.value().description);
    if (!state) return inScene(state.error(), path);
    Evaluation evaluation{std::move(scene.value()), std::move(model.value()), std::move(state.value()), {}};
    sceneForces(evaluation.model, evaluation.state, evaluation.forces);
    return evaluation;
}

std::vector<std::string_view> methodNames()
{
    std::vector<std::string_view> names;
    for (const Method& method : methods()) names.push_back(method.name);
    return names;
}

}  // namespace sinew
