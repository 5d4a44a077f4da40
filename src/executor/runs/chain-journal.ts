/**
 * What must be known after a crash about a run of several requests: which of them may have been sent, and what the cleanup
 * needs. The requests are counted in the order of sending: steps, trigger, cleanup.
 */
import { type Static, Type } from '@sinclair/typebox';

const CapturedEntry = Type.Object({ name: Type.String(), text: Type.String(), isText: Type.Boolean() });

/** `position` is that of the request that is about to be sent: it may have been sent, those before it were. */
export const ChainProgress = Type.Object({
  position: Type.Integer({ minimum: 0 }),
  captures: Type.Array(CapturedEntry),
  /** The index of the case that is being sent; absent for a scenario without CASES. */
  case: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Names of captured values that are not stored, because they are never displayed. */
  withheld: Type.Array(Type.String()),
});
export type ChainProgress = Static<typeof ChainProgress>;

/**
 * Stores the progress before the request is sent; false when it could not be stored, so that nothing may be sent. `isCleanup`: a
 * later start continues there, so the control plane must know that this store has come so far.
 */
export type ChainJournal = (progress: ChainProgress, isCleanup: boolean) => Promise<boolean>;
