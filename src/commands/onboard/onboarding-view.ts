/** The output of an onboarding or a teardown: a live checklist on a terminal, plain lines elsewhere, JSON lines with --json. */
import type { Environment } from '../../environment/environment.ts';
import type { OnboardingEventHandler } from '../../onboarding/workflow/event.ts';
import { paintFor } from '../../terminal/paint.ts';

/** `end` leaves the last state on the screen. */
export type OnboardingView = { readonly handleEvent: OnboardingEventHandler; end(): Promise<void> };

export async function createOnboardingView(
  { streams, variables, clock }: Environment,
  json: boolean,
): Promise<OnboardingView> {
  const { stdout } = streams;
  const resolveAtOnce = async (): Promise<void> => undefined;
  if (json) return { handleEvent: (event) => void stdout.write(`${JSON.stringify(event)}\n`), end: resolveAtOnce };
  const paint = paintFor(stdout, variables);
  if (stdout.isTTY === true && variables.TERM !== 'dumb' && !variables.CI) {
    await loadInkLayout();
    const { isTerminal, createLiveScreen: liveScreen } = await import('../../terminal/onboarding/screen.tsx');
    if (isTerminal(stdout)) return liveScreen(stdout, clock, paint.colours);
  }
  const { createPlainOutput: plainLines } = await import('../../terminal/onboarding/plain-output.ts');
  return { handleEvent: plainLines(stdout, paint), end: resolveAtOnce };
}

/**
 * Ink lays out with WebAssembly, which loads asynchronously. From sources its import waits by itself; the packed binary is
 * one CommonJS file without top-level await, so the build adds `ready` to be awaited. Await this before importing anything
 * that imports ink.
 */
export async function loadInkLayout(): Promise<void> {
  const engine: object = await import('yoga-layout');
  if ('ready' in engine && typeof engine.ready === 'function') await engine.ready();
}
