/**
 * One stream of changes for all tabs of a browser: the tab that holds the lock reads it and broadcasts to the others. When
 * that tab is closed, another one gets the lock and resumes after the last change it received. Without the Web Locks API
 * (plain http on a name other than localhost) each tab reads its own stream.
 */
import type { ChangeEvent } from '../../contract/api.ts';
import type { ConsoleClient } from '../session/client.ts';
import { describeError } from '../text/error-description.ts';
import { isLiveMessage, type LiveMessage, type LiveState } from './live-message.ts';

export type LiveListener = {
  onChanges(changes: readonly ChangeEvent[]): void;
  onState(state: LiveState): void;
};

/** Names the channel and the lock. Change it with the messages' format: tabs of an older version may be open. */
const channelName = 'vp-live-v2';
const batchDelayMs = 50;

/** Starts to receive changes; the returned function stops it. */
export function subscribeToChanges(client: Pick<ConsoleClient, 'events'>, listener: LiveListener): () => void {
  const controller = new AbortController();
  const channel = new BroadcastChannel(channelName);
  const post = (message: LiveMessage): void => channel.postMessage(message);
  let lastSeq: number | undefined;
  let isLeader = false;
  let state: LiveState = { kind: 'connecting' };
  const onChanges = (changes: readonly ChangeEvent[]): void => {
    lastSeq = Math.max(lastSeq ?? 0, ...changes.map(({ seq }) => seq));
    listener.onChanges(changes);
  };
  const setState = (next: LiveState): void => {
    state = next;
    listener.onState(next);
  };
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!isLiveMessage(data)) return;
    if (data.kind === 'changes') onChanges(data.changes);
    else if (data.kind === 'state') setState(data.state);
    else if (isLeader) post({ kind: 'state', state });
  };
  const readStream = async (): Promise<void> => {
    isLeader = true;
    const publishState = (next: LiveState): void => {
      setState(next);
      post({ kind: 'state', state: next });
    };
    const batch = createBatch<ChangeEvent>(batchDelayMs, (changes) => {
      onChanges(changes);
      post({ kind: 'changes', changes });
    });
    try {
      const onConnection = (problem: unknown): void =>
        publishState(problem === undefined ? { kind: 'live' } : { kind: 'broken', error: describeError(problem) });
      const events = client.events({ sinceSeq: lastSeq, signal: controller.signal, onConnection });
      for await (const change of events) batch.add(change);
    } catch (error) {
      publishState({ kind: 'broken', error: describeError(error) });
    } finally {
      batch.stop();
    }
  };
  post({ kind: 'state-request' });
  const locks: LockManager | undefined = navigator.locks;
  const leadership = locks ? locks.request(channelName, { signal: controller.signal }, readStream) : readStream();
  void Promise.resolve(leadership).catch(() => undefined);
  return () => {
    controller.abort();
    channel.close();
  };
}

/** Collects items for `delayMs` after the first one, then passes them on together, so that a burst is rendered once. */
export function createBatch<T>(
  delayMs: number,
  onFlush: (items: readonly T[]) => void,
): { add(item: T): void; stop(): void } {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const flushed = items;
    items = [];
    onFlush(flushed);
  };
  return {
    add(item) {
      items.push(item);
      timer ??= setTimeout(flush, delayMs);
    },
    stop: () => clearTimeout(timer),
  };
}
