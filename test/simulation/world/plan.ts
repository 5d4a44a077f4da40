/** What happens in one schedule: the work that is requested and the faults, both chosen by the seed. */
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

/** Executors by number; an instance has one, and perhaps a rival. */
export type ProcessName = 'control' | `executor-${number}`;

/** `undefined` for `downMs`: it is not started again before the faults end. */
type Crash = {
  readonly kind: 'crash';
  readonly process: ProcessName;
  /** After this many points: of two for each effect, or, `isAtAwait`, of those where its code goes on (sim-process.ts). */
  readonly points: number;
  readonly isAtAwait: boolean;
  readonly folder: 'intact' | 'power cut' | 'older copy' | 'empty';
  readonly downMs: number | undefined;
};

export type MessageFate = 'request lost' | 'response lost' | 'repeated' | 'late';

export type PlannedAction = { readonly atMs: number } & (
  | { readonly kind: 'request'; readonly instance: string; readonly count: number; readonly repeats: boolean }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'direct run'; readonly process: ProcessName }
  | { readonly kind: 'hub call'; readonly hub: string }
  | Crash
  | { readonly kind: 'stop'; readonly process: ProcessName; readonly downMs: number | undefined }
  | { readonly kind: 'copy folder'; readonly process: ProcessName }
  | { readonly kind: 'freeze'; readonly process: ProcessName; readonly forMs: number }
  | { readonly kind: 'disk fault'; readonly process: ProcessName; readonly forMs: number; readonly isFull: boolean }
  | { readonly kind: 'clock jump'; readonly process: ProcessName; readonly byMs: number }
  | { readonly kind: 'cut'; readonly process: ProcessName; readonly forMs: number }
  | { readonly kind: 'message'; readonly process: ProcessName; readonly fate: MessageFate; readonly delayMs: number }
  | { readonly kind: 'rival'; readonly instance: string; readonly isClone: boolean }
  | { readonly kind: 'restore'; readonly points: number }
);

/** `lossRate`: the share of messages to which something happens besides the planned actions. */
export type Plan = {
  readonly seed: string;
  readonly instances: readonly string[];
  readonly durationMs: number;
  readonly lossRate: number;
  readonly isTargetHostile: boolean;
  readonly isAuditStrict: boolean;
  /** The first start creates it. */
  readonly isAuditNew: boolean;
  readonly actions: readonly PlannedAction[];
};

export const faultKinds = [
  'crash',
  'stop',
  'copy folder',
  'freeze',
  'disk fault',
  'clock jump',
  'cut',
  'message',
  'rival',
  'restore',
] as const;
export type FaultKind = (typeof faultKinds)[number];

const dayMs = 86_400_000;
/** Beyond every age at which something is deleted. */
const maxJumpMs = 500 * dayMs;
/** How many awaits before its crash a process passes at most. */
const maxAwaits = 200;
/** As in the control plane's settings. */
const leaseMs = 30_000;

/** Short times are likely, long ones possible. */
function chooseDurationMs(random: SeededRandom, maxMs: number): number {
  return Math.round(maxMs * random.next() ** 3) + 1;
}

function chooseFolder(random: SeededRandom, process: ProcessName): Crash['folder'] {
  if (process === 'control') return random.pick(['intact', 'intact', 'power cut', 'power cut', 'older copy']);
  return random.pick(['intact', 'intact', 'power cut', 'older copy', 'older copy', 'empty']);
}

/**
 * Faults that meet find more than faults that are far apart, and most of what the protocol waits for takes one lease: a time
 * is near one of a few moments, or near the end of a lease that was held then.
 */
function chooseTimeMs(random: SeededRandom, moments: readonly [number, ...number[]], durationMs: number): number {
  if (random.chance(0.2)) return random.integer(0, durationMs);
  const nearMs = random.pick(moments) + random.pick([0, 0, leaseMs]) + random.integer(-500, 4_000);
  return Math.min(durationMs, Math.max(0, nearMs));
}

