/** A hub as the control plane has it, as a file, and its revision. */
import type { Client } from '../../../client/client.ts';
import type { HubFile, HubFileConnection, HubFileCredential } from '../../../contract/hubs/hub-file.ts';
import type { HubConnection, HubDetails, HubMember } from '../../../contract/hubs/hubs-api.ts';
import type { HubPolicy } from '../../../contract/hubs/policy-api.ts';
import { VpError } from '../../../errors/vp-error.ts';

export type HubState = {
  /** Its revision is that of the rest only if nothing was changed while it was read: apply a plan with `if_revision`. */
  readonly hub: HubDetails;
  readonly members: readonly HubMember[];
  readonly connections: readonly HubConnection[];
  readonly policy: HubPolicy;
};

/** Throws HUB_UNKNOWN. */
export async function readHubState({ hubs, hubPolicy }: Client, slug: string): Promise<HubState> {
  const hub = await hubs.get(slug);
  const [members, connections, policy] = await Promise.all([
    hubs.listMembers(slug),
    hubs.listConnections(slug),
    hubPolicy.getPolicy(slug),
  ]);
  return { hub, members, connections, policy };
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

/** The hub in the form of the file, ordered by names; secrets and their references are not in it. */
export function toHubFile({ hub, members, connections, policy }: HubState): Required<HubFile> {
  const { slug, name, tool_list, revision } = hub;
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
