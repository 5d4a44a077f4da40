/** Calls a method of gRPC, and makes what comes back a response that checks look at. Loaded where a scenario calls one. */
import type { WireRequest } from '../../outbound/wire.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import type { ReceiveCheck } from '../../scenario/receive.ts';
import type { GrpcMethod } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';
import type { MessageCollector } from '../streams/message-collector.ts';
import type { JudgeContext } from '../streams/message-judge.ts';
import { createCollector, type ReceivedMessages } from '../streams/receive-messages.ts';
import { parseRawHeaders, type TriggerOptions, type TriggerResult } from '../trigger/send-request.ts';
import { DecodingBudget } from './decoding-budget.ts';
import { createBrokenFailure, exchangeFrames } from './frame-exchange.ts';
import { toGrpcResponse } from './grpc-response.ts';
import { type GrpcSchemas, type ResolvedMethod, resolveMethod } from './load-schema.ts';
import { encodeFrame } from './message-frames.ts';
import { decodeMessage, encodeMessage } from './message-json.ts';

/** The deadline sent is later than our own timeout: a target that keeps it would answer first, with a status that is not the method's. */
const deadlineMarginMs = 1000;
const maxReasonLength = 300;

export type GrpcCall = {
  readonly method: GrpcMethod;
  /** The JSON of each. */
  readonly messages: readonly string[];
  readonly receive: ReceiveCheck | undefined;
  readonly context: JudgeContext;
  readonly schemas: GrpcSchemas;
};

/** `startMonotonicMs`: when the call itself began, after the target was asked for its schema. */
export type GrpcResult = ReceivedMessages & { readonly startMonotonicMs: number };

/** Never rejects. The schema is there, and the messages fit it, before the call is announced. */
export async function callMethod(wire: WireRequest, options: TriggerOptions, call: GrpcCall): Promise<GrpcResult> {
  const { clock } = options;
  const resolved = await resolveMethod(call.method, toQuestionWire(wire), options, call.schemas);
  const startMonotonicMs = call.method.proto ? options.startMonotonicMs : clock.monotonicMs();
  const prepared = 'kind' in resolved ? resolved : encodeMessages(resolved, call);
  if ('kind' in resolved || 'kind' in prepared) {
    const failure = 'kind' in prepared ? prepared : undefined;
    const totalMs = clock.monotonicMs() - options.startMonotonicMs;
    return { result: createUnsent(failure, totalMs), stream: undefined, startMonotonicMs: options.startMonotonicMs };
  }
  const collector = call.receive && createCollector(call.receive, options, call.context);
  const callOptions = { ...options, startMonotonicMs };
  const result = await sendMessages(wire, callOptions, call.method, resolved, prepared.frames, collector);
  const stream = result.failure ? undefined : collector?.toObservedStream();
  return { result, stream, startMonotonicMs };
}

/** The target is asked for its schema with the same credentials. */
function toQuestionWire({ headers, ...wire }: WireRequest): WireRequest {
  const own = parseRawHeaders(headers).filter(([name]) =>
    /^(?:authorization|user-agent|content-type|te|grpc-accept-encoding)$/i.test(name),
  );
  return { ...wire, headers: own.flat() };
}

function createUnsent(failure: ExecutionFailure | undefined, totalMs: number): TriggerResult {
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  return { head: undefined, bytes: Buffer.alloc(0), failure, surplusBytes: 0, timings };
}

type Frames = { readonly frames: readonly Buffer[] };

function encodeMessages(
  method: ResolvedMethod,
  { method: names, messages, receive }: GrpcCall,
): Frames | ExecutionFailure {
  const { requestType, sendsStream, answersStream } = method;
  if (receive && !answersStream)
    return createStreamFailure(
      names,
      'answers with one message',
      'remove the bullet `receive`, and check the message itself',
    );
  if (!sendsStream && messages.length !== 1)
    return createStreamFailure(names, 'takes one message', 'write it in a fence `json`');
  const frames: Buffer[] = [];
  for (const message of messages) {
    try {
      frames.push(encodeFrame(encodeMessage(requestType, message)));
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReasonLength);
      return createFailure('EXECUTOR_GRPC_MESSAGE_INVALID', { type: requestType.fullName.slice(1), reason });
    }
  }
  return { frames };
}

function createStreamFailure({ service, rpc }: GrpcMethod, problem: string, hint: string): ExecutionFailure {
  return createFailure('EXECUTOR_GRPC_STREAM', { method: `${service}/${rpc}`, problem, hint });
}

function createUnreceivedFailure(names: GrpcMethod): ExecutionFailure {
  const hint = 'write `receive messages …` below `### Runnable`; a step cannot receive them';
  return createStreamFailure(names, 'answers with a stream of messages', hint);
}

async function sendMessages(
  wire: WireRequest,
  options: TriggerOptions,
  names: GrpcMethod,
  method: ResolvedMethod,
  frames: readonly Buffer[],
  collector: MessageCollector | undefined,
): Promise<TriggerResult> {
  const texts: string[] = [];
  const budget = new DecodingBudget();
  const limitMs = collector && collector.receive.stop !== 'end' ? collector.receive.limitMs : undefined;
  const unreceived = method.answersStream && !collector ? createUnreceivedFailure(names) : undefined;
  const exchange = await exchangeFrames(withDeadline(wire, limitMs ?? options.timeoutMs), {
    ...options,
    frames,
    limitMs,
    staysOpen: method.sendsStream && collector?.receive.stop === 'time',
    onMessage: (bytes) => {
      if (unreceived) return unreceived;
      if (texts.length > 0)
        return createBrokenFailure(wire, 'it has a second message, and the method answers with one');
      const text = decodeMessage(method.responseType, bytes, budget);
      if (!collector) texts.push(text);
      else collector.add({ text });
      return collector?.isDone ? 'done' : 'more';
    },
  });
  return toGrpcResponse(exchange, { wire, root: method.root, texts, collector, unreceived });
}

/** The scenario's own deadline stays. */
function withDeadline(wire: WireRequest, limitMs: number): WireRequest {
  const hasOwn = parseRawHeaders(wire.headers).some(([name]) => name.toLowerCase() === 'grpc-timeout');
  if (hasOwn) return wire;
  return { ...wire, headers: [...wire.headers, 'grpc-timeout', `${Math.ceil(limitMs) + deadlineMarginMs}m`] };
}
