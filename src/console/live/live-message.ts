import type { ChangeEvent } from '../../contract/api.ts';
import { isObject } from '../../json/json-object.ts';
import type { ErrorDescription } from '../text/error-description.ts';

/** The state of the stream of changes. */
export type LiveState =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'broken'; readonly error: ErrorDescription };

/** Messages between the tabs of one browser. */
export type LiveMessage =
  | { readonly kind: 'changes'; readonly changes: readonly ChangeEvent[] }
  | { readonly kind: 'state'; readonly state: LiveState }
  /** Sent by a newly opened tab. */
  | { readonly kind: 'state-request' };

/** Only tabs of this origin can send messages, but one may still run an older version. */
export function isLiveMessage(value: unknown): value is LiveMessage {
  if (!isObject(value) || !('kind' in value)) return false;
  if (value.kind === 'changes') return 'changes' in value && Array.isArray(value.changes);
  if (value.kind === 'state') return 'state' in value && typeof value.state === 'object';
  return value.kind === 'state-request';
}
