/**
 * Sending an envelope, as a saga: each step is one transaction that moves the envelope on and records itself.
 *
 *     created ── sent ──► sent ── delivered ──► delivered
 *        ▲                 │
 *        └── send_undone ──┘   the recipient's mail server refuses it
 *
 * A saga that was interrupted after `sent` continues there when the envelope is sent again. A step only moves an envelope that
 * still has the status that was read, so two concurrent requests cannot both send it.
 */
import { ApiError } from './http/api-error.ts';
import type { Services } from './http/context.ts';
import type { Level } from './http/event-log.ts';
import { envelope } from './resources/envelope.ts';
import type { Row, Session } from './storage/database.ts';
import { readRow } from './storage/rows.ts';

/** A step: its name in the log and in `saga_event`, the status it leaves and enters, the column it stamps or clears. */
type Step = {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly column: 'sent_at' | 'delivered_at';
  readonly clears?: true;
};

const send: Step = { name: 'sent', from: 'created', to: 'sent', column: 'sent_at' };
const deliver: Step = { name: 'delivered', from: 'sent', to: 'delivered', column: 'delivered_at' };
const undoSend: Step = { name: 'send_undone', from: 'sent', to: 'created', column: 'sent_at', clears: true };

/** A saga of one envelope, on behalf of one request. */
export type Saga = { readonly envelopeId: string; readonly requestId: string };

/** Records a step in the table `saga_event`; `now` is ISO 8601. */
export async function recordStep(session: Session, services: Services, saga: Saga, step: string, now: string) {
  await session.query(
    'INSERT INTO saga_event (id, envelope_id, step, request_id, created_at) VALUES ($1, $2, $3, $4, $5)',
    [services.newId(), saga.envelopeId, step, saga.requestId, now],
  );
}

/** Writes the log line of a committed step. Log readers look for `event` and `sagaStep`. */
export function logStep({ events }: Services, saga: Saga, step: string, level: Level = 'info'): void {
  events(level, `envelope ${step.replace('_', ' ')}`, { event: 'saga', sagaStep: step, ...saga });
}

async function runStep(services: Services, saga: Saga, step: Step, level?: Level): Promise<void> {
  const now = new Date(services.clock.nowMs()).toISOString();
  await services.database.transaction(async (session) => {
    const moved = await session.query(
      `UPDATE envelope SET ${step.column} = $1, status = $2 WHERE id = $3 AND status = $4 RETURNING id`,
      [step.clears ? null : now, step.to, saga.envelopeId, step.from],
    );
    if (moved.length === 0) throw new ApiError('conflict', 'the envelope was changed by another request meanwhile');
    await recordStep(session, services, saga, step.name, now);
  });
  logStep(services, saga, step.name, level);
}

/** A stand-in for the recipient's mail server, which rejects only the domain bounce.example. */
function accepts(recipient: string): boolean {
  return !recipient.toLowerCase().endsWith('@bounce.example');
}

/**
 * Sends an envelope and returns its new state. Throws `not_found`; `conflict` if it was delivered or voided before;
 * `recipient_refused` after the send was undone.
 */
export async function sendEnvelope(services: Services, saga: Saga): Promise<Row> {
  const current = await readRow(services.database, envelope, saga.envelopeId);
  if (!current) throw new ApiError('not_found', 'there is no such envelope');
  if (current.status !== send.from && current.status !== deliver.from) {
    throw new ApiError('conflict', `the envelope is ${current.status} and cannot be sent`);
  }
  if (current.status === send.from) await runStep(services, saga, send);
  if (!accepts(String(current.recipient))) {
    await runStep(services, saga, undoSend, 'warn');
    throw new ApiError('recipient_refused', "the recipient's mail server refused the envelope; sending was undone");
  }
  await runStep(services, saga, deliver);
  return (await readRow(services.database, envelope, saga.envelopeId)) ?? current;
}
