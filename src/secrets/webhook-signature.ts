/** Signatures of webhooks, sent and received: Standard Webhooks, HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const secretPrefix = 'whsec_';
/** The sender's clock may differ by this much; ids are remembered for longer. */
const toleranceS = 300;

export type SignedMessage = {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: string;
};

export function formatWebhookSecret(secret: Uint8Array): string {
  return `${secretPrefix}${Buffer.from(secret).toString('base64')}`;
}

function computeSignature(secret: Uint8Array, message: { id: string; timestamp: string; body: string }): Buffer {
  const { id, timestamp, body } = message;
  return createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest();
}

/** The headers of a message that is sent now. */
export function signWebhook(id: string, body: string, secret: Uint8Array, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = computeSignature(secret, { id, timestamp, body }).toString('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function hasSignature(header: string, expected: Buffer): boolean {
  return header.split(' ').some((entry) => {
    const [version, value = ''] = entry.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** What is wrong with the message; undefined when it is the sender's and not old. */
export function findSignatureProblem(
  { id, timestamp, signature, body }: SignedMessage,
  secret: Uint8Array,
  nowMs: number,
): string | undefined {
  if (id === undefined || timestamp === undefined || signature === undefined)
    return 'webhook-id, webhook-timestamp and webhook-signature are needed';
  if (!/^[\w.:-]{1,200}$/.test(id)) return 'webhook-id must be 1 to 200 letters, digits, or one of _ . : -';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceS)
    return `webhook-timestamp is not within ${toleranceS / 60} minutes of now`;
  const expected = computeSignature(secret, { id, timestamp, body });
  return hasSignature(signature, expected) ? undefined : 'the signature is wrong';
}
