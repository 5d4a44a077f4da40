import {
  ChallengeRequest,
  ChallengeResponse,
  CompleteRequest,
  type ControlPort,
  DirectRunRequest,
  GiveBackRequest,
  HeartbeatRequest,
  HeartbeatResponse,
  HelloRequest,
  HelloResponse,
  LeaseOffer,
  PollRequest,
} from '../../contract/executor-api.ts';
import type { ExecutorCaller } from '../../identity/caller.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

/** A report with the bodies that it contains. */
const reportLimitBytes = 12_582_912;
/** A full outbox: 100,000 run ids. */
const helloLimitBytes = 4_194_304;

/** With the key, which may be replaced before the call is over. */
function openPort({ control }: ServerServices, { instance, keyHash }: ExecutorCaller): ControlPort {
  return control.executorPort(instance, keyHash);
}

/** The API of executors; the key determines the instance. */
export const executorRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/executor/challenge',
    operation: 'executorChallenge',
    summary:
      'Before the first call of a start: a challenge that the hello repeats, so that a late hello is not taken for a start',
    action: 'lease.hold',
    body: ChallengeRequest,
    response: ChallengeResponse,
    handler: ({ services, caller, body }) => openPort(services, caller).challenge(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/hello',
    operation: 'executorHello',
    summary: 'First call after a start: starts a new epoch',
    action: 'lease.hold',
    body: HelloRequest,
    bodyLimitBytes: helloLimitBytes,
    response: HelloResponse,
    handler: ({ services, caller, body }) => openPort(services, caller).hello(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/poll',
    operation: 'executorPoll',
    summary: 'Request a run, waiting for one up to wait_ms',
    action: 'lease.hold',
    body: PollRequest,
    response: LeaseOffer,
    handler: ({ services, caller, body, whileConnected }) =>
      whileConnected((signal) => openPort(services, caller).poll(body, signal)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/heartbeat',
    operation: 'executorHeartbeat',
    summary: 'Renew a lease',
    action: 'lease.hold',
    body: HeartbeatRequest,
    response: HeartbeatResponse,
    handler: ({ services, caller, body }) => openPort(services, caller).heartbeat(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/complete',
    operation: 'executorComplete',
    summary: 'Submit the report of a run, and lease the next run if `more` is true',
    action: 'lease.hold',
    body: CompleteRequest,
    bodyLimitBytes: reportLimitBytes,
    response: LeaseOffer,
    handler: ({ services, caller, body }) => openPort(services, caller).complete(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/give-back',
    operation: 'executorGiveBack',
    summary: 'Give back a run that has not started',
    action: 'lease.hold',
    body: GiveBackRequest,
    handler: ({ services, caller, body }) => openPort(services, caller).giveBack(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/direct-run',
    operation: 'executorDirectRun',
    summary: 'Submit a run that was started directly on the executor',
    action: 'lease.hold',
    body: DirectRunRequest,
    bodyLimitBytes: reportLimitBytes,
    handler: ({ services, caller, body }) => openPort(services, caller).directRun(body),
  }),
];
