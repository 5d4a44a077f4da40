/**
 * Checks do not see the target's secrets. Whoever writes scenarios would otherwise learn one from an endpoint that echoes
 * requests, a character at a time: `body has authorization matching ^Bearer a` passes or fails.
 */
import { redactorOf } from './redact.ts';

/**
 * Shorter secrets are words such as `test`, which bodies hold for reasons of their own: hiding them from checks would make
 * true checks fail. They are still taken out of everything that is shown.
 */
const shortestConcealed = 8;

/** What conceals the secrets of one project from the checks of one run. */
export type Concealment = {
  /** Undefined where there is nothing to conceal. */
  readonly conceal: ((text: string) => string) | undefined;
  /** True once a text held a secret. */
  readonly happened: () => boolean;
};

/** Told in the report where a secret came back. */
export const concealedNote =
  'the target sent back one of its own secrets; checks see `[redacted]` in its place: look why it does, and whether it ' +
  'should to anybody';

/** Those of `secrets` that checks do not see. */
export function concealedOf(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= shortestConcealed);
}

/** A concealment for each run of a project. */
export function concealerOf(secrets: readonly string[]): () => Concealment {
  const concealed = concealedOf(secrets);
  if (concealed.length === 0) return () => ({ conceal: undefined, happened: () => false });
  const { text: redact } = redactorOf(concealed);
  return () => {
    let happened = false;
    const conceal = (text: string): string => {
      const shown = redact(text);
      happened ||= shown !== text;
      return shown;
    };
    return { conceal, happened: () => happened };
  };
}
