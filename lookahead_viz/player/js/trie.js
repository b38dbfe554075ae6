/** The candidates of a step as a trie: equal prefixes are one node (`views/tree.py`). */
import { hides } from "./ask.js";
import { drawComparison, drawSentence, noNgram, quoted, whyNothingDrafted } from "./sentences.js";
import { h } from "./vdom.js";
import { paint, roomIn, shorten } from "./words.js";

/**
 * The nodes, placed: node 0 is the current token, the last one the model's own token.
 * @returns {{id:number, parent:number|null, depth:number, y:number, token:number, state:string,
 *   slots:number[], origins:number[][], wanted:number|null, draw:object|null}[]}
 * @param {boolean} pending the verdict is not told yet: no states, no own token
 */
export function trieOf(step, pending = false) {
  const proven = step.accepted.concat(step.discarded);
  const nodes = [{ id: 0, parent: null, depth: 0, token: step.tokens[0], slots: [], origins: [],
    wanted: proven[0], state: "current", children: [], draw: null }];
  step.candidates.forEach((tail, g) => {
    let node = nodes[0];
    tail.forEach((token, j) => {
      // on the path of a sampled text the drawn token, not the most likely one
      const own = step.draws.length && j < step.matched[g] ? proven[j + 1]
        : step.candidatePredictions[g][j];
      node = childOf(nodes, node, token, own);
      const slot = step.candidateSlots[g][j];
      if (!node.slots.includes(slot)) node.slots.push(slot);
      node.origins.push([g, j]);
    });
  });
  for (const draw of pending ? [] : step.draws) giveDraw(nodes, draw);
  const matched = step.winner === null ? 0 : step.matched[step.winner];
  for (const child of breadthFirst(nodes)) {
    child.state = pending ? "pending" : stateOf(nodes, child, matched, step);
  }
  if (!pending) addBonus(nodes, step);
  placeNodes(nodes);
  return nodes;
}

function giveDraw(nodes, draw) {
  const mine = ([g, j]) => g === draw.candidates[0] && j === draw.depth;
  const node = nodes.find((one) => one.origins.some(mine));
  if (node) node.draw = draw;
}

function childOf(nodes, parent, token, wanted) {
  const known = parent.children.find((id) => nodes[id].token === token);
  if (known !== undefined) return nodes[known];
  const made = { id: nodes.length, parent: parent.id, depth: parent.depth + 1, token, slots: [],
    origins: [], wanted, state: "", children: [], draw: null };
  parent.children.push(made.id);
  nodes.push(made);
  return made;
}

function breadthFirst(nodes) {
  const found = [nodes[0]];
  for (let i = 0; i < found.length; i++) found.push(...found[i].children.map((id) => nodes[id]));
  return found.slice(1);
}

function stateOf(nodes, node, matched, step) {
  const parent = nodes[node.parent];
  if (["rejected", "pruned", "faded", "capped"].includes(parent.state)) return "faded";
  if (node.token !== parent.wanted) {
    return step.draws.length && !node.draw ? "pruned" : "rejected";
  }
  if (node.depth > matched) return "capped";
  return node.depth <= step.accepted.length ? "accepted" : "cut";
}

function addBonus(nodes, step) {
  const path = breadthFirst(nodes).filter((node) => ["accepted", "cut"].includes(node.state));
  const end = path.length ? path[path.length - 1] : nodes[0];
  end.children.push(nodes.length);
  nodes.push({ id: nodes.length, parent: end.id, depth: end.depth + 1, token: end.wanted,
    slots: [], origins: [], wanted: null, children: [],
    state: end.depth < step.accepted.length ? "bonus" : "cut bonus",
    draw: step.draws[step.draws.length - 1] || null });
}

/** Leaves one below the other, parents beside the middle of their children. */
function placeNodes(nodes) {
  let leaves = 0;
  const visit = (node) => {
    node.children.forEach((id) => visit(nodes[id]));
    const ends = [node.children[0], node.children[node.children.length - 1]];
    node.y = node.children.length ? (nodes[ends[0]].y + nodes[ends[1]].y) / 2 : leaves++;
  };
  visit(nodes[0]);
}

const GLYPHS = { accepted: "✓ ", cut: "✓ ", bonus: "★ ", "cut bonus": "★ ", rejected: "✗ " };
const NODE_FILLS = {
  current: "committed", accepted: "accepted", cut: "guess", bonus: "bonus", "cut bonus": "guess",
  capped: "guess", pending: "guess", rejected: "rejected", pruned: "guess",
  faded: "guess",
};
const MEANINGS = {
  current: "the current token: the key of all candidates",
  accepted: "✓ the model's own token here: accepted",
  cut: "✓ proven too, but cut off because the run ends",
  bonus: "★ the model's own next token: accepted as well",
  "cut bonus": "★ the model's own next token, cut off because the run ends",
  pending: "a guess, not verified yet",
  capped: "right, but the original code cannot see a full match",
  rejected: "✗ not the model's token here: rejected",
  pruned: "not asked: the sampled text went another way",
  faded: "follows a rejected guess: never reached",
};

