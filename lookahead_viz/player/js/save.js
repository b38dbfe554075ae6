/** A view as a file: SVG, or PNG drawn from it. */
import { h, svgText } from "./vdom.js";

/** Save an SVG tree as `name`.svg or .png. */
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
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * 2);
  canvas.height = Math.ceil(height * 2);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
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
