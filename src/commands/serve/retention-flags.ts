/** Flags of `vp serve` for data retention, and for the durability of the audit log. */

import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import type { ControlSettings } from '../../control/context.ts';
import type { AuditSettings } from '../../hub/audit/audit-settings.ts';

const dayMs = 86_400_000;
const mib = 1024 ** 2;
const days = { type: 'number', placeholder: '<days>', integerRange: [1, 36_500] } as const;
const size = { type: 'number', placeholder: '<MiB>', integerRange: [1, 1_048_576] } as const;

export const retentionFlags = {
  'keep-reports': { ...days, describe: 'delete older reports', default: 90 },
  'keep-bodies': { ...days, describe: 'delete older response bodies', default: 14 },
  'keep-mib': { ...size, describe: 'delete oldest bodies, then reports', default: 4096 },
  'keep-audit': { ...days, describe: 'delete older calls from the audit log', default: 400 },
  'keep-arguments': {
    ...days,
    describe: 'erase arguments of older audited calls',
    default: 30,
  },
  'audit-mib': {
    ...size,
    integerRange: [16, 1_048_576],
    describe: 'delete the oldest calls above this',
    default: 4096,
  },
  'audit-strict': {
    type: 'boolean',
    default: false,
    describe: 'respond only after the entry is on disk (a sync each)',
  },
  'audit-intent': {
    type: 'boolean',
    default: false,
    describe: 'record each call also before it is sent',
  },
  'audit-gaps': {
    type: 'boolean',
    default: false,
    describe: 'while it is unwritable, record gaps and allow calls',
  },
} as const satisfies FlagDefinitions;

type RetentionFlagValues = FlagValues<typeof retentionFlags>;

export function toRunRetention(flags: RetentionFlagValues): Partial<ControlSettings> {
  return {
    reportMaxAgeMs: flags['keep-reports'] * dayMs,
    bodyMaxAgeMs: flags['keep-bodies'] * dayMs,
    storedMaxBytes: flags['keep-mib'] * mib,
  };
}

export function toAuditRetention(flags: RetentionFlagValues): Partial<AuditSettings> {
  return {
    maxAgeMs: flags['keep-audit'] * dayMs,
    argumentsMaxAgeMs: flags['keep-arguments'] * dayMs,
    maxBytes: flags['audit-mib'] * mib,
    strict: flags['audit-strict'],
    intents: flags['audit-intent'],
    whenUnwritable: flags['audit-gaps'] ? 'continue' : 'refuse',
  };
}
