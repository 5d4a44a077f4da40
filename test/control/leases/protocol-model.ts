/**
 * The lease protocol as a small model: one instance, starts of its executor that crash, run beside each other and go back to an
 * older copy of their folder; greetings that arrive late or again; answers that are lost or late; leases that end at any time,
 * without any assumption about clocks. {@link explore} visits every reachable state.
 *
 * Length: the model is read as a whole.
 */

/** What holds in every reachable state, in words, and the problem where it does not. */
export const invariants = [
  { text: 'No run is sent to the target twice.', problem: 'a run was sent twice' },
  {
    text: 'At most one executor holds the current lease and may send its run.',
    problem: 'two executors hold the same lease',
  },
  {
    text: 'A report ends the lease that it belongs to, and no other one.',
    problem: 'a report of an earlier lease was accepted',
  },
  {
    text: 'A run that nobody may have sent returns to the queue when its executor is gone.',
    problem: 'a run that was never sent was lost',
  },
  {
    text: 'No message of an earlier start ends the newest start of an executor.',
    problem: 'the newest start was ended',
  },
  {
    text: 'From every state, the welcomed start or one more that greets ends every run, before any lease runs out.',
    problem: 'a run never ends',
  },
] as const;
export type Problem = (typeof invariants)[number]['problem'];

/** What makes the protocol safe. Each can be taken out, which must break an invariant. */
export type Rules = {
  /** A greeting counts only with a challenge that was given after the last one. */
  readonly hasChallenge: boolean;
  /** A run of a poll is sent after its announcement was acknowledged. */
  readonly awaitsAcknowledgement: boolean;
  /** Announcements and reports name the fence of their lease. */
  readonly checksFence: boolean;
  /** Polls and announcements count only in the session of the last greeting. */
  readonly checksSession: boolean;
  /** A run without an announcement returns to the queue. */
  readonly returnsUnsent: boolean;
  /** A poll of the session that has a lease gets it again. */
  readonly repeatsLease: boolean;
};

type Hand = {
  readonly run: number;
  readonly fence: number;
  readonly announcement: 'none' | 'arrived' | 'acknowledged';
  readonly isCommitted: boolean;
  readonly isSent: boolean;
};
type Journal = { readonly known: readonly number[]; readonly finished: readonly { run: number; fence: number }[] };
/** `session` 0: not welcomed yet. */
type Executor = {
  readonly start: number;
  readonly session: number;
  readonly hand: Hand | null;
  readonly journal: Journal;
};
type Lease = { readonly run: number; readonly epoch: number; readonly fence: number; readonly isUnsent: boolean };
export type State = {
  /** Of the control plane. */
  readonly epoch: number;
  readonly fence: number;
  readonly open: readonly number[];
  readonly runs: readonly ('queued' | 'leased' | 'ended')[];
  readonly lease: Lease | null;
  readonly hasRestarted: boolean;
  /** The last start first; one before it may still run on a clone of its machine. */
  readonly executors: readonly Executor[];
  readonly folder: Journal;
  readonly copy: Journal;
  /** Of the world. */
  readonly starts: number;
  readonly greetings: readonly { readonly start: number; readonly journal: Journal }[];
  readonly announced: readonly number[];
  readonly sent: readonly number[];
  readonly problem: Problem | null;
};

const emptyJournal: Journal = { known: [], finished: [] };

function createFirstState(runs: number): State {
  return {
    ...{ epoch: 0, fence: 0, open: [], lease: null, hasRestarted: false, executors: [], starts: 0 },
    runs: Array.from({ length: runs }, () => 'queued'),
    sent: Array.from({ length: runs }, () => 0),
    ...{ folder: emptyJournal, copy: emptyJournal, greetings: [], announced: [], problem: null },
  };
}

function endLease(state: State, end: 'ended' | 'queued'): State {
  return state.lease ? { ...state, lease: null, runs: state.runs.with(state.lease.run, end) } : state;
}

/** The lease of an executor that is gone; `journal` as far as it is known. */
function settleLease(state: State, lease: Lease, journal: Journal, { returnsUnsent }: Rules): State {
  const isKnown = journal.known.includes(lease.run);
  if (lease.isUnsent && returnsUnsent && !isKnown) return endLease(state, 'queued');
  const wasAnnounced = state.announced.includes(lease.fence) || state.hasRestarted;
  const problem = wasAnnounced || isKnown ? state.problem : 'a run that was never sent was lost';
  return { ...endLease(state, 'ended'), problem };
}

/** A greeting arrives, for the first time or again; its answer arrives too, or is lost. */
function greet(state: State, { start, journal }: State['greetings'][number], rules: Rules): State[] {
  if (rules.hasChallenge && !state.open.includes(start)) return [];
  const epoch = state.epoch + 1;
  const { lease } = state;
  const isFinished = journal.finished.some(({ run }) => run === lease?.run);
  const settled = lease && !isFinished ? settleLease(state, lease, journal, rules) : state;
  const next = { ...settled, lease: settled.lease && { ...settled.lease, epoch }, epoch, open: [] };
  const executors = next.executors.map((executor) =>
    executor.start === start && executor.session === 0 ? { ...executor, session: epoch } : executor,
  );
  return [next, { ...next, executors }];
}

