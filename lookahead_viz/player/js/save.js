/** A view as a file: SVG, or PNG drawn from it. */
import { h, svgText } from "./vdom.js";

const SHARP = 2, MOST_SIDE = 16000, MOST_PIXELS = 1e8;

/** Pixels for one unit of a picture: two, or as many as browsers can draw. */
function sharpness(width, height) {
  return Math.min(SHARP, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
}

/** Save an SVG tree as `name`.svg or .png. Throws where the browser cannot draw it. */
export async function savePicture(tree, name, kind, colours) {
  const { width, height } = tree.attrs;
  const background = h("rect", { width: "100%", height: "100%", fill: colours.background });
  const text = svgText({ ...tree, children: [background, ...tree.children] }, colours);
  if (kind === "svg") {
    download(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
    return;
  }
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(binary)}`;
  await image.decode();
  const canvas = document.createElement("canvas"), scale = sharpness(width, height);
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("the picture is too large");
  download(blob, `${name}.png`);
}

/** Hand a file to the reader. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
