/**
 * The catalogue of a hub: the lists of its connections under public names. A connection that does not respond does not
 * delay the others.
 */
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import type { HubPrincipal, UpstreamConnection } from '../types.ts';
import type { CachedList } from '../upstream/lists/cached-list.ts';
import type { UpstreamLists } from '../upstream/lists/upstream-lists.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { UpstreamServer } from '../upstream/upstream-server.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { compareByKey } from './pagination.ts';
import { parseConnectionName, parsePublicUri, toPublicName, toPublicUri } from './public-names.ts';

/** `original` is the item as its server lists it. */
export type HubCatalogueEntry<T> = { readonly publicItem: T; readonly original: T; readonly key: string };

/** A connection whose list is missing or outdated, and why. */
export type MissingConnection = { readonly connection: string; readonly code: string; readonly message: string };

/** A list over all connections, sorted by key. */
export type CatalogueList<T> = {
  readonly items: readonly HubCatalogueEntry<T>[];
  readonly missing: readonly MissingConnection[];
};

export type ConnectionRoute = { readonly connection: UpstreamConnection; readonly upstream: UpstreamServer };

/** A tool with its sibling tools of the same connection. */
export type ResolvedTool = ConnectionRoute & { readonly original: Tool; readonly siblings: EntriesByKey<Tool> };

const noItems: readonly never[] = [];

type EntriesByKey<T> = ReadonlyMap<string, HubCatalogueEntry<T>>;

type CatalogueDependencies = Pick<GatewayOptions, 'connectionRepository' | 'policy' | 'listTimeoutMs'> & {
  readonly upstreams: UpstreamPool;
};

function createEntryBuilder<T>(toPublicItem: (connection: string, item: T) => readonly [publicItem: T, key: string]) {
  // Keyed by the array, which represents one state of a list: a thousand tools are renamed once.
  const cache = new WeakMap<readonly T[], EntriesByKey<T>>();
  return (connection: string, items: readonly T[]): EntriesByKey<T> => {
    const cached = cache.get(items);
    if (cached) return cached;
    const entries = new Map<string, HubCatalogueEntry<T>>();
    for (const original of items) {
      const [publicItem, key] = toPublicItem(connection, original);
      // The first entry with a name wins: a server that lists a name twice can only mean the same item.
      if (!entries.has(key)) entries.set(key, { publicItem, original, key });
    }
    cache.set(items, entries);
    return entries;
  };
}

const toToolEntries = createEntryBuilder<Tool>((connection, tool) => {
  const name = toPublicName(connection, tool.name);
  return [{ ...tool, name }, name];
});
const toPromptEntries = createEntryBuilder<Prompt>((connection, prompt) => {
  const name = toPublicName(connection, prompt.name);
  return [{ ...prompt, name }, name];
});
const toResourceEntries = createEntryBuilder<Resource>((connection, resource) => {
  const uri = toPublicUri(connection, resource.uri);
  return [{ ...resource, uri }, uri];
});
const toTemplateEntries = createEntryBuilder<ResourceTemplateType>((connection, template) => {
  const uriTemplate = toPublicUri(connection, template.uriTemplate);
  return [{ ...template, uriTemplate }, uriTemplate];
});

export class HubCatalogue {
  readonly #dependencies: CatalogueDependencies;
  readonly #checkedLists = new WeakSet<object>();
  /** By hub, until the repository reports a change. */
  readonly #connections = new Map<string, Promise<readonly UpstreamConnection[]>>();

  constructor(dependencies: CatalogueDependencies) {
    this.#dependencies = dependencies;
  }

