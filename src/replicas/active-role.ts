/** The control plane of the active replica, and what its replica gives it. */
import type { HttpListener, ListenOptions } from '../http/listener/listen.ts';

/** A control plane in this process. */
export type ActivePlane = { close(): Promise<void> };

/** What a control plane gets from its replica. */
export type ActiveRole = {
  readonly epoch: number;
  /** Aborted when the role was lost: a control plane that still starts is given up. */
  readonly signal: AbortSignal;
  /** A write was refused because another replica has taken over: this one stops at once. */
  readonly onReplaced: () => void;
  /** In place of a listener of its own. */
  readonly openListener: (options: ListenOptions) => Promise<Pick<HttpListener, 'url' | 'close'>>;
};
