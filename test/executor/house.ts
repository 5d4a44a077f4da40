/** A control plane, a target and an executor between them, all ended with the test. */
import type { Test } from 'tap';
import { type HttpTarget, httpTarget, json } from '../targets/http-target.ts';
import { ControlDouble } from './control-double.ts';
import { type Started, start } from './started.ts';

/** What a test works with. */
export type House = {
  readonly control: ControlDouble;
  /** Answers `{"count":1}` at once until a test says otherwise. */
  readonly target: HttpTarget;
  readonly started: Started;
  readonly folder: string;
  /** Starts the executor again on the same store. */
  again(): Promise<Started>;
};

/** Builds it; `prepare` comes before the executor starts. */
export async function house(t: Test, prepare: (control: ControlDouble) => void = () => {}): Promise<House> {
  const control = new ControlDouble();
  prepare(control);
  const target = await httpTarget(json({ count: 1 }));
  const folder = t.testdir();
  const starts: Started[] = [];
  const again = async (): Promise<Started> => {
    const started = await start({ folder, control, origin: target.origin });
    starts.push(started);
    return started;
  };
  t.teardown(async () => {
    await starts.at(-1)?.stop();
    await target.close();
  });
  return { control, target, folder, started: await again(), again };
}

/** The target answers after `delayMs`. */
export function slow(target: HttpTarget, delayMs: number): void {
  target.answer = (request, response, arrived) => {
    setTimeout(() => json({ count: 1 })(request, response, arrived), delayMs);
  };
}

/** The target never answers. */
export function hang(target: HttpTarget): void {
  target.answer = () => {};
}
