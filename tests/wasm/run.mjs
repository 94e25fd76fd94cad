// Runs the linked module with as little of a system under it as a browser page would give.
import { readFileSync } from 'node:fs';

const nothing = () => 0;
const stubs = new Proxy({}, { get: () => nothing });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {
    wasi_snapshot_preview1: stubs,
});
instance.exports._initialize();
const height = instance.exports.dropChain(3, 0.1);
if (!(height < -0.01 && height > -0.1)) {
    console.error(`the last link of a falling chain is at height ${height}`);
    process.exit(1);
}
console.log(`run in node: the last link fell to ${height.toFixed(4)} m`);
