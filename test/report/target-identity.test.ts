import t from 'tap';
import { findTargetIdentity, parseTargetProcess } from '../../src/report/target-identity.ts';
import { passed } from './report-fixtures.ts';

const identify = (lines: readonly string[], headers: [string, string][] = [], startedAt?: string) => {
  const report = passed();
  const { response } = report.exchange;
  return findTargetIdentity({
    ...report,
    exchange: { ...report.exchange, response: response && { ...response, headers } },
    log: {
      ...{ line_count: lines.length, error_count: 0, saga_event_count: 0, problem: null, cure: null, waited_ms: 1 },
      ...(startedAt === undefined ? {} : { process_started_at: startedAt }),
      lines: lines.map((text) => ({ text, level: null, error: false, saga_event: false })),
    },
  });
};

t.test('the process is the pid and host of the first line that has them', async (t) => {
  const pino = '{"level":30,"time":1,"pid":4242,"hostname":"box-1","msg":"request completed"}';
  t.equal(identify(['not json', pino, pino.replace('4242', '7')]).process, 'pid 4242 on box-1');
  t.equal(identify(['{"pid":"17","msg":"x"}']).process, 'pid 17');
  t.equal(identify([pino.slice(0, 60)]).process, 'pid 4242 on box-1', 'also of a truncated line');
});

t.test('the process is also the time at which the container engine started it', async (t) => {
  const startedAt = '2026-11-22T14:30:12.000Z';
  t.equal(identify(['plain text'], [], startedAt).process, `started at ${startedAt}`);
  t.equal(identify(['{"pid":1}'], [], startedAt).process, `pid 1, started at ${startedAt}`);
});

t.test('what the run does not show is not known', async (t) => {
  t.same(identify([]), { process: null, version: null });
  t.same(
    identify(
      ['pid 4242 started', '{"msg":"about pids"}'],
      [
        ['Server', 'nginx/1.27'],
        ['X-API-Version', '2'],
      ],
    ),
    {
      process: null,
      version: null,
    },
  );
  t.same(findTargetIdentity({ ...passed(), log: null }).process, null);
});

t.test('the version is that of a header that applications use for it', async (t) => {
  t.equal(identify([], [['X-App-Version', ' 1.2.0 ']]).version, '1.2.0');
  t.equal(identify([], [['X-Git-SHA', '[redacted]']]).version, null);
  t.equal(identify([], [['x-release', 'a\u001b[31m']]).version, null);
});

t.test('the version that a report names comes before that of a header', async (t) => {
  const report = passed();
  report.exchange.response?.headers.push(['X-App-Version', '1.2.0']);
  t.equal(findTargetIdentity({ ...report, target_version: '4f2c9e1' }).version, '4f2c9e1');
});

t.test('a process is split into what its lines and the container engine name', async (t) => {
  const startedAt = '2026-11-22T14:30:12.000Z';
  t.same(parseTargetProcess(`pid 1 on box, started at ${startedAt}`), { pid: 'pid 1 on box', startedAt });
  t.same(parseTargetProcess(`started at ${startedAt}`), { pid: null, startedAt });
  t.same(parseTargetProcess('pid 42'), { pid: 'pid 42', startedAt: null });
});

t.test('the image of its container is the version where nothing names another one', async (t) => {
  const report = passed();
  const lines = {
    line_count: 0,
    error_count: 0,
    saga_event_count: 0,
    lines: [],
    problem: null,
    cure: null,
    waited_ms: 1,
  };
  const log = { ...lines, image: `sha256:${'4f2c9e1a0b7d'.repeat(6).slice(0, 64)}` };
  t.equal(findTargetIdentity({ ...report, log }).version, 'image sha256:4f2c9e1a0b7d');
  report.exchange.response?.headers.push(['X-App-Version', '1.2.0']);
  t.equal(findTargetIdentity({ ...report, log }).version, '1.2.0');
});
