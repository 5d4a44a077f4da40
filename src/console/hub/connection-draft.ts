/** A connection while it is written, and what is sent of it. */
import type { ConnectionCredentialWrite, HubConnection, HubConnectionNew } from '../../contract/hub-api.ts';
import type { HubConnectionProbe } from '../../contract/hub-connect-api.ts';

/** Fields as they stand in the form; empty ones are left out of what is sent. */
export type ConnectionDraft = {
  readonly name: string;
  readonly kind: HubConnection['kind'];
  /** URL, or the name of a command; nothing for memory. */
  readonly target: string;
  /** `kept`: the one that there is. */
  readonly credential: 'kept' | 'none' | 'header' | 'oauth';
  readonly header: string;
  readonly value: string;
  readonly sharing: 'shared' | 'per_user';
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
};

/** What the form begins with: a connection that there is, or what is known of a new one. */
export function draftOf(before: HubConnection | undefined, known: Partial<ConnectionDraft> = {}): ConnectionDraft {
  return {
    name: before?.name ?? '',
    kind: before?.kind ?? 'http',
    target: before?.url ?? before?.command ?? '',
    credential: before ? 'kept' : 'none',
    header: 'Authorization',
    value: '',
    sharing: 'shared',
    clientId: '',
    clientSecret: '',
    scope: '',
    ...known,
  };
}

/** The same of a connection that is known but for its name. */
export function draftFrom({ name, kind, url, command, credential }: HubConnectionNew): Partial<ConnectionDraft> {
  const target = { name, kind, target: url ?? command ?? '' };
  if (credential?.kind === 'header')
    return { ...target, credential: 'header', header: credential.header, value: credential.value };
  return credential?.kind === 'oauth' ? { ...target, credential: 'oauth', sharing: credential.sharing } : target;
}

/** True for servers that are reached by a URL, with a credential. */
export function hasUrl(kind: HubConnection['kind']): boolean {
  return kind === 'http' || kind === 'sse';
}

/** What is sent for a new connection; a change is sent without `kind`. */
export function connectionOf(draft: ConnectionDraft): HubConnectionNew {
  return { name: draft.name, ...probeOf(draft) };
}

/** What is sent to learn what it would offer. */
export function probeOf(draft: ConnectionDraft): HubConnectionProbe {
  const { kind, target } = draft;
  const credential = hasUrl(kind) ? credentialOf(draft) : undefined;
  return {
    kind,
    ...(kind === 'stdio' ? { command: target } : {}),
    ...(hasUrl(kind) ? { url: target } : {}),
    ...(credential ? { credential } : {}),
  };
}

function credentialOf(draft: ConnectionDraft): ConnectionCredentialWrite | undefined {
  const { credential: kind, header, value, sharing, clientId, clientSecret, scope } = draft;
  if (kind === 'kept') return undefined;
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

const mostName = 24;
/** Say nothing of what a server is for. */
const fillers = /\b(mcp|server|service|the)\b/g;

/** A name made of what a server calls itself, else of its address; empty where nothing is left. */
export function suggestedName(told: string | undefined, draft: Pick<ConnectionDraft, 'kind' | 'target'>): string {
  if (draft.kind === 'memory') return 'memory';
  return nameOf(told ?? '') || nameOf(draft.kind === 'stdio' ? draft.target : domainOf(draft.target));
}

/** `example` of `https://tools.example.com/mcp`; empty for addresses that have no name. */
function domainOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return /^[\d.]+$|:/.test(host) ? '' : (host.split('.').slice(-2)[0] ?? '');
}

function nameOf(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
  const parts = plain.replaceAll(fillers, ' ').trim() || plain.trim();
  return parts.replaceAll(/ +/g, '-').slice(0, mostName).replace(/-+$/, '');
}
