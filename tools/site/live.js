// Run SQL in the page. The first call loads DuckDB-Wasm and attaches the catalogue of macros.
import { AsyncDuckDB, VoidLogger } from '@duckdb/duckdb-wasm';

const here = (file) => new URL(file, import.meta.url).href;
const read = async (file) => {
  const answer = await fetch(here(file));
  return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
};
const files = new Set();
let connecting;
let databases = 0;

async function connect() {
  const db = new AsyncDuckDB(new VoidLogger(), new Worker(here('duckdb-browser-eh.worker.js')));
  await db.instantiate(here('duckdb-eh.wasm'));
  await db.registerFileBuffer('ltr.duckdb', await read('ltr.duckdb'));
  const connection = await db.connect();
  await connection.query("attach 'ltr.duckdb' as ltr (read_only)");
  return { db, connection };
}

// Load the files that the SQL names, such as 'demo/qrels.csv'.
async function load(db, sql) {
  for (const [, file] of sql.matchAll(/'((?:demo|examples)\/[\w./-]+)'/g)) {
    if (files.has(file)) continue;
    files.add(file);
    const bytes = await read(file);
    if (bytes) await db.registerFileBuffer(file, bytes);
  }
}

// Return a value of Arrow as a number, text or array.
function plain(value, type = '') {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && /^(Date|Timestamp)/.test(type)) {
    return new Date(value).toISOString().slice(0, type.startsWith('Date') ? 10 : 19).replace('T', ' ');
  }
  return typeof value?.toArray === 'function' ? [...value].map((entry) => plain(entry)) : value;
}

// Leave all tables of earlier calls behind.
export async function reset() {
  const { connection } = await (connecting ??= connect());
  databases += 1;
  await connection.query(`attach ':memory:' as page_${databases}; use page_${databases}`);
}

// Return the names of the columns, and the rows, of the last statement.
export async function run(sql) {
  const { db, connection } = await (connecting ??= connect());
  await load(db, sql);
  const table = await connection.query(sql);
  const { fields } = table.schema;
  const rows = table.toArray().map((row) => fields.map(({ name, type }) => plain(row[name], String(type))));
  return { names: fields.map(({ name }) => name), rows };
}
