/** The calls of a channel in flight, and which of them a message without a reference concerns. */
import type { Deadline } from './deadline.ts';
import type { UpstreamCallOptions, UpstreamQuestion } from './upstream-call.ts';

export type InFlightCall = { readonly call: UpstreamCallOptions; openQuestions: number };

/**
 * The call that a message without a reference to one concerns: the only one in flight, or of several of one session the one that
 * waits for the fewest answers. Undefined if they are of several sessions: the message may be for another person.
 */
export function findConcernedCall(inFlight: Iterable<InFlightCall>): InFlightCall | undefined {
  let [quietest] = inFlight;
  for (const candidate of inFlight) {
    if (!quietest || !isSameSession(candidate.call, quietest.call)) return undefined;
    if (candidate.openQuestions < quietest.openQuestions) quietest = candidate;
  }
  return quietest;
}

/** The same for a message of the log. The hub's own requests, such as those for lists, hear none, and take none from a call. */
export function findListeningCall(inFlight: Iterable<InFlightCall>): InFlightCall | undefined {
  return findConcernedCall([...inFlight].filter(({ call }) => call.onLog));
}

/** Callers of the newest era have no sessions: theirs is the credential with the name of the client. */
function isSameSession(call: UpstreamCallOptions, other: UpstreamCallOptions): boolean {
  if (call === other) return true;
  if (call.personId !== other.personId || call.sessionId !== other.sessionId) return false;
  return call.sessionId !== undefined || JSON.stringify(call.principal) === JSON.stringify(other.principal);
}

/** The deadline of the server pauses while the caller answers a question. */
export function createInFlightCall(call: UpstreamCallOptions, deadline: Deadline): InFlightCall {
  const { askCaller } = call;
  if (!askCaller) return { call, openQuestions: 0 };
  const ask = async (question: UpstreamQuestion): Promise<Record<string, unknown>> => {
    inFlight.openQuestions += 1;
    try {
      return await deadline.pauseDuring(() => askCaller(question));
    } finally {
      inFlight.openQuestions -= 1;
    }
  };
  const inFlight: InFlightCall = { call: { ...call, askCaller: ask }, openQuestions: 0 };
  return inFlight;
}
