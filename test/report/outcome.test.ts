import t from 'tap';
import { exitCode } from '../../src/errors/exit-code.ts';
import { getExitCode, getOutcome, tallyOutcomes } from '../../src/report/outcome.ts';
import { broken, cancelled, failed, passed, sampleReport } from './report-fixtures.ts';

t.test('failed is not broken', async (t) => {
  t.equal(getOutcome(passed()), 'passed');
  t.equal(getOutcome(failed()), 'failed');
  t.equal(getOutcome(sampleReport(['status=200'], { status: 500 })), 'failed');
  t.equal(getOutcome(broken()), 'broken');
  t.equal(getOutcome(cancelled()), 'cancelled');
});

t.test('every failure kind except a failing check is broken, including unknown kinds', async (t) => {
  for (const kind of ['timeout', 'target_unreachable', 'protocol_error', 'executor_lost', 'of_the_future']) {
    t.equal(getOutcome({ result: 'failed', failure: { kind, message: '', cure: '' } }), 'broken', kind);
  }
  const evidence = { kind: 'evidence_mismatch', message: '', cure: '' };
  t.equal(getOutcome({ result: 'failed', failure: evidence }), 'failed');
  t.equal(getOutcome({ result: 'failed', failure: null }), 'broken');
});

t.test('a tally counts each outcome once', async (t) => {
  const tally = tallyOutcomes([passed(), passed(), failed(), broken(), cancelled()]);
  t.same(tally, { passed: 2, failed: 1, broken: 1, cancelled: 1, quarantined: 0, total: 5 });
});

t.test('exit codes: all passed, a failing check, not judged', async (t) => {
  t.equal(getExitCode(tallyOutcomes([passed(), passed()])), exitCode.done);
  t.equal(getExitCode(tallyOutcomes([passed(), failed()])), exitCode.checkFailed);
  t.equal(getExitCode(tallyOutcomes([broken(), failed()])), exitCode.checkFailed);
  t.equal(getExitCode(tallyOutcomes([passed(), broken()])), exitCode.broken);
  t.equal(getExitCode(tallyOutcomes([passed(), cancelled()])), exitCode.broken);
});

t.test('without runs the exit code is not success', async (t) => {
  t.not(getExitCode(tallyOutcomes([])), exitCode.done);
});
