import t from 'tap';
import { readCiSource } from '../../../../src/commands/run/ci/ci-source.ts';

const none = { branch: undefined, commit: undefined };

t.test('branch, commit, author and job come from the variables of the CI system', async (t) => {
  const github = {
    ...{
      GITHUB_ACTIONS: 'true',
      GITHUB_HEAD_REF: 'topic',
      GITHUB_REF_NAME: '7/merge',
      GITHUB_SHA: '4f2c',
      GITHUB_ACTOR: 'ana',
    },
    ...{ GITHUB_WORKFLOW: 'CI', GITHUB_JOB: 'verify', GITHUB_SERVER_URL: 'https://github.com' },
    ...{ GITHUB_REPOSITORY: 'acme/shop', GITHUB_RUN_ID: '99' },
  };
  t.same(readCiSource(github, none), {
    source: {
      ...{ branch: 'topic', commit: '4f2c', author: 'ana', job: 'CI / verify' },
      url: 'https://github.com/acme/shop/actions/runs/99',
    },
    pipeline: '99',
  });
  const gitlab = {
    ...{
      GITLAB_CI: 'true',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_SHA: 'ab12',
      CI_COMMIT_AUTHOR: 'Ana Lopes <ana@example.com>',
    },
    ...{ CI_JOB_NAME: 'verify', CI_JOB_URL: 'https://gitlab.example/jobs/1', CI_PIPELINE_ID: '5' },
  };
  t.same(readCiSource(gitlab, none), {
    source: {
      ...{ branch: 'main', commit: 'ab12', author: 'Ana Lopes', job: 'verify' },
      url: 'https://gitlab.example/jobs/1',
    },
    pipeline: '5',
  });
  const buildkite = { BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: 'c', BUILDKITE_BUILD_ID: 'b' };
  t.match(readCiSource(buildkite, none), { source: { branch: 'main', commit: 'c' }, pipeline: 'b' });
  const circle = { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_SHA1: 'c', CIRCLE_WORKFLOW_ID: 'w' };
  t.match(readCiSource(circle, none), { source: { branch: 'main', commit: 'c' }, pipeline: 'w' });
  const azure = {
    TF_BUILD: 'True',
    BUILD_SOURCEBRANCH: 'refs/heads/main',
    BUILD_SOURCEVERSION: 'c',
    BUILD_BUILDID: '8',
  };
  t.match(readCiSource(azure, none), { source: { branch: 'main', commit: 'c' }, pipeline: '8' });
  const jenkins = { JENKINS_URL: 'http://ci', GIT_BRANCH: 'origin/main', GIT_COMMIT: 'c', BUILD_TAG: 'jenkins-shop-3' };
  t.match(readCiSource(jenkins, none), { source: { branch: 'main', commit: 'c' }, pipeline: 'jenkins-shop-3' });
});

t.test('flags stand before variables, and nothing is known elsewhere', async (t) => {
  t.same(readCiSource({}, none), { source: {}, pipeline: undefined });
  const variables = { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_BUILD_URL: 'javascript:alert(1)' };
  const flags = { branch: 'topic', commit: ' a\u0007b ' };
  t.same(readCiSource(variables, flags), { source: { branch: 'topic', commit: 'a b' }, pipeline: undefined });
});
