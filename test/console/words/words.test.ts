import t from 'tap';
import { clientName } from '../../../src/console/words/client-name.ts';
import { lookOf } from '../../../src/console/words/look.ts';
import { agoText, countText, durationText, sizeText, spanText, untilText } from '../../../src/console/words/moments.ts';
import { toldOf } from '../../../src/console/words/problem.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const ago = (ms: number) => agoText(new Date(nowMs - ms).toISOString(), nowMs);

t.test('ages are told in their largest unit; a clock that is behind counts as now', async (t) => {
  t.same([0, 4_999, 5_000, 59_999, 60_000, 3_599_999, 7_200_000, 86_400_000, 172_800_000].map(ago), [
    'just now',
    'just now',
    '5 s ago',
    '59 s ago',
    '1 min ago',
    '59 min ago',
    '2 h ago',
    '24 h ago',
    '2 days ago',
  ]);
  t.equal(ago(-60_000), 'just now');
  t.equal(spanText(0), '0 s');
});

t.test('what is to come is told too', async (t) => {
  t.equal(untilText(new Date(nowMs + 3 * 86_400_000).toISOString(), nowMs), 'in 3 days');
  t.equal(untilText(new Date(nowMs).toISOString(), nowMs), 'expired');
});

t.test('durations and sizes have units', async (t) => {
  t.same([0, 0.44, 9.96, 38.4, 1234, 125_000].map(durationText), [
    '0 ms',
    '0.4 ms',
    '10 ms',
    '38 ms',
    '1.2 s',
    '2 min 5 s',
  ]);
  t.same([0, 999, 3100, 2_000_000].map(sizeText), ['0 B', '999 B', '3.1 KB', '2.0 MB']);
  t.same([countText(1, 'check'), countText(10_000, 'run')], ['1 check', '10,000 runs']);
});

t.test('a failure without an answer to judge looks like none of the target’s', async (t) => {
  t.equal(lookOf({ state: 'failed', failure_kind: 'body_mismatch' }), 'failed');
  t.equal(lookOf({ state: 'failed', failure_kind: null }), 'failed');
  t.equal(lookOf({ state: 'failed', failure_kind: 'timeout' }), 'broken');
  t.equal(lookOf({ state: 'failed', failure_kind: 'executor_lost' }), 'broken');
  t.equal(lookOf({ state: 'in_progress', failure_kind: null }), 'running');
  t.equal(lookOf({ state: 'cancelled', failure_kind: null }), 'cancelled');
});

t.test('browsers are named as people name them', async (t) => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  t.equal(clientName(chrome), 'Chrome on Linux');
  t.equal(clientName(`${chrome} Edg/140.0.0.0`), 'Edge on Linux');
  t.equal(
    clientName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/17.4 Safari/605'),
    'Safari on macOS',
  );
  t.equal(clientName('curl/8.5'), 'curl/8.5');
  t.equal(clientName(''), 'an unknown client');
});

t.test('only what may mend is offered again', async (t) => {
  t.equal(toldOf(vpError('RUN_UNKNOWN', { run: 'x' })).mayMend, false);
  t.equal(toldOf(vpError('SHUTTING_DOWN', {})).mayMend, true);
  t.equal(toldOf(new Error('a fault of the page')).code, 'INTERNAL');
  t.notMatch(toldOf(new Error('a fault of the page')).message, /fault of the page/);
});
