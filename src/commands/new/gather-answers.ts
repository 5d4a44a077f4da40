/** Asks, looks, and asks on: everything that `vp new` needs to know before it writes. */
import { basename } from 'node:path';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { type ComposeTarget, findComposeTarget } from '../../inspection/compose-target.ts';
import type { TargetCredential } from '../../inspection/credential.ts';
import { inspectRequest, type RequestInspection } from '../../inspection/inspect-request.ts';
import type { ProtectedPath, TargetSurvey } from '../../inspection/survey.ts';
import type { ProbeRequest } from '../../inspection/target-probe.ts';
import {
  anotherRequest,
  answerSource,
  type CredentialFlags,
  resolveCredential,
  suggestKind,
} from './credential-answers.ts';
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
  const { call, questions, output, extraRoots } = context;
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
  const signedIn = await signIn(context, { baseUrl, open, refusals: open.refusals });
  if (signedIn === anotherRequest) throw new TypeError('another request is offered where one was refused');
  const { credential, seen } = signedIn;
  if (seen.document && !open.document) printSurvey({ ...seen, candidates: [], refusals: [] }, output);
  if (!credential && open.refusals.length > 0)
    output.detail(`for what wants one: vp new --auth ${suggestKind(open.refusals)} --secret-from <variable> --force`);
  const protectedPaths = listProtectedPaths(open, seen);
  const requestContext = {
    ...{ from: flags.from, addressPath: address.path, questions, survey: seen, protectedPaths },
    ...{ hasCredential: credential !== undefined, baseUrl },
  };
  const chosen = await resolveRequest(requestContext);
  const log = flags.log ?? (await askForLog(questions, environment));
  const chooseAgain = (): Promise<ProbeRequest> =>
    resolveRequest({ ...requestContext, from: undefined, addressPath: '' });
  const {
    inspection,
    credential: usedCredential,
    request,
  } = await inspectSignedIn(context, { baseUrl, open, request: chosen, log, chooseAgain }, signedIn);
  const requestText = `${request.method} ${request.path}`;
  printInspection(inspection, requestText, output);
  if (inspection.trace && log !== undefined) printLogTrace(inspection.trace, log, output);
  // A log without the id of a run is of no use to `vp run`.
  const usedLog = inspection.trace?.channel ? log : undefined;
  const databaseAnswers = await resolveDatabase({ flags, questions, environment });
  const compose = await resolveCompose(context, baseUrl);
  const name = flags.name ?? toProjectName(basename(environment.cwd));
  const otherPath = seen.candidates.find(({ path }) => path !== request.path)?.path;
  const observed = { requestText, inspection, log: usedLog, credential: usedCredential, otherPath };
  return { name, baseUrl, ...observed, compose, databaseAnswers };
}

type SignIn = {
  readonly credential: TargetCredential | undefined;
  readonly credentialSource: string | undefined;
  /** The target as it was seen with the credential. */
  readonly seen: TargetSurvey;
};

type SignInInput = {
  readonly baseUrl: string;
  readonly open: TargetSurvey;
  readonly refusals: readonly ProtectedPath[];
  readonly refusedRequest?: { readonly hadCredential: boolean };
};

/** Asks again while the target refuses what was answered. Throws NEW_CREDENTIAL_REFUSED for what flags and files say. */
async function signIn(
  { call, questions, output, productDir, extraRoots }: NewContext,
  { baseUrl, open, refusals, refusedRequest }: SignInInput,
): Promise<SignIn | typeof anotherRequest> {
  const { environment, flags } = call;
  for (;;) {
    const resolved = await resolveCredential({
      ...{ flags: flags satisfies CredentialFlags, questions, environment, productDir, refusals, refusedRequest },
    });
    if (resolved === anotherRequest) return resolved;
    const { credential, source } = resolved ?? {};
    const seen = credential
      ? await runTargetSurvey(openProbe(baseUrl, credential, extraRoots, environment), environment, flags.from)
      : open;
    try {
      if (source !== undefined) printCredential(assertCredentialAccepted(open, seen, source), output);
      return { credential, credentialSource: source, seen };
    } catch (error) {
      if (source !== answerSource || !isRefusal(error)) throw error;
      printRefusal(error, output);
    }
  }
}

type InspectionInput = {
  readonly baseUrl: string;
  readonly open: TargetSurvey;
  readonly request: ProbeRequest;
  readonly log: string | undefined;
  readonly chooseAgain: () => Promise<ProbeRequest>;
};
type SignedInInspection = {
  readonly inspection: RequestInspection;
  readonly credential: TargetCredential | undefined;
  /** The one that was not refused. */
  readonly request: ProbeRequest;
};

/** Sends the request. Where it is refused, the person may answer again how requests authenticate, or choose another request. */
async function inspectSignedIn(
  context: NewContext,
  { baseUrl, open, request: chosen, log, chooseAgain }: InspectionInput,
  first: SignIn,
): Promise<SignedInInspection> {
  const { call, output, extraRoots } = context;
  const { environment } = call;
  let request = chosen;
  for (let current = first; ; ) {
    const { credential, credentialSource, seen } = current;
    const probe = openProbe(baseUrl, credential, extraRoots, environment);
    try {
      const inspection = await inspectRequest({
        ...{ probe, request, log, environment },
        secrets: credential ? [credential.value] : [],
        countsErrors: ({ hasLevels, field }) => hasLevels && field !== undefined,
      });
      const { status } = inspection.response;
      assertAuthorized({ path: request.path, status }, seen, credentialSource);
      return { inspection, credential, request };
    } catch (error) {
      const isAnswered = credential === undefined ? canAnswerKind(context) : credentialSource === answerSource;
      if (!isAnswered || !isRefusal(error)) throw error;
      printRefusal(error, output);
    } finally {
      probe.close();
    }
    // What the application said about credentials, where it said anything, suggests the kind again.
    const refusals =
      open.refusals.length > 0 ? open.refusals : [{ path: request.path, status: 401, challenge: undefined }];
    const hadCredential = credential !== undefined && open.refusals.length === 0;
    const next = await signIn(context, { baseUrl, open, refusals, refusedRequest: { hadCredential } });
    if (next === anotherRequest) request = await chooseAgain();
    else current = next;
  }
}

function isRefusal(error: unknown): error is VpError {
  return error instanceof VpError && (error.code === 'NEW_CREDENTIAL_REFUSED' || error.code === 'NEW_UNAUTHORIZED');
}

function printRefusal({ message }: VpError, output: NewOutput): void {
  output.warn('credential', message);
}

/** Whether the person, and no flag, says how requests authenticate. */
function canAnswerKind({ questions, call: { flags } }: NewContext): boolean {
  const named = [flags.auth, flags['auth-header'], flags['secret-from']].some((flag) => flag !== undefined);
  return questions !== undefined && !named && !flags['secret-stdin'];
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
