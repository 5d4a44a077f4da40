/** Targets whose stream of server-sent events has no end, no line, no event, or is none. */
import { closes, drips, type HostileTarget, ok, repeats, resets, stalls } from './behaviour.ts';
import { compressZeros } from './compressed-zeros.ts';
import { streamOutcomes, withTimes } from './stream-outcomes.ts';

const { headersTimeout, closed, brokenOff, notHttp, tooLarge } = streamOutcomes;
const { inTime, ended, tooMany, cut, unreadable, limit, noStream } = streamOutcomes;

const type = 'Content-Type: text/event-stream\r\n';
const stream = `${ok}${type}\r\n`;
const chunkedStream = `${ok}${type}Transfer-Encoding: chunked\r\n\r\n`;
const event = 'data: {"state":"open"}\n\n';
const paid = 'data: {"state":"paid"}\n\n';
const block = Buffer.alloc(65_536, 'x');
const largeText = 'x'.repeat(10_000);

const silent: readonly HostileTarget[] = [
  stalls('nothing', '', headersTimeout),
  stalls('the head of a stream', stream, inTime),
  stalls('half a line', `${stream}data: {"st`, inTime),
  stalls('a line without the empty line after it', `${stream}${paid.slice(0, -1)}`, inTime),
  stalls('an event', `${stream}${event}`, inTime),
  stalls('half a chunk of a stream', `${chunkedStream}ff\r\ndata: {`, inTime),
  drips('events', `${stream}${event.repeat(20)}`, inTime),
  drips('comments', `${stream}${': wait\n\n'.repeat(20)}`, inTime),
];

const endless: readonly HostileTarget[] = [
  repeats('a line without end', { start: `${stream}data: `, piece: block }, tooLarge),
  repeats(
    'a line without end, in chunks of one byte',
    { start: `${chunkedStream}6\r\ndata: \r\n`, piece: '1\r\na\r\n'.repeat(20_000) },
    tooLarge,
  ),
  repeats('an event of lines without end', { start: stream, piece: 'data: 1\n'.repeat(1000) }, unreadable),
  repeats('an event of long lines without end', { start: stream, piece: `data: ${largeText}\n` }, tooLarge),
  repeats('comments without end', { start: stream, piece: ':\n'.repeat(10_000) }, tooLarge),
  repeats('line feeds without end', { start: stream, piece: '\n'.repeat(65_536) }, tooLarge),
  repeats('carriage returns without end', { start: stream, piece: '\r'.repeat(65_536) }, tooLarge),
  repeats('zeros without end', { start: stream, piece: Buffer.alloc(65_536) }, tooLarge),
  repeats('names of events without end', { start: stream, piece: 'event: a\n'.repeat(1000) }, tooLarge),
  repeats('ids without end', { start: stream, piece: `id: ${largeText}\n` }, tooLarge),
  repeats('times to wait without end', { start: stream, piece: 'retry: 1\n'.repeat(1000) }, tooLarge),
  repeats('unknown fields without end', { start: stream, piece: 'field: 1\n'.repeat(100) }, unreadable),
  repeats('events without end', { start: stream, piece: event }, limit),
  repeats('thousands of tiny events at once', { start: stream, piece: 'data:\n\n'.repeat(20_000) }, limit),
  repeats('large events without end', { start: stream, piece: `data: "${largeText}"\n\n` }, limit),
  repeats('events of 1 MB without end', { start: stream, piece: `data: "${'x'.repeat(1_000_000)}"\n\n` }, tooLarge),
];

const contents: readonly HostileTarget[] = [
  closes(
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`${stream}data: {"state":"pa`), Buffer.from([0xff, 0xfe]), Buffer.from('id"}\n\n')]),
    ended,
  ),
  closes('JSON 200,000 levels deep', `${stream}data: ${'['.repeat(200_000)}\n\n`, ended),
  closes('JSON of 3 million objects', `${stream}data: [${'{},'.repeat(3_000_000)}{}]\n\n`, tooMany),
  closes('JSON of 190,000 objects', `${stream}data: [${'{},'.repeat(190_000)}{}]\n\n`, ended),
  closes('190,000 objects with the field', `${stream}data: [${'{"state":0},'.repeat(190_000)}{}]\n\n`, ended),
  closes('JSON of 1.5 million numbers', `${stream}data: [${'0,'.repeat(1_500_000)}0]\n\n`, ended),
  closes('a list that is not closed', `${stream}data: [${'0,'.repeat(1_500_000)}\n\n`, ended),
  closes('a name twice', `${stream}data: {"state":"open","state":"paid"}\n\n`, ended),
  closes('an event without its empty line', `${stream}${paid.slice(0, -1)}`, cut),
  closes('half a chunk of a stream', `${chunkedStream}ff\r\n${event}`, brokenOff),
  closes('a chunk size in letters', `${chunkedStream}zz\r\n${paid}`, notHttp),
  closes('a body shorter than its length', `${ok}${type}Content-Length: 500\r\n\r\n${event}`, brokenOff),
  resets('the head of a stream', stream, brokenOff),
  resets('an event', `${stream}${event}`, brokenOff),
  resets('the request', '', closed),
];

/** Heads that promise none, or are none. */
const others: readonly HostileTarget[] = [
  closes('events with 404', `HTTP/1.1 404 Not Found\r\n${type}\r\n${paid}`, noStream),
  closes('events as text', `${ok}Content-Type: text/plain\r\n\r\n${paid}`, noStream),
  closes('no content', 'HTTP/1.1 204 No Content\r\n\r\n', noStream),
  closes('a redirect', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', noStream),
  closes(
    '100 MB of zeros as gzip',
    () => Buffer.concat([Buffer.from(`${ok}${type}Content-Encoding: gzip\r\n\r\n`), compressZeros()]),
    tooLarge,
  ),
  closes('interim responses only', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500), notHttp),
  repeats(
    'a compressed stream without end',
    { start: `${ok}${type}Content-Encoding: gzip\r\n\r\n`, piece: block },
    tooLarge,
  ),
];

export const hostileEvents: readonly HostileTarget[] = withTimes([...silent, ...endless, ...contents, ...others]);
