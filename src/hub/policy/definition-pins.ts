/**
 * Pins the definitions of one kind (tools, prompts, resources or templates) when they are first seen. A definition that changes or is
 * added later is blocked until an owner of the hub approves it: agents read definitions as instructions, so they must not change unnoticed.
 *
 * Length: what compares, pins and approves a definition shares the cached pins of its connection.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ToolFlag } from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findConnection } from '../../store/control/hubs/connections.ts';
import {
  type DefinitionPinRow,
  findFirstListMs,
  listDefinitionPins,
  saveDefinitionPin,
  saveFirstList,
} from '../../store/control/hubs/definition-pins.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { ConnectionRepository, ItemKind, UpstreamConnection, UpstreamItem } from '../connections/connection.ts';
import { type HubNameIndex, indexHubNames } from './look-alikes.ts';
import type { PolicyStore } from './policy-store.ts';
import { getItemKey, isOlderDigest, maxReviewedLength, serializeDefinition } from './tool-definition.ts';
import { createNewFlag, findToolFlags, hasBlockingFlag, isNewFlag } from './tool-flags.ts';
import { assertWaitingDigest } from './waiting-digest.ts';

export type DefinitionPinsDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly policies: Pick<PolicyStore, 'getCompiled'>;
};

type PinnedConnection = Pick<UpstreamConnection, 'id' | 'hubId' | 'name'> & Partial<Pick<UpstreamConnection, 'kind'>>;
type Pins = Map<string, DefinitionPinRow>;
type PinMap = ReadonlyMap<string, DefinitionPinRow>;

/** Further definitions of a server are not offered. */
const maxPins: Readonly<Record<ItemKind, number>> = { tool: 2000, prompt: 2000, resource: 10_000, template: 2000 };
const maxCachedConnections = 2000;
/** Rows of one transaction. */
const batchSize = 500;
/** A server that first lists nothing, for example because it is starting, may add its definitions for this long. */
const firstLookMs = 10 * 60_000;

/** True if the definition may be used as its server gives it now. */
export function isApproved(pin: DefinitionPinRow): boolean {
  return pin.approved !== null && pin.waiting === null;
}

/** Also false where another definition is pinned than this one, which only some callers may be shown by their server. */
export function isApprovedDefinition(pin: DefinitionPinRow, item: UpstreamItem): boolean {
  return isApproved(pin) && serializeDefinition(item, pin.kind).digest === pin.approved_digest;
}

export class DefinitionPins {
  readonly kind: ItemKind;
  readonly #dependencies: DefinitionPinsDependencies;
  readonly #cache = new Map<string, Promise<Pins>>();
  /** By connection, the names of the last list that differed from the one before. */
  readonly #listedNames = new Map<string, ReadonlySet<string>>();
  /** Lists that were recorded, with their connection: most lists are the same as before. */
  readonly #recordedLists = new WeakMap<readonly UpstreamItem[], string>();

  constructor(dependencies: DefinitionPinsDependencies, kind: ItemKind) {
    this.#dependencies = dependencies;
    this.kind = kind;
  }

