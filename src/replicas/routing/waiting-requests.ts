/**
 * Requests that wait for an active replica, bounded in number. Their bodies stay unread, so they take little memory, but for
 * small ones that may be sent again.
 */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../environment/clock.ts';
import { Listeners } from '../../listeners/listeners.ts';
import { startWait } from '../../timing/wait.ts';
import { hasBody } from '../forwarding/message-headers.ts';

export class WaitingRequests {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #max: number;
  readonly #waits = new Listeners();

  constructor(clock: Pick<Clock, 'after'>, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get count(): number {
    return this.#waits.size;
  }

  /** Resolves at the next change, or after `timeoutMs`. False at once when too many wait. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (this.#waits.size >= this.#max) return false;
    const { ended, end } = startWait(this.#clock, timeoutMs);
    const removeWait = this.#waits.add(end);
    await ended;
    removeWait();
    return true;
  }

  /** Something has changed. */
  wakeAll(): void {
    this.#waits.notify();
  }
}

/** Larger ones stay unread until they are forwarded, and are forwarded once. */
const maxRepeatableBytes = 65_536;

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** `isKeyed` says where an `Idempotency-Key` is understood; elsewhere it means nothing. */
export function isRepeatable(head: RequestHead, isKeyed: (method: string, path: string) => boolean): boolean {
  const { method = '', url = '', headers } = head;
  if (!hasBody(head) && (method === 'GET' || method === 'HEAD')) return true;
  if (headers['idempotency-key'] === undefined || headers['transfer-encoding'] !== undefined) return false;
  const isSmall = Number(headers['content-length'] ?? 0) <= maxRepeatableBytes;
  return isSmall && isKeyed(method, url.split('?', 1)[0] ?? '');
}

/** The HTTP parser ends it at its declared length. Undefined when the caller leaves before the end. */
export function readRepeatableBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  return buffer(incoming).catch(() => undefined);
}
