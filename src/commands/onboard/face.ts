/** How an onboarding or a teardown is shown: a live checklist on a terminal, plain lines elsewhere, JSON lines with --json. */
import type { Environment } from '../../environment/environment.ts';
import type { Tell } from '../../onboarding/engine/event.ts';
import { paintFor } from '../../terminal/paint.ts';

/** Takes the events; `end` leaves the last state standing. */
export type Face = { readonly tell: Tell; end(): Promise<void> };

/** The face for this call. */
export async function faceFor({ streams, variables, clock }: Environment, json: boolean): Promise<Face> {
  const { stdout } = streams;
  const none = async (): Promise<void> => undefined;
  if (json) return { tell: (event) => void stdout.write(`${JSON.stringify(event)}\n`), end: none };
  const paint = paintFor(stdout, variables);
  if (stdout.isTTY === true && variables.TERM !== 'dumb' && !variables.CI) {
    const { inkReady } = await import('../../terminal/ink-ready.ts');
    await inkReady();
    const { isTerminal, liveScreen } = await import('../../terminal/onboarding/screen.tsx');
    if (isTerminal(stdout)) return liveScreen(stdout, clock, paint.colours);
  }
  const { plainLines } = await import('../../terminal/onboarding/plain.ts');
  return { tell: plainLines(stdout, paint), end: none };
}