function replace(state: State, executor: Executor, changes: Partial<Executor> | null): State {
  const executors = state.executors.flatMap((other) =>
    other !== executor ? [other] : changes ? [{ ...other, ...changes }] : [],
  );
  return { ...state, executors };
}

function poll(state: State, executor: Executor, { checksSession, repeatsLease }: Rules): State[] {
  const { session, hand, journal, start } = executor;
  const { epoch, lease } = state;
  if (session === 0 || hand || journal.finished.length > 0) return [];
  if (session !== epoch && checksSession)
    return [
      { ...replace(state, executor, null), problem: start === state.starts ? 'the newest start was ended' : null },
    ];
  const run = lease ? lease.run : state.runs.indexOf('queued');
  if (run < 0 || (lease && (lease.epoch !== epoch || !repeatsLease))) return [];
  const fence = lease ? lease.fence : state.fence + 1;
  const granted: Lease = lease ?? { run, epoch, fence, isUnsent: true };
  const next = { ...state, lease: granted, fence, hasRestarted: lease ? state.hasRestarted : false };
  const leased = { ...next, runs: state.runs.with(run, 'leased') };
  const taken: Hand = { run, fence, announcement: 'none', isCommitted: false, isSent: false };
  return [leased, replace(leased, executor, { hand: taken })];
}

function forget({ known, finished }: Journal, run: number): Journal {
  return { known: known.filter((other) => other !== run), finished };
}

/** The run is not sent: the journal forgets that it was started. */
function withdraw(state: State, executor: Executor, hand: Hand): State {
  const journal = hand.isCommitted ? forget(executor.journal, hand.run) : executor.journal;
  return replace(state, executor, { hand: null, journal });
}

function announce(state: State, executor: Executor, hand: Hand, { checksFence, checksSession }: Rules): State[] {
  if (hand.announcement === 'arrived')
    return [replace(state, executor, { hand: { ...hand, announcement: 'acknowledged' } })];
  if (hand.announcement === 'acknowledged') return [];
  const { lease } = state;
  const isHeld = lease?.run === hand.run && (!checksFence || lease.fence === hand.fence);
  if ((executor.session !== state.epoch && checksSession) || !isHeld) return [withdraw(state, executor, hand)];
  const noted = { ...state, lease: { ...lease, isUnsent: false }, announced: [...state.announced, lease.fence] };
  return [replace(noted, executor, { hand: { ...hand, announcement: 'arrived' } })];
}

function work(state: State, executor: Executor, rules: Rules): State[] {
  const { hand, journal } = executor;
  if (!hand) return [];
  const next = announce(state, executor, hand, rules);
  const { run, fence } = hand;
  if (!hand.isCommitted && journal.known.includes(run))
    next.push(replace(state, executor, { hand: null, journal: { ...journal, finished: [{ run, fence }] } }));
  else if (!hand.isCommitted)
    next.push(
      replace(state, executor, {
        hand: { ...hand, isCommitted: true },
        journal: { ...journal, known: [...journal.known, run] },
      }),
    );
  const maySend = hand.announcement === 'acknowledged' || !rules.awaitsAcknowledgement;
  if (hand.isCommitted && maySend && !hand.isSent) {
    const sent = state.sent.with(run, (state.sent[run] ?? 0) + 1);
    const problem = (sent[run] ?? 0) > 1 ? 'a run was sent twice' : null;
    next.push({ ...replace(state, executor, { hand: { ...hand, isSent: true } }), sent, problem });
  }
  if (hand.isSent)
    next.push(replace(state, executor, { hand: null, journal: { ...journal, finished: [{ run, fence }] } }));
  return next;
}

function report(state: State, executor: Executor, { checksFence }: Rules): State[] {
  const [entry] = executor.journal.finished;
  const { lease, epoch } = state;
  if (!entry || executor.session !== epoch) return [];
  const isAccepted = lease?.run === entry.run && (!checksFence || lease.fence === entry.fence);
  const problem = isAccepted && lease.fence !== entry.fence ? 'a report of an earlier lease was accepted' : null;
  const stored: State = { ...(isAccepted ? endLease(state, 'ended') : state), problem };
  const acknowledge = (next: State, hand: Hand | null = null): State =>
    replace(next, executor, { hand, journal: { ...executor.journal, finished: [] } });
  return [stored, acknowledge(stored), ...grantMore(stored, acknowledge)];
}

/**
 * The answer to a report brings the next lease, which counts as announced at once; it arrives, or is lost and then told again with
 * the acknowledgement of the report.
 */