  /** By name, URI or URI template. */
  get(connectionId: string): Promise<PinMap> {
    const cached = this.#cache.get(connectionId);
    if (cached) return cached;
    if (this.#cache.size >= maxCachedConnections) this.#cache.clear();
    const loading = this.#load(connectionId);
    this.#cache.set(connectionId, loading);
    return loading;
  }

  /** Whether the last list of the connection had the name; undefined where none was recorded since the start. */
  isListed(connectionId: string, name: string): boolean | undefined {
    return this.#listedNames.get(connectionId)?.has(name);
  }

  /** Expects the complete list of a connection. Throws CONNECTION_REMOVED. */
  async record(connection: PinnedConnection, items: readonly UpstreamItem[]): Promise<PinMap> {
    const pins = await this.#getMutable(connection.id);
    if (this.#recordedLists.get(items) === connection.id) return pins;
    const isFirstList = pins.size === 0 && (await this.#isFirstList(connection));
    const offeredItems = this.#listFirst(items);
    const changed = offeredItems.filter((item) => !this.#isUnchanged(pins, item));
    if (changed.length > 0) await this.#pin(connection, pins, changed, isFirstList);
    this.#recordedLists.set(items, connection.id);
    this.#listedNames.delete(connection.id);
    if (this.#listedNames.size >= maxCachedConnections) this.#listedNames.clear();
    this.#listedNames.set(connection.id, new Set(offeredItems.map((item) => getItemKey(this.kind, item))));
    return pins;
  }

  /** Approves the waiting definition. Throws TOOL_PIN_UNKNOWN, CONNECTION_REMOVED and what `assertWaitingDigest` throws. */
  async approve(
    connection: PinnedConnection,
    name: string,
    digest: string,
    approvedBy: string,
  ): Promise<DefinitionPinRow> {
    const pins = await this.#getMutable(connection.id);
    const pin = pins.get(name);
    const tool = name.slice(0, 300);
    if (!pin) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection: connection.name });
    assertWaitingDigest(pin, digest);
    const approved = { approved: pin.waiting, approved_digest: digest, waiting: null, waiting_digest: null };
    const row = { ...pin, ...approved, approved_by: approvedBy };
    await this.#write(connection, pins, [row]);
    return row;
  }

  async #getMutable(connectionId: string): Promise<Pins> {
    await this.get(connectionId);
    return (await this.#cache.get(connectionId)) ?? new Map();
  }

  #load(connectionId: string): Promise<Pins> {
    const loading = this.#dependencies.database
      .read((sql) => listDefinitionPins(sql, connectionId, this.kind))
      .then((rows) => new Map(rows.map((row) => [row.name, row])));
    loading.catch(() => this.#cache.delete(connectionId));
    return loading;
  }

  /** Those that the catalogue offers: of items with the same key, the first. */
  #listFirst(items: readonly UpstreamItem[]): UpstreamItem[] {
    const byKey = new Map<string, UpstreamItem>();
    for (const item of items.slice(0, maxPins[this.kind])) {
      const key = getItemKey(this.kind, item);
      if (!byKey.has(key)) byKey.set(key, item);
    }
    return [...byKey.values()];
  }

  #isUnchanged(pins: PinMap, item: UpstreamItem): boolean {
    const pin = pins.get(getItemKey(this.kind, item));
    if (!pin) return false;
    if (pin.waiting === null) return pin.approved_digest === serializeDefinition(item, this.kind).digest;
    const { text, digest } = toReviewable(item, this.kind);
    return pin.waiting_digest === digest && (digest !== null || pin.waiting === text);
  }

  /** Whether a connection without pins may still add its first definitions. Notes when it was first listed. */
  async #isFirstList(connection: PinnedConnection): Promise<boolean> {
    const { database, clock } = this.#dependencies;
    const nowMs = clock.nowMs();
    const firstMs = await database.read((sql) => findFirstListMs(sql, connection.id, this.kind));
    if (firstMs === undefined)
      await this.#writeFor(connection, (sql) => saveFirstList(sql, connection.id, this.kind, nowMs));
    return firstMs === undefined || nowMs - firstMs < firstLookMs;
  }

  async #pin(connection: PinnedConnection, pins: Pins, items: readonly UpstreamItem[], isFirstList: boolean) {
    const nameIndex = await this.#indexNames(connection, items);
    const { holdsNew } = await this.#dependencies.policies.getCompiled(connection.hubId);
    const newFlag = createNewFlag(this.kind);
    const rows: DefinitionPinRow[] = [];
    for (const item of items) {
      const pin = pins.get(getItemKey(this.kind, item));
      if (!pin && pins.size >= maxPins[this.kind]) continue;
      const flags = await findToolFlags(item, connection.name, nameIndex, this.kind);
      const isHeldAsNew = pin ? isNewDefinition(pin) : !isFirstList && holdsNew[this.kind];
      rows.push(this.#toRow(connection, item, pin, isHeldAsNew ? [newFlag, ...flags] : flags));
    }
    await this.#write(connection, pins, rows);
  }

