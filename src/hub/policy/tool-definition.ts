/** The definition of a tool as it is pinned: compared as a whole, displayed as a diff. */
import { createHash } from 'node:crypto';
import type { UpstreamTool } from '../types.ts';

/** The members that agents act on; the others may change freely. */
const pinnedMembers = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** Larger definitions are truncated for display and flagged. */
export const maxDefinitionLength = 65_536;

/** Sorts keys, so that equal definitions have equal text. Truncates deep nesting. */
function sortKeys(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 40) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((member) => sortKeys(member, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member, depth + 1)]));
}

const texts = new WeakMap<object, string>();

export function serializeDefinition(tool: UpstreamTool): string {
  const cached = texts.get(tool);
  if (cached !== undefined) return cached;
  const pinned = pinnedMembers
    .filter((name) => tool[name] !== undefined)
    .map((name) => [name, sortKeys(tool[name])] as const);
  const text = JSON.stringify(Object.fromEntries(pinned));
  texts.set(tool, text);
  return text;
}

const digests = new WeakMap<object, string>();

export function digestDefinition(tool: UpstreamTool): string {
  const cached = digests.get(tool);
  if (cached !== undefined) return cached;
  const digest = createHash('sha256').update(serializeDefinition(tool)).digest('base64url');
  digests.set(tool, digest);
  return digest;
}

const maxDiffLines = 400;

/** Each line of a definition with its path, such as `description: Makes a ticket`; text is split at line breaks. */
function toLines(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return value.split('\n').map((line) => `${path}: ${escapeInvisible(line)}`);
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  const memberEntries = Object.entries(value);
  if (memberEntries.length === 0) return [`${path}: ${Array.isArray(value) ? '[]' : '{}'}`];
  return memberEntries.flatMap(([name, member]) => toLines(member, path === '' ? name : `${path}.${name}`));
}

/** Replaces invisible characters by their code points. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/** Removed lines with `-`, then added lines with `+`. */
export function diffDefinitions(before: unknown, after: unknown): string[] {
  const [oldLines, newLines] = [toLines(before), toLines(after)];
  const [newLineSet, oldLineSet] = [new Set(newLines), new Set(oldLines)];
  const removed = oldLines.filter((line) => !newLineSet.has(line)).map((line) => `- ${line}`);
  const added = newLines.filter((line) => !oldLineSet.has(line)).map((line) => `+ ${line}`);
  return [...removed, ...added].map((line) => line.slice(0, 500)).slice(0, maxDiffLines);
}
