/** Sends one request of a run and reads its response, again and again where the scenario says so. */

import { cssKind } from '../../check/kinds/css.ts';
import { schemaKind } from '../../check/kinds/schema.ts';
import { toObservation } from '../../judge/to-observation.ts';
import type { WireRequest } from '../../outbound/wire.ts';
import type { HttpTarget } from '../../project/project-config.ts';
import type { Evidence } from '../../run/evidence.ts';
import type { BoundRequest } from '../../scenario/bind.ts';
import { type Capture, type CapturedValues, isCredential, readCaptures } from '../../scenario/capture.ts';
import { bindCheck } from '../../scenario/check-template.ts';
import { isReceiveCheck, type ReceiveCheck } from '../../scenario/receive.ts';
import type { Until } from '../../scenario/scenario.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import { pollUntil } from '../../timing/poll.ts';
import { readResponse } from '../response/read-response.ts';
import { toToolResponse } from '../response/tool-response.ts';
import type { JudgeContext } from '../streams/message-judge.ts';
import { type ReceivedMessages, receiveMessages, withEventAccept } from '../streams/receive-messages.ts';
import { sendRequest, type TriggerOptions } from '../trigger/send-request.ts';
import { buildHeaders, toSentRequest, toWireRequest } from '../trigger/wire-request.ts';
import { holdsSafely } from './judge-safely.ts';
import type { ActiveRun } from './run-context.ts';

export type ExchangeOptions = {
  readonly captures: readonly Capture[];
  readonly until: Until | undefined;
  /** Where the response is a stream; bound. */
  readonly receive?: ReceiveCheck | undefined;
  /** When the executor started to process the request, by the monotonic clock. */
  readonly startMonotonicMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly beforeSend?: (() => Evidence['failure']) | undefined;
};

/** `captured` has the values of this response. */
export type Exchange = { readonly evidence: Evidence; readonly captured: CapturedValues };

/** Throws what binding the check of `until` throws. Never rejects because of the target. */
export async function exchange(session: ActiveRun, request: BoundRequest, options: ExchangeOptions): Promise<Exchange> {
  const { until } = options;
  if (!until) return exchangeOnce(session, request, options);
  const { clock } = session.context;
  const entry = bindCheck(until.check, session.captures);
  let attempts = 0;
  const exchangeAgain = async (): Promise<Exchange> => {
    const startMonotonicMs = attempts === 0 ? options.startMonotonicMs : clock.monotonicMs();
    attempts += 1;
    const result = await exchangeOnce(session, request, { ...options, startMonotonicMs });
    return { ...result, evidence: { ...result.evidence, attempts } };
  };
  // A run that is cancelled in a pause sends once more, which says that it was cancelled.
  const quietClock = {
    monotonicMs: () => clock.monotonicMs(),
    sleep: (delayMs: number) => pauseUntilAborted(clock, delayMs, options.signal),
  };
  return pollUntil(
    { clock: quietClock, pauseMs: until.everyMs, timeoutMs: until.withinMs },
    exchangeAgain,
    ({ evidence }) => {
      const observation = toObservation(evidence);
      const holds =
        observation !== undefined && holdsSafely(() => entry.definition.judge(entry.check, observation).passed);
      return evidence.failure !== undefined || holds || options.signal?.aborted === true;
    },
  );
}

/** Where a request is sent: methods of gRPC may have an address of their own. */
export function findTarget({ project: { targets } }: ActiveRun['context'], { grpc }: BoundRequest): HttpTarget {
  return grpc && targets.grpc ? targets.grpc : targets.http;
}

