/** Events of an onboarding or a teardown, for all outputs: checklist, plain lines, JSON lines. */

export type StepTitle = { readonly id: string; readonly title: string };

/**
 * How a step ended. `done`: it changed something; `kept`: nothing to do; `short`: done except for what the detail says;
 * `skipped`: a precondition is missing; `undone`: interrupted and undone; `stopped`: interrupted, and the next run continues
 * from it.
 */
export type OnboardingStepOutcome = 'done' | 'kept' | 'short' | 'skipped' | 'failed' | 'undone' | 'stopped';

/** No member contains a secret. */
export type OnboardingEvent =
  | { readonly event: 'started'; readonly operation: 'onboard' | 'teardown'; readonly steps: readonly StepTitle[] }
  | { readonly event: 'step_started'; readonly step: string }
  | { readonly event: 'step_detail'; readonly step: string; readonly text: string }
  | {
      readonly event: 'step_ended';
      readonly step: string;
      readonly outcome: OnboardingStepOutcome;
      readonly detail: string;
      readonly duration_ms: number;
    }
  | { readonly event: 'warning'; readonly text: string; readonly cure: string }
  /** An error ends the run and is printed after this event; the same command continues from there. */
  | { readonly event: 'failed'; readonly transcript: string | null }
  /** A page that the user must open; `user_code` is what they type there. */
  | { readonly event: 'open'; readonly url: string; readonly user_code?: string };

export type OnboardingEventHandler = (event: OnboardingEvent) => void;
