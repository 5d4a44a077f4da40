/** Names as people know them, for filters of the audit that take ids and the names of servers. */
import type { Client } from '../../client/client.ts';

type NamedFilters = {
  readonly person: string | undefined;
  readonly token: string | undefined;
  readonly connection: string | undefined;
  readonly tool: string | undefined;
};

/** The id of a member by email address, or by a name that only one has. Other texts are taken as ids: former members have calls too. */
export async function resolvePersonId({ hubs }: Client, hub: string, person: string): Promise<string> {
  const members = await hubs.listMembers(hub);
  const normalized = person.toLowerCase();
  const named = members.filter(({ name }) => name.toLowerCase() === normalized);
  const match =
    members.find(({ email }) => email.toLowerCase() === normalized) ?? (named.length === 1 ? named[0] : undefined);
  return match?.person_id ?? person;
}

/** `docs__search` as clients call it: the connection, and the tool by the name that its server uses. */
export async function splitToolName(
  { hubs }: Client,
  hub: string,
  { tool = '', connection }: NamedFilters,
): Promise<Pick<NamedFilters, 'connection' | 'tool'> | undefined> {
  const [prefix = '', ...rest] = tool.split('__');
  if (connection !== undefined || rest.length === 0) return undefined;
  const isConnection = (await hubs.listConnections(hub)).some(({ name }) => name === prefix);
  return isConnection ? { connection: prefix, tool: rest.join('__') } : undefined;
}

/** Says what the filters take, so that a mistaken one does not pass for an empty log. Ends with a line break. */
export function describeNoCalls({ person, token, connection, tool }: NamedFilters): string {
  const hints = [
    ...(person === undefined ? [] : ['--person takes the email address, name or id of a member']),
    ...(token === undefined ? [] : ['--token takes an id, as in `vp tokens list`, or that of an OAuth client']),
    ...(connection === undefined ? [] : ['--connection takes the name that it had at the time of the call']),
    ...(tool === undefined ? [] : ['--tool takes the name that the server uses, or <connection>__<tool>']),
  ];
  return `${['no matching calls', ...hints].join('; ')}\n`;
}
