/** Probes connections and calls their tools from the console, with the same rules as for any client. */

import { ProtocolError } from '@modelcontextprotocol/server';
import type {
  CallHubToolRequest,
  CallHubToolResponse,
  HubConnectionProbeResult,
  OfferedHubTools,
  ProbeHubConnectionRequest,
} from '../../contract/hubs/connection-use-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { CallContext } from '../gateway/call-context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { parseConnectionName } from '../gateway/public-names.ts';
import type { HubDirectory } from '../hubs/hub-directory.ts';
import { denialKey } from '../protocol/hub-meta.ts';
import { probeServer } from '../upstream/probe.ts';
import type { ConnectionSecrets } from './connection.ts';
import type { ConnectionAccess, DraftConnection } from './connection-access.ts';
import type { ConnectionRef } from './connections-service.ts';

export type ManualCallOptions = {
  readonly signal: AbortSignal;
  readonly requestBytes: number;
  /** The digest of a waiting definition to call: only for owners of the hub. */
  readonly trialDigest?: string;
};

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type ConnectionTester = {
  /** Throws what creating the connection would throw; problems of its server are part of the result. */
  probe(caller: PersonCaller, hub: string, input: ProbeHubConnectionRequest): Promise<HubConnectionProbeResult>;
  /** Probes a stored connection: the hub adopts the lists that were read, if it is enabled and unchanged. Throws CONNECTION_UNKNOWN, CONNECTION_REMOVED. */
  probeStored(connectionRef: ConnectionRef): Promise<HubConnectionProbeResult>;
  listTools(caller: PersonCaller, hub: string): Promise<OfferedHubTools>;
  /** Throws HUB_CALL_DENIED, HUB_CALL_ASKS, HUB_TOOL_UNKNOWN, UPSTREAM_*, AUDIT_UNAVAILABLE. */
  call(
    caller: PersonCaller,
    hub: string,
    input: CallHubToolRequest,
    options: ManualCallOptions,
  ): Promise<CallHubToolResponse>;
  /** The result of a call as JSON, with the numbers that its server sent. */
  formatResult(result: CallHubToolResponse['result']): string;
};

export type ConnectionTesterDependencies = {
  readonly connectionAccess: ConnectionAccess;
  readonly hubs: Pick<HubDirectory, 'principal'>;
  readonly gateway: Pick<Gateway, 'upstreams' | 'catalogue' | 'calls'>;
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
};

const maxResultBytes = 1_000_000;
/** Shorter than those of calls. */
const probeTimeouts = { connectMs: 8000, timeouts: { idleMs: 8000, totalMs: 9500 } };

export function createConnectionTester(dependencies: ConnectionTesterDependencies): ConnectionTester {
  const { connectionAccess, gateway, clock, secrets } = dependencies;
  const getPrincipal = async (caller: PersonCaller, hub: string): Promise<HubPrincipal> => {
    await connectionAccess.authorize(caller, hub, 'tool.try');
    return dependencies.hubs.principal(caller, hub);
  };
  return {
    async probe(caller, hub, input) {
      const draft = await connectionAccess.draft(caller, hub, input);
      const overrides = { ...probeTimeouts, secrets: withDraftHeader(secrets, draft) };
      return probeServer(gateway.upstreams.createIsolated(draft.connection, caller.personId, overrides), clock);
    },
    async probeStored(connectionRef) {
      const connection = await connectionAccess.find(connectionRef, 'connection.manage');
      const { personId } = connectionRef.caller;
      const server = gateway.upstreams.createIsolated(connection, personId, probeTimeouts);
      const result = await probeServer(server, clock);
      // A disabled connection offers nothing, and what it lists first is approved: that is for its first use. One that was edited
      // during the probe may have another server.
      if ((await connectionAccess.isCurrent(connection)) && connection.enabled)
        await gateway.catalogue.recordProbe(server, personId);
      // Whether a person has signed in says nothing about the connection.
      if (result.problem?.code !== 'UPSTREAM_SIGN_IN_NEEDED')
        await connectionAccess.recordProbe(connection, result.problem?.message);
      return result;
    },
    listTools: async (caller, hub) => listOfferedTools(gateway, await getPrincipal(caller, hub)),
    async call(caller, hub, input, options) {
      if (options.trialDigest !== undefined) await connectionAccess.authorize(caller, hub, 'tool.approve');
      const principal = await getPrincipal(caller, hub);
      const startedAtMs = clock.monotonicMs();
      const authenticate = () => getPrincipal(caller, hub).catch((): undefined => undefined);
      const result = await callHubTool(gateway, principal, input, { ...options, authenticate });
      const is_error = result.isError === true;
      const duration_ms = Math.round(clock.monotonicMs() - startedAtMs);
      return { result, is_error, duration_ms, outcome: is_error ? 'tool_error' : 'ok' };
    },
    formatResult: (result) => gateway.calls.getResultText(result) ?? JSON.stringify(result),
  };
}

