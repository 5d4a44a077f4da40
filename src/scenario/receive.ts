/**
 * `receive events …` and `receive messages …` under Runnable: the response to TRIGGER is a stream of server-sent events, or its
 * request opens a WebSocket. What came, up to the moment that the bullet names, is the body that all checks look at: a list.
 */
import type { Check, CheckKind, CheckOutcome, ReportProblem } from '../check/check-kind.ts';
import type { Observation } from '../check/observation.ts';
import type { LinePiece } from './blocks.ts';
import type { Receive, ScenarioCheck, Trigger } from './scenario.ts';

export const receiveLimits = { maxMessages: 1000, maxMs: 600_000 } as const;

const time = String.raw`(\d{1,6})(m?s)`;
const stream = '(events|messages)';
const untilForm = new RegExp(String.raw`^receive\s+${stream}\s+until\s+(.+)\s+within\s+${time}$`);
const countForm = new RegExp(String.raw`^receive\s+(\d{1,4})\s+${stream}\s+within\s+${time}$`);
const timeForm = new RegExp(String.raw`^receive\s+${stream}\s+for\s+${time}$`);
const endForm = new RegExp(String.raw`^receive\s+${stream}$`);

/** For the guide and the completion of the editor. */
export const receiveForms = [
  {
    form: 'receive events until <check> within <time>',
    meaning: 'receives server-sent events until the check holds for the list of them',
    example: 'receive events until body some data.state equals paid within 20s',
  },
  {
    form: 'receive <n> events within <time>',
    meaning: 'receives so many events',
    example: 'receive 3 events within 10s',
  },
  {
    form: 'receive events for <time>',
    meaning: 'receives what comes in this time; a stream that ends earlier fails',
    example: 'receive events for 5s',
  },
  {
    form: 'receive events',
    meaning: 'receives all events up to the end of the stream, within the time of TIMEOUT',
    example: 'receive events',
  },
] as const;

/** The parts of a bullet that begins with `receive`; `check` is the text of the check after `until`. */
export type ReceiveText = { readonly receive: Receive; readonly check: LinePiece | undefined };

export function startsWithReceive(text: string): boolean {
  return /^receive(?:\s|$)/.test(text);
}

function toMs(amount: string, unit: string): number {
  return unit === 'ms' ? Number(amount) : Number(amount) * 1000;
}

function parseText(text: string): { readonly receive: Receive; readonly check: string | undefined } | undefined {
  const [, untilWord, check, untilAmount = '', untilUnit = ''] = untilForm.exec(text) ?? [];
  if (isStreamWord(untilWord))
    return { receive: { stream: untilWord, stop: 'check', limitMs: toMs(untilAmount, untilUnit) }, check };
  const [, count = '', countWord, countAmount = '', countUnit = ''] = countForm.exec(text) ?? [];
  if (isStreamWord(countWord)) {
    const limitMs = toMs(countAmount, countUnit);
    return { receive: { stream: countWord, stop: 'count', count: Number(count), limitMs }, check: undefined };
  }
  const [, timeWord, timeAmount = '', timeUnit = ''] = timeForm.exec(text) ?? [];
  if (isStreamWord(timeWord))
    return { receive: { stream: timeWord, stop: 'time', limitMs: toMs(timeAmount, timeUnit) }, check: undefined };
  const endWord = endForm.exec(text)?.[1];
  return isStreamWord(endWord) ? { receive: { stream: endWord, stop: 'end' }, check: undefined } : undefined;
}

function isStreamWord(word: string | undefined): word is Receive['stream'] {
  return word === 'events' || word === 'messages';
}

/** Undefined after a report. */
export function readReceive({ text, start }: LinePiece, report: ReportProblem): ReceiveText | undefined {
  const parsed = parseText(text);
  const { limitMs, count } = { limitMs: undefined, count: undefined, ...parsed?.receive };
  const isTimeAllowed = limitMs === undefined || (limitMs > 0 && limitMs <= receiveLimits.maxMs);
  const isCountAllowed = count === undefined || (count > 0 && count <= receiveLimits.maxMessages);
  if (!parsed || !isTimeAllowed || !isCountAllowed) {
    report('SCENARIO_RECEIVE_INVALID', start, start + text.length, {});
    return undefined;
  }
  const { receive, check } = parsed;
  const checkStart = check === undefined ? 0 : start + text.indexOf(check, text.indexOf('until') + 'until'.length);
  return { receive, check: check === undefined ? undefined : { text: check, start: checkStart } };
}

