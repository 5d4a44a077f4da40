/** The state of the connection form, and its conversion to API requests. */

import type { ProbeHubConnectionRequest } from '../../../contract/hubs/connection-use-api.ts';
import type {
  ConnectionCredentialInput,
  CreateHubConnectionRequest,
  HubConnection,
} from '../../../contract/hubs/hubs-api.ts';

/** Form fields. Empty ones are omitted from requests. */
export type ConnectionDraft = {
  readonly name: string;
  readonly kind: HubConnection['kind'];
  /** A URL, the name of a command, or empty for memory. */
  readonly target: string;
  /** `unchanged` keeps the stored credential. */
  readonly credential: 'unchanged' | 'none' | 'header' | 'oauth';
  readonly header: string;
  readonly value: string;
  readonly sharing: 'shared' | 'per_user';
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly protocol: HubConnection['protocol'];
};

/** Starts from an existing connection, or from defaults for a new one. */
export function createConnectionDraft(
  existing: HubConnection | undefined,
  defaults: Partial<ConnectionDraft> = {},
): ConnectionDraft {
  return {
    name: existing?.name ?? '',
    kind: existing?.kind ?? 'http',
    target: existing?.url ?? existing?.command ?? '',
    credential: existing ? 'unchanged' : 'none',
    header: 'Authorization',
    value: '',
    sharing: 'shared',
    clientId: '',
    clientSecret: '',
    scope: '',
    protocol: existing?.protocol ?? 'auto',
    ...defaults,
  };
}

export function toDraftDefaults({
  name,
  kind,
  url,
  command,
  credential,
}: CreateHubConnectionRequest): Partial<ConnectionDraft> {
  const target = { name, kind, target: url ?? command ?? '' };
  if (credential?.kind === 'header')
    return { ...target, credential: 'header', header: credential.header, value: credential.value };
  return credential?.kind === 'oauth' ? { ...target, credential: 'oauth', sharing: credential.sharing } : target;
}

/** Only these kinds have a credential. */
export function isUrlKind(kind: HubConnection['kind']): boolean {
  return kind === 'http' || kind === 'sse';
}

/** The others have one protocol. */
export function hasProtocol(kind: HubConnection['kind']): boolean {
  return kind === 'http' || kind === 'stdio';
}

export function toNewConnection(draft: ConnectionDraft): CreateHubConnectionRequest {
  return { name: draft.name, ...toProbeRequest(draft) };
}

export function toProbeRequest(draft: ConnectionDraft): ProbeHubConnectionRequest {
  const { kind, target } = draft;
  const credential = isUrlKind(kind) ? toCredential(draft) : undefined;
  return {
    kind,
    ...(kind === 'stdio' ? { command: target } : {}),
    ...(isUrlKind(kind) ? { url: target } : {}),
    ...(credential ? { credential } : {}),
  };
}

function toCredential(draft: ConnectionDraft): ConnectionCredentialInput | undefined {
  const { credential: kind, header, value, sharing, clientId, clientSecret, scope } = draft;
  if (kind === 'unchanged') return undefined;
  if (kind === 'none') return { kind };
  if (kind === 'header') return { kind, header, value };
  return {
    kind,
    sharing,
    ...(clientId === '' ? {} : { client_id: clientId }),
    ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
    ...(scope === '' ? {} : { scope }),
  };
}

const maxNameLength = 24;
/** Words that do not tell servers apart. */
const fillerPattern = /\b(mcp|server|service|the)\b/g;

/** Derived from the name the server reports, otherwise from its address. Empty if neither gives a name. */
export function suggestName(serverName: string | undefined, draft: Pick<ConnectionDraft, 'kind' | 'target'>): string {
  if (draft.kind === 'memory') return 'memory';
  return toSlug(serverName ?? '') || toSlug(draft.kind === 'stdio' ? draft.target : parseDomain(draft.target));
}

/** `example` for `https://tools.example.com/mcp`; empty for IP addresses. */
function parseDomain(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^[\d.]+$|:/.test(host) ? '' : (host.split('.').slice(-2)[0] ?? '');
}

function toSlug(text: string): string {
  const spaced = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
  const significant = spaced.replaceAll(fillerPattern, ' ').trim() || spaced.trim();
  return significant.replaceAll(/ +/g, '-').slice(0, maxNameLength).replace(/-+$/, '');
}
