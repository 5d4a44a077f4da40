import t from 'tap';
import { type EndedResult, findStateChange } from '../../src/insight/state-changes.ts';

/** `P` passed, `F` failed, `B` could not be judged; a digit before it is the version of the target, a `q` after it its quarantine. */
function parseResults(text: string): EndedResult[] {
  return text.split(' ').map((entry) => {
    const [, version = '', letter, mark] = /^(\d?)([PFB])(q?)$/.exec(entry) ?? [];
    const outcome = letter === 'P' ? 'passed' : letter === 'F' ? 'failed' : 'broken';
    return { outcome, version: version === '' ? null : version, text: 1, quarantined: mark === 'q' };
  });
}

/** The change that each result made, with `-` for none. */
function listChanges(text: string): string {
  const results = parseResults(text);
  const names = { newly_failing: 'fail', recovered: 'ok', flaky: 'flaky' };
  return results
    .map((_, index) => findStateChange(results.slice(0, index + 1)))
    .map((change) => (change ? names[change] : '-'))
    .join(' ');
}

t.test('the first failure and the end of failing are changes, and what is in between is none', async (t) => {
  t.equal(listChanges('1P 1F 1F 1F 2P 2P'), '- fail - - ok -');
  t.equal(listChanges('P F F P P'), '- fail - ok -');
  t.equal(listChanges('F F P'), 'fail - ok', 'also of a scenario that never passed');
  t.equal(listChanges('P P'), '- -');
});

t.test('a target that could not be reached makes a scenario fail, and never flaky', async (t) => {
  t.equal(listChanges('1P 1B 1B 1P 1B 1P'), '- fail - ok fail ok');
});

t.test('a scenario that both passes and fails with one version becomes flaky once', async (t) => {
  t.equal(listChanges('1P 1F 1P 1F 1P 1F 1P'), '- fail flaky - - - -');
  t.equal(listChanges('P F P F P F'), '- fail ok flaky - -', 'without a version, after three changes');
  t.equal(listChanges('1P 1F 1P 2P 2F 2P'), '- fail flaky - fail flaky', 'another version begins anew');
});

t.test('a flaky scenario that fails three times in a row is failing, and passes again after three', async (t) => {
  t.equal(listChanges('1P 1F 1P 1F 1F 1F 1F 1P 1P 1P 1P'), '- fail flaky - - fail - - - ok -');
});

t.test('a regression of another version is a change at once, although the version before was flaky', async (t) => {
  t.equal(listChanges('1P 1F 1P 2F 3P'), '- fail flaky fail ok');
});

t.test('in quarantine nothing is a change, and after it a scenario that fails is newly failing', async (t) => {
  t.equal(listChanges('1P 1Fq 1Pq 1Fq 1Pq'), '- - - - -');
  t.equal(listChanges('1P 1F 1Fq 1Fq 1F 1F'), '- fail - - fail -', 'failing before, during and after');
  t.equal(listChanges('1P 1F 1Fq 1P'), '- fail - -', 'that it passes is no news: nobody knows it as failing');
  t.equal(
    listChanges('1P 1F 1P 1Fq 1F 1P'),
    '- fail flaky - fail ok',
    'flaky before: its first failure counts at once',
  );
  t.equal(listChanges('1Fq 1P'), '- -');
  t.equal(listChanges('1Fq 1F'), '- fail');
});
