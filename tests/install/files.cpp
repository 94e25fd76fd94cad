// Reads a robot with the layer of files alone: no solver is linked.
#include <cstdio>

#include "sinew/io/load_scene.h"

int main(int, char** arguments)
{
    const sinew::Result<sinew::SceneFile> robot = sinew::loadScene(arguments[1]);
    if (!robot) {
        std::printf("%s\n", robot.error().text().c_str());
        return 1;
    }
    std::printf("%zu bodies\n", robot.value().description.bodies.size());
    return robot.value().description.bodies.empty();
}
