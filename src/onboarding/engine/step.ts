/** What a step is. */

/** What looking found: nothing to do, or something, and in both cases why. */
export type Finding = { readonly state: 'done' | 'todo'; readonly detail: string };

/** Something that is not as it should be, and that does not keep the steps behind it from going on. */
export type Shortfall = {
  readonly reason: string;
  readonly cure: string;
  /** It comes right by itself, given time. */
  readonly passes: boolean;
};

/** What acting did. */
export type Act = { readonly detail: string; readonly shortfall?: Shortfall | undefined };

/**
 * One step on what it is given. All of it may be done again at any time: `check` looks and changes nothing; `act` brings about what
 * `check` missed, from whatever state an earlier, broken attempt left; `undo` takes back a half-done act. Each throws what no
 * repetition mends. A step without `act` only looks, and throws when what it sees forbids to go on.
 */
export type Step<C> = {
  readonly id: string;
  readonly title: string;
  /** Not even looked at while this gives a reason. */
  skip?(context: C): string | undefined;
  check(context: C): Promise<Finding>;
  act?(context: C): Promise<Act>;
  undo?(context: C): Promise<void>;
};

/** Nothing to do. */
export function done(detail: string): Finding {
  return { state: 'done', detail };
}

/** Something to do. */
export function todo(detail: string): Finding {
  return { state: 'todo', detail };
}
