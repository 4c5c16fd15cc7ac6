// Search of measures and guides, and the Run buttons. The pages are complete without it.
const root = document.documentElement.dataset.root;

const search = document.querySelector('#search');
const results = document.querySelector('#results');
search.hidden = false;
search.addEventListener('focus', () => {
  const script = document.createElement('script');
  script.src = `${root}search.js`;
  script.addEventListener('load', show);
  document.head.append(script);
}, { once: true });
search.addEventListener('input', show);
search.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') results.querySelector('a')?.click();
  if (event.key === 'Escape') { search.value = ''; show(); }
});

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (entry) => [...entry.names, entry.summary.toLowerCase()].join(' ');
  const matches = (entry) => words.every((word) => text(entry).includes(word));
  const found = words.length && window.SEARCH ? window.SEARCH.filter(matches) : [];
  const starts = (entry) => (entry.names.some((name) => name.startsWith(words[0])) ? 0 : 1);
  found.sort((a, b) => starts(a) - starts(b));
  results.replaceChildren(...found.slice(0, 12).map((entry) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = root + entry.path;
    link.textContent = entry.title;
    item.append(link, ` ${entry.summary}`);
    return item;
  }));
  results.hidden = found.length === 0;
}

const current = document.querySelector('.side [aria-current]');
if (current) current.closest('nav').scrollTop = current.offsetTop - 120;

function tableOf({ names, rows }) {
  const table = document.createElement('table');
  const addRow = (cells, tag) => {
    const row = table.insertRow();
    for (const value of cells) {
      const cell = document.createElement(tag);
      cell.textContent = value === null ? '' : typeof value === 'number' && !Number.isInteger(value) ? String(+value.toFixed(4)) : String(value);
      if (typeof value === 'number') cell.className = 'number';
      row.append(cell);
    }
  };
  addRow(names, 'th');
  for (const row of rows) addRow(row, 'td');
  return table;
}

for (const example of document.querySelectorAll('.example')) {
  const [sql, button, status, output] = ['textarea', 'button', '.status', '.output'].map((name) => example.querySelector(name));
  if (!button) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = window.LIVE ? 'Running …' : 'Loading DuckDB, about 8 MB, once …';
    try {
      window.LIVE ??= await import(new URL(`${root}live/live.js`, location.href).href);
      const result = await window.LIVE.run(sql.value);
      output.replaceChildren(tableOf(result));
      status.textContent = `${result.rows.length} rows`;
    } catch (error) {
      const message = location.protocol === 'file:' ? 'Serve the site to run SQL: python -m http.server' : error.message;
      output.textContent = message;
      status.textContent = 'Error';
    }
    button.disabled = false;
  });
}
