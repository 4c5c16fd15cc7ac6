// Do what node.mjs does, in DuckDB-Wasm: node wasm.mjs CATALOGUE QUERIES
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const duckdb = require('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
const dist = dirname(require.resolve('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs'));
const bundle = (name) => ({
  mainModule: join(dist, `duckdb-${name}.wasm`),
  mainWorker: join(dist, `duckdb-node-${name}.worker.cjs`),
});
const [catalogue, queries] = process.argv.slice(2);
const bundles = { mvp: bundle('mvp'), eh: bundle('eh') };
const db = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
await db.instantiate();
db.open({});
db.registerFileBuffer('ltr.duckdb', new Uint8Array(readFileSync(catalogue)));
const connection = db.connect();
connection.query("attach 'ltr.duckdb' as ltr (read_only)");
const results = [];
for (const query of JSON.parse(readFileSync(queries, 'utf8'))) {
  const table = connection.query(query);
  const names = table.schema.fields.map((field) => field.name);
  results.push(table.toArray().map((row) => Object.fromEntries(names.map((name) => [name, row[name]]))));
}
console.log(JSON.stringify(results, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
