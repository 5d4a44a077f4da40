/**
 * Queues that a report has just found empty, in memory: the poll behind it waits without reading that again, and a request that comes
 * meanwhile finds it waiting. Whatever makes work for an executor, or ends its start, wakes its polls after the commit and
 * forgets the note.
 */
export type EmptyQueues = {
  /** Call before the transaction that looks at the queue; `note` when it has found nothing to lease to `epoch`. */
  begin(instance: string): { note(epoch: number): void };
  /** Whether that still holds for a poll of `epoch`. Forgets it: the next poll reads. */
  take(instance: string, epoch: number): boolean;
  /** The polls of the instance are woken. */
  forget(instance: string): void;
};

export function createEmptyQueues(): EmptyQueues {
  const notes = new Map<string, { epoch: number | undefined }>();
  return {
    begin(instance) {
      const entry: { epoch: number | undefined } = { epoch: undefined };
      notes.set(instance, entry);
      return {
        note(epoch) {
          entry.epoch = epoch;
        },
      };
    },
    take(instance, epoch) {
      const isEmpty = notes.get(instance)?.epoch === epoch;
      notes.delete(instance);
      return isEmpty;
    },
    forget: (instance) => void notes.delete(instance),
  };
}