/** Why there are no candidates, in one sentence; "" when there are. */
export function trieNote(model, step) {
  if (step.candidates.length) return "";
  if (model.kind === "draft") {
    const why = whyNothingDrafted(model, step);
    return `${why[0].toUpperCase()}${why.slice(1)}.`;
  }
  if (step.phase === "warm-up") {
    return "Warm-up: the window is not full yet, so nothing is verified.";
  }
  if (step.phase === "alone") {
    return "The model's position limit is near: the current token is fed alone.";
  }
  if (model.blocks) return `${noNgram(model, step)}: the blocks alone are verified.`;
  if (!model.G) return "With G = 0 nothing is verified: each pass accepts 1 token.";
  return `${noNgram(model, step)}: this pass can only accept 1 token.`;
}

/** The trie as SVG. */
export function trieView(model, step, look, lights) {
  const nodes = trieOf(step, hides(look, "verdict"));
  const leaves = 1 + Math.max(...nodes.map((node) => Math.round(node.y)));
  const depths = Math.max(model.kind === "draft" ? model.longest + 2 : (model.N || 2) + 1, 2);
  const { width, px } = look;
  const least = step.draws.length ? px * 2.1 + 16 : px * 2.1; // room for what was drawn
  const column = Math.max(width / depths, 54), line = Math.max(least,
    Math.min(look.px * 3.2, (look.height * 0.6 - px - 11) / leaves));
  const small = Math.max(11, px - 4), top = px + 7;
  const height = top + 4 + line * leaves;
  const at = (node) => [(node.depth + 0.5) * column, top + (node.y + 0.5) * line];
  const edges = nodes.slice(1).map((node) => edge(at(nodes[node.parent]), at(node), node));
  const boxes = nodes.map((node) => box(model, node, at(node), column, line, look, lights));
  // the offsets of the window: at each stands a guess, the model's own token (★), or both
  const titles = Array.from({ length: depths }, (_, j) => [j ? `+${j}` : "current", j]);
  const note = trieNote(model, step);
  return h("svg", {
    viewBox: `0 0 ${column * depths} ${height}`, width: column * depths, height,
    role: "group", "aria-label": `Candidates${note && ". "}${note}`, "font-family": look.mono,
  }, ...titles.map(([text, j]) => h("text", {
    x: (j + 0.5) * column, y: small + 1, "font-size": small, "text-anchor": "middle", fill: "var(--lv-muted)",
    "font-family": look.font,
  }, text)), ...edges, ...boxes);
}

function edge([x1, y1], [x2, y2], node) {
  const strong = ["accepted", "bonus", "cut", "cut bonus"].includes(node.state);
  return h("path", {
    d: `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`, fill: "none",
    stroke: strong ? "var(--lv-accepted)" : "var(--lv-outline)", "stroke-width": strong ? 3 : 1.2,
    "stroke-dasharray": node.state.includes("bonus") ? "5 3" : null,
    opacity: node.state === "faded" ? 0.45 : 1,
  });
}

function box(model, node, [x, y], column, line, look, lights) {
  const { fill, ink } = paint(NODE_FILLS[node.state]);
  const width = column * 0.8, height = Math.min((line - (node.draw ? 14 : 0)) * 0.78,
    look.px * 2.3);
  const glyph = GLYPHS[node.state] || "", lit = node.slots.some((slot) => lights.slots.has(slot));
  const shared = Math.max(node.slots.length, node.origins.length);
  const rows = shared > 1 ? ` ×${shared}` : "";
  const room = roomIn(width, look.px) - glyph.length - rows.length;
  const text = glyph + shorten(model.texts[node.token], room) + rows;
  const what = node.draw ? drawSentence(node.draw) : MEANINGS[node.state];
  const label = `${quoted(model, node.token)}. ${what}.`;
  const faded = ["faded", "pruned"].includes(node.state);
  return h("g", {
    role: "button", tabindex: -1, "data-cell": "trie", "aria-label": label,
    "data-ref": node.slots.length ? `g:${node.slots.join(",")}` : "s:0",
    opacity: faded && !lit ? 0.6 : 1,
  }, h("rect", {
    x: x - width / 2, y: y - height / 2, width, height, rx: 5, fill,
    stroke: lit ? "var(--lv-cursor)" : "var(--lv-outline)", "stroke-width": lit ? 3 : 1,
    "stroke-dasharray": faded ? "3 3" : null,
  }), h("text", {
    x, y: y + look.px * 0.36, "text-anchor": "middle", "font-size": look.px, fill: ink,
  }, text), node.draw ? h("text", {
    x, y: y + height / 2 + 11, "text-anchor": "middle", "font-size": 11, fill: "var(--lv-muted)",
    "font-family": look.font,
  }, drawComparison(node.draw)) : null);
}
