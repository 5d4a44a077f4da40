/** Which changes a channel gets, and when. */

import type {
  ChannelRouting,
  NotificationChange,
  NotificationChannel,
  QuietHours,
} from '../contract/notifications-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { findNextTickMs, parseTiming } from '../schedule/timing.ts';
import { listRoutedMetadata } from '../store/control/instances/catalogue.ts';
import { listInstances } from '../store/control/instances/instances.ts';
import type { ChannelRow } from '../store/control/notifications/channels.ts';
import { parseTexts } from '../store/json-column.ts';
import type { Sql } from '../store/sql.ts';
import type { ChangedScenario } from './compute-changes.ts';

export function readRouting({ routing }: Pick<ChannelRow, 'routing'>): ChannelRouting {
  // Written from a body that had passed its schema.
  return JSON.parse(routing);
}

function findNextMs(time: string, timeZone: string, afterMs: number): number {
  const [hour, minute] = time.split(':').map(Number);
  const timing = parseTiming({ cron: `${minute} ${hour} * * *`, time_zone: timeZone });
  const nextMs = findNextTickMs(timing, afterMs);
  if (nextMs !== undefined) return nextMs;
  throw vpError('INTERNAL', {}, { detail: `${time} never comes in ${timeZone}` });
}

/**
 * When the period in which `nowMs` lies is over; undefined outside of it. It lasts from `from` to before `to`, also over
 * midnight and a change to or from daylight saving. Throws SCHEDULE_INVALID for an unknown time zone.
 */
export function findQuietEndMs({ from, to, time_zone: zone }: QuietHours, nowMs: number): number | undefined {
  if (from === to) return undefined;
  // A tick at this very moment is the next one after the moment before.
  const endMs = findNextMs(to, zone, nowMs);
  return endMs < findNextMs(from, zone, nowMs) ? endMs : undefined;
}

/** Throws NOTIFICATION_CHANNEL_INVALID. */
export function assertValidRouting({ quiet_hours: quiet }: ChannelRouting): void {
  if (!quiet) return;
  const refuse = (problem: string): never => {
    throw vpError('NOTIFICATION_CHANNEL_INVALID', { member: 'quiet_hours', problem });
  };
  if (quiet.from === quiet.to) refuse('must begin and end at different times');
  try {
    findQuietEndMs(quiet, 0);
  } catch {
    refuse(`${quiet.time_zone} is not a known time zone; names are such as Europe/Berlin or UTC`);
  }
}

/** `scenario` is undefined for a change that is not about one: tags and owners do not keep it back. */
export function passesRouting(
  { events, instances, tags, owners }: ChannelRouting,
  { event, instance }: NotificationChange,
  scenario: ChangedScenario | undefined,
): boolean {
  if (events && !events.some((name) => name === event)) return false;
  if (instances && (instance === null || !instances.includes(instance))) return false;
  if (!scenario) return true;
  if (owners && (scenario.owner === null || !owners.includes(scenario.owner))) return false;
  return !tags || scenario.tags.some((tag) => tags.includes(tag));
}

/** After quiet hours, if `nowMs` is in them. */
export function leaveQuietHours({ quiet_hours: quiet }: ChannelRouting, nowMs: number): number {
  return (quiet && findQuietEndMs(quiet, nowMs)) ?? nowMs;
}

/** When a change of now is sent; `grouped` when it waits for others. Digests end at multiples of their length. */
export function findSendTime(routing: ChannelRouting, nowMs: number): { atMs: number; grouped: boolean } {
  const lengthMs = (routing.digest_minutes ?? 0) * 60_000;
  const digestMs = lengthMs === 0 ? nowMs : (Math.floor(nowMs / lengthMs) + 1) * lengthMs;
  const atMs = leaveQuietHours(routing, digestMs);
  return { atMs, grouped: atMs > nowMs };
}

export type UnknownNames = Pick<NotificationChannel, 'unknown_instances' | 'unknown_tags' | 'unknown_owners'>;

/**
 * Finds the names of routings that nothing has: instances that are not registered, and tags and owners that no scenario of
 * the registered ones has, or of all where none is registered.
 */
export function createUnknownNamesFinder(sql: Sql): (routing: ChannelRouting) => UnknownNames {
  const instances = new Set(listInstances(sql).map(({ id }) => id));
  const combinations = listRoutedMetadata(sql).map(({ instance_id: instance, tags, owner }) => ({
    instance,
    names: parseTexts(tags),
    owner,
  }));
  return ({ instances: chosen, tags = [], owners = [] }) => {
    const isOneKnown = chosen?.some((id) => instances.has(id)) ?? false;
    const reached = combinations.filter(({ instance }) => !isOneKnown || chosen?.includes(instance));
    const known = new Set(reached.flatMap(({ names }) => names));
    return {
      unknown_instances: (chosen ?? []).filter((id) => !instances.has(id)),
      unknown_tags: tags.filter((tag) => !known.has(tag)),
      unknown_owners: owners.filter((name) => !reached.some(({ owner }) => owner === name)),
    };
  };
}
