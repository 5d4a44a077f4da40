/** The definitions of a hub's connections as owners review them. */
import type { HubTool, HubToolQuery } from '../../contract/hubs/policy-api.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { countHiddenCharacters } from '../../json/visible-text.ts';
import type { DefinitionPinRow } from '../../store/control/hubs/definition-pins.ts';
import type { ConnectionRepository, ItemKind, UpstreamConnection } from '../connections/connection.ts';
import { type DefinitionPins, isApproved, parseFlags } from './definition-pins.ts';
import { diffDefinitions } from './tool-definition.ts';

type Connections = Pick<ConnectionRepository, 'listEnabled'>;

export type PinsByKind = Readonly<Record<ItemKind, DefinitionPins>>;

/** Lists definitions that wait for approval first. */
export async function listDefinitions(
  connections: Connections,
  pinsByKind: PinsByKind,
  hubId: string,
  { kind = 'tool', state }: HubToolQuery,
): Promise<HubTool[]> {
  const pinsOfKinds = kind === 'any' ? Object.values(pinsByKind) : [pinsByKind[kind]];
  const definitions: HubTool[] = [];
  for (const connection of await connections.listEnabled(hubId))
    for (const pins of pinsOfKinds)
      for (const pin of (await pins.get(connection.id)).values())
        if (state === undefined || getState(pin) === state) definitions.push(toHubTool(connection, pin, pins));
  const toSortKey = ({ state: order, connection, tool }: HubTool): string =>
    `${order === 'held' ? 0 : 1} ${connection} ${tool}`;
  return definitions.sort((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1));
}

function getState(pin: DefinitionPinRow): HubTool['state'] {
  return isApproved(pin) ? 'approved' : 'held';
}

type ReviewedConnection = Pick<UpstreamConnection, 'id' | 'name' | 'credential'>;

function isListed(
  { id, credential }: ReviewedConnection,
  { name }: DefinitionPinRow,
  pins: DefinitionPins,
): boolean | null {
  if (credential.kind === 'oauth' && credential.sharing === 'per_user') return null;
  return pins.isListed(id, name) ?? null;
}

export function toHubTool(connection: ReviewedConnection, pin: DefinitionPinRow, pins: DefinitionPins): HubTool {
  const [approved, waiting] = [parseDefinition(pin.approved), parseDefinition(pin.waiting)];
  const difference =
    pin.waiting === null
      ? []
      : diffDefinitions(pin.approved === null ? undefined : parseVisible(pin.approved), parseVisible(pin.waiting));
  return {
    connection: connection.name,
    kind: pin.kind,
    tool: pin.name,
    state: getState(pin),
    listed: isListed(connection, pin, pins),
    approved,
    waiting,
    waiting_digest: pin.waiting_digest,
    difference,
    marks: listMarks(difference),
    flags: parseFlags(pin),
    seen_at: new Date(pin.seen_at_ms).toISOString(),
    changed_at: pin.changed_at_ms === null ? null : new Date(pin.changed_at_ms).toISOString(),
    approved_by: pin.approved_by,
  };
}

/** The marks of the waiting definition only. */
function listMarks(difference: readonly string[]): HubTool['marks'] {
  const counts = countHiddenCharacters(difference.filter((line) => !line.startsWith('-')));
  return [...counts].map(([character, count]) => ({ character, count }));
}

function parseDefinition(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** Numbers that a double rounds may be the whole difference. */
function parseVisible(text: string): unknown {
  return parseExactJson(text) ?? JSON.parse(text);
}
