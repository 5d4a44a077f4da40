/**
 * The stored form of arguments: bounded, without fields that the policy hides and without text that looks like a
 * secret.
 */
import { getNumberText } from '../../json/exact-json.ts';
import type { Redaction } from '../policy/call-policy.ts';
import { hiddenSecretMark, redactSecrets } from './secret-patterns.ts';

const limits = { textLength: 1000, storedLength: 8192, depth: 16, members: 200, searchedLength: 65_536 } as const;

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
  const room = { stored: limits.storedLength, searched: limits.searchedLength };
  const text = toJsonText(shorten(value, '', { hide: new Set(hide), room }, 0));
  const isStored = !isFull(room) && text.length <= limits.storedLength;
  return isStored ? text : JSON.stringify(`[more than ${limits.storedLength} characters are not stored]`);
}

/** What is left of the characters that may be stored, and be searched for secrets: both take time. */
type Room = { stored: number; searched: number };
type Shortening = { readonly hide: ReadonlySet<string>; readonly room: Room };

function isFull({ stored, searched }: Room): boolean {
  return stored < 0 || searched < 0;
}

function shorten(value: unknown, pointer: string, shortening: Shortening, depth: number): unknown {
  const { hide, room } = shortening;
  // Each value has a character at least.
  room.stored -= 1;
  if (isFull(room)) return null;
  if (hide.has(pointer)) return hiddenSecretMark;
  if (typeof value === 'string') return shortenText(value, room);
  if (typeof value !== 'object' || value === null) return value;
  const number = getNumberText(value);
  if (number !== undefined) return number.length <= limits.textLength ? value : shortenText(number, room);
  if (depth >= limits.depth) return '[nested too deep]';
  const shortenMember = (member: unknown, name: string) =>
    shorten(member, `${pointer}/${toPointerPart(name)}`, shortening, depth + 1);
  if (Array.isArray(value))
    return value.slice(0, limits.members).map((member, index) => shortenMember(member, String(index)));
  const members = Object.entries(value).slice(0, limits.members);
  return Object.fromEntries(
    members.map(([name, member]) => [isFull(room) ? '' : redactName(name, room), shortenMember(member, name)]),
  );
}

/** A member name as a segment of a JSON pointer (RFC 6901). */
export function toPointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function redactName(name: string, room: Room): string {
  const redacted = redactSecrets(name.slice(0, 200));
  room.searched -= Math.min(name.length, 200);
  room.stored -= redacted.length;
  return redacted;
}

function shortenText(text: string, room: Room): string {
  // Secrets are redacted in a slightly longer text than is stored, so that a secret at the cut does not show in part.
  const redacted = redactSecrets(text.slice(0, 2 * limits.textLength));
  room.searched -= Math.min(text.length, 2 * limits.textLength);
  room.stored -= Math.min(redacted.length, limits.textLength);
  return redacted.length <= limits.textLength && text.length <= 2 * limits.textLength
    ? redacted
    : `${redacted.slice(0, limits.textLength)}… [${text.length} characters]`;
}
