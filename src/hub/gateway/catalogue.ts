/**
 * The catalogue of a hub: the lists of its connections under public names. A connection that does not respond does not
 * delay the others.
 *
 * Length: the lists and what finds one of their items share the connections and what the policy shows of them.
 */
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { ItemKind, UpstreamConnection, UpstreamItem } from '../connections/connection.ts';
import type { CachedList } from '../upstream/lists/cached-list.ts';
import type { UpstreamLists } from '../upstream/lists/upstream-lists.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { UpstreamServer } from '../upstream/upstream-server.ts';
import {
  type EntriesByKey,
  type HubCatalogueEntry,
  toPromptEntries,
  toResourceEntries,
  toTemplateEntries,
  toToolEntries,
  withTaskSupport,
} from './catalogue-entries.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { isResourceListed } from './listed-resources.ts';
import { compareByKey } from './pagination.ts';
import { recordProbedLists } from './probed-lists.ts';
import { parseConnectionName, parsePublicUri } from './public-names.ts';

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

type ResolvedEntry<T> = ConnectionRoute & {
  readonly original: T;
  readonly siblings: EntriesByKey<T>;
  /** The list in which it stands. */
  readonly items: readonly T[];
};

/** `isListed` is false for a resource that its server neither lists nor has a template for. */
export type ResolvedResource = ConnectionRoute & { readonly uri: string; readonly isListed: boolean };

/** Rules and templates are compared with every spelling of a URI, which takes seconds for one of a few megabytes. */
const maxUriLength = 8192;

type CatalogueDependencies = Pick<
  GatewayOptions,
  'connectionRepository' | 'policy' | 'listTimeoutMs' | 'approvalTools' | 'heldTasks'
> & {
  readonly upstreams: UpstreamPool;
};

export class HubCatalogue {
  readonly #dependencies: CatalogueDependencies;
  readonly #checkedLists = new WeakSet<object>();
  /** By hub, until the repository reports a change. */
  readonly #connections = new Map<string, Promise<readonly UpstreamConnection[]>>();

  constructor(dependencies: CatalogueDependencies) {
    this.#dependencies = dependencies;
  }

  /** For approvers of a hub whose policy offers them. */
  async listApprovalTools(principal: HubPrincipal): Promise<readonly Tool[]> {
    return (await this.#dependencies.approvalTools?.list(principal)) ?? [];
  }

  async tools(principal: HubPrincipal): Promise<CatalogueList<Tool>> {
    const { heldTasks, policy } = this.#dependencies;
    const heldTools = heldTasks ? ((await policy.getApprovalRules?.(principal.hub.id)) ?? []) : [];
    return this.#collect(
      principal,
      ({ tools }) => tools,
      toToolEntries,
      async (connection, entries) => {
        const names = await this.#filterVisible(principal, connection, entries);
        const visible = names ? entries.filter(({ original }) => names.has(original.name)) : entries;
        return heldTools.length > 0 ? withTaskSupport(heldTools, connection, visible) : visible;
      },
    );
  }

