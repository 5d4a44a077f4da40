/** GitLab CI: the code quality report, which merge requests display at the lines of scenarios. */
import { join } from 'node:path';
import { printError } from '../../../command-line/print-error.ts';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { renderCodeQuality } from '../../../report/code-quality.ts';
import { listResultProblems } from '../../../report/result-problems.ts';
import { formatSystemErrorCode, writeOutputFile } from '../../output-file.ts';
import { type CiAdapter, requireVariable } from './ci-adapter.ts';
import type { CommentThread } from './request-comment.ts';

/** The name that GitLab's own templates use. */
const reportName = 'gl-code-quality-report.json';

export function createGitlabOutput(environment: Environment): CiAdapter {
  const { variables, cwd, random, streams } = environment;
  const file = join(variables.CI_PROJECT_DIR || cwd, reportName);
  return {
    begin: () => {},
    endOutput: () => {},
    publish(results) {
      const hidden = listResultProblems(results).filter(({ location }) => !location).length + results.unfinished.length;
      if (hidden > 0)
        streams.stderr.write(
          `vp: ${hidden} ${hidden === 1 ? 'problem has' : 'problems have'} no file in the checkout, and GitLab displays none without: see \`--report junit\`\n`,
        );
      try {
        writeOutputFile(file, renderCodeQuality(results), random);
      } catch (cause) {
        printError(
          vpError('CI_SUMMARY_UNWRITABLE', { file, reason: formatSystemErrorCode(cause) }),
          { json: false, debug: false },
          environment,
        );
      }
    },
    findThread: () => findMergeRequest(environment),
  };
}

function findMergeRequest(environment: Environment): CommentThread | undefined {
  const need = (name: string, cure: string): string => requireVariable(name, '--comment', environment, cure);
  const token = need(
    'GITLAB_TOKEN',
    'set it to an access token with the scope `api`; the token of the job may not comment',
  );
  const inJob = 'run it in a job of GitLab CI, or omit --comment';
  const api = need('CI_API_V4_URL', inJob);
  const project = need('CI_PROJECT_ID', inJob);
  const number = environment.variables.CI_MERGE_REQUEST_IID;
  if (number === undefined || number === '') return undefined;
  const notesUrl = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  return {
    listUrl: notesUrl,
    editUrl: (id) => `${notesUrl}/${id}`,
    editMethod: 'PUT',
    headers: { 'PRIVATE-TOKEN': token },
    permission: 'the scope `api` and the role Reporter or above',
  };
}
