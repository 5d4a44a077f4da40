/**
 * Changes as they happen, by one stream for all tabs of a browser: the tab that holds the lock reads it and tells the others.
 * When that tab is closed, the lock goes to another one, which resumes behind the last change it was told. Where the
 * browser has no locks (plain http on a name that is not this machine's) each tab reads a stream of its own.
 */
import type { ChangeEvent } from '../../contract/api.ts';
import type { Connection } from '../session/connection.ts';
import { toldOf } from '../words/problem.ts';
import { batches } from './batches.ts';
import { isLiveMessage, type LiveMessage, type LiveState } from './message.ts';

/** Who listens. */
export type LiveListener = {
  changed(changes: readonly ChangeEvent[]): void;
  state(state: LiveState): void;
};

const name = 'vp-live';
const gapMs = 50;

/** Starts to listen; the returned function stops. */
export function listenLive(connection: Pick<Connection, 'events'>, listener: LiveListener): () => void {
  const ended = new AbortController();
  const channel = new BroadcastChannel(name);
  const say = (message: LiveMessage): void => channel.postMessage(message);
  let lastSeq: number | undefined;
  let leading = false;
  let state: LiveState = { kind: 'connecting' };
  const changed = (changes: readonly ChangeEvent[]): void => {
    lastSeq = Math.max(lastSeq ?? 0, ...changes.map(({ seq }) => seq));
    listener.changed(changes);
  };
  const become = (next: LiveState): void => {
    state = next;
    listener.state(next);
  };
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!isLiveMessage(data)) return;
    if (data.kind === 'changes') changed(data.changes);
    else if (data.kind === 'state') become(data.state);
    else if (leading) say({ kind: 'state', state });
  };
  const lead = async (): Promise<void> => {
    leading = true;
    const tellState = (next: LiveState): void => {
      become(next);
      say({ kind: 'state', state: next });
    };
    const batch = batches<ChangeEvent>(gapMs, (changes) => {
      changed(changes);
      say({ kind: 'changes', changes });
    });
    try {
      const onConnection = (problem: unknown): void =>
        tellState(problem === undefined ? { kind: 'live' } : { kind: 'broken', told: toldOf(problem) });
      const events = connection.events({ sinceSeq: lastSeq, signal: ended.signal, onConnection });
      for await (const change of events) batch.add(change);
    } catch (error) {
      tellState({ kind: 'broken', told: toldOf(error) });
    } finally {
      batch.stop();
    }
  };
  say({ kind: 'asked' });
  const locks: LockManager | undefined = navigator.locks;
  const leadership = locks ? locks.request(name, { signal: ended.signal }, lead) : lead();
  void Promise.resolve(leadership).catch(() => undefined);
  return () => {
    ended.abort();
    channel.close();
  };
}
