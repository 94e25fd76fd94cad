// Inverse kinematics: an arm reaches for a place that moves, and says when it cannot.
#include <cstdio>

#include "sinew/sinew.h"

int main(int count, char** arguments)
{
    sinew::Result<sinew::Description> scene =
        sinew::readScene(count > 1 ? arguments[1] : "scenes/reach.json");
    if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text().c_str()), 2;

    // One wish instead of the scene's own: the tip of the index finger at a place of the world.
    sinew::WishDescription wish;
    wish.type = "point";
    wish.of.body = "index_distal";
    wish.to = sinew::WishPlace{"world", sinew::Vec3(0.5, 0, 0)};
    scene.value().wishes = {wish};
    sinew::Result<sinew::Model> compiled = sinew::compile(scene.value());
    if (!compiled) return std::fprintf(stderr, "%s\n", compiled.error().text().c_str()), 2;
    sinew::Model& model = compiled.value();

    // Each pose starts from the one before, so that the arm follows.
    sinew::State state = sinew::restState(model);
    for (int i = 0; i <= 5; ++i) {
        model.wishes[0].points[1].point = sinew::Vec3(0.5, 0.1 * i, 0.1 * i);
        const sinew::PoseReport report = sinew::solvePose(model, {0}, {}, state);
        std::printf("%.1f m up: missed by %.2e m after %d iterations%s\n", 0.1 * i, report.wishes[0].error,
                    report.iterations, report.isFulfilled ? "" : ", out of reach");
    }
}
