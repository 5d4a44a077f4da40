/** The first call of an executor's start: takes over the instance and settles what the last start left. */
import {
  executorProtocol,
  type HelloRequest,
  type HelloResponse,
  type StaleStore,
} from '../../contract/executor-api.ts';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  findKnownCaller,
  findKnownJournal,
  saveJournalPosition,
  saveStaleJournal,
  settleStaleControlStore,
} from '../../store/control/instances/executor-journals.ts';
import { findInstance } from '../../store/control/instances/instances.ts';
import { startEpoch } from '../../store/control/runs/leases.ts';
import { readRunTotals } from '../../store/control/runs/run-summaries.ts';
import type { Sql } from '../../store/sql.ts';
import { announceEnd, type ControlRuntime } from '../runtime.ts';
import { assertKey, type InterruptedRun, type KeyClaim, parseRunIds, settleInterruptedRun } from './lease-protocol.ts';
import { findStaleStore } from './stale-stores.ts';

/** A hello without `start` comes from an executor of 0.4.0, which cannot answer a challenge. */
export async function handleHello(
  runtime: ControlRuntime,
  instance: string,
  message: HelloRequest & KeyClaim,
): Promise<HelloResponse> {
  const supportedProtocol = executorProtocol;
  if (message.protocol > supportedProtocol || message.protocol < supportedProtocol - 1)
    throw vpError('EXECUTOR_PROTOCOL_UNKNOWN', {
      found: message.protocol,
      known: supportedProtocol,
      version: runtime.context.settings.recommendedVersion,
    });
  const begin = (): Promise<HelloResponse> => beginStart(runtime, instance, message);
  return message.start ? runtime.sessions.acceptHello(instance, message.start, begin) : begin();
}

async function beginStart(
  runtime: ControlRuntime,
  instance: string,
  message: HelloRequest & KeyClaim,
): Promise<HelloResponse> {
  const { store, clock, settings } = runtime.context;
  const nowMs = clock.nowMs();
  const { epoch, stale, inherited, totals } = await store.database.write((sql) => {
    const row = findInstance(sql, instance);
    if (row) assertKey(findKnownJournal(sql, instance), message);
    const stale = settleStaleStore(runtime, sql, instance, message, nowMs);
    const variables = message.scenario_variables ? JSON.stringify(message.scenario_variables) : null;
    const executor = {
      storeId: message.store_id,
      version: message.executor_version,
      target: message.target,
      variables,
      port: message.executor_port ?? null,
      nowMs,
    };
    const next = startEpoch(sql, store.counters, instance, executor);
    if (!row || next === undefined) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
    const journal = {
      storeId: message.store_id,
      isStale: stale.store !== undefined,
      started: parseRunIds(message.started),
      finished: parseRunIds(message.finished),
    };
    const inherited = settleInterruptedRun(sql, store.counters, row, journal, next, nowMs, (fence) =>
      runtime.sessions.isUnsent(instance, fence),
    );
    return { epoch: next, stale, inherited, totals: readRunTotals(sql, instance) };
  });
  runtime.sessions.noteStart(instance, epoch, message.journal);
  if (stale.store) runtime.totals.recordStaleStore(stale.store);
  for (const runMs of stale.cancelled) announceEnd(runtime, runMs, 'cancelled');
  applyInterruptedRun(runtime, instance, inherited);
  runtime.presence.recordCall(instance);
  const { leaseMs, heartbeatMs } = settings;
  return {
    ...{ instance, epoch, lease_ms: leaseMs, heartbeat_ms: heartbeatMs, control_plane_version: version },
    run_totals: totals,
    ...(stale.store ? { stale_store: stale.store } : {}),
  };
}

function settleStaleStore(
  runtime: ControlRuntime,
  sql: Sql,
  instance: string,
  message: HelloRequest,
  nowMs: number,
): { readonly store: StaleStore | undefined; readonly cancelled: readonly number[] } {
  const known = findKnownCaller(sql, instance);
  const { journal } = message;
  if (!known || !journal) return { store: undefined, cancelled: [] };
  const store = findStaleStore(known, message, runtime.sessions.journalSeq(instance));
  saveJournalPosition(sql, instance, journal.epoch, journal.seq);
  if (store === 'executor') saveStaleJournal(sql, instance, nowMs);
  if (store !== 'control plane') return { store, cancelled: [] };
  return {
    store,
    cancelled: settleStaleControlStore(sql, runtime.context.store.counters, instance, journal, nowMs),
  };
}

/** Updates the state in memory after a hello. Also ends the poll of an older start. */
function applyInterruptedRun(runtime: ControlRuntime, instance: string, inherited: InterruptedRun): void {
  runtime.queueWakeups.wake(instance);
  if (inherited.fate === 'none') return;
  if (inherited.fate === 'continued') runtime.watch.arm(inherited.runMs, inherited.fence);
  else runtime.watch.disarm(inherited.runMs);
  if (inherited.fate === 'lost') runtime.totals.recordLostExecutor();
  if (inherited.fate !== 'continued') announceEnd(runtime, inherited.runMs, inherited.state);
}
