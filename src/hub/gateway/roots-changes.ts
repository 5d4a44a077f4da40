/** Tells servers of older eras that the roots of a client have changed, and lets them ask its session for the new ones. */
import { isSpecType, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../access/principal.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { RootsSession } from '../upstream/changed-roots.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { McpSession } from './mcp-session.ts';

type RootsChangesDependencies = Pick<GatewayOptions, 'audit' | 'clock'> & {
  readonly upstreams: Pick<UpstreamPool, 'announceRoots'>;
};

export class RootsChanges {
  readonly #dependencies: RootsChangesDependencies;

  constructor(dependencies: RootsChangesDependencies) {
    this.#dependencies = dependencies;
  }

  /** A client must have declared that it does so. */
  announce(principal: HubPrincipal, session: McpSession): void {
    const { id: sessionId, capabilities, personId } = session;
    if (capabilities.roots?.listChanged !== true) return;
    this.#dependencies.upstreams.announceRoots(
      principal.hub.id,
      { personId, capabilities },
      (connection): RootsSession => ({ sessionId, ask: () => this.#ask(principal, session, connection) }),
    );
  }

  /** The answer has a row, as the answers within a call have. */
  async #ask(
    principal: HubPrincipal,
    session: McpSession,
    { id, name }: UpstreamConnection,
  ): Promise<Record<string, unknown>> {
    const { audit, clock } = this.#dependencies;
    const startedAtMs = clock.monotonicMs();
    const answer = await session.ask('roots/list', {});
    if (!isSpecType.ListRootsResult(answer))
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'the client sent no valid answer');
    await audit.record({
      atMs: clock.nowMs(),
      principal: { ...principal, client: session.client },
      method: 'roots/list',
      connection: { id, name },
      tool: undefined,
      arguments: answer,
      redact: { keep: false, hide: [] },
      outcome: 'ok',
      reason: undefined,
      durationMs: clock.monotonicMs() - startedAtMs,
      requestBytes: 0,
      responseBytes: Buffer.byteLength(JSON.stringify(answer)),
      requestId: undefined,
    });
    return answer;
  }
}
