/**
 * How long storms and power cuts of the tests are. `npm test` plays short ones; `.ci/run` plays long ones too, with `VP_STORM=long`.
 * `npm run test:storm` has lengths of its own.
 */

type StormLength = {
  readonly durationMs: number;
  /** Of the control plane in each mode of its audit, and three times as many of an executor. */
  readonly cuts: number;
  /** Of each run whose writes are journalled for the cuts. */
  readonly recordedMs: number;
};

export const longStorm: StormLength = { durationMs: 45_000, cuts: 5, recordedMs: 15_000 };
const shortStorm: StormLength = { durationMs: 15_000, cuts: 3, recordedMs: 6000 };

export const stormLength: StormLength = process.env.VP_STORM === 'long' ? longStorm : shortStorm;
