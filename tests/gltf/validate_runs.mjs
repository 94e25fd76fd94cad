// node validate_runs.mjs FILE…: what Khronos' validator says of each; exit code 1 if it finds an error.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const validator = require('gltf-validator');
let failed = false;
for (const path of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { uri: basename(path) });
  const { numErrors, numWarnings, messages } = report.issues;
  console.log(`${basename(path)}: ${numErrors} errors, ${numWarnings} warnings`);
  for (const { severity, code, message, pointer } of messages)
    if (severity < 2) console.log(`  ${code} ${pointer}: ${message}`);
  failed ||= numErrors > 0 || numWarnings > 0;
}
process.exit(failed ? 1 : 0);
