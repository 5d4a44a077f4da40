/** The address of the application and the request of the first scenario, with what was seen there. */
import { completeAddress } from '../../addresses/written-address.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { type TargetCredential, toHeaderLine } from '../../inspection/credential.ts';
import { type RequestCandidate, surveyTarget, type TargetSurvey } from '../../inspection/survey.ts';
import { createTargetProbe, isSafeMethod, type ProbeRequest, type TargetProbe } from '../../inspection/target-probe.ts';
import { parseBaseUrl } from '../../project/sections/base-url.ts';
import { suggestKind } from './credential-answers.ts';
import { goBack, type Questions } from './questions.ts';
import { parseRequest } from './request-flag.ts';

const exampleCall = 'vp new --yes --base-url http://127.0.0.1:3000';
const defaultAddress = 'http://127.0.0.1:3000';

/** `path` is what followed host and port. */
export type TargetAddress = { readonly baseUrl: string; readonly path: string };

/** `3000`, `:3000`, `localhost:3000` and complete addresses; or what is wrong. */
export function parseAddress(text: string): TargetAddress | { readonly problem: string } {
  const url = parseBaseUrl(completeAddress(text));
  return 'problem' in url ? { problem: url.problem } : { baseUrl: url.baseUrl, path: url.droppedPath };
}

type AddressContext = {
  readonly flag: string | undefined;
  readonly questions: Questions | undefined;
  readonly onProblem: (error: VpError) => void;
};

/** Asks again while nothing answers at the address. */
export async function resolveAddress<T>(
  { flag, questions, onProblem }: AddressContext,
  look: (address: TargetAddress) => Promise<T>,
): Promise<T> {
  if (flag !== undefined) {
    const address = parseAddress(flag);
    if (!('problem' in address)) return look(address);
    const values = { key: '--base-url', problem: address.problem, example: defaultAddress };
    throw vpError('CONFIG_BASE_URL_INVALID', values);
  }
  if (!questions) throw vpError('NEW_ANSWERS_MISSING', { flag: '--base-url', example: exampleCall });
  for (;;) {
    const validate = (text: string): string | undefined => {
      const parsed = parseAddress(text);
      return 'problem' in parsed ? `the address ${parsed.problem}` : undefined;
    };
    const hint = 'an address or a port of this machine';
    const text = await questions.text({
      label: 'Where does the application answer?',
      initial: defaultAddress,
      hint,
      validate,
    });
    const address = parseAddress(text);
    try {
      if (!('problem' in address)) return await look(address);
    } catch (error) {
      if (!(error instanceof VpError) || error.code !== 'NEW_TARGET_SILENT') throw error;
      onProblem(error);
    }
  }
}

type ProbeEnvironment = Pick<Environment, 'clock' | 'random'>;

/** A probe with the credential. The caller closes it. */
export function openProbe(
  baseUrl: string,
  credential: TargetCredential | undefined,
  extraRoots: readonly string[],
  environment: ProbeEnvironment,
): TargetProbe {
  const headers = credential ? [toHeaderLine(credential)] : [];
  return createTargetProbe({
    ...{ origin: baseUrl, headers, extraRoots, environment },
    secrets: credential ? [credential.value] : [],
  });
}

/** Looks at the target with one probe, and closes it. `from` is the request that was named, if any. */
export async function runTargetSurvey(
  probe: TargetProbe,
  { random }: ProbeEnvironment,
  from: string | undefined,
): Promise<TargetSurvey> {
  try {
    return await surveyTarget(probe, random.token(6), from === undefined ? [] : [toSafeRequest(from).path]);
  } finally {
    probe.close();
  }
}

/** Throws NEW_CREDENTIAL_REFUSED where a path that wants a credential does not accept this one. */
export function assertCredentialAccepted(
  open: TargetSurvey,
  signedIn: TargetSurvey,
  source: string,
): { readonly provenBy: string | undefined } {
  const guardedPaths = open.refusals.filter(({ status }) => status === 401).map(({ path }) => path);
  const refused = signedIn.refusals.find(({ path, status }) => status === 401 && guardedPaths.includes(path));
  if (refused && !signedIn.candidates.some(({ path }) => guardedPaths.includes(path)))
    throw vpError('NEW_CREDENTIAL_REFUSED', { path: refused.path, status: refused.status, source });
  return { provenBy: guardedPaths.find((path) => !signedIn.refusals.some((refusal) => refusal.path === path)) };
}

