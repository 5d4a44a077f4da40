/** The items of a connection's lists under public names, by key. */
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import { findExactValue, setExactValue } from '../../json/exact-values.ts';
import { isObject } from '../../json/json-object.ts';
import { toolSeparator } from '../connections/connection.ts';
import { matchesTool } from '../policy/tool-pattern.ts';
import { toPublicName, toPublicUri } from './public-names.ts';

/** `original` is the item as its server lists it. */
export type HubCatalogueEntry<T> = { readonly publicItem: T; readonly original: T; readonly key: string };

export type EntriesByKey<T> = ReadonlyMap<string, HubCatalogueEntry<T>>;

function createEntryBuilder<T extends object>(
  toPublicItem: (connection: string, item: T) => readonly [publicItem: T, key: string],
) {
  // Keyed by the array, which represents one state of a list: a thousand tools are renamed once.
  const cache = new WeakMap<readonly T[], EntriesByKey<T>>();
  return (connection: string, items: readonly T[]): EntriesByKey<T> => {
    const cached = cache.get(items);
    if (cached) return cached;
    const entries = new Map<string, HubCatalogueEntry<T>>();
    for (const original of items) {
      const [publicItem, key] = toPublicItem(connection, original);
      const exact = findExactValue(original);
      // It differs from the item in the texts of its numbers only.
      if (exact) setExactValue(publicItem, toPublicItem(connection, exact as T)[0]);
      // The first entry with a name wins: a server that lists a name twice can only mean the same item.
      if (!entries.has(key)) entries.set(key, { publicItem, original, key });
    }
    cache.set(items, entries);
    return entries;
  };
}

/** The member of `_meta` that names a tool's view by its URI (MCP Apps, 2026-01-26), and that of earlier drafts. */
const viewMember = 'ui';
const draftViewKey = 'ui/resourceUri';

/** Clients read the view of a tool as a resource, under its public URI. */
function toPublicMeta(connection: string, meta: Tool['_meta']): Tool['_meta'] {
  if (!meta) return meta;
  const { [viewMember]: view, [draftViewKey]: draftUri } = meta;
  return {
    ...meta,
    ...(isObject(view) && typeof view.resourceUri === 'string'
      ? { [viewMember]: { ...view, resourceUri: toPublicUri(connection, view.resourceUri) } }
      : {}),
    ...(typeof draftUri === 'string' ? { [draftViewKey]: toPublicUri(connection, draftUri) } : {}),
  };
}

export const toToolEntries = createEntryBuilder<Tool>((connection, tool) => {
  const name = toPublicName(connection, tool.name);
  const meta = tool._meta ? { _meta: toPublicMeta(connection, tool._meta) } : {};
  return [{ ...tool, name, ...meta }, name];
});
export const toPromptEntries = createEntryBuilder<Prompt>((connection, prompt) => {
  const name = toPublicName(connection, prompt.name);
  return [{ ...prompt, name }, name];
});
export const toResourceEntries = createEntryBuilder<Resource>((connection, resource) => {
  const uri = toPublicUri(connection, resource.uri);
  return [{ ...resource, uri }, uri];
});
export const toTemplateEntries = createEntryBuilder<ResourceTemplateType>((connection, template) => {
  const uriTemplate = toPublicUri(connection, template.uriTemplate);
  return [{ ...template, uriTemplate }, uriTemplate];
});

/** Clients of 2025-11-25 send no task for a tool that does not say that it supports them: those whose calls a rule holds do. */
export function withTaskSupport(
  rules: readonly ApprovalRule[],
  { name: connection }: { readonly name: string },
  entries: readonly HubCatalogueEntry<Tool>[],
): readonly HubCatalogueEntry<Tool>[] {
  return entries.map((entry) => {
    const { original, publicItem } = entry;
    const { taskSupport = 'forbidden' } = original.execution ?? {};
    const isHeld = rules.some(({ tools }) => matchesTool(tools, `${connection}${toolSeparator}${original.name}`));
    if (!isHeld || taskSupport !== 'forbidden') return entry;
    const execution = { ...original.execution, taskSupport: 'optional' as const };
    const supporting = { ...publicItem, execution };
    const exact = findExactValue(publicItem);
    if (exact) setExactValue(supporting, { ...exact, execution });
    return { ...entry, publicItem: supporting };
  });
}
