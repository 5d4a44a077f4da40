/** A hub as the control plane has it, as a file, and its revision. */
import { createHash } from 'node:crypto';
import type { Client } from '../../../client/client.ts';
import type { HubFile, HubFileConnection, HubFileCredential } from '../../../contract/hubs/hub-file.ts';
import type { Hub, HubConnection, HubMember } from '../../../contract/hubs/hubs-api.ts';
import type { HubPolicy } from '../../../contract/hubs/policy-api.ts';
import { VpError } from '../../../errors/vp-error.ts';

export type HubState = {
  readonly hub: Hub;
  readonly members: readonly HubMember[];
  readonly connections: readonly HubConnection[];
  readonly policy: HubPolicy;
  /** Differs after each change but that of a secret. */
  readonly revision: string;
};

const revisionLength = 20;

/** Throws HUB_UNKNOWN. */
export async function readHubState({ hubs, hubPolicy }: Client, slug: string): Promise<HubState> {
  const hub = await hubs.get(slug);
  const [members, connections, policy] = await Promise.all([
    hubs.listMembers(slug),
    hubs.listConnections(slug),
    hubPolicy.getPolicy(slug),
  ]);
  const parts = { hub, members, connections, policy };
  return { ...parts, revision: computeRevision(parts) };
}

/** Undefined for a hub that the caller is not a member of. */
export async function findHubState(client: Client, slug: string): Promise<HubState | undefined> {
  try {
    return await readHubState(client, slug);
  } catch (error) {
    if (error instanceof VpError && error.code === 'HUB_UNKNOWN') return undefined;
    throw error;
  }
}

function computeRevision({ hub, members, connections, policy }: Omit<HubState, 'revision'>): string {
  const facts = [
    [hub.hub_id, hub.slug, hub.name, hub.tool_list, policy.revision],
    members.map(({ person_id: id, role }) => `${id} ${role}`).sort(),
    connections
      .map(({ connection_id: id, name, kind, url, command, enabled, credential, protocol }) =>
        JSON.stringify([id, name, kind, url, command, enabled, credential, protocol]),
      )
      .sort(),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, revisionLength);
}

/** The hub in the form of the file, ordered by names; secrets and their references are not in it. */
export function toHubFile({ hub, members, connections, policy, revision }: HubState): Required<HubFile> {
  const { slug, name, tool_list } = hub;
  return {
    version: 1,
    revision,
    hub: { slug, name, tool_list },
    members: members.map(({ email, role }) => ({ email, role })).sort(compareBy(({ email }) => email)),
    connections: connections.map(toFileConnection).sort(compareBy(({ name }) => name)),
    policy: policy.document,
  };
}

export function compareBy<T>(getKey: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (getKey(a) < getKey(b) ? -1 : Number(getKey(a) > getKey(b)));
}

function toFileConnection({
  name,
  kind,
  url,
  command,
  enabled,
  credential,
  protocol,
}: HubConnection): HubFileConnection {
  return {
    name,
    kind,
    ...(url === null ? {} : { url }),
    ...(command === null ? {} : { command }),
    ...(enabled ? {} : { enabled }),
    ...(credential.kind === 'none' ? {} : { credential: toFileCredential(credential) }),
    ...(protocol === 'auto' ? {} : { protocol }),
  };
}

function toFileCredential(credential: HubConnection['credential']): HubFileCredential {
  if (credential.kind !== 'oauth') return credential;
  const { sharing, client_id: clientId, scope } = credential;
  return {
    kind: 'oauth',
    sharing,
    ...(clientId === null ? {} : { client_id: clientId }),
    ...(scope === null ? {} : { scope }),
  };
}
