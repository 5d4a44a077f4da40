/**
 * What makes a hub as its file says, in the order in which it is done: rights are taken before anything is opened, and the policy is in
 * force before a connection is offered.
 */
import { isDeepStrictEqual } from 'node:util';
import type { HubFile, HubFileConnection, HubFileMember } from '../../../contract/hubs/hub-file.ts';
import { type HubConnection, type HubMember, hubRoleNames } from '../../../contract/hubs/hubs-api.ts';
import type { HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import { getSecretReference } from './file-rules.ts';
import { type HubState, toHubFile } from './hub-state.ts';
import type { SchemaProblem } from './schema-problems.ts';

export type HubChange =
  | { readonly kind: 'create_hub'; readonly name: string }
  | { readonly kind: 'change_settings'; readonly settings: Omit<HubFile['hub'], 'slug'> }
  | { readonly kind: 'remove_member'; readonly member: HubMember }
  | { readonly kind: 'change_role'; readonly member: HubFileMember; readonly before: HubMember['role'] }
  | { readonly kind: 'set_policy'; readonly document: HubPolicyDocument }
  | { readonly kind: 'disconnect'; readonly connection: HubConnection }
  | { readonly kind: 'change_connection'; readonly connection: HubFileConnection; readonly before: HubConnection }
  | { readonly kind: 'connect'; readonly connection: HubFileConnection }
  | { readonly kind: 'add_member'; readonly member: HubFileMember };

export type HubPlan = {
  readonly changes: readonly HubChange[];
  /** What the hub has beside the file, and keeps without --prune: emails and names of connections. */
  readonly unlisted: readonly string[];
  readonly problems: readonly SchemaProblem[];
};

export type PlanOptions = {
  /** Removes members and connections that the file does not have. */
  readonly prunes: boolean;
  /** Sends every secret that the file refers to. */
  readonly sendsSecrets: boolean;
  /** Email of the person who applies the file. */
  readonly caller: string;
};

/** `state` is undefined for a hub that is still to be created. */
export function planChanges(file: HubFile, state: HubState | undefined, options: PlanOptions): HubPlan {
  const members = planMembers(file, state, options);
  const connections = planConnections(file, state, options);
  const { slug: _slug, ...settings } = file.hub;
  const current = state && toHubFile(state);
  const changesSettings = Object.entries(settings).some(
    ([name, value]) => !current || Reflect.get(current.hub, name) !== value,
  );
  const setsPolicy = file.policy !== undefined && !(current && isDeepStrictEqual(file.policy, current.policy));
  const [removals, grants] = [
    members.changes.filter(isRestriction),
    members.changes.filter((item) => !isRestriction(item)),
  ];
  return {
    changes: [
      ...(state ? [] : [{ kind: 'create_hub' as const, name: settings.name ?? file.hub.slug }]),
      ...(changesSettings ? [{ kind: 'change_settings' as const, settings }] : []),
      ...removals,
      ...(setsPolicy && file.policy ? [{ kind: 'set_policy' as const, document: file.policy }] : []),
      ...connections.changes,
      ...grants,
    ],
    unlisted: [...members.unlisted, ...connections.unlisted],
    problems: [...members.problems, ...connections.problems],
  };
}

/** Lower for more rights. */
function rankRole(role: HubMember['role']): number {
  return hubRoleNames.indexOf(role);
}

function isRestriction(change: HubChange): boolean {
  if (change.kind === 'remove_member') return true;
  return change.kind === 'change_role' && rankRole(change.member.role) > rankRole(change.before);
}

function planMembers({ members }: HubFile, state: HubState | undefined, { prunes, caller }: PlanOptions): HubPlan {
  if (!members) return { changes: [], unlisted: [], problems: [] };
  const normalize = (email: string): string => email.toLowerCase();
  const current = new Map((state?.members ?? []).map((member) => [normalize(member.email), member]));
  const listed = new Set(members.map(({ email }) => normalize(email)));
  const unlisted = [...current].filter(([email]) => !listed.has(email)).map(([, member]) => member);
  const problems: SchemaProblem[] = [];
  const own = members.findIndex(({ email }) => normalize(email) === normalize(caller));
  // Without the right to change members the rest could not be done, nor be repaired.
  if (own !== -1 && members[own]?.role !== 'owner')
    problems.push({
      path: `/members/${own}/role`,
      problem: 'must be owner: it is the one of whoever applies this file',
    });
  if (own === -1 && prunes)
    problems.push({ path: '/members', problem: `lacks ${caller}, who applies this file and would be removed` });
  const changes = members.flatMap((member): HubChange[] => {
    const existing = current.get(normalize(member.email));
    const isCreator = !state && normalize(member.email) === normalize(caller);
    if (existing?.role === member.role || isCreator) return [];
    return existing ? [{ kind: 'change_role', member, before: existing.role }] : [{ kind: 'add_member', member }];
  });
  const removals: HubChange[] = prunes ? unlisted.map((member) => ({ kind: 'remove_member', member })) : [];
  return { changes: [...removals, ...changes], unlisted: prunes ? [] : unlisted.map(({ email }) => email), problems };
}

function planConnections(
  { connections }: HubFile,
  state: HubState | undefined,
  { prunes, sendsSecrets }: PlanOptions,
): HubPlan {
  if (!connections) return { changes: [], unlisted: [], problems: [] };
  const current = new Map((state?.connections ?? []).map((connection) => [connection.name, connection]));
  const listed = new Set(connections.map(({ name }) => name));
  const unlisted = [...current.values()].filter(({ name }) => !listed.has(name));
  const problems: SchemaProblem[] = [];
  const disconnected: HubConnection[] = prunes ? [...unlisted] : [];
  const changed: HubChange[] = [];
  const added: HubChange[] = [];
  for (const [index, connection] of connections.entries()) {
    const before = current.get(connection.name);
    const path = `/connections/${index}`;
    if (before && before.kind !== connection.kind && !prunes)
      problems.push({
        path: `${path}/kind`,
        problem: `is ${before.kind} in the hub; --prune removes that connection with its sign-ins and creates another`,
      });
    const replaces = before !== undefined && before.kind !== connection.kind;
    if (replaces) disconnected.push(before);
    if (!before || replaces) {
      if (connection.credential?.kind === 'header' && connection.credential.value === undefined)
        problems.push({ path: `${path}/credential/value`, problem: 'is missing: the hub has no such secret yet' });
      added.push({ kind: 'connect', connection });
      continue;
    }
    problems.push(...findMissingSecret(connection, before, path));
    const sendsSecret = sendsSecrets && getSecretReference(connection.credential) !== undefined;
    if (sendsSecret || !isSameConnection(connection, before))
      changed.push({ kind: 'change_connection', connection, before });
  }
  const removals: HubChange[] = disconnected.map((connection) => ({ kind: 'disconnect', connection }));
  return {
    changes: [...removals, ...changed, ...added],
    unlisted: prunes ? [] : unlisted.map(({ name }) => name),
    problems,
  };
}

/** A stored secret is not sent to another address, nor under another name. */
function findMissingSecret(connection: HubFileConnection, before: HubConnection, path: string): SchemaProblem[] {
  const { credential } = connection;
  if (credential?.kind === 'oauth') {
    const hasSecret = before.credential.kind === 'oauth' && before.credential.has_client_secret;
    if (!hasSecret || credential.client_secret !== undefined || !needsCredential(connection, before)) return [];
    return [
      {
        path: `${path}/credential/client_secret`,
        problem: 'is missing: the connection changes, and its secret is given again',
      },
    ];
  }
  if (credential?.kind !== 'header' || credential.value !== undefined || !needsCredential(connection, before))
    return [];
  return [
    { path: `${path}/credential/value`, problem: 'is missing: the connection changes, and its secret is given again' },
  ];
}

/** Whether the change has to contain the credential. */
export function needsCredential(connection: HubFileConnection, before: HubConnection): boolean {
  const origin = (url: string | null | undefined): string => (url ? new URL(url).origin : '');
  const isSame = isSameCredential(connection.credential, before);
  return !isSame || (origin(connection.url) !== origin(before.url) && before.credential.kind !== 'none');
}

function isSameCredential(
  credential: HubFileConnection['credential'],
  { credential: current }: HubConnection,
): boolean {
  if (!credential || credential.kind === 'none') return current.kind === 'none';
  if (credential.kind === 'header') return current.kind === 'header' && current.header === credential.header;
  if (current.kind !== 'oauth' || current.sharing !== credential.sharing) return false;
  if (credential.client_secret !== undefined && !current.has_client_secret) return false;
  return (credential.client_id ?? null) === current.client_id && (credential.scope ?? null) === current.scope;
}

function isSameConnection(connection: HubFileConnection, before: HubConnection): boolean {
  return (
    (connection.url === undefined ? null : new URL(connection.url).href) === before.url &&
    (connection.command ?? null) === before.command &&
    (connection.enabled ?? true) === before.enabled &&
    (connection.protocol ?? 'auto') === before.protocol &&
    isSameCredential(connection.credential, before)
  );
}