export type RequestContext = {
  readonly from: string | undefined;
  readonly addressPath: string;
  readonly questions: Questions | undefined;
  readonly survey: TargetSurvey;
  /** Paths that answered 401 without the credential; they come first. */
  readonly protectedPaths: readonly string[];
  readonly hasCredential: boolean;
  readonly baseUrl: string;
};

const maxChoices = 8;

/** Throws NEW_REQUEST_INVALID, NEW_UNAUTHORIZED, NEW_NOTHING_USABLE. */
export async function resolveRequest(context: RequestContext): Promise<ProbeRequest> {
  const { from, addressPath, questions, survey: seen, protectedPaths } = context;
  const named = from ?? (addressPath === '' ? undefined : `GET ${addressPath}`);
  if (named !== undefined) return toSafeRequest(named);
  const candidates = seen.candidates.toSorted(
    (a, b) => Number(protectedPaths.includes(b.path)) - Number(protectedPaths.includes(a.path)),
  );
  if (questions) return chooseRequest(candidates.slice(0, maxChoices), questions);
  const [first] = candidates;
  if (first) return { method: 'GET', path: first.path };
  throw createNothingError(context);
}

function createNothingError({ survey: seen, hasCredential, baseUrl }: RequestContext): VpError {
  const [refusal] = seen.refusals;
  if (refusal && !hasCredential) return createUnauthorizedError(refusal, seen);
  const example = `vp new --yes --base-url ${baseUrl} --from "GET /path"`;
  return vpError('NEW_NOTHING_USABLE', { count: seen.requestCount, example });
}

/** A scenario that passes because nobody may enter would look like a verdict about the application. */
export function assertAuthorized(
  { path, status }: { readonly path: string; readonly status: number },
  seen: TargetSurvey,
  credentialSource: string | undefined,
): void {
  if (status !== 401) return;
  if (credentialSource === undefined) throw createUnauthorizedError({ path, status }, seen);
  throw vpError('NEW_CREDENTIAL_REFUSED', { path, status, source: credentialSource });
}

function createUnauthorizedError({ path, status }: { path: string; status: number }, seen: TargetSurvey): VpError {
  const kind = suggestKind(seen.refusals);
  const example = `--auth ${kind === 'none' ? 'bearer' : kind} --secret-from API_TOKEN`;
  const secret = kind === 'basic' ? 'user and password, as user:password' : 'token';
  return vpError('NEW_UNAUTHORIZED', { path, status, example, secret });
}

function toSafeRequest(text: string): ProbeRequest {
  const { method, path } = parseRequest(text);
  if (isSafeMethod(method)) return { method, path };
  const problem = `${method} may change data, so it is not sent; the first scenario is a GET, and \`vp new scenario --from "${method} ${path}"\` writes this one afterwards`;
  throw vpError('NEW_REQUEST_INVALID', { request: `\`${text}\``, problem });
}

async function chooseRequest(candidates: readonly RequestCandidate[], questions: Questions): Promise<ProbeRequest> {
  const label = 'Which request is the first scenario?';
  const prompt = {
    ...{ label, hint: 'such as GET /items; only GET, HEAD and OPTIONS are sent' },
    ...{ initial: 'GET /', validate: findRequestProblem },
  };
  // Where nothing but a page of text answers, the person knows better.
  const hasData = candidates.some(({ kind }) => kind === 'json');
  if (!hasData) return toSafeRequest(await questions.text(prompt));
  const choices = candidates.map(({ path, status, shape }) => ({
    value: path,
    label: `GET ${path}`,
    hint: `${status}, ${shape}`,
  }));
  const other = { value: '', label: 'another request', hint: undefined };
  for (;;) {
    const path = await questions.choose(label, [...choices, other]);
    if (path !== '') return { method: 'GET', path };
    const text = await questions.textOrBack({ ...prompt, back: label });
    if (text !== goBack) return toSafeRequest(text);
  }
}

function findRequestProblem(text: string): string | undefined {
  try {
    toSafeRequest(text);
    return undefined;
  } catch (error) {
    return error instanceof VpError ? error.message : String(error);
  }
}
