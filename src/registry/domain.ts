/**
 * Domains and the names that they may publish under: `example.com` has `com.example/…` and, as in the official registry,
 * `com.example.<more>/…`, which are the names of its subdomains.
 */

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A domain in lower case; undefined for what is none. Others than ASCII names are given in their `xn--` form. */
export function domainOf(text: string): string | undefined {
  // Before it is made lower case, which turns a few other letters into ASCII ones.
  if (!/^[\w.-]+$/.test(text)) return undefined;
  const domain = text.toLowerCase();
  const labels = domain.split('.');
  // The last label of a domain is never a number; with one it is an IP address.
  const isName = labels.length >= 2 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && domain.length <= 253 ? domain : undefined;
}

/** `example.com` → `com.example`, and back. */
export function reversed(domain: string): string {
  return domain.split('.').reverse().join('.');
}

/** The part of a server's name before the slash. */
export function namespaceOf(serverName: string): string {
  return serverName.split('/')[0] ?? '';
}

/** Whether whoever proved `domain` may publish under this name. */
export function belongsTo(serverName: string, domain: string): boolean {
  const namespace = namespaceOf(serverName).toLowerCase();
  const own = reversed(domain);
  return namespace === own || namespace.startsWith(`${own}.`);
}
