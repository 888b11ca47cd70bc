/** The bytes of a file. */

/** The bytes of a buffer, also of one from another realm, which `instanceof` does not know. */
export function bytesOf(source, reader) {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  const type = Object.prototype.toString.call(source).slice("[object ".length, -1);
  if (type === "ArrayBuffer" || type === "SharedArrayBuffer") return new Uint8Array(source);
  throw new TypeError(
    `${reader} needs the bytes of a file, a Uint8Array or an ArrayBuffer, not ${type}: ` +
      "read the file without an encoding, and await a Promise",
  );
}
