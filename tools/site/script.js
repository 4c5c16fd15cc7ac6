// Search, filter, tabs, copy buttons, and the Run buttons. The pages are complete without it.
const root = document.documentElement.dataset.root;
const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// Search

const search = document.querySelector('#search');
const [box, results, nothing, count] = ['#found', '#results', '#nothing', '#count'].map((name) => document.querySelector(name));
let index;
let chosen = -1;
search.hidden = false;

search.addEventListener('focus', () => {
  if (window.SEARCH) { show(); return; }
  const script = element('script', { src: `${root}search.js` });
  script.addEventListener('load', () => { index = window.SEARCHING.indexOf(window.SEARCH); show(); });
  document.head.append(script);
});
search.addEventListener('input', show);
search.addEventListener('keydown', (event) => {
  const options = [...results.querySelectorAll('[role=option]')];
  if (event.key === 'Enter' && options.length) open(options[Math.max(chosen, 0)]);
  else if (event.key === 'Escape') { if (box.hidden) search.value = ''; close(); }
  else if (event.key === 'ArrowDown') choose(options, chosen + 1);
  else if (event.key === 'ArrowUp') choose(options, chosen - 1);
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.activeElement.closest('input, select, [contenteditable]')) return;
  event.preventDefault();
  search.focus();
  search.select();
});
document.addEventListener('click', (event) => { if (!event.target.closest('header form')) close(); });
results.addEventListener('click', (event) => { const option = event.target.closest('[role=option]'); if (option) open(option); });

function open(option) { close(); location.href = root + option.dataset.path; }

function close() {
  box.hidden = true;
  chosen = -1;
  search.setAttribute('aria-expanded', 'false');
  search.removeAttribute('aria-activedescendant');
}

function choose(options, n) {
  if (!options.length) return;
  chosen = (n + options.length) % options.length;
  options.forEach((option, place) => option.setAttribute('aria-selected', place === chosen));
  search.setAttribute('aria-activedescendant', options[chosen].id);
  options[chosen].scrollIntoView({ block: 'nearest' });
}

function show() {
  const text = search.value.trim();
  const groups = text && index ? window.SEARCHING.grouped(window.SEARCHING.find(index, text)) : [];
  const found = groups.flatMap(([, some]) => some);
  close();
  const option = (result) => {
    const { path, title, heading, kind, shown } = result;
    const name = element('b', {}, heading ? `${title} › ${heading}` : title);
    const made = element('li', { id: `result-${found.indexOf(result)}` }, name, element('small', {}, kind), element('span', {}, shown));
    made.setAttribute('role', 'option');
    made.setAttribute('aria-selected', 'false');
    made.dataset.path = path;
    return made;
  };
  results.replaceChildren(...groups.flatMap(([title, some]) => {
    const heading = element('li', { className: 'kind' }, title);
    heading.setAttribute('role', 'presentation');
    return [...(groups.length > 1 ? [heading] : []), ...some.map(option)];
  }));
  results.hidden = found.length === 0;
  nothing.hidden = found.length > 0;
  nothing.replaceChildren(
    `No results for “${text}”. See `,
    element('a', { href: `${root}guides.html` }, 'all pages'),
    ' and ',
    element('a', { href: `${root}measures.html` }, 'all measures'),
    '.',
  );
  count.textContent = text && index ? (found.length ? `${found.length} results` : 'No results') : '';
  box.hidden = !text || !index;
  search.setAttribute('aria-expanded', String(found.length > 0 && !box.hidden));
}

// Filter of measures

const filter = document.querySelector('#filter');
if (filter) {
  const chips = document.querySelector('#chips');
  const pressed = () => [...chips.querySelectorAll('[aria-pressed=true]')].map((chip) => chip.textContent);
  const narrow = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const section of document.querySelectorAll('.measures')) {
      const question = section.querySelector('h2').textContent.toLowerCase();
      let some = false;
      for (const row of section.querySelectorAll('dl > div')) {
        const text = `${question} ${row.textContent} ${row.querySelector('dd').dataset.names}`.toLowerCase();
        const of = [...row.querySelectorAll('.chip')].map((chip) => chip.textContent);
        row.hidden = !words.every((word) => text.includes(word)) || !pressed().every((chip) => of.includes(chip));
        if (!row.hidden) { some = true; left += 1; }
      }
      section.hidden = !some;
    }
    document.querySelector('#left').textContent = `${left} measures`;
  };
  filter.hidden = chips.hidden = false;
  filter.addEventListener('input', narrow);
  for (const chip of chips.children) {
    chip.addEventListener('click', () => { chip.setAttribute('aria-pressed', chip.ariaPressed !== 'true'); narrow(); });
    // The chips of the page of a measure lead here.
    if (chip.textContent === new URLSearchParams(location.search).get('needs')) chip.click();
  }
}

// Sidebars are closed on phones, and show the current page on desktops.

if (matchMedia('(max-width: 60rem)').matches) {
  for (const bar of document.querySelectorAll('.page > details')) bar.open = false;
}
const current = document.querySelector('.side [aria-current]');
if (current) {
  const bar = current.closest('.side');
  bar.scrollTop = current.offsetTop - bar.offsetTop - bar.clientHeight / 2;
}

// Tabs

