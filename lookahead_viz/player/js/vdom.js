/** Pictures as plain trees: patched into the page by place, or written out as SVG. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {{tag: string, attrs: object, children: (object|string)[]}} Node
 */

/** A node. Texts stay texts: nothing here ever parses markup. */
export function h(tag, attrs, ...children) {
  return { tag, attrs: attrs || {}, children: children.flat(3).filter((c) => c != null && c !== false) };
}

/** Make the children of `parent` look like `nodes` (null: nothing), reusing what is there, by place. */
export function patch(parent, nodes, space = null) {
  let child = parent.firstChild;
  for (const node of nodes) {
    if (node != null && node !== false) child = place(parent, child, node, space).nextSibling;
  }
  while (child) {
    const next = child.nextSibling;
    parent.removeChild(child);
    child = next;
  }
}

function place(parent, child, node, space) {
  if (typeof node !== "object") return placeText(parent, child, String(node));
  const inner = node.tag === "svg" ? SVG : space;
  let element = child;
  if (!child || child.lvTag !== node.tag) {
    element = inner ? document.createElementNS(inner, node.tag) : document.createElement(node.tag);
    element.lvTag = node.tag;
    element.lvAttrs = {};
    if (child) parent.replaceChild(element, child);
    else parent.appendChild(element);
  }
  setAttributes(element, node.attrs);
  if (!node.attrs["data-own"]) patch(element, node.children, inner);
  return element;
}

function placeText(parent, child, text) {
  if (child && child.nodeType === 3) {
    if (child.data !== text) child.data = text;
    return child;
  }
  const made = document.createTextNode(text);
  if (child) parent.replaceChild(made, child);
  else parent.appendChild(made);
  return made;
}

function setAttributes(element, attrs) {
  const before = element.lvAttrs;
  for (const name in attrs) {
    const value = attrs[name];
    if (value === before[name]) continue;
    if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
    if (name === "value" && element.value !== String(value)) element.value = String(value);
  }
  for (const name in before) if (!(name in attrs)) element.removeAttribute(name);
  element.lvAttrs = attrs;
}

/** An SVG tree as text, with the theme's variables replaced by their colours. */
export function svgText(node, colours) {
  const attrs = { xmlns: SVG, ...node.attrs };
  return writeNode({ ...node, attrs }, colours);
}

function writeNode(node, colours) {
  if (typeof node !== "object") return escapeMarkup(String(node));
  const attrs = Object.entries(node.attrs)
    .filter(([name, value]) => value != null && value !== false && !/^(data-|tabindex)/.test(name))
    .map(([name, value]) => ` ${name}="${escapeMarkup(withColours(String(value), colours))}"`);
  const inside = node.children.map((child) => writeNode(child, colours)).join("");
  return `<${node.tag}${attrs.join("")}>${inside}</${node.tag}>`;
}

function withColours(text, colours) {
  return text.replace(/var\(--lv-([a-z0-9-]+)\)/g, (_, name) => colours[name] || "none");
}

function escapeMarkup(text) {
  const safe = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  return safe.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
