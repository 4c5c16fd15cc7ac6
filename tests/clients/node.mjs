// Attach the catalogue, run the queries of a JSON file, and print their rows: node node.mjs CATALOGUE QUERIES
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [catalogue, queries] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create()).connect();
await connection.run(`attach '${catalogue.replaceAll("'", "''")}' as ltr (read_only)`);
const results = [];
for (const query of JSON.parse(readFileSync(queries, 'utf8'))) {
  results.push((await connection.runAndReadAll(query)).getRowObjectsJson());
}
console.log(JSON.stringify(results));
