/** The hub as it will be, in the form and order of an export, so that a diff shows what changes and nothing else. */
import { isDeepStrictEqual } from 'node:util';
import type { HubFile, HubFileConnection } from '../../../contract/hubs/hub-file.ts';
import { isObject } from '../../../json/json-object.ts';
import { compareBy, type HubState, toHubFile } from './hub-state.ts';

export function buildDesiredFile(
  file: HubFile,
  state: HubState | undefined,
  prunes: boolean,
): Omit<HubFile, 'revision'> {
  const current = state && toHubFile(state);
  const { hub, members, connections, policy } = file;
  return {
    version: 1,
    hub: current ? { ...current.hub, ...hub } : hub,
    members: mergeItems(current?.members, members, prunes, ({ email }) => email.toLowerCase()),
    connections: mergeItems(
      current?.connections,
      connections?.map((item) => normalizeConnection(item, current?.connections)),
      prunes,
      ({ name }) => name,
    ),
    ...selectPolicy(policy, current?.policy),
  };
}

function selectPolicy(policy: HubFile['policy'], current: HubFile['policy']): Pick<HubFile, 'policy'> {
  if (!policy || isDeepStrictEqual(policy, current)) return current ? { policy: current } : {};
  const ordered: Record<string, unknown> = {};
  Object.assign(ordered, orderLike(policy, current));
  return { policy: ordered };
}

function mergeItems<T>(
  current: readonly T[] = [],
  listed: readonly T[] | undefined,
  prunes: boolean,
  getKey: (item: T) => string,
): T[] {
  const merged = new Map(current.map((item) => [getKey(item), item]));
  if (listed && prunes) merged.clear();
  for (const item of listed ?? []) merged.set(getKey(item), item);
  return [...merged.values()].sort(compareBy(getKey));
}

/** References to secrets are shown only where the hub has no such connection yet. */
function normalizeConnection(connection: HubFileConnection, current: HubFile['connections'] = []): HubFileConnection {
  const { name, kind, url, command, enabled, credential, protocol = 'auto' } = connection;
  const isNew = !current.some((existing) => existing.name === name);
  const plainCredential = isNew || !credential ? credential : withoutReference(credential);
  return {
    name,
    kind,
    ...(url === undefined ? {} : { url: new URL(url).href }),
    ...(command === undefined ? {} : { command }),
    ...(enabled === false ? { enabled } : {}),
    ...(!plainCredential || plainCredential.kind === 'none' ? {} : { credential: plainCredential }),
    ...(protocol === 'auto' ? {} : { protocol }),
  };
}

function withoutReference(credential: NonNullable<HubFileConnection['credential']>) {
  if (credential.kind === 'none') return credential;
  if (credential.kind === 'header') return { kind: credential.kind, header: credential.header };
  const { sharing, client_id, scope } = credential;
  return {
    kind: credential.kind,
    sharing,
    ...(client_id === undefined ? {} : { client_id }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** The same value with members in the order of `template`, and new ones at the end. */
function orderLike(value: unknown, template: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => orderLike(item, Array.isArray(template) ? template[index] : undefined));
  if (!isObject(value)) return value;
  const known = isObject(template) ? Object.keys(template).filter((name) => Object.hasOwn(value, name)) : [];
  const names = [...known, ...Object.keys(value).filter((name) => !known.includes(name))];
  return Object.fromEntries(
    names.map((name) => [name, orderLike(value[name], isObject(template) ? template[name] : undefined)]),
  );
}
