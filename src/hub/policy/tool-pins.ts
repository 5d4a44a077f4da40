/**
 * Definitions of tools, pinned when they are first seen. One that changes later is held back until an owner of the hub
 * approves what it says now: what agents read as instructions must not change behind people's backs.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ToolFlag } from '../../contract/hub-policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { pinsOfConnection, putPin, type ToolPinRow } from '../../store/control/hub-tool-pins.ts';
import type { Database } from '../../store/database.ts';
import type { Connection, ConnectionBook, ToolDefinition } from '../words.ts';
import { definitionDigest, definitionText, mostDefinitionLength } from './definition.ts';
import { crowdOf, flagsOf, holdsBack, type OtherTool } from './flags.ts';

/** What it works with. */
export type PinParts = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly book: Pick<ConnectionBook, 'ofHub'>;
};

type PlacedConnection = Pick<Connection, 'id' | 'hubId' | 'name'> & Partial<Pick<Connection, 'kind'>>;
type Pins = Map<string, ToolPinRow>;

/** A server that lists more is not believed: the rest is not offered. */
const mostTools = 2000;
/** Connections whose pins stay in memory. */
const mostConnections = 2000;

/** True where the tool may be called as its server describes it now. */
export function isApproved(pin: ToolPinRow): boolean {
  return pin.approved !== null && pin.waiting === null;
}

/** See the file's header. */
export class ToolPins {
  readonly #parts: PinParts;
  readonly #known = new Map<string, Promise<Pins>>();
  /** Lists that were looked at, with the connection they are of: most are the same as before. */
  readonly #seen = new WeakMap<readonly ToolDefinition[], string>();

  constructor(parts: PinParts) {
    this.#parts = parts;
  }

  /** The pins of a connection, by tool. */
  of(connectionId: string): Promise<ReadonlyMap<string, ToolPinRow>> {
    if (this.#known.size >= mostConnections) this.#known.clear();
    const known = this.#known.get(connectionId) ?? this.#load(connectionId);
    this.#known.set(connectionId, known);
    return known;
  }

  /** Takes a whole list of a connection's tools. */
  async see(connection: PlacedConnection, tools: readonly ToolDefinition[]): Promise<ReadonlyMap<string, ToolPinRow>> {
    const pins = await this.#own(connection.id);
    if (this.#seen.get(tools) === connection.id) return pins;
    const fresh = tools.slice(0, mostTools).filter((tool) => !isAsPinned(pins.get(tool.name), tool));
    if (fresh.length > 0) await this.#pin(connection, pins, fresh);
    this.#seen.set(tools, connection.id);
    return pins;
  }

  /** Approves what waits. Throws TOOL_PIN_UNKNOWN, TOOL_PIN_CHANGED. */
  async approve(connection: PlacedConnection, tool: string, digest: string, by: string): Promise<ToolPinRow> {
    const pins = await this.#own(connection.id);
    const pin = pins.get(tool);
    if (!pin) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection: connection.name });
    if (pin.waiting === null || pin.waiting_digest !== digest) throw vpError('TOOL_PIN_CHANGED', { tool });
    const approved = { approved: pin.waiting, approved_digest: digest, waiting: null, waiting_digest: null };
    const row = { ...pin, ...approved, approved_by: by };
    await this.#write(pins, [row]);
    return row;
  }

  async #own(connectionId: string): Promise<Pins> {
    await this.of(connectionId);
    return (await this.#known.get(connectionId)) ?? new Map();
  }

  #load(connectionId: string): Promise<Pins> {
    const loading = this.#parts.database
      .read((sql) => pinsOfConnection(sql, connectionId))
      .then((rows) => new Map(rows.map((row) => [row.tool, row])));
    loading.catch(() => this.#known.delete(connectionId));
    return loading;
  }

  async #pin(connection: PlacedConnection, pins: Pins, tools: readonly ToolDefinition[]): Promise<void> {
    const connections = await this.#parts.book.ofHub(connection.hubId);
    const others = await this.#others(connections);
    // Those of the same list may imitate each other.
    const listed = tools.map((tool) => ({ connection: connection.name, tool: tool.name }));
    const names = connections.map(({ name }) => name);
    const crowd = crowdOf([...others, ...listed], names);
    const rows = tools.flatMap((tool) => {
      const pin = pins.get(tool.name);
      if (!pin && pins.size >= mostTools) return [];
      return [this.#rowOf(connection, tool, pin, flagsOf(tool, connection.name, crowd))];
    });
    await this.#write(pins, rows);
  }

  async #others(connections: readonly PlacedConnection[]): Promise<OtherTool[]> {
    const all = connections.map(async ({ id, name }) =>
      [...(await this.of(id)).keys()].map((tool) => ({ connection: name, tool })),
    );
    return (await Promise.all(all)).flat();
  }

  #rowOf(
    connection: PlacedConnection,
    tool: ToolDefinition,
    pin: ToolPinRow | undefined,
    flags: ToolFlag[],
  ): ToolPinRow {
    const nowMs = this.#parts.clock.nowMs();
    const [text, digest] = [keptText(tool), definitionDigest(tool)];
    const isBack = pin?.approved_digest === digest;
    // Memory's tools change with this program and with nothing else: no owner has to look after each upgrade.
    const isOwn = connection.kind === 'memory';
    const isTaken = isBack || isOwn || (!pin && !holdsBack(flags));
    return {
      connection_id: connection.id,
      tool: tool.name,
      approved: isTaken ? text : (pin?.approved ?? null),
      approved_digest: isTaken ? digest : (pin?.approved_digest ?? null),
      waiting: isTaken ? null : text,
      waiting_digest: isTaken ? null : digest,
      flags: JSON.stringify(flags),
      seen_at_ms: pin?.seen_at_ms ?? nowMs,
      changed_at_ms: pin ? nowMs : null,
      approved_by: pin?.approved_by ?? null,
    };
  }

  async #write(pins: Pins, rows: readonly ToolPinRow[]): Promise<void> {
    await this.#parts.database.write((sql) => {
      for (const row of rows) putPin(sql, row);
    });
    for (const row of rows) pins.set(row.tool, row);
  }
}

function isAsPinned(pin: ToolPinRow | undefined, tool: ToolDefinition): boolean {
  return pin !== undefined && (pin.waiting_digest ?? pin.approved_digest) === definitionDigest(tool);
}

/** Of an enormous definition enough to see what it is; its digest is that of all of it. */
function keptText(tool: ToolDefinition): string {
  const text = definitionText(tool);
  if (text.length <= mostDefinitionLength) return text;
  const description = `[a definition of ${text.length} characters; its beginning:] ${text.slice(0, 2000)}`;
  return JSON.stringify({ name: tool.name.slice(0, 300), description });
}

const flagsCheck = TypeCompiler.Compile(Type.Array(ToolFlag));

/** The flags of a pin. */
export function flagsIn({ flags }: ToolPinRow): ToolFlag[] {
  const value: unknown = JSON.parse(flags);
  return flagsCheck.Check(value) ? value : [];
}

const readers = new WeakMap<ToolPinRow, boolean>();

/** Whether the approved definition says that the tool only reads. */
export function isReading(pin: ToolPinRow): boolean {
  const known = readers.get(pin) ?? saysReading(pin);
  readers.set(pin, known);
  return known;
}

function saysReading({ approved }: ToolPinRow): boolean {
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
