/** The cookies that a response sets (RFC 6265, 5.2). */
import type { Observation } from '../observation.ts';

/** `attributes`: names in lower case; the value of one without `=` is empty. */
export type SetCookie = {
  readonly name: string;
  readonly value: string;
  readonly attributes: ReadonlyMap<string, string>;
};

export const cookieAttributes = [
  'Expires',
  'Max-Age',
  'Domain',
  'Path',
  'Secure',
  'HttpOnly',
  'SameSite',
  'Partitioned',
] as const;
export type CookieAttribute = (typeof cookieAttributes)[number];

function splitPair(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

export function parseSetCookie(line: string): SetCookie {
  const [pair = '', ...parts] = line.split(';');
  const [name, value] = splitPair(pair);
  const attributes = parts.map(splitPair).map(([key, text]) => [key.toLowerCase(), text] as const);
  return { name, value, attributes: new Map(attributes) };
}

export function formatSetCookie({ name, value, attributes }: SetCookie): string {
  const parts = [...attributes].map(([key, text]) => (text === '' ? key : `${key}=${text}`));
  return [`${name}=${value}`, ...parts].join('; ');
}

/** The last one of a name, which is the one that a browser keeps. */
export function findSetCookie(cookies: readonly SetCookie[], name: string): SetCookie | undefined {
  return cookies.findLast((cookie) => cookie.name === name);
}

/** In the order of their lines; secrets concealed. */
export function findSetCookies({ setCookies, conceal }: Observation): readonly SetCookie[] {
  return setCookies.map((line) => parseSetCookie(conceal?.(line) ?? line));
}
