/**
 * Forwards calls to their server. The audit is checked before a call and written before its response leaves.
 *
 * Length: a call, its exchange and its rows share one context.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { createObjectNotes } from '../../collections/object-notes.ts';
import { VpError } from '../../errors/vp-error.ts';
import { toExactMembers, toExactValue } from '../../json/exact-values.ts';
import { hasMembers } from '../../json/json-object.ts';
import { countPartBytes, type JsonParts, joinParts } from '../../json/json-parts.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { SpareTurn } from '../../timing/spare-turn.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import type { ConnectionSecrets } from '../connections/connection.ts';
import type { BudgetWarning, Decision, PolicyCall, Redaction } from '../policy/call-policy.ts';
import { toPartMethod } from '../policy/recorded-parts.ts';
import { type CredentialMask, CredentialMasker, maskError } from '../upstream/credential-masker.ts';
import { acceptsQuestions, type UpstreamCallOptions } from '../upstream/upstream-call.ts';
import type { CallContext } from './call-context.ts';
import { assertResultSize, assertValidResult, toAuditOutcome, toAuditReason, toResultReason } from './call-outcome.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { KnownElicitations } from './known-elicitations.ts';
import type { McpResult, PendingCalls } from './pending-calls.ts';
import { toProtocolError } from './protocol-error.ts';
import { toPublicResult } from './public-results.ts';
import {
  createAskCaller,
  createExchange,
  findSessionId,
  getCallOwner,
  type ResolvedCall,
  toUpstreamCallOptions,
  writeLargeArguments,
} from './resolved-call.ts';
import { toResultText } from './result-text.ts';

export type CallForwarderDependencies = Pick<GatewayOptions, 'audit' | 'clock'> & {
  readonly upstream: { readonly secrets: Pick<ConnectionSecrets, 'header'> };
  readonly pendingCalls: PendingCalls;
  readonly knownElicitations: KnownElicitations;
};

export type AuditDetails = Pick<
  AuditEntry,
  'method' | 'connection' | 'tool' | 'arguments' | 'redact' | 'outcome' | 'reason' | 'intentSeq' | 'counts' | 'prepared'
>;

/** Larger arguments are prepared in steps when their row is written. */
const maxPreparedBytes = 65_536;

export class CallForwarder {
  readonly #dependencies: CallForwarderDependencies;
  readonly #resultParts = createObjectNotes<JsonParts>();
  readonly #budgetWarnings = createObjectNotes<BudgetWarning>();
  readonly #masker: CredentialMasker;

  constructor(dependencies: CallForwarderDependencies) {
    this.#dependencies = dependencies;
    this.#masker = new CredentialMasker(dependencies.upstream.secrets);
  }

  /** The JSON text of a result returned by `forward`, if available. */
  getResultParts(result: McpResult): JsonParts | undefined {
    return this.#resultParts.get(result);
  }

  /** The budget that the call of a result returned by `forward` brought near its end, if any. */
  getBudgetWarning(result: McpResult): BudgetWarning | undefined {
    return this.#budgetWarnings.get(result);
  }

  /** Throws a ProtocolError: the server's own, or one of ours. */
  async forward(context: CallContext, call: ResolvedCall, redact: Redaction): Promise<McpResult> {
    const { method, connection, name: tool } = call;
    const startedAtMs = this.#dependencies.clock.monotonicMs();
    const isContinuation = this.#dependencies.pendingCalls.isOwnState(context.requestState);
    const counts = isContinuation ? ('bytes' as const) : undefined;
    const sentArguments = call.exactArguments ?? call.arguments;
    const request = { method, connection, tool, arguments: sentArguments, redact, counts };
    let completed: { readonly row: AuditDetails; readonly bytes: number; readonly result: McpResult };
    let mask: CredentialMask;
    let details: typeof request & Pick<AuditDetails, 'intentSeq'> = request;
    try {
      this.#dependencies.audit.ready?.(() =>
        this.#toEntry(context, { ...request, outcome: 'denied', reason: undefined }, startedAtMs, 0),
      );
      const reading = this.#masker.getMask(call);
      mask = reading instanceof Promise ? await reading : reading;
      const { recordIntent } = this.#dependencies.audit;
      if (recordIntent) {
        const intent = { ...request, outcome: 'started', reason: undefined } as const;
        details = { ...request, intentSeq: await recordIntent(this.#toEntry(context, intent, startedAtMs, 0)) };
      }
    } catch (error) {
      call.release?.();
      call.budget?.cancel();
      throw toProtocolError(error);
    }
    const preparation = this.#prepareWhileWaiting(context, details);
    try {
      const upstreamResult = await this.#exchange(context, call, mask);
      const toPublic = (received: McpResult): McpResult => {
        const renamed = call.isPublic ? received : toPublicResult(connection.name, received);
        return call.mapResult ? call.mapResult(renamed, mask) : renamed;
      };
      const publicResult = toPublic(upstreamResult);
      assertValidResult(connection.name, method, publicResult);
      const text = toResultText({ upstreamResult, publicResult, toPublic, mask });
      const { parts, isMasked } = text instanceof Promise ? await text : text;
      const result: McpResult = isMasked ? JSON.parse(joinParts(parts)) : publicResult;
      const bytes = countPartBytes(parts);
      assertResultSize(connection.name, bytes, call.limits?.maxResponseBytes);
      const outcome = result.isError === true ? 'tool_error' : 'ok';
      const reason = toResultReason(result);
      this.#resultParts.set(result, parts);
      completed = { row: { ...details, outcome, reason, prepared: preparation?.take() }, bytes, result };
    } catch (error) {
      this.#dependencies.knownElicitations.addFromError(connection.id, error, findSessionId(context));
      call.budget?.charge(context.requestBytes);
      await this.record(
        context,
        {
          ...details,
          outcome: toAuditOutcome(context, error),
          reason: toAuditReason(error),
          prepared: preparation?.take(),
        },
        startedAtMs,
        0,
      );
      throw error instanceof VpError ? toProtocolError(error) : maskError(mask, error);
    }
    const { row, bytes, result } = completed;
    const warning = call.budget?.charge(context.requestBytes + bytes);
    if (warning) this.#budgetWarnings.set(result, warning);
    await this.record(context, row, startedAtMs, bytes);
    return result;
  }

  /** What the row needs and the outcome does not change; there if the server takes long enough. */
  #prepareWhileWaiting(context: CallContext, details: Omit<AuditDetails, 'outcome' | 'reason'>) {
    const { principal, requestId, requestBytes } = context;
    const { audit } = this.#dependencies;
    if (!audit.prepare || requestBytes > maxPreparedBytes) return undefined;
    return new SpareTurn(() => audit.prepare?.({ ...details, principal, requestId }));
  }

