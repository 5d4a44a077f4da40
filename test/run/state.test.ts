import t from 'tap';
import { getRunStatus, runStatusLabels } from '../../src/console/text/run-status.ts';
import { getOutcome } from '../../src/report/outcome.ts';
import { getRunOutcome, outcomeLabels } from '../../src/run/state.ts';

t.test('a run has the same outcome in lists, reports and the console', async (t) => {
  const kinds = [
    'status_mismatch',
    'body_mismatch',
    'evidence_mismatch',
    'timeout',
    'executor_lost',
    'evidence_unavailable',
  ];
  for (const kind of kinds) {
    const outcome = getRunOutcome('failed', kind);
    t.equal(outcome, kind.endsWith('mismatch') ? 'failed' : 'broken', kind);
    t.equal(getOutcome({ result: 'failed', failure: { kind, message: '', cure: '' } }), outcome, kind);
    t.equal(getRunStatus({ state: 'failed', failure_kind: kind }), outcome, kind);
  }
  t.equal(outcomeLabels.broken, 'could not be judged');
  t.match(runStatusLabels, outcomeLabels);
});

t.test('a run that has not ended has no outcome', async (t) => {
  t.equal(getRunOutcome('queued', null), undefined);
  t.equal(getRunOutcome('in_progress', null), undefined);
  t.equal(getRunOutcome('cancelled', null), 'cancelled');
  t.equal(getRunOutcome('passed', null), 'passed');
  t.equal(getRunStatus({ state: 'queued', failure_kind: null }), 'queued');
});
