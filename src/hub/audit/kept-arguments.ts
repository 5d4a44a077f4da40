/** What the audit keeps of arguments: bounded, without what the policy hides and without what looks like a secret. */
import type { Redaction } from '../words.ts';
import { hidden, withoutSecrets } from './secret-shapes.ts';

const most = { textLength: 1000, keptLength: 8192, depth: 16, members: 200 } as const;

/** The JSON text of arguments as they came; what JSON cannot say is said in words. */
export function argumentText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"[not JSON, or nested too deep]"';
  }
}

/** JSON text of what is kept; undefined where the policy keeps nothing. */
export function keptArguments(value: unknown, { keep, hide }: Redaction): string | undefined {
  if (!keep || value === undefined) return undefined;
  const text = argumentText(shortened(value, '', new Set(hide), 0));
  return text.length <= most.keptLength ? text : JSON.stringify(`[${text.length} characters are not kept]`);
}

function shortened(value: unknown, pointer: string, hide: ReadonlySet<string>, depth: number): unknown {
  if (hide.has(pointer)) return hidden;
  if (typeof value === 'string') return shortText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= most.depth) return '[nested too deep]';
  const inner = (part: unknown, name: string) => shortened(part, `${pointer}/${pointerPart(name)}`, hide, depth + 1);
  if (Array.isArray(value)) return value.slice(0, most.members).map((part, at) => inner(part, String(at)));
  const members = Object.entries(value).slice(0, most.members);
  return Object.fromEntries(members.map(([name, part]) => [withoutSecrets(name.slice(0, 200)), inner(part, name)]));
}

/** A name as a part of a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shortText(text: string): string {
  // What is cut off is cut before it is looked at, a little later than what is kept: a secret must not show by its half.
  const looked = withoutSecrets(text.slice(0, 2 * most.textLength));
  return looked.length <= most.textLength && text.length <= 2 * most.textLength
    ? looked
    : `${looked.slice(0, most.textLength)}… [${text.length} characters]`;
}
