/**
 * Pins the definitions of tools when they are first seen. A definition that changes later is blocked until an owner of
 * the hub approves it: agents read definitions as instructions, so they must not change unnoticed.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ToolFlag } from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { listToolPins, saveToolPin, type ToolPinRow } from '../../store/control/hubs/tool-pins.ts';
import type { Database } from '../../store/database.ts';
import type { ConnectionRepository, UpstreamConnection, UpstreamTool } from '../types.ts';
import { digestDefinition, maxDefinitionLength, serializeDefinition } from './tool-definition.ts';
import { findFlags, type HubToolName, hasBlockingFlag, indexHubNames } from './tool-flags.ts';

export type ToolPinsDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
};

type PinnedConnection = Pick<UpstreamConnection, 'id' | 'hubId' | 'name'> & Partial<Pick<UpstreamConnection, 'kind'>>;
type Pins = Map<string, ToolPinRow>;

/** Further tools of a server are not offered. */
const maxTools = 2000;
const maxCachedConnections = 2000;

/** True if the tool may be called as its server describes it now. */
export function isApproved(pin: ToolPinRow): boolean {
  return pin.approved !== null && pin.waiting === null;
}

export class ToolPins {
  readonly #dependencies: ToolPinsDependencies;
  readonly #cache = new Map<string, Promise<Pins>>();
  /** Lists that were recorded, with their connection: most lists are the same as before. */
  readonly #recordedLists = new WeakMap<readonly UpstreamTool[], string>();

  constructor(dependencies: ToolPinsDependencies) {
    this.#dependencies = dependencies;
  }

  /** By tool name. */
  get(connectionId: string): Promise<ReadonlyMap<string, ToolPinRow>> {
    if (this.#cache.size >= maxCachedConnections) this.#cache.clear();
    const cached = this.#cache.get(connectionId) ?? this.#load(connectionId);
    this.#cache.set(connectionId, cached);
    return cached;
  }

  /** Expects the complete list of a connection's tools. */
  async recordTools(
    connection: PinnedConnection,
    tools: readonly UpstreamTool[],
  ): Promise<ReadonlyMap<string, ToolPinRow>> {
    const pins = await this.#getMutable(connection.id);
    if (this.#recordedLists.get(tools) === connection.id) return pins;
    const changedTools = tools.slice(0, maxTools).filter((tool) => !isUnchanged(pins.get(tool.name), tool));
    if (changedTools.length > 0) await this.#pin(connection, pins, changedTools);
    this.#recordedLists.set(tools, connection.id);
    return pins;
  }

  /** Approves the waiting definition. Throws TOOL_PIN_UNKNOWN, TOOL_PIN_CHANGED. */
  async approve(connection: PinnedConnection, tool: string, digest: string, approvedBy: string): Promise<ToolPinRow> {
    const pins = await this.#getMutable(connection.id);
    const pin = pins.get(tool);
    if (!pin) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection: connection.name });
    if (pin.waiting === null || pin.waiting_digest !== digest) throw vpError('TOOL_PIN_CHANGED', { tool });
    const approved = { approved: pin.waiting, approved_digest: digest, waiting: null, waiting_digest: null };
    const row = { ...pin, ...approved, approved_by: approvedBy };
    await this.#write(pins, [row]);
    return row;
  }

  async #getMutable(connectionId: string): Promise<Pins> {
    await this.get(connectionId);
    return (await this.#cache.get(connectionId)) ?? new Map();
  }

  #load(connectionId: string): Promise<Pins> {
    const loading = this.#dependencies.database
      .read((sql) => listToolPins(sql, connectionId))
      .then((rows) => new Map(rows.map((row) => [row.tool, row])));
    loading.catch(() => this.#cache.delete(connectionId));
    return loading;
  }

  async #pin(connection: PinnedConnection, pins: Pins, tools: readonly UpstreamTool[]): Promise<void> {
    const connections = await this.#dependencies.connectionRepository.listEnabled(connection.hubId);
    const hubTools = await this.#listHubTools(connections);
    // Tools of the same list may imitate each other.
    const listed = tools.map((tool) => ({ connection: connection.name, tool: tool.name }));
    const names = connections.map(({ name }) => name);
    const nameIndex = indexHubNames([...hubTools, ...listed], names);
    const rows = tools.flatMap((tool) => {
      const pin = pins.get(tool.name);
      if (!pin && pins.size >= maxTools) return [];
      return [this.#toRow(connection, tool, pin, findFlags(tool, connection.name, nameIndex))];
    });
    await this.#write(pins, rows);
  }

  async #listHubTools(connections: readonly PinnedConnection[]): Promise<HubToolName[]> {
    const perConnection = connections.map(async ({ id, name }) =>
      [...(await this.get(id)).keys()].map((tool) => ({ connection: name, tool })),
    );
    return (await Promise.all(perConnection)).flat();
  }

  #toRow(connection: PinnedConnection, tool: UpstreamTool, pin: ToolPinRow | undefined, flags: ToolFlag[]): ToolPinRow {
    const nowMs = this.#dependencies.clock.nowMs();
    const [text, digest] = [toStoredText(tool), digestDefinition(tool)];
    const isRestored = pin?.approved_digest === digest;
    // The memory service's tools change only with this program, so an upgrade needs no approval.
    const isMemory = connection.kind === 'memory';
    const isAccepted = isRestored || isMemory || (!pin && !hasBlockingFlag(flags));
    return {
      connection_id: connection.id,
      tool: tool.name,
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

  async #write(pins: Pins, rows: readonly ToolPinRow[]): Promise<void> {
    await this.#dependencies.database.write((sql) => {
      for (const row of rows) saveToolPin(sql, row);
    });
    for (const row of rows) pins.set(row.tool, row);
  }
}

function isUnchanged(pin: ToolPinRow | undefined, tool: UpstreamTool): boolean {
  return pin !== undefined && (pin.waiting_digest ?? pin.approved_digest) === digestDefinition(tool);
}

/** The beginning of an oversized definition; its digest covers all of it. */
function toStoredText(tool: UpstreamTool): string {
  const text = serializeDefinition(tool);
  if (text.length <= maxDefinitionLength) return text;
  const description = `[a definition of ${text.length} characters, truncated:] ${text.slice(0, 2000)}`;
  return JSON.stringify({ name: tool.name.slice(0, 300), description });
}

const flagsCheck = TypeCompiler.Compile(Type.Array(ToolFlag));

export function parseFlags({ flags }: ToolPinRow): ToolFlag[] {
  const value: unknown = JSON.parse(flags);
  return flagsCheck.Check(value) ? value : [];
}

const readOnlyCache = new WeakMap<ToolPinRow, boolean>();

export function isReadOnlyTool(pin: ToolPinRow): boolean {
  const cached = readOnlyCache.get(pin) ?? hasReadOnlyHint(pin);
  readOnlyCache.set(pin, cached);
  return cached;
}

function hasReadOnlyHint({ approved }: ToolPinRow): boolean {
  const definition: unknown = approved === null ? undefined : JSON.parse(approved);
  if (typeof definition !== 'object' || definition === null || !('annotations' in definition)) return false;
  const { annotations } = definition;
  return (
    typeof annotations === 'object' &&
    annotations !== null &&
    'readOnlyHint' in annotations &&
    annotations.readOnlyHint === true
  );
}
