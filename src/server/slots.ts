/** A bounded number of places. */
export type Slots = {
  /** Takes a place and gives the function that frees it (once); undefined when all are taken. */
  take(): (() => void) | undefined;
  /** Places taken now. */
  taken(): number;
};

/** `limit` places. */
export function createSlots(limit: number): Slots {
  const held = new Set<symbol>();
  return {
    take() {
      if (held.size >= limit) return undefined;
      const place = Symbol('slot');
      held.add(place);
      return () => {
        held.delete(place);
      };
    },
    taken: () => held.size,
  };
}
