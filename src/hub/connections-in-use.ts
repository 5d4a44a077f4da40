/** Connections in use from the console: looked at before they are kept, and their tools called by hand as any client's would be. */

import { ProtocolError } from '@modelcontextprotocol/server';
import type {
  HubConnectionProbe,
  HubConnectionProbed,
  HubToolCall,
  HubToolCalled,
  HubToolsOffered,
} from '../contract/hub-connect-api.ts';
import type { Clock } from '../environment/clock.ts';
import { type ErrorCode, errorTable } from '../errors/table.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import type { Asked } from './connections.ts';
import type { ConnectionRecords, DraftedConnection } from './connections-draft.ts';
import type { Caller } from './gateway/caller.ts';
import type { Gateway } from './gateway/gateway.ts';
import { deniedKey } from './gateway/hub-calls.ts';
import { connectionOfName } from './gateway/names.ts';
import type { Hubs } from './hubs.ts';
import { probeOf } from './upstream/probe.ts';
import type { ConnectionSecrets, HubPrincipal } from './words.ts';

/** What calls by hand bring along. */
export type HandCall = { readonly signal: AbortSignal; readonly requestBytes: number };

/** Whoever names a hub throws HUB_UNKNOWN and HUB_ROLE_INSUFFICIENT. */
export type ConnectionsInUse = {
  /** Throws what making the connection would throw; what is wrong with its server stands in the answer. */
  probe(caller: PersonCaller, hub: string, input: HubConnectionProbe): Promise<HubConnectionProbed>;
  /** One that is kept. Throws CONNECTION_UNKNOWN. */
  probeKept(asked: Asked): Promise<HubConnectionProbed>;
  offered(caller: PersonCaller, hub: string): Promise<HubToolsOffered>;
  /** Throws HUB_CALL_DENIED, HUB_CALL_ASKS, HUB_TOOL_UNKNOWN, UPSTREAM_*, AUDIT_UNAVAILABLE. */
  call(caller: PersonCaller, hub: string, input: HubToolCall, brought: HandCall): Promise<HubToolCalled>;
};

/** What it is made of. */
export type InUseParts = {
  readonly records: ConnectionRecords;
  readonly hubs: Pick<Hubs, 'principal'>;
  readonly gateway: Pick<Gateway, 'upstreams' | 'catalogue' | 'calls'>;
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
};

const largestResultBytes = 1_000_000;
/** A look has less time than a call. */
const lookTimes = { connectMs: 8000, limits: { silenceMs: 8000, wholeMs: 9500 } };

/** See {@link ConnectionsInUse}. */
export function connectionsInUse(parts: InUseParts): ConnectionsInUse {
  const { records, gateway, clock, secrets } = parts;
  const principalOf = async (caller: PersonCaller, hub: string): Promise<HubPrincipal> => {
    await records.stand(caller, hub, 'tool.try');
    return parts.hubs.principal(caller, hub);
  };
  return {
    async probe(caller, hub, input) {
      const drafted = await records.draft(caller, hub, input);
      const aside = { ...lookTimes, secrets: secretsOf(secrets, drafted) };
      return probeOf(gateway.upstreams.aside(drafted.connection, caller.personId, aside), clock);
    },
    async probeKept(asked) {
      const connection = await records.find(asked, 'connection.manage');
      return probeOf(gateway.upstreams.aside(connection, asked.caller.personId, lookTimes), clock);
    },
    offered: async (caller, hub) => offeredOf(gateway, await principalOf(caller, hub)),
    async call(caller, hub, input, brought) {
      const principal = await principalOf(caller, hub);
      const began = clock.monotonicMs();
      const result = await called(gateway, principal, input, brought);
      const is_error = result.isError === true;
      const duration_ms = Math.round(clock.monotonicMs() - began);
      return { result, is_error, duration_ms, outcome: is_error ? 'tool_error' : 'ok' };
    },
  };
}

/** The header that was written is sent, and nothing that is kept. */
function secretsOf(kept: ConnectionSecrets, { header }: DraftedConnection): ConnectionSecrets {
  return { ...kept, header: async () => header };
}

async function offeredOf({ catalogue }: InUseParts['gateway'], principal: HubPrincipal): Promise<HubToolsOffered> {
  const { items, missing } = await catalogue.tools(principal);
  return {
    items: items.map(({ shown: { name, title, description, inputSchema, annotations } }) => ({
      name,
      connection: connectionOfName(name) ?? '',
      title: title ?? annotations?.title ?? null,
      description: description ?? null,
      input_schema: inputSchema,
      annotations: annotations ?? null,
    })),
    missing: [...missing],
  };
}

/** A caller who cannot be asked anything, and hears nothing before the answer. */
function byHand(principal: HubPrincipal, { signal, requestBytes }: HandCall): Caller {
  const caller = {
    principal,
    requestBytes,
    headers: new Headers(),
    begun: new Set<string | number>(),
    capabilities: {},
    signal,
    progressToken: undefined,
    meta: {},
    logLevel: undefined,
    inputResponses: undefined,
    requestState: undefined,
    notify: () => {},
  };
  return caller;
}

async function called(
  { calls }: InUseParts['gateway'],
  principal: HubPrincipal,
  { name, arguments: args = {} }: HubToolCall,
  brought: HandCall,
): Promise<Record<string, unknown>> {
  const result = await calls.callTool(byHand(principal, brought), { name, arguments: args }).catch(toldAsOurs(name));
  const denied = deniedIn(result);
  if (denied) throw vpError('HUB_CALL_DENIED', denied);
  if (result.resultType === 'input_required') throw asks(name);
  if (Buffer.byteLength(JSON.stringify(result)) > largestResultBytes)
    throw vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection: connectionOfName(name) ?? '', limit_mb: 1 });
  return result;
}

/** Errors of ours as they were before the protocol told them; the server's own refusal as one of ours. */
function toldAsOurs(name: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, cure } = Object(thrown.data);
    if (isOurs(code)) throw new VpError({ code, message: String(message), cure: String(cure) }, {});
    if (thrown.code === missingCapability) throw asks(name);
    const connection = connectionOfName(name) ?? '';
    throw vpError('UPSTREAM_CALL_REFUSED', { connection, number: thrown.code, message: thrown.message.slice(0, 500) });
  };
}

/** What a server says when a tool asks for what its caller cannot answer. */
const missingCapability = -32021;

function asks(name: string): VpError {
  return vpError('HUB_CALL_ASKS', { name: name.slice(0, 100) });
}

function isOurs(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}

function deniedIn({ _meta: meta }: Record<string, unknown>): { reason: string; cure: string } | undefined {
  const { reason, cure } = Object(Object(meta)[deniedKey]);
  return typeof reason === 'string' && typeof cure === 'string' ? { reason, cure } : undefined;
}
