/** `message (CODE)`. A code in brackets at the end of the message, such as that of a connection, shares the brackets: `(ECONNREFUSED, CODE)`. */
export function appendErrorCode(message: string, code: string): string {
  const inner = /^(.* \([A-Z][A-Z\d_]{2,60})\)$/s.exec(message)?.[1];
  return inner === undefined ? `${message} (${code})` : `${inner}, ${code})`;
}
