// Search: whole words only, in names, titles, headings and texts. The last word may be the beginning of one.
const STOP = new Set(('a an and are as at be been best between by can could did do does each for from get got has have how i if in into is it '
  + 'its me mean more much my of on one or our should than that the their them then there they this to us use using want was we were what when '
  + 'where which who why will with without would you your').split(' '));

// 'ranking', 'ranks' and 'rank' are one word, and so are 'query' and 'queries', 'normalise' and 'normalized'.
function stem(word) {
  word = word.replace(/iz(e|es|ed|er|ing|ation)$/, 'is$1');
  if (word.length > 3 && /[^siu]s$/.test(word)) word = word.slice(0, -1);
  if (/[a-z]{4}ing$/.test(word)) word = word.slice(0, -3);
  else if (/[a-z]{4}ed$/.test(word)) word = word.slice(0, -2);
  if (word.length > 4 && word.endsWith('e')) word = word.slice(0, -1);
  return word.length > 3 ? word.replace(/y$/, 'i') : word;
}

// 'HitRate', 'hit_rate' and '--by-query' are found as they are and by their parts.
function wordsOf(text) {
  const found = text.match(FLAG) ?? [];
  for (const word of text.match(/[\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? []) {
    const parts = word.replace(/([a-z])([A-Z][a-z])/g, '$1_$2').split('_').filter(Boolean);
    found.push(stem(word.toLowerCase()));
    if (parts.length > 1) found.push(...parts.map((part) => stem(part.toLowerCase())));
  }
  return found;
}

// A flag, which is a word and a name.
const FLAG = /(?<!\S|\w)--[a-z][a-z-]*[a-z]/g;

// The words of a name, without small words: 'Confidence intervals' and 'the confidence interval' are one name.
const nameOf = (text) => (text.startsWith('--') ? text : wordsIn(text).join(' '));
const wordsIn = (text) => (text.replace(/([a-z])([A-Z][a-z])/g, '$1 $2').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  .filter((word) => !STOP.has(word)).map(stem);
// Weights of the places where a word stands.
const WEIGHTS = [['names', 6], ['title', 6], ['heading', 5], ['shown', 1.5], ['rest', 1]];

// Words that mean the same in a question. A page with another one than was asked counts less.
const SYNONYMS = ['metric measure', 'label labeled labelled annotate judge judgment', 'chart plot picture graph figure draw',
  'dataset collection corpus benchmark', 'search retrieval', 'worse lose lost drop fall regression', 'alert alarm notify', 'fast speed',
  'another different other discrepancy', 'gpt llm chatgpt', 'position rank', 'pipeline build ci', 'important weight', 'people human person annotator rater', 'delete remove',
  'print show', 'nobody unjudged unlabeled unlabelled', 'crash error fail', 'big large huge',
  'tsv csv file', 'colour color', 'licence license'].map((group) => group.split(' ').map(stem));
const synonymsOf = (word) => [...new Set([word, ...SYNONYMS.filter((group) => group.includes(word)).flat()])];

// Return an index of entries of search.js.
function indexOf(entries) {
  const count = new Map();
  const pages = new Map();
  const sections = entries.map(([path, title, heading, kind, shown, rest, names]) => {
    const fields = { names: names.join(' '), title, heading, shown, rest };
    const weight = new Map();
    for (const [field, value] of WEIGHTS) {
      for (const word of wordsOf(fields[field])) if (!(weight.get(word) >= value)) weight.set(word, value);
    }
    for (const word of weight.keys()) count.set(word, (count.get(word) ?? 0) + 1);
    const page = path.split('#')[0];
    if (!pages.has(page)) pages.set(page, new Set());
    for (const word of weight.keys()) pages.get(page).add(word);
    const parts = names.map(wordsIn).filter((words) => words.length > 1);
    return { path, page, title, heading, kind, shown, names: names.map(nameOf), parts, weight };
  });
  return { sections, count, pages };
}

// Return the best section of each page, the best page first.
function find({ sections, count, pages }, text) {
  // A cutoff and parameters, as in nDCG@10, P(rel=2)@5 and 'precision at 10', are not part of the name of a measure.
  const asked = text.trim().replace(/\([^)]*\)/g, ' ').replace(/@[\w.]*/g, ' ').replace(/\b(?:at|top)[ -]?(?:\d+|k)\b/gi, ' ');
  // The name of a flag may lack its dashes.
  const flag = /^[a-z]+(-[a-z]+)+$/.test(asked) && count.has(`--${asked}`) ? `--${asked}` : asked;
  const all = wordsOf(flag);
  const known = (word) => count.has(word);
  const rare = (times) => Math.log(1 + sections.length / (1 + times));
  const kept = [...new Set(all.filter((word) => !STOP.has(word)))];
  const last = kept.at(-1);
  // The forms of each word, and what they count: the last word may be a beginning, and synonyms count less.
  const words = (kept.length ? kept : [...new Set(all)]).map((word) => {
    const whole = known(word) || word !== last || word.length < 2;
    const forms = new Map((whole ? synonymsOf(word) : [...count.keys()].filter((other) => other.startsWith(word)))
      .map((form) => [form, whole && form !== word ? 0.6 : 1]));
    const pagesOf = count.get(word) ?? Math.max(0, ...[...forms.keys()].map((form) => count.get(form) ?? 0));
    return { forms, pagesOf, rare: rare(pagesOf) };
    // A word that is on no page is no reason to find nothing.
  }).filter(({ pagesOf }) => pagesOf > 0);
  const phrase = nameOf(flag);
  const most = words.reduce((sum, word) => sum + word.rare, 0);
  const best = new Map();
  for (const section of sections) {
    let score = 0;
    let matched = 0;
    let heaviest = 0;
    for (const { forms, rare: value } of words) {
      let weight = 0;
      let near = 0;
      for (const [form, share] of forms) {
        weight = Math.max(weight, (section.weight.get(form) ?? 0) * share);
        // A word elsewhere on the page counts less.
        if (section.weight.has(form)) near = 1;
        else if (pages.get(section.page).has(form)) near = Math.max(near, 0.6);
      }
      matched += near * value;
      score += weight * value;
      heaviest = Math.max(heaviest, weight);
    }
    // The whole reference of a function has a little of everything.
    if (section.kind === 'Function' && heaviest < 5) score *= 0.4;
    if (phrase && section.names.includes(phrase)) score += 200;
    // A name of several words, all of which are asked, says more than its words.
    const named = section.parts.map((part) => (part.every((word) => words.some(({ forms }) => forms.has(word)))
      ? part.reduce((sum, word) => sum + rare(count.get(word) ?? 0), 0) : 0));
    score += 4 * Math.max(0, ...named);
    if (score && matched < most) score = matched >= most * 0.2 ? score * (matched / most) ** 3 : 0;
    const other = best.get(section.page);
    if (score > 0 && !(other?.score >= score)) best.set(section.page, { ...section, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

// Return groups of results: heading and results. The three best come first, then the others by kind, at most ten in all.
function grouped(found) {
  const kinds = { Pages: [], Functions: [], Measures: [] };
  for (const result of found.slice(3)) {
    const kind = { Function: 'Functions', Measure: 'Measures' }[result.kind] ?? 'Pages';
    if (kinds[kind].length < (kind === 'Pages' ? 4 : 3)) kinds[kind].push(result);
  }
  return [['Best', found.slice(0, 3)], ...Object.entries(kinds)].filter(([, results]) => results.length);
}

if (typeof window !== 'undefined') window.SEARCHING = { indexOf, find, grouped };
