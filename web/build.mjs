// Bundles src/ into one file without outside references: dist/viewer.html, or the file named as argument.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { markers } from './embed.mjs';

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry, options) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ['es2022'],
    legalComments: 'inline', // the licence of three.js travels with its code
    logLevel: 'warning',
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

/** @param {string} file where the page goes @returns {Promise<number>} its size in bytes */
export async function buildPage(file) {
  const [html, style, script] = await Promise.all([
    readFile(join(here, 'src', 'page.html'), 'utf8'),
    bundle('style.css'),
    bundle('main.js', { format: 'iife' }),
  ]);
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element');
  const page = html.replace('/*STYLE*/', () => style).replace('/*SCRIPT*/', () => script);
  for (const marker of Object.values(markers)) {
    if (page.split(marker).length !== 2) throw new Error(`${marker} must stand in the page exactly once`);
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, page);
  return Buffer.byteLength(page);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2] ?? join(here, 'dist', 'viewer.html');
  console.log(`${file}: ${((await buildPage(file)) / 1024).toFixed(0)} KiB`);
}
