// A page to play with: the online game on a small class, or a walk through a tree of questions.
// Plain JavaScript, which loads nothing. Names come from declarations and may hold anything, so they
// only ever become text.
"use strict";

// The version spaces of a class of at most 32 hypotheses. A version space is a number, and its bit i
// says whether hypothesis i is in it; rows[i][x] is the label of hypothesis i at point x.
function solver(rows) {
  const columns = rows[0].map((_, x) => {
    const masks = new Map();
    rows.forEach((row, i) => masks.set(row[x], (masks.get(row[x]) || 0) | (1 << i)));
    return [...masks].sort((a, b) => a[0] - b[0]);
  });
  const all = rows.reduce((mask, _, i) => mask | (1 << i), 0);
  const known = new Map([[0, -1]]);
  const log = n => 31 - Math.clz32(n); // rounded down

  function size(V) {
    let count = 0;
    for (; V; V &= V - 1) count++;
    return count;
  }

  // Pairs of a label that some hypothesis of V gives, and the version space after it.
  function sides(V, x) {
    return columns[x].map(([y, mask]) => [y, V & mask]).filter(side => side[1] !== 0);
  }

  // The Littlestone dimension: the second deepest side of a point, and one more, for the best point.
  function dimension(V) {
    if (known.has(V)) return known.get(V);
    let best = 0;
    const most = log(size(V));
    for (let x = 0; x < columns.length && best < most; x++) {
      const parts = sides(V, x).map(side => side[1]).sort((a, b) => size(b) - size(a));
      if (parts.length < 2 || log(size(parts[1])) < best) continue;
      const depths = parts.map(dimension).sort((a, b) => b - a);
      best = Math.max(best, depths[1] + 1);
    }
    known.set(V, best);
    return best;
  }

  // The prediction of the standard optimal algorithm: the first label that keeps the dimension, or
  // the last possible one.
  function predict(V, x) {
    const parts = sides(V, x);
    const kept = parts.find(side => dimension(side[1]) === dimension(V));
    return (kept || parts[parts.length - 1])[0];
  }

  // A point at which every prediction can be called wrong without losing more than one mistake.
  function ask(V) {
    const enough = dimension(V) - 1;
    const deep = x => sides(V, x).filter(side => dimension(side[1]) >= enough).length > 1;
    return enough < 0 ? null : columns.findIndex((_, x) => deep(x));
  }

  // The label that contradicts a prediction and lowers the dimension least.
  function contradict(V, x, prediction) {
    const others = sides(V, x).filter(side => side[0] !== prediction);
    return others.reduce((a, b) => (dimension(b[1]) > dimension(a[1]) ? b : a))[0];
  }

  return { all, size, sides, dimension, predict, ask, contradict };
}

// An element with attributes, and with texts or elements in it.
function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const times = n => (n === 1 ? "once" : n === 2 ? "twice" : `${n} times`);
const left = n => `${n} hypothes${n === 1 ? "is" : "es"}`;
const tone = y => (y % 2 ? "on" : "off");

function boxes(rows) {
  const row = ([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value));
  return el("dl", { class: "facts" }, ...rows.map(row));
}

// A button to choose something, with what comes of it in smaller letters.
function choice(text, note, attributes) {
  const small = note ? el("small", null, note) : "";
  return el("button", { type: "button", ...attributes }, el("b", null, text), " ", small);
}

