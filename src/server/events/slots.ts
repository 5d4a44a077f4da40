/** A counting semaphore. */
export type Slots = {
  /** Returns a function that releases the slot, or undefined when all are taken. */
  take(): (() => void) | undefined;

  countTaken(): number;
};

export function createSlots(limit: number): Slots {
  const takenSlots = new Set<symbol>();
  return {
    take() {
      if (takenSlots.size >= limit) return undefined;
      const slot = Symbol('slot');
      takenSlots.add(slot);
      return () => {
        takenSlots.delete(slot);
      };
    },
    countTaken: () => takenSlots.size,
  };
}
