// PNG pictures as heights: one number from 0 to 1 for each pixel, the mean of its colours.
//
// Read are 8 and 16 bits, grey and in colour, with and without a palette and transparency (which is left
// out). Refused, each in one line: interlaced ones, fewer bits, more than 2 million pixels, what is cut
// short, and what does not inflate to its own size. Sums of chunks are not checked; that of the data is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"

namespace sinew {

struct GreyPicture {
    int width = 0, height = 0;
    std::vector<double> grey;  // row by row from above
};

inline constexpr long maxHeightPixels = 2'000'000;

// `fileName` is for messages only.
Result<GreyPicture> parsePng(std::string_view bytes, const std::string& fileName);

}  // namespace sinew
