// The style sheet of the page that `sinew slides` writes: readable on light and dark screens, and in print.
#pragma once

namespace sinew {

inline constexpr const char* slidesStyle = R"css(
:root { color-scheme: light dark; --ground: #fbfcfd; --ink: #1f2933; --faint: #52606d; --grid: #dfe5eb; --field: #a9b6c3;
  --a: #c2410c; --b: #0b62a8; --c: #16855b; --d: #8b3fa0; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --ink: #e6ebf0; --faint: #9fb0c0; --grid: #2b333c; --field: #4d5b69;
    --a: #fb923c; --b: #5aa9f0; --c: #4cc38a; --d: #cf8fe2; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; }
main { max-width: 880px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 28px; margin: 0 0 8px; } h2 { font-size: 20px; margin: 40px 0 4px; } p { margin: 6px 0 12px; max-width: 72ch; }
figure { margin: 12px 0 20px; } figcaption, .key { color: var(--faint); font-size: 14px; }
svg { max-width: 100%; height: auto; display: block; overflow: hidden; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 10px 12px; }
.panels svg { width: 100%; }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.grid { stroke: var(--grid); stroke-width: 1; } .axis { stroke: var(--faint); stroke-width: 1; }
.tick { fill: var(--faint); font-size: 12px; } .words { fill: var(--ink); font-size: 14px; }
polyline.field { stroke: var(--field); stroke-width: 1.3; }
polyline.exact { stroke: var(--faint); stroke-width: 2; stroke-dasharray: 5 4; }
polyline.a { stroke: var(--a); } polyline.b { stroke: var(--b); } polyline.c { stroke: var(--c); } polyline.d { stroke: var(--d); }
circle { stroke: var(--ground); stroke-width: 1; }
circle.a { fill: var(--a); } circle.b { fill: var(--b); } circle.rest { fill: var(--ink); }
circle.c, circle.d { fill: none; stroke-width: 1.8; } circle.c { stroke: var(--c); } circle.d { stroke: var(--d); }
i { display: inline-block; width: 11px; height: 11px; border-radius: 50%; margin: 0 5px 0 12px; background: var(--ink); }
i:first-child { margin-left: 0; }
i.a { background: var(--a); } i.b { background: var(--b); } i.c { background: var(--c); } i.d { background: var(--d); }
i.exact { height: 0; width: 18px; border-radius: 0; border-top: 2px dashed var(--faint); background: none; vertical-align: middle; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--faint); font-weight: 600; }
)css";

}  // namespace sinew
