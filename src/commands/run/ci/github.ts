/**
 * GitHub Actions: annotations by workflow commands, the page of the job by the file GITHUB_STEP_SUMMARY. The runner executes
 * every line of the output that begins with `::`, also after spaces, so that commands are switched off while texts of the target
 * are printed.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { printError } from '../../../command-line/print-error.ts';
import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { isObject, tryParseJson } from '../../../json/json-object.ts';
import { escapeUnsafe } from '../../../report/escape-unsafe.ts';
import { listResultProblems, type ResultProblem } from '../../../report/result-problems.ts';
import type { RunResults } from '../../../report/results.ts';
import { formatSystemErrorCode } from '../../output-file.ts';
import { type CiAdapter, requireVariable } from './ci-adapter.ts';
import type { CommentThread } from './request-comment.ts';

/** GitHub displays no more of one step. */
const maxAnnotations = 10;

export function createGithubOutput(environment: Environment, json: boolean): CiAdapter {
  const { streams, random, variables } = environment;
  // A JSON document has no line that begins with `::`; annotations must not stand beside it.
  const sink = json ? streams.stderr : streams.stdout;
  const resumeToken = `vp-${random.token(16)}`;
  return {
    begin: () => void sink.write(`::stop-commands::${resumeToken}\n`),
    endOutput: () => void sink.write(`::${resumeToken}::\n`),
    publish(results, summary) {
      for (const line of formatAnnotations(results)) sink.write(`${line}\n`);
      const file = variables.GITHUB_STEP_SUMMARY;
      if (file === undefined || file === '') {
        streams.stderr.write('vp: no summary on the page of the job: GITHUB_STEP_SUMMARY is not set\n');
        return;
      }
      try {
        appendFileSync(file, `${summary}\n`);
      } catch (cause) {
        printError(
          vpError('CI_SUMMARY_UNWRITABLE', { file, reason: formatSystemErrorCode(cause) }),
          { json: false, debug: false },
          environment,
        );
      }
    },
    findThread: () => findPullRequest(environment),
  };
}

function formatAnnotations(results: RunResults): string[] {
  const problems = listResultProblems(results);
  const counted = problems.filter(({ quarantine }) => quarantine === undefined);
  const annotations = counted.map(formatAnnotation);
  for (const { scenarioId, hint } of results.unfinished)
    annotations.push(`::error title=${escapeProperty(scenarioId)}::${escapeData(`no result: ${hint}`)}`);
  const notices = problems.filter(({ quarantine }) => quarantine !== undefined).map(formatAnnotation);
  // The limit holds for each level.
  return [...limitAnnotations(annotations, 'error'), ...limitAnnotations(notices, 'notice')];
}

function limitAnnotations(annotations: readonly string[], level: 'error' | 'notice'): readonly string[] {
  if (annotations.length <= maxAnnotations) return annotations;
  const rest = annotations.length - maxAnnotations + 1;
  return [
    ...annotations.slice(0, maxAnnotations - 1),
    `::${level} title=vp::and ${rest} more, in the summary of the job`,
  ];
}

function formatAnnotation({ scenarioId, message, detail, location, quarantine = '' }: ResultProblem): string {
  const position = location ? `file=${escapeProperty(location.file)},line=${location.line},` : '';
  const text = [message, detail, quarantine].filter((part) => part !== '').join('\n');
  return `::${quarantine === '' ? 'error' : 'notice'} ${position}title=${escapeProperty(scenarioId)}::${escapeData(text)}`;
}

/** As the runner decodes it. */
function escapeData(text: string): string {
  return escapeUnsafe(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function findPullRequest(environment: Environment): CommentThread | undefined {
  const need = (name: string, cure: string): string => requireVariable(name, '--comment', environment, cure);
  const token = need('GITHUB_TOKEN', 'give the step `env: GITHUB_TOKEN: $' + '{{ github.token }}`');
  const inJob = 'run it in a job of GitHub Actions, or omit --comment';
  const repository = need('GITHUB_REPOSITORY', inJob);
  const number = readPullRequestNumber(need('GITHUB_EVENT_PATH', inJob));
  if (number === undefined) return undefined;
  const api = environment.variables.GITHUB_API_URL || 'https://api.github.com';
  const repositoryUrl = `${api}/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  return {
    listUrl: `${repositoryUrl}/issues/${number}/comments`,
    editUrl: (id) => `${repositoryUrl}/issues/comments/${id}`,
    editMethod: 'PATCH',
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/vnd.github+json',
      'X-GitHub-Api-Version': '2022-11-28',
      'User-Agent': 'vp',
    },
    permission: '`permissions: pull-requests: write`; pull requests from forks never have it',
  };
}

/** Of the event `pull_request`, or of a comment on a pull request. */
function readPullRequestNumber(file: string): number | undefined {
  const event = tryParseJson(readEvent(file));
  if (!isObject(event)) return undefined;
  const { pull_request: pullRequest, issue } = event;
  const source = isObject(pullRequest) ? pullRequest : isObject(issue) && isObject(issue.pull_request) ? issue : {};
  return Number.isSafeInteger(source.number) ? Number(source.number) : undefined;
}

function readEvent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
