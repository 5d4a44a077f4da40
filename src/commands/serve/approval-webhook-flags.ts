/** The flag of `vp serve` for a webhook that hears of calls that wait for an approval. */
import { resolve } from 'node:path';
import type { ApprovalWebhook } from '../../assemble/control-plane/approval-webhook.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isLoopback } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';

export const approvalWebhookFlags = {
  'approval-webhook': {
    type: 'string',
    placeholder: '<url>',
    describe: 'webhook for calls that wait for an approval',
  },
} as const satisfies FlagDefinitions;

type Flags = FlagValues<typeof approvalWebhookFlags> & { readonly ca?: string | undefined };

const secretVariable = 'VP_APPROVAL_WEBHOOK_SECRET';
const minSecretLength = 24;

/** Throws FLAG_INVALID, EXECUTOR_CA_UNREADABLE. */
export function parseApprovalWebhook(
  flags: Flags,
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
): ApprovalWebhook | undefined {
  const text = flags['approval-webhook'];
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.href))))
    throw createFlagError('is not an https address');
  const secret = variables[secretVariable]?.trim() ?? '';
  if (secret.length < minSecretLength)
    throw createFlagError(`needs a secret of at least ${minSecretLength} characters in ${secretVariable}`);
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  return { url, secret: decodeSecret(secret), extraRoots };
}

/** As Standard Webhooks write it, `whsec_` and base64, or any other text. */
function decodeSecret(secret: string): Uint8Array {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
}

function createFlagError(problem: string) {
  return vpError('FLAG_INVALID', { flag: '--approval-webhook', problem, command: 'vp serve' });
}
