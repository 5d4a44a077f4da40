/**
 * Changes that take one protection out of the sources, each of which the simulation must notice. An expression that is not in
 * its file any more is an error: the mutation has to follow the source.
 */
import type { FaultKind } from './world/plan.ts';

export type Mutation = {
  /** What holds no longer. */
  readonly name: string;
  readonly file: string;
  /** Expressions that occur once, and what replaces them. */
  readonly replacements: readonly (readonly [from: string, to: string])[];
  /** The kinds of faults that show it. */
  readonly faults: readonly FaultKind[];
  /** Matches the violation. */
  readonly violation: RegExp;
};

/** `seed` is that of the first schedule that noticed it, when it was last looked for. */
export type FormerDefect = Mutation & { readonly seed: number };

/** Each of these was a defect. */
export const formerDefects: readonly FormerDefect[] = [
  {
    name: 'a lease that the journal does not know is lost',
    file: 'src/control/leases/lease-protocol.ts',
    replacements: [['if (isUnsent(current.fence) && !journal.started', 'if (!journal.started']],
    faults: ['crash', 'copy folder', 'rival'],
    violation: /was sent to the target 2 times/,
    seed: 0,
  },
  {
    name: 'a lease that could not be ended is tried again',
    file: 'src/control/leases/lease-watch.ts',
    replacements: [
      [
        'const expiring = { fence, stop: retryUntilDone(clock, retryBackoff, work, onError) };',
        'const expiring = { fence, stop: (): void => {} };\n      work().catch(onError);',
      ],
    ],
    faults: ['crash', 'disk fault'],
    violation: /is still in_progress/,
    seed: 71,
  },
  {
    name: 'a hello repeats its challenge',
    file: 'src/control/leases/hello.ts',
    replacements: [
      [
        'return message.start ? runtime.sessions.acceptHello(instance, message.start, begin) : begin();',
        'return begin();',
      ],
    ],
    faults: ['message', 'stop'],
    violation: /was superseded, although no other executor has run/,
    seed: 29,
  },
  {
    name: 'a copy of a folder leaves the cleanup to its original',
    file: 'src/executor/outbox/recovered-state.ts',
    replacements: [['fileIdentity !== undefined && storedFile !== fileIdentity;', 'fileIdentity === null;']],
    faults: ['rival', 'freeze'],
    violation: /was sent to the target 2 times/,
    seed: 115,
  },
];

/** Defects that never were. */
export const mutations: readonly Mutation[] = [
  ...formerDefects,
  {
    name: 'a run is sent after its announcement is acknowledged',
    file: 'src/executor/leases/take-slot.ts',
    replacements: [['if (isCommitted && isAnnounced)', 'if (isCommitted)']],
    faults: ['crash', 'copy folder', 'rival', 'cut'],
    violation: /was sent to the target 2 times/,
  },
  {
    name: 'an announcement is noted before it is acknowledged',
    file: 'src/control/leases/executor-port.ts',
    replacements: [['if (message.before_send) runtime', 'if (message.before_send === false) runtime']],
    faults: ['crash', 'copy folder', 'rival'],
    violation: /was sent to the target 2 times/,
  },
  {
    name: 'the first final state stands',
    file: 'src/store/control/runs/completion.ts',
    replacements: [
      [
        "if (run.state !== 'in_progress' || run.fence !== fence) return false;",
        'if (run.fence !== fence) return false;',
      ],
    ],
    faults: ['message', 'freeze'],
    violation: /was (failed|passed|cancelled).* and is now/,
  },
  {
    name: 'an idempotency key names its runs',
    file: 'src/control/runs/runs.ts',
    replacements: [
      ['if (before) return { value: { rows: before', 'if (before?.length === 0) return { value: { rows: before'],
    ],
    faults: ['crash'],
    violation: /a client got|named/,
  },
  {
    name: 'leases are watched again after a restart',
    file: 'src/control/runtime.ts',
    replacements: [['list: () => store.database.read(listLeases)', 'list: async () => []']],
    faults: ['crash'],
    violation: /is still in_progress/,
  },
  {
    name: 'a call is answered after its row is committed',
    file: 'src/hub/gateway/call-forwarder.ts',
    replacements: [
      [
        'await this.record(context, row, startedAtMs, bytes);',
        'this.record(context, row, startedAtMs, bytes).catch(() => {});',
      ],
    ],
    faults: ['crash', 'disk fault'],
    violation: /was answered and has no row/,
  },
  {
    name: 'in the strict mode a call waits for the disk',
    file: 'src/hub/audit/audit-writer.ts',
    replacements: [
      ['if (settings.strict) await this.#syncToDisk();', 'if (settings.strict) this.#syncToDisk().catch(() => {});'],
    ],
    faults: ['crash'],
    violation: /was answered and has no row/,
  },
  {
    name: 'a start adds the calls that a crashed process had recorded',
    file: 'src/hub/audit/audit-log.ts',
    replacements: [['options.database ? 0 : await addRecentCalls(database, keys, settings.maxBytes);', '0;']],
    faults: ['crash'],
    violation: /was answered and has no row/,
  },
];
