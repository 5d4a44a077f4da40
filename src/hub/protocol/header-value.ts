/** Values of `Mcp-Name` and `Mcp-Param-…`: printable ASCII as it is, everything else, CR LF above all, as Base64 (SEP-2243). */
const encodedValue = /^=\?base64\?(.*)\?=$/;

export function encodeHeaderValue(value: string): string {
  const isPrintableAscii = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !value.startsWith('=?base64?');
  return isPrintableAscii ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** Undefined if the Base64 is malformed. */
export function decodeHeaderValue(value: string): string | undefined {
  const [, base64] = encodedValue.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined;
}
