/** What happens during an onboarding or a teardown, as it happens: the one stream that every face draws. */

/** A step as the checklist names it. */
export type StepName = { readonly id: string; readonly title: string };

/**
 * How a step ended. `done`: it did something; `kept`: nothing was to do; `short`: done but for what the detail says;
 * `skipped`: something before it is not there yet; `undone`: interrupted and taken back; `stopped`: interrupted, and the
 * next run goes on from it.
 */
export type StepOutcome = 'done' | 'kept' | 'short' | 'skipped' | 'failed' | 'undone' | 'stopped';

/** One event. No member ever holds a secret. */
export type OnboardingEvent =
  | { readonly event: 'started'; readonly operation: 'onboard' | 'teardown'; readonly steps: readonly StepName[] }
  | { readonly event: 'step_started'; readonly step: string }
  | { readonly event: 'step_detail'; readonly step: string; readonly text: string }
  | {
      readonly event: 'step_ended';
      readonly step: string;
      readonly outcome: StepOutcome;
      readonly detail: string;
      readonly duration_ms: number;
    }
  | { readonly event: 'warning'; readonly text: string; readonly cure: string }
  /** An error ends it, which is told behind this; the same command goes on from there. */
  | { readonly event: 'failed'; readonly transcript: string | null }
  /** A page that the person is asked to open; `user_code` is what they type there. */
  | { readonly event: 'open'; readonly url: string; readonly user_code?: string };

/** Takes events. */
export type Tell = (event: OnboardingEvent) => void;
