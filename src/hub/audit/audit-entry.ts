/** An entry of the audit, and the port through which the gateway writes it. */
import type { HubPrincipal } from '../access/principal.ts';
import type { Redaction } from '../policy/call-policy.ts';
import type { PreparedParts } from './prepared-parts.ts';

/**
 * Rows store the index: append new ones. `failed`: the server could not be reached or sent no valid response. `started`: the
 * call is about to be sent; `unknown`: the process ended before the outcome of a started call was recorded.
 */
export const auditOutcomes = [
  'ok',
  'tool_error',
  'failed',
  'denied',
  'cancelled',
  'timeout',
  'started',
  'unknown',
] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export type AuditEntry = {
  readonly atMs: number;
  readonly principal: HubPrincipal;
  /** Such as `tools/call`. */
  readonly method: string;
  readonly connection: { readonly id: string; readonly name: string } | undefined;
  /** The server's own name of the tool, prompt or resource. */
  readonly tool: string | undefined;
  /** The original arguments; `redact` decides what is stored. */
  readonly arguments: unknown;
  readonly redact: Redaction;
  readonly outcome: AuditOutcome;
  /** A code or one sentence without secrets; undefined for `ok`. */
  readonly reason: string | undefined;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** As sent to the caller. */
  readonly requestId?: string | undefined;
  /** The entry `started` of this call, as {@link AuditSink.recordIntent} returned it. */
  readonly intentSeq?: number | undefined;
  /** What the row adds to budgets; undefined for the call and its bytes. */
  readonly counts?: 'nothing' | 'bytes' | undefined;
  /** What {@link AuditSink.prepare} returned for this call. */
  readonly prepared?: PreparedParts | undefined;
};

/** What is known of a call that has no outcome yet. */
export type CallBeforeOutcome = Pick<
  AuditEntry,
  'principal' | 'method' | 'connection' | 'tool' | 'arguments' | 'redact' | 'requestId'
>;

export type AuditSink = {
  /**
   * Call it before a call goes out: throws AUDIT_UNAVAILABLE if its row could not be written, and counts the entry that
   * `createEntry` returns as refused.
   */
  ready?(createEntry?: () => AuditEntry): void;
  /**
   * Only with intents: call it right before a call is sent, and give the result to the entry of its outcome. Resolves when
   * the row `started` is written, as `record` does; undefined if it could not be, and the call may be sent nevertheless.
   */
  recordIntent?: ((entry: AuditEntry) => Promise<number | undefined>) | undefined;
  /**
   * What the entry of this call needs and its outcome does not change: computed while its server works, so that the response
   * waits for less. An entry without it is as good.
   */
  prepare?(call: CallBeforeOutcome): PreparedParts | undefined;
  /**
   * Resolves when the row is committed: the response may be sent then. Rejects with AUDIT_UNAVAILABLE: it must not be
   * sent.
   */
  record(entry: AuditEntry): Promise<void>;
};