function createFault(
  random: SeededRandom,
  kind: FaultKind,
  atMs: number,
  instances: readonly [string, ...string[]],
): PlannedAction {
  const executor: ProcessName = `executor-${random.integer(0, instances.length - 1)}`;
  const process = random.chance(0.5) ? 'control' : executor;
  const downMs = random.chance(0.4) ? undefined : chooseDurationMs(random, 60_000);
  switch (kind) {
    case 'crash': {
      const folder = chooseFolder(random, process);
      return { kind, atMs, process, points: random.integer(1, 12), isAtAwait: false, folder, downMs };
    }
    case 'stop':
      return { kind, atMs, process: executor, downMs };
    case 'copy folder':
      return { kind, atMs, process };
    case 'freeze':
      return { kind, atMs, process, forMs: chooseDurationMs(random, 60_000) };
    case 'disk fault':
      return { kind, atMs, process, forMs: random.integer(100, 40_000), isFull: random.chance(0.7) };
    case 'clock jump': {
      const byMs = random.pick([1000, 60_000, dayMs, maxJumpMs]) * (random.next() * 2 - 1);
      return { kind, atMs, process, byMs: Math.round(byMs) };
    }
    case 'cut':
      return { kind, atMs, process: executor, forMs: chooseDurationMs(random, 60_000) };
    case 'message': {
      const fate = random.pick(['request lost', 'response lost', 'repeated', 'repeated', 'late'] as const);
      return { kind, atMs, process: executor, fate, delayMs: chooseDurationMs(random, 90_000) };
    }
    case 'rival':
      return { kind, atMs, instance: random.pick(instances), isClone: random.chance(0.3) };
    case 'restore':
      return { kind, atMs, points: random.integer(1, 16) };
  }
}

function createWork(
  random: SeededRandom,
  instances: readonly [string, ...string[]],
  chooseAtMs: () => number,
): PlannedAction[] {
  const repeat = <T>(count: number, create: () => T): T[] => Array.from({ length: count }, create);
  return [
    ...repeat(random.integer(2, 8), (): PlannedAction => {
      const instance = random.pick(instances);
      return {
        kind: 'request',
        atMs: chooseAtMs(),
        instance,
        count: random.integer(1, 3),
        repeats: random.chance(0.3),
      };
    }),
    ...repeat(
      random.integer(0, 2),
      (): PlannedAction => ({ kind: 'cancel', atMs: chooseAtMs(), pick: random.integer(0, 99) }),
    ),
    ...repeat(random.integer(0, 2), (): PlannedAction => {
      return { kind: 'direct run', atMs: chooseAtMs(), process: `executor-${random.integer(0, instances.length - 1)}` };
    }),
    ...repeat(random.integer(0, 8), (): PlannedAction => {
      return { kind: 'hub call', atMs: chooseAtMs(), hub: random.pick(['acme', 'zeta']) };
    }),
  ];
}

/** Half of the crashes happen at an await, of which there are about four for each point of an effect. */
function chooseCrashPoint(random: SeededRandom, crash: Crash & { readonly atMs: number }): PlannedAction {
  return random.chance(0.5) ? crash : { ...crash, points: Math.ceil(maxAwaits * random.next() ** 2), isAtAwait: true };
}

/**
 * Each plan has only some kinds of faults, so that those that hide others are absent from most: those of `only`, or some that
 * the seed chooses.
 */
export function createPlan(seed: string, only?: readonly FaultKind[]): Plan {
  const random = createSeededRandom(`${seed}/plan`);
  const instances = random.pick([['app'], ['app'], ['app'], ['app', 'bank']] as const);
  const durationMs = random.integer(5_000, 90_000);
  const moments = [random.integer(0, durationMs), random.integer(0, durationMs)] as const;
  const chooseAtMs = (): number => chooseTimeMs(random, moments, durationMs);
  const kinds = only ?? faultKinds.filter((kind) => random.chance(kind === 'restore' ? 0.15 : 0.3));
  const [firstKind, ...otherKinds] = kinds;
  const count = firstKind === undefined ? 0 : random.integer(1, 10);
  const faults = Array.from({ length: count }, () => {
    const kind = random.pick([firstKind ?? 'stop', ...otherKinds]);
    return createFault(random, kind, chooseAtMs(), instances);
  });
  const crashes = createSeededRandom(`${seed}/crashes`);
  const actions = [
    ...createWork(random, instances, chooseAtMs),
    ...faults.map((fault) => (fault.kind === 'crash' ? chooseCrashPoint(crashes, fault) : fault)),
  ];
  return {
    seed,
    instances,
    durationMs,
    lossRate: random.chance(0.3) ? random.pick([0.02, 0.1, 0.3]) : 0,
    isTargetHostile: random.chance(0.5),
    isAuditStrict: random.chance(0.5),
    isAuditNew: random.chance(0.1),
    actions: actions.toSorted((a, b) => a.atMs - b.atMs),
  };
}
