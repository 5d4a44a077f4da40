/** The journal of runs of several requests in the outbox, and what earlier starts left in it. */
import { Type } from '@sinclair/typebox';
import { createValidator } from '../../http/schema/validator.ts';
import { type RunRequest, runOrigins } from '../../run/run-request.ts';
import type { ChainRow } from '../../store/outbox/chains.ts';
import type { OutboxRun } from '../../store/outbox/reports.ts';
import { withTimeout } from '../../timing/timeout.ts';
import type { ExecutorContext } from '../executor-context.ts';
import { retryStoreWrite } from '../outbox/retry-store-write.ts';
import { type ChainJournal, ChainProgress } from './chain-journal.ts';

const RunRequestShape = Type.Object({
  runId: Type.String(),
  correlationId: Type.String(),
  instanceId: Type.String(),
  scenarioId: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  scenarioText: Type.String(),
  origin: Type.Union(runOrigins.map((origin) => Type.Literal(origin))),
  queuedMs: Type.Number(),
});
const requestValidator = createValidator<RunRequest>(RunRequestShape);
const progressValidator = createValidator<ChainProgress>(ChainProgress);

const announcementMs = 5_000;

/**
 * Each position is committed before its request is sent; while the store cannot be written, the run waits, until a stop. In the
 * cleanup the control plane learns it too.
 */
export function createChainJournal(
  context: ExecutorContext,
  origin: OutboxRun['origin'],
  run: RunRequest,
): ChainJournal {
  const { runId } = run;
  let isAnnounced = true;
  return async (progress, isCleanup) => {
    const row = { run_id: runId, origin, request: JSON.stringify(run), progress: JSON.stringify(progress) };
    const isStored = await retryStoreWrite(context, () => context.outbox.noteChain(row));
    // A control plane that did not answer delays the cleanup of a run once.
    if (isStored && isCleanup && isAnnounced) isAnnounced = await announcePosition(context, runId);
    return isStored;
  };
}

/**
 * Tells the control plane how far the journal has come; false when it did not answer. A request of the cleanup is sent then all
 * the same: what the run left in the target matters more than an older copy of the folder.
 */
async function announcePosition(context: ExecutorContext, runId: string): Promise<boolean> {
  const { control, controlCaller, clock, outbox, hardStop } = context;
  const epoch = context.getEpoch();
  if (epoch === undefined) return false;
  const message = { epoch, in_hand: runId, wait_ms: 0, journal: outbox.position() };
  const timeoutMs = announcementMs;
  return withTimeout({ clock, timeoutMs, signal: hardStop }, (signal) =>
    controlCaller.call({ timeoutMs, signal }, (attempt) => control.poll(message, attempt)),
  ).then(
    () => true,
    () => false,
  );
}

function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function recoverChain(context: ExecutorContext, chain: ChainRow, isCopy: boolean): Promise<void> {
  const { outbox, runner, log } = context;
  const { origin, run_id: runId } = chain;
  const request = parseStored(chain.request);
  const progress = parseStored(chain.progress);
  if (!requestValidator.isValid(request) || !progressValidator.isValid(progress)) {
    log.warn({ run: runId }, 'the journal of a run cannot be read; nothing is cleaned up');
    await outbox.dropChain({ origin, runId });
    return;
  }
  const work = isCopy ? 'not cleaning up from a copy of the folder, but reporting' : 'cleaning up after';
  log.info({ run: runId }, `${work} a run that an earlier start left unfinished`);
  const journal = createChainJournal(context, origin, request);
  const report = await runner.recover(request, progress, { journal, isCopy });
  const scenarioText = origin === 'direct' ? request.scenarioText : null;
  await retryStoreWrite(context, () => outbox.finishInterrupted({ origin, runId }, report, scenarioText));
}

/**
 * Cleans up after the runs that earlier starts left, one after another. Call after the control plane has accepted this start:
 * until then another start may be the one that does it. `isCopy`: the store is an older copy, or a copy whose original may still
 * be running and cleaning up itself.
 */
export async function recoverChains(context: ExecutorContext, isCopy: boolean): Promise<void> {
  for (const chain of await context.outbox.interruptedChains()) await recoverChain(context, chain, isCopy);
}
