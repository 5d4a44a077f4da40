/** Schedules of an instance: what runs by itself, changed by people and by files. */
import type {
  CreateScheduleRequest,
  ImportSchedulesResponse,
  ScheduleDefinition,
} from '../../contract/schedules-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { seal } from '../../secrets/sealing.ts';
import { formatWebhookSecret } from '../../secrets/webhook-signature.ts';
import {
  deleteSchedule,
  findNewestTargetVersion,
  findSchedule,
  insertSchedule,
  listSchedules,
  type ScheduleKey,
  type ScheduleRow,
  saveResumed,
  saveSchedulePause,
  updateSchedule,
} from '../../store/control/schedules/schedules.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor } from '../control.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { listMatchingScenarios, readDefinition } from './request-tick.ts';
import type { ScheduleRunner } from './schedule-runner.ts';
import { assertValidDefinition, findNextTick, noTick } from './schedule-timing.ts';
import { listNext, readSchedules, toDocument, toSchedules } from './schedule-views.ts';
import { acceptScheduleWebhook, getSecretContext } from './schedule-webhook.ts';
import type { SchedulesService } from './schedules-service.ts';

const maxSchedules = 200;

function requireSchedule(sql: Sql, { instance, id }: ScheduleKey): ScheduleRow {
  requireInstance(sql, instance);
  const row = findSchedule(sql, instance, id);
  if (row) return row;
  throw vpError('SCHEDULE_UNKNOWN', { schedule: id, instance });
}

function requireOwnSchedule(sql: Sql, key: ScheduleKey): ScheduleRow {
  const row = requireSchedule(sql, key);
  if (row.source === 'file') throw vpError('SCHEDULE_FROM_FILE', { schedule: key.id });
  return row;
}

type Change = {
  readonly key: ScheduleKey;
  readonly definition: ScheduleDefinition;
  readonly source: ScheduleRow['source'];
  readonly actor: Actor;
  readonly nowMs: number;
  readonly sealedSecret: Uint8Array | null;
};

/** A schedule of new versions begins, and goes on after a pause, with the version that is there. */
function findVersionToCompare(sql: Sql, { instance }: ScheduleKey, { on }: ScheduleDefinition): string | null {
  return on === 'new_version' ? (findNewestTargetVersion(sql, instance)?.target_version ?? null) : null;
}

function createRow(sql: Sql, { key, definition, source, actor, nowMs, sealedSecret }: Change): ScheduleRow {
  if (listSchedules(sql, key.instance).length >= maxSchedules)
    throw vpError('SCHEDULE_INVALID', { member: 'schedule_id', problem: `an instance has at most ${maxSchedules}` });
  const next = findNextTick(key, definition, nowMs);
  const row: ScheduleRow = {
    ...{ instance_id: key.instance, id: key.id, definition: JSON.stringify(definition), source },
    ...{ paused_at_ms: null, paused_by: null, tick_at_ms: next.tickAtMs, due_at_ms: next.dueAtMs },
    sealed_secret: sealedSecret,
    observed_version: findVersionToCompare(sql, key, definition),
    ...{ created_at_ms: nowMs, created_by: actor.name, updated_at_ms: nowMs, updated_by: actor.name },
  };
  insertSchedule(sql, row);
  return row;
}

/** The next tick stays unless the times change: an edit must not skip a tick that is due. */
function changeRow(sql: Sql, row: ScheduleRow, { key, definition, source, actor, nowMs }: Change): ScheduleRow {
  const before = readDefinition(row);
  if ((before.on === 'webhook') !== (definition.on === 'webhook'))
    throw vpError('SCHEDULE_INVALID', {
      member: 'on',
      problem: 'a webhook has a secret: remove the schedule and add it',
    });
  const isSameTime = (['cron', 'every', 'time_zone', 'jitter_s', 'on'] as const).every(
    (member) => before[member] === definition[member],
  );
  const next = row.paused_at_ms === null ? findNextTick(key, definition, nowMs) : noTick;
  const times = isSameTime ? {} : { tick_at_ms: next.tickAtMs, due_at_ms: next.dueAtMs };
  const version = before.on === definition.on ? row.observed_version : findVersionToCompare(sql, key, definition);
  const changed = { ...row, ...times, definition: JSON.stringify(definition), source, observed_version: version };
  updateSchedule(sql, { ...changed, updated_at_ms: nowMs, updated_by: actor.name });
  return { ...changed, updated_at_ms: nowMs, updated_by: actor.name };
}

