/**
 * Hides the target's secrets from checks. Otherwise authors of scenarios could learn a secret from an endpoint that
 * echoes requests, one character at a time: `body has authorization matching ^Bearer a` passes or fails.
 */
import { createRedactor } from './redactor.ts';

/**
 * Shorter secrets are words such as `test` that occur in bodies by chance: hiding them would make correct checks fail.
 * They are still redacted in everything that is displayed.
 */
const minConcealedLength = 8;

/** Hides the secrets of one project from the checks of one run. */
export type Concealment = {
  /** Undefined when there is nothing to hide. */
  readonly conceal: ((text: string) => string) | undefined;
  /** True once a text contained a secret. */
  readonly hasConcealed: () => boolean;
};

/** Added to the report when the target returned a secret. */
export const concealedSecretNote =
  'the target returned one of its own secrets; checks see `[redacted]` instead: find out why it does, and whether it ' +
  'should';

/** The `secrets` that are long enough to be hidden from checks. */
export function filterConcealable(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= minConcealedLength);
}

/** Creates a concealment for each run of a project. */
export function createConcealmentFactory(secrets: readonly string[]): () => Concealment {
  const concealed = filterConcealable(secrets);
  if (concealed.length === 0) return () => ({ conceal: undefined, hasConcealed: () => false });
  const { redactText: redact } = createRedactor(concealed);
  return () => {
    let hasConcealed = false;
    const conceal = (text: string): string => {
      const concealedText = redact(text);
      hasConcealed ||= concealedText !== text;
      return concealedText;
    };
    return { conceal, hasConcealed: () => hasConcealed };
  };
}
