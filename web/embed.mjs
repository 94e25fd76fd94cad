// Puts data, character and engine into the viewer's page. The rule is short enough to be repeated in C++: write the
// JSON with every `<` as \u003c, the character as base64, the engine as base64 of its gzip, and replace the markers by them.
import { gzipSync } from 'node:zlib';

export const markers = { data: '@SINEW_DATA@', character: '@SINEW_CHARACTER@', engine: '@SINEW_ENGINE@' };

/**
 * JSON that may stand inside a <script> element. `<` occurs in JSON inside strings only, where \u003c
 * means the same; without any `<` neither `</script>` nor `<!--` can be read by the HTML parser.
 */
export function toScriptJson(value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** The engine as the page carries it. @param {Uint8Array} module WebAssembly */
export const packEngine = (module) => gzipSync(module, { level: 9 }).toString('base64');

/** Cut and joined, because `replace` would look for `$&` in the data. */
function fill(page, marker, text) {
  const parts = page.split(marker);
  if (parts.length !== 2) throw new Error(`the page must hold ${marker} once, not ${parts.length - 1} times`);
  return parts[0] + text + parts[1];
}

/**
 * The finished page. Data goes in last, since it may hold any text.
 * @param {string} engine packed, or empty @param {Uint8Array} glb the character, or empty
 */
export function embed(page, value, engine = '', glb = new Uint8Array()) {
  const character = Buffer.from(glb).toString('base64');
  return fill(fill(fill(page, markers.engine, engine), markers.character, character), markers.data, toScriptJson(value));
}