function importAll(
  sql: Sql,
  instance: string,
  entries: readonly CreateScheduleRequest[],
  actor: Actor,
  nowMs: number,
): ImportSchedulesResponse['schedules'] {
  const outcomes: ImportSchedulesResponse['schedules'] = [];
  for (const { schedule_id: id, ...definition } of entries) {
    const key = { instance, id };
    const change = { key, definition, source: 'file' as const, actor, nowMs, sealedSecret: null };
    const row = findSchedule(sql, instance, id);
    if (row && row.source !== 'file') throw vpError('SCHEDULE_ID_TAKEN', { schedule: id, instance });
    const isSame = row?.definition === JSON.stringify(definition);
    if (!row) createRow(sql, change);
    else if (!isSame) changeRow(sql, row, change);
    outcomes.push({ schedule_id: id, outcome: row ? (isSame ? 'unchanged' : 'updated') : 'created' });
  }
  const ids = entries.map((entry) => entry.schedule_id);
  for (const { id, source } of listSchedules(sql, instance)) {
    if (source !== 'file' || ids.includes(id)) continue;
    deleteSchedule(sql, { instance, id });
    outcomes.push({ schedule_id: id, outcome: 'removed' });
  }
  return outcomes;
}

/** Before the transaction, so that an invalid entry refuses the whole file. */
function assertValidFile(entries: readonly CreateScheduleRequest[], nowMs: number): void {
  const ids = entries.map((entry) => entry.schedule_id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    throw vpError('SCHEDULE_INVALID', { member: 'schedule_id', problem: `${repeated} is there twice` });
  for (const { schedule_id: id, ...definition } of entries) {
    if (definition.on === 'webhook')
      throw vpError('SCHEDULE_INVALID', {
        member: 'on',
        problem: `${id} needs a secret, which no file should have: create it with \`vp schedules add ${id} --on webhook\``,
      });
    assertValidDefinition(definition, nowMs);
  }
}

export function createSchedulesService(runtime: ControlRuntime, runner: ScheduleRunner): SchedulesService {
  const { store, clock, random, keyring } = runtime.context;
  const { database } = store;
  const write = async <T>(operation: (sql: Sql, nowMs: number) => T): Promise<T> => {
    const result = await database.write((sql) => operation(sql, clock.nowMs()));
    runner.wake();
    return result;
  };
  const read = <T>(operation: (sql: Sql, nowMs: number) => T): Promise<T> =>
    database.read((sql) => operation(sql, clock.nowMs()));
  return {
    list: async (instance) => toSchedules(await database.read((sql) => readSchedules(sql, instance)), clock.nowMs()),
    get: (instance, id) => read((sql, nowMs) => toDocument(sql, requireSchedule(sql, { instance, id }), nowMs)),
    preview: (instance, definition) =>
      read((sql, nowMs) => {
        requireInstance(sql, instance);
        assertValidDefinition(definition, nowMs);
        const matching = listMatchingScenarios(sql, instance, definition).length;
        return { next: listNext(definition, nowMs), matching_scenarios: matching };
      }),
    async create(instance, { schedule_id: id, ...definition }, actor) {
      assertValidDefinition(definition, clock.nowMs());
      const key = { instance, id };
      const secret = definition.on === 'webhook' ? random.bytes(32) : undefined;
      const sealedSecret = secret ? seal(keyring.dataKey, getSecretContext(key), secret, random) : null;
      const schedule = await write((sql, nowMs) => {
        requireInstance(sql, instance);
        if (findSchedule(sql, instance, id)) throw vpError('SCHEDULE_ID_TAKEN', { schedule: id, instance });
        return toDocument(
          sql,
          createRow(sql, { key, definition, source: 'person', actor, nowMs, sealedSecret }),
          nowMs,
        );
      });
      return secret ? { schedule, webhook_secret: formatWebhookSecret(secret) } : { schedule };
    },
    change: (instance, id, definition, actor) =>
      write((sql, nowMs) => {
        assertValidDefinition(definition, nowMs);
        const key = { instance, id };
        const row = requireOwnSchedule(sql, key);
        const change = { key, definition, source: 'person' as const, actor, nowMs, sealedSecret: null };
        return toDocument(sql, changeRow(sql, row, change), nowMs);
      }),
    setPaused: (instance, id, isPaused, actor) =>
      write((sql, nowMs) => {
        const key = { instance, id };
        const row = requireSchedule(sql, key);
        const definition = readDefinition(row);
        if (isPaused && row.paused_at_ms === null) saveSchedulePause(sql, key, { atMs: nowMs, by: actor.name });
        if (!isPaused && row.paused_at_ms !== null) {
          const next = findNextTick(key, definition, nowMs);
          saveResumed(sql, key, next, findVersionToCompare(sql, key, definition));
        }
        return toDocument(sql, requireSchedule(sql, key), nowMs);
      }),
    remove: (instance, id) =>
      write((sql) => {
        requireOwnSchedule(sql, { instance, id });
        deleteSchedule(sql, { instance, id });
      }),
    async import(instance, entries, actor) {
      assertValidFile(entries, clock.nowMs());
      return write((sql, nowMs) => {
        requireInstance(sql, instance);
        return { schedules: importAll(sql, instance, entries, actor, nowMs) };
      });
    },
    receiveWebhook: (instance, id, message) => acceptScheduleWebhook(runtime, { instance, id }, message),
  };
}