function game(data, root) {
  const S = solver(data.rows);
  const highest = S.dimension(S.all);
  const said = el("p", { role: "status", class: "said" });
  const modes = { predict: "You predict", answer: "You answer" };
  const sides = Object.entries(modes).map(([name, text]) =>
    choice(text, "", { onclick: () => begin(name) })
  );
  const counts = el("div");
  const panel = el("div");
  const label = y => data.labels[y];
  let mode, V, point, mistakes, log, asked;

  function begin(chosen) {
    [mode, V, mistakes, log, asked] = [chosen, S.all, 0, [], new Map()];
    const predicts = mode === "predict";
    point = predicts && highest ? S.ask(V) : null;
    said.textContent = predicts
      ? `The adversary asks and you predict. It ${highest ? `can make you err ${times(highest)}` : "cannot make you err"}.`
      : "You ask and answer, and the standard optimal algorithm predicts. " +
        `Can you make it err more than ${times(highest)}?`;
    Object.keys(modes).forEach((name, i) => sides[i].setAttribute("aria-pressed", name === mode));
    draw();
  }

  // The keyboard goes on where a person answers next, because the button that was pressed is gone.
  function goOn() {
    const next = panel.querySelector(".choices button:enabled") || panel.querySelector(".again");
    next.focus();
  }

  // The end of a round: the label is y, and the other side predicted.
  function reveal(prediction, y) {
    const [before, wrong, x] = [S.dimension(V), prediction !== y, data.points[point]];
    V = S.sides(V, point).find(side => side[0] === y)[1];
    const now = S.dimension(V);
    mistakes += wrong;
    asked.set(point, y);
    const who = mode === "predict" ? ["You predicted", "The adversary says"] : ["It predicted", "You say"];
    const fell =
      now < before
        ? `The dimension falls from ${before} to ${now}.`
        : `The dimension stays ${now}.` +
          (mode === "predict" ? " Another prediction would have lowered it." : "");
    const round = `${who[0]} ${label(prediction)} at ${x}. ${who[1]} ${label(y)}: ` +
      `${wrong ? "a mistake" : "right"}. ${fell}`;
    log.push(round);
    point = mode === "predict" && now ? S.ask(V) : null;
    said.textContent = now ? round : `${round} ${verdict()}`;
    draw();
    goOn();
  }

  function verdict() {
    const last = data.hypotheses[31 - Math.clz32(V)];
    const over = `The game is over: only "${last}" is left. `;
    if (mode === "answer")
      return over + `The algorithm erred ${times(mistakes)}; its limit is ${highest}.`;
    return mistakes > highest
      ? over + `You erred ${times(mistakes)}. The standard optimal algorithm errs ${times(highest)} at most.`
      : over + `You erred ${times(mistakes)}. Against this adversary nobody errs less often.`;
  }

  function draw() {
    const now = S.dimension(V);
    counts.replaceChildren(
      boxes([
        [mode === "predict" ? "Your mistakes" : "Its mistakes", String(mistakes)],
        ["Dimension now", String(now)],
        ["Hypotheses left", `${S.size(V)} of ${data.rows.length}`],
      ])
    );
    panel.replaceChildren(
      el("div", { class: "ask" }, ...question(now)),
      space(),
      log.length > 1 ? el("h2", null, "Rounds so far") : "",
      log.length > 1 ? el("ol", { class: "log" }, ...log.map(text => el("li", null, text))) : ""
    );
    // A wide table shows the point in question.
    const [column, shown] = [panel.querySelector(".now"), panel.querySelector(".scroll")];
    if (column) shown.scrollLeft = column.offsetLeft - shown.clientWidth / 2;
  }

  // What a person is asked now, and the buttons to answer.
  function question(now) {
    if (!now) {
      const again = { class: "again", onclick: () => { begin(mode); goOn(); } };
      return [el("p", { class: "question" }, "The game is over."), choice("Play again", "", again)];
    }
    if (point === null) {
      const text = "Which point do you ask?";
      return [el("p", { class: "question" }, text), pointChoices(text)];
    }
    const x = data.points[point];
    const prediction = mode === "answer" ? S.predict(V, point) : null;
    const text =
      mode === "predict"
        ? `Round ${log.length + 1}: what is the label of ${x}?`
        : `The algorithm predicts ${label(prediction)} at ${x}. What is the label?`;
    const buttons = S.sides(V, point).map(([y, W]) =>
      choice(label(y), `dimension ${S.dimension(W)}, ${left(S.size(W))}`, {
        class: tone(y),
        onclick: () =>
          mode === "predict" ? reveal(y, S.contradict(V, point, y)) : reveal(prediction, y),
      })
    );
    const other = { class: "plain", onclick: () => pick(null) };
    return [
      el("p", { class: "question" }, text),
      el("div", { class: "choices", role: "group", "aria-label": text }, ...buttons),
      mode === "answer" ? choice("Another point", "", other) : "",
    ];
  }

  function pointChoices(text) {
    const button = (name, x) =>
      choice(name, "", { disabled: S.sides(V, x).length < 2, onclick: () => pick(x) });
    const group = { class: "choices points", role: "group", "aria-label": text };
    return el("div", group, ...data.points.map(button));
  }

  function pick(x) {
    point = x;
    if (x !== null)
      said.textContent = `The algorithm predicts ${label(S.predict(V, x))} at ${data.points[x]}.`;
    draw();
    goOn();
  }

  // The table of hypotheses and points; a refuted hypothesis is grey.
  function space() {
    const mark = x => (asked.has(x) ? `is ${label(asked.get(x))}` : x === point ? "?" : "");
    const on = x => (x === point ? "asked now" : asked.has(x) ? "asked" : null);
    const head = data.points.map((name, x) =>
      el("th", { scope: "col", class: on(x) }, name, " ", el("small", null, mark(x)))
    );
    const body = data.rows.map((row, i) => {
      const out = !((V >>> i) & 1);
      const name = el("th", { scope: "row" }, data.hypotheses[i]);
      if (out) name.append(el("span", { class: "unseen" }, " (refuted)"));
      const cells = row.map((y, x) => el("td", { class: on(x) }, el("span", { class: tone(y) }, label(y))));
      return el("tr", { class: out ? "out" : null }, name, ...cells);
    });
    const table = el("table", { class: "space" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Hypothesis"), ...head)),
      el("tbody", null, ...body));
    const named = { class: "scroll", tabindex: "0", role: "region", "aria-label": "The version space" };
    return el("div", named, table);
  }

  const side = { class: "modes", role: "group", "aria-label": "Your side" };
  root.append(el("div", side, ...sides), counts, said, panel);
  begin("predict");
}

function walk(data, root) {
  const many = (function count(node) {
    return node.after.reduce((sum, [, , below]) => sum + count(below), 1);
  })(data.tree) > 31;
  const said = el("p", { role: "status", class: "unseen" });
  const card = el("section", { class: "ask", "aria-label": "Where you are" });
  const whole = el("div");
  let path = []; // the numbers of the sides that were taken

  const at = steps => steps.reduce((node, side) => node.after[side][2], data.tree);
  const taken = () =>
    path.map((side, i) => `${at(path.slice(0, i)).text}: ${at(path.slice(0, i)).after[side][0]}`);

  function go(to, back) {
    path = to;
    draw();
    const node = at(path);
    said.textContent = [...taken(), node.text, node.note].filter(Boolean).join(", ");
    const here = whole.querySelector("[aria-current]");
    (back ? here : card.querySelector(".choices button") || card.querySelector("button")).focus();
  }

  function draw() {
    const node = at(path);
    const kind = node.cut ? "Not drawn" : node.after.length ? data.names.question : data.names.end;
    const buttons = node.after.map(([y, tone, below], side) =>
      choice(y, [below.text, below.note].filter(Boolean).join(" · "), {
        class: tone,
        onclick: () => go([...path, side]),
      })
    );
    const none = path.length === 0;
    card.replaceChildren(
      el("p", { class: "path" }, none ? "Start" : taken().join(" → ")),
      el("p", { class: "kind" }, kind),
      el("p", { class: "here" }, node.text),
      node.note ? el("p", { class: "note" }, node.note) : "",
      buttons.length ? el("div", { class: "choices" }, ...buttons) : "",
      el("div", { class: "choices points" },
        choice("Back", "", { disabled: none, onclick: () => go(path.slice(0, -1)) }),
        choice("Start again", "", { disabled: none, onclick: () => go([]) }))
    );
    whole.replaceChildren(el("ul", { class: "tree" }, branch(data.tree, [], "", "")));
  }

  // A node with all below it; in a large tree, only what is on the path and beside it.
  function branch(node, steps, y, tone) {
    const on = steps.every((side, i) => path[i] === side);
    const here = on && steps.length === path.length;
    const open = node.after.length && (!many || on);
    const button = el("button",
      { type: "button", class: on ? "taken" : null, "aria-current": here ? "step" : null,
        onclick: () => go(steps, true) },
      y ? el("b", { class: tone }, y) : "",
      ` ${node.text} `,
      node.note ? el("small", null, node.note) : "");
    const below = open
      ? node.after.map(([z, hue, child], side) => branch(child, [...steps, side], z, hue))
      : [];
    return el("li", null, button, below.length ? el("ul", null, ...below) : "");
  }

  root.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const sides = at(path).after.length;
    if (event.key === "ArrowLeft" && sides) go([...path, 0]);
    else if (event.key === "ArrowRight" && sides) go([...path, sides - 1]);
    else if (event.key === "ArrowUp" && path.length) go(path.slice(0, -1));
    else return;
    event.preventDefault();
  });

  root.append(said, card, el("p", { class: "note" },
    "Keys: left takes the first answer, right the last one, up goes back."), el("h2", null, "The tree"), whole);
  draw();
}

if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.getElementById("play");
  root.replaceChildren();
  (data.kind === "game" ? game : walk)(data, root);
}
