import t from 'tap';
import { findConcernedCall, findListeningCall, type InFlightCall } from '../../../src/hub/upstream/in-flight-call.ts';
import { createUnattendedCall } from '../../../src/hub/upstream/lists/upstream-lists.ts';

const ofHub: InFlightCall = { call: createUnattendedCall(undefined), openQuestions: 0 };

function createCall(sessionId: string): InFlightCall {
  return { call: { ...ofHub.call, personId: 'ann', sessionId, onLog: () => {} }, openQuestions: 0 };
}

t.test('a message of the log reaches the call beside which the hub reads a list', async (t) => {
  const call = createCall('s1');
  t.equal(findListeningCall(new Set([ofHub, call])), call);
  t.equal(findListeningCall(new Set([call, ofHub])), call);
  t.equal(findListeningCall(new Set([ofHub])), undefined);
});

t.test('it reaches none of two sessions', async (t) => {
  t.equal(findListeningCall(new Set([createCall('s1'), createCall('s2')])), undefined);
});

t.test('a question may be meant for what the hub reads itself', async (t) => {
  t.equal(findConcernedCall(new Set([ofHub, createCall('s1')])), undefined);
});
