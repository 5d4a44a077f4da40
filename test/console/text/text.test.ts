import t from 'tap';
import { describeUserAgent } from '../../../src/console/settings/account/sessions.tsx';
import { describeError } from '../../../src/console/text/error-description.ts';
import { formatAgo, formatCoarseDuration, formatCount, formatTimeUntil } from '../../../src/console/text/format.ts';
import { getRunStatus } from '../../../src/console/text/run-status.ts';
import { vpError } from '../../../src/errors/vp-error.ts';

const nowMs = Date.parse('2026-11-20T14:30:12.345Z');
const formatAge = (ms: number) => formatAgo(new Date(nowMs - ms).toISOString(), nowMs);

t.test('ages are formatted in their largest unit, future times as now', async (t) => {
  t.same([0, 4_999, 5_000, 59_999, 60_000, 3_599_999, 7_200_000, 86_400_000, 172_800_000].map(formatAge), [
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
  t.equal(formatAge(-60_000), 'just now');
  t.equal(formatCoarseDuration(0), '0 s');
  t.equal(formatCoarseDuration(729 * 86_400_000), '729 days');
  t.equal(formatCoarseDuration(1100 * 86_400_000), '3 years');
});

t.test('the time until an end is rounded to days, and an end that has come is expired', async (t) => {
  t.equal(formatTimeUntil(new Date(nowMs + 3 * 86_400_000).toISOString(), nowMs), 'in 3 days');
  t.equal(formatTimeUntil(new Date(nowMs).toISOString(), nowMs), 'expired');
  const justCreated = new Date(nowMs + 90 * 86_400_000 - 2000).toISOString();
  t.equal(formatTimeUntil(justCreated, nowMs), 'in 90 days', 'a token of 90 days that was created two seconds ago');
});

t.test('counts have their noun', async (t) => {
  t.same([formatCount(1, 'check'), formatCount(10_000, 'run')], ['1 check', '10,000 runs']);
});

t.test('a failure without a response to judge has its own status', async (t) => {
  t.equal(getRunStatus({ state: 'failed', failure_kind: 'body_mismatch' }), 'failed');
  t.equal(getRunStatus({ state: 'failed', failure_kind: null }), 'failed');
  t.equal(getRunStatus({ state: 'failed', failure_kind: 'timeout' }), 'broken');
  t.equal(getRunStatus({ state: 'failed', failure_kind: 'executor_lost' }), 'broken');
  t.equal(getRunStatus({ state: 'in_progress', failure_kind: null }), 'running');
  t.equal(getRunStatus({ state: 'cancelled', failure_kind: null }), 'cancelled');
});

t.test('browsers have readable names', async (t) => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  t.equal(describeUserAgent(chrome), 'Chrome on Linux');
  t.equal(describeUserAgent(`${chrome} Edg/140.0.0.0`), 'Edge on Linux');
  t.equal(
    describeUserAgent('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/17.4 Safari/605'),
    'Safari on macOS',
  );
  t.equal(describeUserAgent('curl/8.5'), 'curl/8.5');
  t.equal(describeUserAgent(''), 'an unknown client');
});

t.test('only errors that may be temporary are retryable', async (t) => {
  t.equal(describeError(vpError('RUN_UNKNOWN', { run: 'x' })).isRetryable, false);
  t.equal(describeError(vpError('SHUTTING_DOWN', {})).isRetryable, true);
  t.equal(describeError(new Error('a fault of the page')).code, 'INTERNAL');
  t.notMatch(describeError(new Error('a fault of the page')).message, /fault of the page/);
});
