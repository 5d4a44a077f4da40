/**
 * What the control plane remembers of each executor's start, in memory only: its challenge, the newest call that may take a
 * lease, the position of its journal, and the lease whose send was not announced. After a restart of the control plane every
 * executor says hello or is challenged again, and every lease counts as sent.
 *
 * A network may deliver any message again, or late. A hello is taken for a start only when it repeats a challenge given after
 * the last accepted hello; only a living executor can (as in the handshake of TCP, RFC 9293 section 3.5).
 */
import type { HelloRequest, HelloResponse, JournalPosition } from '../../contract/executor-api.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';

type Start = NonNullable<HelloRequest['start']>;

type Session = {
  readonly challenges: Map<string, string>;
  accepted: { readonly challenge: string; readonly response: Promise<HelloResponse> } | undefined;
  epoch: number;
  lastCall: number;
  journalSeq: number;
  unsentFence: number | undefined;
};

export type ExecutorSessions = {
  challenge(instance: string, startId: string): string;
  /**
   * Calls `begin` for a hello that repeats an open challenge, which ends all others. The same hello again gets the same response.
   * Throws EXECUTOR_CHALLENGE_EXPIRED.
   */
  acceptHello(instance: string, start: Start, begin: () => Promise<HelloResponse>): Promise<HelloResponse>;
  /** A hello was accepted. */
  noteStart(instance: string, epoch: number, journal: JournalPosition | undefined): void;
  /** A call that may take a lease arrived; false when a later one did before, or the same one. */
  beginCall(instance: string, epoch: number, call: number | undefined): boolean;
  /** False when a later call arrived in the meantime. */
  isNewestCall(instance: string, epoch: number, call: number | undefined): boolean;
  recordJournal(instance: string, journal: JournalPosition | undefined): void;
  /** The highest number since the last hello. */
  journalSeq(instance: string): number;
  /** A lease was granted. `isUnsent`: to an executor that announces each send. */
  noteLease(instance: string, fence: number, isUnsent: boolean): void;
  /** The executor is about to send the run of this lease, which is the current one. */
  noteSend(instance: string, fence: number): void;
  /** True when the run of this lease was never sent, and, once another epoch or fence has the run, never will be. */
  isUnsent(instance: string, fence: number): boolean;
  /** The instance was removed. */
  forget(instance: string): void;
};

/** More starts than this do not greet at the same time. */
const maxChallenges = 8;
const challengeBytes = 16;

export function createExecutorSessions(random: Random): ExecutorSessions {
  const sessions = new Map<string, Session>();

  function find(instance: string): Session {
    const session = sessions.get(instance) ?? {
      ...{ challenges: new Map(), accepted: undefined },
      ...{ epoch: 0, lastCall: 0, journalSeq: 0, unsentFence: undefined },
    };
    sessions.set(instance, session);
    return session;
  }

  return {
    challenge(instance, startId) {
      const { challenges } = find(instance);
      challenges.delete(startId);
      for (const oldest of challenges.keys()) {
        if (challenges.size < maxChallenges) break;
        challenges.delete(oldest);
      }
      const challenge = random.token(challengeBytes);
      challenges.set(startId, challenge);
      return challenge;
    },
    acceptHello(instance, { id, challenge }, begin) {
      const session = find(instance);
      if (session.accepted?.challenge === challenge) return session.accepted.response;
      if (session.challenges.get(id) !== challenge) throw vpError('EXECUTOR_CHALLENGE_EXPIRED', { instance });
      session.challenges.clear();
      const response = begin();
      session.accepted = { challenge, response };
      return response;
    },
    noteStart(instance, epoch, journal) {
      Object.assign(find(instance), { epoch, lastCall: 0, journalSeq: journal?.seq ?? 0 });
    },
    beginCall(instance, epoch, call) {
      if (call === undefined) return true;
      const session = find(instance);
      if (epoch === session.epoch && call <= session.lastCall) return false;
      // A call of an earlier start is refused where its epoch is compared with the store.
      if (epoch >= session.epoch) Object.assign(session, { epoch, lastCall: call });
      return true;
    },
    isNewestCall(instance, epoch, call) {
      const session = find(instance);
      return call === undefined || session.epoch !== epoch || session.lastCall === call;
    },
    recordJournal(instance, journal) {
      if (!journal) return;
      const session = find(instance);
      session.journalSeq = Math.max(session.journalSeq, journal.seq);
    },
    journalSeq: (instance) => find(instance).journalSeq,
    noteLease(instance, fence, isUnsent) {
      find(instance).unsentFence = isUnsent ? fence : undefined;
    },
    noteSend(instance, fence) {
      const session = find(instance);
      if (session.unsentFence === fence) session.unsentFence = undefined;
    },
    isUnsent: (instance, fence) => find(instance).unsentFence === fence,
    forget: (instance) => void sessions.delete(instance),
  };
}
