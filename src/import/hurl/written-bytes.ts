/** `base64,…;` and `hex,…;` of hurl. */

/** Undefined for `file,…;`, and for bytes that are no text of printable characters, tabs and line breaks. */
export function decodeWrittenBytes(text: string): string | undefined {
  const [, encoding, value = ''] = /^(base64|hex),\s*([\w+/=\s]*?)\s*;$/.exec(text.trim()) ?? [];
  if (encoding === undefined) return undefined;
  const bytes = encoding === 'hex' ? decodeHex(value) : decodeBase64(value.replaceAll(/\s/g, ''));
  if (!bytes) return undefined;
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /^[^\p{Cc}\uFEFF]*$/u.test(decoded.replaceAll(/[\t\n\r]/g, '')) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function decodeHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
}
