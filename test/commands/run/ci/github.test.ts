/** `--ci github`: annotations, the page of the job, and the comment, against an API that answers as GitHub documents it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { respondWithJson } from '../../../targets/http-target.ts';
import { createWorkspace, scenarioText, startTarget } from '../../test-workspace.ts';
import { startCommentApi } from './comment-api.ts';

const files = {
  'test/scenarios/a.md': scenarioText('RT-a'),
  'test/scenarios/b.md': scenarioText('RT-b', { checks: ['status=200', 'body has count equals 9'] }),
};
const pullRequest = JSON.stringify({ action: 'opened', pull_request: { number: 7 } });

async function startJob(t: Test, body: unknown = { count: 3 }) {
  const { origin } = await startTarget(t, respondWithJson(body));
  const { vp, folder, write } = createWorkspace(t, origin, files);
  const variables = { GITHUB_WORKSPACE: folder, GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  return { vp, folder, write, variables };
}

t.test('a false check is annotated at its line, and the page of the job has the summary', async (t) => {
  const { vp, variables } = await startJob(t);
  const { code, stdout } = await vp(['run', '--local', '--ci', 'github'], { variables });
  t.equal(code, 1);
  t.match(
    stdout,
    /\n::error file=test\/scenarios\/b\.md,line=19,title=RT-b::body has count equals 9: expected .*got 3%0A.*\n$/,
  );
  const summary = readFileSync(variables.GITHUB_STEP_SUMMARY, 'utf8');
  t.match(summary, '### ❌ 1 of 2 runs did not pass');
  await vp(['run', '--local', 'test/scenarios/a.md', '--ci', 'github'], { variables });
  const both = readFileSync(variables.GITHUB_STEP_SUMMARY, 'utf8');
  t.ok(both.startsWith(summary), 'what other steps wrote stays');
  t.match(both, '### ✅ The run passed');
});

t.test('commands in a response are not executed by the runner', async (t) => {
  const { vp, variables } = await startJob(t, { count: '\n::add-mask::x\n::set-output name=a::b' });
  const { stdout } = await vp(['run', '--local', '--ci', 'github'], { variables });
  const lines = stdout.split('\n').map((line) => line.trimStart());
  const stop = lines.findIndex((line) => line.startsWith('::stop-commands::'));
  const token = lines[stop]?.slice('::stop-commands::'.length) ?? '';
  t.equal(stop, 0);
  t.ok(token.length > 16);
  const resume = lines.indexOf(`::${token}::`);
  const executed = lines.slice(resume + 1).filter((line) => line.startsWith('::'));
  t.ok(executed.length === 1 && executed.every((line) => line.startsWith('::error ')), executed.join('\n'));
});

t.test('standard output stays one document with --json', async (t) => {
  const { vp, variables } = await startJob(t);
  const { stdout, stderr } = await vp(['run', '--local', '--ci', 'github', '--json'], { variables });
  t.match(JSON.parse(stdout), { summary: { failed: 1 } });
  t.match(stderr, '::error file=test/scenarios/b.md,line=19');
});

t.test('more than ten annotations end with how many more there are', async (t) => {
  const { vp, variables } = await startJob(t);
  const repeat = ['run', '--local', 'test/scenarios/b.md', '--repeat', '12', '--ci', 'github'];
  const { stdout } = await vp(repeat, { variables });
  const annotations = stdout.split('\n').filter((line) => line.startsWith('::error '));
  t.equal(annotations.length, 10);
  t.equal(annotations.at(-1), '::error title=vp::and 3 more, in the summary of the job');
});

t.test('one comment is written, then updated, beside the comments of others', async (t) => {
  const { vp, write, variables } = await startJob(t);
  const api = await startCommentApi(t, { listPath: '/repos/acme/shop/issues/7/comments', otherCount: 230 });
  const job = {
    ...variables,
    GITHUB_API_URL: api.origin,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_TOKEN: 'the-token-of-the-job',
    GITHUB_EVENT_PATH: write('event.json', pullRequest),
    GITHUB_JOB: 'verify',
  };
  const line = ['run', '--local', '--ci', 'github', '--comment'];
  t.equal((await vp(line, { variables: job })).code, 1);
  t.equal(api.own().length, 1);
  t.match(api.own()[0]?.body, /^<!-- vp .* -->\n### ❌ 1 of 2 runs did not pass/);
  write('test/scenarios/b.md', scenarioText('RT-b'));
  t.equal((await vp(line, { variables: job })).code, 0);
  t.equal(api.own().length, 1, 'the same comment');
  t.match(api.own()[0]?.body, '### ✅ All 2 runs passed');
  await vp(line, { variables: { ...job, GITHUB_JOB: 'nightly' } });
  t.equal(api.own().length, 2, 'another job has a comment of its own');
  await vp([...line, '--comment-name', 'node 22'], { variables: job });
  await vp([...line, '--test-dir', 'test'], { variables: job });
  t.equal(api.own().length, 4, 'so have a leg of a matrix and another folder');
  await vp(['run', '--local', '--ci', 'github', '--comment', '--base-url', 'http://127.0.0.1:1'], { variables: job });
  t.equal(api.own().length, 5, 'and another target');
  write('test/scenarios/b.md', 'nothing');
  write('test/scenarios/a.md', 'nothing');
  t.equal((await vp(line, { variables: job })).code, 2);
  t.match(api.own()[0]?.body, '### ❌ Nothing was run', 'an earlier success does not stay');
  t.ok(api.requests.every(({ headers }) => headers.authorization === 'Bearer the-token-of-the-job'));
});

t.test('a refused comment is reported, and the exit code stays that of the runs', async (t) => {
  const { vp, write, variables } = await startJob(t);
  const api = await startCommentApi(t, { listPath: '/repos/acme/shop/issues/7/comments', refuseWith: 403 });
  const job = {
    ...variables,
    GITHUB_API_URL: api.origin,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_TOKEN: 'the-token-of-the-job',
    GITHUB_EVENT_PATH: write('event.json', pullRequest),
  };
  const one = ['run', '--local', 'test/scenarios/a.md', '--ci', 'github', '--comment'];
  const { code, stdout, stderr } = await vp(one, { variables: job });
  t.equal(code, 0);
  t.match(stderr, /status 403.*\(CI_COMMENT_REFUSED\)[\s\S]*pull-requests: write/);
  t.notMatch(stdout + stderr, 'the-token-of-the-job');
});

t.test('what is missing for a comment is said before anything runs', async (t) => {
  const { vp, write, variables } = await startJob(t);
  const line = ['run', '--local', '--ci', 'github', '--comment'];
  const refused = await vp(line, { variables });
  t.match(refused, { code: 2, stdout: '', stderr: /GITHUB_TOKEN, which is not set \(CI_VARIABLE_MISSING\)/ });
  const push = {
    ...variables,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_TOKEN: 'x',
    GITHUB_EVENT_PATH: write('event.json', '{"ref":"refs/heads/main"}'),
  };
  const { code, stderr } = await vp(line, { variables: push });
  t.equal(code, 1);
  t.match(stderr, 'no comment: this job does not belong to a pull or merge request');
});

t.test('a summary that cannot be written changes no exit code', async (t) => {
  const { vp, folder, variables } = await startJob(t);
  const line = ['run', '--local', 'test/scenarios/a.md', '--ci', 'github'];
  const { code, stderr } = await vp(line, { variables: { ...variables, GITHUB_STEP_SUMMARY: folder } });
  t.match({ code, stderr }, { code: 0, stderr: /CI_SUMMARY_UNWRITABLE/ });
});

t.test('--comment needs --ci, and --watch excludes it', async (t) => {
  const { vp } = await startJob(t);
  t.match(await vp(['run', '--local', '--comment']), { code: 2, stderr: /--comment.*--ci/ });
  t.match(await vp(['run', '--local', '--watch', '--ci', 'github']), { code: 2, stderr: /FLAG_CONTRADICTED/ });
});
