/** Requests of a signed webhook. Whoever lacks the secret learns nothing, not even which schedules there are. */
import { Value } from '@sinclair/typebox/value';
import { ScheduleWebhookRequest, type ScheduleWebhookResponse } from '../../contract/schedules-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatRunId } from '../../run/run-id.ts';
import { unseal } from '../../secrets/sealing.ts';
import { findSignatureProblem, type SignedMessage } from '../../secrets/webhook-signature.ts';
import { findSchedule, type ScheduleKey } from '../../store/control/schedules/schedules.ts';
import type { ControlRuntime } from '../runtime.ts';
import { requestTick } from './request-tick.ts';
import { handleTick } from './schedule-runner.ts';

export function getSecretContext({ instance, id }: ScheduleKey): string {
  return `schedules/sealed_secret/${instance}/${id}`;
}

/** An empty body is one without members. */
function readBody(text: string): ScheduleWebhookRequest {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (Value.Check(ScheduleWebhookRequest, value)) return value;
  } catch {
    // The same refusal as for a body of another shape.
  }
  throw vpError('REQUEST_INVALID', { where: 'body', problem: 'must be JSON: {"target_version": "…"}, or empty' });
}

/** Throws SCHEDULE_WEBHOOK_REFUSED, SCHEDULE_WEBHOOK_REPEATED, SCHEDULE_NOTHING_REQUESTED, REQUEST_INVALID. */
export async function acceptScheduleWebhook(
  runtime: ControlRuntime,
  key: ScheduleKey,
  message: SignedMessage,
): Promise<ScheduleWebhookResponse> {
  const { context } = runtime;
  const { database } = context.store;
  const sealed = (await database.read((sql) => findSchedule(sql, key.instance, key.id)))?.sealed_secret;
  const secret = sealed && unseal(context.keyring.dataKey, getSecretContext(key), sealed);
  // Without a schedule the same work is done, and the same is said.
  const problem = findSignatureProblem(message, secret ?? context.random.bytes(32), context.clock.nowMs());
  if (problem !== undefined || !secret || message.id === undefined)
    throw vpError('SCHEDULE_WEBHOOK_REFUSED', { problem: problem ?? 'the signature is wrong' });
  const { target_version: targetVersion } = readBody(message.body);
  const messageId = message.id;
  const result = await handleTick(runtime, key.instance, (sql) => {
    const row = findSchedule(sql, key.instance, key.id);
    const nowMs = context.clock.nowMs();
    const tick = `webhook ${messageId}`;
    // With the time: the id of a message that requested nothing is not used up.
    const unusedTick = `${tick} unused ${nowMs}`;
    return row && requestTick(context, sql, row, { tick, unusedTick, dueAtMs: nowMs, nowMs, targetVersion });
  });
  if (!result) throw vpError('SCHEDULE_WEBHOOK_REPEATED', { id: messageId });
  if (result.runIds.length === 0)
    throw vpError('SCHEDULE_NOTHING_REQUESTED', { schedule: key.id, note: result.note ?? result.outcome });
  return { outcome: result.outcome, note: result.note, run_ids: result.runIds.map((id) => formatRunId(id)) };
}
