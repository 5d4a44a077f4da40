/** What a tool says of itself, as it is pinned: compared as a whole, shown line by line. */
import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../words.ts';

/** What agents act by; anything else of a definition may change freely. */
const members = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** Larger definitions are cut for showing, and flagged. */
export const mostDefinitionLength = 65_536;

/** Keys in order, so that the same definition is the same text. Cut off where it is nested too deep. */
function ordered(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 40) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((part) => ordered(part, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, ordered(part, depth + 1)]));
}

const texts = new WeakMap<object, string>();

/** The JSON text of a definition. */
export function definitionText(tool: ToolDefinition): string {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const said = members.filter((name) => tool[name] !== undefined).map((name) => [name, ordered(tool[name])] as const);
  const text = JSON.stringify(Object.fromEntries(said));
  texts.set(tool, text);
  return text;
}

const digests = new WeakMap<object, string>();

/** Two definitions with the same digest say the same. */
export function definitionDigest(tool: ToolDefinition): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(definitionText(tool)).digest('base64url');
  digests.set(tool, digest);
  return digest;
}

const mostLines = 400;

/** Each line of a definition with where it stands, such as `description: Makes a ticket`; text is split at its line ends. */
function linesOf(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value.split('\n').map((line) => `${path}: ${visible(line)}`);
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  const parts = Object.entries(value);
  if (parts.length === 0) return [`${path}: ${Array.isArray(value) ? '[]' : '{}'}`];
  return parts.flatMap(([name, part]) => linesOf(part, path === '' ? name : `${path}.${name}`));
}

/** What nobody sees is shown by its number. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (found) => {
    const point = found.codePointAt(0) ?? 0;
    return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/** The lines that went, with `-`, and those that came, with `+`, in the order of the definitions. */
export function differenceOf(before: unknown, after: unknown): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const [kept, known] = [new Set(fresh), new Set(old)];
  const gone = old.filter((line) => !kept.has(line)).map((line) => `- ${line}`);
  const come = fresh.filter((line) => !known.has(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].map((line) => line.slice(0, 500)).slice(0, mostLines);
}