for (const group of document.querySelectorAll('.tabs')) {
  const panels = [...group.querySelectorAll(':scope > section')];
  const list = element('div', { className: 'list' });
  list.setAttribute('role', 'tablist');
  const tabs = panels.map((panel) => {
    const tab = element('button', { type: 'button', id: `${panel.id}-tab` }, panel.dataset.tab);
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    panel.querySelector('.tab').hidden = true;
    return tab;
  });
  const select = (place) => tabs.forEach((tab, n) => {
    tab.setAttribute('aria-selected', n === place);
    tab.tabIndex = n === place ? 0 : -1;
    panels[n].hidden = n !== place;
  });
  tabs.forEach((tab, n) => {
    // All groups of a page follow the choice of the reader.
    tab.addEventListener('click', () => document.querySelectorAll(`[role=tab]`).forEach((other) => {
      if (other.textContent === tab.textContent) other.dispatchEvent(new CustomEvent('chosen'));
    }));
    tab.addEventListener('chosen', () => select(n));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(n + step + tabs.length) % tabs.length];
      next.click();
      next.focus();
    });
  });
  list.append(...tabs);
  group.prepend(list);
  select(0);
}

// Copy buttons

for (const block of document.querySelectorAll('main pre')) {
  if (!navigator.clipboard) break;
  const button = element('button', { type: 'button', className: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    // Of a console, copy the commands and not what they print.
    const code = block.querySelector('code') ?? block;
    const commands = [...code.textContent.matchAll(/^\$ (.*)$/gm)].map((match) => match[1]);
    await navigator.clipboard.writeText(commands.length ? commands.join('\n') : code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  const frame = element('div', { className: 'code' });
  block.replaceWith(frame);
  frame.append(block, button);
}

// Tables that are wider than the screen

function hint(frame) {
  const wide = frame.scrollWidth > frame.clientWidth + 1;
  const said = frame.previousElementSibling?.className === 'more' ? frame.previousElementSibling : null;
  if (!wide) said?.remove();
  else if (!said) frame.before(element('p', { className: 'more' }, 'Scroll the table sideways →'));
}
const frames = new ResizeObserver((changes) => changes.forEach(({ target }) => hint(target)));
document.querySelectorAll('.scroll').forEach((frame) => frames.observe(frame));

// Run SQL. The examples of a page share a database, so an example first runs those above it that have not run. If it has
// run itself, or one above it has changed since, all start anew.

// Older browsers know no text without formats.
const EDITABLE = (() => {
  try { return element('p', { contentEditable: 'plaintext-only' }).contentEditable; } catch { return 'true'; }
})();
const LOADS = 'Runs in this page. Loads DuckDB once: 9 MB, or 40 MB if the server does not compress.';

function tableOf({ names, rows }) {
  const table = element('table', { className: 'result' });
  const addRow = (cells, tag) => {
    const row = table.insertRow();
    cells.forEach((value, n) => {
      const cell = element(tag, {}, textOf(value));
      if (typeof (tag === 'th' ? rows[0]?.[n] : value) === 'number') cell.className = 'number';
      row.append(cell);
    });
  };
  addRow(names, 'th');
  for (const row of rows) addRow(row, 'td');
  const frame = element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Result' }, table);
  frames.observe(frame);
  return frame;
}

function textOf(value) {
  if (value === null) return '';
  if (Array.isArray(value)) return `[${value.map((entry) => (typeof entry === 'string' ? `'${entry}'` : textOf(entry))).join(', ')}]`;
  return typeof value === 'number' && !Number.isInteger(value) ? String(+value.toFixed(4)) : String(value);
}

const examples = [...document.querySelectorAll('.example')].map((frame, place) => {
  const [sql, output] = ['pre', '.output'].map((name) => frame.querySelector(name));
  const original = { sql: sql.innerHTML, output: [...output.childNodes] };
  const button = element('button', { type: 'button', title: 'Ctrl+Enter' }, 'Run');
  const reset = element('button', { type: 'button', className: 'plain', hidden: true }, 'Reset');
  const status = element('span', { className: 'status', role: 'status' }, place ? '' : LOADS);
  const example = { ran: false, changed: false, run };
  output.before(element('p', { className: 'run' }, button, reset, status));
  const editable = { contenteditable: EDITABLE, spellcheck: false, role: 'textbox', 'aria-label': 'SQL', 'aria-multiline': true };
  Object.entries(editable).forEach(([name, value]) => sql.setAttribute(name, value));

  async function run() {
    example.ran = true;
    try {
      const result = await window.LIVE.run(sql.innerText);
      output.replaceChildren(...(original.output.length || sql.innerHTML !== original.sql ? [tableOf(result)] : []));
      status.textContent = result.rows.length === 1 ? '1 row' : `${result.rows.length} rows`;
      example.changed = false;
    } catch (error) {
      output.replaceChildren(element('pre', { className: 'wrong', tabIndex: 0 }, error.message));
      status.textContent = 'Error';
      example.changed = true;
    }
    reset.hidden = false;
    return !example.changed;
  }

  async function runWithThoseAbove() {
    const needed = examples.slice(0, place + 1);
    if (example.ran || needed.some((one) => one.ran && one.changed)) {
      await window.LIVE.reset();
      examples.forEach((one) => { one.ran = false; });
    }
    for (const one of needed) {
      if (!one.ran && !await one.run()) {
        if (one !== example) status.textContent = 'The SQL of an example above failed.';
        return;
      }
    }
  }

  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = window.LIVE ? 'Running …' : 'Loading DuckDB …';
    try {
      window.LIVE ??= await import(new URL(`${root}live/live.js`, location.href).href);
      await runWithThoseAbove();
    } catch (error) {
      status.textContent = location.protocol === 'file:' ? 'Serve the site to run SQL: python -m http.server' : `DuckDB was not loaded: ${error.message}`;
    }
    button.disabled = false;
  });
  sql.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!button.disabled) button.click();
  });
  sql.addEventListener('input', () => { example.changed = true; reset.hidden = false; });
  reset.addEventListener('click', () => {
    sql.innerHTML = original.sql;
    output.replaceChildren(...original.output);
    example.changed = true;
    status.textContent = '';
    reset.hidden = true;
    button.focus();
  });
  return example;
});
