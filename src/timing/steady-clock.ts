/**
 * The time of a control plane. It follows the clock of the machine, except for a jump that no sleep, restart or correction
 * explains: then it goes on from the last time that could be trusted. After any jump it is unsettled, and nothing may be
 * deleted by age, until the machine's clock has agreed with itself for a while or has gone back.
 *
 *     settled ── jump ──► unsettled (followed, or not) ── agreed for holdMs, or back on the old line ──► settled
 */
import type { Clock } from '../environment/clock.ts';

/** What a later start needs to know. `candidateMs` is the time of the machine after a jump, `agreedMs` for how long it held. */
export type StoredClockState = {
  readonly trustedMs: number;
  readonly candidateMs: number | null;
  readonly agreedMs: number;
};

/** `byMs` is negative for a jump back; `waitMs` is how much longer the clock has to agree with itself. */
export type ClockJump = { readonly byMs: number; readonly isFollowed: boolean; readonly waitMs: number };

export type SteadyClock = Clock & {
  /** False after a jump: nothing may be deleted by age. */
  isSettled(): boolean;
  /** Undefined when settled. */
  findJump(): ClockJump | undefined;
  toStored(): StoredClockState;
};

export type SteadyClockOptions = {
  readonly stored?: StoredClockState | undefined;
  /** The operator says that the machine's clock is right. */
  readonly isConfirmed?: boolean | undefined;
  /** Called when a jump is noticed, and with undefined when the clock has settled. */
  readonly onChange?: ((jump: ClockJump | undefined) => void) | undefined;
};

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Differences below this are corrections of NTP. */
const toleranceMs = 5 * minuteMs;
/** A sleeping machine, and a control plane that was not started for long, see their clock jump forward. */
const maxFollowedMs = { running: 31 * dayMs, start: 366 * dayMs, back: dayMs } as const;
const holdMs = { small: 30 * minuteMs, large: dayMs } as const;
/** No machine that runs this version has a right clock before this. */
const earliestMs = Date.UTC(2026, 0, 1);

/** A time of the machine's clock, at a time of the process's own. */
type Reading = { readonly wallMs: number; readonly monotonicMs: number };

type Candidate = {
  latest: Reading;
  agreedMs: number;
  readonly byMs: number;
  readonly isFollowed: boolean;
};

function projectWall({ wallMs, monotonicMs }: Reading, nowMonotonicMs: number): number {
  return wallMs + (nowMonotonicMs - monotonicMs);
}

function getHoldMs(byMs: number): number {
  return Math.abs(byMs) > maxFollowedMs.running ? holdMs.large : holdMs.small;
}

export function createSteadyClock(clock: Clock, options: SteadyClockOptions = {}): SteadyClock {
  const observer = new ClockObserver(clock, options);
  return {
    nowMs: () => observer.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    after: (delayMs, action) => clock.after(delayMs, action),
    isSettled: () => observer.findJump() === undefined,
    findJump: () => observer.findJump(),
    toStored: () => observer.toStored(),
  };
}

class ClockObserver {
  readonly #clock: Clock;
  readonly #onChange: (jump: ClockJump | undefined) => void;
  /** The last reading that could be trusted. */
  #trusted: Reading;
  #candidate: Candidate | undefined;

  constructor(clock: Clock, { stored, isConfirmed = false, onChange = () => undefined }: SteadyClockOptions) {
    this.#clock = clock;
    this.#onChange = onChange;
    const now = this.#read();
    this.#trusted = stored && !isConfirmed ? { ...now, wallMs: stored.trustedMs } : now;
    if (stored && !isConfirmed) this.#start(now, stored);
  }

  nowMs(): number {
    const now = this.#observe();
    return !this.#candidate || this.#candidate.isFollowed
      ? now.wallMs
      : Math.trunc(projectWall(this.#trusted, now.monotonicMs));
  }

  findJump(): ClockJump | undefined {
    this.#observe();
    if (!this.#candidate) return undefined;
    const { byMs, isFollowed, agreedMs } = this.#candidate;
    return { byMs, isFollowed, waitMs: Math.max(0, getHoldMs(byMs) - agreedMs) };
  }

  toStored(): StoredClockState {
    const { monotonicMs } = this.#observe();
    return {
      trustedMs: Math.trunc(projectWall(this.#trusted, monotonicMs)),
      candidateMs: this.#candidate ? Math.trunc(this.#candidate.latest.wallMs) : null,
      agreedMs: Math.trunc(this.#candidate?.agreedMs ?? 0),
    };
  }

  #read(): Reading {
    return { wallMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
  }

  /** A jump that an earlier process has seen goes on, so that short sessions settle it together. */
  #start(now: Reading, { trustedMs, candidateMs, agreedMs }: StoredClockState): void {
    const byMs = now.wallMs - trustedMs;
    if (this.#isAgreed(byMs)) return;
    const sinceCandidateMs = now.wallMs - (candidateMs ?? Number.NEGATIVE_INFINITY);
    const isSameJump = sinceCandidateMs >= -toleranceMs && sinceCandidateMs <= maxFollowedMs.running;
    this.#jump(now, byMs, maxFollowedMs.start, isSameJump ? agreedMs : 0);
  }

  #isAgreed(differenceMs: number): boolean {
    return Math.abs(differenceMs) <= toleranceMs;
  }

  #observe(): Reading {
    const now = this.#read();
    const byMs = now.wallMs - projectWall(this.#trusted, now.monotonicMs);
    if (this.#isAgreed(byMs)) this.#settle(now);
    else if (this.#isOnCandidate(now)) this.#agree(now);
    else if (this.#trusted.wallMs < earliestMs && now.wallMs >= earliestMs) this.#settle(now);
    else this.#jump(now, byMs, maxFollowedMs.running, 0);
    return now;
  }

  #isOnCandidate(now: Reading): boolean {
    const candidate = this.#candidate;
    return candidate !== undefined && this.#isAgreed(now.wallMs - projectWall(candidate.latest, now.monotonicMs));
  }

  #agree(now: Reading): void {
    const candidate = this.#candidate;
    if (!candidate) return;
    candidate.agreedMs += now.monotonicMs - candidate.latest.monotonicMs;
    candidate.latest = now;
    if (candidate.agreedMs >= getHoldMs(candidate.byMs)) this.#settle(now);
  }

  #settle(now: Reading): void {
    this.#trusted = now;
    if (!this.#candidate) return;
    this.#candidate = undefined;
    this.#onChange(undefined);
  }

  #jump(now: Reading, byMs: number, maxForwardMs: number, agreedMs: number): void {
    const isFollowed = byMs > 0 ? byMs <= maxForwardMs : -byMs <= maxFollowedMs.back;
    this.#candidate = { latest: now, agreedMs, byMs, isFollowed };
    this.#onChange({ byMs, isFollowed, waitMs: Math.max(0, getHoldMs(byMs) - agreedMs) });
  }
}
