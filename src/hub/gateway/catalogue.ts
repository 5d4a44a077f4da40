/** What a hub offers a caller: the lists of its connections under names of their own; whoever is away delays nobody else. */
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import type { CachedList } from '../upstream/cached-list.ts';
import type { ConnectedServer } from '../upstream/connected-server.ts';
import type { UpstreamLists } from '../upstream/upstream-lists.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import type { Connection, HubPrincipal } from '../words.ts';
import { connectionOfName, originalUri, shownName, shownUri } from './names.ts';
import { byKey } from './pages.ts';
import type { GatewayPorts } from './ports.ts';

/** A thing of a connection: as callers see it, and by what its server knows it. */
export type Offered<T> = { readonly shown: T; readonly original: T; readonly key: string };

/** A connection whose list is missing or old, and why. */
export type MissingConnection = { readonly connection: string; readonly code: string; readonly message: string };

/** A list over all connections, sorted by key. */
export type Gathered<T> = { readonly items: readonly Offered<T>[]; readonly missing: readonly MissingConnection[] };

/** Where a name leads. */
export type Place = { readonly connection: Connection; readonly upstream: ConnectedServer };

/** A tool, with all others of its connection. */
export type FoundTool = Place & { readonly original: Tool; readonly all: ByKey<Tool> };

const nothing: readonly never[] = [];

type ByKey<T> = ReadonlyMap<string, Offered<T>>;

type CatalogueParts = Pick<GatewayPorts, 'book' | 'policy' | 'listBoundMs'> & { readonly upstreams: Upstreams };

/** How each kind of thing is shown. */
function shower<T>(show: (connection: string, item: T) => readonly [shown: T, key: string]) {
  // By the array, which stands for one state of one list: naming a thousand tools happens once.
  const known = new WeakMap<readonly T[], ByKey<T>>();
  return (connection: string, items: readonly T[]): ByKey<T> => {
    const found = known.get(items);
    if (found) return found;
    const byName = new Map<string, Offered<T>>();
    for (const original of items) {
      const [shown, key] = show(connection, original);
      // The first of a name stays: a server that lists one twice can mean only itself.
      if (!byName.has(key)) byName.set(key, { shown, original, key });
    }
    known.set(items, byName);
    return byName;
  };
}

const shownTools = shower<Tool>((connection, tool) => {
  const name = shownName(connection, tool.name);
  return [{ ...tool, name }, name];
});
const shownPrompts = shower<Prompt>((connection, prompt) => {
  const name = shownName(connection, prompt.name);
  return [{ ...prompt, name }, name];
});
const shownResources = shower<Resource>((connection, resource) => {
  const uri = shownUri(connection, resource.uri);
  return [{ ...resource, uri }, uri];
});
const shownTemplates = shower<ResourceTemplateType>((connection, template) => {
  const uriTemplate = shownUri(connection, template.uriTemplate);
  return [{ ...template, uriTemplate }, uriTemplate];
});

/** The lists of hubs. */
export class Catalogue {
  readonly #parts: CatalogueParts;
  readonly #offeredLists = new WeakSet<object>();
  /** By hub, until the book says that they are other ones. */
  readonly #connections = new Map<string, Promise<readonly Connection[]>>();

  constructor(parts: CatalogueParts) {
    this.#parts = parts;
  }

