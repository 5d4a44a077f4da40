/** Flags of `vp serve` for statements about the audit outside of its file. */
import { resolve } from 'node:path';
import type { AnchorDestination } from '../../assemble/control-plane/audit-anchor-targets.ts';
import type { TimeStampAuthority } from '../../assemble/control-plane/audit-time-stamper.ts';
import type { AuditAnchoring } from '../../assemble/control-plane/hub-audit.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type KeyEnvironment, openAnchorKey } from '../../hub/audit/signing/open-anchor-key.ts';
import { isLoopback } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';

export const auditAnchorFlags = {
  'audit-anchor': {
    type: 'strings',
    placeholder: '<place>',
    describe: 'state how far it is in a file, webhook or `log`',
  },
  'audit-anchor-seconds': {
    type: 'number',
    placeholder: '<n>',
    integerRange: [1, 86_400],
    describe: 'interval of the statements',
    default: 60,
  },
  'audit-key': {
    type: 'string',
    placeholder: '<key>',
    describe: 'signs them (see `vp audit key`)',
    variable: 'VP_AUDIT_KEY',
  },
  'audit-tsa': {
    type: 'string',
    placeholder: '<url>',
    describe: 'server of RFC 3161 that time-stamps them',
  },
  'audit-tsa-ca': {
    type: 'string',
    placeholder: '<pem>',
    describe: 'roots that the time stamps must lead to',
  },
} as const satisfies FlagDefinitions;

type AuditAnchorFlagValues = FlagValues<typeof auditAnchorFlags> & { readonly ca?: string | undefined };

/** Throws FLAG_INVALID, AUDIT_KEY_UNUSABLE, AUDIT_KEY_UNAVAILABLE, STORE_KEY_EXPOSED, EXECUTOR_CA_UNREADABLE. */
export async function openAuditAnchoring(
  flags: AuditAnchorFlagValues,
  environment: KeyEnvironment,
  logLevel: string,
): Promise<AuditAnchoring | undefined> {
  const { cwd } = environment;
  const keyName = flags['audit-key'];
  const key = keyName === undefined ? undefined : await openAnchorKey(keyName, environment);
  const timeStamps = parseTimeStamping(flags, cwd, 'vp serve');
  const destinations = flags['audit-anchor'].map((text) => parseDestination(text, cwd, logLevel));
  if (destinations.length === 0) {
    if (key) throw createFlagError('--audit-key', 'has nothing to sign without --audit-anchor');
    if (timeStamps) throw createFlagError('--audit-tsa', 'has nothing to stamp without --audit-anchor');
    return undefined;
  }
  return {
    destinations,
    key,
    timeStamps,
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

type TimeStampFlagValues = Pick<FlagValues<typeof auditAnchorFlags>, 'audit-tsa' | 'audit-tsa-ca'>;

/** Throws FLAG_INVALID, EXECUTOR_CA_UNREADABLE. */
export function parseTimeStamping(
  { 'audit-tsa': text, 'audit-tsa-ca': file }: TimeStampFlagValues,
  cwd: string,
  command: string,
): TimeStampAuthority | undefined {
  if (text === undefined && file === undefined) return undefined;
  if (text === undefined) throw createFlagError('--audit-tsa-ca', 'is for --audit-tsa, which is missing', command);
  // Plain http is usual: the statement's digest is sent, and the answer is signed.
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw createFlagError('--audit-tsa', 'is not an http or https address without a password', command);
  if (file === undefined)
    throw createFlagError('--audit-tsa', 'needs --audit-tsa-ca, the roots of its certificates', command);
  return { url, roots: readCertificates(resolve(cwd, file)) };
}

function createFlagError(flag: string, problem: string, command = 'vp serve') {
  return vpError('FLAG_INVALID', { flag, problem, command });
}
