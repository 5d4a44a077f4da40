/** Forwards calls to their server. The audit is checked before a call and written before its response leaves. */
import { VpError } from '../../errors/vp-error.ts';
import type { AuditEntry, Redaction } from '../types.ts';
import type { CallContext } from './call-context.ts';
import { assertResultSize, assertValidResult, toAuditOutcome, toAuditReason } from './call-outcome.ts';
import { type CredentialMask, CredentialMasker, maskError } from './credential-masker.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { McpResult, PendingCall, PendingCalls } from './pending-calls.ts';
import { toProtocolError } from './protocol-error.ts';
import { toPublicResult } from './public-results.ts';
import { createExchange, getCallOwner, type ResolvedCall, toUpstreamCallOptions } from './resolved-call.ts';

export type CallForwarderDependencies = Pick<GatewayOptions, 'audit' | 'clock' | 'upstream'> & {
  readonly pendingCalls: PendingCalls;
};

export type AuditDetails = Pick<
  AuditEntry,
  'method' | 'connection' | 'tool' | 'arguments' | 'redact' | 'outcome' | 'reason'
>;

export class CallForwarder {
  readonly #dependencies: CallForwarderDependencies;
  readonly #resultTexts = new WeakMap<McpResult, string>();
  readonly #masker: CredentialMasker;

  constructor(dependencies: CallForwarderDependencies) {
    this.#dependencies = dependencies;
    this.#masker = new CredentialMasker(dependencies.upstream.secrets);
  }

  /** The JSON text of a result returned by `forward`, if available. */
  getResultText(result: McpResult): string | undefined {
    return this.#resultTexts.get(result);
  }

  /** Throws a ProtocolError: the server's own, or one of ours. */
  async forward(context: CallContext, call: ResolvedCall, redact: Redaction): Promise<McpResult> {
    const { method, connection, name: tool } = call;
    const startedAtMs = this.#dependencies.clock.monotonicMs();
    const details = { method, connection, tool, arguments: call.arguments, redact };
    let completed: AuditDetails & { readonly bytes: number; readonly result: McpResult };
    let mask: CredentialMask;
    try {
      this.#dependencies.audit.ready?.(
        this.#toEntry(context, { ...details, outcome: 'denied', reason: undefined }, startedAtMs, 0),
      );
      mask = await this.#masker.getMask(call);
    } catch (error) {
      call.release?.();
      throw toProtocolError(error);
    }
    try {
      const publicResult = toPublicResult(connection.name, await this.#exchange(context, call, mask));
      assertValidResult(connection.name, method, publicResult);
      const json = JSON.stringify(publicResult);
      const maskedJson = mask(json);
      const result: McpResult = maskedJson === json ? publicResult : JSON.parse(maskedJson);
      const bytes = Buffer.byteLength(maskedJson);
      assertResultSize(connection.name, bytes, call.limits?.maxResponseBytes);
      const outcome = result.isError === true ? 'tool_error' : 'ok';
      const reason = result.resultType === 'input_required' ? 'input_required' : undefined;
      this.#resultTexts.set(result, maskedJson);
      completed = { ...details, outcome, reason, bytes, result };
    } catch (error) {
      await this.record(
        context,
        { ...details, outcome: toAuditOutcome(context, error), reason: toAuditReason(error) },
        startedAtMs,
        0,
      );
      throw error instanceof VpError ? toProtocolError(error) : maskError(mask, error);
    }
    const { bytes, result, ...row } = completed;
    await this.record(context, row, startedAtMs, bytes);
    return result;
  }

  /** Sends the call and returns its result; a call whose server asks a question becomes a pending call. */
  async #exchange(context: CallContext, resolved: ResolvedCall, mask: CredentialMask): Promise<McpResult> {
    const { pendingCalls } = this.#dependencies;
    const { requestState, inputResponses } = context;
    const exchange = createExchange(context, mask);
    const release = resolved.release ?? (() => {});
    if (pendingCalls.isOwnState(requestState))
      return pendingCalls
        .resume(getCallOwner(context, resolved), exchange, requestState, inputResponses ?? {})
        .finally(release);
    const params = {
      ...resolved.params,
      ...(Object.keys(context.meta).length > 0 ? { _meta: context.meta } : {}),
      ...(inputResponses ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
    const send = (pendingCall: PendingCall | undefined): Promise<McpResult> =>
      resolved.upstream
        .send(resolved.method, params, toUpstreamCallOptions(context, resolved, exchange, pendingCall))
        .finally(release);
    return Object.keys(context.capabilities).length > 0
      ? pendingCalls.start(getCallOwner(context, resolved), exchange, send)
      : send(undefined);
  }

  /** Resolves when the row is written. Rejects with AUDIT_UNAVAILABLE. */
  async record(context: CallContext, details: AuditDetails, startedAtMs: number, responseBytes: number): Promise<void> {
    await this.#dependencies.audit.record(this.#toEntry(context, details, startedAtMs, responseBytes));
  }

  #toEntry(context: CallContext, details: AuditDetails, startedAtMs: number, responseBytes: number): AuditEntry {
    const { clock } = this.#dependencies;
    const durationMs = clock.monotonicMs() - startedAtMs;
    const { principal, requestId, requestBytes } = context;
    const { connection } = details;
    return {
      ...details,
      connection: connection && { id: connection.id, name: connection.name },
      atMs: clock.nowMs() - durationMs,
      principal,
      durationMs,
      requestBytes,
      responseBytes,
      requestId,
    };
  }
}