  prompts(principal: HubPrincipal): Promise<CatalogueList<Prompt>> {
    return this.#collect(
      principal,
      ({ prompts }) => prompts,
      toPromptEntries,
      this.#filterItems(principal, 'prompt', ({ name }) => name),
    );
  }

  resources(principal: HubPrincipal): Promise<CatalogueList<Resource>> {
    return this.#collect(
      principal,
      ({ resources }) => resources,
      toResourceEntries,
      this.#filterItems(principal, 'resource', ({ uri }) => uri),
    );
  }

  templates(principal: HubPrincipal): Promise<CatalogueList<ResourceTemplateType>> {
    return this.#collect(
      principal,
      ({ templates }) => templates,
      toTemplateEntries,
      this.#filterItems(principal, 'template', ({ uriTemplate }) => uriTemplate),
    );
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
  async findPrompt(
    principal: HubPrincipal,
    name: string,
  ): Promise<(ConnectionRoute & { readonly original: Prompt }) | undefined> {
    const entry = await this.#resolve(principal, name, ({ prompts }) => prompts, toPromptEntries);
    // The policy refuses prompts that it has not seen in a list.
    if (entry) await this.#dependencies.policy.pinItems?.(entry.connection, 'prompt', entry.items);
    return entry;
  }

  /**
   * Finds the connection of a resource or template by its public URI, or by its original URI if only one connection has
   * it. Throws like {@link findTool} if its server's lists are unknown.
   */
  async findResource(principal: HubPrincipal, uri: string): Promise<ResolvedResource | undefined> {
    if (uri.length > maxUriLength) return undefined;
    const parsed = parsePublicUri(uri);
    if (parsed) {
      const route = await this.#findRoute(principal, parsed.connection);
      return (
        route && {
          ...route,
          uri: parsed.uri,
          isListed: await isResourceListed(this.#dependencies, { ...route, hubPath: principal.hubPath }, parsed.uri),
        }
      );
    }
    const [resources, templates] = await Promise.all([this.resources(principal), this.templates(principal)]);
    const keys = [
      ...resources.items.filter(({ original }) => original.uri === uri),
      ...templates.items.filter(({ original }) => original.uriTemplate === uri),
    ].map(({ key }) => parsePublicUri(key)?.connection);
    const [name, ...otherNames] = new Set(keys);
    const route = name !== undefined && otherNames.length === 0 ? await this.#findRoute(principal, name) : undefined;
    return route && { ...route, uri, isListed: true };
  }

  /** The first connection that matches; undefined for none. */
  async findRoute(
    principal: HubPrincipal,
    matches: (connection: UpstreamConnection) => boolean,
  ): Promise<ConnectionRoute | undefined> {
    const connection = (await this.#listConnections(principal.hub.id)).find(matches);
    return (
      connection && { connection, upstream: this.#dependencies.upstreams.get(connection, principal.person.personId) }
    );
  }

  /** Whether the policy lets the caller watch a resource. */
  async isResourceVisible(principal: HubPrincipal, { connection, uri, isListed }: ResolvedResource): Promise<boolean> {
    const { policy } = this.#dependencies;
    if (!policy.findAccessRefusal) return isListed;
    return (await policy.findAccessRefusal({ principal, connection, tool: uri, isListed })) === undefined;
  }

  /** Adopts the lists that a person's probe has read. */
  recordProbe(probed: Pick<UpstreamServer, 'connection' | 'lists'>, personId: string): Promise<void> {
    return recordProbedLists(this.#dependencies, probed, personId);
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

  #filterItems<T extends UpstreamItem>(principal: HubPrincipal, kind: ItemKind, toName: (item: T) => string) {
    return async (
      connection: UpstreamConnection,
      entries: readonly HubCatalogueEntry<T>[],
      items: readonly T[],
    ): Promise<readonly HubCatalogueEntry<T>[]> => {
      const visible = await this.#dependencies.policy.filterVisibleItems?.(principal, connection, kind, items);
      return visible ? entries.filter(({ original }) => visible.has(toName(original))) : entries;
    };
  }

  #filterVisible(principal: HubPrincipal, connection: UpstreamConnection, entries: readonly HubCatalogueEntry<Tool>[]) {
    const tools = entries.map(({ original }) => original);
    return this.#dependencies.policy.filterVisibleTools?.(principal, connection, tools);
  }

  #findRoute(principal: HubPrincipal, name: string): Promise<ConnectionRoute | undefined> {
    return this.findRoute(principal, (connection) => connection.name === name);
  }

  async #resolve<T>(
    principal: HubPrincipal,
    name: string,
    selectList: (lists: UpstreamLists) => CachedList<T>,
    toEntries: (connection: string, items: readonly T[]) => EntriesByKey<T>,
  ): Promise<ResolvedEntry<T> | undefined> {
    const route = await this.#findRoute(principal, parseConnectionName(name) ?? '');
    if (!route) return undefined;
    const { listTimeoutMs } = this.#dependencies;
    const list = selectList(route.upstream.lists);
    const { items, problem } = list.freshState ?? (await list.get(listTimeoutMs, principal.hubPath));
    const { name: connection } = route.connection;
    // Without a list nobody knows whether there is such an item.
    if (!items) throw problem ?? createMissingListError(connection, listTimeoutMs);
    const entries = toEntries(connection, items);
    const match = entries.get(name);
    const { upstream } = route;
    return match && { connection: route.connection, upstream, original: match.original, siblings: entries, items };
  }

  async #collect<T>(
    principal: HubPrincipal,
    selectList: (lists: UpstreamLists) => CachedList<T>,
    toEntries: (connection: string, items: readonly T[]) => EntriesByKey<T>,
    filterEntries: (
      connection: UpstreamConnection,
      entries: readonly HubCatalogueEntry<T>[],
      items: readonly T[],
    ) => Promise<readonly HubCatalogueEntry<T>[]>,
  ): Promise<CatalogueList<T>> {
    const { upstreams, listTimeoutMs } = this.#dependencies;
    const connections = await this.#listConnections(principal.hub.id);
    const missing: MissingConnection[] = [];
    const lists = await Promise.all(
      connections.map(async (connection) => {
        const { lists } = upstreams.get(connection, principal.person.personId);
        const { items, problem } = await selectList(lists).get(listTimeoutMs, principal.hubPath);
        if (problem) missing.push({ connection: connection.name, code: problem.code, message: problem.message });
        else if (!items) missing.push(toTimedOutConnection(connection.name));
        if (!items) return [];
        const entries = [...toEntries(connection.name, items).values()];
        return filterEntries(connection, entries, items).catch(withoutRemovedConnection);
      }),
    );
    return {
      items: lists.flat().sort(compareByKey(({ key }) => key)),
      missing: missing.sort(compareByKey((candidate) => candidate.connection)),
    };
  }
}

/** A connection that was removed while its list was read is none of the hub. */
function withoutRemovedConnection(error: unknown): [] {
  if (error instanceof VpError && error.code === 'CONNECTION_REMOVED') return [];
  throw error;
}

function toTimedOutConnection(connection: string): MissingConnection {
  return { connection, code: 'UPSTREAM_TIMED_OUT', message: `${connection} has not listed its items yet` };
}

function createMissingListError(connection: string, listTimeoutMs: number): VpError {
  const problem = `its list did not arrive within ${Math.round(listTimeoutMs / 1000)} s`;
  return vpError('UPSTREAM_UNREACHABLE', { connection, problem });
}