/** Sends the header of the draft and no stored secret. */
function withDraftHeader(stored: ConnectionSecrets, { header }: DraftConnection): ConnectionSecrets {
  return { ...stored, header: async () => header };
}

async function listOfferedTools(
  { catalogue }: ConnectionTesterDependencies['gateway'],
  principal: HubPrincipal,
): Promise<OfferedHubTools> {
  const { items, missing } = await catalogue.tools(principal);
  return {
    items: items.map(({ publicItem: { name, title, description, inputSchema, annotations } }) => ({
      name,
      connection: parseConnectionName(name) ?? '',
      title: title ?? annotations?.title ?? null,
      description: description ?? null,
      input_schema: inputSchema,
      annotations: annotations ?? null,
    })),
    missing: [...missing],
  };
}

type AuthenticatedCallOptions = ManualCallOptions & Pick<CallContext, 'authenticate'>;

/** A context that can neither answer questions nor receive notifications. */
function createManualCallContext(
  principal: HubPrincipal,
  { signal, requestBytes, authenticate, trialDigest }: AuthenticatedCallOptions,
): CallContext {
  return {
    principal,
    authenticate,
    requestBytes,
    headers: new Headers(),
    era: 'older',
    capabilities: {},
    signal,
    progressToken: undefined,
    meta: {},
    logLevel: undefined,
    inputResponses: undefined,
    requestState: undefined,
    trialDigest,
    notify: () => {},
  };
}

async function callHubTool(
  { calls }: ConnectionTesterDependencies['gateway'],
  principal: HubPrincipal,
  { name, arguments: args = {} }: CallHubToolRequest,
  options: AuthenticatedCallOptions,
): Promise<Record<string, unknown>> {
  const result = await calls
    .callTool(createManualCallContext(principal, options), { name, arguments: args })
    .catch(rethrowAsVpError(name));
  const denial = findDenial(result);
  if (denial) throw vpError('HUB_CALL_DENIED', denial);
  if (result.resultType === 'input_required') throw createInputRequiredError(name);
  if (Buffer.byteLength(JSON.stringify(result)) > maxResultBytes)
    throw vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection: parseConnectionName(name) ?? '', limit_mb: 1 });
  return result;
}

/** Restores our own errors from protocol errors; a server's refusal becomes UPSTREAM_CALL_REFUSED, whatever its data say. */
function rethrowAsVpError(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ProtocolError)) throw error;
    if (error.cause instanceof VpError) throw error.cause;
    if (error.code === missingCapabilityCode) throw createInputRequiredError(name);
    const connection = parseConnectionName(name) ?? '';
    throw vpError('UPSTREAM_CALL_REFUSED', { connection, number: error.code, message: error.message.slice(0, 500) });
  };
}

/** The error code of a server whose tool needs a capability that the caller lacks. */
const missingCapabilityCode = -32021;

function createInputRequiredError(name: string): VpError {
  return vpError('HUB_CALL_ASKS', { name: name.slice(0, 100) });
}

function findDenial({ _meta: meta }: Record<string, unknown>): { reason: string; cure: string } | undefined {
  const { reason, cure } = Object(Object(meta)[denialKey]);
  return typeof reason === 'string' && typeof cure === 'string' ? { reason, cure } : undefined;
}
