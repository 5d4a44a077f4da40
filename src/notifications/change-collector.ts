/** Computes what has changed since the last time, and writes it as deliveries of the channels. */
import type { NotificationChange } from '../contract/notifications-api.ts';
import { readCommittedSeq } from '../store/control/counters.ts';
import { deleteFromInbox, findPosition, listInbox, savePosition } from '../store/control/notifications/channels.ts';
import { listEndedRuns } from '../store/control/runs/ended-runs.ts';
import type { Sql } from '../store/sql.ts';
import { type ComputedChange, computeAbsence, computeChanges } from './compute-changes.ts';
import type { NotificationContext } from './context.ts';
import { addDeliveries } from './outbox.ts';

const runsPerStep = 100;
const inboxPerStep = 100;

type Step = { readonly position: number | undefined; readonly nextPosition: number } & {
  readonly changes: readonly ComputedChange[];
  readonly inbox: readonly string[];
  readonly isComplete: boolean;
};

/** Undefined when nothing has changed. */
function computeStep(sql: Sql): Step | undefined {
  const position = findPosition(sql);
  if (position === undefined)
    return { position, nextPosition: readCommittedSeq(sql), changes: [], inbox: [], isComplete: false };
  const rows = listEndedRuns(sql, position, runsPerStep);
  const inbox = listInbox(sql, inboxPerStep);
  if (rows.length === 0 && inbox.length === 0) return undefined;
  const others = inbox.map(({ id: key, change }): ComputedChange => {
    // Written by announceChange from a value of the type.
    const parsed: NotificationChange = JSON.parse(change);
    return { key, scenario: undefined, change: parsed };
  });
  return {
    position,
    nextPosition: rows.at(-1)?.seq ?? position,
    changes: [...rows.flatMap((row) => computeChanges(sql, row)), ...others],
    inbox: inbox.map(({ id }) => id),
    isComplete: rows.length < runsPerStep && inbox.length < inboxPerStep,
  };
}

/** Nothing when the position is not the one from which the step was computed. */
function saveStep(sql: Sql, { position, nextPosition, changes, inbox }: Step, nowMs: number): void {
  if (findPosition(sql) !== position) return;
  addDeliveries(sql, changes, nowMs);
  for (const id of inbox) deleteFromInbox(sql, id);
  savePosition(sql, nextPosition);
}

export type ChangeCollector = {
  /** Resolves when all is written, or after the step during which `signal` aborted. */
  collect(): Promise<void>;
  /** Absences are written again for channels that lack them. */
  forgetAbsences(): void;
};

export function createChangeCollector(context: NotificationContext, signal: AbortSignal): ChangeCollector {
  const { database, clock, settings } = context;
  /** Absences by instance and by when its executor was there last, and since when this process knows of them. */
  const awaySince = new Map<string, number>();
  /** Keys of absences that the channels have. Writing them again would be a commit, and each commit leads here. */
  const savedAbsences = new Set<string>();

  async function collectSteps(): Promise<void> {
    for (let isComplete = false; !isComplete && !signal.aborted; ) {
      const step = await database.read(computeStep);
      if (step) await database.write((sql) => saveStep(sql, step, clock.nowMs()));
      isComplete = step === undefined || step.isComplete;
    }
  }

  async function collectAbsences(): Promise<void> {
    const away = new Map(
      (await context.listAway()).map((absence) => [`${absence.instance} ${absence.since}`, absence]),
    );
    for (const name of [...awaySince.keys()]) if (!away.has(name)) awaySince.delete(name);
    const nowMs = clock.monotonicMs();
    for (const name of away.keys()) if (!awaySince.has(name)) awaySince.set(name, nowMs);
    const lost = [...away]
      .filter(([name]) => nowMs - (awaySince.get(name) ?? nowMs) >= settings.awayAfterMs)
      .map(([, absence]) => absence);
    const changes =
      lost.length === 0
        ? []
        : await database.read((sql) => lost.flatMap((it) => computeAbsence(sql, it, clock.nowMs())));
    for (const key of savedAbsences) if (!changes.some((change) => change.key === key)) savedAbsences.delete(key);
    const unsaved = changes.filter(({ key }) => !savedAbsences.has(key));
    if (unsaved.length === 0) return;
    await database.write((sql) => addDeliveries(sql, unsaved, clock.nowMs()));
    for (const { key } of unsaved) savedAbsences.add(key);
  }

  return {
    async collect() {
      await collectSteps();
      await collectAbsences();
    },
    forgetAbsences: () => savedAbsences.clear(),
  };
}
