/**
 * Tells a webhook that a call waits for an approval: signed (Standard Webhooks, HMAC-SHA256), and without the arguments. The message has a
 * link into the console; nothing can be decided with what it says, nor with the answer.
 */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseSubject } from '../../hub/approvals/approval-record.ts';
import { signWebhook } from '../../secrets/webhook-signature.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import { retry } from '../../timing/retry.ts';
import { postWebhook } from './post-webhook.ts';

export type ApprovalWebhook = {
  readonly url: URL;
  readonly secret: Uint8Array;
  readonly extraRoots: readonly string[];
};

export type WebhookDependencies = {
  readonly clock: Pick<Clock, 'after' | 'nowMs' | 'sleep'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** URL of the control plane for people. */
  readonly address: () => string;
  readonly onError: (error: unknown) => void;
};

const maxAttempts = 5;
const backoff = { initialMs: 1000, maxMs: 60_000 };

/** Returns a function that does not wait for the webhook. */
export function createApprovalNotifier(
  webhook: ApprovalWebhook,
  dependencies: WebhookDependencies,
): (row: ApprovalRow) => void {
  return (row) => void notify(webhook, dependencies, row).catch(dependencies.onError);
}

async function notify(webhook: ApprovalWebhook, dependencies: WebhookDependencies, row: ApprovalRow): Promise<void> {
  const { clock } = dependencies;
  const body = JSON.stringify(toMessage(row, dependencies.address(), clock.nowMs()));
  const options = {
    backoff,
    shouldRetry: (_error: unknown, failures: number) => failures < maxAttempts && clock.nowMs() < row.expires_at_ms,
    pause: (delayMs: number) => clock.sleep(delayMs),
  };
  await retry(options, () => send(webhook, dependencies, row.id, body));
}

function toMessage(row: ApprovalRow, address: string, nowMs: number) {
  const { hub, person, client } = parseSubject(row);
  const url = `${address}/hubs/${hub.slug}/approvals?approval=${row.id}`;
  return {
    type: 'hub.approval.requested',
    timestamp: new Date(nowMs).toISOString(),
    data: {
      ...{ hub: hub.slug, approval: row.id, connection: row.connection, tool: row.tool, person, client },
      expires_at: new Date(row.expires_at_ms).toISOString(),
      url,
    },
  };
}

async function send(
  { url, secret, extraRoots }: ApprovalWebhook,
  { clock, variables }: WebhookDependencies,
  id: string,
  body: string,
): Promise<void> {
  const createError = (problem: string) => vpError('HUB_APPROVAL_WEBHOOK_FAILED', { target: url.origin, problem });
  const headers = signWebhook(id, body, secret, clock.nowMs());
  await postWebhook({ url, body, headers, extraRoots, variables, clock, createError });
}