  /** Resources are named by people and files, where likeness means nothing. */
  async #indexNames(connection: PinnedConnection, items: readonly UpstreamItem[]): Promise<HubNameIndex> {
    if (this.kind === 'resource' || this.kind === 'template') return indexHubNames([], []);
    const connections = await this.#dependencies.connectionRepository.listEnabled(connection.hubId);
    const pinned = await Promise.all(
      connections.map(async ({ id, name }) =>
        [...(await this.get(id)).keys()].map((tool) => ({ connection: name, tool })),
      ),
    );
    // Entries of the same list may imitate each other.
    const listedTools = items.map((item) => ({ connection: connection.name, tool: item.name }));
    const names = connections.map(({ name }) => name);
    return indexHubNames([...pinned.flat(), ...listedTools], names);
  }

  #toRow(
    connection: PinnedConnection,
    item: UpstreamItem,
    pin: DefinitionPinRow | undefined,
    flags: ToolFlag[],
  ): DefinitionPinRow {
    const nowMs = this.#dependencies.clock.nowMs();
    const { text, digest } = toReviewable(item, this.kind);
    const isRestored =
      digest !== null && (pin?.approved_digest === digest || isOlderDigest(item, pin?.approved_digest, this.kind));
    // The memory service's tools change only with this program, so an upgrade needs no approval.
    const isMemory = connection.kind === 'memory';
    const isAccepted = isRestored || isMemory || (!pin && !hasBlockingFlag(flags));
    return {
      connection_id: connection.id,
      kind: this.kind,
      name: getItemKey(this.kind, item),
      approved: isAccepted ? text : (pin?.approved ?? null),
      approved_digest: isAccepted ? digest : (pin?.approved_digest ?? null),
      waiting: isAccepted ? null : text,
      waiting_digest: isAccepted ? null : digest,
      flags: JSON.stringify(flags),
      seen_at_ms: pin?.seen_at_ms ?? nowMs,
      changed_at_ms: pin ? nowMs : null,
      approved_by: pin?.approved_by ?? null,
    };
  }

  async #write(connection: PinnedConnection, pins: Pins, rows: readonly DefinitionPinRow[]): Promise<void> {
    for (let start = 0; start < rows.length; start += batchSize) {
      const batch = rows.slice(start, start + batchSize);
      await this.#writeFor(connection, (sql) => {
        for (const row of batch) saveDefinitionPin(sql, row);
      });
      for (const row of batch) pins.set(row.name, row);
    }
  }

  /** A connection can be removed after its server has answered: then nothing is written, and its pins are forgotten. */
  async #writeFor({ id, name }: PinnedConnection, write: (sql: Sql) => void): Promise<void> {
    const isStored = await this.#dependencies.database.write((sql) => {
      if (!findConnection(sql, id)) return false;
      write(sql);
      return true;
    });
    if (isStored) return;
    this.#cache.delete(id);
    throw vpError('CONNECTION_REMOVED', { connection: name });
  }
}

/** A definition that is too large or too deep to review has no digest, so that it cannot be approved. */
function toReviewable(item: UpstreamItem, kind: ItemKind): { readonly text: string; readonly digest: string | null } {
  const { text, digest, isTooDeep } = serializeDefinition(item, kind);
  if (!isTooDeep && text.length <= maxReviewedLength) return { text, digest };
  const problem = isTooDeep ? 'nested too deep' : `${text.length} characters long`;
  return { text: JSON.stringify({ name: item.name.slice(0, 300), [`not shown: ${problem}`]: true }), digest: null };
}

const flagsCheck = TypeCompiler.Compile(Type.Array(ToolFlag));

export function parseFlags({ flags }: DefinitionPinRow): ToolFlag[] {
  const value: unknown = JSON.parse(flags);
  return flagsCheck.Check(value) ? value : [];
}

/** True for a definition that a known connection added and nobody has approved yet. */
function isNewDefinition(pin: DefinitionPinRow): boolean {
  return pin.approved === null && parseFlags(pin).some(isNewFlag);
}
