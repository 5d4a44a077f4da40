import t from 'tap';
import { exitCode } from '../../src/errors/exit-code.ts';
import { exitCodeOf, outcomeOf, tallyOf } from '../../src/report/outcome.ts';
import { broken, cancelled, failed, passed, sampleReport } from './samples.ts';

t.test('failed is not broken', async (t) => {
  t.equal(outcomeOf(passed()), 'passed');
  t.equal(outcomeOf(failed()), 'failed');
  t.equal(outcomeOf(sampleReport(['status=200'], { status: 500 })), 'failed');
  t.equal(outcomeOf(broken()), 'broken');
  t.equal(outcomeOf(cancelled()), 'cancelled');
});

t.test('every kind of failure but a false check is broken, known or not', async (t) => {
  for (const kind of ['timeout', 'target_unreachable', 'protocol_error', 'executor_lost', 'of_the_future']) {
    t.equal(outcomeOf({ result: 'failed', failure: { kind, message: '', cure: '' } }), 'broken', kind);
  }
  const evidence = { kind: 'evidence_mismatch', message: '', cure: '' };
  t.equal(outcomeOf({ result: 'failed', failure: evidence }), 'failed');
  t.equal(outcomeOf({ result: 'failed', failure: null }), 'broken');
});

t.test('a tally counts each outcome once', async (t) => {
  const tally = tallyOf([passed(), passed(), failed(), broken(), cancelled()]);
  t.same(tally, { passed: 2, failed: 1, broken: 1, cancelled: 1, total: 5 });
});

t.test('exit codes: all passed, a false check, what could not be judged', async (t) => {
  t.equal(exitCodeOf(tallyOf([passed(), passed()])), exitCode.done);
  t.equal(exitCodeOf(tallyOf([passed(), failed()])), exitCode.checkFailed);
  t.equal(exitCodeOf(tallyOf([broken(), failed()])), exitCode.checkFailed);
  t.equal(exitCodeOf(tallyOf([passed(), broken()])), exitCode.broken);
  t.equal(exitCodeOf(tallyOf([passed(), cancelled()])), exitCode.broken);
});

t.test('no run at all is never green', async (t) => {
  t.not(exitCodeOf(tallyOf([])), exitCode.done);
});