function grantMore(state: State, acknowledge: (next: State, hand?: Hand) => State): State[] {
  const run = state.runs.indexOf('queued');
  if (state.lease || run < 0) return [];
  const fence = state.fence + 1;
  const lease: Lease = { run, epoch: state.epoch, fence, isUnsent: false };
  const announced = [...state.announced, fence];
  const next = { ...state, lease, fence, announced, runs: state.runs.with(run, 'leased'), hasRestarted: false };
  const hand: Hand = { run, fence, announcement: 'acknowledged', isCommitted: false, isSent: false };
  return [next, acknowledge(next, hand)];
}

/** What happens to machines: crashes, copies of folders, folders that go back, restarts of the control plane, ends of leases. */
function fail(state: State, rules: Rules): State[] {
  const { executors, lease, copy, folder } = state;
  const next = executors.map((executor, index) => {
    const crashed = replace(state, executor, null);
    return index === 0 && executor.start === state.starts ? { ...crashed, folder: executor.journal } : crashed;
  });
  const journal = executors[0]?.journal ?? folder;
  const isCopied = JSON.stringify(copy) === JSON.stringify(journal);
  if (!isCopied) next.push({ ...state, copy: journal });
  if (!isCopied && executors.length === 0) next.push({ ...state, folder: copy });
  if (lease?.isUnsent) next.push({ ...state, lease: { ...lease, isUnsent: false }, hasRestarted: true, open: [] });
  if (lease) next.push(settleLease(state, lease, emptyJournal, rules));
  return next;
}

function begin(state: State): State {
  const start = state.starts + 1;
  const journal = state.executors[0]?.journal ?? state.folder;
  return {
    ...state,
    executors: [{ start, session: 0, hand: null, journal }, ...state.executors.slice(0, 1)],
    starts: start,
    greetings: [...state.greetings, { start, journal }],
    open: [...state.open, start],
  };
}

/** At most one executor has the current lease and may send its run. */
function checkHolders(state: State): State {
  const isHolder = ({ hand }: Executor): boolean => hand?.fence === state.lease?.fence && hand?.announcement !== 'none';
  const holders = state.executors.filter((executor) => executor.hand && isHolder(executor));
  return holders.length > 1 ? { ...state, problem: 'two executors hold the same lease' } : state;
}

function listNext(state: State, rules: Rules, maxStarts: number): State[] {
  const greeted = state.greetings.flatMap((greeting) => greet(state, greeting, rules));
  const moved = state.executors.flatMap((executor) => [
    ...poll(state, executor, rules),
    ...work(state, executor, rules),
    ...report(state, executor, rules),
  ]);
  const initial = state.starts < maxStarts ? [begin(state)] : [];
  return [...initial, ...greeted, ...moved, ...fail(state, rules)].map(checkHolders);
}

/** Nothing goes wrong any more, and no lease runs out: the executors work. True when every run ends. */
function endsByWork(state: State, rules: Rules): boolean {
  let next = state;
  for (let step = 0; step < 20 && next.runs.some((run) => run !== 'ended'); step += 1)
    for (const action of [poll, report, work])
      for (const executor of next.executors) next = action(next, executor, rules).at(-1) ?? next;
  return next.runs.every((run) => run === 'ended');
}

/** The start that is welcomed goes on, and so does a new one, after what ran before has crashed. */
function canEnd(state: State, rules: Rules): boolean {
  const [newest] = state.executors;
  const goesOn = newest?.session === state.epoch && newest.session > 0 && newest.start === state.starts;
  if (goesOn && !endsByWork({ ...state, executors: [newest] }, rules)) return false;
  const restarted = begin({ ...state, executors: [], folder: newest?.journal ?? state.folder });
  const greeted = greet(restarted, { start: restarted.starts, journal: restarted.folder }, rules).at(-1) ?? restarted;
  return endsByWork(greeted, rules);
}

export type Limits = {
  readonly runs: number;
  readonly maxStarts: number;
  readonly maxEpoch: number;
  readonly maxFence: number;
};

/** Breadth first, up to the first state that breaks an invariant. */
export function explore(rules: Rules, limits: Limits): { readonly states: number; readonly problem: Problem | null } {
  const first = createFirstState(limits.runs);
  const seen = new Set<string>([JSON.stringify(first)]);
  let frontier: State[] = [first];
  while (frontier.length > 0) {
    const reached: State[] = [];
    for (const state of frontier) {
      if (state.problem) return { states: seen.size, problem: state.problem };
      if (!canEnd(state, rules)) return { states: seen.size, problem: 'a run never ends' };
      for (const next of listNext(state, rules, limits.maxStarts)) {
        if (next.epoch > limits.maxEpoch || next.fence > limits.maxFence) continue;
        const key = JSON.stringify(next);
        if (seen.has(key)) continue;
        seen.add(key);
        reached.push(next);
      }
    }
    frontier = reached;
  }
  return { states: seen.size, problem: null };
}
