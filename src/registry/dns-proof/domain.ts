/**
 * Domains and the server names that they may publish: `example.com` may publish `com.example/…` and, as in the official
 * registry, the names of its subdomains, `com.example.<more>/…`.
 */

const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The domain in lower case; undefined when `text` is not a domain. Non-ASCII names must be in `xn--` form. */
export function parseDomain(text: string): string | undefined {
  // Checked before lower-casing, which turns a few non-ASCII letters into ASCII ones.
  if (!/^[\w.-]+$/.test(text)) return undefined;
  const domain = text.toLowerCase();
  const labels = domain.split('.');
  // A text whose last label is a number is an IP address.
  const isName =
    labels.length >= 2 && labels.every((part) => labelPattern.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && domain.length <= 253 ? domain : undefined;
}

/** `example.com` → `com.example`, and back. */
export function reverseDomain(domain: string): string {
  return domain.split('.').reverse().join('.');
}

/** The part of a server name before the slash. */
export function getNamespace(serverName: string): string {
  return serverName.split('/')[0] ?? '';
}

/** Whether the owner of `domain` may publish this name. */
export function isNameOfDomain(serverName: string, domain: string): boolean {
  const namespace = getNamespace(serverName).toLowerCase();
  const prefix = reverseDomain(domain);
  return namespace === prefix || namespace.startsWith(`${prefix}.`);
}
