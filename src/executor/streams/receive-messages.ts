/** Sends the request of a scenario that receives a stream, and makes the messages the body of its response. */
import type { ObservedStream } from '../../check/observation.ts';
import type { WireRequest } from '../../outbound/wire.ts';
import type { HeaderList } from '../../run/evidence.ts';
import type { ReceiveCheck } from '../../scenario/receive.ts';
import { sendRequest, type TriggerOptions, type TriggerResult } from '../trigger/send-request.ts';
import { EventStreamReader } from './event-stream-reader.ts';
import { MessageCollector } from './message-collector.ts';
import { type JudgeContext, MessageJudge } from './message-judge.ts';

export type ReceivedMessages = {
  readonly result: TriggerResult;
  /** Undefined where no stream came, or it was broken off. */
  readonly stream: ObservedStream | undefined;
};

/** The headers with `Accept`, unless the scenario has its own. */
export function withEventAccept(headers: HeaderList): HeaderList {
  return headers.some(([name]) => name.toLowerCase() === 'accept')
    ? headers
    : [...headers, ['Accept', 'text/event-stream']];
}

export function createCollector(
  { receive, inner }: ReceiveCheck,
  { clock }: TriggerOptions,
  context: JudgeContext,
): MessageCollector {
  return new MessageCollector(receive, new MessageJudge(inner, context, () => clock.nowMs()));
}

/** Never rejects because of the target. */
export async function receiveMessages(
  wire: WireRequest,
  options: TriggerOptions,
  receive: ReceiveCheck,
  context: JudgeContext,
  messages: readonly string[] = [],
): Promise<ReceivedMessages> {
  const collector = createCollector(receive, options, context);
  if (receive.receive.stream === 'messages') {
    const { exchangeMessages } = await import('./message-socket.ts');
    const result = await exchangeMessages(wire, messages, options, collector);
    return result.head?.status === 101 ? toReceived(result, collector) : { result, stream: undefined };
  }
  const reader = new EventStreamReader(collector);
  const result = await sendRequest(wire, { ...options, stream: reader });
  return reader.isStream ? toReceived(result, collector) : { result, stream: undefined };
}

function toReceived(result: TriggerResult, collector: MessageCollector): ReceivedMessages {
  const stream = result.failure ? undefined : collector.toObservedStream();
  return { result: { ...result, ...toBody(collector) }, stream };
}

/** The messages in place of what was read. */
export function toBody({ messages }: MessageCollector): Pick<TriggerResult, 'bytes' | 'messages'> {
  return { bytes: messages.beginning, messages };
}
