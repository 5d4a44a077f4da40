import type {
  HubConnectionProbe,
  HubConnectionProbed,
  HubSignInBegun,
  HubToolCall,
  HubToolCalled,
  HubToolsOffered,
} from '../contract/hub-connect-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving } from './call.ts';
import type { Transport } from './transport.ts';

/** Connections in use; `hub` is a slug, `connection` an id or a name. */
export type HubConnectClient = {
  /** What a server offers, before it is made a connection. Nothing is kept. */
  probe(hub: string, input: HubConnectionProbe, giving?: Giving): Promise<HubConnectionProbed>;
  /** The same of a connection that there is, with its credential. */
  probeConnection(hub: string, connection: string, giving?: Giving): Promise<HubConnectionProbed>;
  /** Where the browser has to go; from a browser only. */
  beginSignIn(hub: string, connection: string): Promise<HubSignInBegun>;
  forgetSignIn(hub: string, connection: string): Promise<void>;
  /** What the caller may call by hand. */
  offeredTools(hub: string, giving?: Giving): Promise<HubToolsOffered>;
  callTool(hub: string, input: HubToolCall, giving?: Giving): Promise<HubToolCalled>;
};

const probeLimitMs = 20_000;
/** A call may ask its server for minutes of work. */
const callLimitMs = 16 * 60_000;

/** The calls of contract/hub-connect-api.ts. */
export function hubConnectOf({ json, nothing }: Transport): HubConnectClient {
  const path = (hub: string, ...more: readonly string[]): string => at('hubs', hub, ...more);
  const connection = (hub: string, ref: string, what: string): string => path(hub, 'connections', ref, what);
  const isProbed = objectWith<HubConnectionProbed>('tools', 'duration_ms');
  const isBegun = objectWith<HubSignInBegun>('authorization_url', 'expires_at');
  const isOffered = objectWith<HubToolsOffered>('items', 'missing');
  const isCalled = objectWith<HubToolCalled>('result', 'is_error', 'outcome');
  const probing = { method: 'POST', limitMs: probeLimitMs } as const;
  return {
    probe: (hub, body, giving) =>
      json({ ...probing, path: path(hub, 'connections', 'probe'), body, ...giving }, isProbed),
    probeConnection: (hub, ref, giving) =>
      json({ ...probing, path: connection(hub, ref, 'probe'), ...giving }, isProbed),
    beginSignIn: (hub, ref) => json({ method: 'POST', path: connection(hub, ref, 'sign-in') }, isBegun),
    forgetSignIn: (hub, ref) => nothing({ method: 'DELETE', path: connection(hub, ref, 'sign-in') }),
    offeredTools: (hub, giving) => json({ method: 'GET', path: path(hub, 'tools', 'offered'), ...giving }, isOffered),
    callTool: (hub, body, giving) =>
      json({ method: 'POST', path: path(hub, 'tools', 'call'), body, limitMs: callLimitMs, ...giving }, isCalled),
  };
}
