/** One action on several things: requests one after another, and what became of each. */
import { describeError } from '../text/error-description.ts';

export type BulkItem = { readonly id: string; readonly label: string };

/** `problem`: it did not succeed. `note`: it did, and something is to be said about it. */
export type BulkResult = BulkItem & { readonly problem?: string; readonly note?: string };

export type BulkLink = { readonly href: string; readonly text: string };

type Perform = (
  report: (result: BulkResult) => void,
  isStopped: () => boolean,
  // biome-ignore lint/suspicious/noConfusingVoidType: most actions lead nowhere
) => Promise<BulkLink | undefined | void>;

export type BulkTask = {
  /** `run`, for counts. */
  readonly noun: string;
  /** `Cancelling`. */
  readonly doing: string;
  /** `cancelled`. */
  readonly done: string;
  readonly items: readonly BulkItem[];
  /** Reports each item once; those without a report were not tried. The result is where to go on. */
  readonly perform: Perform;
  /** For what succeeded. */
  readonly undo?: (succeeded: readonly BulkItem[]) => BulkTask;
};

/**
 * Acts on one item after another; `act` may return a note. Goes on after a refusal, but not after an error that concerns all of
 * them, such as a lost connection.
 */
export function oneByOne<I extends BulkItem>(
  items: readonly I[],
  act: (item: I) => Promise<string | undefined>,
): Perform {
  return async (report, isStopped) => {
    for (const item of items) {
      if (isStopped()) return;
      const { id, label } = item;
      try {
        const note = await act(item);
        report({ id, label, ...(note === undefined ? {} : { note }) });
      } catch (error) {
        const { message, isRetryable } = describeError(error);
        report({ id, label, problem: message });
        if (isRetryable) return;
      }
    }
  };
}
