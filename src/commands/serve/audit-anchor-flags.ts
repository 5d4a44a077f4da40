/** Flags of `vp serve` for statements about the audit outside of its file. */
import { resolve } from 'node:path';
import type { AnchorDestination } from '../../assemble/control-plane/audit-anchor-targets.ts';
import type { AuditAnchoring } from '../../assemble/control-plane/hub-audit.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readAnchorKey } from '../../hub/audit/anchor-key.ts';
import { isLoopback } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';

export const auditAnchorFlags = {
  'audit-anchor': {
    type: 'strings',
    placeholder: '<place>',
    describe: 'where to state how far the audit log has come: a file elsewhere, a webhook, or `log`',
  },
  'audit-anchor-seconds': {
    type: 'number',
    placeholder: '<seconds>',
    integerRange: [1, 86_400],
    describe: 'interval of these statements',
    default: 60,
  },
  'audit-key': {
    type: 'string',
    placeholder: '<file.pem>',
    describe: 'key that signs the statements',
    variable: 'VP_AUDIT_KEY',
  },
} as const satisfies FlagDefinitions;

type AuditAnchorFlagValues = FlagValues<typeof auditAnchorFlags> & { readonly ca?: string | undefined };

/** Throws FLAG_INVALID, AUDIT_KEY_UNUSABLE, STORE_KEY_EXPOSED, EXECUTOR_CA_UNREADABLE. */
export function parseAuditAnchoring(
  flags: AuditAnchorFlagValues,
  { cwd }: Pick<Environment, 'cwd'>,
  logLevel: string,
): AuditAnchoring | undefined {
  const keyFile = flags['audit-key'];
  const key = keyFile === undefined ? undefined : readAnchorKey(resolve(cwd, keyFile));
  const destinations = flags['audit-anchor'].map((text) => parseDestination(text, cwd, logLevel));
  if (destinations.length === 0) {
    if (key) throw createFlagError('--audit-key', 'has nothing to sign without --audit-anchor');
    return undefined;
  }
  return {
    destinations,
    key,
    intervalMs: flags['audit-anchor-seconds'] * 1000,
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca)),
  };
}

function parseDestination(text: string, cwd: string, logLevel: string): AnchorDestination {
  if (text === 'log') {
    if (logLevel === 'info' || logLevel === 'debug' || logLevel === 'trace') return { kind: 'log' };
    throw createFlagError('--audit-anchor', `\`log\` needs the log level info, and not ${logLevel}`);
  }
  if (!/^[a-z][a-z\d+.-]+:/i.test(text)) return { kind: 'file', file: resolve(cwd, text) };
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.href)))
    return { kind: 'webhook', url };
  throw createFlagError('--audit-anchor', 'is neither a file, `log` nor an https address');
}

function createFlagError(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { flag, problem, command: 'vp serve' });
}
