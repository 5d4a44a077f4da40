/** Addresses as people write them: `3000`, `:3000`, `localhost:3000` and complete URLs. */

/** The URL that is meant: a port alone is one of this machine, and an address without a scheme is http. */
export function completeAddress(text: string): string {
  const trimmed = text.trim();
  const port = /^:?(\d+)$/.exec(trimmed)?.[1];
  const address = port === undefined ? trimmed : `127.0.0.1:${port}`;
  return hasScheme(address) ? address : `http://${address}`;
}

export function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
