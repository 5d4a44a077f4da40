/** `--ci gitlab`: the code quality report and the comment, against an API that answers as GitLab documents it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { respondWithJson } from '../../../targets/http-target.ts';
import { createWorkspace, scenarioText, startTarget } from '../../test-workspace.ts';
import { startCommentApi } from './comment-api.ts';

const failing = scenarioText('RT-b', { checks: ['status=200', 'body has count equals 9'] });

async function startJob(t: Test) {
  const { origin } = await startTarget(t, respondWithJson({ count: 3 }));
  const { vp, folder } = createWorkspace(t, origin, { 'test/scenarios/b.md': failing });
  return { vp, folder, variables: { CI_PROJECT_DIR: folder } };
}

t.test('the code quality report has the line of the scenario', async (t) => {
  const { vp, folder, variables } = await startJob(t);
  t.equal((await vp(['run', '--local', '--ci', 'gitlab'], { variables })).code, 1);
  const entries = JSON.parse(readFileSync(join(folder, 'gl-code-quality-report.json'), 'utf8'));
  t.match(entries, [{ check_name: 'body_mismatch', location: { path: 'test/scenarios/b.md', lines: { begin: 19 } } }]);
});

t.test('problems that GitLab does not display are counted on standard error', async (t) => {
  const { vp, variables } = await startJob(t);
  const result = await vp(['run', '--local', '--ci', 'gitlab', '--max-time', '1s', '--repeat', '1'], { variables });
  t.notMatch(result.stderr, 'no file in the checkout');
  const missing = await vp(['run', '--local', '--ci', 'gitlab', '--fail-fast', '--repeat', '3'], { variables });
  t.match(missing.stderr, '2 problems have no file in the checkout, and GitLab displays none without');
});

t.test('one note of the merge request is written, then updated', async (t) => {
  const { vp, variables } = await startJob(t);
  const listPath = '/api/v4/projects/12/merge_requests/3/notes';
  const api = await startCommentApi(t, { listPath });
  const job = {
    ...variables,
    CI_API_V4_URL: `${api.origin}/api/v4`,
    CI_PROJECT_ID: '12',
    CI_MERGE_REQUEST_IID: '3',
    GITLAB_TOKEN: 'the-token',
  };
  const line = ['run', '--local', '--ci', 'gitlab', '--comment'];
  for (const _ of [1, 2]) t.equal((await vp(line, { variables: job })).code, 1);
  t.equal(api.own().length, 1);
  t.same(
    api.requests.map(({ method, path }) => `${method} ${path}`),
    [`GET ${listPath}`, `POST ${listPath}`, `GET ${listPath}`, `PUT ${listPath}/1`],
  );
  t.ok(api.requests.every(({ headers }) => headers['private-token'] === 'the-token'));
  const { CI_MERGE_REQUEST_IID: _iid, ...branch } = job;
  t.match(await vp(line, { variables: branch }), { code: 1, stderr: /no comment: this job does not belong/ });
});

t.test('the token is required before anything runs', async (t) => {
  const { vp, variables } = await startJob(t);
  const { code, stderr } = await vp(['run', '--local', '--ci', 'gitlab', '--comment'], { variables });
  t.match({ code, stderr }, { code: 2, stderr: /GITLAB_TOKEN, which is not set \(CI_VARIABLE_MISSING\)/ });
});
