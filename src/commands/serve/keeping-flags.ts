/** Flags of `vp serve` about what is kept, for how long, and how safe it must be. */
import type { ControlSettings } from '../../control/context.ts';
import type { AuditSettings } from '../../hub/audit/settings.ts';
import type { Flags, FlagValues } from '../command.ts';

const dayMs = 86_400_000;
const mib = 1024 ** 2;
const days = { type: 'number', placeholder: '<days>', whole: [1, 36_500] } as const;
const size = { type: 'number', placeholder: '<MiB>', whole: [1, 1_048_576] } as const;

/** To be spread into a command's flags. */
export const keepingFlags = {
  'keep-reports': { ...days, describe: 'delete reports that are older', default: 90 },
  'keep-bodies': { ...days, describe: 'delete response bodies that are older', default: 14 },
  'keep-mib': { ...size, describe: 'delete bodies, then reports, over this', default: 4096 },
  'keep-audit': { ...days, describe: 'delete calls from the audit of hubs that are older', default: 400 },
  'keep-arguments': {
    ...days,
    describe: 'erase what the audit keeps of calls’ arguments when older; the calls stay',
    default: 30,
  },
  'audit-mib': {
    ...size,
    whole: [16, 1_048_576],
    describe: 'delete the oldest calls from the audit over this; the chain of what stays still holds',
    default: 4096,
  },
  'audit-strict': {
    type: 'boolean',
    default: false,
    describe: 'answer a call only when its row would survive a power cut; up to 50 ms later than else',
  },
  'audit-gaps': {
    type: 'boolean',
    default: false,
    describe: 'let calls of hubs go on while the audit cannot be written, and note the gap; refused unless given',
  },
} as const satisfies Flags;

type Values = FlagValues<typeof keepingFlags>;

/** What they say of runs. */
export function keptRuns(flags: Values): Partial<ControlSettings> {
  return {
    reportMaxAgeMs: flags['keep-reports'] * dayMs,
    bodyMaxAgeMs: flags['keep-bodies'] * dayMs,
    storedMaxBytes: flags['keep-mib'] * mib,
  };
}

/** What they say of the audit of hubs. */
export function keptAudit(flags: Values): Partial<AuditSettings> {
  return {
    maxAgeMs: flags['keep-audit'] * dayMs,
    argumentsMaxAgeMs: flags['keep-arguments'] * dayMs,
    maxBytes: flags['audit-mib'] * mib,
    strict: flags['audit-strict'],
    whenUnwritable: flags['audit-gaps'] ? 'continue' : 'refuse',
  };
}
