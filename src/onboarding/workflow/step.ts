/** Steps of an onboarding or a teardown. */

/** Result of a check: whether there is anything to do, and why. */
export type StepFinding = { readonly state: 'done' | 'todo'; readonly detail: string };

/** A failure that does not keep later steps from running. */
export type Shortfall = {
  readonly reason: string;
  readonly cure: string;
  /** It resolves itself with time. */
  readonly passes: boolean;
};

export type StepAction = { readonly detail: string; readonly shortfall?: Shortfall | undefined };

/**
 * One step. Each method can be repeated at any time: `check` changes nothing; `act` brings about what `check` found missing, from
 * whatever state an earlier attempt left; `undo` reverts an interrupted `act`. They throw what repeating cannot resolve. A step
 * without `act` only checks, and throws when the run cannot continue.
 */
export type WorkflowStep<C> = {
  readonly id: string;
  readonly title: string;
  /** A reason not to run the step at all. */
  skip?(context: C): string | undefined;
  check(context: C): Promise<StepFinding>;
  act?(context: C): Promise<StepAction>;
  undo?(context: C): Promise<void>;
};

export function upToDate(detail: string): StepFinding {
  return { state: 'done', detail };
}

export function actionNeeded(detail: string): StepFinding {
  return { state: 'todo', detail };
}
