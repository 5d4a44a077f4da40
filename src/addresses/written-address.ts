/** Addresses as people write them: `3000`, `:3000`, `localhost:3000` and complete URLs. */
import { isLoopbackHost } from './host-address.ts';

const portPattern = /^:?(\d{1,5})\/?$/;
const hostPattern = /^([a-z0-9.-]*[a-z0-9]|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/.*)?$/i;

/**
 * The URL that is meant: a port alone, and a host of this machine without a scheme, is http. What names another host stays as it is:
 * whether a credential is sent in the clear is not guessed.
 */
export function completeAddress(text: string): string {
  const address = text.trim();
  const port = portPattern.exec(address)?.[1];
  if (port !== undefined) return `http://127.0.0.1:${port}`;
  const host = hostPattern.exec(address)?.[1];
  return host !== undefined && isLoopbackHost(host) ? `http://${address}` : address;
}

/** `app.example:3000`: without a scheme, and not of this machine. */
export function isOtherHost(address: string): boolean {
  return hostPattern.test(address) && completeAddress(address) === address.trim();
}
