/** What the page shows of an opened file's table. */

/**
 * @param {any} pw
 * @param {any} file as pw.openGguf gives it
 */
export function describeFile(pw, file) {
  const { size, version, alignment, littleEndian, dataStart, metadata, tensors } = file;
  return {
    size,
    version,
    alignment,
    littleEndian,
    dataStart,
    ...describeMetadata(metadata),
    tensors: tensors.map((tensor) => describeTensor(pw, file, tensor)),
  };
}

/** @param {Map<string, any>} metadata also what has been read of it so far */
export function describeMetadata(metadata) {
  return {
    metadataCount: metadata.size,
    metadata: [...metadata].slice(0, 500).map(([key, value]) => [key, shortly(value)]),
  };
}

function describeTensor(pw, file, tensor) {
  const { name, ne, shape, encoding, ggmlType, typeName, offset, byteLength } = tensor;
  const format = encoding ? pw.encodings[encoding] : null;
  return {
    name,
    ne: [...ne],
    shape: [...shape],
    encoding,
    ggmlType,
    typeName,
    offset,
    byteLength,
    blockElements: format?.elements ?? 0,
    blockBytes: format?.bytes ?? 0,
    scaleAt: format ? scaleAt(format) : null,
    refusal: refusalOf(file, name),
  };
}

/** Why a tensor cannot be read, in the package's words. */
function refusalOf(file, name) {
  try {
    file.range(name);
    return null;
  } catch ({ code, message, offset }) {
    return { code, message, offset };
  }
}

/** Where in a block the two bytes are that grow with its size; null where no single field says it. */
function scaleAt({ name, fields }) {
  if (name in PLAIN) return PLAIN[name];
  return fields.find((field) => field.name === 'd' && field.type === 'f16')?.offset ?? null;
}

/** The upper bytes of a plain value. @type {Record<string, number>} */
const PLAIN = { F16: 0, BF16: 0, F32: 2 };

/** @param {any} value long lists are not read for being shown */
function shortly(value) {
  const length = value?.length;
  if (typeof value === 'object' && value !== null) {
    return `${length ?? value.count ?? 'many'} values`;
  }
  const text = String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