  async tools(principal: HubPrincipal): Promise<Gathered<Tool>> {
    return this.#gathered(
      principal,
      ({ tools }) => tools,
      shownTools,
      async (connection, offered) => {
        const names = await this.#offered(principal, connection, offered);
        return names ? offered.filter(({ original }) => names.has(original.name)) : offered;
      },
    );
  }

  prompts(principal: HubPrincipal): Promise<Gathered<Prompt>> {
    return this.#gathered(principal, ({ prompts }) => prompts, shownPrompts);
  }

  resources(principal: HubPrincipal): Promise<Gathered<Resource>> {
    return this.#gathered(principal, ({ resources }) => resources, shownResources);
  }

  templates(principal: HubPrincipal): Promise<Gathered<ResourceTemplateType>> {
    return this.#gathered(principal, ({ templates }) => templates, shownTemplates);
  }

  /** The tool that callers know by `name`. Throws UPSTREAM_* where its server's list is not known. */
  async findTool(principal: HubPrincipal, name: string): Promise<FoundTool | undefined> {
    const found = await this.#found(principal, name, ({ tools }) => tools, shownTools);
    // Policies refuse what they were never shown.
    if (found && !this.#offeredLists.has(found.all)) {
      await this.#offered(principal, found.connection, [...found.all.values()]);
      this.#offeredLists.add(found.all);
    }
    return found;
  }

  /** True where the caller sees the tool in the list. */
  async offers(principal: HubPrincipal, { connection, original, all }: FoundTool): Promise<boolean> {
    const names = await this.#offered(principal, connection, [...all.values()]);
    return names?.has(original.name) ?? true;
  }

  /** The prompt that callers know by `name`. Throws like {@link findTool}. */
  findPrompt(principal: HubPrincipal, name: string): Promise<(Place & { readonly original: Prompt }) | undefined> {
    return this.#found(principal, name, ({ prompts }) => prompts, shownPrompts);
  }

  /** Where the resource, or the template, of a URI stands: of the shown form, or of the original one that only one has. */
  async findUri(principal: HubPrincipal, uri: string): Promise<(Place & { readonly uri: string }) | undefined> {
    const own = originalUri(uri);
    if (own) {
      const place = await this.#place(principal, own.connection);
      return place && { ...place, uri: own.uri };
    }
    const [resources, templates] = await Promise.all([this.resources(principal), this.templates(principal)]);
    const keys = [
      ...resources.items.filter(({ original }) => original.uri === uri),
      ...templates.items.filter(({ original }) => original.uriTemplate === uri),
    ].map(({ key }) => originalUri(key)?.connection);
    const [name, ...others] = new Set(keys);
    const place = name !== undefined && others.length === 0 ? await this.#place(principal, name) : undefined;
    return place && { ...place, uri };
  }

  /** The connections of a hub are other ones now. */
  forget(hubId: string): void {
    this.#connections.delete(hubId);
  }

  #connectionsOf(hubId: string): Promise<readonly Connection[]> {
    const known = this.#connections.get(hubId);
    if (known) return known;
    const read = this.#parts.book.ofHub(hubId);
    this.#connections.set(hubId, read);
    read.catch(() => this.#connections.get(hubId) === read && this.#connections.delete(hubId));
    return read;
  }

  #offered(principal: HubPrincipal, connection: Connection, offered: readonly Offered<Tool>[]) {
    const tools = offered.map(({ original }) => original);
    return this.#parts.policy.offered?.(principal, connection, tools);
  }

  async #place(principal: HubPrincipal, name: string): Promise<Place | undefined> {
    const connection = (await this.#connectionsOf(principal.hub.id)).find((one) => one.name === name);
    if (!connection) return undefined;
    return { connection, upstream: this.#parts.upstreams.of(connection, principal.person.personId) };
  }

  async #found<T>(
    principal: HubPrincipal,
    name: string,
    listOf: (lists: UpstreamLists) => CachedList<T>,
    show: (connection: string, items: readonly T[]) => ByKey<T>,
  ): Promise<(Place & { readonly original: T; readonly all: ByKey<T> }) | undefined> {
    const place = await this.#place(principal, connectionOfName(name) ?? '');
    if (!place) return undefined;
    const { items, problem } = await listOf(place.upstream.lists).get(this.#parts.listBoundMs);
    if (!items && problem) throw problem;
    const all = show(place.connection.name, items ?? nothing);
    const found = all.get(name);
    return found && { ...place, original: found.original, all };
  }

  async #gathered<T>(
    principal: HubPrincipal,
    listOf: (lists: UpstreamLists) => CachedList<T>,
    show: (connection: string, items: readonly T[]) => ByKey<T>,
    narrow: (connection: Connection, offered: readonly Offered<T>[]) => Promise<readonly Offered<T>[]> = async (
      _,
      all,
    ) => all,
  ): Promise<Gathered<T>> {
    const { upstreams, listBoundMs } = this.#parts;
    const connections = await this.#connectionsOf(principal.hub.id);
    const missing: MissingConnection[] = [];
    const lists = await Promise.all(
      connections.map(async (connection) => {
        const { lists } = upstreams.of(connection, principal.person.personId);
        const { items, problem } = await listOf(lists).get(listBoundMs);
        if (problem) missing.push({ connection: connection.name, code: problem.code, message: problem.message });
        else if (!items) missing.push(slow(connection.name));
        return items ? narrow(connection, [...show(connection.name, items).values()]) : [];
      }),
    );
    return { items: lists.flat().sort(byKey(({ key }) => key)), missing: missing.sort(byKey((one) => one.connection)) };
  }
}

function slow(connection: string): MissingConnection {
  return { connection, code: 'UPSTREAM_TIMED_OUT', message: `${connection} has not told yet what it offers` };
}