  async tools(principal: HubPrincipal): Promise<CatalogueList<Tool>> {
    return this.#collect(
      principal,
      ({ tools }) => tools,
      toToolEntries,
      async (connection, entries) => {
        const names = await this.#filterVisible(principal, connection, entries);
        return names ? entries.filter(({ original }) => names.has(original.name)) : entries;
      },
    );
  }

  prompts(principal: HubPrincipal): Promise<CatalogueList<Prompt>> {
    return this.#collect(principal, ({ prompts }) => prompts, toPromptEntries);
  }

  resources(principal: HubPrincipal): Promise<CatalogueList<Resource>> {
    return this.#collect(principal, ({ resources }) => resources, toResourceEntries);
  }

  templates(principal: HubPrincipal): Promise<CatalogueList<ResourceTemplateType>> {
    return this.#collect(principal, ({ templates }) => templates, toTemplateEntries);
  }

  /** Finds a tool by its public name. Throws UPSTREAM_* if its server's list is unknown. */
  async findTool(principal: HubPrincipal, name: string): Promise<ResolvedTool | undefined> {
    const entry = await this.#resolve(principal, name, ({ tools }) => tools, toToolEntries);
    // The policy refuses tools that it has not seen in a list.
    if (entry && !this.#checkedLists.has(entry.siblings)) {
      await this.#filterVisible(principal, entry.connection, [...entry.siblings.values()]);
      this.#checkedLists.add(entry.siblings);
    }
    return entry;
  }

  /** True if the caller's list contains the tool. */
  async isVisible(principal: HubPrincipal, { connection, original, siblings: all }: ResolvedTool): Promise<boolean> {
    const names = await this.#filterVisible(principal, connection, [...all.values()]);
    return names?.has(original.name) ?? true;
  }

  /** Finds a prompt by its public name. Throws like {@link findTool}. */
  findPrompt(
    principal: HubPrincipal,
    name: string,
  ): Promise<(ConnectionRoute & { readonly original: Prompt }) | undefined> {
    return this.#resolve(principal, name, ({ prompts }) => prompts, toPromptEntries);
  }

  /**
   * Finds the connection of a resource or template by its public URI, or by its original URI if only one connection has
   * it.
   */
  async findResource(
    principal: HubPrincipal,
    uri: string,
  ): Promise<(ConnectionRoute & { readonly uri: string }) | undefined> {
    const parsed = parsePublicUri(uri);
    if (parsed) {
      const route = await this.#findRoute(principal, parsed.connection);
      return route && { ...route, uri: parsed.uri };
    }
    const [resources, templates] = await Promise.all([this.resources(principal), this.templates(principal)]);
    const keys = [
      ...resources.items.filter(({ original }) => original.uri === uri),
      ...templates.items.filter(({ original }) => original.uriTemplate === uri),
    ].map(({ key }) => parsePublicUri(key)?.connection);
    const [name, ...otherNames] = new Set(keys);
    const route = name !== undefined && otherNames.length === 0 ? await this.#findRoute(principal, name) : undefined;
    return route && { ...route, uri };
  }

  /** Forgets the connections of a hub after a change. */
  invalidate(hubId: string): void {
    this.#connections.delete(hubId);
  }

  #listConnections(hubId: string): Promise<readonly UpstreamConnection[]> {
    const pending = this.#connections.get(hubId);
    if (pending) return pending;
    const reading = this.#dependencies.connectionRepository.listEnabled(hubId);
    this.#connections.set(hubId, reading);
    reading.catch(() => this.#connections.get(hubId) === reading && this.#connections.delete(hubId));
    return reading;
  }

  #filterVisible(principal: HubPrincipal, connection: UpstreamConnection, entries: readonly HubCatalogueEntry<Tool>[]) {
    const tools = entries.map(({ original }) => original);
    return this.#dependencies.policy.filterVisibleTools?.(principal, connection, tools);
  }

  async #findRoute(principal: HubPrincipal, name: string): Promise<ConnectionRoute | undefined> {
    const connection = (await this.#listConnections(principal.hub.id)).find((candidate) => candidate.name === name);
    if (!connection) return undefined;
    return { connection, upstream: this.#dependencies.upstreams.get(connection, principal.person.personId) };
  }

  async #resolve<T>(
    principal: HubPrincipal,
    name: string,
    selectList: (lists: UpstreamLists) => CachedList<T>,
    toEntries: (connection: string, items: readonly T[]) => EntriesByKey<T>,
  ): Promise<(ConnectionRoute & { readonly original: T; readonly siblings: EntriesByKey<T> }) | undefined> {
    const route = await this.#findRoute(principal, parseConnectionName(name) ?? '');
    if (!route) return undefined;
    const { items, problem } = await selectList(route.upstream.lists).get(this.#dependencies.listTimeoutMs);
    if (!items && problem) throw problem;
    const entries = toEntries(route.connection.name, items ?? noItems);
    const match = entries.get(name);
    return match && { ...route, original: match.original, siblings: entries };
  }

  async #collect<T>(
    principal: HubPrincipal,
    selectList: (lists: UpstreamLists) => CachedList<T>,
    toEntries: (connection: string, items: readonly T[]) => EntriesByKey<T>,
    filterEntries: (
      connection: UpstreamConnection,
      entries: readonly HubCatalogueEntry<T>[],
    ) => Promise<readonly HubCatalogueEntry<T>[]> = async (_, unfiltered) => unfiltered,
  ): Promise<CatalogueList<T>> {
    const { upstreams, listTimeoutMs } = this.#dependencies;
    const connections = await this.#listConnections(principal.hub.id);
    const missing: MissingConnection[] = [];
    const lists = await Promise.all(
      connections.map(async (connection) => {
        const { lists } = upstreams.get(connection, principal.person.personId);
        const { items, problem } = await selectList(lists).get(listTimeoutMs);
        if (problem) missing.push({ connection: connection.name, code: problem.code, message: problem.message });
        else if (!items) missing.push(toTimedOutConnection(connection.name));
        return items ? filterEntries(connection, [...toEntries(connection.name, items).values()]) : [];
      }),
    );
    return {
      items: lists.flat().sort(compareByKey(({ key }) => key)),
      missing: missing.sort(compareByKey((candidate) => candidate.connection)),
    };
  }
}

function toTimedOutConnection(connection: string): MissingConnection {
  return { connection, code: 'UPSTREAM_TIMED_OUT', message: `${connection} has not listed its items yet` };
}
