import {
  Complete,
  DirectRun,
  GiveBack,
  Heartbeat,
  Hello,
  Offer,
  Poll,
  Pulse,
  Welcome,
} from '../contract/executor-api.ts';
import { route, type ServerRoute } from './route.ts';

/** A report with the bodies it shows. */
const reportLimitBytes = 12_582_912;
/** A full outbox: 100,000 run ids. */
const helloLimitBytes = 4_194_304;

/** What executors say; the instance is the key's. */
export const executorRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/executor/hello',
    operation: 'executorHello',
    summary: 'First call after a start: a new epoch begins',
    action: 'lease.hold',
    body: Hello,
    bodyLimitBytes: helloLimitBytes,
    answer: Welcome,
    handler: ({ services, caller, body }) => services.control.executorOf(caller.instance).hello(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/poll',
    operation: 'executorPoll',
    summary: 'Ask for a run, waiting for one up to wait_ms',
    action: 'lease.hold',
    body: Poll,
    answer: Offer,
    handler: ({ services, caller, body, waiting }) =>
      waiting((signal) => services.control.executorOf(caller.instance).poll(body, signal)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/heartbeat',
    operation: 'executorHeartbeat',
    summary: 'Keep a lease',
    action: 'lease.hold',
    body: Heartbeat,
    answer: Pulse,
    handler: ({ services, caller, body }) => services.control.executorOf(caller.instance).heartbeat(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/complete',
    operation: 'executorComplete',
    summary: 'Hand in the report of a run, and take the next run where `more` asks for it',
    action: 'lease.hold',
    body: Complete,
    bodyLimitBytes: reportLimitBytes,
    answer: Offer,
    handler: ({ services, caller, body }) => services.control.executorOf(caller.instance).complete(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/give-back',
    operation: 'executorGiveBack',
    summary: 'Give back a run that has not started',
    action: 'lease.hold',
    body: GiveBack,
    handler: ({ services, caller, body }) => services.control.executorOf(caller.instance).giveBack(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/executor/direct-run',
    operation: 'executorDirectRun',
    summary: 'Hand in a run that was started directly on the executor',
    action: 'lease.hold',
    body: DirectRun,
    bodyLimitBytes: reportLimitBytes,
    handler: ({ services, caller, body }) => services.control.executorOf(caller.instance).directRun(body),
  }),
];