  /** Sends the call and returns its result; a call whose server asks a question becomes a pending call. */
  async #exchange(context: CallContext, resolved: ResolvedCall, mask: CredentialMask): Promise<McpResult> {
    const { pendingCalls, knownElicitations } = this.#dependencies;
    const { requestState, inputResponses, requestBytes } = context;
    // The policy has looked at the arguments in this turn; the next step is to write them.
    const turn = takeTurnForText(requestBytes);
    if (turn) await turn;
    const largeArguments = turn && (await writeLargeArguments(resolved.params, requestBytes));
    const exchange = createExchange(context, mask);
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) resolved.release?.();
      isReleased = true;
    };
    if (pendingCalls.isOwnState(requestState))
      return pendingCalls
        .resume(getCallOwner(context, resolved), exchange, requestState, inputResponses ?? {})
        .finally(release);
    const params: Record<string, unknown> = { ...resolved.params };
    if (largeArguments) params.arguments = largeArguments;
    if (hasMembers(context.meta)) params._meta = toExactValue(context.meta);
    if (inputResponses) params.inputResponses = toExactMembers(inputResponses);
    if (requestState !== undefined) params.requestState = requestState;
    const sendOnce = (options: UpstreamCallOptions): Promise<McpResult> =>
      resolved.sendCall?.(params, options) ?? resolved.upstream.send(resolved.method, params, options);
    const send = async (options: UpstreamCallOptions): Promise<McpResult> => {
      try {
        return await sendOnce(options);
      } finally {
        release();
      }
    };
    const { connection } = resolved;
    const ask = createAskCaller(context, mask, resolved, {
      onQuestion: (question) => knownElicitations.add(connection.id, question, findSessionId(context)),
      onAnswer: (question, answer) => this.#decideAnswer(context, resolved, question, answer),
    });
    if (ask || !acceptsQuestions(context.capabilities))
      return await send(toUpstreamCallOptions(context, resolved, exchange, ask));
    // While a call waits for its caller, it counts against its own limits and not against the policy's.
    return pendingCalls.start(getCallOwner(context, resolved), exchange, release, (pendingCall) =>
      send(
        toUpstreamCallOptions(context, resolved, exchange, (question) => pendingCall.askCaller(question), pendingCall),
      ),
    );
  }

  /** Records an answer to a question of the server, and throws if the policy refuses it; the server does not learn why. */
  async #decideAnswer(
    context: CallContext,
    { method, connection, name: tool, decideAnswer }: ResolvedCall,
    question: string,
    answer: Record<string, unknown>,
  ): Promise<void> {
    const decision = decideAnswer?.(question, answer);
    if (!decision) return;
    const { redact, refusal } = decision;
    const details = {
      method: toPartMethod(method, 'answers'),
      connection,
      tool,
      arguments: { [question]: toExactValue(answer) },
      redact,
    };
    const outcome = { outcome: refusal ? 'denied' : 'ok', reason: refusal?.reason } as const;
    await this.recordEnded(context, { ...details, ...outcome });
    if (refusal) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the answer of the client is not allowed');
  }

  /** Records what the client sent beside the arguments, in rows of their own. Rejects with AUDIT_UNAVAILABLE. */
  async recordParts(context: CallContext, call: PolicyCall, method: string, decision: Decision): Promise<void> {
    const { recordedParts = {} } = decision;
    const { connection, tool } = call;
    const outcome = decision.allowed
      ? ({ outcome: 'ok', reason: undefined } as const)
      : ({ outcome: 'denied', reason: decision.reason } as const);
    const parts = { meta: toExactValue(call.meta), answers: call.answers && toExactMembers(call.answers) };
    for (const part of ['meta', 'answers'] as const) {
      const redact = recordedParts[part];
      if (!redact || parts[part] === undefined) continue;
      const details = { method: toPartMethod(method, part), connection, tool, arguments: parts[part], redact };
      await this.recordEnded(context, { ...details, ...outcome });
    }
  }

  /** Resolves when the row is written. Rejects with AUDIT_UNAVAILABLE. */
  record(context: CallContext, details: AuditDetails, startedAtMs: number, responseBytes: number): Promise<void> {
    return this.#dependencies.audit.record(this.#toEntry(context, details, startedAtMs, responseBytes));
  }

  /** Records what took no time and has no response, such as a refusal. Rejects with AUDIT_UNAVAILABLE. */
  async recordEnded(context: CallContext, details: AuditDetails): Promise<void> {
    await this.record(context, details, this.#dependencies.clock.monotonicMs(), 0);
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
