/** The format of a log, guessed from its lines. */
import t from 'tap';
import { findFieldContaining, guessLogFormat } from '../../src/inspection/log-format.ts';

t.test('numeric levels are those of pino', async (t) => {
  const { format, level } = guessLogFormat(['listening', '{"level":30,"msg":"a"}', '{"level":50,"msg":"b"}']);
  t.equal(format, 'json');
  t.same(level, { field: 'level', seen: ['30', '50'], errorMatch: '50|60' });
});

t.test('named levels are matched in the case of the log', async (t) => {
  const upper = guessLogFormat(['{"severity":"INFO"}', '{"severity":"ERROR"}']).level;
  t.equal(upper?.field, 'severity');
  t.match(upper?.errorMatch, /^ERROR\|ERR\|FATAL/);
  t.match(guessLogFormat(['{"log":{"level":"info"}}']).level, { field: 'log.level', errorMatch: /^error\|/ });
});

t.test('a field that is called level and holds something else is no level', async (t) => {
  t.equal(guessLogFormat(['{"level":"basement"}', '{"level":"roof"}']).level, undefined);
  t.equal(guessLogFormat(['{"msg":"a"}']).level, undefined);
});

t.test('lines of text, and no lines', async (t) => {
  t.match(guessLogFormat(['GET / 200', 'GET /a 404', '{"a":1}']), {
    format: 'text',
    level: undefined,
    lines: 3,
    jsonLines: 1,
  });
  t.match(guessLogFormat(['', ' ']), { format: 'empty' });
});

t.test('the field with the id is the one that equals it, else one that contains it', async (t) => {
  t.equal(findFieldContaining('{"msg":"got tr-1","req":{"id":"tr-1"}}', 'tr-1'), 'req.id');
  t.equal(findFieldContaining('{"http.request.useragent":"vp (tr-1)"}', 'tr-1'), 'http.request.useragent');
  t.equal(findFieldContaining('plain tr-1', 'tr-1'), undefined);
});
