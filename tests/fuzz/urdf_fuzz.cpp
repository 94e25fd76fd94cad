// Any bytes as a URDF file: a scene that compiles or is refused, or one line that says what is wrong.
#include <cstdint>

#include "sinew/io/urdf/scene.h"
#include "sinew/model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // Such that no file is found, whatever it asks for.
    const auto robot =
        sinew::parseUrdf({reinterpret_cast<const char*>(data), size}, "/nonexistent/fuzz.urdf");
    if (!robot) return 0;
    for (const bool fixedBase : {true, false}) {
        const auto scene = sinew::urdfScene(robot.value(), {fixedBase});
        if (scene) (void)sinew::compile(scene.value().scene);
    }
    return 0;
}
