import type { ChangeEvent } from '../../contract/api.ts';
import type { Told } from '../words/problem.ts';

/** How the stream of changes is doing. */
export type LiveState = { readonly kind: 'connecting' | 'live' } | { readonly kind: 'broken'; readonly told: Told };

/** What the tab that has the stream tells the other tabs of this browser. */
export type LiveMessage =
  | { readonly kind: 'changes'; readonly changes: readonly ChangeEvent[] }
  | { readonly kind: 'state'; readonly state: LiveState }
  /** A tab that was just opened asks how the stream is doing. */
  | { readonly kind: 'asked' };

/** Only tabs of this origin can say something, and an older one may speak another language. */
export function isLiveMessage(value: unknown): value is LiveMessage {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (value.kind === 'changes') return 'changes' in value && Array.isArray(value.changes);
  if (value.kind === 'state') return 'state' in value && typeof value.state === 'object';
  return value.kind === 'asked';
}
