/** The flags of `vp schedules add`, `edit` and `next`, and what they make of a definition. */
import type { FlagDefinitions, FlagValues, Positional } from '../../command-line/command.ts';
import type { ScheduleDefinition } from '../../contract/schedules-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const scheduleFlags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

export const scheduleArgument = {
  name: 'schedule',
  describe: 'id of the schedule, from `vp schedules list`',
  required: true,
  kind: 'schedule',
} as const satisfies Positional;

export const definitionFlags = {
  cron: {
    type: 'string',
    placeholder: '<expression>',
    describe: 'minute, hour, day of month, month, day of week: "0 2 * * 1-5"; or @daily',
  },
  every: { type: 'string', placeholder: '<duration>', describe: 'an interval such as 15m, 6h or 1d' },
  on: {
    type: 'string',
    placeholder: '<event>',
    choices: ['webhook', 'new_version'],
    describe: 'run on an event, not by the clock: a signed webhook, or a run that sees a new version of the target',
  },
  'time-zone': {
    type: 'string',
    placeholder: '<zone>',
    describe: 'time zone of --cron, such as Europe/Berlin (default UTC)',
  },
  jitter: {
    type: 'number',
    placeholder: '<seconds>',
    integerRange: [0, 3600],
    describe: 'delay each tick by up to this many seconds',
  },
  scenario: {
    type: 'strings',
    placeholder: '<ID>',
    describe: 'run this scenario; "RT-*" selects several; may be repeated',
  },
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    kind: 'tag',
    describe: 'run the scenarios with this tag; may be repeated',
  },
  overlap: {
    type: 'string',
    placeholder: '<what>',
    choices: ['skip', 'queue'],
    describe: 'if runs of an earlier tick have not ended: skip this one (default by the clock), or queue it',
  },
  missed: {
    type: 'string',
    placeholder: '<what>',
    choices: ['run_once', 'skip'],
    describe: 'ticks that were due while the control plane was down: run_once (default) for all of them, or skip',
  },
  description: { type: 'string', placeholder: '<text>', describe: 'what the schedule is for' },
} as const satisfies FlagDefinitions;

type DefinitionFlagValues = FlagValues<typeof definitionFlags>;

/** Those that were given. */
export function listDefinitionFlags(flags: DefinitionFlagValues): string[] {
  const names = Object.keys(definitionFlags) as (keyof typeof definitionFlags)[];
  const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== undefined);
  return names.filter((name) => isGiven(flags[name])).map((name) => `--${name}`);
}

/** `before` with what the flags name; a new time replaces the one before. */
export function applyDefinitionFlags(flags: DefinitionFlagValues, before: ScheduleDefinition = {}): ScheduleDefinition {
  const { cron, every, on, 'time-zone': zone, jitter, scenario, tag, overlap, missed, description } = flags;
  const isNewTime = [cron, every, on].some((value) => value !== undefined);
  const {
    cron: _cron,
    every: _every,
    on: _on,
    time_zone: beforeZone,
    jitter_s,
    missed: beforeMissed,
    ...rest
  } = before;
  // What only times have goes with them.
  const others =
    on === undefined
      ? {
          ...(jitter_s === undefined ? {} : { jitter_s }),
          ...(beforeMissed === undefined ? {} : { missed: beforeMissed }),
          ...rest,
        }
      : rest;
  const timing = isNewTime
    ? { ...(cron === undefined || beforeZone === undefined ? {} : { time_zone: beforeZone }) }
    : { ...before };
  return {
    ...others,
    ...timing,
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every }),
    ...(on === 'webhook' || on === 'new_version' ? { on } : {}),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(jitter === undefined ? {} : { jitter_s: jitter }),
    ...(scenario.length === 0 ? {} : { scenarios: [...scenario] }),
    ...(tag.length === 0 ? {} : { tags: [...tag] }),
    ...(overlap === undefined ? {} : { skip_if_running: overlap === 'skip' }),
    ...(missed === 'run_once' || missed === 'skip' ? { missed } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

type ConnectionFlags = Parameters<typeof openClient>[0] & { readonly instance: string | undefined };

export async function openInstance(flags: ConnectionFlags, environment: Environment) {
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  return { schedules: client.schedules, baseUrl: client.transport.baseUrl, instance };
}
