/** Exit codes of every command; the one place where they are numbers. */
export const exitCode = {
  /** The request was carried out completely, and every check passed. */
  done: 0,
  /** A check was false, or the work was done only in part. */
  checkFailed: 1,
  /** The command line or an input file is wrong. */
  invalidInput: 2,
  /** Something that will be ready later is not ready yet. */
  notReady: 3,
  /** Could not be judged, or could not be reached. */
  broken: 4,
  /** Ended by Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const;

/** One of the numbers in {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
