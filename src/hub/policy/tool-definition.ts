/** A definition as it is pinned: everything that its server says about a tool, prompt, resource or template, compared as a whole. */
import { createHash } from 'node:crypto';
import { diffLines, diffSigns } from '../../diff/line-diff.ts';
import { getNumberText } from '../../json/exact-json.ts';
import { findExactValue } from '../../json/exact-values.ts';
import { isObject } from '../../json/json-object.ts';
import { toVisibleLines } from '../../json/visible-text.ts';
import type { ItemKind, UpstreamItem } from '../connections/connection.ts';
import { findRoundedNumber, isExactDouble } from './rounded-numbers.ts';

/** Longer definitions are flagged. */
export const maxDefinitionLength = 65_536;
/** Longer or deeper definitions are neither stored nor approved: nobody could review them. */
export const maxReviewedLength = 262_144;
export const maxDefinitionDepth = 64;

/** In the order in which they are displayed; further members follow by name. */
const leadingMembers = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** `text` is JSON with sorted members, so that equal definitions have equal text. */
export type SerializedDefinition = { readonly text: string; readonly isTooDeep: boolean; readonly digest: string };

const serialized = new WeakMap<object, SerializedDefinition>();

/** The same item is always of the same kind. */
export function serializeDefinition(item: UpstreamItem, kind: ItemKind = 'tool'): SerializedDefinition {
  const cached = serialized.get(item);
  if (cached !== undefined) return cached;
  const definition = serialize(findRounded(item) ?? item, kind);
  serialized.set(item, definition);
  return definition;
}

function serialize(item: UpstreamItem, kind: ItemKind): SerializedDefinition {
  const isTooDeep = exceedsDepth(item);
  const pinned = kind === 'resource' ? omitVolatileMembers(item) : item;
  const text = isTooDeep ? JSON.stringify({ name: item.name }) : JSON.stringify(orderMembers(pinned));
  // A prefix of its own: the name alone would have the digest of a definition that says nothing else.
  return { text, isTooDeep, digest: `${isTooDeep ? '2.deep.' : '2.'}${hash(text)}` };
}

/** The definition as it was sent, if it has numbers that a double rounds: two of them may differ in these alone. */
function findRounded(item: UpstreamItem): UpstreamItem | undefined {
  const exact = findExactValue(item);
  return exact && findRoundedNumber(exact) ? { ...exact, name: item.name } : undefined;
}

/** The key by which a definition is pinned. */
export function getItemKey(kind: ItemKind, item: UpstreamItem): string {
  if (kind === 'resource') return String(item.uri);
  return kind === 'template' ? String(item.uriTemplate) : item.name;
}

const timestamp = /^\d{4}-\d{2}-\d{2}T[\d:.]{1,20}(?:Z|[+-]\d{2}:\d{2})$/;

/** The size and the time of a resource change with its content, and a number or a timestamp says nothing to a model. */
function omitVolatileMembers({ size, ...rest }: UpstreamItem): UpstreamItem {
  const { annotations } = rest;
  const item: UpstreamItem = isNumber(size) ? { ...rest, name: rest.name } : { ...rest, name: rest.name, size };
  if (!isObject(annotations) || !timestamp.test(String(annotations.lastModified))) return item;
  const { lastModified, ...others } = annotations;
  return { ...item, annotations: others };
}

function isNumber(value: unknown): boolean {
  return (
    typeof value === 'number' || (typeof value === 'object' && value !== null && getNumberText(value) !== undefined)
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function exceedsDepth(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= maxDefinitionDepth || Object.values(value).some((member) => exceedsDepth(member, depth + 1));
}

function orderMembers(tool: UpstreamItem): object {
  const leading: readonly string[] = leadingMembers;
  const others = Object.keys(tool)
    .filter((name) => !leading.includes(name))
    .sort();
  const names = [...leading.filter((name) => tool[name] !== undefined), ...others];
  return Object.fromEntries(names.map((name) => [name, sortKeys(tool[name])]));
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const number = getNumberText(value);
  // `1.0` and `1` are the same definition.
  if (number !== undefined) return isExactDouble(number) ? Number(number) : value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member)]));
}

/**
 * Whether `digest` was made for this definition by version 0.4.0, which pinned only the leading members, or by a later one that rounded
 * its numbers. What they left out is taken as it is seen now.
 */
export function isOlderDigest(tool: UpstreamItem, digest: string | null | undefined, kind: ItemKind = 'tool'): boolean {
  if (digest === null || digest === undefined) return false;
  if (digest.startsWith('2.')) return findRounded(tool) !== undefined && serialize(tool, kind).digest === digest;
  const members = leadingMembers.filter((name) => tool[name] !== undefined);
  return digest === hash(JSON.stringify(Object.fromEntries(members.map((name) => [name, sortKeys(tool[name])]))));
}

/** Both definitions whole, in order: removed lines with `-`, added lines with `+`, the others with a space. */
export function diffDefinitions(before: unknown, after: unknown): string[] {
  const oldLines = before === undefined ? [] : toVisibleLines(before);
  return diffLines(oldLines, toVisibleLines(after)).map(({ kind, text }) => `${diffSigns[kind]} ${text}`);
}
