/** Asks, looks, and asks on: everything that `vp new` needs to know before it writes. */
import { basename } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { type ComposeTarget, findComposeTarget } from '../../inspection/compose-target.ts';
import { inspectRequest } from '../../inspection/inspect-request.ts';
import type { TargetSurvey } from '../../inspection/survey.ts';
import { type CredentialFlags, resolveCredential, suggestKind } from './credential-answers.ts';
import { resolveDatabase } from './database-answer.ts';
import { askForLog } from './log-answer.ts';
import type { Answers, NewContext } from './new-context.ts';
import { type NewOutput, printInspection, printLogTrace, printSurvey } from './new-output.ts';
import {
  assertAuthorized,
  assertCredentialAccepted,
  openProbe,
  resolveAddress,
  resolveRequest,
  runTargetSurvey,
} from './target-answers.ts';

export async function gatherAnswers(context: NewContext): Promise<Answers> {
  const { call, questions, output, productDir, extraRoots } = context;
  const { environment, flags } = call;
  const onProblem = ({ message, cure }: { message: string; cure: string }): void => {
    output.warn('no answer', message);
    output.detail(cure);
  };
  const { address, open } = await resolveAddress(
    { flag: flags['base-url'], questions, onProblem },
    async (address) => ({
      address,
      open: await runTargetSurvey(
        openProbe(address.baseUrl, undefined, extraRoots, environment),
        environment,
        flags.from,
      ),
    }),
  );
  const { baseUrl } = address;
  output.line(`${baseUrl}\n`);
  printSurvey(open, output);
  const resolved = await resolveCredential({
    ...{ flags: flags satisfies CredentialFlags, questions, environment, productDir },
    refusals: open.refusals,
  });
  const { credential, source: credentialSource } = resolved ?? {};
  const seen = credential
    ? await runTargetSurvey(openProbe(baseUrl, credential, extraRoots, environment), environment, flags.from)
    : open;
  if (credentialSource !== undefined) printCredential(assertCredentialAccepted(open, seen, credentialSource), output);
  if (seen.document && !open.document) printSurvey({ ...seen, candidates: [], refusals: [] }, output);
  if (!credential && open.refusals.length > 0)
    output.detail(`for what wants one: vp new --auth ${suggestKind(open.refusals)} --secret-from <variable> --force`);
  const protectedPaths = listProtectedPaths(open, seen);
  const probe = openProbe(baseUrl, credential, extraRoots, environment);
  try {
    const request = await resolveRequest({
      ...{ from: flags.from, addressPath: address.path, questions, survey: seen, protectedPaths },
      ...{ hasCredential: credential !== undefined, baseUrl },
    });
    const log = flags.log ?? (await askForLog(questions, environment));
    const requestText = `${request.method} ${request.path}`;
    const inspection = await inspectRequest({
      ...{ probe, request, log, environment },
      secrets: credential ? [credential.value] : [],
      countsErrors: ({ hasLevels, field }) => hasLevels && field !== undefined,
    });
    const { status } = inspection.response;
    assertAuthorized({ path: request.path, status }, seen, credentialSource);
    printInspection(inspection, requestText, output);
    if (inspection.trace && log !== undefined) printLogTrace(inspection.trace, log, output);
    // A log without the id of a run is of no use to `vp run`.
    const usedLog = inspection.trace?.channel ? log : undefined;
    const databaseAnswers = await resolveDatabase({ flags, questions, environment });
    const compose = await resolveCompose(context, baseUrl);
    const name = flags.name ?? toProjectName(basename(environment.cwd));
    const otherPath = seen.candidates.find(({ path }) => path !== request.path)?.path;
    return { name, baseUrl, requestText, inspection, log: usedLog, compose, databaseAnswers, credential, otherPath };
  } finally {
    probe.close();
  }
}

/** Paths that want the credential: those that refused, and those of a document that is served with it only. */
function listProtectedPaths(open: TargetSurvey, seen: TargetSurvey): string[] {
  const documented = open.document ? [] : seen.candidates.filter(({ source }) => source === 'document');
  return documented.length > 0 ? documented.map(({ path }) => path) : open.refusals.map(({ path }) => path);
}

function printCredential({ provenBy }: { readonly provenBy: string | undefined }, output: NewOutput): void {
  if (provenBy !== undefined)
    output.seen('credential', `accepted at GET ${provenBy}, which refuses requests without it`);
  else output.warn('credential', 'not proven: nothing that was tried requires one');
}

/** Asks the user only where there is something to decide. */
async function resolveCompose({ call, questions }: NewContext, baseUrl: string): Promise<ComposeTarget | undefined> {
  const { flags, environment } = call;
  if (!flags.compose && !questions) return undefined;
  const target = await findComposeTarget(baseUrl, environment);
  if (flags.compose && !target) throw vpError('NEW_COMPOSE_ABSENT', { address: baseUrl });
  if (flags.compose || !target || !questions) return target;
  const choices = [
    { value: undefined, label: `this address, ${baseUrl}`, hint: 'to run from this machine' },
    {
      value: target,
      label: `its container, ${target.baseUrl}`,
      hint: `compose project ${target.project}, for vp onboard`,
    },
  ];
  return questions.choose('Which address is written?', choices);
}

function toProjectName(folder: string): string {
  return folder.trim().slice(0, 100) || 'my-app';
}
