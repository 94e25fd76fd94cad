// Is a file a picture? A glTF file may name any file as one. Not a public header.
#pragma once

#include <string_view>

namespace sinew::gltf {

// By its name: png, jpg, webp, ktx2 and the like, in lower or upper case.
bool hasPictureName(std::string_view path);

// By its first bytes. The name may say another of these formats: exporters mix them up.
bool isPicture(std::string_view bytes);

}  // namespace sinew::gltf