async function exchangeOnce(
  session: ActiveRun,
  request: BoundRequest,
  { captures, receive, startMonotonicMs: firstMs, signal, beforeSend }: ExchangeOptions,
): Promise<Exchange> {
  const { context, request: run, scenario, start, conceal, redaction, withheld } = session;
  const { correlationId } = run;
  const { clock, dispatcher, bearerToken, version } = context;
  const { baseUrl: origin, baseUrlSource } = findTarget(context, request);
  const validateSchema = hasChecks(scenario, schemaKind.kind) ? await context.loadSchemaValidator() : undefined;
  const selectElements = hasChecks(scenario, cssKind.kind) ? await context.loadElementSelector() : undefined;
  const ownHeaders = buildHeaders(request, { correlationId, bearerToken, userAgent: `vp/${version}` });
  const headers = receive?.receive.stream === 'events' ? withEventAccept(ownHeaders) : ownHeaders;
  const wire = toWireRequest(request, origin, headers);
  const timing = { clock, startMonotonicMs: firstMs, timeoutMs: scenario.timeoutMs };
  const sendOptions = { dispatcher, ...timing, baseUrlSource, signal, beforeSend };
  const {
    result: received,
    stream,
    startMonotonicMs = firstMs,
  } = await send(session, request, wire, sendOptions, receive, { conceal, validateSchema });
  const result = request.tool === undefined ? received : toToolResponse(received, origin);
  let { response, failure } = await readResponse(result, origin, redaction.redactor);
  let captured: CapturedValues = new Map();
  if (response && result.head && !failure) {
    captured = readCaptures(captures, result.head, { body: response.body, conceal });
    const hidden = captures.filter((capture) => captured.has(capture.name) && isWithheld(capture, context.project));
    for (const { name } of hidden) withheld.add(name);
    const isNew = redaction.add(hidden.map(({ name }) => captured.get(name)?.text ?? ''));
    if (isNew) ({ response, failure } = await readResponse(result, origin, redaction.redactor));
  }
  const wasSent = result.timings.connectMs !== undefined;
  const sent = wasSent ? toSentRequest(wire, headers, request.body, redaction.redactor) : undefined;
  const displayed = new Map([...captured].map(([name, { text }]) => [name, withheld.has(name) ? '[redacted]' : text]));
  const { startedAtMs } = start;
  const { timings } = result;
  const beforeMs = startMonotonicMs === start.startMonotonicMs ? undefined : startMonotonicMs - start.startMonotonicMs;
  const evidence = {
    startedAtMs,
    request: sent,
    response,
    failure,
    timings,
    beforeMs,
    conceal,
    captured: displayed,
    validateSchema,
    selectElements,
    stream,
    ...(result.surplusBytes > 0 ? { surplusBytes: result.surplusBytes } : {}),
  };
  return { evidence, captured };
}

/** `startMonotonicMs`: where the request itself began later. */
type SentRequestResult = ReceivedMessages & { readonly startMonotonicMs?: number };

async function send(
  { grpcSchemas: schemas }: ActiveRun,
  { grpc: method, messages = [] }: BoundRequest,
  wire: WireRequest,
  options: TriggerOptions,
  receive: ReceiveCheck | undefined,
  context: JudgeContext,
): Promise<SentRequestResult> {
  if (method) {
    const { callMethod } = await import('../grpc/call-method.ts');
    return callMethod(wire, options, { method, messages, receive, context, schemas });
  }
  if (receive) return receiveMessages(wire, options, receive, context, messages);
  return { result: await sendRequest(wire, options), stream: undefined };
}

function hasChecks({ checks, steps, cleanupSteps }: ActiveRun['scenario'], kind: string): boolean {
  const isOfKind = ({ check }: (typeof checks)[number]): boolean =>
    check.kind === kind || (isReceiveCheck(check) && check.inner?.check.kind === kind);
  const hasCheck = (step: Pick<ActiveRun['scenario'], 'checks'>): boolean => step.checks.some(isOfKind);
  return hasCheck({ checks }) || steps.some(hasCheck) || cleanupSteps.some(hasCheck);
}

function isWithheld(capture: Capture, { redactedCaptures }: ActiveRun['context']['project']): boolean {
  return isCredential(capture) || redactedCaptures.has(capture.name);
}
