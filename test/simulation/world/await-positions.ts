/**
 * Where in src/ a process goes on after an await or a promise, and at which of these it crashed. The promise that an await
 * waits with is created in the line of the await, so the stack of that moment names it. Only for a count of them: it takes
 * several times as long as the schedule.
 */
import { promiseHooks } from 'node:v8';

/** `passed` and `crashed`: how often at each position, such as `src/control/runs/runs.ts:68:5`. */
export type AwaitPositions = {
  readonly passed: Map<string, number>;
  readonly crashed: Map<string, number>;
  stop(): void;
};

const sourceFrame = /\/(src\/[^?)\s]+)(?:\?[^:)]*)?(:\d+:\d+)\)?$/;
let current: { readonly sites: WeakMap<object, string>; readonly crashed: Map<string, number> } | undefined;

function add(counts: Map<string, number>, position: string | undefined): void {
  if (position !== undefined) counts.set(position, (counts.get(position) ?? 0) + 1);
}

/** The first frame that is code of a file, if that is in src/. */
function findSourcePosition(): string | undefined {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const caller = frames.find((frame) => frame.includes('file:') && !frame.includes('await-positions'));
  const [, file, place] = sourceFrame.exec(caller ?? '') ?? [];
  return file && file + place;
}

export function recordAwaitPositions(): AwaitPositions {
  const sites = new WeakMap<object, string>();
  const passed = new Map<string, number>();
  const crashed = new Map<string, number>();
  const stopWatching = promiseHooks.createHook({
    init(promise) {
      const position = findSourcePosition();
      if (position !== undefined) sites.set(promise, position);
    },
    before: (promise) => add(passed, sites.get(promise)),
  });
  current = { sites, crashed };
  return {
    passed,
    crashed,
    stop: () => {
      current = undefined;
      stopWatching();
    },
  };
}

/** A process crashed where `promise` goes on. */
export function recordAwaitCrash(promise: object): void {
  if (current) add(current.crashed, current.sites.get(promise));
}
