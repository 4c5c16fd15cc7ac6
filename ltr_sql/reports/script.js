"use strict";
// Charts and lists of a report. Texts of the input enter the page as text nodes, never as HTML.
(async () => {
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const P = JSON.parse(byId("payload").textContent);
  const { systems, measures, queries, texts } = P;
  const single = systems.length === 1;

  const make = (parent, name, attributes, children) => {
    const node = parent ? document.createElementNS(parent, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) if (value != null && value !== false) node.setAttribute(key, value);
    node.append(...children.flat(Infinity).filter((child) => child != null && child !== ""));
    return node;
  };
  const el = (name, attributes, ...children) => make(null, name, attributes, children);
  const svg = (name, attributes, ...children) => make("http://www.w3.org/2000/svg", name, attributes, children);
  const named = (text) => el("bdi", { class: "name", title: text }, text);

  const fixed = (value, digits = 4) => (value == null || Number.isNaN(value) ? "–" : value.toFixed(digits).replace("-", "−"));
  const signed = (value, digits = 4) => (value > 0 ? "+" : "") + fixed(value, digits);
  const percent = (share) => `${+(100 * share).toFixed(1)}%`;
  const counted = (n) => `${n.toLocaleString("en")} quer${n === 1 ? "y" : "ies"}`;
  const short = (text) => (text.length > 60 ? text.slice(0, 59) + "…" : text);

  // Values per query: 16-bit steps, all high bytes, then all low bytes; 65535 is NULL.
  const inflate = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  const n = queries.length;
  const values = {};
  const decode = async (entry) => {
    const bytes = await inflate(entry.bytes);
    const half = bytes.length / 2;
    const scale = (entry.high - entry.low) / entry.steps;
    const of = {};
    entry.systems.forEach((system, i) => {
      const numbers = (of[system] = new Float64Array(n));
      for (let q = 0, at = i * n; q < n; q++, at++) {
        const step = (bytes[at] << 8) | bytes[half + at];
        numbers[q] = step === 65535 ? NaN : entry.low + step * scale;
      }
    });
    values[entry.measure] = { low: entry.low, high: entry.high, near: scale / 2, of };
  };
  P.lists = JSON.parse(new TextDecoder().decode(await inflate(P.lists)));
  // With too many queries, the file holds no values, and the page shows only the tables.
  if (!P.values.length) return;
  await decode(P.values[0]);

  const state = { a: P.baseline ?? 0, b: P.best, m: P.values[0].measure, segment: 0, keys: P.keys.map(() => -1), order: single ? "hardest" : "worst", only: "", whole: false, query: null };
  const lower = () => measures[state.m].lower;
  const A = () => values[state.m].of[state.a];
  const B = () => values[state.m].of[state.b];
  const inSegment = (q) => state.segment === 0 || P.segments[state.segment - 1].at.every((v, i) => P.keys[i].of[q] === v);
  const kept = () => queries.keys().filter((q) => inSegment(q) && !Number.isNaN(A()[q]) && !Number.isNaN(B()[q])).toArray();
  // Positive if b is better.
  const gain = (q) => (B()[q] - A()[q]) * (lower() ? -1 : 1);
  const sign = (q) => (Math.abs(gain(q)) < values[state.m].near ? 0 : Math.sign(gain(q)));

  // Replace the options of a select.
  const fill = (select, options, chosen) => {
    select.replaceChildren(...options.map(([value, text]) => el("option", { value, selected: value === chosen && "" }, short(text))));
    select.value = chosen;
  };

  // Charts

  // Round numbers at about `count` equal distances: the first is at most `low`, and the last at least `high`.
  const ticks = (low, high, count, whole) => {
    const raw = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = Math.max(whole ? 1 : 0, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw - 1e-12));
    const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  };
  const tickText = (t) => (+t.toFixed(6)).toLocaleString("en").replace("-", "−");

  // Draw axes in a box, and call `draw` with the functions of the scales. `x` and `y` are [low, high]. Axes end at ticks.
  const chart = (box, height, x, y, options, draw) => {
    const width = Math.max(260, box.clientWidth);
    const ys = ticks(...y, Math.max(3, Math.floor(height / 30)), options.whole);
    // The title of the vertical axis stands left of its labels.
    const left = Math.ceil(30 + 6.8 * Math.max(...ys.map((t) => tickText(t).length))), right = 12, top = 8, bottom = 40;
    const xs = options.ticks || ticks(...x, Math.max(2, Math.floor(width / 90))).map((t) => [t, tickText(t)]);
    x = [xs[0][0], xs.at(-1)[0]];
    y = [ys[0], ys.at(-1)];
    const X = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
    const Y = (v) => height - bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (height - top - bottom);
    const parts = ys.flatMap((t) => [
      svg("line", { class: "axis", x1: left, x2: width - right, y1: Y(t), y2: Y(t) }),
      svg("line", { class: "tick", x1: left - 4, x2: left, y1: Y(t), y2: Y(t) }),
      svg("text", { x: left - 8, y: Y(t) + 4, "text-anchor": "end" }, tickText(t)),
    ]);
    parts.push(svg("path", { class: "tick", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
    // Labels that do not fit are left out, except the last one.
    const ends = ([at, text]) => [X(at) - text.length * 3.5, X(at) + text.length * 3.5 + 6];
    let free = -Infinity;
    for (const tick of xs) {
      const [from, to] = ends(tick);
      parts.push(svg("line", { class: "tick", x1: X(tick[0]), x2: X(tick[0]), y1: height - bottom, y2: height - bottom + 4 }));
      if (tick !== xs.at(-1) && (from < free || to > ends(xs.at(-1))[0])) continue;
      free = to;
      parts.push(svg("text", { x: X(tick[0]), y: height - bottom + 18, "text-anchor": "middle" }, tick[1]));
    }
    parts.push(svg("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, short(options.x)));
    if (options.y) parts.push(svg("text", { transform: `translate(11 ${(height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, short(options.y)));
    box.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label }, parts, draw(X, Y)));
    return { X, Y, box, width };
  };
  const path = (points, attributes) => svg("path", { d: points.join(""), ...attributes });
  const at = (v) => v.toFixed(1);

  const tip = byId("tip");
  const showTip = (event, lines) => {
    tip.replaceChildren(...lines.flatMap((line, i) => (i ? [el("br"), line] : [line])));
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.clientY + 40 > innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 16}px`;
  };
  // Show the query under the pointer, and open it on a click. `find` maps a position in the chart to a query.
  const follow = (drawn, find) => {
    const locate = (event) => {
      const box = drawn.box.firstChild.getBoundingClientRect();
      const ratio = drawn.width / box.width;
      return find((event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
    };
    drawn.box.onpointermove = (event) => {
      const q = locate(event);
      if (q == null) tip.hidden = true;
      else showTip(event, [`${short(queries[q])}${texts[q] ? ` · ${texts[q]}` : ""}`, `A ${fixed(A()[q])} · B ${fixed(B()[q])} · ${signed(B()[q] - A()[q])}`]);
    };
    drawn.box.onpointerleave = () => (tip.hidden = true);
    drawn.box.onclick = (event) => {
      const q = locate(event);
      if (q != null) open(q, true);
    };
  };
  const legend = (entries, shape = "") =>
    el("p", { class: "legend" }, entries.map(([kind, text, more]) => el("span", {}, el("i", { class: `key ${shape} ${kind}` }), named(text), more)));

  const drawDifferences = (rows) => {
    const sorted = rows.slice().sort((p, q) => B()[p] - A()[p] - (B()[q] - A()[q]));
    const d = (q) => B()[q] - A()[q];
    const bounds = [Math.min(0, d(sorted[0])), Math.max(0, d(sorted.at(-1)))];
    if (bounds[0] === bounds[1]) bounds[1] = 1;
    const numbers = ticks(0, sorted.length, Math.max(2, Math.floor(byId("differences").clientWidth / 90)), true);
    numbers[numbers.length - 1] = sorted.length;
    const label = `Differences on ${counted(sorted.length)}, from ${signed(bounds[0])} to ${signed(bounds[1])}`;
    const drawn = chart(byId("differences"), 220, [0, sorted.length], bounds, { x: "queries, by difference", y: `Δ ${measures[state.m].name}`, ticks: numbers.map((t) => [t, tickText(t)]), label }, (X, Y) => {
      const wide = X(1) - X(0);
      const bars = (kind) => sorted.flatMap((q, i) => (sign(q) === kind ? [`M${at(X(i + 0.5))} ${at(Y(0))}V${at(Y(d(q)))}`] : []));
      const width = wide > 4 ? wide - 1 : Math.max(wide, 0.6);
      return [
        path(bars(-1), { class: "mark a", "stroke-width": width }),
        path(bars(1), { class: "mark b", "stroke-width": width }),
        svg("line", { class: "zero", x1: X(0), x2: X(sorted.length), y1: Y(0), y2: Y(0) }),
      ];
    });
    const better = (kind) => {
      const of = sorted.filter((q) => sign(q) === kind);
      const more = [`\u00a0is better on ${of.length.toLocaleString("en")}`];
      if (of.length) {
        const most = of.reduce((p, q) => (Math.abs(d(q)) > Math.abs(d(p)) ? q : p));
        const button = el("button", { type: "button", class: "link" }, named(queries[most]));
        button.onclick = () => open(most, true);
        more.push(", most on query ", button, ` (${signed(d(most))})`);
      }
      return more;
    };
    byId("differences").append(legend([["a", `A: ${systems[state.a]}`, better(-1)], ["b", `B: ${systems[state.b]}`, better(1)]]));
    follow(drawn, (x) => sorted[Math.floor(((x - drawn.X(0)) / (drawn.X(sorted.length) - drawn.X(0))) * sorted.length)]);
  };

  const drawScatter = (rows) => {
    const { low, high } = values[state.m];
    const label = `${systems[state.b]} against ${systems[state.a]} on ${counted(rows.length)}`;
    const axes = { x: `A: ${systems[state.a]}`, y: `B: ${systems[state.b]}`, label };
    const box = byId("scatter");
    const drawn = chart(box, Math.max(240, Math.min(400, box.clientWidth * 0.8)), [low, high], [low, high], axes, (X, Y) => {
      const size = rows.length > 2000 ? 2.5 : rows.length > 400 ? 4 : 6;
      const dots = (kind) => rows.filter((q) => sign(q) === kind).map((q) => `M${at(X(A()[q]))} ${at(Y(B()[q]))}h0`);
      return [
        svg("line", { class: "diagonal", x1: X(low), y1: Y(low), x2: X(high), y2: Y(high) }),
        path(dots(0), { class: "mark dots other", "stroke-width": size }),
        path(dots(-1), { class: "mark dots a", "stroke-width": size }),
        path(dots(1), { class: "mark dots b", "stroke-width": size }),
      ];
    });
    follow(drawn, (x, y) => {
      let best = null, distance = 144;
      for (const q of rows) {
        const d = (drawn.X(A()[q]) - x) ** 2 + (drawn.Y(B()[q]) - y) ** 2;
        if (d < distance) [best, distance] = [q, d];
      }
      return best;
    });
  };

  const drawHistogram = (rows) => {
    const { low, high } = values[state.m];
    const bins = 10;
    const count = (of) => {
      const found = Array(bins).fill(0);
      for (const q of rows) found[Math.min(bins - 1, Math.floor(((of[q] - low) / (high - low)) * bins))]++;
      return found;
    };
    const [a, b] = [count(A()), count(B())];
    const most = Math.max(1, ...a, ...b);
    const label = `Number of queries by ${measures[state.m].name}. A: ${a.join(", ")}. B: ${b.join(", ")}.`;
    const box = byId("histogram");
    const height = Math.max(216, Math.min(376, box.clientWidth * 0.8 - 24));
    chart(box, height, [low, high], [0, most], { x: measures[state.m].name, y: "queries", whole: true, label }, (X, Y) => {
      const wide = (X(high) - X(low)) / bins;
      const bars = (counts, shift) => counts.flatMap((c, i) => (c ? [`M${at(X(low) + wide * (i + shift))} ${at(Y(0))}V${at(Y(c))}`] : []));
      return [
        path(bars(a, 0.31), { class: "mark a", "stroke-width": wide * 0.34 }),
        path(bars(b, 0.69), { class: "mark b", "stroke-width": wide * 0.34 }),
      ];
    });
    box.append(legend([["a", `A: ${systems[state.a]}`], ["b", `B: ${systems[state.b]}`]]));
  };

  const drawCurves = () => {
    P.charts.forEach((numbers, i) => {
      const curve = P.curves[byId(`choose-${i}`)?.value || numbers[0]];
      for (const node of all(`.name-${i}`)) node.textContent = curve.measure;
      all(`#means-${i} tbody tr`).forEach((row, s) => curve.means[s].forEach((mean, k) => (row.cells[k + 1].textContent = fixed(mean))));
      const log = curve.by === "cutoff";
      const scale = (x) => (log ? Math.log(x) : x);
      const xs = curve.x.map((x) => [scale(x), tickText(x)]);
      // The vertical axis ends at a whole tenth.
      const most = Math.ceil(Math.max(0.1, ...[state.a, state.b].flatMap((s) => curve.high[s]), ...curve.means.flat()) * 10 - 1e-9) / 10;
      const others = systems.length > 4 ? "other many" : "other";
      const kind = (s) => (s === state.b ? "b" : s === state.a ? "a" : others);
      const order = systems.keys().toArray().sort((s, t) => (s === state.a || s === state.b) - (t === state.a || t === state.b));
      const label = `${curve.measure} by ${curve.by}; the numbers are in the table below`;
      const box = byId(`curve-${i}`);
      chart(box, 280, [xs[0][0], xs.at(-1)[0] || 1], [0, most], { x: log ? "cutoff k" : "recall", y: log ? curve.measure : "precision", ticks: xs, label }, (X, Y) =>
        order.map((s) => {
          const points = (of) => xs.flatMap(([x], k) => (of[s][k] == null ? [] : [`${at(X(x))} ${at(Y(of[s][k]))}`]));
          const band = [...points(curve.low), ...points(curve.high).reverse()];
          return [
            (s === state.a || s === state.b) && band.length ? svg("path", { class: `band ${kind(s)}`, d: `M${band.join("L")}Z` }) : null,
            svg("path", { class: `mark line ${kind(s)}`, d: `M${points(curve.means).join("L")}` }, svg("title", {}, systems[s])),
          ];
        }));
      const entries = single ? [["b", systems[0]]] : [["a", `A: ${systems[state.a]}`], ["b", `B: ${systems[state.b]}`]];
      if (systems.length > 2) entries.push([others, systems.length === 3 ? systems.find((_, s) => s !== state.a && s !== state.b) : "other systems"]);
      box.append(legend(entries, "line"));
    });
  };

  const drawTrend = () => {
    if (!P.trend) return;
    const m = +byId("trend-measure").value;
    const { periods, rows } = P.trend;
    const xs = periods.map((text, i) => [i, text]);
    const known = rows[m].flat().filter((row) => row).flatMap((row) => row.slice(0, 3)).filter((v) => v != null);
    const label = `${measures[m].name} by period; the numbers are in the table below`;
    const box = byId("trend-chart");
    const few = systems.length > 4;
    const kind = (s) => (s === state.b ? "b" : s === state.a ? "a" : few ? "other many" : "other");
    chart(box, 260, [0, Math.max(1, periods.length - 1)], [Math.min(...known), Math.max(...known)], { x: "", y: measures[m].name, ticks: xs.length > 1 ? xs : [...xs, [1, ""]], label }, (X, Y) =>
      systems.keys().toArray().sort((s, t) => (s === state.a || s === state.b) - (t === state.a || t === state.b)).map((s) => {
        const of = rows[m][s];
        let line = "", whiskers = "", dots = "";
        const flags = [];
        of.forEach((row, i) => {
          if (!row) return;
          const [mean, low, high, gap, verdict] = row;
          if (mean == null) return;
          line += `${line && !gap ? "L" : "M"}${at(X(i))} ${at(Y(mean))}`;
          dots += `M${at(X(i))} ${at(Y(mean))}h0`;
          if (low != null && (s === state.a || s === state.b)) whiskers += `M${at(X(i))} ${at(Y(low))}V${at(Y(high))}`;
          if (verdict === "better" || verdict === "worse") flags.push(svg("text", { x: X(i), y: Y(high ?? mean) - 6, "text-anchor": "middle", class: "flag" }, verdict === "better" ? "▲" : "▼"));
        });
        return [svg("path", { class: `mark ${kind(s)}`, d: whiskers }), svg("path", { class: `mark line ${kind(s)}`, d: line }, svg("title", {}, systems[s])), svg("path", { class: `mark dots ${kind(s)}`, d: dots, "stroke-width": 7 }), flags];
      }));
    const entries = single ? [["b", systems[0]]] : [["a", `A: ${systems[state.a]}`], ["b", `B: ${systems[state.b]}`]];
    if (systems.length > 2) entries.push([few ? "other many" : "other", "other systems"]);
    box.append(legend(entries, "line"));
  };

  const drawSummary = (rows) => {
    const means = P.pairs[state.segment][state.m];
    const [a, b] = [means[state.a], means[state.b]];
    const mean = (of) => rows.reduce((sum, q) => sum + of[q], 0) / rows.length;
    // Means over other queries have another difference.
    const whole = a && b && a[10] === rows.length && b[10] === rows.length && a[0] != null && b[0] != null;
    // The file holds tests of comparisons with the baseline only.
    const tested = state.a === P.baseline ? b : state.b === P.baseline ? a : null;
    const turn = state.a === P.baseline ? 1 : -1;
    const difference = tested && tested[1] != null ? turn * tested[1] : whole ? b[0] - a[0] : mean(B()) - mean(A());
    const parts = [el("b", { class: "b" }, named(systems[state.b])), " − ", el("b", { class: "a" }, named(systems[state.a])), ` in ${measures[state.m].name}: `, el("b", {}, signed(difference))];
    let wins = rows.filter((q) => sign(q) > 0).length;
    let losses = rows.filter((q) => sign(q) < 0).length;
    let judged = rows.length;
    if (tested && tested[5] != null) {
      const bounds = [turn * tested[2], turn * tested[3]].sort((x, y) => x - y);
      parts.push(` (${tested[5] < 0.0005 ? "p < 0.001" : `p = ${tested[5].toFixed(3)}`}, ${tested[2] == null ? "no interval" : `${percent(P.test.confidence)} interval ${signed(bounds[0])} to ${signed(bounds[1])}${tested[11] ? "†" : ""}`}${P.test.correction ? `; both corrected by ${P.test.correction}` : ""})`);
      [wins, losses] = turn > 0 ? [tested[6], tested[8]] : [tested[8], tested[6]];
      judged = wins + tested[7] + losses;
    } else if (state.a !== state.b && !tested) {
      const paired = state.m === 0 && state.segment === 0 && P.paired.includes(state.a) && P.paired.includes(state.b);
      parts.push(...(paired ? [" (tested among ", el("a", { href: "#pairs" }, "all pairs"), ")"] : [" (not tested: only comparisons with the baseline are)"]));
    }
    const ties = judged - wins - losses;
    parts.push(`. B is better on ${wins.toLocaleString("en")}, equal on ${ties.toLocaleString("en")} and worse on ${losses.toLocaleString("en")} of ${counted(judged)}${judged < rows.length ? " that people judged" : ""}.`);
    byId("summary").replaceChildren(...parts);
  };

  // Queries

  const spread = () => {
    const of = Object.values(values[state.m].of);
    return (q) => {
      const found = of.map((v) => v[q]).filter((v) => !Number.isNaN(v));
      return Math.max(...found) - Math.min(...found);
    };
  };
  const meanOver = () => {
    const of = Object.values(values[state.m].of);
    return (q) => of.reduce((sum, v) => sum + (v[q] || 0), 0) / of.length;
  };
  // The documents of B are known for the listed queries only.
  const listOfB = (q) => P.lists.queries[q] && (P.lists.queries[q].systems[state.b] || [[], null, [], []]);
  const isShown = (q) => {
    if (state.only === "zero") return Math.abs(A()[q]) < values[state.m].near && Math.abs(B()[q]) < values[state.m].near;
    const list = state.only && listOfB(q);
    if (state.only === "empty") return list && !list[0].length;
    return !state.only || (list && list[2].slice(0, 5).includes(null));
  };
  const keysOf = (q) => P.keys.map((key) => key.values[key.of[q]]).filter((value) => value).join(", ");
  let shownQueries = [];
  const drawQueries = () => {
    const better = lower() ? -1 : 1;
    const disputed = spread(), mean = meanOver();
    const key = {
      worst: gain,
      best: (q) => -gain(q),
      hardest: (q) => better * mean(q),
      easiest: (q) => -better * mean(q),
      disputed: (q) => -disputed(q),
    }[state.order];
    const word = byId("find").value.trim().toLowerCase();
    const found = kept()
      .filter(isShown)
      .filter((q) => state.keys.every((v, i) => v < 0 || P.keys[i].of[q] === v))
      .filter((q) => !word || queries[q].toLowerCase().includes(word) || (texts[q] || "").toLowerCase().includes(word))
      .map((q) => [key(q), q])
      .sort((x, y) => x[0] - y[0])
      .map(([, q]) => q);
    shownQueries = found;
    const listed = found.slice(0, state.whole ? found.length : 50);
    const head = single ? [measures[state.m].name] : [["A ", named(systems[state.a])], ["B ", named(systems[state.b])], "B − A"];
    byId("what").hidden = single;
    byId("what").textContent = `${measures[state.m].name} of the systems A and B that are chosen above; ${{ worst: "largest losses of B", best: "largest gains of B", hardest: "worst mean of all systems", disputed: "largest spread over all systems" }[state.order]} first.`;
    byId("found").tHead.replaceChildren(el("tr", {}, el("th", { scope: "col", class: "name" }, "query"), head.map((text) => el("th", { scope: "col", class: "n" }, text))));
    byId("found").tBodies[0].replaceChildren(
      ...listed.map((q) => {
        const button = el("button", { type: "button", class: "link" }, named(queries[q]));
        const numbers = single ? [el("td", { class: "n" }, fixed(B()[q]))] : [
          el("td", { class: "n" }, fixed(A()[q])),
          el("td", { class: "n" }, fixed(B()[q])),
          el("td", { class: `n ${["a", "", "b"][sign(q) + 1]}` }, signed(B()[q] - A()[q])),
        ];
        const row = el("tr", { "data-query": q }, el("th", { scope: "row" }, button, P.keys.length ? el("small", { class: "of" }, keysOf(q)) : null, texts[q] && el("small", {}, el("bdi", {}, texts[q]))), numbers);
        row.onclick = () => open(q, true);
        return row;
      }));
    byId("all").hidden = found.length === listed.length;
    byId("all").textContent = `Show all ${found.length.toLocaleString("en")}`;
    byId("count").textContent = found.length > listed.length ? `The first ${listed.length} of ${counted(found.length)}.` : `${counted(found.length)}.`;
    if (state.only === "empty" || state.only === "unjudged") byId("count").textContent += ` Of the ${counted(Object.keys(P.lists.queries).length)} whose documents are in this file.`;
    open(found.includes(state.query) ? state.query : listed[0] ?? null, false);
  };

  const badge = (grade) => {
    if (grade == null) return el("span", { class: "grade unjudged", title: "not judged" }, "?");
    const positive = P.grades.filter((g) => g > 0);
    const place = grade > 0 ? 1 + positive.indexOf(grade) : 0;
    const level = place && Math.max(1, Math.round((4 * place) / Math.max(4, positive.length)));
    return el("span", { class: `grade g${level}`, title: `grade ${grade}` }, String(grade).replace("-", "−"));
  };
  // The words of the query are marked in the texts of documents. Two lines are shown; the rest on a click or by Enter.
  const marked = (text) => {
    const words = new Set((texts[state.query] || "").toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || []);
    return text.split(/([\p{L}\p{N}]+)/u).map((part) => (words.has(part.toLowerCase()) ? el("mark", {}, part) : part));
  };
  const snippet = (doc) => {
    const text = P.lists.texts[doc];
    if (!text) return null;
    return text.length < 60 ? el("small", {}, el("bdi", {}, marked(text))) : el("details", { class: "text" }, el("summary", {}, el("bdi", {}, marked(text))));
  };
  // Relevant documents that are not in the top of B, or of one system.
  const missed = (listed) => {
    if (!listed.missed) return null;
    const [docs, grades, ranks, counts] = listed.missed;
    const [a, b] = [P.lists.systems.indexOf(state.a), P.lists.systems.indexOf(state.b)];
    if (b < 0 || !counts[b]) return null;
    const far = (rank) => rank == null || rank > P.lists.depth;
    const rows = docs.keys().filter((i) => far(ranks[i][b])).toArray();
    const rank = (i, of) => (of < 0 ? "" : ranks[i][of] == null ? "not found" : String(ranks[i][of]));
    const columns = single ? ["rank"] : ["rank in A", "rank in B"];
    return el("div", { class: "missed" },
      el("h4", {}, `Missed${single ? "" : " by B"}: ${counts[b].toLocaleString("en")} relevant document${counts[b] === 1 ? "" : "s"} not in the top ${P.lists.depth}`),
      el("table", {}, el("thead", {}, el("tr", {}, ["document", ...columns, "grade"].map((text) => el("th", { scope: "col", class: text === "document" ? "name" : "n" }, text)))),
        el("tbody", {}, rows.map((i) => el("tr", {}, el("td", {}, el("bdi", {}, docs[i]), snippet(docs[i])),
          single ? null : el("td", { class: "n" }, rank(i, a)), el("td", { class: "n" }, rank(i, b)), el("td", { class: "n" }, badge(grades[i])))))),
      counts[b] > rows.length ? el("p", { class: "note" }, `The first ${rows.length} of ${counts[b].toLocaleString("en")}, the best grades first.`) : null);
  };
  const ranked = (list) => list[0].map((doc, i) => ({ doc, rank: list[1] ? list[1][i] : i + 1, grade: list[2][i], adds: list[3][i] }));
  const side = (title, system, list, other, isB) => {
    const rows = ranked(list);
    const elsewhere = new Map(other ? ranked(other).map((row) => [row.doc, row.rank]) : []);
    const move = (row) => {
      if (!other || row.doc == null) return "";
      const rank = elsewhere.get(row.doc);
      if (rank === undefined) return other[0].length < P.lists.depth ? "–" : `>${P.lists.depth}`;
      return rank === row.rank ? "=" : isB ? (rank > row.rank ? `↑${rank - row.rank}` : `↓${row.rank - rank}`) : `→${rank}`;
    };
    const value = values[state.m].of[system][state.query];
    return el("div", {}, el("h4", {}, title, named(systems[system]), el("span", {}, ` ${measures[state.m].name} ${fixed(value)}`)),
      el("ol", {}, rows.map((row) => {
        return el("li", {}, el("span", { class: "rank" }, String(row.rank)),
          el("span", { class: "doc" }, row.doc == null ? "–" : el("bdi", { title: row.doc }, row.doc), snippet(row.doc)),
          el("span", { class: "move" }, move(row)),
          el("span", { class: "adds", title: P.lists.measure && `adds to ${P.lists.measure}` }, row.adds ? signed(row.adds, 3) : ""),
          badge(row.grade));
      })));
  };
  const open = (q, scroll) => {
    state.query = q;
    for (const row of byId("found").tBodies[0].rows) row.toggleAttribute("data-selected", row.dataset.query === String(q));
    const box = byId("lists");
    if (q == null) return box.replaceChildren();
    const heading = el("h3", {}, "Query ", named(queries[q]), texts[q] ? el("span", {}, ": ", el("bdi", {}, texts[q])) : null);
    const listed = P.lists.queries[q];
    const [a, b] = listed ? [listed.systems[state.a], listed.systems[state.b]] : [];
    const note = (text) => el("p", { class: "note" }, text);
    if (!listed || !(P.lists.systems.includes(state.a) || P.lists.systems.includes(state.b))) {
      const kept = Object.keys(P.lists.queries).length;
      const of = listed ? "these systems" : "this query";
      box.replaceChildren(heading, note(`The documents of ${of} are not in this file, which lists those of ${counted(kept)}.`),
        el("pre", { tabindex: 0 }, `ltr-sql explain QRELS RUN -q ${JSON.stringify(queries[q])} -m ${JSON.stringify(measures[state.m].name)}`));
    } else {
      const empty = [[], null, [], []];
      const sides = single ? [side("", state.b, b || empty, null, true)]
        : [side("A: ", state.a, a || empty, b || empty, false), side("B: ", state.b, b || empty, a || empty, true)];
      const adds = P.lists.measure ? ` +0.123 is what the document adds to ${P.lists.measure}.` : "";
      const moves = single ? "" : ` ↑ ↓: ranks gained or lost in B. →: rank in B. >${P.lists.depth}: not in the top ${P.lists.depth} of the other list. –: not in the other list.`;
      box.replaceChildren(heading,
        el("p", { class: "ideal" }, `${listed.relevant.toLocaleString("en")} relevant. Best possible: `, listed.ideal.slice(0, P.lists.depth).map((g) => [badge(g), " "])),
        el("div", { class: single ? "sides one" : "sides" }, sides),
        missed(listed),
        note(`The box is the grade, ? is not judged.${moves}${adds}`));
    }
    if (!scroll) return;
    box.scrollIntoView({ block: "nearest" });
    // A frame of a notebook has no address to change.
    try { history.replaceState(null, "", `#q=${encodeURIComponent(queries[q])}`); } catch { /* not needed */ }
  };

  // Controls

  const boardRows = all(".board tbody tr").map((row) => [row, systems.indexOf(row.cells[0].firstElementChild.title)]);
  const draw = () => {
    const rows = kept();
    // The colours of A and B mark these systems in all sections.
    for (const [row, system] of boardRows) {
      row.classList.toggle("a", system === state.a && !single);
      row.classList.toggle("b", system === state.b);
    }
    if (!single) {
      // Some systems may have no values of a measure in this file.
      const available = Object.keys(values[state.m].of).map((s) => [+s, systems[s]]);
      fill(byId("a"), available, state.a);
      fill(byId("b"), available, state.b);
      drawSummary(rows);
      if (rows.length) {
        drawDifferences(rows);
        drawScatter(rows);
        drawHistogram(rows);
      } else for (const id of ["differences", "scatter", "histogram"]) byId(id).replaceChildren("no queries");
    }
    drawCurves();
    drawTrend();
    drawQueries();
  };

  for (const node of all(".needs-script")) node.hidden = false;
  if (P.trend) {
    fill(byId("trend-measure"), measures.map((m, i) => [i, m.name]), 0);
    byId("trend-measure").onchange = drawTrend;
  }
  fill(byId("measure"), P.values.map(({ measure }) => [measure, measures[measure].name]), state.m);
  byId("measure").onchange = async (event) => {
    await ready;
    state.m = +event.target.value;
    const of = values[state.m].of;
    if (!of[state.a]) state.a = +Object.keys(of)[0];
    if (!of[state.b]) state.b = +Object.keys(of).at(-1);
    draw();
  };
  if (!single) {
    byId("a").onchange = (event) => { state.a = +event.target.value; draw(); };
    byId("b").onchange = (event) => { state.b = +event.target.value; draw(); };
    byId("swap").onclick = () => { [state.a, state.b] = [state.b, state.a]; draw(); };
  }
  const segments = all(".segment");
  if (byId("segment")) {
    fill(byId("segment"), [[0, "all queries"], ...P.segments.map(({ label }, i) => [i + 1, label])], 0);
    const choose = () => {
      state.segment = +byId("segment").value;
      segments.forEach((board, i) => (board.hidden = i !== state.segment));
    };
    byId("segment").onchange = () => { choose(); draw(); hints(); };
    choose();
  }
  P.charts.forEach((numbers, i) => {
    if (numbers.length < 2) return;
    fill(byId(`choose-${i}`), numbers.map((number) => [number, P.curves[number].measure]), numbers[0]);
    byId(`choose-${i}`).onchange = drawCurves;
  });
  for (const select of all("[data-key]")) {
    const i = +select.dataset.key;
    fill(select, [[-1, "all"], ...P.keys[i].values.map((value, number) => [number, value])], -1);
    select.onchange = () => { state.keys[i] = +select.value; drawQueries(); };
  }
  byId("all").onclick = () => { state.whole = true; drawQueries(); };
  byId("find").oninput = drawQueries;
  byId("only").onchange = (event) => { state.only = event.target.value; drawQueries(); };
  // An address such as report.html#q=632 opens the query.
  const follows = () => {
    const found = location.hash.startsWith("#q=") ? queries.indexOf(decodeURIComponent(location.hash.slice(3))) : -1;
    if (found >= 0) open(found, true);
  };
  addEventListener("hashchange", follows);
  for (const link of all("[data-open]")) link.onclick = (event) => { event.preventDefault(); open(queries.indexOf(link.dataset.open), true); };
  byId("csv").onclick = async (event) => {
    const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const numbers = (q) => (single ? [B()[q]] : [A()[q], B()[q], B()[q] - A()[q]]).map((v) => +v.toFixed(6));
    const head = ["query_id", ...(single ? [measures[state.m].name] : [systems[state.a], systems[state.b], "difference"]), "text"];
    const text = [head, ...shownQueries.map((q) => [queries[q], ...numbers(q), texts[q] || ""])].map((row) => row.map((cell) => quoted(String(cell))).join(",")).join("\n") + "\n";
    let copied = true;
    try { await navigator.clipboard.writeText(text); } catch {
      const area = el("textarea", {}, text);
      document.body.append(area);
      area.select();
      copied = document.execCommand("copy");
      area.remove();
    }
    event.target.textContent = copied ? `Copied ${counted(shownQueries.length)}` : "The browser refuses to copy";
  };
  for (const button of all("[data-order]")) {
    button.onclick = () => {
      state.order = button.dataset.order;
      state.query = null;
      for (const other of all("[data-order]")) other.setAttribute("aria-pressed", other === button);
      drawQueries();
    };
  }
  for (const table of all(".sortable")) {
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, column) => {
      header.firstElementChild.onclick = () => {
        const down = column > 0 && header.getAttribute("aria-sort") !== "descending";
        const key = (row) => (column ? (row.cells[column].dataset.value || NaN) * 1 : row.cells[0].textContent);
        const compare = (x, y) => {
          const [p, q] = [key(x), key(y)];
          if (column) return Number.isNaN(p) - Number.isNaN(q) || (down ? q - p : p - q);
          return p < q ? -1 : p > q ? 1 : 0;
        };
        headers.forEach((other) => other.setAttribute("aria-sort", "none"));
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
      };
    });
  }
  // Show the hint to scroll only above tables that are wider than their box.
  const hints = () => {
    for (const hint of all(".hint")) {
      const table = hint.nextElementSibling;
      hint.dataset.wide = table.scrollWidth > table.clientWidth + 1;
    }
  };
  document.addEventListener("toggle", hints, true);
  const theme = byId("theme");
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => (theme.textContent = `Theme: ${dark() ? "dark" : "light"}`);
  theme.hidden = false;
  theme.onclick = () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; label(); };
  label();

  // Open all details while the page is printed.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const node of closed) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of closed) node.open = false;
  });

  let width = innerWidth, timer;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(() => { draw(); hints(); }, 150);
  });
  draw();
  follows();
  hints();
  // Decode the other measures after the first draw.
  const ready = Promise.all(P.values.slice(1).map(decode));
  // Milliseconds since the page was opened; tests read it.
  document.documentElement.dataset.drawn = Math.round(performance.now());
})();
