/** Where a thing came from and what became of it: the chain between window, pool and text. */
import { columnNgram } from "./history.js";
import { isLive, lastInsertion, originOf } from "./provenance.js";
import { count, quoted } from "./sentences.js";

export function addColumn(model, step, lights, col) {
  lights.cols.add(col);
  const ngram = columnNgram(step, col);
  if (!ngram) return;
  const text = ngram.map((token) => model.texts[token]).join("");
  lights.lines.push({ text: `n-gram of column ${col}: ‘${text}’, key ${quoted(model, ngram[0])}` });
  const entry = model.pooled.made.get(`${step.index}:${col}`);
  if (!entry) return;
  lights.entries.add(entry.id);
  addLater(model, lights, entry, step.index);
}

/** What became of an entry after step `index`: tried, accepted, thrown out. */
function addLater(model, lights, entry, index) {
  const tried = entry.tried.find((event) => event.step > index);
  const won = entry.won.find((event) => event.step > index);
  if (won) {
    const candidate = model.steps[won.step].winner;
    lights.lines.push({
      text: `→ step ${won.step}: it gave ${count(won.matched, "token")} of the text`,
      go: { step: won.step, ref: guessRef(model, won.step, candidate) },
    });
  } else if (tried) {
    lights.lines.push({
      text: `→ step ${tried.step}: tried as candidate ${tried.candidate + 1}, another won`,
      go: { step: tried.step, ref: guessRef(model, tried.step, tried.candidate) },
    });
  } else lights.lines.push({ text: "never tried after this pass" });
}

function guessRef(model, index, candidate) {
  return `s:${model.steps[index].candidateSlots[candidate][0]}`;
}

export function addOrigin(model, step, lights, entry) {
  lights.entries.add(entry.id);
  const event = lastInsertion(entry, step.index);
  if (event.col === null) {
    const source = event.source === "rejected" ? "a rejected iterate" : "the text";
    const from = event.step < 0 ? "the prompt" : `${source}, at step ${event.step}`;
    lights.lines.push({ text: `its n-gram entered the pool from ${from}` });
    return;
  }
  lights.lines.push({
    text: `→ step ${event.step}, column ${event.col}: where its n-gram entered the pool`,
    go: { step: event.step, ref: `n:${event.col}` },
  });
}

export function lightEntry(model, step, lights, entry) {
  if (!entry) return false;
  lights.entries.add(entry.id);
  const text = [entry.key, ...entry.tail].map((token) => model.texts[token]).join("");
  lights.title = `‘${text}’, key ${quoted(model, entry.key)}`;
  step.candidates.forEach((_, g) => {
    if (!step.entries || step.entries[g] !== entry) return;
    step.candidateSlots[g].forEach((slot) => lights.slots.add(slot));
  });
  if (isLive(entry, step.index)) addOrigin(model, step, lights, entry);
  for (const event of entry.inserted) {
    if (event.step === step.index && event.col !== null) lightNgramCells(step, lights, event.col);
  }
  const first = entry.inserted[0].step;
  lights.lines.push({
    text: `added ${first < 0 ? "from the prompt" : `at step ${first}`}; in the whole run inserted ` +
      `again ${count(entry.inserted.length - 1, "time")}, tried ${count(entry.tried.length, "time")}`,
  });
  for (const { step: at, matched } of entry.won.slice(0, 4)) {
    lights.lines.push({
      text: `→ step ${at}: it gave ${count(matched, "token")} of the text`,
      go: { step: at, ref: guessRef(model, at, model.steps[at].winner) },
    });
    for (let j = 0; j < matched; j++) lights.outputs.add(model.steps[at].before + j);
  }
  if (entry.evicted !== null) lights.lines.push({ text: `evicted at step ${entry.evicted}` });
  return true;
}

function lightNgramCells(step, lights, col) {
  lights.cols.add(col);
  for (let r = 0; r < step.R; r++) lights.slots.add(r * step.C + col);
  lights.entering.add(col);
}

const SOURCE_WORDS = {
  bonus: "★ the model's own next token",
  greedy: "the model's next token",
  jacobi: "frozen by this Jacobi pass",
};

/** Where a candidate came from that was in no pool. */
function candidateFrom(model, step) {
  if (model.kind !== "draft") return "read from the window";
  return step.copiedFrom === null ? `drafted by ${model.draft}`
    : `copied from position ${step.copiedFrom}`;
}

export function lightOutput(model, step, lights, [index]) {
  const output = model.outputs[index];
  if (!output) return false;
  const origin = originOf(model, index);
  lights.outputs.add(index);
  lights.steps.add(output.step);
  lights.title = `Output token ${index}: ${quoted(model, output.token)}`;
  const maker = model.steps[output.step];
  const ref = origin.candidate === null ? `s:0` :
    `s:${maker.candidateSlots[origin.candidate][output.nth]}`;
  const how = origin.candidate === null ? SOURCE_WORDS[output.source] :
    `✓ guess ${output.nth + 1} of candidate ${origin.candidate + 1}`;
  lights.lines.push({
    text: `→ step ${output.step}: ${how}`,
    go: { step: output.step, ref },
  });
  if (origin.entry) addOrigin(model, maker, lights, origin.entry);
  else if (origin.candidate !== null) lights.lines.push({ text: candidateFrom(model, maker) });
  if (output.step === step.index && origin.candidate !== null) {
    lights.slots.add(step.candidateSlots[origin.candidate][output.nth]);
  }
  return true;
}
