// Search: whole words only, in names, titles, headings and texts. The last word may be the beginning of one.
const STOP = new Set(('a an and are as at be best between by can do does for from get has have how i if in into is it its me mean '
  + 'my of on one or our should that the their them there this to use using was what when where which who why will with without you your')
  .split(' '));

// 'ranking', 'ranks' and 'rank' are one word, and so are 'query' and 'queries', 'normalise' and 'normalized'.
function stem(word) {
  word = word.replace(/iz(e|es|ed|er|ing|ation)$/, 'is$1');
  if (word.length > 3 && /[^siu]s$/.test(word)) word = word.slice(0, -1);
  if (/[a-z]{4}ing$/.test(word)) word = word.slice(0, -3);
  else if (/[a-z]{4}ed$/.test(word)) word = word.slice(0, -2);
  if (word.length > 4 && word.endsWith('e')) word = word.slice(0, -1);
  return word.length > 3 ? word.replace(/y$/, 'i') : word;
}

// 'HitRate' and 'hit_rate' are found as they are and by their parts.
function wordsOf(text) {
  const found = [];
  for (const word of text.match(/[\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? []) {
    const parts = word.replace(/([a-z])([A-Z][a-z])/g, '$1_$2').split('_').filter(Boolean);
    found.push(stem(word.toLowerCase()));
    if (parts.length > 1) found.push(...parts.map((part) => stem(part.toLowerCase())));
  }
  return found;
}

// The words of a name, without small words: 'Confidence intervals' and 'the confidence interval' are one name.
const nameOf = (text) => (text.replace(/([a-z])([A-Z][a-z])/g, '$1 $2').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  .filter((word) => !STOP.has(word)).map(stem).join(' ');
// Weights of the places where a word stands.
const WEIGHTS = [['names', 6], ['title', 6], ['heading', 5], ['shown', 1.5], ['rest', 1]];

// Return an index of entries of search.js.
function indexOf(entries) {
  const count = new Map();
  const sections = entries.map(([path, title, heading, kind, shown, rest, names]) => {
    const fields = { names: names.join(' '), title, heading, shown, rest };
    const weight = new Map();
    for (const [field, value] of WEIGHTS) {
      for (const word of wordsOf(fields[field])) if (!(weight.get(word) >= value)) weight.set(word, value);
    }
    for (const word of weight.keys()) count.set(word, (count.get(word) ?? 0) + 1);
    return { path, page: path.split('#')[0], title, heading, kind, shown, names: names.map(nameOf), weight };
  });
  return { sections, count };
}

// Return the best section of each page, the best page first.
function find({ sections, count }, text) {
  // A cutoff and parameters, as in nDCG@10 or P(rel=2)@5, are not part of the name of a measure.
  const asked = text.replace(/\([^)]*\)/g, ' ').replace(/@[\w.]*/g, ' ');
  const all = wordsOf(asked);
  const words = [...new Set(all.filter((word) => !STOP.has(word)))];
  const phrase = nameOf(asked);
  if (!words.length) words.push(...new Set(all));
  if (!words.length) return [];
  const rare = (word) => Math.log(1 + sections.length / (1 + (count.get(word) ?? 0)));
  const options = words.map((word, n) => (count.has(word) || n < words.length - 1 || word.length < 2
    ? [word] : [...count.keys()].filter((known) => known.startsWith(word))));
  const most = words.reduce((sum, word) => sum + rare(word), 0);
  const best = new Map();
  for (const section of sections) {
    let score = 0;
    let matched = 0;
    options.forEach((known, n) => {
      const weight = Math.max(0, ...known.map((word) => section.weight.get(word) ?? 0));
      if (weight) matched += rare(words[n]);
      score += weight * rare(words[n]);
    });
    if (phrase && section.names.includes(phrase)) score += 200;
    // Words that no page has may be missing, if the others are the better part.
    if (score && matched < most) score = matched >= most * 0.35 ? score * (matched / most) ** 3 * 0.5 : 0;
    const other = best.get(section.page);
    if (score > 0 && !(other?.score >= score)) best.set(section.page, { ...section, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

if (typeof window !== 'undefined') window.SEARCHING = { indexOf, find };
