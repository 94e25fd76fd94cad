// Khronos' validator on the files that the tests of glTF write: no errors are allowed, warnings are shown.
//
//     node validate.mjs WEB_FOLDER OUTPUT_FOLDER TEST_PROGRAM FILTER
//
// The tests of TEST_PROGRAM that match FILTER write the files to OUTPUT_FOLDER; WEB_FOLDER has the validator among
// its packages.
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const [web, folder, program, filter] = process.argv.slice(2);
let validator;
try {
  validator = createRequire(resolve(web, 'package.json'))('gltf-validator');
} catch {
  console.log('skipped: gltf-validator is not installed; run `npm ci` in web/');
  process.exit(77);
}

const run = spawnSync(program, [`--gtest_filter=${filter}`], {
  encoding: 'utf8',
  env: {...process.env, SINEW_TEST_GLTF_OUT: folder},
});
if (run.status !== 0) {
  console.log(run.stdout, run.stderr);
  process.exit(1);
}

const files = readdirSync(folder).filter((name) => /\.(glb|gltf)$/.test(name));
let errors = files.length === 0 ? 1 : 0;
if (files.length === 0) console.log('there is no file to validate');
for (const name of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(join(folder, name))), {
    uri: name,
    externalResourceFunction: async (uri) => new Uint8Array(readFileSync(join(folder, decodeURIComponent(uri)))),
  });
  const {numErrors, numWarnings, messages} = report.issues;
  console.log(`${name}: ${numErrors} errors, ${numWarnings} warnings, ${report.info.animationCount} animations`);
  for (const message of messages)
    if (message.severity < 2) console.log(`  ${message.code} ${message.pointer ?? ''}: ${message.message}`);
  errors += numErrors;
}
process.exit(errors === 0 ? 0 : 1);