/** A WebSocket is opened by GET, and what is sent through it is in a fence `messages`. A method of gRPC answers with messages too. */
export function checkMessages(trigger: Trigger, receive: Receive | undefined, report: ReportProblem): void {
  if (trigger.grpc) {
    checkGrpcMessages(trigger, receive, report);
    return;
  }
  const isSocket = receive?.stream === 'messages';
  const hasMessages = trigger.encoding?.kind === 'messages';
  const { start, end } = trigger.body?.range ?? trigger.range;
  if (isSocket && trigger.method !== 'GET')
    report('SCENARIO_RECEIVE_METHOD', trigger.range.start.offset, trigger.range.end.offset, { method: trigger.method });
  const isOtherBody = isSocket && trigger.body !== undefined && !hasMessages;
  if (isOtherBody || (hasMessages && !isSocket)) report('SCENARIO_RECEIVE_BODY', start.offset, end.offset, {});
}

function checkGrpcMessages({ range }: Trigger, receive: Receive | undefined, report: ReportProblem): void {
  if (receive?.stream === 'events') report('SCENARIO_RECEIVE_GRPC', range.start.offset, range.end.offset, {});
}

/** `inner` is the check of `until`. */
export type ReceiveCheck = Check & {
  readonly kind: 'receive';
  readonly receive: Receive;
  readonly inner: ScenarioCheck | undefined;
  readonly expected: string;
};

export function createReceiveCheck(receive: Receive, inner: ScenarioCheck | undefined): ReceiveCheck {
  return { kind: 'receive', receive, inner, expected: describeStop(receive) };
}

export function isReceiveCheck(check: Check): check is ReceiveCheck {
  return check.kind === 'receive' && 'receive' in check;
}

function describeStop(receive: Receive): string {
  const { stream } = receive;
  if (receive.stop === 'end') return `${stream} up to the end of the stream`;
  const seconds = `${receive.limitMs / 1000} s`;
  if (receive.stop === 'time') return `${stream} for ${seconds}`;
  return receive.stop === 'count' ? `${receive.count} ${stream} within ${seconds}` : `the check within ${seconds}`;
}

/**
 * Holds only where the stream came and went on until the moment that the bullet names: what came before that alone says nothing
 * about what would have come.
 */
export const receiveKind: CheckKind<ReceiveCheck> = {
  kind: 'receive',
  form: receiveForms[0].form,
  meaning: receiveForms[0].meaning,
  example: receiveForms[0].example,
  looksAt: 'response',
  counted: true,
  parse: () => undefined,
  judge({ inner, expected }, observation) {
    const { stream } = observation;
    const outcome = inner?.definition.judge(inner.check, observation);
    if (!stream) return { passed: false, expected, actual: describeOtherResponse(observation) };
    if (!stream.isMet)
      return { passed: false, expected: outcome?.expected ?? expected, actual: explain(stream.ending, outcome) };
    return outcome ?? { passed: true, expected, actual: stream.ending };
  },
  findComparison: ({ inner }) => inner?.definition.findComparison?.(inner.check),
  getSubject: ({ inner }, observation, outcome) => inner?.definition.getSubject?.(inner.check, observation, outcome),
  explainUnprovable: () => 'a proof changes what came, not whether it came in time',
};

function describeOtherResponse({ status, headers }: Observation): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1].slice(0, 100) ?? 'no Content-Type';
  return `no stream: status ${status}, ${type}`;
}

function explain(ending: string, outcome: CheckOutcome | undefined): string {
  return outcome === undefined || outcome.passed ? ending : `${outcome.actual}; ${ending}`;
}
