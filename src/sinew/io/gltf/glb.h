// GLB, the container of binary glTF: a header, the JSON text as a first chunk, the bytes that it speaks of
// as a second one. What they mean is decided elsewhere (gltf.h).
//
// Khronos, glTF 2.0 specification, chapter 4. All numbers are little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"

namespace sinew {

struct Glb {
    // A chunk of a kind that the standard leaves to others. They stand after the two known ones and are
    // written back as they were.
    struct Chunk {
        std::uint32_t type = 0;
        std::string bytes;
    };

    std::string json;    // without a closing zero; blanks that fill its chunk are kept
    std::string binary;  // the BIN chunk, with what fills it up; empty and absent are the same
    std::vector<Chunk> others;
};

// Whether the bytes start as a GLB does, whatever the file is called.
bool looksLikeGlb(std::string_view bytes);

// `fileName` is for messages only.
Result<Glb> parseGlb(std::string_view bytes, const std::string& fileName);

// The JSON is filled up with blanks and every other chunk with zeros to multiples of four bytes. An error
// if that comes to more than the 4 GiB which the header can tell.
Result<std::string> glbBytes(const Glb& glb);

// Little-endian numbers at the end of bytes, as the BIN chunk holds them.
void appendFloat(std::string& bytes, double number);
void appendUint32(std::string& bytes, std::uint32_t number);
// Zeros up to the next multiple of four, where numbers of four bytes may start.
void padToFour(std::string& bytes, char filler = '\0');

}  // namespace sinew
