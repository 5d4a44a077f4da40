/** Paths that a handler of its own serves, not a route. A role's route table lists them, so that it is complete. */
export type MountedPaths = {
  readonly kind: 'mounted';
  /** What serves them. */
  readonly name: string;
  readonly methods: readonly string[];
  /** Patterns for people; `accepts` decides. */
  readonly paths: readonly string[];
  /** Who checks credentials; `none`: the paths are open. */
  readonly credential: string;
  accepts(path: string): boolean;
};
