/**
 * Removes invalid entries from lists. The official client rejects a whole list of the newest era for one invalid entry,
 * so one tool would hide all others of its server.
 */

import { isSpecType } from '@modelcontextprotocol/client';
import { hasNumberTexts } from '../../../json/exact-json.ts';
import { setExactValue } from '../../../json/exact-values.ts';
import { isObject } from '../../../json/json-object.ts';

/** The member of a list's `_meta` that describes omitted entries. */
const omittedKey = 'vp/left_out';
/** A larger definition is an attack or a mistake. */
const maxEntryChars = 131_072;

type ListKind = { readonly member: string; readonly isEntry: (value: unknown) => boolean };

const listKinds: Readonly<Record<string, ListKind>> = {
  'tools/list': { member: 'tools', isEntry: isSpecType.Tool },
  'prompts/list': { member: 'prompts', isEntry: isSpecType.Prompt },
  'resources/list': { member: 'resources', isEntry: isSpecType.Resource },
  'resources/templates/list': { member: 'resourceTemplates', isEntry: isSpecType.ResourceTemplate },
};

/** Their number and some of their names. */
export type OmittedEntries = { readonly count: number; readonly names: readonly string[] };

function isValidEntry({ isEntry }: ListKind, entry: unknown): boolean {
  return (JSON.stringify(entry)?.length ?? 0) <= maxEntryChars && isEntry(entry);
}

function getEntryName(entry: unknown): string[] {
  const name = isObject(entry) ? entry.name : undefined;
  return typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) ? [name] : [];
}

/** Remembers the entries of a list as they were sent; `exact` is what `parseExactJson` made of the text of `result`. */
export function setExactEntries(
  method: string,
  result: Readonly<Record<string, unknown>>,
  exact: Readonly<Record<string, unknown>>,
): void {
  const { member } = listKinds[method] ?? {};
  const [entries, exactEntries] = member === undefined ? [] : [result[member], exact[member]];
  if (!Array.isArray(entries) || !Array.isArray(exactEntries)) return;
  for (const [index, entry] of entries.entries())
    if (hasNumberTexts(exactEntries[index])) setExactValue(entry, exactEntries[index]);
}

/** Returns the result of a list without its invalid entries, and every other result as it is. */
export function omitInvalidEntries(method: string, result: Record<string, unknown>): Record<string, unknown> {
  const kind = listKinds[method];
  return kind ? omitInvalidOfKind(result, kind) : result;
}

function omitInvalidOfKind(result: Record<string, unknown>, kind: ListKind): Record<string, unknown> {
  const entries = result[kind.member];
  if (!Array.isArray(entries)) return result;
  const invalid = entries.filter((entry) => !isValidEntry(kind, entry));
  if (invalid.length === 0) return result;
  const omitted: OmittedEntries = { count: invalid.length, names: invalid.flatMap(getEntryName).slice(0, 3) };
  const meta = isObject(result._meta) ? result._meta : {};
  const valid = entries.filter((entry) => !invalid.includes(entry));
  return { ...result, [kind.member]: valid, _meta: { ...meta, [omittedKey]: omitted } };
}

export function getOmittedEntries({ _meta: meta }: Readonly<Record<string, unknown>>): OmittedEntries {
  const omitted = isObject(meta) ? meta[omittedKey] : undefined;
  const { count, names } = isObject(omitted) ? omitted : {};
  return {
    count: typeof count === 'number' ? count : 0,
    names: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
  };
}
