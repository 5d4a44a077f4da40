/**
 * The stored form of arguments: bounded, without fields that the policy hides and without text that looks like a
 * secret.
 */
import { getNumberText } from '../../json/exact-json.ts';
import type { Redaction } from '../types.ts';
import { hiddenSecretMark, redactSecrets } from './secret-patterns.ts';

const limits = { textLength: 1000, storedLength: 8192, depth: 16, members: 200 } as const;

/** The JSON text of the original arguments; a placeholder if they cannot be serialized. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"[not JSON, or nested too deep]"';
  }
}

/** Returns undefined if the policy stores no arguments. */
export function redactArguments(value: unknown, { keep, hide }: Redaction): string | undefined {
  if (!keep || value === undefined) return undefined;
  const text = toJsonText(shorten(value, '', new Set(hide), 0));
  return text.length <= limits.storedLength ? text : JSON.stringify(`[${text.length} characters are not stored]`);
}

function shorten(value: unknown, pointer: string, hide: ReadonlySet<string>, depth: number): unknown {
  if (hide.has(pointer)) return hiddenSecretMark;
  if (typeof value === 'string') return shortenText(value);
  if (typeof value !== 'object' || value === null) return value;
  const number = getNumberText(value);
  if (number !== undefined) return number.length <= limits.textLength ? value : shortenText(number);
  if (depth >= limits.depth) return '[nested too deep]';
  const shortenMember = (member: unknown, name: string) =>
    shorten(member, `${pointer}/${toPointerPart(name)}`, hide, depth + 1);
  if (Array.isArray(value))
    return value.slice(0, limits.members).map((member, index) => shortenMember(member, String(index)));
  const members = Object.entries(value).slice(0, limits.members);
  return Object.fromEntries(
    members.map(([name, member]) => [redactSecrets(name.slice(0, 200)), shortenMember(member, name)]),
  );
}

/** A member name as a segment of a JSON pointer (RFC 6901). */
export function toPointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shortenText(text: string): string {
  // Secrets are redacted in a slightly longer text than is stored, so that a secret at the cut does not show in part.
  const redacted = redactSecrets(text.slice(0, 2 * limits.textLength));
  return redacted.length <= limits.textLength && text.length <= 2 * limits.textLength
    ? redacted
    : `${redacted.slice(0, limits.textLength)}… [${text.length} characters]`;
}
