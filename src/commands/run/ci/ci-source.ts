/** What the variables of CI systems say about the change that is verified, and about the job that does it. */

import type { SuiteSource } from '../../../contract/suites-api.ts';
import type { Environment } from '../../../environment/environment.ts';

type Variables = Environment['variables'];

/** `pipeline`: the same in all jobs of a pipeline, also when one of them is repeated. */
export type CiSource = { readonly source: SuiteSource; readonly pipeline: string | undefined };

type RawSource = { readonly [K in keyof SuiteSource | 'pipeline']: string | undefined };

/** Each system by a variable that only it sets. */
const systems: readonly (readonly [variable: string, read: (variables: Variables) => RawSource])[] = [
  [
    'GITHUB_ACTIONS',
    (v) => ({
      branch: v.GITHUB_HEAD_REF || v.GITHUB_REF_NAME,
      commit: v.GITHUB_SHA,
      author: v.GITHUB_ACTOR,
      job: join([v.GITHUB_WORKFLOW, v.GITHUB_JOB]),
      url: `${v.GITHUB_SERVER_URL}/${v.GITHUB_REPOSITORY}/actions/runs/${v.GITHUB_RUN_ID}`,
      pipeline: v.GITHUB_RUN_ID,
    }),
  ],
  [
    'GITLAB_CI',
    (v) => ({
      branch: v.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || v.CI_COMMIT_REF_NAME,
      commit: v.CI_COMMIT_SHA,
      author: withoutAddress(v.CI_COMMIT_AUTHOR) || v.GITLAB_USER_NAME,
      job: v.CI_JOB_NAME,
      url: v.CI_JOB_URL,
      pipeline: v.CI_PIPELINE_ID,
    }),
  ],
  [
    'BUILDKITE',
    (v) => ({
      branch: v.BUILDKITE_BRANCH,
      commit: v.BUILDKITE_COMMIT,
      author: v.BUILDKITE_BUILD_AUTHOR || v.BUILDKITE_BUILD_CREATOR,
      job: join([v.BUILDKITE_PIPELINE_SLUG, v.BUILDKITE_LABEL]),
      url: v.BUILDKITE_BUILD_URL,
      pipeline: v.BUILDKITE_BUILD_ID,
    }),
  ],
  [
    'CIRCLECI',
    (v) => ({
      branch: v.CIRCLE_BRANCH,
      commit: v.CIRCLE_SHA1,
      author: v.CIRCLE_USERNAME,
      job: v.CIRCLE_JOB,
      url: v.CIRCLE_BUILD_URL,
      pipeline: v.CIRCLE_WORKFLOW_ID,
    }),
  ],
  [
    'TF_BUILD',
    (v) => ({
      branch: (v.SYSTEM_PULLREQUEST_SOURCEBRANCH || v.BUILD_SOURCEBRANCH)?.replace(/^refs\/heads\//, ''),
      commit: v.BUILD_SOURCEVERSION,
      author: v.BUILD_REQUESTEDFOR,
      job: join([v.BUILD_DEFINITIONNAME, v.SYSTEM_JOBDISPLAYNAME]),
      url: `${v.SYSTEM_COLLECTIONURI}${encodeURIComponent(v.SYSTEM_TEAMPROJECT ?? '')}/_build/results?buildId=${v.BUILD_BUILDID}`,
      pipeline: v.BUILD_BUILDID,
    }),
  ],
  [
    'JENKINS_URL',
    (v) => ({
      branch: v.CHANGE_BRANCH || v.BRANCH_NAME || v.GIT_BRANCH?.replace(/^origin\//, ''),
      commit: v.GIT_COMMIT,
      author: v.CHANGE_AUTHOR_DISPLAY_NAME || v.GIT_AUTHOR_NAME,
      job: v.JOB_NAME,
      url: v.BUILD_URL,
      pipeline: v.BUILD_TAG,
    }),
  ],
];

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' / ');
}

/** `Ana Lopes <ana@example.com>`: an address is nobody else's business. */
function withoutAddress(author: string | undefined): string | undefined {
  return author?.replace(/\s*<[^>]*>/, '');
}

const maxLength = 200;

/** Undefined where nothing printable is left. */
function clean(text: string | undefined): string | undefined {
  const printable = text
    ?.replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
  return printable === '' ? undefined : printable;
}

/** Flags stand before the variables of the CI system. */
export function readCiSource(variables: Variables, flags: Pick<SuiteSource, 'branch' | 'commit'>): CiSource {
  const system = systems.find(([variable]) => Boolean(variables[variable]));
  const raw = system?.[1](variables);
  const texts = {
    branch: flags.branch || raw?.branch,
    commit: flags.commit || raw?.commit,
    author: raw?.author,
    job: raw?.job,
  };
  const members = Object.entries(texts).map(([name, value]) => [name, clean(value)] as const);
  const url = raw?.url !== undefined && /^https?:\/\/[!-~]{1,990}$/.test(raw.url) ? raw.url : undefined;
  const source = Object.fromEntries([...members, ['url', url] as const].filter(([, value]) => value !== undefined));
  return { source, pipeline: clean(raw?.pipeline) };
}
