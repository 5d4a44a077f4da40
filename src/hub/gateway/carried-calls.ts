/** Calls on their way to their server and back: asked of the audit before, told to it before the answer leaves. */
import { VpError } from '../../errors/vp-error.ts';
import type { AuditEntry, Redaction } from '../words.ts';
import { demandResult, demandSize, outcomeOf, reasonOf } from './call-ends.ts';
import type { Caller } from './caller.ts';
import { type Conceal, Concealment, concealedError } from './concealment.ts';
import { legOf, ownerOf, type Placed, upstreamCall } from './exchange.ts';
import type { HeldCall, HeldCalls, HeldResult } from './held-calls.ts';
import type { GatewayPorts } from './ports.ts';
import { protocolError } from './protocol-error.ts';
import { shownResult } from './shown-results.ts';

/** What it works with. */
export type CarryingParts = Pick<GatewayPorts, 'audit' | 'clock' | 'upstream'> & { readonly held: HeldCalls };

/** What the audit is told besides who and when. */
export type Told = Pick<AuditEntry, 'method' | 'connection' | 'tool' | 'arguments' | 'redact' | 'outcome' | 'reason'>;

/** See the file's header. */
export class CarriedCalls {
  readonly #parts: CarryingParts;
  readonly #texts = new WeakMap<HeldResult, string>();
  readonly #concealment: Concealment;

  constructor(parts: CarryingParts) {
    this.#parts = parts;
    this.#concealment = new Concealment(parts.upstream.secrets);
  }

  /** The JSON text of a result that this gave, where it is at hand. */
  textOf(result: HeldResult): string | undefined {
    return this.#texts.get(result);
  }

  /** Throws a ProtocolError: the server's own, or what is wrong with it. */
  async carry(caller: Caller, placed: Placed, redact: Redaction): Promise<HeldResult> {
    const { method, connection, name: tool } = placed;
    const began = this.#parts.clock.monotonicMs();
    const told = { method, connection, tool, arguments: placed.arguments, redact };
    let answered: Told & { readonly bytes: number; readonly result: HeldResult };
    let conceal: Conceal;
    try {
      this.#parts.audit.ready?.(this.#entry(caller, { ...told, outcome: 'denied', reason: undefined }, began, 0));
      conceal = await this.#concealment.of(placed);
    } catch (error) {
      placed.done?.();
      throw protocolError(error);
    }
    try {
      const shown = shownResult(connection.name, await this.#exchanged(caller, placed, conceal));
      demandResult(connection.name, method, shown);
      const whole = JSON.stringify(shown);
      const text = conceal(whole);
      const result: HeldResult = text === whole ? shown : JSON.parse(text);
      const bytes = Buffer.byteLength(text);
      demandSize(connection.name, bytes, placed.limits?.answerBytes);
      const outcome = result.isError === true ? 'tool_error' : 'ok';
      const reason = result.resultType === 'input_required' ? 'input_required' : undefined;
      this.#texts.set(result, text);
      answered = { ...told, outcome, reason, bytes, result };
    } catch (error) {
      await this.tell(caller, { ...told, outcome: outcomeOf(caller, error), reason: reasonOf(error) }, began, 0);
      throw error instanceof VpError ? protocolError(error) : concealedError(conceal, error);
    }
    const { bytes, result, ...row } = answered;
    await this.tell(caller, row, began, bytes);
    return result;
  }

  /** The way there and back; a call that asks something in between is held. */
  async #exchanged(caller: Caller, placed: Placed, conceal: Conceal): Promise<HeldResult> {
    const { held } = this.#parts;
    const { requestState, inputResponses } = caller;
    const leg = legOf(caller, conceal);
    const done = placed.done ?? (() => {});
    if (held.isOwn(requestState))
      return held.resume(ownerOf(caller, placed), leg, requestState, inputResponses ?? {}).finally(done);
    const params = {
      ...placed.params,
      ...(Object.keys(caller.meta).length > 0 ? { _meta: caller.meta } : {}),
      ...(inputResponses ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
    const send = (call: HeldCall | undefined): Promise<HeldResult> =>
      placed.upstream.send(placed.method, params, upstreamCall(caller, placed, leg, call)).finally(done);
    return Object.keys(caller.capabilities).length > 0
      ? held.begin(ownerOf(caller, placed), leg, send)
      : send(undefined);
  }

  /** Resolves when the row is there. Rejects with AUDIT_UNAVAILABLE. */
  async tell(caller: Caller, told: Told, beganMs: number, answerBytes: number): Promise<void> {
    await this.#parts.audit.record(this.#entry(caller, told, beganMs, answerBytes));
  }

  #entry(caller: Caller, told: Told, beganMs: number, answerBytes: number): AuditEntry {
    const { clock } = this.#parts;
    const durationMs = clock.monotonicMs() - beganMs;
    const { principal, requestId, requestBytes } = caller;
    const { connection } = told;
    return {
      ...told,
      connection: connection && { id: connection.id, name: connection.name },
      atMs: clock.nowMs() - durationMs,
      principal,
      durationMs,
      requestBytes,
      answerBytes,
      requestId,
    };
  }
}
