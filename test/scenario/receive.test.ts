import t from 'tap';
import { completeScenario } from '../../src/scenario/completion.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { describeAt } from '../../src/scenario/hover.ts';
import { buildScenarioText, listDiagnostics, parseValid } from './samples.ts';

const write = (bullet: string): string => buildScenarioText({ checks: `- status=200\n- ${bullet}` });
const read = (bullet: string) => parseValid(write(bullet)).receive;

t.test('each form says when enough has come', async (t) => {
  t.same(read('receive events until body some data.state equals paid within 20s'), {
    ...{ stream: 'events', stop: 'check', limitMs: 20_000 },
  });
  t.same(read('receive 3 events within 500ms'), { stream: 'events', stop: 'count', count: 3, limitMs: 500 });
  t.same(read('receive events for 5s'), { stream: 'events', stop: 'time', limitMs: 5000 });
  t.same(read('receive events'), { stream: 'events', stop: 'end' });
});

t.test('what cannot be received is refused', async (t) => {
  const codes = (bullet: string) => listDiagnostics(write(bullet)).map(([code]) => code);
  for (const bullet of [
    'receive',
    'receive things',
    'receive events until status=200',
    'receive events within 5s',
    'receive 0 events within 5s',
    'receive 1001 events within 5s',
    'receive 3 events within 601s',
    'receive events for 0s',
  ])
    t.same(codes(bullet), ['SCENARIO_RECEIVE_INVALID'], bullet);
  t.same(codes('receive events until body oops within 5s'), ['SCENARIO_CHECK_UNKNOWN']);
  t.same(codes('receive events for 1s\n- receive 3 events within 5s'), ['SCENARIO_RECEIVE_DOUBLED']);
  t.same(codes('receive events for 1s\n- until body has id within 5s'), ['SCENARIO_RECEIVE_DOUBLED']);
  t.same(codes('until body has id within 5s\n- receive events for 1s'), ['SCENARIO_RECEIVE_DOUBLED']);
  const step = '## STEPS\n\n### a\n\nGET ${INGESTION_URL}/\n\n- receive events\n\n## TRIGGER';
  t.match(listDiagnostics(write('body length = 1').replace('## TRIGGER', step)), [['SCENARIO_RECEIVE_STEP']]);
  const socket = write('receive messages').replaceAll('GET ', 'POST ');
  t.match(listDiagnostics(socket), [['SCENARIO_RECEIVE_METHOD']]);
  const fence = (bullet: string, info: string) =>
    write(bullet).replace('\n\n## EXPECT', `\n\n~~~${info}\nname = a\n~~~\n\n## EXPECT`);
  t.match(listDiagnostics(fence('receive messages', 'form')), [['SCENARIO_RECEIVE_BODY']]);
  t.match(listDiagnostics(fence('receive events', 'messages')), [['SCENARIO_RECEIVE_BODY']]);
  t.match(listDiagnostics(fence('receive messages', 'messages')), []);
  const head = write('receive events').replaceAll('GET ', 'HEAD ');
  t.match(listDiagnostics(head), [['SCENARIO_RECEIVE_METHOD']]);
  const log = write('receive events until log has a within 5s').replace('HTTP Ingestion', 'HTTP Ingestion + Log');
  t.match(listDiagnostics(log), [['SCENARIO_UNTIL_EVIDENCE']]);
});

t.test('the editor knows the forms, and the formatter leaves them', async (t) => {
  const text = write('receive events for 5s');
  t.match(
    formatScenario(text, {}, () => {}),
    '\n- receive events for 5s\n',
  );
  const offset = text.indexOf('receive');
  t.match(describeAt(text, offset + 3)?.text, '`receive <n> events within <time>`');
  const open = text.replace('- receive events for 5s', '- rece');
  const labels = completeScenario(open, open.indexOf('- rece') + 6)?.options.map(({ label }) => label);
  t.same(labels?.length, 8);
  t.ok(labels?.includes('receive messages until <check> within <time>'));
});
