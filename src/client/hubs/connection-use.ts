import type {
  CallHubToolRequest,
  CallHubToolResponse,
  HubConnectionProbeResult,
  OfferedHubTools,
  ProbeHubConnectionRequest,
  StartHubSignInResponse,
} from '../../contract/hubs/connection-use-api.ts';
import { apiPath, type CallOptions } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

/** Use of connections; `hub` is a slug, `connection` an id or a name. */
export type HubConnectionUseClient = {
  /** What a server offers, before it is connected. Nothing is stored. */
  probe(hub: string, input: ProbeHubConnectionRequest, options?: CallOptions): Promise<HubConnectionProbeResult>;
  /** Probes an existing connection with its credential. */
  probeConnection(hub: string, connection: string, options?: CallOptions): Promise<HubConnectionProbeResult>;
  /** The URL for the browser; from a browser only. */
  startSignIn(hub: string, connection: string): Promise<StartHubSignInResponse>;
  forgetSignIn(hub: string, connection: string): Promise<void>;
  /** The tools that the caller may call by hand. */
  listOfferedTools(hub: string, options?: CallOptions): Promise<OfferedHubTools>;
  callTool(hub: string, input: CallHubToolRequest, options?: CallOptions): Promise<CallHubToolResponse>;
};

const probeTimeoutMs = 20_000;
/** A tool may work for minutes. */
const callTimeoutMs = 16 * 60_000;

export function createHubConnectionUseClient({ json, noContent }: Transport): HubConnectionUseClient {
  const path = (hub: string, ...segments: readonly string[]): string => apiPath('hubs', hub, ...segments);
  const connectionPath = (hub: string, idOrName: string, action: string): string =>
    path(hub, 'connections', idOrName, action);
  const isProbeResult = createObjectGuard<HubConnectionProbeResult>('tools', 'duration_ms');
  const isSignInStart = createObjectGuard<StartHubSignInResponse>('authorization_url', 'expires_at');
  const isOfferedTools = createObjectGuard<OfferedHubTools>('items', 'missing');
  const isCallResponse = createObjectGuard<CallHubToolResponse>('result', 'is_error', 'outcome');
  const probeRequest = { method: 'POST', timeoutMs: probeTimeoutMs } as const;
  return {
    probe: (hub, body, options) =>
      json({ ...probeRequest, path: path(hub, 'connections', 'probe'), body, ...options }, isProbeResult),
    probeConnection: (hub, idOrName, options) =>
      json({ ...probeRequest, path: connectionPath(hub, idOrName, 'probe'), ...options }, isProbeResult),
    startSignIn: (hub, idOrName) =>
      json({ method: 'POST', path: connectionPath(hub, idOrName, 'sign-in') }, isSignInStart),
    forgetSignIn: (hub, idOrName) => noContent({ method: 'DELETE', path: connectionPath(hub, idOrName, 'sign-in') }),
    listOfferedTools: (hub, options) =>
      json({ method: 'GET', path: path(hub, 'tools', 'offered'), ...options }, isOfferedTools),
    callTool: (hub, body, options) =>
      json(
        { method: 'POST', path: path(hub, 'tools', 'call'), body, timeoutMs: callTimeoutMs, ...options },
        isCallResponse,
      ),
  };
}
