// Run SQL in the page. The first call loads DuckDB-Wasm and attaches the catalogue of macros.
import { AsyncDuckDB, VoidLogger } from '@duckdb/duckdb-wasm';

const here = (file) => new URL(file, import.meta.url).href;
let connecting;

async function connect() {
  const db = new AsyncDuckDB(new VoidLogger(), new Worker(here('duckdb-browser-eh.worker.js')));
  await db.instantiate(here('duckdb-eh.wasm'));
  const catalogue = await (await fetch(here('ltr.duckdb'))).arrayBuffer();
  await db.registerFileBuffer('ltr.duckdb', new Uint8Array(catalogue));
  const connection = await db.connect();
  await connection.query("attach 'ltr.duckdb' as ltr (read_only)");
  return connection;
}

// Return the names of the columns, and the rows, of the last statement.
export async function run(sql) {
  connecting ??= connect();
  const table = await (await connecting).query(sql);
  const names = table.schema.fields.map((field) => field.name);
  const value = (x) => (typeof x === 'bigint' ? Number(x) : x);
  return { names, rows: table.toArray().map((row) => names.map((name) => value(row[name]))) };
}
