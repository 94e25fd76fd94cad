// Real characters that the project does not ship (CONTRIBUTING.md).
#pragma once

#include <cstdlib>
#include <string>

namespace sinew {

inline constexpr const char* sampleDataMissing =
    "SINEW_SAMPLE_DATA is not set: the folder of real characters is needed";

// One of its folders; empty if there is none.
inline std::string sampleData(const std::string& folder)
{
    const char* root = std::getenv("SINEW_SAMPLE_DATA");
    return root == nullptr || *root == '\0' ? "" : std::string(root) + "/" + folder;
}

}  // namespace sinew
